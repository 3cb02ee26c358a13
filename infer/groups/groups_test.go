package groups

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/nuts"
	"glmbatch/infer/prior"
	"glmbatch/internal/references"
)

// started returns the first chain of a study with a response drawn from its prior.
func started(t *testing.T, s study, o Options) *kernel {
	t.Helper()
	_, data := s.draw(infer.NewStream(3, "started"))
	setup, err := New(data, s.model, nil, o)
	must(t, err)
	k, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(4, "chain")})
	must(t, err)
	return k.(*kernel)
}

func TestParametersHaveFacts(t *testing.T) {
	s := newStudy("gaussian", "identity", 20, [2]int{3, 3}, [2]int{2, 1})
	s.model.Effects[0].SD[1] = prior.Prior{Kind: prior.Constant, Location: 1}
	params := started(t, s, Options{}).params
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
	}
	const want = "(Intercept) a b sigma sd_g__Intercept sd_g__t2 cor_g__Intercept__t1 cor_g__Intercept__t2 cor_g__t1__t2 " +
		"sd_h__Intercept r_g[0,Intercept] r_g[1,Intercept] r_g[2,Intercept] r_g[0,t1] r_g[1,t1] r_g[2,t1] r_g[0,t2] " +
		"r_g[1,t2] r_g[2,t2] r_h[0,Intercept] r_h[1,Intercept]"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("parameters\n%s, want\n%s", got, want)
	}
	for at, want := range map[int]infer.Parameter{
		5:  {Name: "sd_g__t2", Kind: infer.GroupSD, Grouping: "g", Term: "t2"},
		8:  {Name: "cor_g__t1__t2", Kind: infer.GroupCorrelation, Grouping: "g", Term: "t1", Term2: "t2"},
		14: {Name: "r_g[1,t1]", Kind: infer.GroupEffect, Grouping: "g", Level: "1", Term: "t1"},
	} {
		if params[at] != want {
			t.Errorf("parameter %d is %+v, want %+v", at, params[at], want)
		}
	}
}

// The form of the passes over rows moves no bit, and neither does how many rows are worked on together.
func TestKernelsAgree(t *testing.T) {
	for _, name := range []string{"gaussian/2", "bernoulli/crossed", "poisson/nested", "student_t/1"} {
		s := studies()[name]
		scalar, other := started(t, s, Options{Kernels: "scalar"}), started(t, s, Options{})
		a, b := make([]float64, len(scalar.params)), make([]float64, len(scalar.params))
		for range 50 {
			if _, err := scalar.Step(); err != nil {
				t.Fatal(err)
			}
			if _, err := other.Step(); err != nil {
				t.Fatal(err)
			}
		}
		scalar.Position(a)
		other.Position(b)
		for j := range a {
			if a[j] != b[j] {
				t.Errorf("%s: %s is %v and %v", name, scalar.params[j].Name, a[j], b[j])
				break
			}
		}
	}
}

// The density of sds with effects integrated out is that of the data under their dense covariance.
func TestMarginalIsThatOfTheData(t *testing.T) {
	for _, name := range []string{"gaussian/1", "gaussian/2", "gaussian/4", "gaussian/weighted", "gaussian/fifty"} {
		k := started(t, studies()[name], Options{})
		g, point, data := k.groups[0], k.point, k.target.Data()
		n, sigma := data.Rows(), point.Dispersions()[0]
		rest := make([]float64, n)
		for i, e := range point.Eta() {
			rest[i] = data.Y[i] - e
		}
		g.AddTo(rest, 0, g.r, rest)
		k.collect(g, 1/sigma/sigma)
		at := func(change float64) (got, want float64) {
			for s := range g.logSD {
				g.logSD[s] = change * float64(s+1)
			}
			for s := range g.partial {
				g.partial[s] = change / 2
			}
			g.settle()
			cov, z := make([]float64, n*n), make([]float64, n)
			for i := range n {
				cov[i*n+i] = sigma * sigma
				if data.Precision != nil {
					cov[i*n+i] /= data.Precision[i]
				}
				for j := range n {
					if g.of[i] != g.of[j] {
						continue
					}
					for s := range g.q {
						for u := range g.q {
							for m := range g.q {
								cov[i*n+j] += g.z(s, i) * g.chol[s*g.q+m] * g.chol[u*g.q+m] * g.z(u, j)
							}
						}
					}
				}
			}
			want = -cholesky(cov, n) / 2
			for i := range n {
				z[i] = rest[i]
				for j := range i {
					z[i] -= cov[i*n+j] * z[j]
				}
				z[i] /= cov[i*n+i]
				want -= z[i] * z[i] / 2
			}
			return g.logMarginal(1 / sigma / sigma), want
		}
		a, b := at(-0.5)
		c, d := at(0.3)
		if math.Abs((c-a)-(d-b)) > 1e-9*(1+math.Abs(d-b)) {
			t.Errorf("%s: the log density grows by %v, want %v", name, c-a, d-b)
		}
	}
}

