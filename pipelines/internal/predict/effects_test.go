package predict

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
	laws "glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// withHint is an error with its hint.
func withHint(err error) string {
	message, hint := words.Parts(err)
	return message + "; " + hint
}

// fitted is a design of a classic data set with given draws of its coefficients, in the units of the data.
func fitted(t *testing.T, data, formula, family string, draws [][]float64) (*rows, *transform.Record, glm.Family) {
	t.Helper()
	table, err := ingest.Read(t.Context(), ingest.Source{Name: data,
		Path: filepath.Join("..", "..", "..", "testdata", "classic", data+".csv")})
	must(t, err)
	t.Cleanup(table.Release)
	f, err := transform.ParseFormula(formula)
	must(t, err)
	fam, err := laws.Parse(family, "")
	must(t, err)
	design, err := transform.Build(table.Data, transform.Spec{Dataset: data, Formula: f, Family: fam,
		Standardize: "center_scale"})
	must(t, err)
	if draws == nil { // a few that differ
		for j := range design.Data.Cols() {
			draws = append(draws, []float64{0.1 * float64(j), 0.1, -0.05 * float64(j), 0.02})
		}
	}
	if len(draws) != design.Data.Cols() {
		t.Fatalf("%d columns of draws, %d of the design", len(draws), design.Data.Cols())
	}
	r := &rows{table: table, weights: slices.Repeat([]float64{1}, int(table.Data.NumRows()))}
	term := record.Term{First: 1}
	for _, c := range design.Record.Columns {
		term.Columns = append(term.Columns, c.Name)
	}
	one := record.Component{Predictors: []record.Predictor{{Name: "mu", Link: fam.Link, Terms: []record.Term{term}}}}
	for range fam.Dispersions() {
		one.Scalars = append(one.Scalars, record.Scalar{Value: 1})
	}
	r.record = design.Record
	r.fit = &predictive.Fit{Chains: 1, Draws: len(draws[0]), Params: len(draws), Workers: 2,
		Description: &record.Description{Responses: []record.Response{{Family: fam.Name, Components: []record.Component{one}}}},
		Open: func() predictive.Columns {
			return func(yield func(*infer.Columns, error) bool) {
				yield(&infer.Columns{Params: len(draws), Chains: 1, Draws: len(draws[0]), Values: slices.Concat(draws...)}, nil)
			}
		}}
	return r, design.Record, fam
}

// resultsOf computes an effect.
func resultsOf(t *testing.T, e *spec.Effect, r *rows, record *transform.Record, family glm.Family) ([]result, *setting) {
	t.Helper()
	s, err := newSetting(e, family, record, r)
	must(t, err)
	found, err := s.compute(t.Context())
	must(t, err)
	return s.results(found), s
}

// From the same draws, cells and contrasts are those of R's emmeans, and averages over rows those of their definition:
// see testdata/make_effects.R.
func TestEffectsAreThoseOfR(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "effects.json"))
	must(t, err)
	var cases []struct {
		Data, Formula, Family string
		Draws                 [][]float64
		Effect                struct {
			Effect, Contrast, As, By string
			At                       map[string]any
			Average                  bool
			Step                     float64
		}
		Want [][]float64
	}
	must(t, json.Unmarshal(raw, &cases))
	for _, c := range cases {
		r, record, family := fitted(t, c.Data, c.Formula, c.Family, c.Draws)
		e := &spec.Effect{Effect: c.Effect.Effect, Contrast: c.Effect.Contrast, As: c.Effect.As, Average: c.Effect.Average,
			Step: c.Effect.Step}
		if c.Effect.By != "" {
			e.By = spec.Names{c.Effect.By}
		}
		for _, name := range []string{"age", "spontaneous"} {
			switch v := c.Effect.At[name].(type) {
			case string:
				e.At = append(e.At, &spec.EffectAt{Name: name, Values: spec.Names{v}})
			case []any:
				at := &spec.EffectAt{Name: name}
				for _, x := range v {
					at.Values = append(at.Values, x.(string))
				}
				e.At = append(e.At, at)
			}
		}
		got, _ := resultsOf(t, e, r, record, family)
		if len(got) != len(c.Want) {
			t.Errorf("%s, %s: %d rows, R has %d", c.Formula, e, len(got), len(c.Want))
			continue
		}
		for i, g := range got {
			for k, v := range []float64{g.summary.Mean, g.summary.SD, g.summary.Q025, g.summary.Median, g.summary.Q975} {
				if want := c.Want[i][k]; math.Abs(v-want) > 1e-11*(1+math.Abs(want)) {
					t.Errorf("%s, %s, row %d (%s), number %d: %v, R has %v", c.Formula, e, i, g.level, k, v, want)
				}
			}
		}
	}
}

