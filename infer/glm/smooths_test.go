package glm

import (
	"math"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/prior"
)

// smoothed makes columns of an example the penalised ones of a smooth.
func smoothed(e example, first, last int, sd prior.Prior) example {
	name := "s" + e.data.Names[first] + "_1"
	e.data.Smooths = append(e.data.Smooths, design.Smooth{Name: name, Term: "s(" + e.data.Names[first] + ")", First: first, Last: last})
	e.model.Smooths = append(e.model.Smooths, sd)
	return e
}

// process makes the last smooth of an example a Gaussian process.
func process(e example, length prior.Prior, frequencies ...float64) example {
	last := len(e.data.Smooths) - 1
	e.data.Smooths[last].Numbers, e.data.Smooths[last].Frequencies = 1, frequencies
	e.data.Smooths[last].Name = "gp" + e.data.Names[e.data.Smooths[last].First]
	e.model.Lengths = make([]prior.Prior, last+1)
	e.model.Lengths[last] = length
	return e
}

// smoothExamples are models with smooths: one, two, with horseshoes, and under every kind of prior of a dispersion.
func smoothExamples() map[string]example {
	wide := prior.Prior{Kind: prior.Normal, Scale: 3}
	plain := func(family string) example { return newExample(4, family, 11, 5, wide, wide, wide, wide, wide) }
	shoe := func() example { return newExample(4, "gaussian", 11, 5, wide, plainShoe, wide, wide, slabbedShoe) }
	return map[string]example{
		"smooth":             smoothed(plain("gaussian"), 2, 4, prior.Prior{Kind: prior.HalfStudentT, DF: 3, Scale: 0.8}),
		"two smooths":        smoothed(smoothed(plain("poisson"), 3, 5, prior.Prior{Kind: prior.Gamma, Shape: 2, Rate: 1}), 1, 3, prior.Prior{Kind: prior.Exponential, Rate: 2}),
		"beside scaleGroups": smoothed(shoe(), 2, 4, prior.Prior{Kind: prior.InverseGamma, Shape: 3, Scale: 2}),
		"uniform":            smoothed(plain("bernoulli"), 1, 4, prior.Prior{Kind: prior.Uniform, Low: 0, High: 1000}),
		"process": process(smoothed(plain("poisson"), 2, 5, prior.Prior{Kind: prior.HalfStudentT, DF: 3, Scale: 0.8}),
			prior.Prior{Kind: prior.InverseGamma, Shape: 4, Scale: 2}, 1, 2.1, 3.2),
		"process beside scaleGroups": process(smoothed(shoe(), 2, 4, prior.Prior{Kind: prior.InverseGamma, Shape: 3, Scale: 2}),
			prior.Prior{Kind: prior.Gamma, Shape: 3, Rate: 2}, 0.7, 1.6),
		"areas bym2": mapped(smoothed(plain("poisson"), 2, 5, prior.Prior{Kind: prior.HalfStudentT, DF: 3, Scale: 0.8}), "bym2",
			prior.Prior{Kind: prior.Uniform, High: 1}, 0, 0.8, 2.5),
		"areas escar": mapped(smoothed(shoe(), 2, 4, prior.Prior{Kind: prior.HalfNormal, Scale: 2}), "escar",
			prior.Prior{Kind: prior.Beta, Shape: 2, Rate: 3}, 0, 1.3),
		"flat":          smoothed(plain("gaussian"), 2, 5, prior.Prior{Kind: prior.Flat}),
		"fixed sd":      smoothed(plain("gamma"), 2, 5, prior.Prior{Kind: prior.Constant, Location: 0.5}),
		"negative flat": smoothed(plain("poisson"), 2, 4, prior.Prior{Kind: prior.HalfCauchy, Scale: 1}),
	}
}

// mapped makes the last smooth of an example the effects of areas.
func mapped(e example, structure string, share prior.Prior, shares ...float64) example {
	last := len(e.data.Smooths) - 1
	s := &e.data.Smooths[last]
	s.Name, s.Structure, s.Shares = "car", structure, shares
	e.model.Lengths = make([]prior.Prior, last+1)
	e.model.Lengths[last] = share
	return e
}