// Groupings that lie in others are recognised, wholly or for the most part; crossed ones are not.
func TestNestingIsRecognised(t *testing.T) {
	for name, want := range map[string]string{
		"gaussian/nested": "fine lies in g: sds given", "poisson/thrice": "finer lies in fine lies in g: sds given",
		"gaussian/mostly": "fine lies in g for the most part", "bernoulli/mostly": "fine lies in g for the most part",
		"bernoulli/crossed": "",
	} {
		words := started(t, studies()[name], Options{}).Explain()
		if want == "" && strings.Contains(words, "lies in") || !strings.Contains(words, want) {
			t.Errorf("%s: %q, want %q", name, words, want)
		}
	}
}

// One logarithm of many levels' determinants is the sum of theirs.
func TestMarginalIsASumOverLevels(t *testing.T) {
	for _, terms := range []int{2, 4} {
		k := started(t, newStudy("gaussian", "identity", 60, [2]int{8, terms}), Options{})
		g := k.groups[0]
		k.collect(g, 1)
		for _, size := range []float64{0, 30, 60} {
			for s := range g.logSD {
				g.logSD[s] = size
			}
			g.settle()
			want := 0.0
			for l := range g.levels {
				one, part := *g, *g.block
				part.levels, part.gram = 1, g.gram[l*g.q*g.q:(l+1)*g.q*g.q]
				one.block, one.here.slope = &part, g.here.slope[l*g.q:(l+1)*g.q]
				want += one.logMarginal(1)
			}
			if got := g.logMarginal(1); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%d terms, sds of e^%v: %v, want %v", terms, size, got, want)
			}
		}
	}
}

func TestImproperPriorsAreRefused(t *testing.T) {
	flat := prior.Prior{Kind: prior.Flat}
	gaussian, poisson := newStudy("gaussian", "identity", 30, [2]int{3, 1}), newStudy("poisson", "log", 30, [2]int{8, 1})
	flatSD := func(m *glm.Model) { m.Effects[0].SD[0] = flat }
	held := func(m *glm.Model) {
		m.Coefficients[0], m.Dispersion = flat, prior.Prior{Kind: prior.Constant, Location: 1}
	}
	many := newStudy("gaussian", "identity", 30, [2]int{40, 1})
	for name, c := range map[string]struct {
		s      study
		change func(m *glm.Model)
		want   string // in the error; empty for none
	}{
		"flat coefficients":         {gaussian, func(m *glm.Model) { m.Coefficients[1] = flat }, ""},
		"flat coefficient, poisson": {poisson, func(m *glm.Model) { m.Coefficients[1] = flat }, "prior of a: flat"},
		"flat sd of three levels":   {gaussian, flatSD, ""},
		"flat sd of two levels": {newStudy("gaussian", "identity", 30, [2]int{2, 1}), flatSD,
			""},
		"flat sd of two levels, flat intercept": {newStudy("gaussian", "identity", 30, [2]int{2, 1}), func(m *glm.Model) {
			flatSD(m)
			m.Coefficients[0] = flat
		}, `grouping "g" has 1 level that the data tell apart from flat coefficients, and flat needs at least 2`},
		"flat sd, family gamma": {newStudy("gamma", "log", 30, [2]int{8, 1}), flatSD, "half_student_t"},
		"as many levels as rows": {many, func(m *glm.Model) { m.Coefficients[0] = flat },
			"30 rows for 3 columns and 40 levels"},
		"as many levels, sigma held": {many, held, ""},
		"a shape of lkj": {newStudy("gaussian", "identity", 30, [2]int{3, 2}),
			func(m *glm.Model) { m.Effects[0].LKJ = 0 }, "shape of lkj"},
		"a normal prior of an sd": {gaussian,
			func(m *glm.Model) { m.Effects[0].SD[0] = prior.Prior{Kind: prior.Normal, Scale: 1} }, "prior of sd_g__Intercept"},
	} {
		model := c.s.model
		model.Coefficients = append([]prior.Prior(nil), model.Coefficients...)
		model.Effects = nil
		for _, p := range c.s.model.Effects {
			p.SD = append([]prior.Prior(nil), p.SD...)
			model.Effects = append(model.Effects, p)
		}
		_, data := c.s.draw(infer.NewStream(5, name))
		c.change(&model)
		_, err := New(data, model, nil, Options{})
		if got := ""; err != nil {
			got = err.Error()
			if c.want == "" || !strings.Contains(got, c.want) {
				t.Errorf("%s: error %q, want %q", name, got, c.want)
			}
		} else if c.want != "" {
			t.Errorf("%s: no error, want %q", name, c.want)
		}
	}
}

