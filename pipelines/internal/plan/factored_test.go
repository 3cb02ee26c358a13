package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"glmbatch/pipelines/internal/spec"
)

const factoredSpec = `
pipeline: factored
database: none.duckdb
datasets:
  all: {path: d.csv}
  factor: {path: d.csv, rows: factored}
models:
  plain: {family: gaussian, formula: y ~ x + z + w}
  scaled: {family: gaussian, formula: y ~ x * region + year, standardize: center_scale}
  largest: {family: gaussian, formula: y ~ x + z, standardize: max_abs}
  open: {family: gaussian, formula: y ~ 0 + x + region, missing: drop, frequency_weights: times}
  offset: {family: gaussian, formula: y ~ region + young + offset(log(e)) + offset(scale(z)), frequency_weights: times}
  learned: {family: gaussian, formula: "log(e) ~ scale(x) + poly(year, 3) + poly(x, 2, raw = TRUE) + cut(z, c(-Inf, 0, 1, 50, Inf)) + factor(k) + I(region == 'r2')", missing: drop}
  splines: {family: gaussian, formula: "y ~ bs(x, knots = c(0.2, 0.4)) + ns(z, knots = 0.5) + scale(m)", missing: drop}
  levels: {family: gaussian, formula: "y ~ relevel(region, ref = 'r1') + young:w", levels: {young: ["TRUE", "FALSE"]}, contrasts: {region: sum}}
  flat: {family: gaussian, formula: y ~ x + w, prior: {coefficients: flat, intercept: flat, sigma: flat}}
  shrunk: {family: gaussian, formula: y ~ x + z + w, prior: {coefficients: horseshoe(1)}}
samplers: {s: {method: cggibbs}}
`

// factoredLines are 3000 rows: a year far from 0, levels that begin late, cells that are missing, rows that count 0 times.
func factoredLines(from, to int) string {
	var b strings.Builder
	b.WriteString("y,x,z,w,year,region,young,e,k,times,m,unread\n")
	for i := from; i < to; i++ {
		x, z := float64(i*i%101)/101, float64(i*i*i%17)/8-1
		missing := fmt.Sprint(float64(i % 29))
		if i%13 == 5 {
			missing = ""
		}
		year := 2000 + i%25
		y := 3e3 + 2*x - z + float64(i%7)/7 + 0.01*float64(year-2000)
		fmt.Fprintf(&b, "%g,%g,%g,%d,%d,r%d,%t,%g,%d,%d,%s,%d\n", y, x, z, i%3, year, i/400%5, i%4 == 0, 0.5+float64(i%11),
			[]int{10, 9, 100}[i/900%3], i%4, missing, i)
	}
	return b.String()
}

func writeFactored(t *testing.T, path string, from, to int) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(factoredLines(from, to)), 0o600))
}

// The posterior of the rows' factor is that of all rows: density, gradient, priors, names, what scale(), poly() and splines
// learn, and what the ledger keeps of the data.
func TestFactoredRowsAreAllRows(t *testing.T) {
	dir := t.TempDir()
	writeFactored(t, filepath.Join(dir, "d.csv"), 0, 3000)
	cases := groupedCases(t, dir, factoredSpec)
	for _, model := range []string{"plain", "scaled", "largest", "open", "offset", "learned", "splines", "levels", "flat", "shrunk"} {
		all, factor := cases["all "+model], cases["factor "+model]
		if n := len(factor.Data.Y); n > len(all.Data.Names)+3 || !factor.Factored {
			t.Errorf("%s: %d rows for %d columns", model, n, len(all.Data.Names))
		}
		if !slices.Equal(all.Data.Names, factor.Data.Names) {
			t.Errorf("%s: columns %q, want %q", model, factor.Data.Names, all.Data.Names)
			continue
		}
		samePriors(t, model, all, factor)
		sameFit(t, model, all, factor)
	}
}

