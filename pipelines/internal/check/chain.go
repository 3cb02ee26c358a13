package check

import (
	"context"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
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
	trace      [][]float64 // by statistic: the parameters, then log_lik
	picks      []int       // indexes into a trace
	iterations int
	mixed      bool // it reached the effective draws it needs
}

// draw runs a chain until every statistic has apart·want effective draws, or
// as long as it may, and thins the newer half of it to want draws. Which length
// it gets depends on its draws alone.
func draw(ctx context.Context, setup infer.Setup, stream *infer.Stream, want int,
	hook func(infer.Kernel) infer.Kernel) (*drawn, error) {
	k, err := setup.Kernel(infer.Chain{Count: 1, Warmup: warmup, Stream: stream})
	if err != nil {
		return nil, err
	}
	if hook != nil {
		k = hook(k)
	}
	params := len(setup.Parameters())
	d := &drawn{trace: make([][]float64, params+1)}
	first := max(firstLen, apart*want)
	most := max(2*first, min(first<<doublings, traceBytes/8/(params+1)))
	for range warmup {
		if _, err := k.Step(); err != nil {
			return nil, err
		}
	}
	d.iterations = warmup
	theta := make([]float64, params)
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
			for p, v := range theta {
				d.trace[p] = append(d.trace[p], v)
			}
			d.trace[params] = append(d.trace[params], info.LogLik)
			d.iterations++
		}
		from := 0
		if to > first { // the older half is warm-up
			from = to / 2
		}
		d.mixed = d.leastESS(from) >= float64(apart*want)
		if d.mixed || to >= most {
			for i := range want {
				d.picks = append(d.picks, from+(i+1)*(to-from)/want-1)
			}
			return d, nil
		}
	}
}

// leastESS is the least bulk effective sample size of a statistic from an
// iteration on; 0 if some statistic does not move.
func (d *drawn) leastESS(from int) float64 {
	least := math.Inf(1)
	for _, t := range d.trace {
		ess := diag.ESSBulk([][]float64{t[from:]})
		if !(ess > 0) {
			return 0
		}
		least = min(least, ess)
	}
	return least
}

// ranks counts, for each statistic, the draws below the truth.
func (d *drawn) ranks(truth []float64) []int {
	out := make([]int, len(truth))
	for s, t := range d.trace {
		for _, i := range d.picks {
			if t[i] < truth[s] {
				out[s]++
			}
		}
	}
	return out
}

// statistics are the values that are ranked at theta: theta itself and the log
// likelihood.
func statistics(t *glm.Target, theta []float64) []float64 {
	return append(append([]float64(nil), theta...), t.LogLik(theta))
}