// An average of rows as they are is that of their fitted means; the difference of an average is the average of the
// differences; workers change no bit; rows of weight 2 count twice, of weight 0 not at all.
func TestAveragesOfRows(t *testing.T) {
	r, record, family := fitted(t, "warpbreaks", "breaks ~ wool * tension", "poisson", nil)
	rows, _ := resultsOf(t, &spec.Effect{Average: true, By: spec.Names{"wool", "tension"}}, r, record, family)
	cells, _ := resultsOf(t, &spec.Effect{Effect: "wool:tension"}, r, record, family)
	for i := range cells { // of a saturated model, groups of rows are its cells
		if math.Abs(rows[i].summary.Mean-cells[i].summary.Mean) > 1e-12 || label(rows[i].by[1]) != label(cells[i].at[1]) {
			t.Errorf("rows %v %v, cell %v %v", rows[i].by, rows[i].summary.Mean, cells[i].at, cells[i].summary.Mean)
		}
	}
	held, _ := resultsOf(t, &spec.Effect{Effect: "wool"}, r, record, family)
	if len(held) != 2 || held[1].summary.Mean != cells[3].summary.Mean {
		t.Errorf("%v, want the cells of the reference of tension", held)
	}
	each, _ := resultsOf(t, &spec.Effect{Effect: "wool", Average: true, Contrast: "pairwise", By: spec.Names{"tension"}}, r,
		record, family)
	for i := range r.weights {
		r.weights[i] = 2 * float64(i%2) // half of each cell
	}
	r.fit.Workers = 1
	half, _ := resultsOf(t, &spec.Effect{Effect: "wool", Average: true, Contrast: "pairwise"}, r, record, family)
	if want := (each[0].summary.Mean + each[1].summary.Mean + each[2].summary.Mean) / 3; len(half) != 1 ||
		math.Abs(half[0].summary.Mean-want) > 1e-12 {
		t.Errorf("%v, want the mean of the three tensions, %v", half, want)
	}
	for i := range r.weights {
		r.weights[i] = 0
	}
	r.weights[0] = 1 // wool A, tension L
	if one, _ := resultsOf(t, &spec.Effect{Average: true, By: spec.Names{"wool"}}, r, record, family); len(one) != 1 ||
		one[0].summary.Mean != cells[1].summary.Mean {
		t.Errorf("one row gives %v, its cell %v", one, cells[1].summary)
	}
}

// Offsets are 0 unless they are asked for, or one of their columns is given; group-level effects are 0.
func TestEffectsPerUnitOfExposure(t *testing.T) {
	r, record, family := fitted(t, "insurance", "Claims ~ Age + offset(log(Holders))", "poisson", nil)
	mean := func(e spec.Effect) float64 {
		got, _ := resultsOf(t, &e, r, record, family)
		return got[0].summary.Mean
	}
	unit := mean(spec.Effect{Effect: "Age"})
	if given := mean(spec.Effect{Effect: "Age", At: []*spec.EffectAt{{Name: "Holders", Values: spec.Names{"100"}}}}); math.Abs(given-100*unit) > 1e-9 {
		t.Errorf("100 holders have %v claims, one %v", given, unit)
	}
	average := mean(spec.Effect{Effect: "Age", Average: true, Offsets: true})
	holders, err := transform.ContentsOf(r.table.Data, "Holders", "", r.weights)
	if err != nil || math.Abs(average-holders.Mean*unit) > 1e-9*average {
		t.Errorf("rows with their offsets have %v claims, want %v, %v", average, holders.Mean*unit, err)
	}
	if plain := mean(spec.Effect{Effect: "Age", Average: true}); math.Abs(plain-unit) > 1e-12 {
		t.Errorf("per unit %v, in the average %v", unit, plain)
	}
	r, record, family = fitted(t, "mtcars", "mpg ~ wt + (1 | gear)", "gaussian", nil)
	var notes strings.Builder
	got, s := resultsOf(t, &spec.Effect{Effect: "wt", Points: 3}, r, record, family)
	s.remark(&notes, record)
	if len(got) != 3 || !strings.Contains(notes.String(), "group-level effects are 0") {
		t.Errorf("%v, notes %q", got, notes.String())
	}
}

