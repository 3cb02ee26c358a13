package prior

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// Info is one row of the table of priors.
type Info struct {
	Kind Kind
	Args []string // names of its numbers, in the order of writing
	// Coefficient and Dispersion report whether it may be the prior of one.
	Coefficient, Dispersion bool
	// Moments describes its finite moments as text.
	Moments string
}

// table is the table of priors, in the order of messages.
var table = []Info{
	{Flat, nil, true, true, "improper"},
	{Normal, []string{"location", "scale"}, true, false, "all"},
	{StudentT, []string{"df", "location", "scale"}, true, false, "those below df"},
	{Cauchy, []string{"location", "scale"}, true, false, "none"},
	{Laplace, []string{"location", "scale"}, true, false, "all"},
	{HalfNormal, []string{"scale"}, false, true, "all"},
	{HalfStudentT, []string{"df", "scale"}, false, true, "those below df"},
	{HalfCauchy, []string{"scale"}, false, true, "none"},
	{Exponential, []string{"rate"}, false, true, "all"},
	{Gamma, []string{"shape", "rate"}, false, true, "all"},
	{InverseGamma, []string{"shape", "scale"}, false, true, "those below shape"},
	{Uniform, []string{"low", "high"}, true, true, "all"},
	{Beta, []string{"alpha", "beta"}, false, false, "all"},
	{Constant, []string{"value"}, false, true, "fixed"},
	{Horseshoe, []string{"tau0"}, true, false, "none"},
	{RegularisedHorseshoe, []string{"tau0", "slab_df", "slab_scale"}, true, false, "those below slab_df + 1"},
	{SpikeSlab, []string{"inclusion", "scale"}, true, false, "all"},
}

// Table returns the table of priors; it must not be changed.
func Table() []Info { return table }

// LogConcave reports whether the log density of a coefficient, given the scales that horseshoes have, is concave.
func (k Kind) LogConcave() bool { return k != StudentT && k != Cauchy && k != SpikeSlab }

// info returns the prior's row of the table.
func (p Prior) info() (Info, bool) {
	i := slices.IndexFunc(table, func(row Info) bool { return row.Kind == p.Kind })
	if i < 0 {
		return Info{}, false
	}
	return table[i], true
}

// argument returns the field of an argument of the table.
func (p *Prior) argument(name string) *float64 {
	switch name {
	case "location", "value":
		return &p.Location
	case "df", "slab_df":
		return &p.DF
	case "slab_scale":
		return &p.Slab
	case "shape", "alpha":
		return &p.Shape
	case "rate", string(Beta): // the second number of that kind
		return &p.Rate
	case "low":
		return &p.Low
	case "high":
		return &p.High
	case "inclusion":
		return &p.Inclusion
	}
	return &p.Scale
}

// String returns the canonical spelling, which Parse reads back to an
// equal prior: "normal(0, 2.5)", "half_cauchy(5)", "flat".
func (p Prior) String() string {
	row, _ := p.info()
	if len(row.Args) == 0 {
		return string(p.Kind)
	}
	numbers := make([]string, len(row.Args))
	for i, a := range row.Args {
		numbers[i] = strconv.FormatFloat(*p.argument(a), 'g', -1, 64)
	}
	return string(p.Kind) + "(" + strings.Join(numbers, ", ") + ")"
}

// Source gives uniform numbers in the open interval (0, 1), such as
// *infer.Stream.
type Source interface{ Float64() float64 }

