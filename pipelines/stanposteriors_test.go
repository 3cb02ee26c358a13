package pipelines_test

import (
	"cmp"
	"database/sql"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"glmbatch/infer/infertest"
	"glmbatch/internal/references"
	"glmbatch/pipelines"
)

// stanPosteriors are those of testdata/multilevel as a user writes them; where a reference has the default priors, none
// are written. Left out are seeds and surgical, whose priors of 1/sd² and sd² have no spelling. draws are of each of
// four chains; without, a posterior is for make stat: VerbAgg for its time. The first five are in make test, and all
// of them in make study.
var stanPosteriors = []struct {
	name, model string
	draws       int
}{
	{"eight_schools", `effect | se(se) ~ 1 + (1 | school), family: gaussian, prior: {intercept: {prior: "normal(0, 5)", at: zero}, sd: half_cauchy(5)}`, 6000},
	{"sleepstudy", `Reaction ~ Days + (Days | Subject), family: gaussian`, 4000},
	{"cbpp", `incidence | trials(size) ~ factor(period) + (1 | herd), family: binomial`, 6000},
	{"Pastes", `strength ~ 1 + (1 | batch/cask), family: gaussian`, 4000},
	{"rats", `weight ~ I(day - 22) + (1 + I(day - 22) || rat), family: gaussian, prior: {coefficients: "normal(0, 100)", intercept: {
		prior: "normal(0, 100)", at: zero}, sd: flat, sigma: flat}`, 3000},
	{"radon_mn-slopes", `log_radon ~ floor + (1 + floor || county), family: gaussian, ` + radonPriors, 2000},
	{"radon_mn-uppm", `log_radon ~ log_uppm + floor + (1 | county), family: gaussian, ` + radonPriors, 2000},
	{"grouseticks", `TICKS ~ factor(YEAR) + cHEIGHT + (1 | BROOD) + (1 | INDEX) + (1 | LOCATION), family: poisson`, 1500},
	{"Dyestuff", `Yield ~ 1 + (1 | Batch), family: gaussian`, 6000},
	{"Dyestuff2", `Yield ~ 1 + (1 | Batch), family: gaussian`, 6000},
	{"Penicillin", `diameter ~ 1 + (1 | plate) + (1 | sample), family: gaussian`, 4000},
	{"falcons", `count ~ year + I(year^2) + I(year^3) + (1 | id), family: poisson, prior: {coefficients: "uniform(-10, 10)",
		by_name: {"I(year^2)": "uniform(-10, 20)"}, intercept: {prior: "uniform(-20, 20)", at: zero}, sd: "uniform(0, 5)"}`, 4000},
	{"tits", `count ~ 1 + (1 | site), family: poisson, missing: drop, prior: {intercept: {prior: "normal(0, 10)", at: zero}, sd: "uniform(0, 5)"}`, 1500},
	{"VerbAgg", `r2 ~ Anger + Gender + btype + situ + (1 | id) + (1 | item), family: bernoulli`, 0},
	{"lsat", `correct ~ 0 + question + (1 | person), family: bernoulli, prior: {coefficients: "normal(0, 100)", sd: half_normal(100)}`, 1500},
}

const radonPriors = `prior: {coefficients: "normal(0, 10)", intercept: {prior: "normal(0, 10)", at: zero}, sd: half_normal(1), sigma: half_normal(1)}`

