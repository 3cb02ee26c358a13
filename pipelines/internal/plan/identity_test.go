package plan

import (
	"testing"

	"glmbatch/infer/cggibbs"
	matrix "glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
)

const fingerprinted = `
pipeline: p
seed: 1
datasets: {d: {path: d.csv}}
models:
  m:
    formula: y ~ x
    family: poisson
    prior: {coefficients: "normal(0, 1)", intercept: "normal(0, 10)", by_name: {x: "normal(0, 3)"}}
samplers: {s: {method: cggibbs}}
run: {chains: 4, first: 100, max_iterations: 1000}
gates: {rhat: 1.02}
`

func fingerprintOf(t *testing.T, p *spec.Pipeline, data string) string {
	t.Helper()
	ref := p.Fits()[0]
	m := resolve(ref.Sampler, ref.Model)
	f := &Fit{Pipeline: p, Unit: &Unit{Dataset: ref.Dataset}, Model: ref.Model, Sampler: ref.Sampler}
	return identified(t, f, &Regression{coded: coded{Design: &transform.Design{Data: &glm.Data{X: matrix.NewDense(1, 1)}}, dataHash: DataHash{Value: data}}, fit: f, sampler: m}).Fingerprint
}

// identified identifies a fit of a problem that is given.
func identified(t *testing.T, f *Fit, p Problem) *Identified {
	t.Helper()
	id, err := Identify(f, p, Memory{})
	must(t, err)
	return id
}

func parse(t *testing.T) *spec.Pipeline {
	t.Helper()
	p, err := spec.Parse("p.yaml", []byte(fingerprinted), spec.Options{Dir: "/data"})
	must(t, err)
	return p
}

// A fingerprint changes with the settings that change the draws, and with no others.
func TestFingerprint(t *testing.T) {
	base := fingerprintOf(t, parse(t), "h")
	if got := fingerprintOf(t, parse(t), "other"); got == base {
		t.Error("the data do not count")
	}
	model := func(p *spec.Pipeline) *spec.Model { return p.Models[0] }
	for name, change := range map[string]func(*spec.Pipeline){
		"seed":            func(p *spec.Pipeline) { p.Seed++ },
		"chains":          func(p *spec.Pipeline) { p.Run.Chains++ },
		"first":           func(p *spec.Pipeline) { p.Run.First++ },
		"max_iterations":  func(p *spec.Pipeline) { p.Run.MaxIterations++ },
		"fixed length":    func(p *spec.Pipeline) { p.Run.Draws = 100 },
		"until":           func(p *spec.Pipeline) { p.Run.Until.ESS = 100 },
		"data set's name": func(p *spec.Pipeline) { p.Datasets[0].Name = "e" },
		"model's name":    func(p *spec.Pipeline) { model(p).Name = "n" },
		"sampler's name":  func(p *spec.Pipeline) { p.Samplers[0].Name = "t" },
		"formula":         func(p *spec.Pipeline) { model(p).Formula = "y ~ x - 1" },
		"family":          func(p *spec.Pipeline) { model(p).Family.Name = "bernoulli" },
		"standardize":     func(p *spec.Pipeline) { model(p).Standardize = "max_abs" },
		"missing":         func(p *spec.Pipeline) { model(p).Missing = "drop" },
		"levels":          func(p *spec.Pipeline) { model(p).Levels = map[string][]spec.Text{"x": {"b", "a"}} },
		"contrasts":       func(p *spec.Pipeline) { model(p).Contrasts = map[string]string{"x": "sum"} },
		"prior":           func(p *spec.Pipeline) { model(p).Prior.Coefficients.Scale = 2 },
		"intercept":       func(p *spec.Pipeline) { model(p).Prior.Intercept.Prior.Scale = 2 },
		"at":              func(p *spec.Pipeline) { model(p).Prior.Intercept.At = "zero" },
		"sigma":           func(p *spec.Pipeline) { model(p).Prior.Sigma.Prior = prior.Prior{Kind: prior.HalfNormal, Scale: 1} },
		"by_name":         func(p *spec.Pipeline) { model(p).Prior.ByName[0].Prior.Scale = 9 },
		"keep":            func(p *spec.Pipeline) { p.Run.Keep.All = "summary" },
		"method":          func(p *spec.Pipeline) { p.Samplers[0].Method = "nuts" },
		"method's option": func(p *spec.Pipeline) { p.Samplers[0].Scan.Order = "random" },
	} {
		p := parse(t)
		change(p)
		if fingerprintOf(t, p, "h") == base {
			t.Errorf("%s does not count", name)
		}
	}
	for name, change := range map[string]func(*spec.Pipeline){
		"gates":    func(p *spec.Pipeline) { p.Gates.RHat.Fail.At = 1.5 },
		"database": func(p *spec.Pipeline) { p.Database = "x.duckdb" },
		"path":     func(p *spec.Pipeline) { p.Datasets[0].Path = "/elsewhere/d.csv" },
		"vars":     func(p *spec.Pipeline) { p.Vars = spec.Vars{"night": "2"} },
	} {
		p := parse(t)
		change(p)
		if fingerprintOf(t, p, "h") != base {
			t.Errorf("%s counts, and should not", name)
		}
	}
}

