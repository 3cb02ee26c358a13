package glm

import (
	"fmt"
	"math"

	"glmbatch/infer/family"
	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// Pointwise is a family seen row by row: the log density, the mean and random draws of each row's response, given
// its linear predictor. It has no priors, and needs responses only for LogLik, so that it serves new data too. It
// is read-only once made, and safe for concurrent use.
type Pointwise struct {
	law      *family.Distribution
	link     *family.Link
	form     family.Form
	terms    family.Terms // of form Termwise
	rows     family.Rows
	constant []float64      // per row, of the log density; nil if there are no responses
	bounds   []family.Bound // of truncated rows, in units of the response; or nil
	family   Family
}

// NewPointwise returns the family's laws on the rows of data, of which Y,
// Trials, Precision and the number of rows count; it keeps these slices. Y may be
// nil. A row of frequency w is seen as one of its w equal observations: sums over
// observations count it w times. The error is a *DomainError for a response,
// trials or a precision that the family does not have.
func NewPointwise(f Family, data *Data) (*Pointwise, error) {
	if !f.Known() {
		return nil, fmt.Errorf("glm: family %s is not in this version", f)
	}
	along := f.Likelihood()
	if along.Several != nil {
		return nil, fmt.Errorf("glm: family %s has several linear predictors", f.Name)
	}
	p := &Pointwise{family: f, law: f.Distribution(), link: f.Of(), form: along.Form, terms: along.Terms}
	if err := checkOutcomes(f, data); err != nil {
		return nil, err
	}
	if err := CheckWeights(f, nil, data.Precision); err != nil {
		return nil, err
	}
	if err := checkLimits(data, f); err != nil {
		return nil, err
	}
	p.rows = family.Rows{Y: data.Y, Trials: data.Trials, Precision: data.Precision, Total: 1,
		Censoring: data.Censoring} // of a part of one row
	if data.Limits() == family.Truncated {
		p.bounds = data.Bounds
	}
	if data.Y == nil {
		return p, nil
	}
	p.rows.Prepare(p.law)
	p.constant = make([]float64, len(data.Y))
	for i := range p.constant {
		p.constant[i] = p.constantOf(i)
	}
	return p, nil
}

// constantOf returns the part of row i's log density that no parameter moves.
func (p *Pointwise) constantOf(i int) float64 {
	one := p.rows.Only(i)
	return p.law.Constant(&one)
}

// checkOutcomes is family.CheckResponse where Y may be nil.
func checkOutcomes(f Family, data *Data) error {
	y := data.Y
	if y == nil {
		if data.Trials == nil {
			return nil
		}
		y = make([]float64, len(data.Trials)) // no success is always allowed
	}
	return family.CheckResponse(f, y, data.Trials)
}

// LogLik writes the log densities of the responses of the rows from first on,
// one for each entry of eta, with all constants, to dst, which may be eta: −Inf
// outside the link's domain. disp has the family's dispersions, fixed ones
// included. It panics without responses. Cost: O(len(eta)).
func (p *Pointwise) LogLik(first int, eta, disp, dst []float64) {
	r := p.rows.Part(first, first+len(eta))
	r.Disp = pair(disp)
	constant := p.constant[first : first+len(eta)]
	if p.form != family.Termwise {
		p.canonical(r, eta, dst)
		for i, c := range constant {
			dst[i] += c
		}
		return
	}
	for i := 0; i < len(eta); i += family.ChunkRows {
		n := min(family.ChunkRows, len(eta)-i)
		part := r.Part(i, i+n)
		p.terms.Terms(part, eta[i:i+n], dst[i:i+n])
		for k := range n {
			dst[i+k] += p.terms.Norm(part.Part(k, k+1)) + constant[i+k]
		}
	}
}

// canonical writes the log densities of the kinds with closed sums, without
// their constants.
func (p *Pointwise) canonical(r family.Rows, eta, dst []float64) {
	logSigma := 0.0
	if p.form == family.Squares {
		logSigma = vec.Log(r.Disp[0])
	}
	for i, e := range eta {
		switch p.form {
		case family.Squares:
			z := (r.Y[i] - e) / r.Disp[0] * r.Root(i)
			dst[i] = math.FMA(-0.5*z, z, -logSigma)
		case family.Exponential:
			dst[i] = math.FMA(r.Y[i], e, -vec.Exp(e))
		default: // both logarithms are ≤ 0: nothing cancels
			successes, failures := r.Outcomes(i)
			dst[i] = -math.FMA(successes, vec.Log1pExp(-e), float64(failures*vec.Log1pExp(e)))
		}
	}
}

// Mean writes the mean of the response of the rows from first on to dst, which
// may be eta: for binomial the expected number of successes. disp has the family's dispersions. NaN outside the
// link's domain.
func (p *Pointwise) Mean(first int, eta, disp, dst []float64) {
	for i, e := range eta {
		dst[i] = p.at(first+i, e, disp).Mean
		if p.rows.Trials != nil {
			dst[i] *= p.rows.Trials[first+i]
		}
	}
}

// Draw returns a random response of a row, given its linear predictor and the
// dispersions; NaN outside the link's domain. Positive responses are kept within
// [1e-150, 1e150] and those of beta within [1e-150, 1 − 2⁻⁵³], where rounding
// would leave the family's domain. The source's uniforms are used in the order
// of the calls, a varying number for each.
func (p *Pointwise) Draw(s prior.Source, row int, eta float64, disp []float64) float64 {
	at := p.at(row, eta, disp)
	if math.IsNaN(at.Mean) {
		return at.Mean
	}
	if p.bounds != nil {
		return p.family.DrawWithin(&p.bounds[row], s, func() float64 { return p.law.Draw(s, at) },
			func(y float64) float64 { return p.law.CDF(y, at) })
	}
	return p.law.Draw(s, at)
}

// CDF returns the probability of responses up to y, y included, in a row, given its linear predictor and the
// dispersions; NaN outside the link's domain. Absolute error: 1e-10.
//
// Cost: some 20 ns for gaussian; for student_t, gamma, beta and counts that of a continued fraction, some √y terms.
func (p *Pointwise) CDF(row int, y, eta float64, disp []float64) float64 {
	at := p.at(row, eta, disp)
	if math.IsNaN(at.Mean) {
		return at.Mean
	}
	if p.bounds != nil {
		return p.family.CDFWithin(&p.bounds[row], y, func(y float64) float64 { return p.law.CDF(y, at) })
	}
	return p.law.CDF(y, at)
}

// at returns a row at a linear predictor.
func (p *Pointwise) at(row int, eta float64, disp []float64) family.Row {
	at := family.Row{Eta: eta, Disp: pair(disp), Trials: 1, Link: p.link}
	if p.rows.Precision != nil {
		at.Disp = p.law.AtPrecision(p.rows.Precision[row], at.Disp)
	}
	if p.rows.Trials != nil {
		at.Trials = p.rows.Trials[row]
	}
	at.Mean = p.law.MeanAt(p.link, eta, at.Disp)
	return at
}

// SetResponse rewrites a response, which must be one of the family's; it is not to be called while others read.
func (p *Pointwise) SetResponse(row int, y float64) {
	p.rows.SetResponse(row, y)
	p.constant[row] = p.constantOf(row)
}