// fromStan gives for each parameter of the model $1 whether it is an effect, its two priors as text, and how far
// this program is from the reference in the file $2, in standard errors of the difference: of means, of log sds, and of
// the shares of draws below the reference's quantiles, as angles, whose errors do not depend on the share. The reference
// does not store its effective draws for sds and quantiles: the fewer of those of its mean and of all its tails stand for
// them. It calls factor(period)2 period2.
const fromStan = `
WITH entry AS (SELECT unnest(map_entries(parameters)) AS e, priors, least_tail_ess FROM read_json($2, columns = {least_tail_ess: 'DOUBLE',
       priors: 'MAP(VARCHAR, VARCHAR)', parameters: 'MAP(VARCHAR, STRUCT(mean DOUBLE, sd DOUBLE, q05 DOUBLE, q50 DOUBLE, q95 DOUBLE, mcse DOUBLE, ess DOUBLE))'})),
     r AS (SELECT e.key AS name, unnest(e.value), least(e.value.ess, least_tail_ess) AS least_ess, coalesce(priors[e.key], priors[regexp_extract(e.key, '^cor_[^_]*')]) AS prior FROM entry),
     o AS (SELECT parameter_id, regexp_replace(p.name, '^factor.([A-Za-z]*).', '\1') AS name, p.kind = 'group_effect' AS effect, p.prior, s.* EXCLUDE (fit_id, parameter_id, name, kind)
           FROM summary s JOIN parameter p USING (fit_id, parameter_id) JOIN fit f USING (fit_id) WHERE f.model = $1),
     below AS (SELECT name, count(*) AS n, kurtosis_pop(value) + 2 AS spread, avg((value < r.q05)::INT) AS q05, avg((value < q50)::INT) AS q50, avg((value < r.q95)::INT) AS q95
               FROM draw JOIN o USING (parameter_id) JOIN r USING (name) GROUP BY ALL)
SELECT coalesce(o.name, r.name), effect, o.prior, r.prior,
       (o.mean - r.mean) / sqrt(mcse_mean ** 2 + mcse ** 2), ln(o.sd / r.sd) / sqrt((mcse_sd / o.sd) ** 2 + spread / 4 / least_ess),
       2 * (asin(sqrt(below.q05)) - asin(sqrt(0.05))) / sqrt(1 / least(ess_tail, n) + 1 / least_ess),
       2 * (asin(sqrt(below.q50)) - asin(sqrt(0.50))) / sqrt(1 / least(ess_bulk, n) + 1 / least_ess),
       2 * (asin(sqrt(below.q95)) - asin(sqrt(0.95))) / sqrt(1 / least(ess_tail, n) + 1 / least_ess),
       sqrt(mcse_mean ** 2 + mcse ** 2) / r.sd
FROM o FULL JOIN r USING (name) LEFT JOIN below USING (name) ORDER BY ALL`

// compared are the numbers of parameters of one kind over all posteriors, in standard errors.
type compared struct {
	n                        int
	largest, squares, coarse float64
	where                    string
}

// add notes the numbers of a parameter, and the standard error of its mean in posterior sds.
func (c *compared) add(name string, z []sql.NullFloat64, coarse float64) {
	for i, z := range z {
		size := math.Abs(z.Float64)
		if c.n++; size > c.largest {
			c.largest, c.where = size, name+", "+[]string{"mean", "sd", "5 %", "median", "95 %"}[i]
		}
		c.squares += size * size
	}
	c.coarse = max(c.coarse, coarse)
}

// The posteriors of Stan's NUTS in testdata/multilevel, by a run of specs as users write them: formula, coding, names,
// default priors, sampler and summaries.
//
// False alarms: 1e-4 over all (Bonferroni), half for effects and half for all else, as far as means and angles are
// normal and their standard errors right; no R-hat may be above 1.05. Power: the limits are 5.2 and 5.8 standard
// errors, so that any mean off by 0.21 posterior sds is seen in make study, by 0.12 in make stat; most by half of
// that. Seen red in make study: an sd's prior 1.2 times as wide as its text (6.7 standard errors, eight_schools), a
// factor of sd^levels or sd too many in scale moves (170, 26), 0.55 instead of 0.5 in the marginal likelihood
// (6.1), a proposal's way back (7.8), a shift without the prior of its coefficient (16), a degree of freedom of
// nested groupings (61), a level that is not counted (9). Not seen: lkj(1.5) instead of lkj(1), since the two
// correlated effects of sleepstudy carry more information, and a wrong move of carried sds, since no grouping here
// is weak.
func TestStanPosteriors(t *testing.T) {
	heldToStan(t, func(name string, draws int) (sampler string, warmup, all int) {
		return "method: auto", infertest.Scale(250, 2000), infertest.Scale(draws, 5*cmp.Or(draws, 2000))
	})
}

// The same of NUTS, in both forms of effects and as the pilot chooses. False alarms and power: as above. Seen red in make
// test: sds without their Jacobian (15 standard errors, two posteriors that do not mix), 0.9 of the log prior of non-centred
// effects (10); partial correlations without theirs do not mix on sleepstudy.
func TestNutsAgainstStan(t *testing.T) {
	infertest.Study(t)
	forms := map[string]string{"eight_schools": "auto", "sleepstudy": "non_centred", "cbpp": "centred", "Penicillin": "auto",
		"radon_mn-slopes": "auto", "rats": "centred"}
	heldToStan(t, func(name string, draws int) (sampler string, warmup, all int) {
		if forms[name] == "" {
			return "", 0, 0
		}
		return "method: nuts, target_accept: 0.95, effects: " + forms[name], infertest.Scale(400, 2000),
			infertest.Scale(draws/4, 2*draws)
	})
}

