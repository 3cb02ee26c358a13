package run

import (
	"context"
	"math"

	"glmbatch/infer/diag"
	"glmbatch/infer/nuts"
	"glmbatch/report"
)

// conditionOfMetrics adds the effective condition number of each chain's metric
// over its warm-up: that of the curvature after preconditioning by the metric.
// The metrics are made again from the positions of warm-up, which the spool
// holds, so that it is the same after a resume.
func (r *runner) conditionOfMetrics(ctx context.Context, f *fitting) error {
	if f.curvature == nil || !f.method.hamiltonian {
		return nil
	}
	if f.method.windows == nil {
		f.metrics = []report.Metric{{Condition: math.NaN(), Note: "the chain moves in other coordinates than the coefficients"}}
		return nil
	}
	if err := r.workers.acquire(ctx); err != nil {
		return err
	}
	defer r.workers.release()
	if err := f.curvature.err; err != nil {
		f.metrics = []report.Metric{{Condition: math.NaN(), Note: err.Error()}}
		return nil
	}
	for c := range f.spool.Chains {
		windows, err := f.windows(c, f.schedule.warmup())
		if err != nil {
			return err
		}
		for i := range windows {
			w := &windows[i]
			m := report.Metric{Chain: c, Iterations: w.After}
			if m.Condition, err = f.curvature.under(w); err != nil {
				m.Condition, m.Note = math.NaN(), err.Error()
			}
			f.metrics = append(f.metrics, m)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// under is the condition number under the metric of a window.
func (c *curvature) under(w *nuts.Window) (float64, error) {
	p, err := w.Precondition(c.h)
	if err != nil {
		return math.NaN(), err
	}
	return diag.ConditionNumber(p)
}

// windows makes the metrics of one chain again. It reads the warm-up in blocks of
// iterations.
func (f *fitting) windows(c, warmup int) ([]nuts.Window, error) {
	const piece = 256
	params := len(f.params)
	values, columns := make([]float64, params*piece), make([][]float64, params)
	from := -piece // of the piece that values hold
	return f.method.windows(f.curvature.target, warmup, func(i int, theta []float64) error {
		if i < from || i >= from+piece {
			from = i
			for p := range columns {
				columns[p] = values[p*piece : (p+1)*piece]
			}
			to := min(from+piece, warmup)
			for p := range columns {
				columns[p] = columns[p][:to-from]
			}
			if err := f.spool.Chains[c].Columns(columns, 0, params, from, to); err != nil {
				return err
			}
		}
		for p := range columns {
			theta[p] = columns[p][i-from]
		}
		f.design.Record.FromData(theta)
		return nil
	})
}
