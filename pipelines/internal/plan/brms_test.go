package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"glmbatch/infer"
	matrix "glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// sums are the sum of a column, and that of its row numbers times its values.
type sums [2]float64

// brmsFormula is a formula with what brms makes of it: testdata/brms/formulas.R.
type brmsFormula struct {
	Kind, Formula, Family                       string
	Y                                           sums
	Trials, Weights, SE, Denom, Cens, Rcens, LB *sums
	Thresholds                                  int
	Predictors                                  map[string]struct {
		Columns   map[string]sums
		Curves    any // one name, or several
		Penalised []sums
		Monotonic []sums // of numbers of levels
		Steps     []int
		Category  map[string]sums // of category-specific effects
		Offset    *sums
	}
	Groupings []struct {
		Group  string
		Levels int
		Of     float64
		Terms  map[string]sums
	}
	Priors map[string]string
}

// familiesHere are families of brms that have another name here.
var familiesHere = strings.NewReplacer("student", "student_t", "negbinomial", "negative_binomial", "Beta", "beta",
	"Gamma", "gamma")

// priorDifferences are the default priors that differ from those of brms, as docs/brms.md lists them: the parameter
// and prior there, and the prior here.
var priorDifferences = []struct{ name, there, here string }{
	{"coefficients", `^(b|bs|bsp|bcs)_.* flat$`, `^normal\(0, .*\)$`},
	{"intercept", `^b_(mu\w+_)?Intercept student_t\(3, .*\)$`, `^normal\(.*\)$`},
	{"intercept of sigma", `^b_sigma_Intercept student_t\(3, 0, 2.5\)$`, `^normal\(.*, 2.5\)$`},
	{"intercept of zi and hu", `^b_(zi|hu)_Intercept logistic\(0, 1\)$`, `^normal\(0, 2.5\)$`},
	{"sigma", `^sigma half_student_t\(3, .*\)$`, `^exponential\(.*\)$`},
	{"beta of exgaussian", `^beta gamma\(1, 0.1\)$`, `^exponential\(.*\)$`},
	{"shape of negative_binomial, phi of beta_binomial", `^(shape|phi) gamma\(0.01, 0.01\)$`, `^gamma\(0.3, 0.003\)$`},
	{"shape and phi", `^(shape|phi) gamma\(0.01, 0.01\)$`, `^inverse_gamma\(0.5, 0.08\)$`},
	{"sds", `^(sd|sds)_.* half_student_t\(3, 2.5\)$`, `^half_student_t\(3, .*\)$`},
}

// brmsCase is one of the formulas as this program plans it.
type brmsCase struct {
	*testing.T
	brmsFormula
	problem     Problem
	fit         *Fit
	design      *transform.Design
	differences []string       // of designs and names
	laws        map[string]int // how many default priors are equal, and differ by a name
}

const brmsFolder = "../../../testdata/brms"

// brmsFormulas reads the formulas, and counts their kinds.
func brmsFormulas(t *testing.T) (formulas []brmsFormula) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(brmsFolder, "formulas.json"))
	if err == nil {
		err = json.Unmarshal(text, &formulas)
	}
	must(t, err)
	kinds := map[string]int{}
	for _, f := range formulas {
		kinds[f.Kind]++
	}
	if want := map[string]int{"plain": 24, "groups": 12, "ordinal": 8, "counts of classes": 2, "zeros": 5, "distributional": 5, "censored": 3,
		"skewed": 3}; !maps.Equal(kinds, want) {
		t.Errorf("formulas of kinds %v, want %v", kinds, want)
	}
	return formulas
}

// parseBrms reads a spec of some models.
func parseBrms(models string) (*spec.Pipeline, error) {
	return spec.Parse("s.yaml", []byte("pipeline: p\ndatasets: {d: {path: rows.csv}}\nsamplers: {s: {method: auto}}\n"+
		"run: {sample: prior}\nmodels:\n"+models), spec.Options{Dir: brmsFolder, Today: time.Now(), Env: os.LookupEnv})
}

