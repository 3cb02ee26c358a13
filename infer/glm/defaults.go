package glm

import (
	"math"
	"strconv"
	"strings"

	"glmbatch/infer/design"
	"glmbatch/internal/vec"
)

// DefaultsVersion names the rules of Defaults; it changes whenever they give
// other priors.
const DefaultsVersion = "defaults/1"

// DefaultPriors are the priors that a model has where none are given.
type DefaultPriors struct {
	Coefficients   []Prior // one per column of the design as sampled
	Dispersion, Nu Prior   // unused where the family has none
}

// DefaultRules says in words what Defaults gives, for when there are no data yet.
func DefaultRules(f Family) (coefficients, intercept, dispersion string) {
	s, centre := "", "0"
	if f.unitful() {
		s, centre = "·s", "the link of the mean response"
	}
	coefficients = "normal(0, 2.5" + s + "/sd(x))"
	intercept = "normal(" + centre + ", 2.5" + s + ")"
	if f.HasDispersion() {
		switch f.Dispersions()[0].Name {
		case "sigma":
			dispersion = "exponential(1/sd(y))"
		default:
			dispersion = shapePrior(f, 1).String()
			if f.Name == "inverse_gaussian" {
				dispersion = "inverse_gamma(0.5, 0.08·mean(y))"
			}
		}
	}
	return coefficients, intercept, dispersion
}

// unitful tells whether the linear predictor has the unit of the response, or a
// power of it.
func (f Family) unitful() bool {
	switch f.Link {
	case "identity", "sqrt", "inverse", "1/mu^2":
		return true
	}
	return false
}

// Defaults returns weakly informative priors on the scale of the data:
//
//   - a coefficient: normal(0, 2.5·s/sd(x)) for its column x as sampled. A
//     constant column of value c counts as sd(x) = |c|, one of zeros as 1.
//   - the intercept where the columns are 0, so at their means where they are
//     centred: normal(m, 2.5·s), and elsewhere with the scale that this prior at
//     the means has there, 2.5·s·√(1 + Σ (mean(x)/sd(x))²).
//   - sigma: exponential(1/sd(y)); nu: gamma(2, 0.1).
//   - the shape of gamma and phi of beta: inverse_gamma(0.5, 0.08), so that
//     1/√shape, a coefficient of variation, is half_normal(2.5); of
//     inverse_gaussian, whose shape has the unit of the response,
//     inverse_gamma(0.5, 0.08·mean(y)); of negative_binomial gamma(0.5, 0.0005),
//     whose mean exists where the data look like poisson's.
//
// s and m are the standard deviation and mean of the response less its offset
// for the identity link, by the delta method for sqrt, inverse and 1/mu^2, and 1
// and 0 for links without a unit. Rows count by frequency; precisions of mean w
// make sd(y) √w times as large for sigma, and a shape w times as small. Scales
// are rounded to three digits, and locations accordingly, so that what is printed
// is what is used.
//
// Source: rstanarm's autoscaled priors (Goodrich, Gabry, Ali and Brilleman), for
// coefficients, intercept and sigma; docs/decisions/0010 for the rest.
//
// Cost: O(n·d).
func Defaults(f Family, data *Data) DefaultPriors {
	t := &Target{data: data, model: Model{Family: f}}
	t.rows.frequency, t.rows.total = data.Frequency, t.total(data.Frequency)
	t.counted = product(data.Frequency, data.Y)
	s, m := t.responseOnLink()
	out := DefaultPriors{Coefficients: make([]Prior, data.Cols()), Nu: Prior{Kind: Gamma, Shape: 2, Rate: 0.1}}
	spread := 1.0 // of the intercept's prior, squared, in 2.5·s
	for j := range out.Coefficients {
		if j == data.Intercept {
			continue
		}
		mean, sd := t.columnMoments(data.X.Column(j))
		switch size := math.Abs(mean); {
		case !(sd > 1e-12*size) && size > 0: // constant
			sd = size
		case !(sd > 0):
			sd = 1
		case size > 1e-9*sd:
			spread = math.FMA(mean/sd, mean/sd, spread)
		}
		out.Coefficients[j] = Prior{Kind: Normal, Scale: rounded(2.5 * s / sd)}
	}
	if j := data.Intercept; j >= 0 {
		scale := rounded(2.5 * s * math.Sqrt(spread))
		out.Coefficients[j] = Prior{Kind: Normal, Location: toScale(m, scale), Scale: scale}
	}
	if !f.HasDispersion() {
		return out
	}
	precision := t.total(data.Precision) / float64(t.Rows())
	if f.Dispersions()[0].Name == "sigma" {
		_, sd := t.spreadOfResponse()
		out.Dispersion = Prior{Kind: Exponential, Rate: rounded(1 / (sd * math.Sqrt(precision)))}
		return out
	}
	unit := 1 / precision
	if f.Name == "inverse_gaussian" {
		unit *= vec.Sum(t.counted) / t.rows.total
	}
	out.Dispersion = shapePrior(f, unit)
	return out
}

