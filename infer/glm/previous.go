package glm

import (
	"fmt"
	"math"

	"glmbatch/infer"
)

// Previous holds the estimates of an earlier posterior of about the same data for each entry of u, as
// Point.SetUnconstrained reads it; NaN if there is none. Samplers begin with it and may take scales from it; the
// posterior is the target's own.
type Previous struct {
	Mean, SD []float64 // len Dim
	// StepSize is that of an earlier Hamiltonian sampler with the same options; 0
	// for none.
	StepSize float64
}

// Scales of an earlier posterior widen starts if they exceed the curvature's by more than spreadNoise, which
// spreadDraws of the pilot's own draws can detect.
const (
	spreadDraws = 64
	spreadNoise = 1.5
)

// From returns the same posterior with chains that start around an earlier one: its mean, if known, replaces the
// penalised point, and if its standard deviation exceeds that of the curvature by half, starts are wider by the
// same factor. They are never narrower than without: twice the posterior's scale, with the last chain at a draw
// from the prior where that is proper, so that R-hat sees chains that do not find each other.
//
// It returns an error for other lengths than Dim and for scales that are not
// positive. Cost: 64 draws of N(0, H⁻¹), see Start.
func (t *Target) From(p Previous) (*Target, error) {
	if len(p.Mean) != t.Dim() || len(p.SD) != t.Dim() {
		return nil, fmt.Errorf("glm: %d means and %d scales of an earlier posterior for %d parameters", len(p.Mean),
			len(p.SD), t.Dim())
	}
	for j, sd := range p.SD {
		if sd <= 0 || math.IsInf(sd, 0) || math.IsInf(p.Mean[j], 0) {
			return nil, fmt.Errorf("glm: an earlier posterior has mean %v and scale %v in parameter %d", p.Mean[j], sd, j+1)
		}
	}
	out := *t
	out.before = &before{Previous: p, stretch: t.pilot.stretches(p.SD)}
	return &out, nil
}

// Before returns the earlier posterior that From was given; nil if there was none.
func (t *Target) Before() *Previous {
	if t.before == nil {
		return nil
	}
	return &t.before.Previous
}

// before is an earlier posterior with what starts make of it.
type before struct {
	Previous
	stretch []float64 // per entry of u, at least 1
}

// stretches returns how many times the scales sd exceed those of the pilot's draws,
// 1 where they hardly do.
func (p *pilot) stretches(sd []float64) []float64 {
	d := len(p.beta)
	u, squares := make([]float64, len(sd)), make([]float64, d)
	stream := infer.NewStream(0, "glm", "spread")
	p.drawing.Lock()
	for range spreadDraws {
		p.solver.draw(stream, u[:d])
		for j, x := range u[:d] {
			squares[j] = math.FMA(x, x, squares[j])
		}
	}
	p.drawing.Unlock()
	out := make([]float64, len(sd))
	for j := range out {
		out[j] = 1
		own := 0.0
		switch {
		case j < d:
			own = math.Sqrt(squares[j] / spreadDraws)
		case j-d < len(p.t.free):
			own = p.dispScale[p.t.free[j-d]]
		}
		if r := sd[j] / own; r > spreadNoise && r <= math.MaxFloat64 {
			out[j] = r
		}
	}
	return out
}

// restart moves a start around the penalised point to one around the earlier
// posterior.
func (b *before) restart(p *pilot, u []float64) {
	d := len(p.beta)
	for j := range u {
		centre := 0.0
		switch {
		case j < d:
			centre = p.beta[j]
		case j-d < len(p.t.free):
			centre = p.disp.u[p.t.free[j-d]]
		default:
			return // the scales of horseshoes
		}
		if m := b.Mean[j]; !math.IsNaN(m) {
			u[j] = math.FMA(b.stretch[j], u[j]-centre, m)
		}
	}
}