// An unsupported request is refused, with the supported ones.
func TestEffectsThatCannotBe(t *testing.T) {
	r, record, family := fitted(t, "infert", "case ~ education * age + factor(induced)", "bernoulli", nil)
	at := func(name string, values ...string) []*spec.EffectAt {
		return []*spec.EffectAt{{Name: name, Values: values}}
	}
	for says, e := range map[string]spec.Effect{
		`no variable "parity"; the variables are education, age, induced`: {Effect: "education:parity"},
		`no variable "agee"; did you mean "age"?`:                         {Effect: "agee"},
		`"13" is not a level of education`:                                {Effect: "age", At: at("education", "13")},
		`"old" is no value of age, which is numeric`:                      {Effect: "education", At: at("age", "old")},
		`"3" is not a level of induced`:                                   {Effect: "age", At: at("induced", "3")},
		"no variable is named":                                            {},
		"a contrast needs a variable":                                     {Average: true, Contrast: "pairwise"},
		"by groups the rows":                                              {Effect: "age", By: spec.Names{"education"}},
		"no contrast is asked for":                                        {Effect: "age", As: "ratio"},
		"compared by difference":                                          {Effect: "age", As: "ratio", Contrast: "pairwise", Scale: "link"},
		"age is named twice":                                              {Effect: "age:age"},
		"age has one value":                                               {Effect: "age", At: at("age", "30"), Contrast: "pairwise"},
		"these data do not have it":                                       {Effect: "age", Average: true, By: spec.Names{"nobody"}},
	} {
		_, err := newSetting(&e, family, record, r)
		var call *CallError
		var column *transform.ColumnError
		if err == nil || !errors.As(err, &call) && !errors.As(err, &column) || !strings.Contains(withHint(err), says) {
			t.Errorf("%s: %v", says, withHint(err))
		}
	}
	r, record, family = fitted(t, "warpbreaks", "breaks ~ wool", "poisson", nil)
	if _, err := newSetting(&spec.Effect{Effect: "wool", Contrast: "pairwise", As: "odds_ratio"}, family, record, r); err == nil ||
		!strings.Contains(err.Error(), "is no probability") {
		t.Errorf("odds of counts: %v", err)
	}
}

// A table names its columns once, whatever the variables are called, and every number has its type.
func TestEffectsAsATable(t *testing.T) {
	r, record, family := fitted(t, "mtcars", "mpg ~ wt * vs", "gaussian", nil)
	e := &spec.Effect{Effect: "vs:wt", Contrast: "pairwise", Scale: "link"}
	s, err := newSetting(e, family, record, r)
	must(t, err)
	found, err := s.compute(t.Context())
	must(t, err)
	var b strings.Builder
	must(t, s.write(t.Context(), &b, report.QueryOptions{Format: report.CSV}, found))
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 5 || lines[0] != "contrast,wt,mean,sd,q025,median,q975,p_direction" || !strings.HasPrefix(lines[1], "1 - 0,2.2") {
		t.Errorf("%s", b.String())
	}
	s.axes[1].column = "Mean"
	if err := s.write(t.Context(), io.Discard, report.QueryOptions{Format: report.Parquet}, found); err != nil {
		t.Errorf("a variable that is called Mean: %v", err)
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
