package glm

import (
	"math"

	"glmbatch/internal/vec"
)

const (
	halfLog2Pi = 0.91893853320467274178 // ½ log 2π
	log2       = 0.69314718055994530942
)

// kind tells the likelihoods apart by what they sum over the rows.
type kind uint8

const (
	gaussian kind = iota // identity link: Σ w·(y − η)²
	logit                // Σ w·m·log(1 + e^η)
	poisson              // log link: Σ w·e^η
	lawful               // Σ of a law's terms
)

// kindOf returns the kind of a family with its law, nil where it needs none.
func kindOf(f Family) (kind, law, bool) {
	switch f {
	case Family{"gaussian", "identity"}:
		return gaussian, nil, true
	case Family{"bernoulli", "logit"}, Family{"binomial", "logit"}:
		return logit, nil, true
	case Family{"poisson", "log"}:
		return poisson, nil, true
	}
	if known, err := ParseFamily(f.Name, f.Link); err != nil || known != f {
		return 0, nil, false
	}
	return lawful, lawOf(f), true
}

// linear reports whether the log likelihood has the term yᵀη apart from its sum.
func (k kind) linear() bool { return k == logit || k == poisson }

// sum returns the family's sum over rows at eta + delta·x, in one pass. x may
// be eta itself when delta is 0. Only a law uses disp.
func (t *Target) sum(eta, x []float64, delta float64, disp [2]float64) float64 {
	if t.kind == lawful {
		return t.sumLaw(t.rows, eta, x, delta, disp)
	}
	return t.sumOf(t.data.Y, t.weights, eta, x, delta)
}

// sumOf is sum over rows of these responses and weights, of a kind with a closed
// sum.
func (t *Target) sumOf(y, w, eta, x []float64, delta float64) float64 {
	switch {
	case t.kind == gaussian && w != nil:
		return t.kernels.WeightedSquaresAlong(w, y, eta, x, delta)
	case t.kind == gaussian:
		return t.kernels.SumSquaresAlong(y, eta, x, delta)
	case t.kind == poisson && w != nil:
		return t.kernels.WeightedExpAlong(w, eta, x, delta)
	case t.kind == poisson:
		return t.kernels.SumExpAlong(eta, x, delta)
	case w != nil:
		return t.kernels.WeightedLog1pExpAlong(w, eta, x, delta)
	}
	return t.kernels.SumLog1pExpAlong(eta, x, delta)
}

// rowWeights returns what each row's term of a closed sum is multiplied by, nil
// for ones.
func (t *Target) rowWeights() []float64 {
	switch t.kind {
	case gaussian:
		return product(t.data.Frequency, t.data.Precision)
	case logit:
		return product(t.data.Frequency, t.data.Trials)
	}
	return t.data.Frequency
}

// logLik returns the log likelihood, constants included, from the family's sum
// over rows, yᵀη (where kind.linear) and the dispersions.
func (t *Target) logLik(sum, linear float64, d *dispersions) float64 {
	switch t.kind {
	case gaussian:
		logSigma := d.u[0]
		precision := vec.Exp(-2 * logSigma)
		return math.FMA(-0.5*sum, precision, t.constant-float64(t.rows.total*logSigma))
	case lawful:
		if math.IsInf(d.norm, -1) { // the sum may be NaN there
			return d.norm
		}
		return sum + (d.norm + t.constant)
	}
	return (linear - sum) + t.constant
}

// constantTerm returns the part of the log likelihood that no parameter moves.
func (t *Target) constantTerm() float64 {
	y, m := t.data.Y, t.data.Trials
	counted := func(v []float64) float64 { return vec.Sum(product(t.data.Frequency, v)) }
	total := func(row func(i int) float64) float64 {
		terms := make([]float64, len(y))
		for i := range terms {
			terms[i] = row(i)
		}
		return counted(terms)
	}
	halfLogs := 0.0 // ½ Σ log precision
	if t.data.Precision != nil {
		halfLogs = 0.5 * total(func(i int) float64 { return vec.Log(t.data.Precision[i]) })
	}
	switch t.model.Family.Name {
	case "gaussian":
		return math.FMA(-t.rows.total, halfLog2Pi, halfLogs)
	case "student_t":
		return halfLogs
	case "poisson", "negative_binomial":
		return total(func(i int) float64 { return -vec.LogFactorial(y[i]) })
	case "gamma":
		return -counted(t.rows.logY)
	case "inverse_gaussian":
		return halfLogs + math.FMA(-1.5, counted(t.rows.logY), -t.rows.total*halfLog2Pi)
	case "beta":
		return -(counted(t.rows.logY) + counted(t.rows.log1Y))
	}
	if m == nil {
		return 0
	}
	return total(func(i int) float64 {
		return vec.LogFactorial(m[i]) - vec.LogFactorial(y[i]) - vec.LogFactorial(m[i]-y[i])
	})
}

// RowGradient writes d log f(y | η)/dη for every row to dst. disp has the
// family's dispersions, fixed ones included. dst may be eta.
func (t *Target) RowGradient(eta, disp, dst []float64) { t.rowGradient(t.rows, eta, disp, dst) }

func (t *Target) rowGradient(r rows, eta, disp, dst []float64) {
	y, m := r.y, r.m
	if t.kind == lawful {
		t.slopes(r, eta, pair(disp), dst, nil, nil)
		return
	}
	switch {
	case t.kind == gaussian:
		for i, e := range eta {
			dst[i] = (y[i] - e) / disp[0] / disp[0] * r.weight(i)
		}
	case t.kind == poisson:
		t.kernels.ExpSlopes(dst, y, eta)
	case m != nil:
		t.kernels.TrialsSlopes(dst, y, m, eta)
	default:
		t.kernels.LogitSlopes(dst, y, eta)
	}
	r.countRows(dst)
}

// RowCurvature writes −d² log f(y | η)/dη² for every row to dst: not below 0
// for canonical links, of either sign for others. disp is as in RowGradient.
// dst may be eta.
func (t *Target) RowCurvature(eta, disp, dst []float64) { t.rowCurvature(t.rows, eta, disp, dst) }

func (t *Target) rowCurvature(r rows, eta, disp, dst []float64) {
	if t.kind == lawful {
		t.slopes(r, eta, pair(disp), nil, dst, nil)
		return
	}
	t.rowInformation(r, eta, disp, dst)
}

// RowInformation writes Fisher's information E(−d² log f(y | η)/dη²) ≥ 0 of
// every row to dst: R's glm() takes its standard errors from it. disp is as in
// RowGradient. dst may be eta.
func (t *Target) RowInformation(eta, disp, dst []float64) { t.rowInformation(t.rows, eta, disp, dst) }

func (t *Target) rowInformation(r rows, eta, disp, dst []float64) {
	if t.kind == lawful {
		t.slopes(r, eta, pair(disp), nil, nil, dst)
		return
	}
	switch t.kind {
	case gaussian:
		for i := range eta {
			dst[i] = 1 / disp[0] / disp[0] * r.weight(i)
		}
	case poisson:
		t.kernels.Exp(dst, eta)
	default:
		t.kernels.LogitCurvatures(dst, eta)
		for i, trials := range r.m {
			dst[i] *= trials
		}
	}
	r.countRows(dst)
}

// pair copies at most two dispersions.
func pair(disp []float64) (out [2]float64) {
	copy(out[:], disp)
	return out
}