// 62 formulas in brms's spelling have the designs, parameters and default priors of brms 2.18, up to named
// differences.
func TestBrmsFormulas(t *testing.T) {
	formulas := brmsFormulas(t)
	var models strings.Builder
	for i, f := range formulas {
		fmt.Fprintf(&models, "  m%d: {formula: %q, family: %s}\n", i, f.Formula, familiesHere.Replace(f.Family))
	}
	p, err := parseBrms(models.String())
	must(t, err)
	laws, different := map[string]int{}, map[string]int{}
	equal := len(formulas)
	err = (&Reader{Pipeline: p}).Units(t.Context(), func(u *Unit) error {
		for _, fit := range Fits(p, Choice{}, u) {
			var i int
			_, _ = fmt.Sscanf(fit.Model.Name, "m%d", &i)
			c := &brmsCase{T: t, brmsFormula: formulas[i], fit: fit, laws: laws}
			if c.check(); len(c.differences) > 0 {
				equal--
			}
			for _, name := range slices.Compact(c.differences) {
				different[name]++
			}
		}
		return nil
	})
	must(t, err)
	t.Logf("of %d formulas %d have the designs and names of parameters of brms, %d with named differences",
		len(formulas), equal, len(formulas)-equal)
	t.Logf("differences: %v", different)
	t.Logf("default priors: %v", laws)
}

// check compares the designs, parameters and priors.
func (c *brmsCase) check() {
	p, err := NewProblem(c.fit)
	if err != nil {
		c.Errorf("%s: %v", c.Formula, err)
		return
	}
	d, err := c.fit.Unit.design(c.fit.Model)
	if err != nil {
		c.Errorf("%s: %v", c.Formula, err)
		return
	}
	c.problem, c.design = p, d.Design
	c.response()
	c.groupings()
	names := []string{"mu"}
	if several := c.fit.Model.Family.Several(); several != nil && d.Record.Predicted == nil {
		names = nil
		for _, of := range several.Predictors(d.Record.Response.Levels) {
			names = append(names, of.Name)
		}
	}
	for _, name := range names {
		c.columns(name, d.Record, d.Data)
	}
	for k, further := range d.Record.Predicted {
		if further.Name == "thresholds" {
			c.specific(further.Record, d.Data.Further[k])
			continue
		}
		if _, there := c.Predictors[further.Name]; there || len(further.Record.Columns) > 1 {
			c.columns(further.Name, further.Record, d.Data.Further[k])
		}
	}
	c.priors()
}

// same reports sums that differ; nil of brms is for data that this program must not have.
func (c *brmsCase) same(what string, got []float64, want *sums) {
	c.Helper()
	if want == nil || got == nil {
		if (want == nil) != (got == nil) {
			c.Errorf("%s: %s: %d numbers, brms has %v", c.Formula, what, len(got), want)
		}
		return
	}
	var have sums
	size := 1.0
	for i, v := range got {
		have[0] += v
		have[1] += float64(i+1) * v
		size += float64(i+1) * math.Abs(v)
	}
	if !(math.Abs(have[0]-want[0]) < 1e-9*size && math.Abs(have[1]-want[1]) < 1e-9*size) {
		c.Errorf("%s: %s: sums %v, brms has %v", c.Formula, what, have, *want)
	}
}

// eachOf returns f of each number; nil of nil.
func eachOf(x []float64, f func(i int, v float64) float64) (out []float64) {
	for i, v := range x {
		out = append(out, f(i, v))
	}
	return out
}

// response compares the response and what is known of its rows.
func (c *brmsCase) response() {
	data, f := c.design.Data, c.fit.Model.Family.Family
	y := data.Y
	switch {
	case data.Counts != nil:
		y = slices.Concat(data.Counts...)
	case f.Support().Classes:
		y = eachOf(y, func(_ int, v float64) float64 { return v + 1 })
		if n := len(c.design.Record.Response.Levels) - 1; f.Support().Ordered && n != c.Thresholds {
			c.Errorf("%s: %d thresholds, brms has %d", c.Formula, n, c.Thresholds)
		}
	}
	c.same("response", y, &c.Y)
	c.same("trials", data.Trials, c.Trials)
	c.same("weights", data.Frequency, c.Weights)
	c.same("se", eachOf(data.Precision, func(_ int, v float64) float64 { return 1 / math.Sqrt(v) }), c.SE)
	c.same("cens", data.Kind, c.Cens)
	if c.Rcens != nil {
		c.same("rcens", eachOf(data.Kind, func(i int, v float64) float64 {
			if v == family.Within {
				return data.Bounds[i].Upper
			}
			return 0
		}), c.Rcens)
	}
	if c.LB != nil {
		c.same("lb", eachOf(data.Kind, func(i int, _ float64) float64 { return data.Bounds[i].Low }), c.LB)
	}
}

