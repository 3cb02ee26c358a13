package pipelines_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"glmbatch/infer/infertest"
	"glmbatch/pipelines"
)

// The curve of the shipped pipeline is that of mgcv's gam(accel ~ s(times, k = 20), method = "REML"), within what
// the uncertainty of its standard deviation moves: a quarter of a standard error at each of nine points, and sigma
// too. Its results in the ledger, derived quantities, predictions and cross-validation are of one linear predictor.
func TestMotorcycle(t *testing.T) {
	source, err := pipelines.Source("motorcycle")
	must(t, err)
	spec := strings.Replace(string(source), "posteriors.duckdb", "t.duckdb", 1)
	spec = strings.Replace(spec, "family: gaussian}", `family: gaussian, prior: {sds: "half_student_t(3, 500)"},
    derive: {at30: "linear_predictor(times = 30)", twice: 2 * sds_stimes_1}}`, 1)
	f := newFolder(t, spec+"run: {loo: true}\n")
	if got := actions(f.run(pipelines.RunOptions{})); !strings.HasPrefix(got, "crash/ computed") {
		t.Fatal(got)
	}
	var gam struct {
		X, Fit, SE []float64
		Sigma      float64
	}
	src, err := os.ReadFile("../testdata/classic/motorcycle.json")
	if err == nil {
		err = json.Unmarshal(src, &gam)
	}
	if err != nil || len(gam.X) != 9 {
		t.Fatalf("%v (run make_smooths.R)", err)
	}
	for i, x := range gam.X {
		got := number(t, f.ask("t.duckdb", "SELECT arg_min(mean, abs(x - "+strconv.FormatFloat(x, 'g', -1, 64)+")) FROM smooths"))
		if off := (got - gam.Fit[i]) / gam.SE[i]; !(math.Abs(off) < 0.25) {
			t.Errorf("the curve at %v is %v, mgcv's %v: %.2g standard errors", x, got, gam.Fit[i], off)
		}
	}
	if got := number(t, f.ask("t.duckdb", "SELECT mean FROM coefficients WHERE parameter = 'sigma'")); math.Abs(got/gam.Sigma-1) > 0.03 {
		t.Errorf("sigma %v, mgcv's %v", got, gam.Sigma)
	}
	for _, q := range []struct{ sql, want string }{
		{"SELECT smooth, level, name, count(*), count(DISTINCT x), min(x), max(x) FROM smooths GROUP BY ALL", `"s(times, k = 20)",,stimes_1,100,100,2.4,57.6`},
		{"SELECT bool_and(q025 < q25 AND q25 < median AND median < q75 AND q75 < q975 AND sd > 0) FROM smooths", "true"},
		{"SELECT parameter FROM coefficients", "(Intercept)\nbs_stimes_1\nsigma\nsds_stimes_1\nat30\ntwice"},
		{"SELECT kind, prior, term, count(*) FROM parameter WHERE term IS NOT NULL GROUP BY ALL ORDER BY 1",
			"smooth_effect,\"normal(0, sds_stimes_1)\",s(times),18\nsmooth_sd,\"half_student_t(3, 500)\",s(times),1"},
	} {
		if got := f.ask("t.duckdb", q.sql); got != q.want {
			t.Errorf("%s\n%s\nwant\n%s", q.sql, got, q.want)
		}
	}
	// The grid has, up to its steps, a point at 30: the quantity derived there is the intercept and the curve.
	at30 := number(t, f.ask("t.duckdb", "SELECT mean FROM coefficients WHERE parameter = 'at30'"))
	low := number(t, f.ask("t.duckdb", "SELECT arg_max(mean, x) FROM smooths WHERE x <= 30"))
	high := number(t, f.ask("t.duckdb", "SELECT arg_min(mean, x) FROM smooths WHERE x > 30"))
	intercept := number(t, f.ask("t.duckdb", "SELECT mean FROM coefficients WHERE parameter = '(Intercept)'"))
	if !(at30-intercept > math.Min(low, high)-1 && at30-intercept < math.Max(low, high)+1) {
		t.Errorf("derived %v less the intercept %v lies not between %v and %v", at30, intercept, low, high)
	}
	f.write("new.csv", "times\n30\n100\n")
	rows, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Data: f.path("new.csv"), Of: []string{"linear"}})
	if err != nil || len(rows) != 3 || math.Abs(number(t, rows[1][2])-at30) > 1e-9 {
		t.Errorf("%v: predicted %v, derived %v", err, rows, at30)
	}
	if got := actions(f.run(pipelines.RunOptions{})); !strings.HasPrefix(got, "crash/ skipped") {
		t.Errorf("again: %s", got)
	}
}

