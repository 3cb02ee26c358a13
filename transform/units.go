package transform

import "math"

// ToData brings one position from the scale of the design as sampled to the
// units of the data, in place: coefficients are divided by their column's
// scale, and the intercept gives up Σ centre·coefficient. What follows the
// coefficients in theta (dispersions) is untouched. Cost: O(columns), in a
// fixed order. It panics if theta is shorter than the design is wide.
func (r *Record) ToData(theta []float64) {
	r.shift(theta, func(c *Column, beta float64) (float64, float64) {
		beta /= c.Scale
		return beta, -beta
	})
}

// FromData is the inverse of ToData.
func (r *Record) FromData(theta []float64) {
	r.shift(theta, func(c *Column, beta float64) (float64, float64) {
		return beta * c.Scale, beta
	})
}

// shift replaces each coefficient by the first result of change, and adds
// centre times the second to the intercept.
func (r *Record) shift(theta []float64, change func(c *Column, beta float64) (after, weight float64)) {
	moved := 0.0
	for j := range r.Columns {
		c := &r.Columns[j]
		if c.Term < 0 {
			continue
		}
		after, weight := change(c, theta[j])
		theta[j] = after
		if c.Centre != 0 {
			moved = math.FMA(c.Centre, weight, moved)
		}
	}
	if r.intercept() {
		theta[0] += moved
	}
}
