package prior

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

var some = []Prior{
	{Kind: Normal, Location: 0, Scale: 1}, {Kind: Normal, Location: -3, Scale: 0.1}, {Kind: Normal, Location: 2, Scale: 10},
	{Kind: HalfNormal, Scale: 0.5}, {Kind: HalfNormal, Scale: 7}, {Kind: HalfCauchy, Scale: 5}, {Kind: HalfCauchy, Scale: 0.01},
	{Kind: Flat},
	{Kind: StudentT, DF: 4, Location: 1, Scale: 2}, {Kind: StudentT, DF: 0.7, Scale: 1}, {Kind: StudentT, DF: 300, Scale: 1},
	{Kind: Cauchy, Location: -1, Scale: 2.5}, {Kind: Laplace, Location: 0.5, Scale: 3},
	{Kind: HalfStudentT, DF: 3, Scale: 2.5}, {Kind: Exponential, Rate: 0.3}, {Kind: Gamma, Shape: 2, Rate: 0.1},
	{Kind: Gamma, Shape: 0.4, Rate: 2}, {Kind: InverseGamma, Shape: 0.4, Scale: 0.3}, {Kind: InverseGamma, Shape: 3, Scale: 2},
	{Kind: Uniform, Low: 0.5, High: 4}, {Kind: Uniform, Low: -3, High: -1},
}

// cdf is the distribution function, by package math.
func cdf(p Prior, x float64) float64 {
	switch p.Kind {
	case Normal:
		return math.Erfc(-(x-p.Location)/p.Scale/math.Sqrt2) / 2
	case HalfNormal:
		return math.Erf(x / p.Scale / math.Sqrt2)
	case StudentT:
		return distuv.StudentsT{Mu: p.Location, Sigma: p.Scale, Nu: p.DF}.CDF(x)
	case HalfStudentT:
		return 2*distuv.StudentsT{Sigma: p.Scale, Nu: p.DF}.CDF(x) - 1
	case Cauchy:
		return 0.5 + math.Atan((x-p.Location)/p.Scale)/math.Pi
	case Laplace:
		return distuv.Laplace{Mu: p.Location, Scale: p.Scale}.CDF(x)
	case Exponential:
		return -math.Expm1(-p.Rate * x)
	case Gamma:
		return distuv.Gamma{Alpha: p.Shape, Beta: p.Rate}.CDF(x)
	case InverseGamma:
		return distuv.InverseGamma{Alpha: p.Shape, Beta: p.Scale}.CDF(x)
	case Uniform:
		return min(1, max(0, (x-p.Low)/(p.High-p.Low)))
	}
	return 2 * math.Atan(x/p.Scale) / math.Pi
}

// spread is a scale of a prior, for the steps of a test.
func spread(p Prior) float64 {
	switch p.Kind {
	case Exponential, Gamma:
		return max(1, p.Shape) / p.Rate
	case Uniform:
		return (p.High - p.Low) / 5
	}
	return p.Scale
}

// The density is the slope of the distribution function, which ends at 1.
func TestPriorIsNormalised(t *testing.T) {
	for _, p := range some {
		for _, u := range []float64{0.1, 0.7, 1, 2.5} {
			x := p.Location + p.Low + u*spread(p)
			if !p.Proper() {
				if p.LogDensity(x) != 0 {
					t.Errorf("%v: log density %v, want 0", p, p.LogDensity(x))
				}
				continue
			}
			h := 1e-4 * spread(p)
			slope := (8*(cdf(p, x+h)-cdf(p, x-h)) - (cdf(p, x+2*h) - cdf(p, x-2*h))) / (12 * h)
			if got := math.Exp(p.LogDensity(x)); !near(got, slope, 1e-9*slope) && math.Abs(got/slope-1) > 2e-8 {
				t.Errorf("%v: density %v at %v, slope of the distribution %v", p, got, x, slope)
			}
			g := (p.LogDensity(x+h) - p.LogDensity(x-h)) / (2 * h)
			if math.Abs(p.Gradient(x)-g) > 1e-5*(1/spread(p)+math.Abs(g)) {
				t.Errorf("%v: gradient %v at %v, differences %v", p, p.Gradient(x), x, g)
			}
		}
		if p.positive() && !math.IsInf(p.LogDensity(-1e-9), -1) {
			t.Errorf("%v: log density %v below 0", p, p.LogDensity(-1e-9))
		}
	}
}