// columns compares the design of a predictor: columns by name, curves, and offsets.
func (c *brmsCase) columns(name string, r *transform.Record, data *glm.Data) {
	want := c.Predictors[name]
	curves := curvesOf(want.Curves)
	n := 0
	c.monotonic(want.Monotonic, want.Steps, data)
	for j, column := range r.Columns {
		if IsStep(data, j) {
			continue
		}
		smooth := slices.IndexFunc(data.Smooths, func(s matrix.Smooth) bool { return s.First <= j && j < s.Last })
		if smooth >= 0 {
			continue
		}
		x := data.X.Col(j)
		renamed := brmsName(column.Name)
		if curve := strings.TrimPrefix(renamed, "bs_"); slices.Contains(curves, curve) {
			curves = slices.DeleteFunc(curves, func(s string) bool { return s == curve })
			continue
		}
		if there, ok := want.Columns[renamed]; ok {
			n++
			c.same(column.Name, eachOf(x, func(_ int, v float64) float64 { return v*column.Scale + column.Centre }), &there)
		} else if !(c.Thresholds > 0 || name == "disc") || renamed != "Intercept" {
			c.Errorf("%s: %s has a column %s", c.Formula, name, renamed)
		}
	}
	if n != len(want.Columns) || len(curves) > 0 || len(data.Smooths) != len(want.Penalised) {
		c.Errorf("%s: %s has %d columns of %d, %d smooths of %d, and none for %q", c.Formula, name, n, len(want.Columns),
			len(data.Smooths), len(want.Penalised), curves)
		return
	}
	for k, s := range data.Smooths {
		squares := 0.0
		for j := s.First; j < s.Last; j++ {
			squares += vec.SumSquares(data.X.Col(j))
		}
		if of := want.Penalised[k]; float64(s.Last-s.First) != of[0] || math.Abs(squares-of[1]) > 1e-8*of[1] {
			c.Errorf("%s: %s has %d columns, sum of squares %v; brms has %v", c.Formula, s.Term, s.Last-s.First, squares, of)
		}
	}
	if c.Denom != nil {
		c.same("rate", eachOf(data.Offset, func(_ int, v float64) float64 { return math.Exp(v) }), c.Denom)
		return
	}
	c.same("offset", data.Offset, want.Offset)
}

// specific compares the columns of category-specific effects, which have the other sign in the design of thresholds.
func (c *brmsCase) specific(r *transform.Record, data *glm.Data) {
	want := c.Predictors["mu"].Category
	if len(r.Columns) != 1+len(want) {
		c.Errorf("%s: thresholds have %d columns, brms has %v", c.Formula, len(r.Columns), want)
	}
	for j, column := range r.Columns[1:] {
		of := want[brmsName(column.Name)]
		c.same(column.Name, eachOf(data.X.Col(j+1), func(_ int, v float64) float64 { return -v }), &of)
	}
}

// monotonic compares the numbers of levels, which are sums of columns, and how many steps there are.
func (c *brmsCase) monotonic(levels []sums, steps []int, data *glm.Data) {
	if len(data.Monotone) != len(levels) {
		c.Errorf("%s: %d monotonic effects, brms has %d", c.Formula, len(data.Monotone), len(levels))
		return
	}
	for k, m := range data.Monotone {
		number := make([]float64, data.Rows())
		for j := m.First; j < m.Last; j++ {
			data.X.Column(j).AddTo(number, 1)
		}
		if c.same(m.Name, number, &levels[k]); m.Last-m.First != steps[k] {
			c.Errorf("%s: %s has %d steps, brms has %d", c.Formula, m.Name, m.Last-m.First, steps[k])
		}
	}
}

// curvesOf are the names of unpenalised columns: null, one name or a list.
func curvesOf(names any) (out []string) {
	switch of := names.(type) {
	case string:
		return []string{of}
	case []any:
		for _, name := range of {
			out = append(out, name.(string))
		}
	}
	return out
}

