package vec

import "math"

// CurvatureAlong returns Σ x[i]²·w[i] in the fixed lane order.
func CurvatureAlong(x, w []float64) float64 {
	var a [Lanes]float64
	w = w[:len(x)]
	for i, v := range x {
		a[i%Lanes] = math.FMA(v*v, w[i], a[i%Lanes])
	}
	return reduce(&a)
}
