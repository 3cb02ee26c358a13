package glm

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/infer/family"
	"glmbatch/internal/vec"
)

const log2 = 0.69314718055994530942

// takeFamily takes the likelihood of the model's family.
func (t *Target) takeFamily() error {
	f := t.model.Family
	if !f.Known() {
		return fmt.Errorf("glm: family %s is not in this version", f)
	}
	along := f.Likelihood()
	if along.Several != nil {
		return fmt.Errorf("glm: family %s has several linear predictors; package model has its posterior", f.Name)
	}
	t.law, t.form, t.terms, t.dispersions = f.Distribution(), along.Form, along.Terms, f.Dispersions()
	return nil
}

// sum returns the family's sum over rows at eta + delta·x, in one pass. x may
// be eta itself when delta is 0. Only terms use disp.
func (t *Target) sum(eta, x []float64, delta float64, disp [2]float64) float64 {
	if t.form == family.Termwise {
		return t.sumTerms(t.rows, eta, x, delta, disp)
	}
	return t.sumOf(t.data.Y, t.weights, eta, x, delta)
}

// sumOf is sum over rows of these responses and weights, of a kind with a closed
// sum.
func (t *Target) sumOf(y, w, eta, x []float64, delta float64) float64 {
	switch {
	case t.form == family.Squares && w != nil:
		return t.kernels.WeightedSquaresAlong(w, y, eta, x, delta)
	case t.form == family.Squares:
		return t.kernels.SumSquaresAlong(y, eta, x, delta)
	case t.form == family.Exponential && w != nil:
		return t.kernels.WeightedExpAlong(w, eta, x, delta)
	case t.form == family.Exponential:
		return t.kernels.SumExpAlong(eta, x, delta)
	case w != nil:
		return t.kernels.WeightedLog1pExpAlong(w, eta, x, delta)
	}
	return t.kernels.SumLog1pExpAlong(eta, x, delta)
}

// rowWeights returns what each row's term of a closed sum is multiplied by, nil
// for ones.
func (t *Target) rowWeights() []float64 {
	switch t.form {
	case family.Squares:
		return product(t.data.Frequency, t.data.Precision)
	case family.Softplus:
		return product(t.data.Frequency, t.data.Trials)
	}
	return t.data.Frequency
}

// logLik returns the log likelihood, constants included, from the family's sum
// over rows, yᵀη (where Form.Linear) and the dispersions. It is −Inf where the log density of a row that counts 0 times
// is: 0·∞ is not a number.
func (t *Target) logLik(sum, linear float64, d *dispersions) float64 {
	out := t.ofSums(sum, linear, d)
	if math.IsNaN(out) && slices.Contains(t.rows.Frequency, 0) {
		return math.Inf(-1)
	}
	return out
}

func (t *Target) ofSums(sum, linear float64, d *dispersions) float64 {
	switch t.form {
	case family.Squares:
		logSigma := d.u[0]
		precision := vec.Exp(-2 * logSigma)
		return math.FMA(-0.5*sum, precision, t.constant-float64(t.rows.Total*logSigma))
	case family.Termwise:
		if math.IsInf(d.norm, -1) { // the sum may be NaN there
			return d.norm
		}
		return sum + (d.norm + t.constant)
	}
	return (linear - sum) + t.constant
}

// RowGradient writes d log f(y | η)/dη for every row to dst. disp has the
// family's dispersions, fixed ones included. dst may be eta.
func (t *Target) RowGradient(eta, disp, dst []float64) { t.rowGradient(t.rows, eta, disp, dst) }

// RowGradient is that of the target at the dispersions of the point, with what other linear predictors have left to it.
func (p *Point) RowGradient(eta, dst []float64) { p.t.rowGradient(p.t.rows, eta, p.Dispersions(), dst) }

func (t *Target) rowGradient(r family.Rows, eta, disp, dst []float64) {
	y, m := r.Y, r.Trials
	if t.form == family.Termwise {
		t.slopes(r, eta, pair(disp), dst, nil, nil)
		return
	}
	switch {
	case t.form == family.Squares:
		for i, e := range eta {
			dst[i] = (y[i] - e) / disp[0] / disp[0] * r.Weight(i)
		}
	case t.form == family.Exponential:
		t.kernels.ExpSlopes(dst, y, eta)
	case m != nil:
		t.kernels.TrialsSlopes(dst, y, m, eta)
	default:
		t.kernels.LogitSlopes(dst, y, eta)
	}
	r.CountRows(dst)
}

// RowInformation is that of the target at the dispersions of the point, with what other linear predictors have left to
// it. It reports false if these leave nothing: then that of the target serves.
func (p *Point) RowInformation(eta, dst []float64) bool {
	if p.given == nil {
		return false
	}
	p.t.rowInformation(p.t.rows, eta, p.Dispersions(), dst)
	return true
}

// RowCurvature writes −d² log f(y | η)/dη² for every row to dst: not below 0
// for canonical links, of either sign for others. disp is as in RowGradient.
// dst may be eta.
func (t *Target) RowCurvature(eta, disp, dst []float64) { t.rowCurvature(t.rows, eta, disp, dst) }

func (t *Target) rowCurvature(r family.Rows, eta, disp, dst []float64) {
	if t.form == family.Termwise {
		t.slopes(r, eta, pair(disp), nil, dst, nil)
		return
	}
	t.rowInformation(r, eta, disp, dst)
}

// RowInformation writes Fisher's information E(−d² log f(y | η)/dη²) ≥ 0 of
// every row to dst: R's glm() takes its standard errors from it. disp is as in
// RowGradient. dst may be eta.
func (t *Target) RowInformation(eta, disp, dst []float64) { t.rowInformation(t.rows, eta, disp, dst) }

func (t *Target) rowInformation(r family.Rows, eta, disp, dst []float64) {
	if t.form == family.Termwise {
		t.slopes(r, eta, pair(disp), nil, nil, dst)
		return
	}
	switch t.form {
	case family.Squares:
		for i := range eta {
			dst[i] = 1 / disp[0] / disp[0] * r.Weight(i)
		}
	case family.Exponential:
		t.kernels.Exp(dst, eta)
	default:
		t.kernels.LogitCurvatures(dst, eta)
		for i, trials := range r.Trials {
			dst[i] *= trials
		}
	}
	r.CountRows(dst)
}

// pair copies at most two dispersions.
func pair(disp []float64) (out [2]float64) {
	copy(out[:], disp)
	return out
}
