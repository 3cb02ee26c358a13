package groups

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// Earlier is an earlier posterior of about the same model, whose levels may be others. It decides where chains start;
// the posterior is that of data and model.
type Earlier struct {
	// Around returns the target of coefficients and dispersions with starts around that posterior, as glm.Target.From.
	Around func(*glm.Target) (*glm.Target, error)
	// Of returns the earlier estimate of a parameter, of a standard deviation in logs; ok is false if there is
	// none.
	Of func(infer.Parameter) (location, scale float64, ok bool)
}

// startAround moves a start around an earlier posterior: sds and correlations with twice its scale, as coefficients
// are, and effects of levels that it knows to draws of theirs. Effects of other levels are drawn at a tenth of their
// sd, so that they are near 0 as in a start without.
func (k *kernel) startAround(e *Earlier) {
	at := k.target.Dim()
	around := func(start func(location, noise float64)) {
		z := variate.Normal(k.Stream)
		if m, s, ok := e.Of(k.params[at]); ok {
			start(m, float64(s*z))
		}
		at++
	}
	for _, g := range k.groups {
		for _, t := range g.free {
			around(func(m, noise float64) { g.startSD(t, m+float64(2*noise)) })
		}
		corr, width, known := make([]float64, len(g.partial)), make([]float64, len(g.partial)), 0
		for i := range g.partial {
			around(func(m, noise float64) { corr[i], width[i], known = m, noise/(1-float64(m*m)), known+1 })
		}
		if known == len(corr) { // means of correlation matrices are one
			g.setCorrelations(corr)
			for i := range g.partial {
				y := max(-startPartial, min(startPartial, g.partial[i]+float64(2*width[i])))
				if math.IsNaN(y) { // of a correlation that was ±1
					y = 0
				}
				g.partial[i] = y
			}
		}
		g.settle()
	}
	for _, g := range k.groups {
		for t := range g.q {
			sd := vec.Exp(g.logSD[t])
			for l := range g.levels {
				g.to[l*g.q+t] = float64(0.1 * sd * variate.Normal(k.Stream))
				around(func(m, noise float64) { g.to[l*g.q+t] = m + noise })
			}
		}
	}
}

// startPartial bounds the atanh of partial correlations at a start: those beyond 0.995 are slow to come back.
const startPartial = 3
