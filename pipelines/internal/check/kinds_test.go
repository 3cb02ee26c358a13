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
