package check

import (
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/exit"
)

// simulating has models that simulate on their own: mixtures, latent classes and a discrete system.
const simulating = `
pipeline: t
datasets: {d: {path: d.csv}, grid: {grid: {rows: 2, columns: 3}}}
models:
  line: {formula: y ~ x, family: bernoulli, mixture: {components: 2, known_weights: [0.3, 0.7]}, prior: {coefficients: "normal(0, 2)", intercept: "normal(0, 2)"}}
  counts: {formula: k ~ 1, family: poisson, mixture: {components: 2, conjugate: "gamma(2, 0.5)"}}
  classes: {formula: "cbind(g, h, y) ~ 1", mixture: {components: 2, items: {y: bernoulli}}}
  states: {kind: mrf, coupling: 0.4}
samplers: {auto: {}, gibbs: {method: gibbs}}
fits:
  - {datasets: d, models: MODEL, samplers: auto}
`

// holes has missing cells of numbers, counts, two states and three levels, and missing responses.
const holes = `y,n,a,b,c,k,g
0.3,1,0.3,no,u,2,p
-0.8,0,,yes,v,0,p
,2,1.8,no,w,3,p
1.1,1,2.4,,u,1,p
0.2,4,3,no,,4,q
-0.4,1,0.7,yes,v,,q
0.6,3,,no,w,2,q
,0,2.2,yes,u,5,q
1.9,1,,,v,1,r
-1.3,2,1,yes,,0,r
0.1,0,2.6,no,u,,r
0.7,1,,yes,w,2,r
`

// withHoles has models whose cells are drawn.
const withHoles = `
pipeline: t
datasets: {d: {path: holes.csv}}
models:
  numbers: {formula: y ~ log(a) + b + (1 | g), family: gaussian, missing: impute, prior: {coefficients: "normal(0, 1)", intercept: "normal(0, 1)", sigma: "exponential(1)", sd: half_normal(1)},
    imputation: {b: {formula: b ~ 1, prior: {coefficients: "normal(0, 1)", intercept: "normal(0, 1)"}}, a: {formula: log(a) ~ b}}}
  states: {formula: n ~ a * c + k, family: poisson, missing: impute, prior: {coefficients: "normal(0, 0.3)", intercept: "normal(0, 1)"},
    imputation: {k: {formula: k ~ 1, family: poisson, prior: {intercept: "normal(0, 0.5)"}}, c: {formula: c ~ k, prior: {coefficients: "normal(0, 0.5)", intercept: "normal(0, 1)"}},
      a: {formula: a ~ c, family: gaussian, prior: {coefficients: "normal(0, 1)", sigma: "exponential(1)"}}}}
samplers: {auto: {}}
fits:
  - {datasets: d, models: MODEL, samplers: auto}
`

// Missing cells and responses are simulated with the coefficients and the models of their columns: a right sampler
// passes, and a wrong one does not. Ranked are three cells of each column, and three levels of the grouping. False
// alarms as in TestRightAndWrong.
func TestMissingCells(t *testing.T) {
	for model, cells := range map[string]string{
		"numbers": "Ymi_b[4] Ymi_b[9] Ymi_a[2] Ymi_a[9] Ymi_a[12] Ymi_y[3] Ymi_y[8] r_g[p,Intercept] r_g[q,Intercept] r_g[r,Intercept] log_lik",
		"states": "Ymi_k[6] Ymi_k[11] Ymi_c[5,u] Ymi_c[5,v] Ymi_c[5,w] Ymi_c[10,u] Ymi_c[10,v] Ymi_c[10,w] " +
			"Ymi_a[2] Ymi_a[9] Ymi_a[12] log_lik",
	} {
		text := strings.Replace(withHoles, "MODEL", model, 1)
		right := load(t, text)
		right.Simulations = 40
		out, r := carryOut(t, right)
		if out.ExitCode != exit.Pass || r.Ranked != 40 {
			t.Errorf("%s: exit code %d, %+v", model, out.ExitCode, r)
		}
		var names []string
		for _, test := range r.Tests {
			names = append(names, test.Parameter)
		}
		if got := strings.Join(names, " "); !strings.HasSuffix(got, " "+cells) {
			t.Errorf("%s: ranked are %s, want %s at the end", model, got, cells)
		}
		wrong := load(t, text)
		wrong.Simulations, wrong.tamper = 20, func(k infer.Kernel) infer.Kernel { return shiftedCell{k} }
		if out, r = carryOut(t, wrong); out.ExitCode != exit.Fail || !strings.Contains(strings.Join(r.Words, " "), "Ymi_") {
			t.Errorf("%s, wrong: exit code %d, %+v", model, out.ExitCode, r)
		}
		posterior := load(t, text)
		posterior.Given = Posterior
		if out, r = carryOut(t, posterior); out.ExitCode != exit.Usage || !strings.Contains(r.Words[0], "from the prior") {
			t.Errorf("%s, --posterior: exit code %d, %+v", model, out.ExitCode, r)
		}
	}
}

// shiftedCell is a sampler whose last numbers, cells among them, are drawn too large.
type shiftedCell struct{ infer.Kernel }

func (s shiftedCell) Position(dst []float64) {
	s.Kernel.Position(dst)
	for j := range dst[max(0, len(dst)-6):] {
		dst[len(dst)-1-j]++
	}
}

// simulatingOf is the spec with one of its fits.
func simulatingOf(model string) string {
	text := strings.Replace(simulating, "MODEL", model, 1)
	if model == "states" {
		text = strings.Replace(text, "datasets: d, models: states, samplers: auto", "datasets: grid, models: states, samplers: gibbs", 1)
	}
	return text
}

// biased is a sampler whose first parameter, a weight or a share, is drawn too large.
type biased struct{ infer.Kernel }

func (b biased) Position(dst []float64) {
	b.Kernel.Position(dst)
	for j := range dst[:min(6, len(dst))] {
		dst[j] += 0.3
	}
}

// Mixtures, latent classes and discrete systems are simulated from their prior: right samplers pass, and wrong ones do
// not. False alarms as in TestRightAndWrong; seeds are fixed.
func TestKindsThatSimulate(t *testing.T) {
	for _, model := range []string{"line", "counts", "classes", "states"} {
		right := load(t, simulatingOf(model))
		out, r := carryOut(t, right)
		if out.ExitCode != exit.Pass || r.Ranked != 60 {
			t.Errorf("%s: exit code %d, %+v", model, out.ExitCode, r)
		}
		wrong := load(t, simulatingOf(model))
		wrong.tamper = func(k infer.Kernel) infer.Kernel { return biased{k} }
		if out, r = carryOut(t, wrong); out.ExitCode != exit.Fail {
			t.Errorf("%s, wrong: exit code %d, %+v", model, out.ExitCode, r)
		}
		posterior := load(t, simulatingOf(model))
		posterior.Given = Posterior
		if out, r = carryOut(t, posterior); out.ExitCode != exit.Usage || !strings.Contains(r.Words[0], "from the prior") {
			t.Errorf("%s, --posterior: exit code %d, %+v", model, out.ExitCode, r)
		}
	}
}
