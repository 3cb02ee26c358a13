package predictive

import (
	"context"
	"fmt"
	"slices"

	"glmbatch/infer/loo"
	"glmbatch/report/record"
)

// Target is the posterior of a fit over coordinates u without bounds.
type Target interface {
	Dim() int
	Constrain(u, theta []float64)
	Unconstrain(theta, u []float64)
	Densities() func(u, grad []float64) (logPosterior, logLik, logPrior float64)
}

// matchBytes bounds the draws that are moved, of which there are three copies.
const matchBytes = 256 << 20

// Match recomputes the estimates of those rows of l whose Pareto k is too high, from draws that are moved toward
// the posterior without them: see loo.Match. The design must have been sampled by target; fromData takes a draw
// from the units of the data to its own. It returns the reason as text if it cannot, else nothing.
//
// Cost: loo.Match for each such row.
func (e *Evaluator) Match(ctx context.Context, l *record.LOO, target Target,
	fromData func(theta []float64)) (why string, err error) {
	high := l.Unreliable()
	switch size := 8 * e.Size() * target.Dim(); {
	case len(high) == 0:
		return "", nil
	case e.Params != target.Dim():
		return fmt.Sprintf("the draws have %d parameters of %d", e.Params, target.Dim()), nil
	case size > matchBytes:
		return fmt.Sprintf("the draws take %d MB, more than %d", size>>20, matchBytes>>20), nil
	}
	post, err := e.posterior(target, fromData)
	if err != nil {
		return "", err
	}
	var work loo.Workspace
	theta := make([]float64, target.Dim())
	for _, i := range high {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		r := &l.Rows[i]
		before := loo.Row{ELPD: r.ELPD, P: r.P, K: r.K, Efficiency: r.Efficiency, MCSE: r.MCSE}
		like := e.density(i)
		after := work.Match(post, before, l.Threshold, func(u []float64) float64 {
			target.Constrain(u, theta)
			return like(theta)
		})
		if after.K < before.K {
			r.Before, r.ELPD, r.P, r.K, r.Efficiency, r.MCSE = r.K, after.ELPD, after.P, after.K, after.Efficiency, after.MCSE
		}
	}
	total(l, e.data.Frequency)
	return "", nil
}

// posterior has the draws over the coordinates of target.
func (f *Fit) posterior(target Target, fromData func(theta []float64)) (*loo.Posterior, error) {
	dim, grad, densities := target.Dim(), make([]float64, target.Dim()), target.Densities()
	p := &loo.Posterior{Dim: dim, Draws: make([]float64, f.Size()*dim), Density: func(u []float64) float64 {
		log, _, _ := densities(u, grad)
		return log
	}}
	for c, err := range f.Open() {
		if err != nil {
			return nil, err
		}
		for i := range c.Params {
			for s, v := range c.Values[i*f.Size() : (i+1)*f.Size()] {
				p.Draws[s*dim+c.First+i] = v
			}
		}
	}
	u := make([]float64, dim)
	for theta := range slices.Chunk(p.Draws, dim) {
		fromData(theta)
		target.Unconstrain(theta, u)
		copy(theta, u)
	}
	return p, nil
}
