package pipelines_test

import (
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"glmbatch/pipelines"
	"glmbatch/report"
)

// grouped is the shipped pipeline sleepstudy with all that a run may ask for of models with group-level effects.
func grouped(t *testing.T) folder {
	t.Helper()
	source, err := pipelines.Source("sleepstudy")
	must(t, err)
	spec := strings.Replace(string(source), "posteriors.duckdb", "t.duckdb", 1)
	spec = strings.Replace(spec, "(1 + Days | Subject), family: gaussian}", `(1 + Days | Subject), family: gaussian,
    derive: {var: "sd_Subject__Days^2", slope: "Days + `+"`r_Subject[308,Days]`"+`", point: "mean(Days = 3, Subject = 308)", share: sd_Subject__Intercept^2 / (sd_Subject__Intercept^2 + sigma^2), factor: "exp(r_Subject[308,Days] / 10)", all: "mean(Days = 3)"}}`, 1)
	return newFolder(t, spec+"run: {loo: true, ppc: true, condition: true, start: previous}\n")
}

// The fits have lme4's answers within what priors and chance move: the sds of REML are 24.7, 5.9 and 25.6 (slopes),
// 37.1 and 31.0 (intercepts). Derived quantities, predictions and cross-validation use the same linear predictor.
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
		{"SELECT DISTINCT note FROM start", "as usual: there is no complete fit before it"},
	} {
		if got := strings.ReplaceAll(f.ask("t.duckdb", q.sql), "\"half_student_t(3, 141)\"", "half_student_t(3, 141)"); got != q.want {
			t.Errorf("%s\n%s\nwant\n%s", q.sql, got, q.want)
		}
	}
	wide := func(of string) string {
		return "WITH w AS (PIVOT (SELECT parameter, chain, iteration, value FROM draws WHERE model = '" + of + "') ON parameter USING any_value(value)) SELECT "
	}
	within("what derived quantities miss by", wide("slopes")+`max(greatest(abs(var - sd_Subject__Days ^ 2), abs(share * (1 + (sigma / sd_Subject__Intercept) ^ 2) - 1), abs(factor - exp("r_Subject[308,Days]" / 10)), abs(slope - Days - "r_Subject[308,Days]"),
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

// Effects whose draws are not kept have the summaries that they would have; a request that needs their draws is
// refused with the reason, and a quantity that is derived later takes none of their positions.
func TestEffectsAreSummarised(t *testing.T) {
	source, err := pipelines.Source("sleepstudy")
	must(t, err)
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

// New levels are an error that says what may be asked for; drawn, they have the spread that the sds and correlations of
// all draws give them; left out, they are the population, for which no draws of levels are needed.
func TestPredictNewLevels(t *testing.T) {
	source, err := pipelines.Source("sleepstudy")
	must(t, err)
	spec := strings.Replace(string(source), "posteriors.duckdb", "t.duckdb", 1)
	f := newFolder(t, spec+"fits: [{models: slopes}]\nrun: {warmup: 200, draws: 1000, keep: {groups: summary}}\n")
	f.run(pipelines.RunOptions{})
	f.write("new.csv", "Days,Subject\n4,1001\n4,308\n4,1002\n")
	f.write("days.csv", "Days\n4\n")
	seed := uint64(3)
	ask := func(data, levels string, groups ...string) (rows [][]string, notes string, err error) {
		return f.predict("", pipelines.PredictOptions{Data: f.path(data), NewLevels: levels, Groups: groups, Of: []string{"linear", "response"},
			Overrides: pipelines.Overrides{Seed: &seed}})
	}
	for _, c := range []struct{ data, levels, groups, want string }{
		{"new.csv", "", "all", `"1001" is not a level of the grouping Subject that the model was fitted with` + "\nhint: --new-levels sample draws"},
		{"new.csv", "some", "all", "write one of error, sample, zero"}, {"new.csv", "zero", "School", "name Subject, all or none"},
		{"new.csv", "sample", "all", "--groups none"}, {"days.csv", "sample", "all", `column "Subject"`},
	} {
		if _, _, err := ask(c.data, c.levels, c.groups); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	population := "FROM (SELECT chain, iteration, sum(CASE parameter WHEN '(Intercept)' THEN value WHEN 'Days' THEN 4 * value END) AS eta, " +
		"sum(CASE parameter WHEN 'sigma' THEN value ^ 2 END) AS noise, any_value(CASE parameter WHEN 'sd_Subject__Intercept' THEN value END) AS a, " +
		"any_value(CASE parameter WHEN 'sd_Subject__Days' THEN value END) AS b, any_value(CASE parameter WHEN 'cor_Subject__Intercept__Days' THEN value END) AS c " +
		"FROM draws GROUP BY ALL)"
	mean, variance := number(t, f.ask("t.duckdb", "SELECT avg(eta) "+population)), number(t, f.ask("t.duckdb", "SELECT var_samp(eta) "+population))
	between := number(t, f.ask("t.duckdb", "SELECT avg(a ^ 2 + 16 * b ^ 2 + 8 * a * b * c) "+population))
	rows, notes, err := ask("days.csv", "", "none")
	if err != nil || notes != "" || math.Abs(number(t, rows[1][2])-mean) > 1e-9 || math.Abs(number(t, rows[1][3])-math.Sqrt(variance)) > 1e-9 {
		t.Errorf("the population is %v, want mean %v and sd %v; %q, %v", rows, mean, math.Sqrt(variance), notes, err)
	}
	f.write("new.csv", "Days,Subject\n4,1001\n4,1002\n4,1001\n")
	zero, notes, err := ask("new.csv", "zero")
	if err != nil || zero[1][2] != rows[1][2] || zero[1][3] != rows[1][3] || !strings.Contains(notes, "each new level of Subject (1001, 1002) has effects of 0") {
		t.Errorf("without effects %v, %q, %v", zero, notes, err)
	}
	drawn, notes, err := ask("new.csv", "sample")
	if err != nil || !strings.Contains(notes, "each new level of Subject (1001, 1002) has effects drawn from the law of all levels") {
		t.Fatalf("%q, %v", notes, err)
	}
	// 4000 draws that hardly depend on each other place an sd within 6 % at 5 sd of its own.
	if want := math.Sqrt(variance + between); math.Abs(number(t, drawn[1][3])/want-1) > 0.06 || math.Abs(number(t, drawn[1][2])-mean) > want/10 {
		t.Errorf("a new subject has mean %s and sd %s, want %v and %v", drawn[1][2], drawn[1][3], mean, want)
	}
	noise := number(t, f.ask("t.duckdb", "SELECT avg(noise) "+population))
	if want := math.Sqrt(variance + between + noise); math.Abs(number(t, drawn[2][3])/want-1) > 0.06 {
		t.Errorf("a response of a new subject has sd %s, want %v", drawn[2][3], want)
	}
	if drawn[1][2] != drawn[5][2] || drawn[1][2] == drawn[3][2] {
		t.Errorf("rows of 1001, 1002 and 1001: %v", drawn)
	}
	f.write("new.csv", "Days,Subject\n1,1003\n4,1001\n")
	if again, _, err := ask("new.csv", "sample"); err != nil || strings.Join(again[3][1:], " ") != strings.Join(drawn[1][1:], " ") {
		t.Errorf("in other company %v, %v", again, err)
	}
}

// A standard deviation that the model fixes is not sampled, and draws new levels all the same.
func TestPredictNewLevelsOfAFixedSD(t *testing.T) {
	source, err := pipelines.Source("sleepstudy")
	must(t, err)
	spec := strings.Replace(string(source), "posteriors.duckdb", "t.duckdb", 1)
	spec = strings.Replace(spec, "(1 | Subject), family: gaussian}", `(1 | Subject), family: gaussian, prior: {sd: constant(9), by_name: {"sd_S*": constant(1000), cor_Subject: lkj(2)}}}`, 1)
	f := newFolder(t, spec+"fits: [{models: intercepts}]\nrun: {warmup: 50, draws: 500}\n")
	if got := actions(f.run(pipelines.RunOptions{})); !strings.Contains(got, "computed") {
		t.Fatal(got)
	}
	f.write("new.csv", "Days,Subject\n4,1001\n")
	rows, _, err := f.predict("", pipelines.PredictOptions{Data: f.path("new.csv"), NewLevels: "sample", Of: []string{"linear"}})
	if err != nil || math.Abs(number(t, rows[1][3])/1000-1) > 0.2 { // the population has an sd of 236
		t.Errorf("%v, %v", rows, err)
	}
}

// checkDrift looks at the second night of TestNightsOfLevels: parameters that both nights have are compared, sds
// among them, and levels that came and went are counted; no gate of drift sees them.
func (f folder) checkDrift() {
	f.t.Helper()
	rows, err := pipelines.Drifts(f.t.Context(), f.path("t.duckdb"), pipelines.DriftOptions{Nights: 1})
	if err != nil || len(rows) != 1 || rows[0].Compared != 6+2*16 || *rows[0].Columns != 0 {
		f.t.Fatalf("%+v, %v", rows, err)
	}
	want := []report.LevelChange{{Grouping: "Subject", New: 1, Gone: 1, NewNames: []string{"335"}, GoneNames: []string{"308"}}}
	if !reflect.DeepEqual(rows[0].Levels, want) {
		f.t.Errorf("levels that came and went: %+v, want %+v", rows[0].Levels, want)
	}
	if got := f.ask("t.duckdb", "SELECT parameter FROM drift WHERE parameter LIKE 'sd%' OR parameter LIKE 'cor%' OR parameter LIKE '%[308,%' OR parameter LIKE '%[335,%'"); got !=
		"sd_Subject__Intercept\nsd_Subject__Days\ncor_Subject__Intercept__Days" {
		f.t.Errorf("compared are %s", got)
	}
	if got := f.ask("t.duckdb", "SELECT verdict, reasons FROM latest"); strings.Contains(got, "drift") {
		f.t.Errorf("a gate of drift: %s", got)
	}
}

// A run whose levels come and go starts from the previous one, with a quarter of its warm-up, and has the posterior
// of a run without a start: means within 5 standard errors of both.
func TestNightsOfLevels(t *testing.T) {
	source, err := pipelines.Source("sleepstudy")
	must(t, err)
	spec := func(query, start string) string {
		text := strings.Replace(string(source), "posteriors.duckdb", "t.duckdb", 1)
		text = strings.Replace(text, `{path: "example:sleepstudy.csv"}`, `{sql: "SELECT * FROM 'sleep.csv' WHERE `+query+`"}`, 1)
		return text + "fits: [{models: slopes}]\nrun: {warmup: 400, draws: 2000, start: " + start + "}\ngates: {drift: {columns: 0, shift: 20, sd_ratio: 20}}\n"
	}
	example, err := os.ReadFile("examples/sleepstudy.csv")
	must(t, err)
	f, anew := newFolder(t, spec("Subject <> 335", "previous")), newFolder(t, spec("Subject <> 308", "anew"))
	f.write("sleep.csv", string(example))
	anew.write("sleep.csv", string(example))
	f.run(pipelines.RunOptions{})
	f.write("spec.yaml", spec("Subject <> 308", "previous"))
	f.run(pipelines.RunOptions{})
	anew.run(pipelines.RunOptions{})
	if got := f.ask("t.duckdb", "SELECT note FROM start ORDER BY fit_id DESC LIMIT 1"); got != "\"from the posterior of fit 1, which knows 2 of 2 parameters and 32 of 34 effects of levels; the spec gives warmup: 400, which is not shortened\"" {
		t.Errorf("the start: %s", got)
	}
	f.checkDrift()
	samePosterior(t, f, "TRUE", anew, "TRUE", 6+34)
}

// samePosterior compares the means of the newest fits of two ledgers that a condition names: within 5 standard errors.
func samePosterior(t *testing.T, f folder, of string, g folder, like string, parameters int) {
	t.Helper()
	const means = "SELECT name, mean, mcse_mean FROM summary JOIN latest USING (fit_id) WHERE kind <> 'statistic' AND "
	one, other := strings.Split(f.ask("t.duckdb", means+of+" ORDER BY name"), "\n"), strings.Split(g.ask("t.duckdb", means+like+" ORDER BY name"), "\n")
	if len(one) != parameters || len(other) != len(one) {
		t.Fatalf("%d and %d parameters, want %d", len(one), len(other), parameters)
	}
	cells := func(line string) (name string, mean, se float64) {
		at := strings.LastIndex(line[:strings.LastIndex(line, ",")], ",")
		numbers := strings.Split(line[at+1:], ",")
		return line[:at], number(t, numbers[0]), number(t, numbers[1])
	}
	for i := range one {
		name, a, s := cells(one[i])
		same, b, r := cells(other[i])
		if name != same || math.Abs(a-b) > 5*math.Hypot(s, r) {
			t.Errorf("%s, mean %v, and %s, %v; standard errors %v and %v", name, a, same, b, s, r)
		}
	}
}

// With groups a sparse design has the posterior of a dense one, rows that count several times that of such rows one
// by one; a design with more columns than rows is sampled, and has all results after the draws.
func TestGroupsBesideOtherDesigns(t *testing.T) {
	f := newFolder(t, `
