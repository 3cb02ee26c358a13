package assess

import (
	"context"
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/infer/nuts"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/record"
)

// minEBFMI is the E-BFMI below which a chain is warned about, as in Stan.
const minEBFMI = 0.3

// minAccept is the share of the acceptance aimed at below which a chain is warned
// about. Warm-up of a few hundred iterations comes within a tenth of its aim.
const minAccept = 0.75

// highAccept is the target_accept beyond which no higher one is advised.
const highAccept = 0.99

// hamiltonian holds the statistics of the iterations of a Hamiltonian sampler in the window: one entry per chain,
// besides counts over all.
type hamiltonian struct {
	ebfmi, accept, step []float64
	leapfrogs           int64
	depths              [32]int // trajectories by number of doublings

	acceptSum, lastStep float64 // of the chain that add is given
}

// add takes iterations of the current chain, in order.
func (h *hamiltonian) add(infos []infer.Info) {
	for i := range infos {
		h.acceptSum += infos[i].Accept
		h.lastStep = infos[i].StepSize // frozen: the last is that of all
		h.leapfrogs += int64(infos[i].Leapfrogs)
		h.depths[min(max(int(infos[i].Depth), 0), len(h.depths)-1)]++
	}
}

// end closes the current chain, whose energies are given.
func (h *hamiltonian) end(energy []float64) {
	h.ebfmi = append(h.ebfmi, diag.EBFMI(energy))
	h.accept = append(h.accept, h.acceptSum/float64(len(energy)))
	h.step = append(h.step, h.lastStep)
	h.acceptSum, h.lastStep = 0, math.NaN()
}

// stopped counts the trajectories that ended because they had doubled
// maxDepth times; 0 for a sampler without that limit.
func (h *hamiltonian) stopped(maxDepth int) (n int) {
	if maxDepth <= 0 {
		return 0
	}
	for d := maxDepth; d < len(h.depths); d++ {
		n += h.depths[d]
	}
	return n
}

// trajectories is the number of iterations of all chains.
func (h *hamiltonian) trajectories() (n int) {
	for _, k := range h.depths {
		n += k
	}
	return n
}

// warnings describe the trajectories of a fit, and the remedy.
func (h *hamiltonian) warnings(m *plan.Method, divergences int) (out []string) {
	if m.Trajectories == nil {
		return nil
	}
	all := h.trajectories()
	if divergences > 0 {
		raise := ""
		if m.Trajectories.Aim() < highAccept {
			raise = fmt.Sprintf("raise target_accept (%.4g) toward %.2g, ", m.Trajectories.Aim(), highAccept)
		}
		out = append(out, fmt.Sprintf("%d of %d trajectories diverged: parts of the posterior may be missing from the "+
			"draws; %sscale the columns, or give tighter priors", divergences, all, raise))
	}
	if n := h.stopped(m.Trajectories.Doublings()); n > 0 {
		out = append(out,
			fmt.Sprintf("%d of %d trajectories stopped at max_depth %d: the draws hold, but cost %d gradients each; "+
				"standardize the columns, use metric: low_rank or a longer warm-up, or raise max_depth", n, all,
				m.Trajectories.Doublings(), 1<<m.Trajectories.Doublings()-1))
	}
	low, chains := math.Inf(1), 0
	for _, v := range h.ebfmi {
		if v < minEBFMI {
			low, chains = min(low, v), chains+1
		}
	}
	if chains > 0 {
		out = append(out, fmt.Sprintf("E-BFMI is below %.1f in %d of %d chains (least %.2f): the energy moves too slowly "+
			"for the tails to be trusted; "+
			"use a longer warm-up, or give tighter priors", minEBFMI, chains, len(h.ebfmi), low))
	}
	low, chains = math.Inf(1), 0
	for _, v := range h.accept {
		if v < minAccept*m.Trajectories.Aim() {
			low, chains = min(low, v), chains+1
		}
	}
	if chains > 0 {
		out = append(out, fmt.Sprintf("mean acceptance is %.2f in the worst of %d of %d chains, where warm-up aimed at "+
			"%.2g: the step size is too large for where the "+
			"chain is now; use a longer warm-up, or set target_accept higher", low, chains, len(h.accept), m.Trajectories.Aim()))
	}
	return out
}

// diagnostics are the ledger's numbers about the trajectories.
func (h *hamiltonian) diagnostics(m *plan.Method) (out []record.Diagnostic) {
	if m.Trajectories == nil {
		return nil
	}
	for c := range h.ebfmi {
		out = append(out,
			record.Diagnostic{Name: "ebfmi", Chain: c, Value: h.ebfmi[c]},
			record.Diagnostic{Name: "accept", Chain: c, Value: h.accept[c]},
			record.Diagnostic{Name: "step_size", Chain: c, Value: h.step[c]})
	}
	return append(out,
		record.Diagnostic{Name: "leapfrogs", Chain: -1, Value: float64(h.leapfrogs)},
		record.Diagnostic{Name: "max_depth_hits", Chain: -1, Value: float64(h.stopped(m.Trajectories.Doublings()))})
}

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