// False alarms: at most 1e-6 over all priors (Dvoretzky–Kiefer–Wolfowitz);
// 20,000 draws put the limit at 0.02, a scale error of 15 % is caught.
func TestPriorDraws(t *testing.T) {
	n := 20_000
	limit := math.Sqrt(math.Log(2/(1e-6/20)) / (2 * float64(n)))
	distance := func(p, law Prior) float64 {
		src, sample, d := rand.New(rand.NewPCG(1, 2)), make([]float64, n), 0.0
		for i := range sample {
			sample[i] = p.Draw(src)
		}
		slices.Sort(sample)
		for i, x := range sample {
			d = max(d, math.Abs(cdf(law, x)-float64(i)/float64(n)), math.Abs(cdf(law, x)-float64(i+1)/float64(n)))
		}
		return d
	}
	for _, p := range some {
		if !p.Proper() {
			if v := p.Draw(rand.New(rand.NewPCG(1, 2))); v == v {
				t.Errorf("%v draws %v", p, v)
			}
			continue
		}
		if d := distance(p, p); d > limit {
			t.Errorf("%v: distance %.4f, limit %.4f", p, d, limit)
		}
		wrong := p
		wrong.Scale *= 1.15
		wrong.Rate *= 1.15
		wrong.High += 0.15 * (p.High - p.Low)
		if p.Kind == InverseGamma && p.Shape < 1 {
			wrong.Scale *= 1.3
		}
		if d := distance(wrong, p); d <= limit {
			t.Errorf("%v: a scale error is not caught: distance %.4f", p, d)
		}
	}
}

