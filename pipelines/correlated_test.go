package pipelines_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// twoNormals are two components of two columns: weight, means, sds and the correlation of each.
type twoNormals [2]struct{ weight, a, b, sa, sb, r float64 }

// chances returns weight times density of a row in both components.
func (m *twoNormals) chances(a, b float64) (p [2]float64) {
	for k, c := range m {
		x, y, rest := (a-c.a)/c.sa, (b-c.b)/c.sb, 1-c.r*c.r
		p[k] = c.weight * math.Exp(-(x*x-2*c.r*x*y+y*y)/2/rest) / (2 * math.Pi * c.sa * c.sb * math.Sqrt(rest))
	}
	return p
}

// fitTwoNormals returns the maximum of the likelihood by the EM algorithm, and the log likelihood there.
func fitTwoNormals(a, b []float64) (m twoNormals, logLik float64) {
	m[0] = struct{ weight, a, b, sa, sb, r float64 }{0.5, 2, 55, 1, 10, 0}
	m[1] = struct{ weight, a, b, sa, sb, r float64 }{0.5, 4, 80, 1, 10, 0}
	for range 500 {
		var n, sa, sb, saa, sab, sbb [2]float64
		logLik = 0
		for i := range a {
			p := m.chances(a[i], b[i])
			logLik += math.Log(p[0] + p[1])
			for k := range p {
				w := p[k] / (p[0] + p[1])
				n[k], sa[k], sb[k] = n[k]+w, sa[k]+w*a[i], sb[k]+w*b[i]
				saa[k], sab[k], sbb[k] = saa[k]+w*a[i]*a[i], sab[k]+w*a[i]*b[i], sbb[k]+w*b[i]*b[i]
			}
		}
		for k := range m {
			c := &m[k]
			c.weight, c.a, c.b = n[k]/float64(len(a)), sa[k]/n[k], sb[k]/n[k]
			c.sa, c.sb = math.Sqrt(saa[k]/n[k]-c.a*c.a), math.Sqrt(sbb[k]/n[k]-c.b*c.b)
			c.r = (sab[k]/n[k] - c.a*c.b) / c.sa / c.sb
		}
	}
	return m, logLik
}

// Correlated items of Old Faithful have the posterior of two bivariate normal components: means are within 0.6 sds of
// the maximum of the likelihood, which EM finds, and elpd_loo is below the maximum by about the 11 parameters. Both
// samplers agree, and independent items predict worse.
func TestCorrelatedItems(t *testing.T) {
	text, err := os.ReadFile("examples/faithful.csv")
	must(t, err)
	var a, b []float64
	for _, line := range strings.Fields(string(text))[1:] {
		one, other, _ := strings.Cut(line, ",")
		a, b = append(a, number(t, one)), append(b, number(t, other))
	}
	f := newFolder(t, `pipeline: geyser
database: t.duckdb
seed: 1
datasets: {faithful: {path: d.csv}}
models:
  own: {formula: "cbind(a, b) ~ 1", mixture: {components: 2}}
  joint: {formula: "cbind(a, b) ~ 1", mixture: {components: 2, correlated: [a, b]}}
samplers: {auto: {}, plain: {method: cggibbs}}
run: {chains: 4, warmup: 100, draws: 400, loo: true}
`)
	f.write("d.csv", strings.Replace(string(text), "eruptions,waiting", "a,b", 1))
	f.run(pipelines.RunOptions{})
	best, logLik := fitTwoNormals(a, b)
	for k, c := range best {
		number1 := string(rune('1' + k))
		for name, want := range map[string]float64{"theta": c.weight, "mu_a": c.a, "mu_b": c.b, "sigma_a": c.sa,
			"sigma_b": c.sb, "cor_a_b": c.r} {
			if rest, is := strings.CutPrefix(name, "mu"); is {
				name = "mu" + number1 + rest
			} else {
				name += number1
			}
			for _, row := range f.asked("SELECT mean, sd FROM coefficients WHERE model = 'joint' AND parameter = '" + name + "'") {
				if mean, sd := number(t, row[0]), number(t, row[1]); !(math.Abs(mean-want) <= 0.6*sd) {
					t.Errorf("%s is %.4f ± %.4f, and EM has %.4f", name, mean, sd, want)
				}
			}
		}
	}
	if got := f.ask("t.duckdb", "SELECT count(*) FROM coefficients WHERE model = 'joint' AND parameter LIKE 'cor%'"); got != "4" {
		t.Errorf("%s correlations", got)
	}
	for _, row := range f.asked("SELECT model, elpd_loo FROM loo_compare WHERE sampler = 'auto' ORDER BY elpd_loo DESC") {
		gap := logLik - number(t, row[1])
		if row[0] == "joint" && !(gap > 8 && gap < 16) || row[0] == "own" && !(gap > 20) {
			t.Errorf("elpd_loo of %s is %s, and the maximum of the log likelihood %.1f", row[0], row[1], logLik)
		}
	}
	if got := f.ask("t.duckdb", "SELECT DISTINCT agreement FROM comparison"); got != "agree" {
		t.Errorf("samplers: %s", got)
	}
	f.predictsCorrelated(&best)
}

// predictsCorrelated compares components of new rows, of which some lack an item, with those at the maximum.
func (f folder) predictsCorrelated(best *twoNormals) {
	f.t.Helper()
	f.write("new.csv", "a,b\n2.6,65\n3,NA\n")
	rows, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Only: []string{"model=joint", "sampler=auto"},
		Data: f.path("new.csv")})
	must(f.t, err)
	p := best.chances(2.6, 65)
	var q [2]float64
	for k, c := range best {
		z := (3 - c.a) / c.sa
		q[k] = c.weight * math.Exp(-z*z/2) / c.sa
	}
	want := map[string]float64{"1,component1": p[0] / (p[0] + p[1]), "2,component1": q[0] / (q[0] + q[1])}
	for _, cells := range rows {
		w, asked := want[cells[0]+","+cells[1]]
		if mean, sd := cells[2], cells[3]; asked && !(math.Abs(number(f.t, mean)-w) <= number(f.t, sd)) {
			f.t.Errorf("row %s: %s has the probability %s ± %s, want %.4f", cells[0], cells[1], mean, sd, w)
		}
		delete(want, cells[0]+","+cells[1])
	}
	if len(want) > 0 {
		f.t.Errorf("no rows %v in %v", want, rows)
	}
}

// A row has all correlated items or none.
func TestCorrelatedItemsMissing(t *testing.T) {
	f := newFolder(t, `pipeline: holes
database: t.duckdb
datasets: {d: {path: d.csv}}
models: {joint: {formula: "cbind(a, b) ~ 1", mixture: {components: 2, correlated: [a, b]}}}
samplers: {auto: {}}
run: {chains: 2, warmup: 20, draws: 50}
`)
	f.write("d.csv", "a,b\n1,2\n3,NA\n2,2.5\n4,1\n")
	out := f.run(pipelines.RunOptions{})
	if err := out.Fits[0].Err; err == nil || !strings.Contains(err.Error(), `column "b", row 2`) ||
		!strings.Contains(err.Error(), "other correlated items") {
		t.Errorf("%v", err)
	}
	f.write("d.csv", "a,b\n1,2\nNA,NA\n2,2.5\n4,1\n")
	if out := f.run(pipelines.RunOptions{}); out.Fits[0].Err != nil {
		t.Errorf("%v", out.Fits[0].Err)
	}
}
