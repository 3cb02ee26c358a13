package plan

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"glmbatch/infer/glm"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

const groupedSpec = `
pipeline: grouped
database: none.duckdb
datasets:
  all: {path: d.csv}
  distinct: {path: d.csv, rows: grouped}
models:
  logistic: {formula: claimed ~ region + age, family: bernoulli, standardize: center_scale}
  counts: {formula: claims ~ region * age + offset(exposure), family: poisson, frequency_weights: times, missing: drop}
  learned: {formula: "claimed ~ scale(age) + poly(dose, 2) + ns(dose, 3) + bs(age, 4)", family: bernoulli, missing: drop}
  normal: {formula: claims ~ age + offset(scale(exposure)), family: gaussian, precision_weights: exposure}
  negative: {formula: claims ~ age, family: negative_binomial, frequency_weights: times}
samplers: {s: {method: cggibbs}}
`

// groupedLines are 900 rows of some hundred distinct ones, a cell of which is missing.
func groupedLines() string {
	var b strings.Builder
	b.WriteString("claimed,claims,region,age,dose,exposure,times,unread\n")
	for i := range 900 {
		dose := fmt.Sprint(0.5 + float64(i*i%7))
		if i%13 == 5 {
			dose = ""
		}
		fmt.Fprintf(&b, "%d,%d,r%d,%d,%s,%g,%d,%d\n", i*i%11%2, i%5, i%3, 20+i*i%5, dose, 0.5+float64(i%2), i%3, i)
	}
	return b.String()
}

// groupedCases are the fits of groupedSpec, or of a part of it, by data set and model.
func groupedCases(t *testing.T, dir, text string) map[string]*Case {
	t.Helper()
	p, err := spec.Parse("s.yaml", []byte(text), spec.Options{Dir: dir, Today: time.Now(), Env: os.LookupEnv})
	must(t, err)
	cases := map[string]*Case{}
	err = (&Reader{Pipeline: p}).Cases(t.Context(), func(c *Case) error {
		cases[c.Dataset+" "+c.Model] = c
		return c.Err
	})
	must(t, err)
	return cases
}

// The posterior of distinct rows is that of all rows: density, gradient, priors, and what scale(), poly() and splines
// learn; so is what the ledger keeps of the data.
func TestGroupedRowsAreAllRows(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "d.csv"), []byte(groupedLines()), 0o600))
	cases := groupedCases(t, dir, groupedSpec)
	for _, model := range []string{"logistic", "counts", "learned", "normal", "negative"} {
		all, distinct := cases["all "+model], cases["distinct "+model]
		if n, d := len(all.Data.Y), len(distinct.Data.Y); 2*d > n {
			t.Errorf("%s: %d rows of %d", model, d, n)
		}
		sameFit(t, model, all, distinct)
	}
	only := strings.Join(slices.DeleteFunc(strings.Split(groupedSpec, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "  counts") || strings.HasPrefix(line, "  normal")
	}), "\n")
	for name, c := range groupedCases(t, dir, only) { // a fit does not depend on what other models read
		if c.Identity != cases[name].Identity {
			t.Errorf("%s: another fit beside fewer models", name)
		}
	}
	sameSummaries(t, dir, groupedSpec)
}

