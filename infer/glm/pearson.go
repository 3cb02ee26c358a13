package glm

import (
	"math"

	"glmbatch/internal/vec"
)

// Overdispersed is Pearson's statistic of a poisson or binomial model over its degrees of freedom from which on counts
// are taken for negative_binomial, and successes for beta_binomial.
const Overdispersed = 1.5

// Pearson returns Pearson's statistic of a target's poisson or binomial model at its penalised point over the degrees
// of freedom, which is 1 on average if counts vary as the model says; NaN if it cannot be computed. Cost: O(n·d).
func (t *Target) Pearson() float64 {
	at := t.Penalised()
	if at == nil || t.Rows() <= t.Cols() {
		return math.NaN()
	}
	predictor := NewPoint(t)
	predictor.SetUnconstrained(at)
	sum := 0.0
	for i, eta := range predictor.Eta() {
		mean, share := vec.Exp(eta), 1.0
		if t.model.Family.Support().Probability() {
			mean, share = vec.Logistic(eta), vec.Logistic(-eta)
			if t.data.Trials != nil {
				mean = float64(mean * t.data.Trials[i])
			}
		}
		if variance := float64(mean * share); variance > 0 {
			d := t.data.Y[i] - mean
			sum += float64(d*d) / variance
		}
	}
	return sum / float64(t.Rows()-t.Cols())
}
