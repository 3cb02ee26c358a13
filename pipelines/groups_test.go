package pipelines_test

import (
	"math"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// grouped is the shipped pipeline sleepstudy with all that a run may ask for of models with group-level effects.
func grouped(t *testing.T) folder {
	t.Helper()
	source, err := pipelines.Source("sleepstudy")
	if err != nil {
		t.Fatal(err)
	}
	spec := strings.Replace(string(source), "posteriors.duckdb", "t.duckdb", 1)
	spec = strings.Replace(spec, "(1 + Days | Subject), family: gaussian}", `(1 + Days | Subject), family: gaussian,
    derive: {var: "sd_Subject__Days^2", slope: "Days + `+"`r_Subject[308,Days]`"+`", point: "mean(Days = 3, Subject = 308)", all: "mean(Days = 3)"}}`, 1)
	return newFolder(t, spec+"run: {loo: true, ppc: true, condition: true, start: previous}\n")
}

// The fits have lme4's answers within what priors and chance move: the sds of REML are 24.7, 5.9 and 25.6 (slopes), 37.1
// and 31.0 (intercepts). What is derived, predicted and left out is of the same linear predictor.
func TestSleepstudy(t *testing.T) {
	f := grouped(t)
	if got := actions(f.run(pipelines.RunOptions{})); got != "sleepstudy/ computed warn\nsleepstudy/ computed warn" {
		t.Fatal(got)
	}
	within := func(what, sql string, low, high float64) {
		t.Helper()
		if got := number(t, f.ask("t.duckdb", sql)); !(got >= low && got <= high) {
			t.Errorf("%s is %v, want %v to %v", what, got, low, high)
		}
	}
	component := func(column, model, term string) string {
		return "SELECT " + column + " FROM variance_components WHERE grouping = 'Subject' AND model = '" + model + "' AND term = '" + term + "'"
	}
	within("the sd of intercepts", component("sd", "slopes", "Intercept"), 22, 34)
	within("the sd of slopes", component("sd", "slopes", "Days"), 5, 9)
	within("the sd without slopes", component("sd", "intercepts", "Intercept"), 34, 46)
	within("its levels", component("levels", "intercepts", "Intercept"), 18, 18)
	within("an intraclass correlation with slopes", component("coalesce(icc, -1)", "slopes", "Days"), -1, -1)
	within("the elpd", "SELECT elpd_loo FROM loo_compare WHERE model = 'slopes'", -864, -858)
	within("how many parameters that is", "SELECT p_loo FROM loo_compare WHERE model = 'slopes'", 25, 45)
	within("the replicated sd", "SELECT p_value FROM ppc JOIN fit USING (fit_id) WHERE statistic = 'sd' AND model = 'slopes'", 0.2, 0.8)
	within("the slope of subject 308", "SELECT mean FROM group_effects WHERE model = 'slopes' AND level = '308' AND term = 'Days'", 7, 12)
	rate := func(of string) string {
		return "SELECT max(value) FROM diagnostic WHERE name = 'gibbs_rate_" + of + "'"
	}
	within("the predicted rate of a plain sampler", rate("plain"), 0.93, 0.955) // 10·sd²/(10·sd² + sigma²)
	within("that of a collapsed one", rate("collapsed"), 0, 0)
	for _, q := range []struct{ sql, want string }{
		{"SELECT DISTINCT model FROM diagnostic JOIN fit USING (fit_id) WHERE name LIKE 'gibbs_rate_%' AND " +
			"note LIKE '%% effective draws an iteration; these chains have 0.% of the intercept%'", "intercepts"},
		{"SELECT model, count(*), count(DISTINCT level) FROM group_effects GROUP BY ALL ORDER BY ALL", "intercepts,18,18\nslopes,36,18"},
		{"SELECT name, kind, grouping, level, term, beside FROM parameter JOIN fit USING (fit_id) WHERE model = 'slopes' AND " +
			"(level = '309' OR kind NOT IN ('derived', 'group_effect')) ORDER BY parameter_id",
			"(Intercept),intercept,,,,\nDays,coefficient,,,,\nsigma,dispersion,,,,\n" +
				"sd_Subject__Intercept,group_sd,Subject,,Intercept,\nsd_Subject__Days,group_sd,Subject,,Days,\n" +
				"cor_Subject__Intercept__Days,group_correlation,Subject,,Intercept,Days\n" +
				"\"r_Subject[309,Intercept]\",group_effect,Subject,309,Intercept,\n\"r_Subject[309,Days]\",group_effect,Subject,309,Days,"},
		{"SELECT DISTINCT prior FROM parameter WHERE grouping = 'Subject' ORDER BY 1",
			"half_student_t(3, 141)\nlkj(1)\n\"multivariate normal of Intercept, Days\"\n\"normal(0, sd_Subject__Intercept)\""},
		{"SELECT count(*) FROM coefficients WHERE parameter LIKE 'r_%'", "0"},
		{"SELECT DISTINCT reason FROM conditions WHERE place = 'mode'", "no curvature is computed for models with group-level effects (of Subject) yet"},
		{"SELECT DISTINCT note FROM start", "as usual: chains of group-level effects find their levels anew"},
	} {
		if got := strings.ReplaceAll(f.ask("t.duckdb", q.sql), "\"half_student_t(3, 141)\"", "half_student_t(3, 141)"); got != q.want {
			t.Errorf("%s\n%s\nwant\n%s", q.sql, got, q.want)
		}
	}
	wide := func(of string) string {
		return "WITH w AS (PIVOT (SELECT parameter, chain, iteration, value FROM draws WHERE model = '" + of + "') ON parameter USING any_value(value)) SELECT "
	}
	within("what derived quantities miss by", wide("slopes")+`max(greatest(abs(var - sd_Subject__Days ^ 2), abs(slope - Days - "r_Subject[308,Days]"),
		abs("all" - "(Intercept)" - 3 * Days), abs(point - "all" - "r_Subject[308,Intercept]" - 3 * "r_Subject[308,Days]"))) FROM w`, 0, 1e-9)
	icc := number(t, f.ask("t.duckdb", wide("intercepts")+"avg(sd_Subject__Intercept ^ 2 / (sd_Subject__Intercept ^ 2 + sigma ^ 2)) FROM w"))
	within("the intraclass correlation", component("icc", "intercepts", "Intercept"), icc-1e-9, icc+1e-9)
	rows, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Only: []string{"model=slopes"}, Of: []string{"linear"}})
	at := number(t, f.ask("t.duckdb", "SELECT mean FROM coefficients WHERE parameter = 'point'"))
	if err != nil || len(rows) != 181 || math.Abs(number(t, rows[4][2])-at) > 1e-9 {
		t.Errorf("%d rows, %v: row 4 is %v, and derived %v", len(rows), err, rows[4], at)
	}
	if got := actions(f.run(pipelines.RunOptions{})); got != "sleepstudy/ skipped warn\nsleepstudy/ skipped warn" {
		t.Errorf("again: %s", got)
	}
}