// The last chain starts apart from others, and where it comes back from: under priors a hundred times as wide as the
// posterior it has arrived after 25 iterations. From draws of such priors seven had not.
func TestLastChainArrives(t *testing.T) {
	wide := newStudy("bernoulli", "logit", 400, [2]int{80, 1})
	_, data := wide.draw(infer.NewStream(9, "wide"))
	for j := range wide.model.Coefficients {
		wide.model.Coefficients[j] = prior.Prior{Kind: prior.Normal, Scale: 100}
	}
	wide.model.Effects[0].SD[0] = prior.Prior{Kind: prior.HalfNormal, Scale: 100}
	setup, err := New(data, wide.model, nil, Options{})
	must(t, err)
	theta := make([]float64, len(setup.Parameters()))
	at := func(index, seed, iterations int) (sd, intercept float64) {
		k, err := setup.Kernel(infer.Chain{Index: index, Count: 4, Stream: infer.NewStream(uint64(seed), "arrives", strconv.Itoa(index))})
		must(t, err)
		for range iterations {
			if _, err := k.Step(); err != nil {
				t.Fatal(err)
			}
		}
		k.Position(theta)
		return theta[3], theta[0]
	}
	apart := 0
	for seed := range 20 {
		if sd, _ := at(3, seed, 0); sd > 3 {
			apart++
		}
		if sd, intercept := at(3, seed, 25); sd > 3 || math.Abs(intercept) > 3 {
			t.Errorf("seed %d: after 25 iterations sd is %.1f, the intercept %.1f", seed, sd, intercept)
		}
	}
	if apart < 15 {
		t.Errorf("%d of 20 chains start apart", apart)
	}
}

// Eight schools, whose standard errors are known: posteriordb's reference draws. False alarms: |z| < 4.5 for ten means
// of two samplers, 1.4e-4. Power: a mean that is off by 0.08 sds.
func TestEightSchools(t *testing.T) {
	d := readTable(t, "eight_schools.csv")
	s := problem("gaussian", "identity", d.numbers("effect"), nil, d.by("school"))
	for _, se := range d.numbers("se") {
		s.data.Precision = append(s.data.Precision, 1/(se*se))
	}
	s.model.Coefficients[0] = prior.Prior{Kind: prior.Normal, Scale: 5}
	s.model.Dispersion = prior.Prior{Kind: prior.Constant, Location: 1}
	s.model.Effects[0].SD[0] = prior.Prior{Kind: prior.HalfCauchy, Scale: 5}
	text, err := os.ReadFile(filepath.Join(references.Folder(t, "multilevel"), "eight_schools.reference.json"))
	must(t, err)
	var reference map[string]struct{ Mean, SD, MCSE float64 }
	must(t, json.Unmarshal(text, &reference))
	setup, err := New(&s.data, s.model, nil, Options{})
	must(t, err)
	t.Run("groups", func(t *testing.T) { schools(t, setup, 50, reference) })
	target, err := NewTarget(&s.data, s.model, nil, TargetOptions{})
	must(t, err)
	if setup, err = nuts.NewFor(target, nuts.Options{TargetAccept: 0.95}); err != nil {
		t.Fatal(err)
	}
	t.Run("nuts", func(t *testing.T) { schools(t, setup, 1000, reference) })
}

// schools compares a chain of eight schools with the reference.
func schools(t *testing.T, setup infer.Setup, warmup int, reference map[string]struct{ Mean, SD, MCSE float64 }) {
	k, err := setup.Kernel(infer.Chain{Count: 1, Warmup: warmup, Stream: infer.NewStream(infertest.Seed(t), "schools")})
	must(t, err)
	draws, theta := map[string][]float64{}, make([]float64, 10)
	for i := range warmup + infertest.Scale(10_000, 100_000) {
		if _, err := k.Step(); err != nil {
			t.Fatal(err)
		}
		if k.Position(theta); i < warmup {
			continue
		}
		draws["mu"], draws["tau"] = append(draws["mu"], theta[0]), append(draws["tau"], theta[1])
		for l := range 8 {
			name := "theta[" + strconv.Itoa(l+1) + "]"
			draws[name] = append(draws[name], theta[0]+theta[2+l])
		}
	}
	for name, values := range draws {
		want, ok := reference[name]
		if !ok {
			t.Fatalf("the reference has no %s", name)
		}
		ess := diag.ESSBulk([][]float64{values})
		z := (mean(values) - want.Mean) / math.Hypot(want.MCSE, want.SD/math.Sqrt(ess))
		if !(math.Abs(z) < 4.5) {
			t.Errorf("%s: mean %.3f, the reference has %.3f: z = %.2f", name, mean(values), want.Mean, z)
		}
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
