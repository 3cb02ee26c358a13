package cggibbs_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// plainCase is a case on which auto makes plain sweeps, with the options that lead to a basis.
type plainCase struct {
	infertest.Case
	options cggibbs.Options
	basis   string // that auto's words name
}

// plainCases are one for each basis that has plain sweeps.
func plainCases() []plainCase {
	families := infertest.FamilyCases()
	at := slices.IndexFunc(families, func(c infertest.Case) bool { return c.Name == "student_t(nu=4)" })
	robust := families[at]
	auto := cggibbs.Options{Basis: "auto"}
	heavy := infertest.Bernoulli(12)
	heavy.Model.Coefficients = slices.Clone(heavy.Model.Coefficients)
	heavy.Model.Coefficients[1] = prior.Prior{Kind: prior.StudentT, DF: 4, Location: 0.2, Scale: 0.8}
	out := []plainCase{
		{robust, cggibbs.Options{Basis: "auto", Joint: "off"}, "rotated: "},
		{lone(robust, 10), auto, "all of them proposed at once"},
		{heavy, cggibbs.Options{Basis: "auto", Joint: "off"}, "rotated: "},
		{widened(robust, 5, 60), auto, "reduced: "},
		{heavyWide(infertest.Poisson(8), 6, 60), auto, "mixture: "},
	}
	for i, c := range out {
		out[i].Name = fmt.Sprintf("%s/%s", c.Name, strings.TrimSuffix(c.basis, ": "))
	}
	return out
}

// lone returns a case with n rows of one coefficient.
func lone(c infertest.Case, n int) infertest.Case {
	c = widened(c, n, 1)
	c.Model.Coefficients[0].Scale = 1
	return c
}

// widened returns a case with n rows and d columns under normal priors.
func widened(c infertest.Case, n, d int) infertest.Case {
	c.Name += "/wide"
	x := design.NewDense(n, d)
	c.Data.Names, c.Model.Coefficients = nil, nil
	for j := range d {
		c.Data.Names = append(c.Data.Names, fmt.Sprintf("x%d", j))
		for i := range n {
			x.Col(j)[i] = math.Mod(float64(i+1)*math.Sqrt(float64(3*j+2)), 1)*2 - 1
		}
		c.Model.Coefficients = append(c.Model.Coefficients, prior.Prior{Kind: prior.Normal,
			Location: 0.02, Scale: 0.2 + 0.05*float64(j%3)})
	}
	c.Data.X, c.Data.Offset, c.Data.Intercept = x, nil, -1
	return c
}

// heavyWide is widened with student_t priors.
func heavyWide(c infertest.Case, n, d int) infertest.Case {
	c = widened(c, n, d)
	for j := range d {
		c.Model.Coefficients[j] = prior.Prior{Kind: prior.StudentT, DF: 5, Location: 0.02, Scale: 0.15}
	}
	return c
}

// sampler makes setups and checks that they have plain sweeps, and the words of a basis; without these the coordinate
// basis passes too, which auto takes for some responses.
func (c plainCase) sampler(basis string) infertest.Sampler {
	return func(target *glm.Target) (infer.Setup, error) {
		s, err := cggibbs.New(target, c.options)
		if err != nil {
			return nil, err
		}
		const plain = "a sweep over single coefficients with doubling in "
		words := s.(infer.Explainer).Explain()
		every := basis == "" && strings.HasPrefix(words, "coordinate: ") // each sweep is plain
		if !every && (!strings.Contains(words, basis) || !strings.Contains(words, plain)) {
			return nil, fmt.Errorf("the sampler is %q, want %q with %q", words, basis, plain)
		}
		return s, nil
	}
}

// Auto's plain sweeps leave the posterior as it is, in each basis, and chains with them are resumed with the same
// bits. False alarms: at most 1e-6 for each of 5 cases. Power: as in TestBasisInvariance.
func TestPlainSweeps(t *testing.T) {
	for _, c := range plainCases() {
		t.Run(c.Name, func(t *testing.T) {
			infertest.Invariance(t, infertest.Check{Case: c.Case, Sampler: c.sampler(""), Seed: infertest.Seed(t),
				Steps: 2, Pairs: infertest.Scale(460, 20_000)})
			_, target, err := c.Simulate(infer.NewStream(1, "plain"))
			must(t, err)
			infertest.Conformance(t, target, c.sampler(c.basis))
		})
	}
}

// A chain of auto leaves a mode that its joint proposals never leave: that of one of two clusters of responses. Both have
// draws after a start in one of them, in a fixed number of iterations.
func TestPlainSweepsFindModes(t *testing.T) {
	y := []float64{-0.118, -0.321, 0.949, 1.059, 0.210, 0.162, 0.429, 13.729, 13.824, 13.795, 14.750, 14.831, 13.059, 13.451}
	x := design.NewDense(len(y), 1)
	for i := range y {
		x.Col(0)[i] = 1
	}
	target, err := glm.NewTarget(&glm.Data{X: x, Y: y, Names: []string{"(Intercept)"}}, glm.Model{
		Family:       glm.Family{Name: "student_t", Link: "identity"},
		Coefficients: []prior.Prior{{Kind: prior.Normal, Location: 6.5, Scale: 20}},
		Dispersion:   prior.Prior{Kind: prior.Constant, Location: 1}, Nu: prior.Prior{Kind: prior.Constant, Location: 2}})
	must(t, err)
	const joint = "all of them proposed at once"
	setup, err := plainCase{options: cggibbs.Options{Basis: "auto"}}.sampler(joint)(target)
	must(t, err)
	for _, start := range []float64{0, 14} {
		k, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(3, fmt.Sprint(start))})
		must(t, err)
		must(t, k.(infertest.Placer).SetPosition([]float64{start}))
		at, high := []float64{0}, 0
		for range 4000 {
			if _, err := k.Step(); err != nil {
				t.Fatal(err)
			}
			if k.Position(at); at[0] > 7 {
				high++
			}
		}
		t.Logf("from %g: %d of 4000", start, high)
		if high < 400 || high > 3600 {
			t.Errorf("from %g, %d of 4000 draws are in the higher of two modes, want 400 to 3600", start, high)
		}
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
