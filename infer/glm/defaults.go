package glm

import (
	"math"
	"strings"

	"glmbatch/infer/design"
	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// DefaultPriors are the priors that a model has where none are given.
type DefaultPriors struct {
	Coefficients   []prior.Prior // one per column of the design as sampled
	Dispersion, Nu prior.Prior   // unused where the family has none
	GroupSD        prior.Prior   // of each standard deviation of group-level effects
}

// DefaultRules describes the rules of Defaults as text, for when there are no data yet.
func DefaultRules(f Family) (coefficients, intercept string, dispersions []string) {
	s, centre := "", "0"
	if f.Of().Unit() {
		s, centre = "·s", "the link of the mean response"
	}
	coefficients = "normal(0, 2.5" + s + "/sd(x))"
	intercept = "normal(" + centre + ", 2.5" + s + ")"
	for _, d := range f.Dispersions() {
		dispersions = append(dispersions, dispersionRule(d))
	}
	return coefficients, intercept, dispersions
}

func dispersionRule(d Dispersion) string {
	switch {
	case d.Default == nil:
		return "exponential(1/sd(y))"
	case d.Unit:
		return strings.TrimSuffix(d.Default(1).String(), ")") + "·mean(y))"
	}
	return d.Default(1).String()
}

// GroupSDRule is DefaultRules for the standard deviations of group-level effects.
func GroupSDRule(f Family) string {
	if f.Of().Unit() {
		return "half_student_t(3, 2.5·s)"
	}
	return prior.DefaultGroupSD(1).String()
}

// Defaults returns weakly informative priors on the scale of the data: for
// coefficients prior.DefaultCoefficients, for sigma prior.DefaultSigma, for nu
// prior.DefaultNu, for others Dispersion.Default, for group-level effects prior.DefaultGroupSD.
//
// The scale and centre of the linear predictor are the standard deviation and mean
// of the response less its offset for the identity link, by the delta method for
// sqrt, inverse and 1/mu^2, and 1 and 0 for links without a unit. Rows count by
// frequency; precisions of mean w make sd(y) √w times as large for sigma, and the
// unit of a shape w times as small. The unit of inverse_gaussian's shape is that of
// the response, mean(y) here; others have none.
//
// Cost: O(n·d).
func Defaults(f Family, data *Data) DefaultPriors {
	t := &Target{data: data, model: Model{Family: f}}
	t.rows.Frequency, t.rows.Total = data.Frequency, t.total(data.Frequency)
	t.counted = product(data.Frequency, data.Y)
	s, m := t.responseOnLink()
	if centre := f.Distribution().Centre; centre != nil && len(data.Y) > 0 {
		m = centre(data.Y)
	}
	out := DefaultPriors{GroupSD: prior.DefaultGroupSD(s)}
	columns := make([]prior.Moments, data.Cols())
	for j := range columns {
		if j != data.Intercept {
			columns[j].Mean, columns[j].SD = t.columnMoments(data.X.Column(j))
			design.IdleColumn(data.X, j)
		}
	}
	out.Coefficients = prior.DefaultCoefficients(columns, data.Intercept, s, m)
	for k, d := range f.Dispersions() {
		law := t.defaultDispersion(d)
		if k == 0 {
			out.Dispersion = law
		} else {
			out.Nu = law
		}
	}
	return out
}

// defaultDispersion returns the default prior of a dispersion.
func (t *Target) defaultDispersion(d Dispersion) prior.Prior {
	precision := t.total(t.data.Precision) / float64(t.Rows())
	if d.Default == nil {
		_, sd := t.spreadOfResponse()
		return prior.DefaultSigma(sd * math.Sqrt(precision))
	}
	unit := 1 / precision
	if d.Unit {
		unit *= vec.Sum(t.counted) / t.rows.Total
	}
	return d.Default(unit)
}

// moments returns mean and standard deviation of a column over the observations;
// the latter NaN for one observation.
func (t *Target) moments(x []float64) (mean, sd float64) {
	w := t.data.Frequency
	n := t.rows.Total
	mean = vec.Sum(product(w, x)) / n
	if w == nil {
		return mean, math.Sqrt(vec.SquaresAbout(x, mean) / (n - 1))
	}
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
	n, sum, stored, squares := t.rows.Total, 0.0, 0.0, 0.0
	for i, r := range c.Rows {
		sum = math.FMA(t.rows.Count(int(r)), c.Values[i], sum)
		stored += t.rows.Count(int(r))
	}
	mean = sum / n
	for i, r := range c.Rows {
		e := c.Values[i] - mean
		squares = math.FMA(float64(t.rows.Count(int(r))*e), e, squares)
	}
	squares = math.FMA(float64((n-stored)*mean), mean, squares)
	return mean, math.Sqrt(squares / (n - 1))
}

// spreadOfResponse returns mean and standard deviation of the response, less its
// offset under the identity link. A response without spread counts as having its
// own size, or 1.
func (t *Target) spreadOfResponse() (mean, sd float64) {
	y := t.data.Y
	if t.data.Offset != nil && t.model.Family.Of().Linear() {
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
	link := t.model.Family.Of()
	if !link.Unit() {
		return 1, 0
	}
	mean, sd := t.spreadOfResponse()
	if link.Linear() {
		return sd, mean
	}
	mean = t.meanResponse()
	centre = t.linkOf(mean)
	if o := t.data.Offset; o != nil {
		centre -= vec.Sum(product(t.data.Frequency, o)) / t.rows.Total
	}
	relative := sd / mean
	return math.Abs(link.Power) * relative * t.linkOf(mean), centre // |d link/d mu| = link·power/mu
}
