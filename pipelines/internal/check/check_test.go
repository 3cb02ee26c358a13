package check

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/pipelines/internal/exit"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
	"glmbatch/report/judge"
)

// table has a response for several families, a covariate, an offset and two groupings.
const table = `y,k,x,e,g,h
1,2,-1.2,0.1,a,m
0,0,-0.4,0.3,a,n
1,3,0.3,0.2,b,m
0,1,0.9,0.5,b,n
1,4,1.5,0.4,a,m
0,1,-0.8,0.2,d,n
1,2,0.1,0.1,c,m
1,5,0.7,0.3,a,m
`

const bernoulli = `
pipeline: t
datasets: {d: {path: d.csv}}
models: {m: {formula: y ~ x + offset(e), family: bernoulli, prior: {coefficients: "normal(0, 1.5)", intercept: {prior: "normal(0, 2)", at: zero}}}}
samplers: {gibbs: {method: cggibbs}}
`

// load writes the table and reads a spec of the same folder.
func load(t *testing.T, text string) Config {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"d.csv": table, "holes.csv": holes, "s.yaml": text} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	p, err := spec.Load(filepath.Join(dir, "s.yaml"), spec.Options{Env: func(string) (string, bool) { return "", false }})
	must(t, err)
	return Config{Pipeline: p, Database: filepath.Join(dir, "l.duckdb"), Workers: 2, Simulations: 60, Given: Prior, Now: time.Now}
}

// carryOut runs a check that must begin, and returns it with its only fit.
func carryOut(t *testing.T, c Config) (*Outcome, *Result) {
	t.Helper()
	out, err := Run(context.Background(), c)
	must(t, err)
	if len(out.Fits) != 1 {
		t.Fatalf("%d fits", len(out.Fits))
	}
	return out, out.Fits[0]
}

// simulations reads the ledger of a check.
func simulations(t *testing.T, c Config, r *Result, parameters ...string) []report.Simulation {
	t.Helper()
	l, err := report.Open(c.Database, report.Options{})
	must(t, err)
	out, err := l.Simulations(context.Background(), r.Calibration, parameters)
	must(t, err)
	return out
}

// scaled is a sampler whose slopes are drawn too large.
type scaled struct{ infer.Kernel }

func (s scaled) Position(dst []float64) {
	s.Kernel.Position(dst)
	dst[1] = 1.5*dst[1] + 1
}

// A right sampler passes, one whose draws are wrong ends with exit code 1 and
// is named. Seeds are fixed: the false-alarm rate of the first is 0.01 by the
// check's own claim, and of the second none.
func TestRightAndWrong(t *testing.T) {
	right := load(t, bernoulli)
	out, r := carryOut(t, right)
	if out.ExitCode != exit.Pass || r.Verdict != judge.Pass && r.Verdict != judge.Warn || r.Ranked != 60 {
		t.Errorf("a right sampler: exit code %d, %+v", out.ExitCode, r)
	}
	wrong := load(t, bernoulli)
	wrong.tamper = func(k infer.Kernel) infer.Kernel { return scaled{k} }
	out, r = carryOut(t, wrong)
	if out.ExitCode != exit.Fail || r.Verdict != judge.Fail || !strings.Contains(strings.Join(r.Words, "\n"), "\nx: p = ") {
		t.Errorf("a wrong sampler: exit code %d, %+v", out.ExitCode, r)
	}
}

// grouped has group-level effects, of correlated terms and crossed.
const grouped = `
pipeline: t
datasets: {d: {path: d.csv}}
models: {m: {formula: k ~ 1 + (x | g) + (1 | h), family: poisson, prior: {intercept: "normal(0, 1)", sd: half_normal(0.7), cor: lkj(2)}}}
samplers: {gibbs: {method: auto}}
`

// narrow is a sampler whose first sd, its parameter 1, is drawn too small.
type narrow struct{ infer.Kernel }

func (s narrow) Position(dst []float64) {
	s.Kernel.Position(dst)
	dst[1] /= 3
}

