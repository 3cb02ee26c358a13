package pipelines_test

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// mixtures is the shipped pipeline of mixtures, with quantities of the coins that have closed forms.
func mixtures(t *testing.T, more string) folder {
	t.Helper()
	return newFolder(t, mixturesSpec(t, more))
}

func mixturesSpec(t *testing.T, more string) string {
	t.Helper()
	source, err := pipelines.Source("mixtures")
	must(t, err)
	text := strings.Replace(string(source), "posteriors.duckdb", "t.duckdb", 1)
	if strings.Contains(more, "ppc") { // which latent classes do not have
		text = strings.Replace(text, "  - {datasets: carcinoma, models: classes, samplers: collapsed}\n", "", 1)
		text = text[:strings.Index(text, "  classes:")] + text[strings.Index(text, "samplers:"):]
	}
	return strings.Replace(text, `conjugate: "beta(1, 1)"}`, `conjugate: "beta(1, 1)"}
    derive: {p1: 1 / (1 + exp(-mu1_Intercept)), squares: theta1^2 + theta2^2}`, 1) + more
}

// The shipped mixtures agree with JAGS on the same priors, and with closed forms. Labels given parameters cannot
// move the coin in the middle: the plain sampler fails its gates, the collapsed one passes them.
//
// Limits: means within 5 Monte Carlo standard errors of both programs, of 15 parameters (false alarms below 1e-4, and
// seeds are fixed); an sd of a hundredth is seen.
func TestMixtures(t *testing.T) {
	f := mixtures(t, "")
	f.run(pipelines.RunOptions{})
	if got, want := f.ask("t.duckdb", "SELECT dataset, sampler, verdict FROM latest ORDER BY ALL"), "carcinoma,collapsed,warn\ncoins,collapsed,pass\ncoins,gibbs,fail\n"+
		"faithful,gibbs,pass\ngalaxies,collapsed,pass\ngalaxies,gibbs,pass"; got != want {
		t.Errorf("verdicts\n%s\nwant\n%s", got, want)
	}
	f.likeJAGS(t)
	for _, q := range []struct {
		name string
		want float64
	}{{"p1", (6.0/102 + 56.0/202) / 2}, {"squares", 0.6}} {
		where := " FROM coefficients WHERE sampler = 'collapsed' AND parameter = '" + q.name + "'"
		mean := number(t, f.ask("t.duckdb", "SELECT mean"+where))
		se := number(t, f.ask("t.duckdb", "SELECT sd / sqrt(ess_bulk)"+where))
		if !(math.Abs(mean-q.want) < 5*se) {
			t.Errorf("%s of the coins is %.4f ± %.4f, all labellings have %.4f", q.name, mean, se, q.want)
		}
	}
	for _, q := range []struct{ sql, want string }{
		{"SELECT name, kind, level, term, prior FROM parameter JOIN latest USING (fit_id) WHERE dataset = 'faithful' AND " +
			"name IN ('theta2', 'mu1_Intercept', 'unsorted_sigma2') ORDER BY name",
			"mu1_Intercept,intercept,1,Intercept,\"normal(70, 30)\"\ntheta2,mixture_weight,2,,dirichlet(1)\n" +
				"unsorted_sigma2,unsorted,2,,\"inverse_gamma(2, 7)\""},
		{"SELECT count(*) FROM latest WHERE family LIKE 'mixture of %'", "6"},
		{"SELECT count(*) FILTER (value = 0), count(*) FROM diagnostic JOIN latest USING (fit_id) WHERE name = " +
			"'label_switches' AND dataset = 'faithful'", "5,5"},
		{"SELECT count(*) FROM diagnostic JOIN latest USING (fit_id) WHERE name = 'label_switches' AND dataset = 'faithful' " +
			"AND chain IS NOT NULL AND note SIMILAR TO '.*were sampled as (1, 2|2, 1)'", "4"},
		{"SELECT bool_and(total = each), max(each) > 0 FROM (SELECT sum(value) FILTER (chain IS NULL) AS total, " +
			"sum(value) FILTER (chain IS NOT NULL) AS each FROM diagnostic JOIN latest USING (fit_id) WHERE " +
			"name = 'label_switches' AND dataset <> 'faithful' GROUP BY fit_id)", "true,true"},
		{"SELECT agreement, compared FROM comparison WHERE dataset = 'galaxies'", "agree,11"},
	} {
		if got := f.ask("t.duckdb", q.sql); got != q.want {
			t.Errorf("%s\n%s\nwant\n%s", q.sql, got, q.want)
		}
	}
	if got := actions(f.run(pipelines.RunOptions{})); strings.Contains(got, "computed") {
		t.Errorf("a second run has %s", got)
	}
}