// shapePrior is the default of a shape or precision that is measured in unit.
func shapePrior(f Family, unit float64) Prior {
	if f.Name == "negative_binomial" {
		return Prior{Kind: Gamma, Shape: 0.5, Rate: 0.0005}
	}
	return Prior{Kind: InverseGamma, Shape: 0.5, Scale: rounded(0.08 * unit)}
}

// moments returns mean and standard deviation of a column over the observations;
// the latter NaN for one observation.
func (t *Target) moments(x []float64) (mean, sd float64) {
	w := t.data.Frequency
	n := t.rows.total
	mean = vec.Sum(product(w, x)) / n
	squares := make([]float64, len(x))
	for i, v := range x {
		squares[i] = float64(v-mean) * (v - mean)
	}
	return mean, math.Sqrt(vec.Sum(product(w, squares)) / (n - 1))
}

// columnMoments returns the moments of a column of the design. Cost: what is
// stored of it.
func (t *Target) columnMoments(c design.Column) (mean, sd float64) {
	if c.Rows == nil {
		return t.moments(c.Values)
	}
	n, sum, stored, squares := t.rows.total, 0.0, 0.0, 0.0
	for i, r := range c.Rows {
		sum = math.FMA(t.rows.count(int(r)), c.Values[i], sum)
		stored += t.rows.count(int(r))
	}
	mean = sum / n
	for i, r := range c.Rows {
		e := c.Values[i] - mean
		squares = math.FMA(float64(t.rows.count(int(r))*e), e, squares)
	}
	squares = math.FMA(float64((n-stored)*mean), mean, squares)
	return mean, math.Sqrt(squares / (n - 1))
}

// spreadOfResponse returns mean and standard deviation of the response, less its
// offset under the identity link. A response without spread counts as having its
// own size, or 1.
func (t *Target) spreadOfResponse() (mean, sd float64) {
	y := t.data.Y
	if t.data.Offset != nil && t.model.Family.Link == "identity" {
		y = append([]float64(nil), y...)
		vec.Axpy(-1, t.data.Offset, y)
	}
	mean, sd = t.moments(y)
	if size := math.Abs(mean); !(sd > 1e-12*size) {
		sd = 1
		if size > 0 {
			sd = size
		}
	}
	return mean, sd
}

// responseOnLink returns the scale and centre of the linear predictor.
func (t *Target) responseOnLink() (scale, centre float64) {
	f := t.model.Family
	if !f.unitful() {
		return 1, 0
	}
	mean, sd := t.spreadOfResponse()
	if f.Link == "identity" {
		return sd, mean
	}
	mean = t.meanResponse()
	centre = t.linkOf(mean)
	if o := t.data.Offset; o != nil {
		centre -= vec.Sum(product(t.data.Frequency, o)) / t.rows.total
	}
	relative := sd / mean
	switch f.Link { // |d link/d mu| = link·power/mu
	case "sqrt":
		return 0.5 * relative * t.linkOf(mean), centre
	case "inverse":
		return relative * t.linkOf(mean), centre
	}
	return 2 * relative * t.linkOf(mean), centre
}

// rounded returns v to three significant digits, within the limits of a prior's
// numbers.
func rounded(v float64) float64 {
	if !(v >= minScale) {
		return minScale
	}
	return parsed(strconv.FormatFloat(math.Min(v, maxScale), 'g', 3, 64))
}

// toScale returns v to a hundredth of the scale's leading digit, or to a whole
// number.
func toScale(v, scale float64) float64 {
	_, exponent, _ := strings.Cut(strconv.FormatFloat(scale, 'e', 0, 64), "e")
	places, err := strconv.Atoi(exponent)
	if err != nil {
		return v
	}
	return parsed(strconv.FormatFloat(v, 'f', max(0, 2-places), 64))
}

// parsed reads a number that FormatFloat wrote; −0 as 0.
func parsed(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64)
	return v + 0
}