// Group-level effects are simulated and ranked with their sds and correlations: a right sampler passes from the prior and
// around the data, and one whose sds are too small fails by name. False alarms as in TestRightAndWrong.
func TestGroups(t *testing.T) {
	for _, given := range []string{Prior, Posterior} {
		c := load(t, grouped)
		c.Given = given
		out, r := carryOut(t, c)
		if out.ExitCode != exit.Pass || r.Ranked != 60 || len(r.Tests) != 1+4+2*3+2+1 {
			t.Errorf("%s: exit code %d, %d tests, %+v", given, out.ExitCode, len(r.Tests), r)
		}
		var names []string
		for _, test := range r.Tests[5:] {
			names = append(names, test.Parameter)
		}
		const want = "r_g[a,Intercept] r_g[b,Intercept] r_g[c,Intercept] r_g[a,x] r_g[b,x] r_g[c,x] r_h[m,Intercept] r_h[n,Intercept] log_lik"
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: ranked are %s, want %s", given, got, want)
		}
	}
	wrong := load(t, grouped)
	wrong.tamper = func(k infer.Kernel) infer.Kernel { return narrow{k} }
	out, r := carryOut(t, wrong)
	if words := strings.Join(r.Words, "\n"); out.ExitCode != exit.Fail || !strings.Contains(words, "sd_g__Intercept: p = ") {
		t.Errorf("a wrong sampler: exit code %d, %s", out.ExitCode, words)
	}
	flat := load(t, strings.Replace(grouped, "half_normal(0.7)", "flat", 1))
	out, r = carryOut(t, flat)
	if words := strings.Join(r.Words, "\n"); out.ExitCode != exit.Usage || !strings.Contains(words, "prior of sd_g__Intercept, sd_g__x, sd_h__Intercept is flat") ||
		!strings.Contains(words, "half_cauchy(5) for sd_h__Intercept") {
		t.Errorf("flat sds: exit code %d, %s", out.ExitCode, words)
	}
}

// Neither workers nor an interruption change a rank, and more simulations continue from those that the ledger has.
func TestSameRanks(t *testing.T) {
	one, many, stopped := load(t, bernoulli), load(t, bernoulli), load(t, bernoulli)
	one.Workers, many.Workers = 1, 8
	names := []string{"(Intercept)", "x", "log_lik"}
	_, r := carryOut(t, one)
	want := simulations(t, one, r, names...)
	if len(want) != 60 {
		t.Fatalf("%d simulations in the ledger", len(want))
	}
	_, r = carryOut(t, many)
	if got := simulations(t, many, r, names...); !reflect.DeepEqual(got, want) {
		t.Error("8 workers give other ranks than 1")
	}
	ctx, cancel := context.WithCancel(context.Background())
	stopped.Say = func(string) { cancel() } // after the first simulations
	out, err := Run(ctx, stopped)
	if err != nil || out.ExitCode != exit.Interrupted || out.Fits[0].Verdict != "" {
		t.Fatalf("interrupted: %+v, %v", out, err)
	}
	id := &Result{Calibration: out.Fits[0].Calibration}
	if n := len(simulations(t, stopped, id, names...)); n == 0 || n == 60 {
		t.Fatalf("%d simulations after an interruption", n)
	}
	stopped.Say, stopped.Simulations = nil, 40
	carryOut(t, stopped)
	stopped.Simulations = 60
	out, r = carryOut(t, stopped)
	if got := simulations(t, stopped, r, names...); !reflect.DeepEqual(got, want) || out.ExitCode != exit.Pass {
		t.Errorf("resumed: other ranks, exit code %d", out.ExitCode)
	}
}

// A prior that cannot be sampled is refused by name, with a replacement; it can be calibrated around the data.
func TestImproper(t *testing.T) {
	flat := load(t, strings.Replace(strings.Replace(bernoulli, `"normal(0, 1.5)"`, "flat", 1), "y ~ x", "k ~ x", 1))
	flat.Pipeline.Models[0].Family.Name, flat.Pipeline.Models[0].Family.Link = "poisson", "log"
	out, r := carryOut(t, flat)
	if words := strings.Join(r.Words, "\n"); out.ExitCode != exit.Usage || !strings.Contains(words, "prior of x is flat") || !strings.Contains(words, "normal(0, 2.5)") {
		t.Errorf("exit code %d, %s", out.ExitCode, words)
	}
	flat.Given = Posterior
	out, r = carryOut(t, flat)
	if out.ExitCode != exit.Pass || r.Ranked != 60 {
		t.Errorf("around the data: exit code %d, %+v", out.ExitCode, r)
	}
	flat.tamper = func(k infer.Kernel) infer.Kernel { return scaled{k} }
	flat.Database += "2"
	if out, r = carryOut(t, flat); out.ExitCode != exit.Fail {
		t.Errorf("around the data, a wrong sampler: exit code %d, %+v", out.ExitCode, r)
	}
}