func TestPriorsByName(t *testing.T) {
	m := &spec.Model{}
	set := func(scale float64) spec.CoefficientPrior {
		return spec.CoefficientPrior{Prior: prior.Prior{Kind: prior.Normal, Scale: scale}}
	}
	m.Prior.Coefficients, m.Prior.Intercept.Prior = set(1), set(2)
	for i, pattern := range []string{"x1*", "x12", "x*", "nothing"} {
		m.Prior.ByName = append(m.Prior.ByName, &spec.NamedPrior{Pattern: pattern, Prior: set(float64(3 + i))})
	}
	data := &glm.Data{
		X:         matrix.NewDense(1, 6),
		Names:     []string{"(Intercept)", "age", "x9", "x11", "x12", "x*"},
		Intercept: 0,
	}
	want := []float64{2, 1, 5, 3, 4, 5}
	for j, p := range posterior(m, data).Coefficients {
		if p.Scale != want[j] {
			t.Errorf("%s has the prior %v, want scale %g", data.Names[j], p, want[j])
		}
	}
	if got := unused(m, data); len(got) != 1 || got[0] != "prior.by_name nothing decides the prior of no column" {
		t.Errorf("unused patterns %q, want the one that matches nothing", got)
	}
}

// Of many rows the sums over parts are part of the fingerprint, of others not.
func TestFingerprintOfTallData(t *testing.T) {
	p := parse(t)
	ref := p.Fits()[0]
	m := resolve(ref.Sampler, ref.Model)
	f := &Fit{Pipeline: p, Unit: &Unit{Dataset: ref.Dataset}, Model: ref.Model, Sampler: ref.Sampler}
	for rows, want := range map[int]string{1 << 14: glm.TallVersion, 1<<14 - 1: ""} {
		design := &transform.Design{Rows: rows, Data: &glm.Data{X: matrix.NewDense(1, 1)}}
		id := Identity{Versions: map[string]string{}}
		(&Regression{coded: coded{Design: design}, fit: f, sampler: m}).Identify(&id)
		if got := id.Versions["tall"]; got != want {
			t.Errorf("%d rows: version %q, want %q", rows, got, want)
		}
	}
}

// The fingerprint of models that auto may update in blocks has the version of blocks, that of others does not.
func TestFingerprintOfBlocks(t *testing.T) {
	for _, c := range []struct {
		basis, family string
		rows, columns int
		want          string
	}{
		{"auto", "bernoulli", 65, 64, cggibbs.BlocksVersion}, {"auto", "bernoulli", 64, 64, ""},
		{"auto", "bernoulli", 65, 63, ""}, {"rotated", "bernoulli", 65, 64, ""}, {"auto", "poisson", 65, 64, ""},
	} {
		p := parse(t)
		p.Samplers[0].Basis = c.basis
		p.Models[0].Family.Family = glm.Family{Name: c.family, Link: "logit"}
		ref := p.Fits()[0]
		m := resolve(ref.Sampler, ref.Model)
		f := &Fit{Pipeline: p, Unit: &Unit{Dataset: ref.Dataset}, Model: ref.Model, Sampler: ref.Sampler}
		design := &transform.Design{Rows: c.rows, Data: &glm.Data{X: matrix.NewDense(c.rows, c.columns)}}
		id := Identity{Versions: map[string]string{}}
		(&Regression{coded: coded{Design: design}, fit: f, sampler: m}).Identify(&id)
		if got := id.Versions["blocks"]; got != c.want {
			t.Errorf("%s, %d × %d: version %q, want %q", c.basis, c.rows, c.columns, got, c.want)
		}
	}
}

// The default shape of negative_binomial has a version of its own, so that a new one redraws such fits only.
func TestFingerprintOfDefaultShape(t *testing.T) {
	for _, c := range []struct {
		family string
		shape  prior.Kind
		want   string
	}{
		{"negative_binomial", "", "defaults/1 shape/2"}, {"negative_binomial", prior.Exponential, "defaults/1"},
		{"gamma", "", "defaults/1"}, {"poisson", "", "defaults/1"},
	} {
		m := parse(t).Models[0]
		m.Family.Family = glm.Family{Name: c.family, Link: "log"}
		m.Prior.Coefficients.Prior, m.Prior.Shape.Prior = prior.Prior{}, prior.Prior{Kind: c.shape, Rate: 1}
		if got := identifyModel(m).Defaults; got != c.want {
			t.Errorf("%s, shape %q: %q, want %q", c.family, c.shape, got, c.want)
		}
	}
}

// The fingerprint of models with enough coefficients for slow directions has their version, that of others does not.
func TestFingerprintOfSlowDirections(t *testing.T) {
	for _, c := range []struct {
		basis, slow string
		sparse      bool
		columns     int
		want        string
	}{
		{"auto", "", true, 128, cggibbs.SlowVersion}, {"auto", "", true, 127, ""}, {"auto", "off", true, 128, ""},
		{"auto", "", false, 128, ""}, {"coordinate", "", true, 128, ""}, {"reduced", "", true, 128, ""},
		{"coordinate", "on", true, 128, cggibbs.SlowVersion}, {"coordinate", "nuts", false, 128, cggibbs.SlowVersion},
	} {
		p := parse(t)
		p.Samplers[0].Basis, p.Samplers[0].Slow = c.basis, c.slow
		ref := p.Fits()[0]
		m := resolve(ref.Sampler, ref.Model)
		f := &Fit{Pipeline: p, Unit: &Unit{Dataset: ref.Dataset}, Model: ref.Model, Sampler: ref.Sampler}
		var x matrix.Matrix = matrix.NewDense(10, c.columns)
		if c.sparse {
			sparse := matrix.NewSparse(10, c.columns, 0)
			for range c.columns {
				sparse.Append(nil, nil)
			}
			x = sparse
		}
		id := Identity{Versions: map[string]string{}}
		(&Regression{coded: coded{Design: &transform.Design{Rows: 10, Data: &glm.Data{X: x}}}, fit: f, sampler: m}).Identify(&id)
		if got := id.Versions["slow"]; got != c.want {
			t.Errorf("%+v: version %q", c, got)
		}
	}
}
