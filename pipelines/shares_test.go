package pipelines_test

import (
	"fmt"
	"strings"
	"testing"
)

const shares = `
pipeline: shares
database: t.duckdb
seed: 3
datasets: {carrots: {path: carrots.csv}, ends: {path: ends.csv}}
models:
  equal: {formula: success | trials(total) ~ logdose, family: binomial}
  no_zeros: {formula: success | trials(total) ~ logdose, family: zero_inflated_binomial, prior: {by_name: {"zi_(Intercept)": "normal(-20, 0.1)"}}}
  varied: {formula: success | trials(total) ~ logdose, family: beta_binomial}
  varied_no_zeros: {formula: success | trials(total) ~ logdose, family: zero_inflated_beta_binomial, prior: {by_name: {"zi_(Intercept)": "normal(-20, 0.1)"}}}
  inner: {formula: inner ~ x, family: beta, missing: drop}
  zero: {formula: "bf(low ~ x, zi ~ x)", family: zero_inflated_beta}
  both: {formula: "bf(both ~ x, zoi ~ x, coi ~ x)", family: zero_one_inflated_beta}
  end: {formula: end ~ x, family: bernoulli}
samplers: {auto: {method: auto}}
run: {chains: 4, warmup: 200, draws: 500, loo: true, ppc: true}
fits:
  - {datasets: [carrots], models: [equal, no_zeros, varied, varied_no_zeros], samplers: [auto]}
  - {datasets: [ends], models: [inner, zero, both, end], samplers: [auto]}
`

// Families of successes and shares with zeros have the posteriors of simpler models if these are the same: without a
// second source of zeros, and the parts of shares with ends, which are apart.
func TestShares(t *testing.T) {
	f := newClassic(t, shares, "carrots.csv")
	var b strings.Builder
	b.WriteString("x,inner,low,both,end\n")
	for i := range 90 {
		x, share := float64((i*13)%17)/8-1, 0.05+0.9*float64((i*29)%31)/31
		low, both, end := fmt.Sprint(share), fmt.Sprint(share), i%3 == 0 || i%7 == 1
		inner := low
		if end {
			low, both, inner = "0", fmt.Sprint(i%2), "NA"
		}
		fmt.Fprintf(&b, "%v,%s,%s,%s,%v\n", x, inner, low, both, end)
	}
	f.write("ends.csv", b.String())
	f.computes()
	pair := func(a, b, name string) string {
		return `SELECT max(abs(a.mean - b.mean) / a.sd) FROM coefficients a JOIN coefficients b ON a.model = '` + a +
			`' AND b.model = '` + b + `' AND a.parameter = ` + name
	}
	f.far("no zeros of binomial", pair("equal", "no_zeros", "b.parameter"), 0.15)
	f.far("no zeros of beta_binomial", pair("varied", "varied_no_zeros", "b.parameter"), 0.15)
	for _, m := range []string{"zero", "both"} {
		f.far("inner shares of "+m, pair("inner", m, "b.parameter AND a.parameter <> '(Intercept)'"), 0.3)
	}
	f.far("zeros", pair("zero", "end", "'zi_' || b.parameter"), 0.15)
	f.far("ends", pair("both", "end", "'zoi_' || b.parameter"), 0.15)
	f.far("elpd without zeros", `SELECT max(elpd_loo) - min(elpd_loo) FROM loo JOIN fit USING (fit_id) WHERE model IN
		('varied', 'varied_no_zeros')`, 0.5)
	if got := f.ask("t.duckdb", `SELECT string_agg(model || ' ' || statistic, ', ' ORDER BY model, statistic) FROM ppc JOIN fit
		USING (fit_id) WHERE statistic IN ('zeros', 'ones') AND model IN ('zero', 'both', 'inner')`); got !=
		`"both ones, both zeros, zero zeros"` {
		t.Errorf("statistics of checks: %s", got)
	}
}
