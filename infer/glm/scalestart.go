package glm

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// drawScales draws the scales of horseshoe priors from their priors.
func (t *Target) drawScales(s prior.Source, u []float64, at *scales) {
	disp := t.newDispersions()
	t.setUnconstrained(&disp, u[t.Cols():])
	for _, h := range t.shoes {
		at.log[h.Tau] = vec.Log(variate.HalfCauchy(s)) + vec.Log(h.Prior.Scale) + t.logUnit(&disp)
		if h.Slab >= 0 {
			at.log[h.Slab] = vec.Log(h.Prior.DrawSlab(s))
		}
		for i := range h.Columns {
			at.log[h.Local+i] = vec.Log(variate.HalfCauchy(s))
		}
	}
}

// settleScales moves each lambda to where the coefficient may have been drawn
// from it, and brings u to the form that SetUnconstrained reads.
func (t *Target) settleScales(s prior.Source, u []float64, at *scales) {
	logs := u[t.scaleStart():]
	copy(logs, at.log)
	for _, h := range t.shoes {
		for i, j := range h.Columns {
			z := u[j] / vec.Exp(logs[h.Tau])
			logs[h.Local+i] = variate.LocalScale(s, logs[h.Local+i], float64(0.5*z*z))
		}
	}
	t.uncentre(u)
}

// penalisedScales sets each tau to the scale of its prior, c to slab_scale and
// lambda² to ½ + ½(beta/tau)², and brings u to the form that SetUnconstrained reads.
func (t *Target) penalisedScales(u []float64) {
	logs := u[t.scaleStart():]
	for _, h := range t.shoes {
		logs[h.Tau] = vec.Log(h.Prior.Scale) + t.logUnit(&t.pilot.disp)
		if h.Slab >= 0 {
			logs[h.Slab] = vec.Log(h.Prior.Slab)
		}
		for i, j := range h.Columns {
			z := u[j] / vec.Exp(logs[h.Tau])
			logs[h.Local+i] = 0.5 * vec.Log(math.FMA(0.5*z, z, 0.5))
		}
	}
	t.uncentre(u)
}

// uncentre divides the coefficients of horseshoe priors by their spreads.
func (t *Target) uncentre(u []float64) {
	logs := u[t.scaleStart():]
	for _, h := range t.shoes {
		for i, j := range h.Columns {
			u[j] /= vec.Exp(prior.LogSpread(logs[h.Tau], logs[h.Local+i], h.LogC(logs)))
		}
	}
}
