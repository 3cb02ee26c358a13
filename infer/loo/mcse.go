package loo

import (
	"math"

	"glmbatch/internal/vec"
)

// normalScores are Blom's approximate order statistics of 1000 standard normal numbers.
//
// Source: Blom (1958), Statistical estimates and transformed beta-variables.
var normalScores = func() []float64 {
	const count, offset = 1000, 3.0 / 8
	out := make([]float64, count)
	for i := range out {
		out[i] = vec.NormalQuantile((float64(i+1) - offset) / (count - 2*offset + 1))
	}
	return out
}()

// mcse returns the Monte Carlo standard error of an ELPD, where variance is that of its exponential as independent
// draws would have it, Σ (v/Σv)²·(l/E − 1)² over weights v and likelihoods l: the standard deviation of the logarithm
// of a normal number of that variance around 1, cut at 0.
//
// Source: loo 2.5.1, mcse_elpd; Vehtari et al. (2024), section 2.
func (w *Workspace) mcse(variance, efficiency float64) float64 {
	sd := math.Sqrt(variance)
	w.logs = w.logs[:0]
	for _, z := range normalScores {
		if x := math.FMA(sd, z, 1); x > 0 {
			w.logs = append(w.logs, vec.Log(x))
		}
	}
	n := float64(len(w.logs))
	return math.Sqrt(sumSquares(w.logs, vec.Sum(w.logs)/n) / (n - 1) / efficiency)
}