func TestParse(t *testing.T) {
	for _, p := range append(some, Prior{Kind: SpikeSlab, Inclusion: 0.1, Scale: 2.5}) {
		got, err := Parse(p.String())
		if err != nil || got != p {
			t.Errorf("ParsePrior(%q) = %v, %v", p.String(), got, err)
		}
	}
	for text, want := range map[string]string{
		" normal ( 0,2.5 ) ": "normal(0, 2.5)", "normal(-0, 1e2)": "normal(0, 100)", "flat()": "flat",
		"half_cauchy(5)": "half_cauchy(5)", "half_normal(0.25)": "half_normal(0.25)", "normal(-1.5,1)": "normal(-1.5, 1)", "student_t(3,0,2.5)": "student_t(3, 0, 2.5)", "uniform(0, 10)": "uniform(0, 10)", "constant(4)": "constant(4)", "uniform(-5,-1)": "uniform(-5, -1)",
	} {
		if got, err := Parse(text); err != nil || got.String() != want {
			t.Errorf("ParsePrior(%q) = %v, %v; want %s", text, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "no prior has the name",
		"gaussian(0, 1)":     "the priors are flat, normal(location, scale)",
		"norml(0, 1)":        "did you mean normal(location, scale)?",
		"Normal(0, 1)":       "did you mean normal(location, scale)?",
		"halfcauchy(5)":      "did you mean half_cauchy(scale)?",
		"half-cauchy(5)":     "did you mean half_cauchy(scale)?",
		"normal(0)":          "normal takes 2 numbers, not 1",
		"normal":             "normal takes 2 numbers, not 0",
		"flat(1)":            "flat takes no numbers, not 1",
		"half_normal(1, 2)":  "half_normal takes 1 number, not 2",
		"normal(0, -1)":      "its scale is -1; a scale is positive",
		"normal(0, 0)":       "its scale is 0",
		"normal(a, 1)":       `its location "a" is not a number`,
		"normal(0, 2,5)":     "normal takes 2 numbers, not 3",
		"normal(0, 1":        "brackets",
		"normal(0, (1))":     "brackets",
		"normal(0, 1) x":     "brackets",
		"normal(0, inf)":     "scale +Inf is not a number between",
		"normal(nan, 1)":     "location NaN is not a number between",
		"normal(0, NaN)":     "scale NaN is not",
		"half_cauchy(1e300)": "is not a number between",
		"student_t(0, 0, 1)": "its df is 0; a df is positive",
		"uniform(3, 2)":      "its ends 3 and 2 are not two numbers",
		"gamma(2)":           "gamma takes 2 numbers, not 1",
		"exponential(-1)":    "its rate is -1; a rate is positive",
		"normal(0, )":        `its scale "" is not a number`,
		"spike_slab(1, 2)":   "inclusion 1 is not a probability",
		"spike_slab(0, 2)":   "its inclusion is 0",
		"spike_slab(0.5)":    "write spike_slab(inclusion, scale)",
	} {
		_, err := Parse(text)
		var parse *ParseError
		if !errors.As(err, &parse) || !strings.Contains(err.Error(), want) {
			t.Errorf("ParsePrior(%q): error %v, want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, p := range some {
		f.Add(p.String())
	}
	f.Add("normal(0, (")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := Parse(p.String()); err != nil || again != p {
			t.Fatalf("%q gives %v, which reads back as %v, %v", text, p, again, err)
		}
	})
}

// A spike and slab has its mass at 0, and elsewhere the inclusion probability times a normal density.
//
// False alarms: 5 sds of the share of zeros and of the sum of squares, 1e-6. Power: 0.008 in the inclusion, 2 % in the
// scale.
func TestSpikeAndSlab(t *testing.T) {
	p := Prior{Kind: SpikeSlab, Inclusion: 0.3, Scale: 2}
	slab := Prior{Kind: Normal, Scale: 2}
	if got, want := p.LogDensity(0), math.Log(0.7); !near(got, want, 1e-15) {
		t.Errorf("log density %v at 0, want %v", got, want)
	}
	if got, want := p.LogDensity(1.3), math.Log(0.3)+slab.LogDensity(1.3); !near(got, want, 1e-15) {
		t.Errorf("log density %v at 1.3, want %v", got, want)
	}
	const n = 100_000
	rng, zeros, squares := rand.New(rand.NewPCG(3, 4)), 0.0, 0.0
	for range n {
		x := p.Draw(rng)
		if x == 0 {
			zeros++
		}
		squares += x * x / 4
	}
	if limit := 5 * math.Sqrt(0.21*n); math.Abs(zeros-0.7*n) > limit {
		t.Errorf("%v of %d draws are 0, want 70 %% to %v", zeros, n, limit)
	}
	if in := n - zeros; math.Abs(squares/in-1) > 5*math.Sqrt(2/in) {
		t.Errorf("the mean square of the slab's draws is %v of its variance", squares/in)
	}
}

// In runs the priors have the bits that each has alone.
func TestPriorsInRuns(t *testing.T) {
	var of []Prior
	for i, p := range some {
		for range 1 + i%3 {
			of = append(of, p)
		}
	}
	p := NewJoint(of)
	if len(p.ends) != len(some) {
		t.Errorf("%d runs of %d priors", len(p.ends), len(some))
	}
	for _, from := range []float64{0.6, -1.7} {
		x, got, sum := make([]float64, len(of)), make([]float64, len(of)), 0.0
		for j := range of {
			x[j], got[j] = from+0.01*float64(j), 0.3
			sum += of[j].LogDensity(x[j])
			if along := p.Along(j, x[j]); along != of[j].LogDensity(x[j]) {
				t.Errorf("%v at %v: %v, alone %v", of[j], x[j], along, of[j].LogDensity(x[j]))
			}
		}
		if got := p.LogDensity(x); got != sum {
			t.Errorf("log density %v, summed %v", got, sum)
		}
		p.AddGradient(x, got)
		for j := range of {
			if want := 0.3 + of[j].Gradient(x[j]); got[j] != want {
				t.Errorf("gradient of %v at %v: %v, alone %v", of[j], x[j], got[j], want)
			}
		}
	}
}

// near reports whether two numbers agree to a relative or absolute tolerance.
func near(a, b, tol float64) bool {
	return a == b || math.Abs(a-b) <= tol*(1+math.Abs(a)+math.Abs(b))
}

// The square of a slab's scale is InverseGamma(ν/2, ν·s²/2), so that 1/c² has mean 1/s²
// and variance 2/(ν·s⁴).
//
// False alarms: 6 sds, 1e-9 for each slab. Power: a factor of 1.01 in c at ν = 4.
func TestSlabHasItsLaw(t *testing.T) {
	const n = 400_000
	for _, p := range []Prior{{Kind: RegularisedHorseshoe, DF: 4, Slab: 2}, {Kind: RegularisedHorseshoe, DF: 1, Slab: 0.5}} {
		rng := rand.New(rand.NewPCG(5, 6))
		mean := 0.0
		for range n {
			c := p.DrawSlab(rng) / p.Slab
			mean += 1 / (c * c) / n
		}
		if limit := 6 * math.Sqrt(2/p.DF/n); math.Abs(mean-1) > limit {
			t.Errorf("slab %g, %g degrees of freedom: the mean of s²/c² is %v, want 1 to %.3g", p.Slab, p.DF, mean, limit)
		}
	}
}

// Coefficients share the scales of a horseshoe where prior and group are the same, and
// only there.
func TestGroupsShareScales(t *testing.T) {
	one, other := Prior{Kind: Horseshoe, Scale: 1}, Prior{Kind: RegularisedHorseshoe, Scale: 1, DF: 4, Slab: 2}
	list := []Prior{{Kind: Normal, Scale: 1}, one, other, one, other, one}
	for name, c := range map[string]struct {
		apart []int
		want  []Group
	}{
		"by prior": {nil, []Group{{one, false, nil, []int{1, 3, 5}, 0, -1, 3}, {other, false, nil, []int{2, 4}, 1, 2, 6}}},
		"by group": {[]int{0, 0, 0, 1, 0, 0}, []Group{{one, false, nil, []int{1, 5}, 0, -1, 4}, {other, false, nil, []int{2, 4}, 1, 2, 6},
			{one, false, nil, []int{3}, 3, -1, 8}}},
	} {
		got := Groups(list, c.apart)
		if len(got) != len(c.want) {
			t.Fatalf("%s: %+v", name, got)
		}
		for i, g := range got {
			w := c.want[i]
			if g.Prior != w.Prior || !slices.Equal(g.Columns, w.Columns) || g.Tau != w.Tau || g.Slab != w.Slab || g.Local != w.Local {
				t.Errorf("%s: group %d is %+v, want %+v", name, i, g, w)
			}
		}
	}
}