func TestSmoothLayout(t *testing.T) {
	names := func(e example) string {
		var list []string
		for _, p := range mustTarget(t, e).Parameters() {
			if p.Term != "" || p.Kind == infer.Scale || p.Kind == infer.LocalScale {
				list = append(list, p.Name+":"+string(p.Kind)+":"+p.Term)
			}
		}
		return strings.Join(list, " ")
	}
	all := smoothExamples()
	for name, want := range map[string]string{
		"two smooths": "x1:smooth_effect:s(x1) x2:smooth_effect:s(x1) x3:smooth_effect:s(x3) x4:smooth_effect:s(x3) " +
			"sds_sx3_1:smooth_sd:s(x3) sds_sx1_1:smooth_sd:s(x1)",
		"beside scaleGroups": "x2:smooth_effect:s(x2) x3:smooth_effect:s(x2) tau:scale: tau2:scale: c2:scale: " +
			"sds_sx2_1:smooth_sd:s(x2) lambda[x1]:local_scale: lambda[x4]:local_scale:",
		"process beside scaleGroups": "x2:smooth_effect:s(x2) x3:smooth_effect:s(x2) tau:scale: tau2:scale: c2:scale: " +
			"sdgp_gpx2:smooth_sd:s(x2) lscale_gpx2:smooth_sd:s(x2) lambda[x1]:local_scale: lambda[x4]:local_scale:",
		"areas escar": "x2:smooth_effect:s(x2) x3:smooth_effect:s(x2) tau:scale: tau2:scale: c2:scale: " +
			"sdcar:smooth_sd:s(x2) car:smooth_sd:s(x2) lambda[x1]:local_scale: lambda[x4]:local_scale:",
		"fixed sd": "x2:smooth_effect:s(x2) x3:smooth_effect:s(x2) x4:smooth_effect:s(x2)",
	} {
		if got := names(all[name]); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// Parts that do not fit together, and flat standard deviations without a finite integral, are refused; the caller's
// model is unchanged.
func TestSmoothsAreRefused(t *testing.T) {
	flat := prior.Prior{Kind: prior.Flat}
	wide := prior.Prior{Kind: prior.Normal, Scale: 3}
	sd := prior.Prior{Kind: prior.HalfNormal, Scale: 1}
	plain := func(n int) example { return newExample(4, "gaussian", n, 5, wide, wide, wide, wide, wide) }
	separated := newExample(8, "bernoulli", 40, 3, wide, wide, wide)
	separateX1(&separated)
	missing := smoothed(plain(11), 2, 4, sd)
	missing.model.Smooths = nil
	for words, e := range map[string]example{
		"1 smooths with 0 priors":                       missing,
		"has columns 3 to 9 of 5":                       smoothed(plain(11), 3, 9, sd),
		`column "x2" cannot be one of smooth s(x1) too`: smoothed(smoothed(plain(11), 2, 4, sd), 1, 3, sd),
		`column "x0" cannot be one of smooth s(x0) too`: smoothed(plain(11), 0, 3, sd),
		"flat beside one penalised column":              smoothed(plain(11), 2, 3, flat),
		"separate":                                      smoothed(separated, 1, 3, flat),
		"3 coefficients have flat priors":               smoothed(plain(2), 2, 5, flat),
		"prior of sds_sx2_1: normal(0, 3)":              smoothed(plain(11), 2, 5, wide),
		"prior of sds_sx2_1: value 0 is not a number":   smoothed(plain(11), 2, 5, prior.Prior{Kind: prior.Constant}),
	} {
		if _, err := NewTarget(e.data, e.model); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("want %q, got %v", words, err)
		}
	}
	e := smoothed(plain(11), 2, 4, sd)
	mustTarget(t, e)
	if e.model.Coefficients[2] != wide {
		t.Errorf("the caller's prior is now %v", e.model.Coefficients[2])
	}
}

// A flat standard deviation of m columns leaves a finite integral from m = 2 on, as the rule says: here of one column each
// of a gaussian with sigma 1, whose likelihood of b is exp(−½ Σ (z − b)²), the integral to sd = e^u grows with u for
// m = 1 and settles for m = 2 and 3.
func TestFlatSmoothRule(t *testing.T) {
	for m := 1; m <= 3; m++ {
		z := 1.3
		upTo := func(u float64) (sum float64) { // each coefficient integrated out: z ~ N(0, 1 + sd²)
			for x := -20.0; x < u; x += 0.01 {
				v := 1 + math.Exp(2*x)
				sum += 0.01 * math.Exp(x-float64(m)*(0.5*math.Log(v)+0.5*z*z/v))
			}
			return sum
		}
		grows := upTo(60)/upTo(30) - 1
		if bounded := grows < 1e-9; bounded != (m >= 2) {
			t.Errorf("%d columns: the integral grows by %v", m, grows)
		}
	}
}

// The mean of a flat standard deviation of two columns does not exist.
func TestSmoothMeans(t *testing.T) {
	for columns, want := range map[int]int{2: 1, 3: 0} {
		wide := prior.Prior{Kind: prior.Normal, Scale: 3}
		e := newExample(4, "gaussian", 11, 5, wide, wide, wide, wide, wide)
		if got := len(mustTarget(t, smoothed(e, 2, 2+columns, prior.Prior{Kind: prior.Flat})).MeanMayNotExist()); got != want {
			t.Errorf("%d columns: %d doubts, want %d", columns, got, want)
		}
	}
}

// Starts and the penalised point are within a narrow uniform prior of a standard deviation.
func TestSmoothsStartInside(t *testing.T) {
	wide := prior.Prior{Kind: prior.Normal, Scale: 3}
	e := newExample(4, "bernoulli", 11, 5, wide, wide, wide, wide, wide)
	target := mustTarget(t, smoothed(e, 1, 4, prior.Prior{Kind: prior.Uniform, Low: 0.1, High: 0.2}))
	p := NewPoint(target)
	inside := func(what string, u []float64) {
		p.SetUnconstrained(u)
		if v := p.LogPosterior(); math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%s: log posterior %v", what, v)
		}
	}
	inside("penalised", target.Penalised())
	for c := range 8 {
		u, words := target.Start(infer.Chain{Index: c, Count: 8, Stream: infer.NewStream(uint64(c), "inside")})
		inside(words, u)
	}
}