// groupings compares levels and columns of group-level effects, by grouping and term.
func (c *brmsCase) groupings() {
	type block struct {
		levels int
		of     float64
		values []float64
	}
	blocks := map[string]block{}
	add := func(prefix string, data *glm.Data) {
		for _, e := range data.Effects {
			first, of := map[int32]int{}, 0.0
			for i, level := range e.Grouping.Of() {
				if first[level] == 0 {
					first[level] = i + 1
				}
				of += float64((i + 1) * first[level])
			}
			for k, term := range e.Terms {
				values := e.Columns[k]
				if values == nil {
					values = slices.Repeat([]float64{1}, data.Rows())
				}
				blocks[e.Group+" "+prefix+brmsName(term)] = block{len(e.Levels), of, values}
			}
		}
	}
	d := c.design
	if several := c.fit.Model.Family.Several(); several != nil && d.Record.Predicted == nil {
		for _, of := range several.Predictors(d.Record.Response.Levels) {
			add(of.Name+"_", d.Data)
		}
	} else {
		add("", d.Data)
	}
	for k, further := range d.Record.Predicted {
		add(further.Name+"_", d.Data.Further[k])
	}
	for _, g := range c.Groupings {
		for term, want := range g.Terms {
			got, ok := blocks[g.Group+" "+term]
			if !ok || got.levels != g.Levels || got.of != g.Of {
				c.Errorf("%s: (%s | %s): %d levels, code %v; brms has %d, %v", c.Formula, term, g.Group, got.levels, got.of,
					g.Levels, g.Of)
				continue
			}
			c.same(term+" | "+g.Group, got.values, &want)
			delete(blocks, g.Group+" "+term)
		}
	}
	if len(blocks) > 0 {
		c.Errorf("%s: brms has no %v", c.Formula, slices.Collect(maps.Keys(blocks)))
	}
}

// renamedByBrms are the characters that brms leaves out of names, or writes as letters.
var renamedByBrms = strings.NewReplacer("(", "", ")", "", " ", "", ",", "", "^", "E", "+", "P", "*", "MU", "/", "D")

func brmsName(name string) string { return renamedByBrms.Replace(name) }

// simplexHere is the name of a simplex.
var simplexHere = regexp.MustCompile(`^simo_(.*)\[`)

// priors compares the names of parameters, and their priors.
func (c *brmsCase) priors() {
	s, err := c.problem.Setup(nil, Schedule{}, nil)
	if err != nil {
		c.Errorf("%s: %v", c.Formula, err)
		return
	}
	params, rec := s.Sampler.Parameters(), &record.Fit{}
	for _, p := range params {
		rec.Parameters = append(rec.Parameters, record.ParameterOf(p))
	}
	if err := c.problem.Describe(rec, params); err != nil {
		c.Errorf("%s: %v", c.Formula, err)
		return
	}
	left := maps.Clone(c.Priors)
	for _, p := range rec.Parameters {
		if p.Prior == "" {
			c.Errorf("%s: %s has no prior", c.Formula, p.Name)
		}
		name := brmsName(p.Name)
		switch p.Kind {
		case infer.GroupEffect, infer.SmoothEffect:
			continue
		case infer.Monotonic:
			name = simplexHere.ReplaceAllString(name, "simo_mo${1}1[")
			if p.Name == p.Term {
				name = "bsp_" + name
			}
		case infer.Intercept, infer.Coefficient:
			if strings.HasPrefix(name, "mo") && strings.HasSuffix(name, "]") {
				continue // a step, which brms has no parameter for
			}
			if further, curve, found := strings.Cut(name, "_bs_"); found {
				name = "bs_" + further + "_" + curve
				c.differences = append(c.differences, "bs_sigma_sx_1 is sigma_bs_sx_1")
			} else if p.Kind == infer.Coefficient && strings.HasPrefix(p.Predictor, "threshold") {
				name = "bcs_" + name
			} else if !strings.HasPrefix(name, "bs_") {
				name = "b_" + name
			}
		}
		want, there := left[name]
		delete(left, name)
		switch {
		case !there && (p.Name == "zi_(Intercept)" || p.Name == "hu_(Intercept)") && left[p.Predictor] != "":
			c.differences = append(c.differences, "zi and hu without a formula are intercepts")
			delete(left, p.Predictor)
		case !there:
			c.Errorf("%s: brms has no parameter %s (%s)", c.Formula, name, p.Name)
		default:
			c.prior(name, want, p.Prior)
		}
	}
	if len(left) > 0 {
		c.Errorf("%s: there is no parameter for %v", c.Formula, left)
	}
}

// scaleLaw is a prior of brms that is cut off at 0.
var scaleLaw = regexp.MustCompile(`^student_t\(3, 0, (.*)\)$`)

// prior compares two default priors: they are equal, or their difference has a name.
func (c *brmsCase) prior(name, there, here string) {
	if !strings.HasPrefix(name, "b") || name == "beta" {
		there = scaleLaw.ReplaceAllString(there, "half_student_t(3, $1)")
	}
	if there == here {
		c.laws["equal"]++
		return
	}
	for _, d := range priorDifferences {
		if regexp.MustCompile(d.there).MatchString(name+" "+there) && regexp.MustCompile(d.here).MatchString(here) {
			c.laws[d.name]++
			return
		}
	}
	c.Errorf("%s: the prior of %s is %s, that of brms %s", c.Formula, name, here, there)
}
