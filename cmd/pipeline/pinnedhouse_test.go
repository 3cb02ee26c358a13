package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pinnedMethods has every kind of sampler, and what can be asked of a fit.
const pinnedMethods = `pipeline: methods
database: pinned.duckdb
seed: 7
datasets: {cars: mtcars.csv}
models:
  line:
    formula: mpg ~ wt + hp
    family: gaussian
    standardize: center_scale
    prior: {coefficients: "normal(0, 2.5)"}
    derive: {difference: "wt - hp", at: "mean(wt = 3, hp = 120)"}
  heavy: {formula: mpg ~ wt + factor(cyl), family: student_t, standardize: center_scale, prior: {coefficients: "laplace(0, 2)"}}
  count: {formula: carb ~ wt + hp, family: poisson, standardize: center_scale, prior: {coefficients: "normal(0, 1)"}}
  spread: {formula: carb ~ wt, family: negative_binomial, standardize: max_abs, prior: {coefficients: "student_t(4, 0, 1)"}}
  gear: {formula: am ~ wt, family: bernoulli(probit), standardize: center_scale, prior: {coefficients: "normal(0, 2.5)"}}
  rate: {formula: disp ~ wt, family: gamma(log), standardize: center_scale, prior: {coefficients: "normal(0, 2.5)"}}
samplers:
  exact: {method: conjugate}
  auto: {method: auto}
  plain: {method: cggibbs}
  rotated: {method: cggibbs, basis: rotated, scan: random}
  some: {method: cggibbs, scan: {for: [wt]}}
  nuts: {method: nuts, metric: dense}
  hmc: {method: hmc}
run: {chains: 2, warmup: 60, draws: 80, ppc: true, loo: true, condition: true}
gates: {rhat: {warn: 1.05, fail: 1.5}, ess_bulk: 5, ess_tail: 5}
fits:
  - {datasets: cars, models: line, samplers: [exact, auto, plain, rotated, some, nuts, hmc]}
  - {datasets: cars, models: [heavy, count, spread, gear, rate], samplers: [auto, nuts]}
`

// pinnedNights has fits that err, groups, replicates, and draws that are not kept.
const pinnedNights = `pipeline: nights
database: pinned.duckdb
seed: 7
datasets:
  claims: {path: claims.csv, by: region}
  nowhere: none.csv
  broken: broken.csv
models:
  m: {formula: y ~ age, family: poisson, standardize: center_scale, prior: {coefficients: "normal(0, 2.5)", intercept: "normal(0, 10)"}}
samplers: {gibbs: {method: cggibbs}, hmc: {method: hmc}}
run: {chains: 2, warmup: 20, draws: 60, keep: summary, replicates: 2}
gates: {rhat: 1.5, ess_bulk: 5, ess_tail: 5}
`

const pinnedClaims = "region,age,y\nnorth,20,3\nnorth,31,4\nnorth,44,9\nnorth,52,8\nsouth,22,2\nsouth,30,-3\nsouth,41,5\nwest,25,1\nwest,33,4\nwest,47,5\n"

const pinnedScales = `pipeline: scales
database: pinned.duckdb
seed: 7
datasets: {cars: mtcars.csv}
models:
  shrunk: {formula: mpg ~ wt + hp + qsec, family: gaussian, standardize: center_scale, prior: {coefficients: "horseshoe(1)"}}
samplers: {auto: {method: auto}, nuts: {method: nuts}}
run: {chains: 2, warmup: 100, draws: 100, keep: scales}
gates: {rhat: off, ess_bulk: off, ess_tail: off}
`

const pinnedWarm = `pipeline: warm
database: pinned.duckdb
seed: 1
vars: {night: old}
datasets:
  cars: {sql: "SELECT * FROM 'mtcars.csv' WHERE {{ vars.night }} = 'new' OR hp < 200"}
models:
  line: {formula: mpg ~ wt + hp, family: gaussian, standardize: center_scale, prior: {coefficients: "normal(0, 2.5)"}}
samplers: {nuts: {method: nuts}}
run: {start: previous, chains: 2}
gates: {rhat: 1.1, ess_bulk: 100, ess_tail: 100, drift: {shift: 9}}
`