pipeline: designs
database: t.duckdb
datasets: {many: {path: many.csv}, counted: {path: counted.csv}, single: {path: single.csv}}
models:
  dense: {formula: y ~ . + (1 | g), family: bernoulli, sparse: false, standardize: max_abs, prior: {coefficients: "normal(0, 1)"}}
  sparse: {formula: y ~ . + (1 | g), family: bernoulli, sparse: true, standardize: max_abs, prior: {coefficients: "normal(0, 1)"}}
  wide: {formula: "y ~ poly(x, 3) * h + factor(x) * h + (1 | g)", family: bernoulli, prior: {coefficients: "normal(0, 1)"}}
  counted: {formula: y ~ x + (1 | g), family: bernoulli, frequency_weights: w}
  single: {formula: y ~ x + (1 | g), family: bernoulli}
samplers: {a: {method: auto}}
fits: [{datasets: many, models: [dense, sparse]}, {datasets: counted, models: [counted, wide]}, {datasets: single, models: single}]
run: {warmup: 300, draws: 1000, loo: true, ppc: true}
`)
	var many, counted, single strings.Builder
	many.WriteString("y,g,a,b,c,d,e\n")
	counted.WriteString("y,x,g,h,w\n")
	single.WriteString("y,x,g,h\n")
	for i := range 60 {
		y, x := (i*i%7+i/9)%2, (i*5)%11
		cells := make([]int, 5)
		cells[i%5] = i % 4
		fmt.Fprintf(&many, "%d,%d,%d,%d,%d,%d,%d\n", y, i%8, cells[0], cells[1], cells[2], cells[3], cells[4])
		fmt.Fprintf(&counted, "%d,%d,%d,%s,%d\n", y, x, i%8, string(rune('p'+i%5)), 1+i%3)
		single.WriteString(strings.Repeat(fmt.Sprintf("%d,%d,%d,%s\n", y, x, i%8, string(rune('p'+i%5))), 1+i%3))
	}
	f.write("many.csv", many.String())
	f.write("counted.csv", counted.String())
	f.write("single.csv", single.String())
	for _, fit := range f.run(pipelines.RunOptions{}).Fits {
		if fit.Err != nil {
			t.Errorf("%s: %v", fit.Model, fit.Err)
		}
	}
	samePosterior(t, f, "model = 'dense'", f, "model = 'sparse'", 1+5+1+8)
	samePosterior(t, f, "model = 'counted'", f, "model = 'single'", 2+1+8)
	for _, q := range []struct{ sql, want string }{
		{"SELECT count(*), count(elpd_loo) FROM loo", "5,5"}, {"SELECT count(*) FROM ppc WHERE statistic = 'mean' AND p_value BETWEEN 0.2 AND 0.8", "5"},
		{"SELECT n_columns > n_rows FROM fit WHERE model = 'wide'", "true"},
		{"SELECT abs(a.elpd_loo - b.elpd_loo) < 1 FROM loo a JOIN fit f USING (fit_id), loo b JOIN fit g USING (fit_id) WHERE f.model = 'counted' AND g.model = 'single'", "true"},
	} {
		if got := f.ask("t.duckdb", q.sql); got != q.want {
			t.Errorf("%s: %s, want %s", q.sql, got, q.want)
		}
	}
}

// Two samplers, whose streams have names of their own, agree about all parameters, effects of levels among them, though
// these have kept no draws.
func TestSamplersOfGroupsAgree(t *testing.T) {
	source, err := pipelines.Source("sleepstudy")
	must(t, err)
	spec := strings.Replace(string(source), "posteriors.duckdb", "t.duckdb", 1)
	spec = strings.Replace(spec, "auto: {method: auto}", "one: {method: auto}\n  two: {method: cggibbs}", 1)
	f := newFolder(t, spec+"fits: [{models: slopes}]\nrun: {warmup: 200, draws: 1000, keep: {groups: summary}}\n")
	f.run(pipelines.RunOptions{})
	pairs, err := pipelines.Compare(t.Context(), f.path("t.duckdb"), pipelines.CompareOptions{})
	if err != nil || len(pairs) != 1 || pairs[0].Agreement != "agree" || pairs[0].Compared != 6+36+2 || pairs[0].NotCompared != 0 {
		t.Errorf("%+v, %v", pairs, err)
	}
}
