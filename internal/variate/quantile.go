package variate

import "glmbatch/internal/vec"

// Quantile returns the standard normal quantile of p, see vec.NormalQuantile.
func Quantile(p float64) float64 { return vec.NormalQuantile(p) }
