package check

import (
	"context"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/diag"
	"glmbatch/internal/variate"
	"glmbatch/pipelines/internal/plan"
)

// Lengths of the chain of one simulation.
const (
	warmup    = 300 // iterations before the first that count; a Hamiltonian sampler adapts in them
	firstLen  = 200 // iterations at the first look
	doublings = 6   // of that length, at most
	// apart is how many effective draws the chain must have for each that is
	// kept: thinned draws are then correlated by about e^−6.
	apart = 3
	// traceBytes bounds the trace of a chain; a long parameter list gets fewer
	// doublings.
	traceBytes = 64 << 20
)

// drawn is a chain thinned to nearly independent draws.
type drawn struct {
	trace      [][]float64 // by statistic: parameters, then log_lik
	picks      []int       // indexes into a trace
	iterations int
	mixed      bool // it reached the effective draws it needs
	selects    bool // coefficients may stay at 0 permanently
	constants  bool // quantities may never move, as known weights
}

// draw runs a chain until every statistic, of which are parameters and log_lik, has
// apart·want effective draws, or as long as it may, and thins the newer half of it
// to want draws. Which length it gets depends on its draws alone.
func draw(ctx context.Context, setup infer.Setup, stream *infer.Stream, want int, of []int,
	hook func(infer.Kernel) infer.Kernel) (*drawn, error) {
	k, err := setup.Kernel(infer.Chain{Count: 1, Warmup: warmup, Stream: stream})
	if err != nil {
		return nil, err
	}
	if hook != nil {
		k = hook(k)
	}
	params := len(of)
	d := &drawn{trace: make([][]float64, params+1)}
	_, d.constants = setup.(infer.Simulator)
	d.selects = slices.ContainsFunc(setup.Parameters(), func(p infer.Parameter) bool { return p.Kind == infer.Inclusion })
	first := max(firstLen, apart*want)
	most := max(2*first, min(first<<doublings, traceBytes/8/(params+1)))
	for range warmup {
		if _, err := k.Step(); err != nil {
			return nil, err
		}
	}
	d.iterations = warmup
	theta := make([]float64, len(setup.Parameters()))
	for to := first; ; to = min(2*to, most) {
		for len(d.trace[params]) < to {
			info, err := k.Step()
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, err
			}
			k.Position(theta)
			for s, p := range of {
				d.trace[s] = append(d.trace[s], theta[p])
			}
			d.trace[params] = append(d.trace[params], info.LogLik)
			d.iterations++
		}
		from := 0
		if to > first { // the older half is warm-up
			from = to / 2
		}
		d.mixed = d.minESS(from) >= float64(apart*want)
		if d.mixed || to >= most {
			for i := range want {
				d.picks = append(d.picks, from+(i+1)*(to-from)/want-1)
			}
			return d, nil
		}
	}
}

// minESS is the least bulk effective sample size of a statistic from an
// iteration on; 0 if some statistic does not move that might.
func (d *drawn) minESS(from int) float64 {
	least := math.Inf(1)
	for _, t := range d.trace {
		low, high := slices.Min(t[from:]), slices.Max(t[from:])
		if d.constants && low == high || d.selects && low == 0 && high == 0 {
			continue
		}
		ess := diag.ESSBulk([][]float64{t[from:]})
		if !(ess > 0) {
			return 0
		}
		least = min(least, ess)
	}
	return least
}

// ranks counts, for each statistic, the draws below the truth, and of those that equal it, as coefficients that are
// left out do, a number drawn from 0 to all of them: then ranks are uniform where the law has atoms.
func (d *drawn) ranks(truth []float64, ties *infer.Stream) []int {
	out := make([]int, len(truth))
	for s, t := range d.trace {
		equal := 0
		near := 0.0
		if d.constants { // a chain sums the log density of a state in another order
			near = 1e-9 * max(1, math.Abs(truth[s]))
		}
		for _, i := range d.picks {
			switch {
			case t[i] < truth[s]-near:
				out[s]++
			case t[i] <= truth[s]+near:
				equal++
			}
		}
		if equal > 0 {
			out[s] += variate.Index(ties, equal+1)
		}
	}
	return out
}

// statistics are the values that are ranked at theta: parameters and the log
// likelihood.
func statistics(t plan.Joint, of []int, theta []float64) (out []float64) {
	logLik, _, _ := t.At()(theta)
	return append(taken(theta, of), logLik)
}

// taken are the values of some parameters.
func taken(theta []float64, of []int) (out []float64) {
	for _, j := range of {
		out = append(out, theta[j])
	}
	return out
}

// rankedLevels is how many levels of a grouping have their effects ranked: those of
// the most rows, of the fewest, and between.
const rankedLevels = 3

// rankedCells is how many missing cells of a column are ranked: the first, the last, and one between.
const rankedCells = 3

// ranked lists the parameters that are ranked: all but most of the effects and missing cells, and the parameters of
// components of a mixture as sampled, whose numbers mean nothing. Each linear predictor has all effects.
func ranked(params []infer.Parameter, effects []*design.Effects) (out []int) {
	rows := cellRows(params)
	first := len(params)
	for j, p := range params {
		switch {
		case p.Kind == infer.GroupEffect:
			first = min(first, j)
		case p.Kind == infer.Imputed && !slices.Contains(rows[p.Grouping], p.Level), p.Kind == infer.Unsorted:
		default:
			out = append(out, j)
		}
	}
	for at := first; at < len(params) && effects != nil; {
		for _, e := range effects {
			out = append(out, rankedEffects(e, at)...)
			at += e.Count()
		}
	}
	return out
}

// cellRows names the rows of the missing cells that are ranked, by column.
func cellRows(params []infer.Parameter) map[string][]string {
	out := map[string][]string{}
	for _, p := range params {
		if rows := out[p.Grouping]; p.Kind == infer.Imputed && (len(rows) == 0 || rows[len(rows)-1] != p.Level) {
			out[p.Grouping] = append(rows, p.Level)
		}
	}
	for column, rows := range out {
		if n := len(rows); n > rankedCells {
			out[column] = []string{rows[0], rows[n/2], rows[n-1]}
		}
	}
	return out
}

// rankedEffects are those of a grouping whose effects begin at a parameter.
func rankedEffects(e *design.Effects, at int) (out []int) {
	n := e.Grouping.Levels()
	bySize := make([]int, n)
	for l := range bySize {
		bySize[l] = l
	}
	slices.SortStableFunc(bySize, func(a, b int) int { return len(e.Grouping.Rows(a)) - len(e.Grouping.Rows(b)) })
	levels := bySize
	if n > rankedLevels {
		levels = []int{bySize[0], bySize[n/2], bySize[n-1]}
	}
	slices.Sort(levels)
	for term := range e.Terms {
		for _, l := range levels {
			out = append(out, at+term*n+l)
		}
	}
	return out
}
