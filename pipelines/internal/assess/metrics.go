package assess

import (
	"context"
	"math"

	"glmbatch/infer/diag"
	"glmbatch/infer/nuts"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/record"
)

// conditionOfMetrics takes the effective condition number of each chain's metric
// over its warm-up: that of the curvature after preconditioning by the metric.
// The metrics are made again from the positions of warm-up, which the spool
// holds, so that it is the same after a resume.
func (d *Drawn) conditionOfMetrics(ctx context.Context, r *plan.Regression, c *curvature,
) (out []record.Metric, err error) {
	if d.Method().Trajectories == nil {
		return nil, nil
	}
	if !r.HasMetrics() {
		return []record.Metric{{Condition: math.NaN(), Note: "the chain moves in other coordinates than the coefficients"}},
			nil
	}
	if c.err != nil {
		return []record.Metric{{Condition: math.NaN(), Note: c.err.Error()}}, nil
	}
	for chain := range d.Draws.Spool.Chains {
		windows, err := r.Windows(c.target, d.Schedule.Warmup(), d.warmup(r, chain))
		if err != nil {
			return nil, err
		}
		for i := range windows {
			w := &windows[i]
			m := record.Metric{Chain: chain, Iterations: w.After}
			if m.Condition, err = c.under(w); err != nil {
				m.Condition, m.Note = math.NaN(), err.Error()
			}
			out = append(out, m)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return out, nil
}

// under is the condition number under the metric of a window.
func (c *curvature) under(w *nuts.Window) (float64, error) {
	p, err := w.Precondition(c.h)
	if err != nil {
		return math.NaN(), err
	}
	return diag.ConditionNumber(p)
}

// warmup reads the positions of one chain's warm-up, on the scale of the design, in blocks of iterations.
func (d *Drawn) warmup(r *plan.Regression, chain int) func(i int, theta []float64) error {
	const piece = 256
	params, warmup := len(d.Kept), d.Schedule.Warmup()
	values, columns := make([]float64, params*piece), make([][]float64, params)
	from := -piece // of the piece that values hold
	return func(i int, theta []float64) error {
		if i < from || i >= from+piece {
			from = i
			to := min(from+piece, warmup)
			for p := range columns {
				columns[p] = values[p*piece : p*piece+to-from]
			}
			if err := d.Draws.Spool.Chains[chain].Columns(columns, 0, params, from, to); err != nil {
				return err
			}
		}
		for p := range columns {
			theta[p] = columns[p][i-from]
		}
		r.Record.FromData(theta)
		return nil
	}
}
