package glm

import (
	"math"

	"glmbatch/infer/internal/vec"
)

// kind tells the likelihoods apart by what they sum over the rows.
type kind uint8

const (
	gaussian kind = iota // Σ (y − η)²
	logit                // Σ m·log(1 + e^η)
	poisson              // Σ e^η
)

// sum returns the family's sum over rows at eta + delta·x, in one pass. x may
// be eta itself when delta is 0.
func (t *Target) sum(eta, x []float64, delta float64) float64 {
	switch t.kind {
	case gaussian:
		return vec.SumSquaresAlong(t.data.Y, eta, x, delta)
	case poisson:
		return vec.SumExpAlong(eta, x, delta)
	}
	if t.data.Trials != nil {
		return vec.WeightedLog1pExpAlong(t.data.Trials, eta, x, delta)
	}
	return vec.SumLog1pExpAlong(eta, x, delta)
}

// logLik returns the log likelihood, constants included, from the family's sum
// over rows, yᵀη (unused by the gaussian) and log sigma (used by it alone).
func (t *Target) logLik(sum, linear, logSigma float64) float64 {
	if t.kind == gaussian {
		precision := vec.Exp(-2 * logSigma)
		return math.FMA(-0.5*sum, precision, t.constant-float64(float64(t.Rows())*logSigma))
	}
	return (linear - sum) + t.constant
}

// constantTerm returns the part of the log likelihood that no parameter moves.
func (t *Target) constantTerm() float64 {
	y, m := t.data.Y, t.data.Trials
	switch {
	case t.kind == gaussian:
		return -float64(len(y)) * halfLog2Pi
	case t.kind == poisson:
		terms := make([]float64, len(y))
		for i, v := range y {
			terms[i] = -vec.LogFactorial(v)
		}
		return vec.Sum(terms)
	case m != nil:
		terms := make([]float64, len(y))
		for i, v := range y {
			terms[i] = vec.LogFactorial(m[i]) - vec.LogFactorial(v) - vec.LogFactorial(m[i]-v)
		}
		return vec.Sum(terms)
	}
	return 0
}

// RowGradient writes d log f(y | η)/dη for every row to dst. sigma is used by
// the gaussian alone. dst may be eta.
func (t *Target) RowGradient(eta []float64, sigma float64, dst []float64) {
	y, m := t.data.Y, t.data.Trials
	for i, e := range eta {
		switch {
		case t.kind == gaussian:
			dst[i] = (y[i] - e) / sigma / sigma
		case t.kind == poisson:
			dst[i] = y[i] - vec.Exp(e)
		case m != nil:
			dst[i] = math.FMA(-m[i], vec.Logistic(e), y[i])
		default:
			dst[i] = y[i] - vec.Logistic(e)
		}
	}
}

// RowCurvature writes −d² log f(y | η)/dη² ≥ 0 for every row to dst. sigma is
// used by the gaussian alone. dst may be eta.
func (t *Target) RowCurvature(eta []float64, sigma float64, dst []float64) {
	m := t.data.Trials
	for i, e := range eta {
		switch t.kind {
		case gaussian:
			dst[i] = 1 / sigma / sigma
		case poisson:
			dst[i] = vec.Exp(e)
		default:
			dst[i] = vec.Logistic(e) * vec.Logistic(-e)
			if m != nil {
				dst[i] *= m[i]
			}
		}
	}
}