// The posterior of a curve is that of brms, which has a program and priors of its own: coefficients, standard deviations
// and the curve at 15 points.
//
// False alarms: 1e-4 over all numbers (Bonferroni), as far as they are normal. Power: the limit is 4.5 standard errors, a
// mean that is off by 0.06 posterior sds or an sd by 6 %. Seen red: columns scaled by their penalty and
// not its root (49 standard errors), an sd without its prior (14) or without its Jacobian (14).
func TestCurveOfBrms(t *testing.T) {
	var brms struct {
		Times     []float64
		Priors    struct{ Intercept, Sds, Sigma string }
		Posterior map[string]struct{ Mean, SD, MCSE, ESS float64 }
	}
	src, err := os.ReadFile("../testdata/smooths/brms/brms.json")
	if err == nil {
		err = json.Unmarshal(src, &brms)
	}
	if err != nil || len(brms.Times) != 15 || len(brms.Posterior) != 19 {
		t.Fatalf("%v (run brms.R)", err)
	}
	var points []string
	for i, x := range brms.Times {
		points = append(points, fmt.Sprintf(`mean%d: "linear_predictor(times = %v)"`, i+1, x))
	}
	f := newFolder(t, fmt.Sprintf(`pipeline: brms
database: t.duckdb
seed: %d
datasets: {mcycle: {path: "example:motorcycle.csv"}}
models:
  curve:
    formula: accel ~ s(times, k = 20)
    family: gaussian
    prior: {intercept: %q, coefficients: flat, sds: "half_%s", sigma: "half_%s"}
    derive: {%s}
samplers: {auto: {method: auto}}
run: {chains: 4, warmup: 250, draws: %d}
gates: {ess_bulk: off, ess_tail: off}
`, infertest.Seed(t), brms.Priors.Intercept, half(brms.Priors.Sds), half(brms.Priors.Sigma), strings.Join(points, ", "),
		infertest.Scale(4000, 40_000)))
	if got := actions(f.run(pipelines.RunOptions{})); !strings.HasPrefix(got, "mcycle/ computed pass") {
		t.Fatal(got)
	}
	limit := math.Sqrt2 * math.Erfcinv(1e-4/float64(2*len(brms.Posterior)))
	compared := 0
	for line := range strings.Lines(f.ask("t.duckdb", "SELECT name, mean, sd, mcse_mean, mcse_sd FROM summary ORDER BY 1")) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		want, known := brms.Posterior[strings.Replace(cells[0], "(Intercept)", "b_Intercept", 1)]
		if !known {
			continue // single coefficients of the curve are defined up to a rotation
		}
		compared++
		mean, sd := number(t, cells[1]), number(t, cells[2])
		zMean := (mean - want.Mean) / math.Hypot(number(t, cells[3]), want.MCSE)
		zSD := math.Log(sd/want.SD) / math.Hypot(number(t, cells[4])/sd, math.Sqrt(0.5/want.ESS))
		if !(max(math.Abs(zMean), math.Abs(zSD)) < limit) {
			t.Errorf("%s: mean %v, brms's %v: %.2f standard errors; sd %v, brms's %v: %.2f; limit %.2f", cells[0], mean,
				want.Mean, zMean, sd, want.SD, zSD, limit)
		}
	}
	if compared != len(brms.Posterior) {
		t.Errorf("%d of brms's %d parameters are in the ledger", compared, len(brms.Posterior))
	}
}

// half returns the end, after half_, of the name of a prior of brms that is centred at 0.
func half(prior string) string { return strings.Replace(prior, "(3, 0, ", "(3, ", 1) }

// A curve for each level of a factor: the ledger has each by itself, and what the formula or the rows do not allow is said.
func TestSmoothsByLevel(t *testing.T) {
	f := newFolder(t, `pipeline: levels
database: t.duckdb
datasets:
  births: {path: "example:birthwt.csv"}
  told: {path: "example:birthwt.csv", rows: factored}
models:
  curves: {formula: 'low ~ race + s(lwt, k = 5, by = race)', family: bernoulli, prior: {by_name: {"sds_slwt*": half_normal(1)}}}
  weight: {formula: 'bwt ~ s(lwt, k = 5)', family: gaussian}
samplers: {auto: {method: auto}}
fits: [{datasets: [births], models: [curves]}, {datasets: [told], models: [weight]}]
run: {warmup: 100, draws: 100}
gates: {ess_bulk: 5, ess_tail: 5, rhat: 1.5}
`)
	out := f.run(pipelines.RunOptions{})
	if got := actions(out); !strings.Contains(got, "births/ computed pass") || !strings.Contains(got, "told/ error") {
		t.Fatal(got)
	}
	for _, fit := range out.Fits {
		if fit.Dataset == "told" && !strings.Contains(fit.Err.Error(), "s(lwt, k = 5) is made of all of its values, which is not known while rows are read only once") {
			t.Errorf("factored rows: %v", fit.Err)
		}
	}
	if got, want := f.ask("t.duckdb", "SELECT smooth, level, count(*) FROM smooths GROUP BY ALL ORDER BY 2"),
		"\"s(lwt, k = 5, by = race)\",black,100\n\"s(lwt, k = 5, by = race)\",other,100\n\"s(lwt, k = 5, by = race)\",white,100"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got, want := f.ask("t.duckdb", "SELECT DISTINCT prior FROM parameter WHERE kind = 'smooth_sd'"), "half_normal(1)"; got != want {
		t.Errorf("priors %s, want %s", got, want)
	}
}