// A prior whose data sets look like no real data is reported.
func TestDegenerate(t *testing.T) {
	wide := load(t, strings.Replace(strings.Replace(bernoulli, `"normal(0, 1.5)"`, `"normal(0, 12)"`, 1), "y ~ x", "k ~ x", 1))
	wide.Pipeline.Models[0].Family.Name, wide.Pipeline.Models[0].Family.Link = "poisson", "log"
	out, r := carryOut(t, wide)
	if words := strings.Join(r.Words, "\n"); out.ExitCode != exit.Pass || r.Verdict != judge.Warn || !strings.Contains(words, "--posterior") || r.Ranked == 60 {
		t.Errorf("exit code %d, %+v", out.ExitCode, r)
	}
}

// broken is a sampler that stops.
type broken struct{ infer.Kernel }

func (broken) Step() (infer.Info, error) { return infer.Info{}, errors.New("no finite density") }

// A sampler that cannot fit simulated data has failed, with its own words.
func TestSamplerStops(t *testing.T) {
	c := load(t, bernoulli)
	c.tamper = func(k infer.Kernel) infer.Kernel { return broken{k} }
	out, r := carryOut(t, c)
	if out.ExitCode != exit.Fail || r.Verdict != judge.ErrorGrade || !strings.Contains(strings.Join(r.Words, "\n"), "no finite density") {
		t.Errorf("exit code %d, %+v", out.ExitCode, r)
	}
}

// A row that counts twice has two simulated responses, and a check around the
// data has each row of them and of the simulation once.
func TestRows(t *testing.T) {
	x := design.NewDense(2, 1)
	x.Col(0)[0], x.Col(0)[1] = 1, 2
	data := &glm.Data{X: x, Y: []float64{3, 4}, Frequency: []float64{2, 1}, Offset: []float64{5, 6}}
	e, err := plan.Expanded(data)
	if err != nil || e.Frequency != nil || !reflect.DeepEqual(design.ToDense(e.X).Values, []float64{1, 1, 2}) || !reflect.DeepEqual(e.Y, []float64{3, 3, 4}) || !reflect.DeepEqual(e.Offset, []float64{5, 5, 6}) {
		t.Errorf("expanded to %+v, %v", e, err)
	}
	d := doubled(e, []float64{7, 8, 9})
	if !reflect.DeepEqual(design.ToDense(d.X).Values, []float64{1, 1, 2, 1, 1, 2}) || !reflect.DeepEqual(d.Y, []float64{3, 3, 4, 7, 8, 9}) || !reflect.DeepEqual(e.Y, []float64{3, 3, 4}) {
		t.Errorf("doubled to %+v", d)
	}
	data.Frequency[0] = 1e9
	if _, err := plan.Expanded(data); err == nil {
		t.Error("a thousand million rows were accepted")
	}
}

// A rank is the number of picked draws below the truth, not above it; draws that equal it count by a number drawn from
// 0 to all of them, each alike: the limit of 5 sds is a false alarm of 6e-7.
func TestRanksCountDrawsBelow(t *testing.T) {
	d := &drawn{trace: [][]float64{{5, 1, 9, 2}, {0, 0, 7, 8}}, picks: []int{0, 1, 3}}
	ties := infer.NewStream(1, "ties")
	if got := d.ranks([]float64{3, 7.5}, ties); got[0] != 2 || got[1] != 2 {
		t.Errorf("ranks %v, want 2 and 2", got)
	}
	var count [3]float64
	const n = 3000
	for range n {
		count[d.ranks([]float64{3, 0}, ties)[1]]++
	}
	for r, c := range count {
		if math.Abs(c-n/3) > 5*math.Sqrt(n*2.0/9) {
			t.Errorf("of %d ranks among two ties %v are %d", n, c, r)
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
