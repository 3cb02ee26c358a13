package glm

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// startSpread is the scale of the starts around the penalised point, in units
// of the posterior's own (approximate) scale.
const startSpread = 2

// Start draws the starting point of a chain from its stream and returns a description of how. u is as
// Point.SetUnconstrained reads it, len Dim.
//
// The last of several chains starts at a draw from the prior, if that is proper. The others start at a multivariate
// t₃ draw around the penalised point, with twice the scale of the curvature there. If the posterior is not
// log-concave (LogConcave), that point may be in one of several modes: see modes.go for the starts of such chains.
// A start whose log likelihood is more than 1000·n below that of the penalised point (where a Poisson mean
// overflows, for example), or outside a uniform prior, is halved toward it until it is not. After From the t₃ draws
// are around the earlier posterior. Scales of horseshoe priors are drawn from their priors, then lambda again given
// the coefficients, which leaves a draw from the prior one.
//
// Cost: O(n·d) for each halving, besides one draw of N(0, H⁻¹): d²/2, or
// O(n·d + n²) where d > n.
func (t *Target) Start(c infer.Chain) (u []float64, words string) {
	p := t.pilot
	u = make([]float64, t.Dim())
	words = "t3 around the penalised point, scale 2"
	at := t.newScales()
	dispersed := t.before == nil && !t.LogConcave()
	fromPrior := c.Index == c.Count-1 || dispersed && c.Index%2 == 1 && !p.hasRows()
	if c.Count > 1 && fromPrior && t.model.Proper() {
		t.drawPrior(c.Stream, u, &at)
		words = "prior"
	} else {
		p.draw(c.Stream, u)
		if dispersed && p.hasRows() {
			words = p.disperse(c, u)
		}
		if t.before != nil {
			t.before.restart(p, u)
			words = "t3 around the previous posterior, scale 2"
		}
		t.drawScales(c.Stream, u, &at)
		t.startSmooths(func() float64 { return variate.Normal(c.Stream) }, u, &at)
	}
	halved := 0
	for !p.sane(u) {
		halved++
		if halved > 1100 {
			p.point(u)
			t.settleScales(c.Stream, u, &at)
			return u, "the penalised point"
		}
		for j, b := range p.beta {
			u[j] = b + (u[j]-b)/2
		}
		for i, k := range t.free {
			l := u[t.Cols()+i]
			u[t.Cols()+i] = p.disp.u[k] + (l-p.disp.u[k])/2
		}
	}
	if t.scaleGroups != nil {
		t.settleScales(c.Stream, u, &at)
	}
	if halved > 0 {
		words += fmt.Sprintf(", halved %d times toward the penalised point", halved)
	}
	return u, words
}

// Penalised returns the penalised point, as Point.SetUnconstrained reads
// it: the maximum of the likelihood times the normal priors at a pilot estimate
// of the dispersions.
func (t *Target) Penalised() []float64 {
	u := make([]float64, t.Dim())
	t.pilot.point(u)
	t.penalisedScales(u)
	return u
}

// ConditionalScale returns the approximate posterior standard deviation of
// coefficient j with all else held at the penalised point. Cost: O(n).
func (t *Target) ConditionalScale(j int) float64 { return t.pilot.conditionalScale(j) }

// LikelihoodScale returns ConditionalScale under a flat prior. Cost: O(n).
func (t *Target) LikelihoodScale(j int) float64 { return 1 / math.Sqrt(t.pilot.information(j)) }

// InDomain reports whether linear predictors are in the domain of the link.
func (t *Target) InDomain(eta []float64) bool {
	if !t.model.Family.PositiveEta() {
		return true
	}
	for _, e := range eta {
		if !(e > 0) {
			return false
		}
	}
	return true
}

// drawPrior writes a draw from the prior to u, coefficients as they are, and to
// scales.
func (t *Target) drawPrior(s prior.Source, u []float64, at *scales) {
	for j, p := range t.model.Coefficients {
		if !p.Kind.Shrinks() {
			u[j] = p.Draw(s)
		}
	}
	for i, k := range t.free {
		u[t.Cols()+i] = t.drawDispersion(k, s)
	}
	t.drawScales(s, u, at)
	for _, h := range t.scaleGroups {
		for i, j := range h.Columns {
			u[j] = variate.Normal(s) * vec.Exp(h.LogSpread(at.log[h.Tau], h.LogLambda(at.log, i), h.LogC(at.log), i))
		}
	}
}

// drawDispersion draws the coordinate of a dispersion from its prior, cut off
// at Lower. A prior with hardly any mass above it gives Lower + 1 instead.
func (t *Target) drawDispersion(k int, s prior.Source) float64 {
	for range 1000 {
		draw := t.model.DispersionPrior(k).Draw(s)
		if d := &t.dispersions[k]; d.Holds(draw) {
			return d.Coordinate(draw)
		}
	}
	return 0
}

// point writes the penalised point to u.
func (p *pilot) point(u []float64) {
	copy(u, p.beta)
	for i, k := range p.t.free {
		u[len(p.beta)+i] = p.disp.u[k]
	}
}

// draw writes a multivariate t₃ draw with the spread of starts to u.
func (p *pilot) draw(s prior.Source, u []float64) {
	size := startSpread * math.Sqrt(3/variate.ChiSquare3(s))
	d := len(p.beta)
	p.drawing.Lock()
	p.solver.draw(s, u[:d])
	p.drawing.Unlock()
	for j, b := range p.beta {
		u[j] = math.FMA(size, u[j], b)
	}
	for i, k := range p.t.free {
		u[d+i] = math.FMA(float64(size*p.dispScale[k]), variate.Normal(s), p.disp.u[k])
	}
}

// sane reports whether a chain can start at u.
func (p *pilot) sane(u []float64) bool {
	eta := make([]float64, p.t.Rows())
	design.Multiplied(p.t.data.X, u[:len(p.beta)], eta)
	if p.t.data.Offset != nil {
		vec.Axpy(1, p.t.data.Offset, eta)
	}
	disp := p.disp
	p.t.setUnconstrained(&disp, u[len(p.beta):])
	for _, j := range p.walls {
		if math.IsInf(p.t.LogPriorAlong(j, u[j]), -1) {
			return false
		}
	}
	for i := range p.t.free { // where a prior such as uniform may be −Inf
		j := len(p.beta) + i
		if w := p.t.LogPriorAlong(j, u[j]); !(w >= -math.MaxFloat64 && w <= math.MaxFloat64) {
			return false
		}
	}
	v := p.t.logLikAt(eta, &disp)
	return v >= math.FMA(-1000, p.t.rows.Total, p.logLik) && v <= math.MaxFloat64
}

// DrawPrior writes an independent draw of theta from the prior, len Dim;
// dispersions are cut off at the ends of their supports. The priors must be
// proper: a flat one gives NaN.
func (t *Target) DrawPrior(s prior.Source, theta []float64) {
	at := t.newScales()
	t.drawPrior(s, theta, &at)
	copy(theta[t.scaleStart():], at.log)
	t.uncentre(theta)
	t.Constrain(theta, theta)
}
