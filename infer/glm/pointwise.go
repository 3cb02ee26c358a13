package glm

import (
	"fmt"
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// Pointwise is a family seen row by row: the log density, the mean and random
// draws of each row's response, given its linear predictor. It has no priors,
// and needs no responses but for LogLik, so that it serves new data too. It is
// read-only once made, and safe for concurrent use.
type Pointwise struct {
	family   Family
	kind     kind
	law      law
	rows     rows
	mean     func(eta float64) float64 // the inverse link, NaN outside its domain
	constant []float64                 // per row, of the log density; nil without responses
	prob     tails                     // of bernoulli and binomial
}

// NewPointwise returns the family's laws on the rows of data, of which Y,
// Trials, Precision and the number of rows count; it keeps these slices. Y may be
// nil. A row of frequency w is seen as one of its w equal observations: sums over
// observations count it w times. The error is a *DomainError for a response,
// trials or a precision that the family does not have.
func NewPointwise(f Family, data *Data) (*Pointwise, error) {
	p := &Pointwise{family: f, mean: inverseLinks[f.Link]}
	var known bool
	if p.kind, p.law, known = kindOf(f); !known {
		return nil, fmt.Errorf("glm: family %s is not in this version", f)
	}
	if err := checkOutcomes(f, data); err != nil {
		return nil, err
	}
	if err := CheckWeights(f, nil, data.Precision); err != nil {
		return nil, err
	}
	switch f.Name {
	case "bernoulli", "binomial":
		p.prob = logitTails
		if b, ok := p.law.(binary); ok {
			p.prob = b.tails
		}
	case "poisson":
		if f.Link == "identity" {
			p.mean = beyondWall(p.mean)
		}
	}
	if data.Y == nil {
		p.rows = rows{m: data.Trials, precision: data.Precision}
		return p, nil
	}
	once := *data
	once.Frequency = nil
	t := &Target{data: &once, model: Model{Family: f}}
	t.rowData()
	p.rows = t.rows
	p.rows.total = 1 // of a part of one row
	p.constant = make([]float64, len(data.Y))
	for i := range p.constant {
		p.constant[i] = p.rows.constant(f, i)
	}
	return p, nil
}

// checkOutcomes is CheckResponse where Y may be nil.
func checkOutcomes(f Family, data *Data) error {
	y := data.Y
	if y == nil {
		if data.Trials == nil {
			return nil
		}
		y = make([]float64, len(data.Trials)) // no success is always allowed
	}
	return CheckResponse(f, y, data.Trials)
}

// logitTails are those of F = 1/(1 + e^−eta); the derivatives are not needed.
var logitTails = tails{
	logP: func(eta float64) float64 { return -vec.Log1pExp(-eta) },
	logQ: func(eta float64) float64 { return -vec.Log1pExp(eta) },
}

// constant returns the part of row i's log density that no parameter moves.
func (r *rows) constant(f Family, i int) float64 {
	switch f.Name {
	case "gaussian":
		return math.FMA(0.5, vec.Log(r.weight(i)), -halfLog2Pi)
	case "student_t":
		return 0.5 * vec.Log(r.weight(i))
	case "poisson", "negative_binomial":
		return -vec.LogFactorial(r.y[i])
	case "gamma":
		return -r.logY[i]
	case "inverse_gaussian":
		return math.FMA(0.5, vec.Log(r.weight(i)), math.FMA(-1.5, r.logY[i], -halfLog2Pi))
	case "beta":
		return -(r.logY[i] + r.log1Y[i])
	case "bernoulli", "binomial":
		if r.m != nil {
			return vec.LogFactorial(r.m[i]) - vec.LogFactorial(r.y[i]) - vec.LogFactorial(r.m[i]-r.y[i])
		}
	}
	return 0
}

// LogLik writes the log densities of the responses of the rows from first on,
// one for each entry of eta, with all constants, to dst, which may be eta: −Inf
// outside the link's domain. disp has the family's dispersions, fixed ones
// included. It panics without responses. Cost: O(len(eta)).
func (p *Pointwise) LogLik(first int, eta, disp, dst []float64) {
	r := p.rows.part(first, first+len(eta))
	r.disp = pair(disp)
	constant := p.constant[first : first+len(eta)]
	if p.kind != lawful {
		p.canonical(r, eta, dst)
		for i, c := range constant {
			dst[i] += c
		}
		return
	}
	for i := 0; i < len(eta); i += chunkRows {
		n := min(chunkRows, len(eta)-i)
		part := r.part(i, i+n)
		p.law.terms(part, eta[i:i+n], dst[i:i+n])
		for k := range n {
			dst[i+k] += p.law.norm(part.part(k, k+1)) + constant[i+k]
		}
	}
}

// canonical writes the log densities of the kinds with closed sums, without
// their constants.
func (p *Pointwise) canonical(r rows, eta, dst []float64) {
	logSigma := 0.0
	if p.kind == gaussian {
		logSigma = vec.Log(r.disp[0])
	}
	for i, e := range eta {
		switch p.kind {
		case gaussian:
			z := (r.y[i] - e) / r.disp[0] * r.root(i)
			dst[i] = math.FMA(-0.5*z, z, -logSigma)
		case poisson:
			dst[i] = math.FMA(r.y[i], e, -vec.Exp(e))
		default: // both logarithms are ≤ 0: nothing cancels
			successes, failures := r.outcomes(i)
			dst[i] = -math.FMA(successes, vec.Log1pExp(-e), float64(failures*vec.Log1pExp(e)))
		}
	}
}

// Mean writes the mean of the response of the rows from first on to dst, which
// may be eta: for binomial the expected number of successes. NaN outside the
// link's domain.
func (p *Pointwise) Mean(first int, eta, dst []float64) {
	for i, e := range eta {
		dst[i] = p.mean(e)
		if p.rows.m != nil {
			dst[i] *= p.rows.m[first+i]
		}
	}
}

// Limits of a simulated response that must not be 0 or 1: the nearest float64
// that CheckResponse allows.
const (
	leastPositive = 1e-150
	mostPositive  = 1e150
	mostShare     = 1 - 0x1p-53
)

// Draw returns a random response of a row, given its linear predictor and the
// dispersions; NaN outside the link's domain. Positive responses are kept within
// [1e-150, 1e150] and those of beta within [1e-150, 1 − 2⁻⁵³], where rounding
// would leave the family's domain. The source's uniforms are used in the order
// of the calls, a varying number for each.
func (p *Pointwise) Draw(s prior.Source, row int, eta float64, disp []float64) float64 {
	mu := p.mean(eta)
	if math.IsNaN(mu) {
		return mu
	}
	switch d := p.rows.atPrecision(p.family, row, pair(disp)); p.family.Name {
	case "gaussian":
		return math.FMA(d[0], variate.Normal(s), mu)
	case "student_t":
		return math.FMA(d[0], variate.StudentT(s, d[1]), mu)
	case "poisson":
		return variate.Poisson(s, mu)
	case "negative_binomial":
		return variate.NegativeBinomial(s, mu, d[0])
	case "gamma":
		return math.Min(math.Max(leastPositive, mu*variate.GammaMean(s, d[0])), mostPositive)
	case "inverse_gaussian":
		return math.Min(math.Max(leastPositive, variate.InverseGaussian(s, mu, d[0])), mostPositive)
	case "beta":
		y := variate.Beta(s, d[0]*mu, d[0]*vec.Logistic(-eta))
		return math.Min(math.Max(leastPositive, y), mostShare)
	}
	trials := 1.0
	if p.rows.m != nil {
		trials = p.rows.m[row]
	}
	if trials == 1 { // from one uniform
		if s.Float64() < mu {
			return 1
		}
		return 0
	}
	return variate.Binomial(s, trials, mu, vec.Exp(p.prob.logQ(eta)))
}
