package glm

import (
	"math"

	"glmbatch/infer/prior"
)

// wallMargin is the share of a uniform prior's length that the penalised point
// keeps off each end, so that starts around it are found on both sides.
const wallMargin = 1e-3

// between returns the ends of a uniform prior without their margins.
func between(p prior.Prior) (low, high float64) {
	margin := float64(wallMargin * (p.High - p.Low))
	return p.Low + margin, p.High - margin
}

// clamp moves beta between the walls of uniform priors.
func (p *pilot) clamp() {
	for _, j := range p.walls {
		low, high := between(p.t.model.Coefficients[j])
		p.beta[j] = math.Min(math.Max(p.beta[j], low), high)
	}
}

// outside reports whether beta lies beyond a wall of a uniform prior.
func (p *pilot) outside(beta []float64) bool {
	for _, j := range p.walls {
		if low, high := between(p.t.model.Coefficients[j]); !(beta[j] >= low && beta[j] <= high) {
			return true
		}
	}
	return false
}
