package groups

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
)

// Densities returns a function for the use of one chain: the log posterior density over u with its gradient, then the
// log likelihood and the log prior density of the parameters on their own scale.
//
// Cost: two passes over X, and two over the rows for each term of each grouping.
func (t *Target) Densities() func(u, grad []float64) (logPosterior, logLik, logPrior float64) {
	p := t.NewPlace()
	return func(u, grad []float64) (logPosterior, logLik, logPrior float64) {
		p.Predict(u)
		logLik = p.fixed.Value().LogLik
		inU, logPrior := p.Gradient(u, grad)
		return inU, logLik, logPrior
	}
}

// Predict moves to u, and leaves the log likelihood behind. Cost: a pass over X and over the rows for each term.
func (p *Place) Predict(u []float64) {
	for _, g := range p.parts {
		g.from(u)
		g.effectsFrom(u)
	}
	p.fixed.Predict(u[:p.t.target.Dim()])
}

// Point returns the point, whose likelihood the gradient is of.
func (p *Place) Point() *glm.Point { return p.fixed }

// Slopes returns the derivative of the log likelihood in eta of each row, after Gradient.
func (p *Place) Slopes() []float64 { return p.rows }

// Gradient returns the log posterior density over u, where Predict has moved, and writes its gradient; then the log
// prior density of the parameters on their own scale. The point's log likelihood must be known.
func (p *Place) Gradient(u, grad []float64) (logPosterior, logPrior float64) {
	p.fixed.Gradient(grad[:p.t.target.Dim()], p.rows) // which leaves the derivative of each row
	logPrior = p.fixed.LogPrior()
	logPosterior = p.fixed.LogPosteriorWith(logPrior)
	for _, g := range p.parts {
		clear(g.slope)
		g.sumSlopes(0, p.rows, g.slope)
		inU, own := g.density(u, grad)
		logPosterior += inU
		logPrior += own
	}
	return logPosterior, logPrior
}

// density returns the log prior density of scales and effects over u and on their own scale, and writes the gradient
// of all but the coefficients; slope holds that of the log likelihood in the effects. To the coefficients that effects
// carry it adds what these take from them.
func (p *placed) density(u, grad []float64) (inU, own float64) {
	free, q, count := p.scalesAt, p.q, float64(p.levels)
	dr, squares, dL := p.matrix[0], p.matrix[1], p.matrix[2] // dL is the gradient in L
	clear(squares)
	to := grad[p.effectsAt : p.effectsAt+len(p.r)]
	if p.centred {
		p.crossed(p.r, p.r, squares)
		own = p.logEffects(count, squares)
		inU = own
		for at := 0; at < len(p.r); at += q { // Ω·r less
			times(p.omega, q, p.r[at:at+q], dr[:q])
			for i := range q {
				to[at+i] = p.slope[at+i] - dr[i]
			}
		}
		for _, s := range p.carried {
			grad[s.column] -= vector.Dot(s.v, to)
		}
		p.spreadGradient(squares, count, dL)
	} else {
		z := u[p.effectsAt : p.effectsAt+len(p.r)]
		for at := 0; at < len(z); at += q {
			transposed(p.chol, q, p.slope[at:at+q], to[at:at+q])
		}
		if own = -float64(count * p.logDet); !p.Linked { // else Linked has the density of z
			inU = -float64(count*float64(q)*halfLog2Pi) - float64(0.5*vector.Dot(z, z))
			own += inU
			vector.Axpy(-1, z, to)
		}
		clear(dL)
		p.crossed(p.slope, z, dL)
	}
	return p.scalesGradient(inU, dL, grad[free:]), own + p.logPrior()
}

// scalesGradient adds the log prior density of sds and correlations over their coordinates to inU, and writes its
// gradient with that of what has the gradient dL in the lower triangle of L.
func (p *placed) scalesGradient(inU float64, dL, grad []float64) float64 {
	for i, t := range p.free {
		sd, law := vec.Exp(p.logSD[t]), &p.prior.SD[t]
		inU += p.logDensitySD(t, p.logSD[t])
		along := dot(dL[t*p.q:t*p.q+t+1], p.chol[t*p.q:t*p.q+t+1])
		grad[i] = along + (float64(sd*law.Gradient(sd)) + 1)
	}
	return inU + p.partialGradient(dL, grad[len(p.free):])
}

// spreadGradient writes the gradient of the log density of centred effects in the lower triangle of L, where D·C·D =
// L·Lᵀ: that of Ω·S·L⁻ᵀ less their number by the diagonal, with S = Σ r·rᵀ over a count of them.
func (p *placed) spreadGradient(squares []float64, count float64, dL []float64) {
	q := p.q
	var row [maxTerms]float64
	for i := range q {
		for j := range q {
			row[j] = 0
			for k := range q {
				row[j] = math.FMA(p.omega[i*q+k], squares[k*q+j], row[j])
			}
		}
		lower(p.chol, q, row[:q]) // a row times L⁻ᵀ
		copy(dL[i*q:i*q+i+1], row[:i+1])
		dL[i*q+i] -= count / p.chol[i*q+i]
	}
}

// partialGradient returns the log prior density of the correlations over atanh of the partial ones, and writes its
// gradient with that of what has the gradient dL in L.
//
// In row i of the factor of C the entry of column j is x·√rest, and the entries right of it have the factor √(1 − x²).
func (p *placed) partialGradient(dL, grad []float64) (inU float64) {
	q, at := p.q, 0
	for i := range p.paired() {
		sd, rest := vec.Exp(p.logSD[i]), 1.0
		for j := range i {
			y := p.partial[at]
			x := tanh(y)
			within := float64((1 - x) * (1 + x))
			right := dot(dL[i*q+j+1:i*q+i+1], p.corr[i*q+j+1:i*q+i+1])
			of := float64(dL[i*q+j]*math.Sqrt(rest)*within) - float64(x*right)
			grad[at] = float64(sd*of) - float64(2*p.beta(j)*x)
			inU += p.logDensityPartial(j, y)
			rest = float64(rest * within)
			at++
		}
	}
	return inU
}
