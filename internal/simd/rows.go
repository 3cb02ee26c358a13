package simd

import (
	"math"

	"glmbatch/internal/vec"
)

// The functions below write derivatives of each row's log likelihood in eta. dst
// may be eta.

// LogitSlopes writes y − p, p = 1/(1 + e^−eta): the gradient of a bernoulli row.
func (k Kernels) LogitSlopes(dst, y, eta []float64) { k.logitSlopes(dst, y, eta) }

func logitSlopes(dst, y, eta []float64) {
	for i, e := range eta {
		dst[i] = y[i] - vec.Logistic(e)
	}
}

// TrialsSlopes writes y − m·p in one rounding: the gradient of a binomial row of m
// trials.
func (k Kernels) TrialsSlopes(dst, y, m, eta []float64) { k.trialsSlopes(dst, y, m, eta) }

func trialsSlopes(dst, y, m, eta []float64) {
	for i, e := range eta {
		dst[i] = math.FMA(-m[i], vec.Logistic(e), y[i])
	}
}

// LogitCurvatures writes p(1 − p), both factors without cancellation: the
// information of one trial.
func (k Kernels) LogitCurvatures(dst, eta []float64) { k.logitCurvatures(dst, eta) }

func logitCurvatures(dst, eta []float64) {
	for i, e := range eta {
		dst[i] = vec.Logistic(e) * vec.Logistic(-e)
	}
}

// ExpSlopes writes y − e^eta: the gradient of a poisson row, whose information is
// Exp.
func (k Kernels) ExpSlopes(dst, y, eta []float64) { k.expSlopes(dst, y, eta) }

func expSlopes(dst, y, eta []float64) {
	for i, e := range eta {
		dst[i] = y[i] - vec.Exp(e)
	}
}

// TrialsCurves writes the log likelihood of a binomial row of m trials, y·eta − m·log(1 + e^eta), its derivative
// y − m·p and minus the second one, m·p(1 − p). None of them may be an operand.
func (k Kernels) TrialsCurves(value, grad, curv, y, m, eta []float64) {
	k.trialsCurves(value, grad, curv, y, m, eta)
}

func trialsCurves(value, grad, curv, y, m, eta []float64) {
	for i, t := range eta {
		p, w := tails(t, vec.Exp(-math.Abs(t)))
		value[i] = math.FMA(y[i], t, -float64(m[i]*vec.Log1pExp(t)))
		grad[i] = math.FMA(-m[i], p, y[i])
		curv[i] = float64(w * m[i])
	}
}

// OddsCurves is TrialsCurves of one trial without its logarithm: that of odds, 1 + e^−|eta|, is to be taken off value.
func (k Kernels) OddsCurves(value, odds, grad, curv, y, eta []float64) {
	k.oddsCurves(value, odds, grad, curv, y, eta)
}

func oddsCurves(value, odds, grad, curv, y, eta []float64) {
	for i, t := range eta {
		e := vec.Exp(-math.Abs(t))
		p, w := tails(t, e)
		value[i] = math.FMA(y[i], t, -max(t, 0))
		odds[i] = 1 + e
		grad[i] = y[i] - p
		curv[i] = w
	}
}