// Effects whose draws are not kept have the summaries that they would have; what needs their draws says so, and what is
// derived later takes none of their places.
func TestEffectsAreSummarised(t *testing.T) {
	source, err := pipelines.Source("sleepstudy")
	if err != nil {
		t.Fatal(err)
	}
	spec := func(keep, derive string) string {
		text := strings.Replace(string(source), "posteriors.duckdb", "t.duckdb", 1)
		text = strings.Replace(text, "(1 | Subject), family: gaussian}", "(1 | Subject), family: gaussian, derive: {"+derive+"}}", 1)
		return text + "fits: [{models: intercepts}]\nrun: {warmup: 50, draws: 50" + keep + "}\ngates: {ess_bulk: 5, ess_tail: 5, rhat: 1.5}\n"
	}
	whole, part := newFolder(t, spec("", `twice: 2 * sd_Subject__Intercept`)), newFolder(t, spec(", keep: {groups: summary}", `one: sigma, two: "mean(Days = 1)"`))
	whole.run(pipelines.RunOptions{})
	part.run(pipelines.RunOptions{})
	same := func(sql string) {
		t.Helper()
		if a, b := whole.ask("t.duckdb", sql), part.ask("t.duckdb", sql); a != b || a == "" {
			t.Errorf("%s\n%s\nwith their draws\n%s", sql, b, a)
		}
	}
	check := func() {
		t.Helper()
		same("SELECT grouping, level, term, mean, sd, rhat, ess_bulk FROM group_effects")
		same("SELECT name, mean FROM summary WHERE kind <> 'derived' ORDER BY kind, name")
		same("SELECT * EXCLUDE (fit_id, icc), round(icc, 12) FROM variance_components")
		same("SELECT parameter, count(*), sum(value) FROM draws JOIN parameter p ON p.fit_id = draws.fit_id AND p.name = parameter WHERE kind NOT IN ('derived', 'group_effect') GROUP BY ALL ORDER BY ALL")
		same("SELECT value FROM diagnostic WHERE name IN ('ess_bulk_min', 'rhat_max', 'rhat_max_if_mixed') ORDER BY name")
		for _, f := range []folder{whole, part} {
			if v, err := pipelines.Verify(t.Context(), f.path("t.duckdb"), 0); err != nil {
				t.Errorf("%v: %v", v, err)
			}
		}
	}
	check()
	const has = "SELECT n_parameters, (SELECT count(*) FROM parameter WHERE checksum IS NULL), (SELECT count(DISTINCT parameter_id) FROM draw) FROM fit"
	if got := part.ask("t.duckdb", has); got != "6,18,6" {
		t.Errorf("parameters, those without draws, those with: %s", got)
	}
	part.write("spec.yaml", spec(", keep: {groups: summary}", `twice: 2 * sd_Subject__Intercept`))
	if got := actions(part.run(pipelines.RunOptions{})); got != "sleepstudy/ skipped pass" {
		t.Errorf("derived anew: %s", got)
	}
	check()
	same("SELECT mean, ess_bulk FROM summary WHERE name = 'twice'")
	part.write("spec.yaml", spec(", loo: true, keep: {groups: summary}", `twice: 2 * sd_Subject__Intercept`))
	if out := part.run(pipelines.RunOptions{}); !strings.Contains(strings.Join(out.Fits[0].Reasons, " "), "kept no draws, or none of group-level effects") {
		t.Errorf("loo of a stored fit: %q", out.Fits[0].Reasons)
	}
	if _, _, err := part.predict("spec.yaml", pipelines.PredictOptions{}); err == nil || !strings.Contains(err.Error(), "keep: {groups: draws}") {
		t.Errorf("predictions: %v", err)
	}
	part.write("spec.yaml", spec("", `twice: 2 * sd_Subject__Intercept`))
	if got := actions(part.run(pipelines.RunOptions{})); got != "sleepstudy/ computed pass" {
		t.Errorf("who asks for the draws gets %s", got)
	}
	part.write("spec.yaml", spec(", keep: {groups: summary}", "one: '`r_Subject[308,Intercept]`'"))
	if out := part.run(pipelines.RunOptions{}); out.Fits[0].Err == nil || !strings.Contains(out.Fits[0].Err.Error(), `there is no parameter "r_Subject[308,Intercept]"`) {
		t.Errorf("a quantity of an effect without draws: %v", out.Fits[0].Err)
	}
}
