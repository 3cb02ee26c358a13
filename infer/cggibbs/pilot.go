package cggibbs

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/internal/variate"
)

// pilotSweeps is the number of sweeps of the pilot.
const pilotSweeps = 8

// dependence estimates how many sweeps over single coefficients are worth one
// independent draw: (1 + ρ)/(1 − ρ), where ρ is what the slowest directions keep
// from one sweep to the next. On a normal posterior the mean of a sweep is one of
// Gauss and Seidel's for its precision (Roberts and Sahu 1997), so ρ is seen without
// sampling, in the energy that a random point loses.
//
// It takes the curvature at the penalised point, and normal densities of equal
// scale in place of other priors. Cost: 8 sweeps over
// what the design stores, in dot products.
func dependence(target *glm.Target) float64 {
	x, d := target.Data().X, target.Cols()
	point := glm.NewPredictor(target)
	point.SetUnconstrained(target.Penalised())
	n := target.Rows()
	root := make([]float64, n)
	target.RowInformation(point.Eta(), point.Dispersions(), root)
	for i, w := range root {
		root[i] = math.Sqrt(w)
	}
	ridge, diagonal := make([]float64, d), make([]float64, d)
	u, q, column := make([]float64, d), make([]float64, n), make([]float64, n)
	stream := infer.NewStream(0, "cggibbs", "pilot")
	for j, p := range target.Model().Coefficients {
		if p.Kind != glm.Flat && p.Scale > 0 {
			ridge[j] = 1 / p.Scale / p.Scale
		}
		c := weighted(root, x.Column(j), column)
		diagonal[j] = kernels.Dot(c.Values, c.Values) + ridge[j]
		if diagonal[j] > 0 {
			u[j] = variate.Normal(stream) / math.Sqrt(diagonal[j])
		}
		c.AddTo(q, u[j])
	}
	before, after := 0.0, 0.0
	for range pilotSweeps {
		before, after = after, 0
		for j := range u {
			if diagonal[j] > 0 {
				c := weighted(root, x.Column(j), column)
				step := -math.FMA(ridge[j], u[j], c.Dot(q)) / diagonal[j]
				u[j] += step
				c.AddTo(q, step)
			}
			after = math.FMA(float64(ridge[j]*u[j]), u[j], after)
		}
		after += kernels.Dot(q, q)
	}
	rho := math.Sqrt(after / before)
	if !(rho < 1) { // all of it is gone, or nothing
		if before == 0 || math.IsNaN(rho) {
			return 1
		}
		rho = 1
	}
	return (1 + rho) / math.Max(1-rho, 1e-6)
}

// weighted returns a column times the rows' weights, in memory of dst.
func weighted(w []float64, c glm.Column, dst []float64) glm.Column {
	dst = dst[:len(c.Values)]
	for i, x := range c.Values {
		r := i
		if c.Rows != nil {
			r = int(c.Rows[i])
		}
		dst[i] = float64(w[r] * x)
	}
	return glm.Column{Rows: c.Rows, Values: dst}
}