// Draw returns a draw from the prior; NaN if it is not proper, or of a group. The number of
// uniforms that it takes depends on the kind, and for student_t, gamma and
// inverse_gamma on their values.
func (p Prior) Draw(s Source) float64 {
	switch p.Kind {
	case Normal:
		return math.FMA(p.Scale, variate.Normal(s), p.Location)
	case SpikeSlab:
		if !(s.Float64() < p.Inclusion) {
			return 0
		}
		return float64(p.Scale * variate.Normal(s))
	case HalfNormal:
		return float64(p.Scale * math.Abs(variate.Normal(s)))
	case HalfCauchy:
		return float64(p.Scale * variate.HalfCauchy(s))
	case Cauchy:
		z := variate.Normal(s)
		return math.FMA(p.Scale, z/variate.Normal(s), p.Location)
	case StudentT:
		return math.FMA(p.Scale, variate.StudentT(s, p.DF), p.Location)
	case HalfStudentT:
		return float64(p.Scale * math.Abs(variate.StudentT(s, p.DF)))
	case Laplace:
		u := s.Float64()
		if u < 0.5 {
			return math.FMA(p.Scale, vec.Log(2*u), p.Location)
		}
		return math.FMA(-p.Scale, vec.Log(2*(1-u)), p.Location)
	case Exponential:
		return variate.Exponential(s) / p.Rate
	case Gamma:
		return variate.Gamma(s, p.Shape) / p.Rate
	case InverseGamma:
		return p.Scale / variate.Gamma(s, p.Shape)
	case Uniform:
		return math.FMA(p.High-p.Low, s.Float64(), p.Low)
	case Beta:
		x := variate.Gamma(s, p.Shape)
		return x / (x + variate.Gamma(s, p.Rate))
	case Constant:
		return p.Location
	}
	return math.NaN()
}

// ForCoefficient returns the reason why p cannot be the prior of a coefficient, or nil.
func (p Prior) ForCoefficient() error {
	if row, ok := p.info(); ok && row.Coefficient {
		return p.check()
	}
	return fmt.Errorf("%s cannot be the prior of a coefficient: use normal(location, scale), another prior on the whole "+
		"line, or flat", p)
}

// ForDispersion returns the reason why p cannot be the prior of a dispersion, or nil.
func (p Prior) ForDispersion() error {
	if row, ok := p.info(); ok && row.Dispersion {
		if p.Kind == Uniform && !(p.Low >= 0) {
			return fmt.Errorf("%s reaches below 0, where no dispersion is: use a low end of 0 or more", p)
		}
		if p.Kind == Constant && !(p.Location >= minScale) {
			return fmt.Errorf("value %v is not a number between 1e-100 and 1e100", p.Location)
		}
		return p.check()
	}
	return fmt.Errorf("%s cannot be the prior of a dispersion: use half_cauchy(scale), half_normal(scale) or flat", p)
}

func shareError(p Prior) error {
	return fmt.Errorf("%s cannot be the prior of a number between 0 and 1: use uniform(0, 1) or beta(1, 1)", p)
}

// Limits of a prior's numbers: outside them the products that a sampler forms
// may overflow or underflow.
const (
	minScale = 1e-100
	maxScale = 1e100
	minShape = 1e-3
	maxShape = 1e6

	minInclusion = 1e-6
)

// check reports a number of p that is impossible.
func (p Prior) check() error {
	row, _ := p.info()
	for _, name := range row.Args {
		v := *p.argument(name)
		switch name {
		case "location", "value":
			if math.IsNaN(v) || math.Abs(v) > maxScale {
				return fmt.Errorf("%s %v is not a number between -1e100 and 1e100", name, v)
			}
		case "inclusion":
			if !(v >= minInclusion && v <= 1-minInclusion) {
				return fmt.Errorf("inclusion %v is not a probability between 1e-6 and 1 - 1e-6", v)
			}
		case "df", "shape", "slab_df", "alpha", string(Beta):
			if !(v >= minShape && v <= maxShape) {
				return fmt.Errorf("%s %v is not a number between 0.001 and 1e6", name, v)
			}
		case "low", "high":
			if !(math.Abs(v) <= maxScale && p.Low < p.High) {
				return fmt.Errorf("ends %v and %v are not two numbers within ±1e100, the lower one first", p.Low, p.High)
			}
		default:
			if !(v >= minScale && v <= maxScale) {
				return fmt.Errorf("%s %v is not a number between 1e-100 and 1e100", name, v)
			}
		}
	}
	return nil
}