const pinnedFields = `pipeline: fields
database: pinned.duckdb
seed: 7
datasets:
  path: {path: nodes.csv, edges: {path: links.csv}}
  torn: {path: nodes.csv, edges: {path: torn.csv}}
models:
  leaning: {kind: mrf, coupling: 0.6, field: lean, watch: "*"}
  three: {kind: mrf, states: 3, coupling: 0.4}
samplers:
  exact: {method: exact}
  gibbs: {method: gibbs}
  herded: {method: herded}
  mean: {method: meanfield}
  best: {method: gibbs, anneal: {sweeps: 50}}
run: {chains: 2, warmup: 20, draws: 80}
gates: {rhat: 1.5, ess_bulk: 5, ess_tail: 5}
`

// house writes a spec of the house's own, and the data of all of them.
func (p *pin) house(spec string) (path, database string) {
	p.t.Helper()
	cars, err := os.ReadFile("../../testdata/classic/mtcars.csv")
	must(p.t, err)
	for name, text := range map[string]string{
		"mtcars.csv": string(cars), "claims.csv": pinnedClaims, "broken.csv": "age,y\n1,2\n2,oops\n3,4\n",
		"nodes.csv": "id,lean\na,0.4\nb,0.1\nc,-0.3\nd,0\n", "links.csv": "i,j,weight\na,b,1\nb,c,0.5\nc,d,1\n", "torn.csv": "i,j\na,b\nb,zed\n",
	} {
		write(p.t, p.dir, name, text)
	}
	p.t.Setenv("PIPELINE_ALLOW", p.dir)
	return write(p.t, p.dir, "spec.yaml", spec), filepath.Join(p.dir, "pinned.duckdb")
}

// Further guarantees of the program, in specs of their own: see the constants above.
func TestPinnedHouse(t *testing.T) {
	for name, c := range map[string]struct {
		spec string
		more func(p *pin, spec, database string)
	}{
		"methods": {pinnedMethods, func(p *pin, spec, database string) {
			write(p.t, p.dir, "new.csv", "wt,hp\n2.5,100\n3.5,200\n")
			p.text("predict", spec, "--only", "model=line", "--only", "sampler=exact", "--format", "csv")
			p.text("predict", "--database", database, "--only", "model=line", "--only", "sampler=plain", "--data", filepath.Join(p.dir, "new.csv"), "--format", "csv")
			p.hashed("predict", spec, "--only", "model=gear", "--only", "sampler=auto", "--draws", "--format", "csv")
			p.text("check", spec, "--only", "model=count", "--only", "sampler=auto", "--simulations", "20", "--quiet")
		}},
		"nights": {pinnedNights, func(p *pin, spec, _ string) {
			p.outcome("run", spec, "--select", "state:error")
			for _, change := range [][2]string{
				{"seed: 7", "seed: 8"}, {"chains: 2", "chains: 3"}, {"normal(0, 2.5)", "normal(0, 2)"}, {"draws: 60", "draws: 70"},
				{"{method: cggibbs}", "{method: cggibbs, scan: random}"}, {"rhat: 1.5", "rhat: 1.0001"}, {"  m:", "  m2:"},
			} {
				write(p.t, p.dir, "spec.yaml", strings.Replace(pinnedNights, change[0], change[1], 1))
				p.outcome("run", spec, "--dry-run", "--only", "dataset=claims/north")
			}
			write(p.t, p.dir, "spec.yaml", strings.Replace(pinnedNights, "rhat: 1.5", "rhat: 1.0001", 1))
			p.outcome("run", spec) // the verdicts are recomputed
		}},
		"scales": {spec: pinnedScales},
		"warm": {pinnedWarm, func(p *pin, spec, _ string) {
			p.outcome("run", spec, "--var", "night=new", "--dry-run")
			p.outcome("run", spec, "--var", "night=new")
			p.outcome("run", spec, "--var", "night=new")
		}},
		"fields": {spec: pinnedFields},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPin(t)
			spec, database := p.house(c.spec)
			p.text("validate", spec)
			p.text("explain", spec)
			p.outcome("run", spec)
			p.outcome("run", spec)
			if c.more != nil {
				c.more(p, spec, database)
			}
			p.ledger(database)
			p.answers(database)
			p.pairs(database)
			p.page(database)
			p.golden("house-" + name)
		})
	}
}
