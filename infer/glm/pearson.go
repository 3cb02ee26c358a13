package glm

import (
	"math"

	"glmbatch/internal/vec"
)

// Overdispersed is Pearson's statistic of a poisson model over its degrees of freedom from which on counts are taken
// for negative_binomial.
const Overdispersed = 1.5

// Pearson returns Pearson's statistic of a target's poisson model at its penalised point over the degrees of freedom,
// which is 1 on average where counts vary as poisson says; NaN if it cannot be computed. Cost: O(n·d).
func (t *Target) Pearson() float64 {
	at := t.Penalised()
	if at == nil || t.Rows() <= t.Cols() {
		return math.NaN()
	}
	predictor := NewPoint(t)
	predictor.SetUnconstrained(at)
	sum := 0.0
	for i, eta := range predictor.Eta() {
		mean := vec.Exp(eta)
		d := t.data.Y[i] - mean
		sum += float64(d*d) / mean
	}
	return sum / float64(t.Rows()-t.Cols())
}