// samePriors holds priors, as they are resolved for the data, to those of all rows.
func samePriors(t *testing.T, model string, all, other *Case) {
	t.Helper()
	near := func(a, b float64) bool { return a == b || abs(a-b) <= 1e-10*(1+abs(a)) }
	for j, p := range all.Posterior.Coefficients {
		q := other.Posterior.Coefficients[j]
		if p.Kind != q.Kind || !near(p.Location, q.Location) || !near(p.Scale, q.Scale) {
			t.Errorf("%s: prior %v of %s, want %v", model, q, all.Data.Names[j], p)
		}
		c, d := all.Record.Columns[j], other.Record.Columns[j]
		if !near(c.Centre, d.Centre) || !near(c.Scale, d.Scale) {
			t.Errorf("%s: column %+v, want %+v", model, d, c)
		}
	}
	if p, q := all.Posterior.Dispersion, other.Posterior.Dispersion; p.Kind != q.Kind || !near(p.Scale, q.Scale) || !near(p.Rate, q.Rate) {
		t.Errorf("%s: prior of sigma %v, want %v", model, q, p)
	}
}

// factoredFits are the fits of a spec by data set and model.
func factoredFits(t *testing.T, dir, text string) map[string]*Regression {
	t.Helper()
	p, err := spec.Parse("s.yaml", []byte(text), spec.Options{Dir: dir, Today: time.Now(), Env: os.LookupEnv})
	must(t, err)
	fits := map[string]*Regression{}
	err = (&Reader{Pipeline: p}).Units(t.Context(), func(u *Unit) error {
		for _, f := range Fits(p, Choice{}, u) {
			problem, err := NewProblem(f)
			if err != nil {
				return err
			}
			fits[u.Name()+" "+f.Model.Name] = problem.(*Regression)
		}
		return u.Err
	})
	must(t, err)
	return fits
}

// The facts of the data besides the design are those of all rows, and no bit of the factor depends on files,
// processors and other models.
func TestFactoredFacts(t *testing.T) {
	dir := t.TempDir()
	writeFactored(t, filepath.Join(dir, "d.csv"), 0, 3000)
	for i, from := range []int{0, 1, 700, 2999} {
		writeFactored(t, filepath.Join(dir, "parts", fmt.Sprintf("p%d.csv", i)), from, []int{1, 700, 2999, 3000}[i])
	}
	fits := factoredFits(t, dir, factoredSpec)
	near := func(a, b float64) bool { return abs(a-b) <= 1e-10*(1+abs(a)) }
	for name, got := range fits {
		model, isFactor := strings.CutPrefix(name, "factor ")
		if !isFactor {
			continue
		}
		all := fits["all "+model]
		a, b, facts := summary(all.Design), summary(got.Design), got.Facts()
		if facts.Rows != all.Facts().Rows || a.Missing != b.Missing || !near(a.ResponseMean, b.ResponseMean) ||
			!near(a.ResponseSD, b.ResponseSD) || !slices.Equal(facts.Warnings, all.Facts().Warnings) {
			t.Errorf("%s: %d rows, %+v, %q\nwant %d, %+v, %q", model, facts.Rows, b, facts.Warnings, all.Facts().Rows, a,
				all.Facts().Warnings)
		}
		for j, c := range a.Columns {
			if d := b.Columns[j]; all.Data.Frequency == nil && (!near(c.Mean, d.Mean) || !near(c.SD, d.SD)) {
				t.Errorf("%s: %+v, want %+v", model, d, c)
			}
		}
		if len(facts.Notes) == 0 || !strings.Contains(facts.Notes[len(facts.Notes)-1], "the triangular factor") {
			t.Errorf("%s: notes %q", model, facts.Notes)
		}
	}
	same := func(what string, other map[string]*Regression) {
		t.Helper()
		for name, r := range other {
			want := fits[name]
			if r.dataHash != want.dataHash || !slices.Equal(r.Data.Y, want.Data.Y) ||
				!slices.Equal(r.Data.X.Col(0), want.Data.X.Col(0)) {
				t.Errorf("%s: other bits of %s", what, name)
			}
		}
	}
	one := strings.Replace(factoredSpec, "  all: {path: d.csv}\n", "", 1)
	same("parts", factoredFits(t, dir, strings.Replace(one, "d.csv", "parts/*.csv", 1)))
	same("fewer models", factoredFits(t, dir, strings.Join(slices.DeleteFunc(strings.Split(one, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "  l") || strings.HasPrefix(line, "  o")
	}), "\n")))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	same("one processor", factoredFits(t, dir, one))
}

