package transform

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer/glm"
	"glmbatch/internal/words"
)

// derivedFaults mark the place of the fault by §; Bind meets the names x, z,
// glu, glu:x, (Intercept), log(x) and sigma, with two variables x and g.
var derivedFaults = []struct{ marked, message, hint string }{
	{"§", "empty", "glu - bmi"},
	{"§1 + 2", "reads no parameter", ""},
	{"glu -§", "operand is missing", ""},
	{"glu §bmi", "operator is expected", "backquotes"},
	{"poly(age, 2)§1", "operator is expected", "`poly(age, 2)1`"},
	{"§poly(age, 2)", "no function \"poly\"", "backquotes"},
	{"§expp(glu)", "no function \"expp\"", "did you mean \"exp\"?"},
	{"§exp(glu, 2)", "takes one argument", "exp(glu)"},
	{"§exp()", "takes one argument", ""},
	{"exp(x = §glu)", "without names", ""},
	{"§'glu'", "text in quotes", "backquotes"},
	{"glu > §.", "stands for no parameter", ""},
	{"glu §&& x", "no meaning between numbers", "write &"},
	{"glu §%in% x", "no meaning between numbers", ""},
	{"glu > §1e999", "not a number", ""},
	{"0 < glu §< 1", "do not chain", "(a < b) & (b < c)"},
	{"mean(§1)", "by name", "mean(age = 40"},
	{"mean(x = 1, x = §2)", "given x twice", ""},
	{"mean(x = §glu)", "x in mean() is a number", ""},
	// names
	{"glu - §gluu", "no parameter \"gluu\"", "did you mean glu? the parameters are"},
	{"§Intercept", "no parameter \"Intercept\"", "did you mean `(Intercept)`?"},
	{"2 * §log(y)", "no parameter", ""},
	{"§mean(x = 1)", "needs a value of g", "still missing are g"},
	{"mean(x = 1, g = 'a', age = §3)", "not a variable of the formula", "the variables are x, g"},
}

func derivedError(source string) error {
	d, err := ParseDerived(source)
	if err == nil {
		names := []string{"x", "z", "glu", "glu:x", "(Intercept)", "log(x)", "sigma"}
		record := &Record{Variables: []Variable{{Label: "x", Expression: "x", Kind: "numeric"},
			{Label: "g", Expression: "g", Kind: "text", Levels: []string{"a", "b"}, Contrasts: "treatment"}}}
		_, err = d.Bind(&Fitted{Names: names, Record: record})
	}
	return err
}

// Each fault is found at its place.
func TestDerivedFaults(t *testing.T) {
	for _, c := range derivedFaults {
		source := strings.Replace(c.marked, "§", "", 1)
		var fault *FormulaError
		if err := derivedError(source); !errors.As(err, &fault) {
			t.Errorf("%q: error %v, want a FormulaError", source, err)
			continue
		}
		pos := strings.Index(c.marked, "§")
		if source == "2 * log(y)" {
			pos += len("log(") // the name, not the function
		}
		message, hint := words.Parts(fault.Err)
		if fault.Pos != pos || !strings.Contains(message, c.message) || !strings.Contains(hint, c.hint) {
			t.Errorf("%q: position %d, %q, hint %q; want %d, %q, %q", source, fault.Pos, message, hint, pos, c.message, c.hint)
		}
	}
}