// sameFit holds the posterior of distinct rows to that of all rows.
func sameFit(t *testing.T, model string, all, distinct *Case) {
	t.Helper()
	of := func(c *Case) (*glm.Target, *glm.Point) {
		target, err := glm.NewTarget(c.Data, c.Posterior)
		if err != nil {
			t.Fatalf("%s: %v", model, err)
		}
		return target, glm.NewPoint(target)
	}
	a, x := of(all)
	b, y := of(distinct)
	if a.Observations() != b.Observations() || distinct.Counted != all.Counted {
		t.Errorf("%s: %v observations of %d rows, want %v of %d", model, b.Observations(), distinct.Counted, a.Observations(),
			all.Counted)
	}
	u, g, h := a.Penalised(), make([]float64, a.Dim()), make([]float64, a.Dim())
	for k := range 4 {
		for j := range u {
			u[j] += 0.1 * float64((j+k)%3-1)
		}
		x.SetUnconstrained(u)
		y.SetUnconstrained(u)
		tol := 1e-10 * (1 + math.Abs(x.LogPosterior()))
		if d := x.LogPosterior() - y.LogPosterior(); !(math.Abs(d) <= tol) {
			t.Errorf("%s: log posterior %v, of distinct rows off by %v", model, x.LogPosterior(), d)
		}
		x.Gradient(g, make([]float64, a.Rows()))
		y.Gradient(h, make([]float64, b.Rows()))
		for j := range g {
			if !(math.Abs(g[j]-h[j]) <= 100*tol) {
				t.Fatalf("%s: gradient %v, of distinct rows %v", model, g, h)
			}
		}
	}
}

// sameSummaries holds what the ledger keeps of data to all rows.
func sameSummaries(t *testing.T, dir, text string) {
	t.Helper()
	p, err := spec.Parse("s.yaml", []byte(text), spec.Options{Dir: dir, Today: time.Now(), Env: os.LookupEnv})
	must(t, err)
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(a)) }
	all := map[string]*Regression{}
	err = (&Reader{Pipeline: p}).Units(t.Context(), func(u *Unit) error {
		for _, f := range Fits(p, Choice{}, u) {
			problem, err := NewProblem(f)
			if err != nil {
				return err
			}
			r, model := problem.(*Regression), f.Model.Name
			if u.Dataset.Name == "all" {
				all[model] = r
				continue
			}
			want, got := summary(all[model].Design), summary(r.Design)
			if r.Facts().Rows != all[model].Facts().Rows || got.Missing != want.Missing || got.Missing == 0 && model == "learned" ||
				!near(got.ResponseMean, want.ResponseMean) || !near(got.ResponseSD, want.ResponseSD) {
				t.Errorf("%s: %d rows, %+v\nwant %d, %+v", model, r.Facts().Rows, got, all[model].Facts().Rows, want)
			}
			for j, c := range want.Columns {
				if !near(got.Columns[j].Mean, c.Mean) || !near(got.Columns[j].SD, c.SD) {
					t.Errorf("%s: column %+v, want %+v", model, got.Columns[j], c)
				}
			}
			if !slices.ContainsFunc(r.Facts().Notes, func(s string) bool {
				return s == fmt.Sprintf("%d rows of the data are stored as %d, with counts of equal rows", r.Counted, r.Rows)
			}) {
				t.Errorf("%s: notes %q", model, r.Facts().Notes)
			}
		}
		return u.Err
	})
	must(t, err)
}

// A formula that names no column of grouped data gets an error with all columns of the file, and none of them is
// read; another model of the data set is fitted.
func TestGroupedUnknownColumn(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "d.csv"), []byte(groupedLines()), 0o600))
	const slip = `
pipeline: slip
database: none.duckdb
datasets: {d: {path: d.csv, rows: grouped}}
models: {%s m: {formula: claimed ~ agee, family: bernoulli}}
samplers: {s: {method: cggibbs}}
`
	for other, want := range map[string]string{"": "did you mean \"age\"?", "a: {formula: claimed ~ age, family: bernoulli},": ""} {
		p, err := spec.Parse("s.yaml", fmt.Appendf(nil, slip, other), spec.Options{Dir: dir, Today: time.Now(), Env: os.LookupEnv})
		must(t, err)
		err = (&Reader{Pipeline: p}).Cases(t.Context(), func(c *Case) error {
			if c.Model == "a" {
				return c.Err
			}
			_, hint := words.Parts(c.Err)
			if c.Err == nil || !strings.Contains(c.Err.Error(), `there is no column "agee"`) || !strings.Contains(hint, want) {
				t.Errorf("%v, hint %q", c.Err, hint)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
