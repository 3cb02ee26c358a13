package glm

import "glmbatch/infer/internal/vec"

// LogPosterior returns the log posterior density at the point, unnormalised,
// with respect to u = (beta, log sigma): log likelihood, log prior and, where
// the family has sigma, the Jacobian log sigma. Cost: O(d).
func (p *Predictor) LogPosterior() float64 {
	return p.value.LogLik + p.LogPrior() + p.logSigma
}

// Gradient writes the gradient of LogPosterior with respect to u to grad,
// len(grad) = Target.Dim. rows is scratch of length n. Cost: O(n·d).
func (p *Predictor) Gradient(grad, rows []float64) {
	t := p.t
	t.RowGradient(p.eta, p.sigma, rows)
	for j, prior := range t.model.Coefficients {
		grad[j] = vec.Dot(t.data.X.Col(j), rows) + prior.gradient(p.beta[j])
	}
	if t.kind == gaussian {
		scaled := p.value.sum / p.sigma / p.sigma
		slope := float64(p.sigma * t.model.Dispersion.gradient(p.sigma))
		grad[t.Cols()] = (scaled - float64(t.Rows())) + (slope + 1)
	}
}