// A formula alone determines the impossible names, and none if it takes columns unseen.
func TestDerivedCheck(t *testing.T) {
	for _, c := range []struct{ formula, derived, want string }{
		{"y ~ age * race + ns(lwt, 3)", "raceblack - `ns(lwt, 3)2` + age:raceblack + sigma", ""},
		{"y ~ age * race", "`age:raceblack:wood` + `(Intercept)`", ""},
		{"y ~ age * race", "age + rac", `there is no parameter "rac"`},
		{"y ~ age * race", "lwt:raceblack", `there is no parameter "lwt:raceblack"`},
		{"y ~ age * race", "age:lwt", `there is no parameter "age:lwt"`},
		{"y ~ age:race", "ageXraceblack", `there is no parameter "ageXraceblack"`},
		{"y ~ age - 1", "`(Intercept)` + age", `there is no parameter "(Intercept)"`},
		{"y ~ age", "tau", `there is no parameter "tau"`},
		{"y ~ .", "lwt:raceblack", ""},
		{"y ~ age + x*", "x12", ""},
		{"y ~ age * race + offset(log(e))", "mean(age = 1, race = 'a')", "needs a value of e"},
		{"y ~ age * race + offset(log(e))", "mean(age = 1, race = 'a', e = 3)", ""},
		{"y ~ age", "mean(age = 1, rce = 'a')", `is given "rce"`},
		{"y ~ .", "mean(age = 1, rce = 'a')", ""},
		{"y ~ age + (1 + w | g) + (1 | g:h)", "sd_g__Intercept + sd_g__w + cor_g__Intercept__w + `r_g[a b,w]` + `sd_g:h__Intercept`", ""},
		{"y ~ age + (1 | g)", "sd_h__Intercept", `there is no parameter "sd_h__Intercept"`},
		{"y ~ age + (1 + w | g)", "mean(age = 1, w = 2, g = 'a') - mean(age = 1, w = 2)", ""},
		{"y ~ age + (1 + w | g)", "mean(age = 1, g = 'a')", "needs a value of w"},
		{"y ~ age + (1 | g) + (1 | h)", "mean(age = 1, g = 'a')", "needs a value of h"},
		{"y ~ age + (1 | g)", "mean(age = 1, f = 'a')", `is given "f"`},
	} {
		d, err := ParseDerived(c.derived)
		if err == nil {
			err = d.Check(mustParse(t, c.formula), familyNamed("gaussian"), nil)
		}
		if c.want == "" && err != nil || c.want != "" && !says(err, c.want) {
			t.Errorf("%s with %s: %v, want %q", c.derived, c.formula, err, c.want)
		}
	}
}

// values computes a quantity for draws in rows, of the columns a, b, c and d:e.
func derivedValues(t *testing.T, source string, rows ...[]float64) ([]float64, Undefined) {
	t.Helper()
	d, err := ParseDerived(source)
	must(t, err)
	q, err := d.Bind(&Fitted{Names: []string{"a", "b", "c", "d:e"}})
	must(t, err)
	forms := make([][]float64, len(q.Forms))
	for k, form := range q.Forms {
		for _, row := range rows {
			v := form.Constant
			for i, j := range form.Columns {
				v += row[j] * form.Weights[i]
			}
			forms[k] = append(forms[k], v)
		}
	}
	var u Undefined
	out := make([]float64, len(rows))
	q.Values(forms, out, &u)
	return out, u
}

// Every operator and function on numbers whose results are exact.
func TestDerivedValues(t *testing.T) {
	for source, want := range map[string]float64{
		"a - b + c":          2 - 3 + 0.5,
		"-a^2 / 4 * 3":       -3,
		"2^-a":               0.25,
		"d:e * 2":            -8,
		"`d:e` + 1":          -3,
		"exp(log(a)) - a":    0,
		"log2(a) + log10(1)": 1,
		"log1p(a - 2)":       0,
		"sqrt(abs(d:e))":     2,
		"a > b":              0, "a < b": 1, "a >= 2": 1, "a <= 2": 1, "a == 2": 1, "a != 2": 0,
		"a < b & c < b": 1, "a > b | c < b": 1, "!(a > b)": 1, "!a": 0, "!a > b": 1,
		"(a < b) + (c < b)":               2,
		"max(a, b, c) - min(a, b, c)":     2.5,
		"max(a)":                          2,
		"logistic(a - 2) + plogis(b - 3)": 1,
		"pnorm(b - 3) + pcauchy(b - 3)":   1,
		"inv_cloglog(log(log(a)))":        0.5,
	} {
		got, u := derivedValues(t, source, []float64{2, 3, 0.5, -4})
		if math.Abs(got[0]-want) > 1e-15 || u != (Undefined{}) {
			t.Errorf("%s = %v (%+v), want %v", source, got[0], u, want)
		}
	}
}