// Data are known by all that a model sees of them: a value, a level's name, how often a row counts.
func TestFactoredHash(t *testing.T) {
	dir := t.TempDir()
	text := factoredLines(0, 600)
	hashes := map[string]string{}
	lines := strings.SplitAfter(text, "\n")
	lines[2] = "4" + lines[2][1:] // the response of a row that counts once
	for name, changed := range map[string]string{
		"as it is": text, "a value": strings.Join(lines, ""),
		"a level": strings.ReplaceAll(text, "r1", "r9"), "unread": strings.Replace(text, ",599\n", ",600\n", 1),
		"fewer": factoredLines(0, 599),
	} {
		must(t, os.WriteFile(filepath.Join(dir, "d.csv"), []byte(changed), 0o600))
		one := strings.Replace(factoredSpec, "  all: {path: d.csv}\n", "", 1)
		one = strings.Join(slices.DeleteFunc(strings.Split(one, "\n"), func(line string) bool {
			return strings.Contains(line, "family:") && !strings.HasPrefix(line, "  scaled") && !strings.HasPrefix(line, "  offset")
		}), "\n")
		for _, model := range []string{"scaled", "offset"} {
			hash := factoredFits(t, dir, one)["factor "+model].dataHash.Value
			if other, known := hashes[model+hash]; known && other != "unread" && name != "unread" {
				t.Errorf("%s: data with %q have the hash of %q", model, name, other)
			} else if !known {
				hashes[model+hash] = name
			}
		}
	}
	if len(hashes) != 8 {
		t.Errorf("%d hashes of 2 × 4 different data", len(hashes))
	}
}

// A model that does not fit the rows fails by itself, and the rows of a prediction are not those of the factor.
func TestFactoredFaults(t *testing.T) {
	dir := t.TempDir()
	writeFactored(t, filepath.Join(dir, "d.csv"), 0, 300)
	const text = `
pipeline: faults
database: none.duckdb
datasets: {d: {path: d.csv, rows: factored}, e: {path: lost.csv, rows: factored}}
models:
  a: {family: gaussian, formula: y ~ x}
  typo: {family: gaussian, formula: y ~ xx}
  cell: {family: gaussian, formula: y ~ m}
  log: {family: gaussian, formula: "y ~ log(z)"}
samplers: {s: {method: cggibbs}}
`
	p, err := spec.Parse("s.yaml", []byte(text), spec.Options{Dir: dir, Today: time.Now(), Env: os.LookupEnv})
	must(t, err)
	want := map[string]string{"d a": "", "d typo": `no column "xx"`, "d cell": "row 6 (line 7 of d.csv): the value is missing",
		"d log": "has no logarithm", "e a": "no such file"}
	r := &Reader{Pipeline: p}
	err = r.Cases(t.Context(), func(c *Case) error {
		text, told := want[c.Dataset+" "+c.Model]
		if told && (text == "" && c.Err != nil || text != "" && (c.Err == nil || !strings.Contains(c.Err.Error(), text))) {
			t.Errorf("%s: %v, want %q", c.Name, c.Err, text)
		}
		return nil
	})
	must(t, err)
	if _, err := r.Table(t.Context(), "d", ""); err == nil || !strings.Contains(err.Error(), "keeps the triangular factor") {
		t.Error(err)
	}
}

func abs(x float64) float64 { return max(x, -x) }
