package diag

import (
	"math"

	"glmbatch/infer/internal/vec"
)

// PerfectRHat returns the largest R-hat that perfect mixing would give over
// params independent parameters; level is its quantile.
func PerfectRHat(params, chains, draws int, level float64) float64 {
	m, n := float64(2*chains), float64(draws/2)
	p := 1 - vec.Exp(vec.Log(level)/float64(2*params))
	a, b := m*(n-1)/2, (m-1)/2
	y := betaQuantile(p, a, b)
	f := (1 - y) / y * a / b
	return math.Sqrt((f + n - 1) / n)
}