// A draw without a value is NaN, counted, and its position named; a comparison with it has no value either.
func TestDerivedUndefined(t *testing.T) {
	for _, c := range []struct {
		source string
		want   Undefined
	}{
		{"log(a - b)", Undefined{NaN: 1, Infinite: 1, At: "log(a - b)"}},
		{"1 + sqrt(a - b) > 0", Undefined{NaN: 1, At: "sqrt(a - b)"}},
		{"exp(1000 * a)", Undefined{Infinite: 3, At: "exp(1000 * a)"}},
		{"min(log(a - b), 5)", Undefined{NaN: 1, Infinite: 1, At: "log(a - b)"}},
		{"c / (a - b)", Undefined{Infinite: 1, At: "c/(a - b)"}},
		{"(a - b)^0.5", Undefined{NaN: 1, At: "(a - b)^0.5"}},
	} {
		got, u := derivedValues(t, c.source, []float64{1, 1, 1, 0}, []float64{1, 2, 1, 0}, []float64{3, 1, 1, 0})
		if u != c.want {
			t.Errorf("%s: %v, %+v, want %+v", c.source, got, u, c.want)
		}
	}
}

// Results are the same by one draw and by many: blocks change no bit.
func TestDerivedBlocks(t *testing.T) {
	rows := make([][]float64, 3*chunk+7)
	for i := range rows {
		rows[i] = []float64{float64(i) / 7, 1 / float64(i+1), float64(i % 5), float64(i * i)}
	}
	const source = "exp(-a) * max(b, c / 9) + (`d:e` > 100) - logistic(b - c)"
	all, _ := derivedValues(t, source, rows...)
	for i := range rows {
		if one, _ := derivedValues(t, source, rows[i]); one[0] != all[i] {
			t.Fatalf("draw %d: %v alone, %v among all", i, one[0], all[i])
		}
	}
}

// The linear predictor at a row's own values is that row of the design times the
// coefficients, under every scaling, with offsets.
func TestDerivedPointIsARow(t *testing.T) {
	for _, standardize := range []string{"none", "center_scale"} {
		table := classic(t, "birthwt")
		const formula = `low ~ poly(age, 2) * race + ns(lwt, 3) + I(ptl > 0):smoke + cut(age, c(0, 20, 60)) + relevel(race, ref = "other") + offset(log(ftv + 2))`
		spec := Spec{Standardize: standardize, Formula: mustParse(t, formula), Family: familyNamed("bernoulli")}
		design, err := Build(table, spec)
		must(t, err)
		const source = "linear_predictor(age = 19, lwt = 182, race = 'black', ptl = 0, smoke = 0, ftv = 0) - mean(ftv = 0, smoke = 0, ptl = 0, race = 'black', lwt = 182, age = 19)"
		d, err := ParseDerived(source)
		must(t, err)
		q, err := d.Bind(&Fitted{Names: design.Data.Names, Record: design.Record, Family: glm.Family{Name: "bernoulli", Link: "logit"}})
		must(t, err)
		if len(q.Forms) != 2 {
			t.Errorf("%d forms", len(q.Forms))
		}
		sampled, data := make([]float64, design.Data.Cols()), make([]float64, design.Data.Cols())
		for j := range sampled {
			sampled[j] = math.Sin(float64(j + 1))
		}
		copy(data, sampled)
		design.Record.ToData(data)
		eta := design.Data.Offset[0]
		for j, beta := range sampled {
			eta += beta * design.Data.X.Col(j)[0]
		}
		got := q.Forms[0].Constant
		for i, j := range q.Forms[0].Columns {
			got += data[j] * q.Forms[0].Weights[i]
		}
		if math.Abs(got-eta) > 1e-10 {
			t.Errorf("%s: linear predictor %v, want %v", standardize, got, eta)
		}
		out := make([]float64, 1)
		q.Values([][]float64{{got}, {got}}, out, new(Undefined))
		if want := got - 1/(1+math.Exp(-got)); math.Abs(out[0]-want) > 1e-14 {
			t.Errorf("%s: %v, want %v", standardize, out[0], want)
		}
	}
}

