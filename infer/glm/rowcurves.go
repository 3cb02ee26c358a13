package glm

import (
	"math"
	"slices"

	"glmbatch/infer/family"
)

// RowCurves writes the log likelihood, up to a constant, of the rows first, first+1, … that eta is of, its derivative
// in eta and minus the second one to value, grad and curv, none of them eta. If the family is not log-concave, curv is
// Fisher's information. Each row's numbers depend on its own eta alone, to the bit. They are −Inf or NaN if eta is
// outside the link's domain.
//
// If odds is not nil, the logarithm of odds, a number from 1 to 2, is yet to be taken off value: a caller who sums
// values takes one logarithm of a product of odds.
func (t *Target) RowCurves(first int, eta, disp, value, odds, grad, curv []float64) {
	part := t.rows.Part(first, first+len(eta))
	if odds != nil {
		if t.HasOdds() {
			t.kernels.OddsCurves(value, odds, grad, curv, part.Y, eta)
			return
		}
		for i := range odds {
			odds[i] = 1
		}
	}
	switch t.form {
	case family.Termwise:
		t.termCurves(part, eta, pair(disp), value, grad, curv)
		return
	case family.Squares:
		gaussianCurves(part, eta, disp[0], value, grad, curv)
	case family.Exponential:
		t.kernels.Exp(curv, eta)
		for k, m := range curv {
			grad[k] = part.Y[k] - m
			value[k] = math.FMA(part.Y[k], eta[k], -m)
		}
	default:
		t.logitCurves(part, eta, value, grad, curv)
	}
	part.CountRows(value)
	part.CountRows(grad)
	part.CountRows(curv)
}

func gaussianCurves(r family.Rows, eta []float64, sigma float64, v, g, c []float64) {
	precision := 1 / sigma / sigma
	for k, e := range eta {
		w, rest := float64(precision*r.Weight(k)), r.Y[k]-e
		v[k] = -0.5 * float64(w*rest) * rest
		g[k] = float64(w * rest)
		c[k] = w
	}
}

// oneTrial has the trials of rows of one.
var oneTrial = slices.Repeat([]float64{1}, 1024)

// logitCurves is right to a rounding of 1.
func (t *Target) logitCurves(r family.Rows, eta, v, g, c []float64) {
	if r.Trials != nil {
		t.kernels.TrialsCurves(v, g, c, r.Y, r.Trials, eta)
		return
	}
	for i := 0; i < len(eta); i += len(oneTrial) {
		to := min(i+len(oneTrial), len(eta))
		t.kernels.TrialsCurves(v[i:to], g[i:to], c[i:to], r.Y[i:to], oneTrial, eta[i:to])
	}
}

func (t *Target) termCurves(r family.Rows, eta []float64, disp [2]float64, value, grad, curv []float64) {
	r.Disp = disp
	for i := 0; i < len(eta); i += family.ChunkRows {
		n := min(family.ChunkRows, len(eta)-i)
		part := r.Part(i, i+n)
		t.terms.Terms(part, eta[i:i+n], value[i:i+n])
		part.CountRows(value[i : i+n])
	}
	t.termSlopes(r, eta, disp, grad, curv)
}

func (t *Target) termSlopes(r family.Rows, eta []float64, disp [2]float64, grad, curv []float64) {
	r.Disp = disp
	if t.model.Family.LogConcave() {
		t.slopes(r, eta, disp, grad, curv, nil)
		return
	}
	t.slopes(r, eta, disp, grad, nil, curv)
}

// rowSlopes is RowCurves without the log likelihood, for which scratch has room.
func (t *Target) rowSlopes(first int, eta, disp, scratch, grad, curv []float64) {
	if t.form == family.Termwise {
		t.termSlopes(t.rows.Part(first, first+len(eta)), eta, pair(disp), grad, curv)
		return
	}
	t.RowCurves(first, eta, disp, scratch, nil, grad, curv)
}

// Closed reports whether RowCurves takes one exponential and logarithm of a row at most.
func (t *Target) Closed() bool { return t.form != family.Termwise }

// HasOdds reports whether odds spare RowCurves a logarithm of each row: of a bernoulli(logit) whose rows count once.
func (t *Target) HasOdds() bool {
	return t.form == family.Softplus && t.rows.Trials == nil && t.rows.Frequency == nil
}

// ClosedGaussian reports whether the log likelihood is −½ Σ weight·(y − eta)²/sigma², up to a number that
// does not depend on eta.
func (t *Target) ClosedGaussian() bool { return t.form == family.Squares }

// Weights returns what each row's term of a closed sum is multiplied by, nil for ones; it must not be changed.
func (t *Target) Weights() []float64 { return t.weights }