// heldToStan compares runs of a sampler with the references; there are none of 0 draws.
func heldToStan(t *testing.T, by func(name string, draws int) (sampler string, warmup, all int)) {
	t.Helper()
	data, seed := references.Folder(t, "multilevel"), infertest.Seed(t)
	var rest, effects compared
	for i, p := range stanPosteriors {
		if i >= 5 && !infertest.Studies() {
			break
		}
		sampler, warmup, draws := by(p.name, p.draws)
		if draws == 0 {
			continue
		}
		file, _, _ := strings.Cut(p.name, "-")
		f := newFolder(t, fmt.Sprintf(`{pipeline: stan, database: t.duckdb, seed: %d, datasets: {%s: {path: %q}}, models: {%s: {formula: %s}}, samplers: {s: {%s}},
			run: {chains: 4, warmup: %d, draws: %d}, gates: {ess_bulk: off, ess_tail: off, rhat: 1.05, divergences: %d}}`,
			seed, file, filepath.Join(data, file+".csv"), p.name, p.model, sampler, warmup, draws, draws/50))
		if out := f.run(pipelines.RunOptions{}); out.Fits[0].Err != nil || out.Fits[0].Verdict == "fail" {
			t.Errorf("%s: %s, %v", p.name, out.Fits[0].Reasons, out.Fits[0].Err)
			continue
		}
		reference := filepath.Join("..", "testdata", "multilevel", p.name+".reference.json")
		f.fromStan(p.name, reference, &rest, &effects)
	}
	effects.within(t, "effects", 5e-5)
	rest.within(t, "all else", 5e-5)
}

// within compares the largest number with the limit that is passed with a probability.
func (c *compared) within(t *testing.T, what string, alarms float64) {
	t.Helper()
	limit := math.Sqrt2 * math.Erfcinv(alarms/float64(c.n))
	t.Logf("%s: %d numbers, spread %.2f, largest %.2f (%s; p = %.2g), limit %.2f; standard errors of means up to %.3f sds", what, c.n,
		math.Sqrt(c.squares/float64(c.n)), c.largest, c.where, min(1, float64(c.n)*math.Erfc(c.largest/math.Sqrt2)), limit, c.coarse)
	if !(c.largest < limit) || c.n == 0 {
		t.Errorf("%s differ from Stan's: %s by %.2f standard errors, limit %.2f", what, c.where, c.largest, limit)
	}
}

// fromStan compares a fit of the folder with its reference, a file.
func (f folder) fromStan(model, reference string, rest, effects *compared) {
	f.t.Helper()
	db, err := sql.Open("duckdb", f.path("t.duckdb")+"?access_mode=READ_ONLY")
	must(f.t, err)
	defer db.Close()
	if _, err := os.Stat(reference); err != nil { // shows the go command, too, the files that the test depends on
		f.t.Fatal(err)
	}
	rows, err := db.QueryContext(f.t.Context(), fromStan, model, reference)
	must(f.t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		var effect sql.NullBool
		var prior, want sql.NullString
		z := make([]sql.NullFloat64, 6)
		must(f.t, rows.Scan(&name, &effect, &prior, &want, &z[0], &z[1], &z[2], &z[3], &z[4], &z[5]))
		switch {
		case model == "lsat" && effect.Bool && !z[0].Valid: // the reference has one person of each pattern of answers
		case slices.ContainsFunc(z, func(z sql.NullFloat64) bool { return !z.Valid || math.IsNaN(z.Float64) }):
			f.t.Errorf("%s: %s has no number on one side", model, name)
		case effect.Bool:
			effects.add(model+" "+name, z[:5], z[5].Float64)
		default:
			rest.add(model+" "+name, z[:5], z[5].Float64)
			if prior != want {
				f.t.Errorf("%s: the prior of %s is %q, and Stan's %q", model, name, prior.String, want.String)
			}
		}
	}
	must(f.t, rows.Err())
}