// Values that are none of their column are named with it.
func TestDerivedPointFaults(t *testing.T) {
	design := mustBuild(t, makeTable(t, 4, mixedColumns...), "y ~ x + g + log(neg + 3)", Spec{})
	for source, want := range map[string]string{
		"mean(x = 1, g = 'd', neg = 1)":  `column "g", mean(x = 1, g = "d", neg = 1): "d" is not a level that the model was fitted with` + "\nhint: its levels are a, b, c",
		"mean(x = 1, g = 2, neg = 1)":    `column "g": it is numeric`,
		"mean(x = '1', g = 'a', neg= 1)": `column "x": it is text`,
		"mean(x = 1, g = 'a', neg = -3)": `column "neg", mean(x = 1, g = "a", neg = -3): 0 has no logarithm`,
	} {
		d, err := ParseDerived(source)
		if err == nil {
			_, err = d.Bind(&Fitted{Names: design.Data.Names, Record: design.Record, Family: familyNamed("gaussian")})
		}
		if !says(err, want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
	if !slices.Contains(design.Data.Names, "gb") {
		t.Errorf("names %q", design.Data.Names)
	}
}

// A point of a level has the effects of that level; one without levels has none, and says so.
func TestDerivedPointOfALevel(t *testing.T) {
	table := groupTable(t)
	design := mustBuild(t, table, "y ~ x + (x | g) + (0 + x | h)", Spec{Family: familyNamed("gaussian"), Standardize: "center_scale"})
	names := slices.Concat(design.Data.Names, []string{"sigma", "sd"})
	first := len(names)
	levels := make([]int, len(design.Data.Effects))
	for k, e := range design.Data.Effects {
		levels[k] = e.Grouping.Levels()
		names = append(names, make([]string, e.Count())...)
	}
	bind := func(source string, effects ...int) (*Quantity, error) {
		d, err := ParseDerived(source)
		must(t, err)
		return d.Bind(&Fitted{Names: names, Record: design.Record, Family: glm.Family{Name: "gaussian", Link: "identity"}, Effects: effects})
	}
	row := 5
	g, h := design.Data.Effects[0], design.Data.Effects[1]
	lg, lh := g.Grouping.Of()[row], h.Grouping.Of()[row]
	x := g.Columns[1][row]
	q, err := bind(fmt.Sprintf("mean(x = %v, g = '%s', h = %s)", x, g.Levels[lg], h.Levels[lh]), first, first+2*levels[0])
	must(t, err)
	at := []int{0, 1, first + int(lg), first + levels[0] + int(lg), first + 2*levels[0] + int(lh)}
	if f := q.Forms[0]; !slices.Equal(f.Columns, at) || !slices.Equal(f.Weights, []float64{1, x, 1, x, x}) || q.Notes != nil {
		t.Errorf("%+v, want columns %v; notes %q", f, at, q.Notes)
	}
	q, err = bind(fmt.Sprintf("mean(x = %v)", x), -1, -1)
	if err != nil || !slices.Equal(q.Forms[0].Columns, []int{0, 1}) || len(q.Notes) != 1 || !strings.Contains(q.Notes[0], "where every group-level effect is 0") {
		t.Errorf("%+v, %v", q, err)
	}
	if _, err = bind(fmt.Sprintf("mean(x = 1, g = '%s', h = %s)", g.Levels[0], h.Levels[0]), -1, -1); !says(err, "the draws of group-level effects are not kept") {
		t.Errorf("effects without draws: %v", err)
	}
	if _, err = bind(fmt.Sprintf("mean(x = 1, g = 'none', h = %s)", h.Levels[0]), first, first); !says(err, `"none" is not a level of the grouping g`) {
		t.Errorf("a level that is not there: %v", err)
	}
}
