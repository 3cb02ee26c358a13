package glm

import (
	"math"

	"glmbatch/infer/family"
	"glmbatch/infer/prior"
)

// dispersions are the values of a family's dispersions at a point.
type dispersions struct {
	at   [2]float64 // sigma, shape, phi; nu
	u    [2]float64 // their coordinates, Dispersion.Coordinate
	norm float64    // of the terms at them
}

// newDispersions returns fixed dispersions at their values and the others at
// u = 0.
func (t *Target) newDispersions() dispersions {
	var d dispersions
	for k, info := range t.dispersions {
		if p := t.model.DispersionPrior(k); p.Kind == prior.Constant {
			d.at[k], d.u[k] = p.Location, info.Coordinate(p.Location)
			continue
		}
		d.at[k] = info.At(0)
	}
	t.normalise(&d)
	return d
}

// setFree sets the i-th dispersion that is a parameter.
func (t *Target) setFree(d *dispersions, i int, u float64) {
	k := t.free[i]
	d.u[k], d.at[k] = u, t.dispersions[k].At(u)
	t.normalise(d)
}

// setTheta sets the free dispersions to the end of theta. Where the likelihood
// is a function of at, it keeps the value that u gives back.
func (t *Target) setTheta(d *dispersions, theta []float64) {
	for i, k := range t.free {
		t.setFree(d, i, t.dispersions[k].Coordinate(theta[i]))
		if t.form == family.Squares { // a function of u
			d.at[k] = theta[i]
		}
	}
}

// setUnconstrained sets the free dispersions to the end of u.
func (t *Target) setUnconstrained(d *dispersions, u []float64) {
	for i := range t.free {
		t.setFree(d, i, u[i])
	}
}

// Constrain writes theta for u: the coefficients, times their spread where the
// prior is a horseshoe (the non-centred form); Dispersion.At(u) for each
// dispersion that is a parameter; e^u for scales. Both have Dim entries and may
// be the same.
func (t *Target) Constrain(u, theta []float64) {
	d := t.Cols()
	copy(theta, u[:d])
	for i, k := range t.free {
		theta[d+i] = t.dispersions[k].At(u[d+i])
	}
	if t.scaleGroups != nil {
		t.constrainScales(u, theta)
	}
}

// Unconstrain is the inverse of Constrain.
func (t *Target) Unconstrain(theta, u []float64) {
	d := t.Cols()
	copy(u, theta[:d])
	for i, k := range t.free {
		u[d+i] = t.dispersions[k].Coordinate(theta[d+i])
	}
	if t.scaleGroups != nil {
		t.unconstrainScales(theta, u)
	}
}

// normalise computes the law's norm; it is −Inf if a dispersion is Beyond.
func (t *Target) normalise(d *dispersions) {
	if t.terms != nil {
		for k, info := range t.dispersions {
			if info.Beyond(d.u[k]) {
				d.norm = math.Inf(-1)
				return
			}
		}
		r := t.rows
		r.Disp = d.at
		d.norm = t.terms.Norm(r)
	}
}

// logDispersionPrior returns the log prior density of the free dispersions on
// their own scale. A prior cut off at Lower keeps the constant of the whole.
func (t *Target) logDispersionPrior(d *dispersions) float64 {
	sum := 0.0
	for _, k := range t.free {
		sum += t.model.DispersionPrior(k).LogDensity(d.at[k])
	}
	return sum
}
