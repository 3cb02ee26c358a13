package glm

import "math"

// Hessian returns minus the second derivatives of the log posterior over the
// coefficients at u, which is as Unconstrained writes it, as a symmetric matrix
// of Cols rows. It is made of central differences of the gradient over a
// thousandth of each coefficient's conditional scale, whose relative error is
// about 1e-6: enough for a condition number, not for a step of Newton's to the
// last digit. Cost: four gradients a coefficient.
func (t *Target) Hessian(u []float64) []float64 {
	d, dim := t.Cols(), t.Dim()
	p, rows := NewPredictor(t), make([]float64, t.Rows())
	at, up, down := append([]float64(nil), u...), make([]float64, dim), make([]float64, dim)
	difference := func(j int, h float64) {
		at[j] = u[j] + h
		p.SetUnconstrained(at)
		p.Gradient(up, rows)
		at[j] = u[j] - h
		p.SetUnconstrained(at)
		p.Gradient(down, rows)
		at[j] = u[j]
	}
	out := make([]float64, d*d)
	for j := range d {
		h := float64(1e-5 * (1 + math.Abs(u[j])))
		difference(j, h)
		if curvature := (down[j] - up[j]) / (2 * h); curvature > 0 {
			h = 1e-3 / math.Sqrt(curvature)
			difference(j, h)
		}
		for l := range d {
			out[j*d+l] += (down[l] - up[l]) / (4 * h)
			out[l*d+j] += (down[l] - up[l]) / (4 * h)
		}
	}
	return out
}
