package family

import (
	"fmt"
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// Distribution is a family of response distributions with all of its links.
type Distribution struct {
	Name  string
	Links []*Link // the first is the default
	// Dispersions are the parameters besides the coefficients, at most two. The first is positive.
	Dispersions []Dispersion
	Support     *Support // the possible responses
	// Centre returns the centre of the default prior of the intercept by the responses; nil for that of the link.
	Centre   func(y []float64) float64
	Notation Notation
	// Additive reports whether rows of equal predictors matter by the sum of their responses (and trials) alone.
	Additive bool
	// Mean returns the mean of a response by a link of Links if it depends on the dispersions; nil if it is Link.Inverse.
	Mean func(eta float64, disp [2]float64) float64
	// Prepare computes what Terms reads of the responses besides themselves; nil if it reads nothing else.
	Prepare func(r *Rows)
	// Along returns the log likelihood along a linear predictor by a link of Links.
	Along func(l *Link) Likelihood
	// With returns the likelihood with a predictor for a parameter besides the mean, without a Several if that has none;
	// or With is nil.
	With func(parameter string, l *Link) Likelihood
	// Limited has the likelihood of rows that are censored or truncated; nil if there is no exact form of it.
	Limited *Limited
	// Predictable are the parameters that With serves.
	Predictable []string
	// Constant returns the part of the log likelihood of all rows that no parameter moves. Cost: O(n).
	Constant func(r *Rows) float64
	// Draw returns a random response of a row. It uses a varying number of uniforms.
	Draw func(s prior.Source, at Row) float64
	// CDF returns the probability of responses up to y, y included. Absolute error: 1e-10.
	CDF func(y float64, at Row) float64
	// Ends returns the powers of the likelihood at the ends of the first dispersion, nil for a family without one.
	Ends func(e Evidence) (zero, tail float64)
}

// Dispersion is a parameter of a family besides the coefficients.
type Dispersion struct {
	Name string // sigma, shape, phi, nu, …
	// Doc describes its prior, for the key of a spec that it has; empty for sigma, shape, phi and nu.
	Doc string
	// Real reports whether every number is possible: samplers move the parameter itself, and its prior is one of a
	// coefficient.
	Real bool
	// Lower is the end of the support (Lower, ∞) if it is not Real. Samplers move u = log(x − Lower), and a prior is cut
	// off there.
	Lower float64
	// Power is the power of x that Fisher's information of a row is proportional to: −2 for a scale, 1 for a shape
	// whose inverse multiplies the variance. 0 means no power; then rows have no precision weights.
	Power float64
	// Start is where the search for the penalised point begins, if the responses do not give that; 0: Lower + 1.
	Start float64
	// Most is the largest possible value; 0 if there is none.
	Most float64
	// Unit reports whether the unit of x is that of the response, though x is no scale.
	Unit bool
	// Concentrates reports whether the density has no bound as x goes to an end and the mean to the response.
	Concentrates bool
	// Default returns the default prior of x in a unit; nil if it is prior.DefaultSigma of the response.
	Default func(unit float64) prior.Prior
	// Tail returns the power at which the likelihood falls as x grows, by Evidence as Ends; nil for 0. The first
	// dispersion has Ends.
	Tail func(e Evidence) float64
	// Version names the rule of Default, and is empty if the rule never changed.
	Version string
	// PrecisionVersion names the gradient in x with precision weights, and is empty if it never changed.
	PrecisionVersion string
	// Limit is why a flat prior of x never gives a proper posterior, and Remedy what to write instead.
	Limit, Remedy string
}

// Scale reports whether x is a scale of the response.
func (d Dispersion) Scale() bool { return d.Power == -2 }

// At returns the parameter at the coordinate u that samplers move.
func (d *Dispersion) At(u float64) float64 {
	if d.Real {
		return u
	}
	return d.Lower + vec.Exp(u)
}

// Coordinate is the inverse of At.
func (d *Dispersion) Coordinate(x float64) float64 {
	if d.Real {
		return x
	}
	return vec.Log(x - d.Lower)
}

// Slope returns the derivative of At at the coordinate of x, and LogSlope its logarithm at a coordinate.
func (d *Dispersion) Slope(x float64) float64 {
	if d.Real {
		return 1
	}
	return x - d.Lower
}

// LogSlope returns log(dx/du) at u.
func (d *Dispersion) LogSlope(u float64) float64 {
	if d.Real {
		return 0
	}
	return u
}

// Holds reports whether x is a value of the parameter.
func (d *Dispersion) Holds(x float64) bool { return d.Real || x > d.Lower }

// Beyond reports whether a coordinate is so far out that rounding outweighs the remaining density. Only priors without
// a scale have mass there, on data that fit perfectly.
func (d *Dispersion) Beyond(u float64) bool {
	const logRange, realRange = 200, 1e12
	if d.Real {
		return math.Abs(u) > realRange
	}
	return math.Abs(u) > logRange || d.Most > 0 && d.At(u) > d.Most
}

// Check returns an error for a prior that is none of the parameter.
func (d *Dispersion) Check(p prior.Prior) error {
	switch {
	case !d.Real:
		return p.ForDispersion()
	case p.Kind == prior.Constant && !d.Beyond(p.Location):
		return nil
	case p.Kind.Shrinks() || p.Kind == prior.SpikeSlab:
		return fmt.Errorf("%s cannot be the prior of %s: use normal(location, scale)", p, d.Name)
	}
	return p.ForCoefficient()
}

// Notation is how a family is written.
type Notation struct {
	Law, LaTeX string // the distribution of row i, given its mean
	Mean, TeX  string // the letter of the mean
	Of         string // what the mean is
	Note       string // what the letters mean; may be empty
	// Caution is a warning for readers of means; may be empty.
	Caution string
}

// Texts of Notation.Of.
const (
	meanResponse = "the mean response"
	probability  = "the probability"
)

// Form is the shape of a log likelihood along one linear predictor.
type Form uint8

// Forms: the first three have sums over rows with vector kernels of their own.
const (
	Squares     Form = iota // −½ Σ w·(y − η)²/sigma²
	Softplus                // Σ y·η − w·log(1 + e^η)
	Exponential             // Σ y·η − w·e^η
	Termwise                // Σ of Terms.Terms
)

// Linear reports whether the log likelihood has the term Σ y·η apart from its sum.
func (f Form) Linear() bool { return f == Softplus || f == Exponential }

// Cuts has the derivatives of log densities in thresholds; nil in families without them.
type Cuts struct {
	// Scores writes them of class y at the predictors of a row. Cost: O(K²).
	Scores func(y float64, eta, dst []float64)
	// Slopes writes them of the rows from first on to dst, by threshold; eta has the predictors of these rows.
	Slopes func(r *Rows, first int, eta, dst [][]float64)
}

// Likelihood is a family with a link.
type Likelihood struct {
	Form  Form
	Terms Terms // nil unless Form is Termwise
	// OfMean are Terms along the logarithm of a positive mean; nil for other families.
	OfMean Terms
	// Rowwise are Terms of rows with dispersions of their own; nil if rows are looked at one by one.
	Rowwise Rowwise
	// Concave reports whether the log likelihood is concave in eta on all of the real line, whatever the dispersions.
	Concave bool
	// OneWay is why a row's likelihood falls in one direction of eta only; empty if it falls in both, or in neither.
	OneWay string
	// Cell has the moves of unseen numbers of the family; nil if it has none.
	Cell Cell
	// Several is the likelihood of a family of several predictors, which has no Form; nil for one predictor.
	Several Several
	// Sum returns the sum of the log densities of rows that each count once; nil if no form of it is faster.
	Sum  func(r *Rows, eta [][]float64) float64
	Cuts Cuts // of families with thresholds
	// DrawCounts writes random counts of classes at the predictors of a row; nil of responses of one column.
	DrawCounts func(s prior.Source, eta []float64, trials float64, dst []float64)
	// Faulty names a row whose log density at the predictors is no finite number; nil if no family of the kind has such.
	Faulty func(r *Rows, eta [][]float64) error
}

// any reports whether there is a likelihood.
func (l Likelihood) any() bool { return l.Terms != nil || l.Several != nil }

// Cell is the distribution of an unseen number of a column. The scale of a slice is the number itself for counts, its
// logarithm for numbers above 0 and its logit for shares.
type Cell interface {
	// Width is about 2.5 standard deviations on the scale of a slice.
	Width(eta float64, disp [2]float64) float64
	// Variance is that of the number, given its mean.
	Variance(mean float64, disp [2]float64) float64
	// Follow proposes a number at the linear predictor to from one at from. If it is exact, both ways together leave
	// the pair of distributions as it is; otherwise it moves by to − from on the scale of a slice, and the caller
	// weighs the densities. It is NaN if no number can be proposed.
	Follow(s prior.Source, y, from, to float64, disp [2]float64) (moved float64, exact bool)
}

// Terms is a likelihood whose sum over rows has no closed form along a column. The log density of a row is its term,
// which moves with eta, a share of Norm, which does not, and a share of Distribution.Constant.
//
// Slices of one call have equal lengths, at most ChunkRows.
type Terms interface {
	// Terms writes the rows' terms to dst, which may be eta: −Inf where eta is
	// outside the link's domain or the density underflows in logs.
	Terms(r Rows, eta, dst []float64)
	// Slopes writes the first derivative of the terms in eta, the negative
	// second one and its expectation (Fisher's information, ≥ 0), with eta
	// inside the link's domain.
	Slopes(r Rows, eta, grad, curv, info []float64)
	// Norm returns the part of the log density that only the dispersions move,
	// summed over the rows as often as they count. Cost: O(n) at most.
	Norm(r Rows) float64
	// Scores returns the derivative of Σ Terms + Norm in each dispersion, each
	// row as often as it counts; Terms and Slopes ignore these counts. Its rows may be more than ChunkRows.
	Scores(r Rows, eta []float64) [2]float64
}

// Row is one row at a linear predictor.
type Row struct {
	Eta, Mean float64    // Mean is of one trial
	Disp      [2]float64 // the dispersions at the row's precision
	Trials    float64
	Link      *Link
}

// Evidence determines the ends of a likelihood over its first dispersion, coefficients with flat priors integrated out.
type Evidence struct {
	Rows, Positive float64 // observations, and those with a response above 0
	Flat           float64 // columns with flat priors
	Perfect        bool    // the design fits the link of every response perfectly,
	Spare          float64 // with Spare observations beyond its rank
	Fixed          bool    // the second dispersion is known
	Link           *Link
}

// shapeEnds are Ends of a precision whose power at 0 is zero.
func (e *Evidence) shapeEnds(zero float64) (float64, float64) {
	if e.Perfect {
		return zero, -0.5 * e.Spare
	}
	return zero, math.Inf(1)
}
