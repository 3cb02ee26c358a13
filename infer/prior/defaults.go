package prior

import (
	"math"
	"strconv"
	"strings"
)

// DefaultsVersion names the rules of weakly informative priors; it changes whenever
// they give other ones.
const DefaultsVersion = "defaults/1"

// Moments are the mean and the standard deviation of a column of the design.
type Moments struct{ Mean, SD float64 }

// DefaultNu is the default prior of student_t's degrees of freedom.
var DefaultNu = Prior{Kind: Gamma, Shape: 2, Rate: 0.1}

// DefaultCoefficients returns the default priors of coefficients by the columns of the
// design as sampled, where scale and centre are those of the linear predictor:
//
//   - a coefficient: normal(0, 2.5·scale/sd(x)) for its column x. A constant column
//     of value c counts as sd(x) = |c|, one of zeros as 1.
//   - the intercept, whose column is −1 where there is none, where the columns are
//     0, so at their means where they are centred: normal(centre, 2.5·scale), and
//     elsewhere with the scale that this prior at the means has there,
//     2.5·scale·√(1 + Σ (mean(x)/sd(x))²).
//
// Scales are rounded to three digits, and locations accordingly, so that what is
// printed is what is used.
//
// Source: rstanarm's autoscaled priors (Goodrich, Gabry, Ali and Brilleman), for
// coefficients, intercept and sigma; docs/decisions/0010 for the rest.
func DefaultCoefficients(columns []Moments, intercept int, scale, centre float64) []Prior {
	out := make([]Prior, len(columns))
	spread := 1.0 // of the intercept's prior, squared, in 2.5·scale
	for j, c := range columns {
		if j == intercept {
			continue
		}
		sd := c.SD
		switch size := math.Abs(c.Mean); {
		case !(sd > 1e-12*size) && size > 0: // constant
			sd = size
		case !(sd > 0):
			sd = 1
		case size > 1e-9*sd:
			spread = math.FMA(c.Mean/sd, c.Mean/sd, spread)
		}
		out[j] = Prior{Kind: Normal, Scale: Rounded(2.5 * scale / sd)}
	}
	if intercept >= 0 {
		wide := Rounded(2.5 * scale * math.Sqrt(spread))
		out[intercept] = Prior{Kind: Normal, Location: ToScale(centre, wide), Scale: wide}
	}
	return out
}

// DefaultSigma returns the default prior of sigma by the standard deviation of the
// response.
func DefaultSigma(sd float64) Prior { return Prior{Kind: Exponential, Rate: Rounded(1 / sd)} }

// DefaultGroupSD returns the default prior of a standard deviation of group-level effects by the scale of the linear
// predictor: half_student_t(3, 2.5·scale), whatever the column of the effect. brms's is half_student_t(3, m), m being
// the median absolute deviation of the response on the scale of the link, and no less than 2.5.
func DefaultGroupSD(scale float64) Prior {
	return Prior{Kind: HalfStudentT, DF: 3, Scale: Rounded(2.5 * scale)}
}

// DefaultShape returns the default prior of a shape or precision that is measured in unit:
// inverse_gamma(0.5, 0.08·unit), so that 1/√shape, a coefficient of variation, is half_normal(2.5).
func DefaultShape(unit float64) Prior {
	return Prior{Kind: InverseGamma, Shape: 0.5, Scale: Rounded(0.08 * unit)}
}

// Rounded returns v to three significant digits, within the limits of a prior's
// numbers.
func Rounded(v float64) float64 {
	if !(v >= minScale) {
		return minScale
	}
	return parsed(strconv.FormatFloat(math.Min(v, maxScale), 'g', 3, 64))
}

// ToScale returns v to a hundredth of the scale's leading digit, or to a whole
// number.
func ToScale(v, scale float64) float64 {
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
