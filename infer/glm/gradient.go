package glm

import "math"

// LogPosterior returns the log posterior density at the point, unnormalised,
// with respect to u, as Target.Constrain has it: log likelihood, log prior and
// the Jacobian Σ log(dispersion − Lower), with scales Σ log scale + Σ log spread
// more. Cost: O(d).
func (p *Predictor) LogPosterior() float64 { return p.LogPosteriorWith(p.LogPrior()) }

// LogPosteriorWith is LogPosterior where LogPrior is known already.
func (p *Predictor) LogPosteriorWith(logPrior float64) float64 {
	value := p.value.LogLik + logPrior
	for _, k := range p.t.free {
		value += p.disp.u[k]
	}
	if p.t.shoes != nil {
		value += p.logScaleJacobian()
	}
	return value
}

// Gradient writes the gradient of LogPosterior with respect to u to grad,
// len(grad) = Target.Dim. rows is scratch of length n. Cost: O(n + entries of X).
func (p *Predictor) Gradient(grad, rows []float64) {
	t := p.t
	t.RowGradient(p.eta, p.disp.at[:], rows)
	flush(rows)
	t.data.X.TransposedProduct(t.kernels, rows, grad[:t.Cols()])
	t.priors.AddGradient(p.beta, grad)
	if len(t.free) > 0 {
		p.dispersionGradient(grad)
	}
	if t.shoes != nil {
		p.scaleGradient(grad)
	}
}

// flush makes subnormal numbers 0: a product with one takes a processor as long
// as hundreds of others, and rows that are certain of their response by e^−708 to
// e^−745 are common where features outnumber rows.
func flush(rows []float64) {
	const normal = 0x1p-1022 // the least that is not subnormal
	for i, r := range rows {
		if math.Abs(r) < normal {
			rows[i] = 0
		}
	}
}

// dispersionGradient writes the part of the gradient that belongs to
// dispersions. Cost: O(n).
func (p *Predictor) dispersionGradient(grad []float64) {
	t := p.t
	var scores [2]float64 // in log(dispersion − Lower)
	if t.kind == gaussian {
		scaled := p.value.sum / p.disp.at[0] / p.disp.at[0]
		scores[0] = scaled - t.rows.total
	} else {
		scores = t.scores(p.eta, p.disp.at)
		for k, info := range t.dispersions {
			scores[k] = float64(scores[k] * (p.disp.at[k] - info.Lower))
		}
	}
	for i, k := range t.free {
		at := p.disp.at[k]
		prior := t.model.DispersionPrior(k)
		fall := prior.Gradient(at)
		slope := float64((at - t.dispersions[k].Lower) * fall)
		grad[t.Cols()+i] = scores[k] + (slope + 1)
	}
}