// likeJAGS compares with testdata/mixtures/jags.csv, which jags.R makes.
func (f folder) likeJAGS(t *testing.T) {
	t.Helper()
	file, err := os.Open("../testdata/mixtures/jags.csv")
	must(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != 16 {
		t.Fatalf("%d rows, error %v", len(rows), err)
	}
	for _, row := range rows[1:] {
		name := row[1]
		if k, ok := strings.CutPrefix(name, "mu"); ok {
			name = "mu" + k + "_Intercept"
		}
		jags, err := strconv.ParseFloat(row[2], 64)
		must(t, err)
		mcse, err := strconv.ParseFloat(row[4], 64)
		must(t, err)
		where := " FROM coefficients WHERE dataset = '" + row[0] + "' AND parameter = '" + name + "' ORDER BY sampler LIMIT 1"
		mean := number(t, f.ask("t.duckdb", "SELECT mean"+where))
		own := number(t, f.ask("t.duckdb", "SELECT sd / sqrt(ess_bulk)"+where))
		if z := (mean - jags) / math.Hypot(own, mcse); !(math.Abs(z) < 5) {
			t.Errorf("%s of %s is %.4f ± %.4f, that of JAGS %.4f ± %.4f", name, row[0], mean, own, jags, mcse)
		}
	}
}

// Leave-one-out, predictive checks and allocations of mixtures, of both samplers: what is asked for later has the bits of
// what was asked for at once, predicted means are those of the weights and coefficients of each draw, and allocations
// those of the densities. A shard's allocations are gathered.
func TestMixturesAssessed(t *testing.T) {
	const asked, assessed = "run: {chains: 2, draws: 60, loo: true, ppc: true}\n",
		"SELECT dataset, sampler, round(sum(elpd_loo), 9), round(sum(pareto_k), 9), count(pit) FROM pointwise JOIN latest USING (fit_id) GROUP BY ALL ORDER BY ALL"
	const checks = "SELECT dataset, sampler, statistic, p_value FROM ppc JOIN latest USING (fit_id) ORDER BY ALL"
	const allocated = "SELECT dataset, sampler, row, component, probability FROM allocations ORDER BY ALL"
	now := mixtures(t, asked)
	now.run(pipelines.RunOptions{})
	if got := now.ask("t.duckdb", "SELECT count(*), round(sum(probability), 9), min(row), max(row), max(component) FROM allocations WHERE "+
		"sampler = 'gibbs' GROUP BY dataset ORDER BY 1"); got != "6,3,1,3,2\n246,82,1,82,3\n544,272,1,272,2" {
		t.Errorf("allocations\n%s", got)
	}
	// by the definition, in SQL, from the draws
	if got := now.ask("t.duckdb", `WITH d AS (PIVOT (SELECT chain, iteration, parameter, value FROM draws WHERE dataset = 'faithful')
		ON parameter USING first(value)),
		f AS (SELECT theta1 / sigma1 * exp(-pow((79 - mu1_Intercept) / sigma1, 2) / 2) AS a,
			theta2 / sigma2 * exp(-pow((79 - mu2_Intercept) / sigma2, 2) / 2) AS b FROM d)
		SELECT abs(avg(a / (a + b)) / (SELECT probability FROM allocations WHERE dataset = 'faithful' AND row = 1 AND component = 1) - 1)
			< 1e-9 FROM f`); got != "true" {
		t.Errorf("the allocation of the first row, of 79 minutes, is not that of its densities: %s", got)
	}
	now.rowDensities(t)
	rows, _, err := now.predict("spec.yaml", pipelines.PredictOptions{Only: []string{"dataset=faithful"}, Of: []string{"mean"}})
	if err != nil || len(rows) != 273 {
		t.Fatalf("%d rows of predictions, %v", len(rows), err)
	}
	mean := number(t, now.ask("t.duckdb", `WITH d AS (PIVOT (SELECT chain, iteration, parameter, value FROM draws WHERE
		dataset = 'faithful') ON parameter USING first(value)) SELECT avg(theta1 * mu1_Intercept + theta2 * mu2_Intercept) FROM d`))
	if got := number(t, rows[1][2]); !(math.Abs(got-mean) < 1e-6*mean) {
		t.Errorf("mean %v is predicted, draws have %v", got, mean)
	}
	if _, _, err := now.predict("spec.yaml", pipelines.PredictOptions{Only: []string{"dataset=faithful"},
		Of: []string{"linear"}}); err == nil || !strings.Contains(err.Error(), "linear predictor each") {
		t.Errorf("the linear predictor of a mixture: %v", err)
	}
	later := mixtures(t, strings.Replace(asked, "loo: true, ppc: true", "ppc: false", 1))
	later.run(pipelines.RunOptions{})
	later.write("spec.yaml", mixturesSpec(t, asked))
	later.run(pipelines.RunOptions{Workers: 3})
	parts := mixtures(t, asked)
	dir := parts.plan(2, "t.duckdb")
	for i := range 2 {
		parts.shard(dir, i)
	}
	parts.gather(dir, pipelines.GatherOptions{})
	for _, sql := range []string{assessed, checks, allocated} {
		want := now.ask("t.duckdb", sql)
		for i, f := range []folder{later, parts} {
			if got := f.ask("t.duckdb", sql); got != want || want == "" {
				t.Errorf("%s: %s has\n%.400s\nat once:\n%.400s", sql, []string{"later", "by shards"}[i], got, want)
			}
		}
	}
}

// rowDensities compares what leave-one-out makes of all draws, the log of the mean density of a row with its label summed
// over, with the draws.
func (f folder) rowDensities(t *testing.T) {
	t.Helper()
	if got := f.ask("t.duckdb", `WITH d AS (PIVOT (SELECT chain, iteration, parameter, value FROM draws WHERE dataset = 'faithful')
		ON parameter USING first(value)),
		y AS (SELECT observation, elpd_loo + p_loo AS lppd, CASE observation WHEN 1 THEN 79 WHEN 2 THEN 54 ELSE 67 END AS y FROM pointwise JOIN latest
			USING (fit_id) WHERE dataset = 'faithful' AND observation IN (1, 2, 249)),
		f AS (SELECT observation, lppd, ln(avg(
			theta1 / sigma1 * exp(-pow((y - mu1_Intercept) / sigma1, 2) / 2) +
			theta2 / sigma2 * exp(-pow((y - mu2_Intercept) / sigma2, 2) / 2)) / sqrt(2 * pi())) AS want FROM d, y GROUP BY ALL)
		SELECT count(*), max(abs(lppd - want)) < 1e-9 FROM f`); got != "3,true" {
		t.Errorf("log densities of rows of leave-one-out are not those of the draws: %s", got)
	}
}
