package pipelines_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer/family"
	"glmbatch/infer/infertest"
	"glmbatch/pipelines"
)

var update = flag.Bool("update", false, "write the golden files anew")

// kindsOfModels has a model of each kind and feature, with a quantity to derive in it and an average of it.
var kindsOfModels = map[string]struct{ data, model, derived, average string }{
	"gaussian":          {"rows", "{formula: y ~ x, family: gaussian}", "exp(x)", "mean(x = 1)"},
	"student_t":         {"rows", "{formula: y ~ x, family: student_t}", "exp(x)", "mean(x = 1)"},
	"skew_normal":       {"rows", "{formula: y ~ x, family: skew_normal}", "exp(x)", "mean(x = 1)"},
	"exgaussian":        {"rows", "{formula: y ~ x, family: exgaussian}", "exp(x)", "mean(x = 1)"},
	"bernoulli":         {"rows", "{formula: b ~ x, family: bernoulli}", "exp(x)", "mean(x = 1)"},
	"binomial":          {"rows", `{formula: "n | trials(9) ~ x", family: binomial}`, "exp(x)", "mean(x = 1)"},
	"beta_binomial":     {"rows", `{formula: "n | trials(9) ~ x", family: beta_binomial}`, "exp(x)", "mean(x = 1)"},
	"poisson":           {"rows", "{formula: n ~ x, family: poisson}", "exp(x)", "mean(x = 1)"},
	"negative_binomial": {"rows", "{formula: n ~ x, family: negative_binomial}", "exp(x)", "mean(x = 1)"},
	"gamma":             {"rows", "{formula: p ~ x, family: gamma(log)}", "exp(x)", "mean(x = 1)"},
	"inverse_gaussian":  {"rows", "{formula: p ~ x, family: inverse_gaussian(log)}", "exp(x)", "mean(x = 1)"},
	"lognormal":         {"rows", "{formula: p ~ x, family: lognormal}", "exp(x)", "mean(x = 1)"},
	"weibull":           {"rows", "{formula: p ~ x, family: weibull}", "exp(x)", "mean(x = 1)"},
	"exponential":       {"rows", "{formula: p ~ x, family: exponential}", "exp(x)", "mean(x = 1)"},
	"loglogistic":       {"rows", "{formula: p ~ x, family: loglogistic}", "exp(x)", "mean(x = 1)"},
	"frechet":           {"rows", "{formula: p ~ x, family: frechet}", "exp(x)", "mean(x = 1)"},
	"censored":          {"rows", `{formula: "p | cens(b) ~ x + (1 | g)", family: weibull}`, "exp(x)", "mean(x = 1)"},
	"truncated":         {"rows", `{formula: "p | cens(b) + trunc(lb = 0.4) ~ s(x, k = 5)", family: lognormal}`, "exp(sigma)", "mean(x = 1)"},
	"beta":              {"rows", "{formula: s ~ x, family: beta}", "exp(x)", "mean(x = 1)"},
	"categorical":       {"rows", "{formula: c ~ x, family: categorical}", "muw_x - muv_x", "mean(x = 1)"},
	"multinomial":       {"rows", "{formula: \"cbind(n, b, g2) ~ x\", family: multinomial}", "mub_x - mug2_x", "mean(x = 1)"},
	"categorical_group": {"rows", "{formula: c ~ x + (1 | g), family: categorical}", "muw_x - muv_x", "mean(x = 1)"},
	"ordered":           {"rows", `{formula: "bf(c ~ x + (1 | g), disc ~ z)", family: cumulative}`, "`(Intercept)[1]` + x", "mean(x = 1)"},
	"predicted_sigma":   {"rows", `{formula: "bf(y ~ x + (1 | g), sigma ~ z + (1 | g))", family: gaussian}`, "exp(sigma_z)", "mean(x = 1)"},
	"predicted_shape":   {"rows", `{formula: "bf(p | cens(b) ~ x, shape ~ z)", family: weibull}`, "exp(shape_z)", "mean(x = 1)"},
	"predicted_nu":      {"rows", `{formula: "bf(y ~ x, sigma ~ z, nu ~ 1)", family: student_t}`, "exp(sigma_z)", "mean(x = 1)"},
	"zero_inflated":     {"rows", `{formula: "bf(n ~ x, zi ~ z)", family: zero_inflated_poisson}`, "exp(zi_z)", "mean(x = 1)"},
	"hurdle":            {"rows", `{formula: "n ~ x + (1 | g)", family: hurdle_negative_binomial}`, "exp(x)", "mean(x = 1)"},
	"custom": {"rows", `{formula: n ~ x + (1 | g), prior: {by_name: {"a_(Intercept)": "normal(0, 1)"}}, ` +
		`family: {custom: {predictors: [mu(log)], scalars: {a: {lower: 0}}, log_density: "lgamma(y + a) - lgamma(a) - lgamma(y + 1) + ` +
		`a * log(a / (a + mu * exp(z / 9))) + y * log(mu * exp(z / 9) / (a + mu * exp(z / 9)))", mean: mu * exp(z / 9), ` +
		`draw: "negative_binomial(mu * exp(z / 9), a)"}}}`, "exp(x)", "mean(x = 1)"},
	"custom_density": {"rows", `{formula: y ~ x, family: {custom: {predictors: [mu], log_density: "-(y - mu) ^ 2"}}}`, "exp(x)", "mean(x = 1)"},
	"groups":         {"rows", "{formula: y ~ x + (1 + x | g), family: gaussian}", "exp(x)", "mean(x = 1)"},
	"smooths":        {"rows", `{formula: "y ~ s(x, k = 5)", family: gaussian}`, "exp(sigma)", "mean(x = 1)"},
	"processes":      {"rows", `{formula: "y ~ gp(x, k = 5)", family: gaussian}`, "exp(sigma)", "mean(x = 1)"},
	"horseshoe":      {"rows", "{formula: y ~ x + z, family: gaussian, standardize: center_scale, prior: {coefficients: horseshoe(0.5)}}", "exp(x)", "mean(x = 1, z = 1)"},
	"spike_slab":     {"rows", `{formula: y ~ x + z, family: gaussian, prior: {coefficients: "spike_slab(0.5, 2)"}}`, "exp(x)", "mean(x = 1, z = 1)"},
	"cells":          {"rows", "{formula: y ~ x + hole, family: gaussian, missing: impute}", "exp(x)", "mean(x = 1, hole = 0)"},
	"measured":       {"rows", `{formula: "y ~ me(x, p) + z", family: gaussian}`, "exp(x)", "mean(x = 1, z = 1)"},
	"mixture":        {"rows", "{formula: y ~ x, family: gaussian, mixture: {components: 2}}", "mu1_x - mu2_x", "mean(x = 1)"},
	"classes":        {"rows", `{formula: "cbind(b, q) ~ 1", mixture: {components: 2}}`, "p1_q_l - p2_q_l", "mean(b = 1)"},
	"correlated":     {"rows", `{formula: "cbind(y, q, x) ~ 1", mixture: {components: 2, correlated: [y, x]}}`, "cor_y_x1 - cor_y_x2", "mean(y = 1)"},
	"pooled":         {"imputations", "{formula: chl ~ age + bmi, family: gaussian}", "exp(age)", "mean(age = 1, bmi = 20)"},
	"areas": {"rows", `{formula: "y ~ x + car(W, gr = g, type = \"bym2\")", family: gaussian}`, "exp(x)",
		"mean(x = 1, g = 'a')"},
	"relatives": {"rows", `{formula: "y ~ x + (1 | gr(g, cov = A))", family: gaussian}`, "exp(x)", "mean(x = 1, g = 'a')"},
	"responses": {"rows", `{formula: "bf(y ~ x + (1 | p | g), sigma ~ z) + bf(n ~ x + (1 | p | g))", family: gaussian, ` +
		`families: {n: poisson}}`, "exp(y_x)", "mean(x = 1)"},
	"residuals": {"rows", `{formula: "bf(y ~ x + (1 | g)) + bf(z ~ x) + set_rescor(TRUE)", family: gaussian}`, "exp(rescor__y__z)",
		"mean(x = 1)"},
	"discrete": {"friends", "{kind: mrf, coupling: 0.6, field: lean, watch: [ann]}", "exp(ann)", "mean(ann = 1)"},
}

// likeOthers are kinds that answer by the code of categorical_group, predicted_sigma and zero_inflated.
var likeOthers = []string{"categorical", "hurdle", "predicted_nu", "predicted_shape"}

// questionedKinds are all kinds, or in make test those that answer by code of their own.
func questionedKinds() []string {
	all := slices.Sorted(maps.Keys(kindsOfModels))
	if infertest.Studies() || *update {
		return all
	}
	return slices.DeleteFunc(all, func(kind string) bool {
		f, err := family.Parse(kind, "")
		return slices.Contains(likeOthers, kind) || err == nil && f.Is(family.Termwise) && f.Several() == nil
	})
}

// questionsSpec is a spec of kinds with one more part of models and of run.
func questionsSpec(kinds []string, model func(kind string) string, run string) string {
	var b strings.Builder
	b.WriteString("pipeline: questions\ndatabase: t.duckdb\nseed: 5\ndatasets:\n  rows: {path: rows.csv}\n" +
		"  imputations: {path: imp*.csv, each: imputation}\n  friends: {path: people.csv, edges: {path: ties.csv}}\nmatrices: {W: pairs.csv, A: kin.csv}\n" +
		"models:\n")
	for _, kind := range kinds {
		text := kindsOfModels[kind].model
		fmt.Fprintf(&b, "  %s: %s%s}\n", kind, strings.TrimSuffix(text, "}"), model(kind))
	}
	b.WriteString("samplers: {s: {method: auto}}\n" + run + "fits:\n")
	for _, kind := range kinds {
		fmt.Fprintf(&b, "  - {datasets: [%s], models: [%s], samplers: [s]}\n", kindsOfModels[kind].data, kind)
	}
	return b.String()
}

// newQuestions is a folder with the data of all kinds.
func newQuestions(t *testing.T) folder {
	t.Helper()
	f := newFriends(t, "s: {method: auto}", "draws: 60")
	f.nhanes()
	var b strings.Builder
	b.WriteString("y,b,n,p,s,c,x,z,g,hole,q,g2\n")
	for i := range 36 {
		x, z := float64(i%7)-3, float64(i%5)-2
		hole := fmt.Sprint(i%4 - 1)
		if i%9 == 0 {
			hole = "NA"
		}
		u := float64((i*29)%31) / 31
		fmt.Fprintf(&b, "%v,%d,%d,%v,%v,%s,%v,%v,%s,%s,%s,%d\n", 0.5*x+3*u, (i*7+i/5)%2, (i*5)%8, 0.5+u+0.1*(x+3), 0.05+0.9*u,
			[]string{"u", "v", "w"}[(i*11)%3], x, z, []string{"a", "b", "c", "d"}[i%4], hole, []string{"k", "l", "m"}[(i*13)%3], 1+i%3)
	}
	f.write("rows.csv", b.String())
	f.write("pairs.csv", "g,h\na,b\nb,c\nc,d\n")
	f.write("kin.csv", "g,h,value\na,a,1\nb,b,1\nc,c,1\nd,d,1\na,b,0.5\nb,c,0.25\n")
	return f
}

// asking gathers the sentences of kinds that do not answer a question.
type asking struct {
	folder
	kinds   []string
	answers map[string]map[string]string // by question and kind; empty for a kind that answers
}

func (a *asking) note(question, kind, sentence string) {
	if a.answers[question] == nil {
		a.answers[question] = map[string]string{}
	}
	a.answers[question][kind] = sentence
}

// unchecked are kinds that make test does not check: gaussian, poisson, smooths and zero_inflated are simulated by the
// same code.
var unchecked = []string{"bernoulli", "binomial", "horseshoe", "ordered", "predicted_sigma", "processes"}

const shortRun = "chains: 2, warmup: 60, draws: 120"

// run asks a question by a run: the table that is to have its answer, and one more part of models and of run.
func (a *asking) run(question, table string, model func(string) string, run string) {
	kinds := slices.Clone(a.kinds)
	a.write("spec.yaml", questionsSpec(kinds, model, "run: {"+shortRun+run+"}\n"))
	out, err := pipelines.Run(a.t.Context(), a.path("spec.yaml"), pipelines.RunOptions{})
	for err != nil { // the spec is refused for some kinds
		before := len(kinds)
		for _, line := range strings.Split(err.Error(), "\n") {
			if m := regexp.MustCompile(`model "(\w+)"`).FindStringSubmatch(line); m != nil {
				a.note(question, m[1], line)
				kinds = slices.DeleteFunc(kinds, func(kind string) bool { return kind == m[1] })
			}
		}
		if len(kinds) == before {
			a.t.Fatal(err)
		}
		a.write("spec.yaml", questionsSpec(kinds, model, "run: {"+shortRun+run+"}\n"))
		out, err = pipelines.Run(a.t.Context(), a.path("spec.yaml"), pipelines.RunOptions{})
	}
	var have []string
	if table != "" {
		have = strings.Fields(a.ask("t.duckdb", "SELECT DISTINCT model FROM latest WHERE fit_id IN (SELECT fit_id FROM "+table+")"))
	}
	for _, r := range out.Fits {
		sentence, has := "", table == "" || slices.Contains(have, r.Model)
		switch {
		case r.Err != nil:
			sentence = r.Err.Error()
		case !has:
			sentence = strings.Join(append(slices.Clone(r.Warnings), r.Reasons...), "; ")
			if sentence == "" {
				a.t.Errorf("%s × %s: nothing is stored, and no sentence gives the reason", r.Model, question)
			}
		}
		a.note(question, r.Model, sentence)
	}
}

// A cell of the table of kinds and questions works, or prints one sentence that explains why it does not. The golden
// file has the sentences; their number may only fall.
func TestKindsAndQuestions(t *testing.T) {
	a := &asking{newQuestions(t), questionedKinds(), map[string]map[string]string{}}
	none := func(string) string { return "" }
	a.run("run", "summary", none, "")
	a.run("loo", "loo", none, ", loo: true")
	a.run("ppc", "ppc", none, ", ppc: true")
	a.run("kfold", "kfold", none, ", kfold: 3")
	a.run("start", "", none, ", start: previous")
	a.run("derive", "", func(kind string) string { return fmt.Sprintf(", derive: {d: %q}", kindsOfModels[kind].derived) }, "")
	a.run("average", "", func(kind string) string { return fmt.Sprintf(", derive: {d: %q}", kindsOfModels[kind].average) }, "")
	a.write("spec.yaml", questionsSpec(a.kinds, none, "run: {"+shortRun+"}\n"))
	a.folder.run(pipelines.RunOptions{})
	a.verbs()
	dir := a.plan(2, "shards.duckdb")
	for i := range 2 {
		a.shard(dir, i)
	}
	for _, r := range a.gather(dir, pipelines.GatherOptions{}).Fits {
		if a.note("shard", r.Model, ""); r.Err != nil {
			a.note("shard", r.Model, r.Err.Error())
		}
	}

	var b strings.Builder
	sentences := 0
	for _, question := range slices.Sorted(maps.Keys(a.answers)) {
		for _, kind := range a.kinds {
			if said := a.answers[question][kind]; said != "" {
				sentences++
				fmt.Fprintf(&b, "%s × %s: %s\n", kind, question, a.plainly(said))
			}
		}
	}
	t.Logf("%d kinds × %d questions: %d sentences", len(a.kinds), len(a.answers), sentences)
	golden(t, filepath.Join("testdata", "questions.txt"), b.String(), a.kinds)
	golden(t, filepath.Join("testdata", "kindtables.txt"), a.tables(), a.kinds)
}

// tables lists the tables of the ledger that fits of a kind fill, and a regression with a horseshoe prior does not.
func (a *asking) tables() string {
	filled := map[string][]string{}
	for _, table := range strings.Fields(a.ask("t.duckdb", "SELECT DISTINCT table_name FROM duckdb_columns() JOIN "+
		"duckdb_tables() USING (table_name) WHERE column_name = 'fit_id' ORDER BY ALL")) {
		of := strings.Fields(a.ask("t.duckdb", "SELECT DISTINCT model FROM latest WHERE fit_id IN (FROM "+table+" SELECT fit_id) ORDER BY ALL"))
		for _, kind := range of {
			if !slices.Contains(of, "horseshoe") {
				filled[kind] = append(filled[kind], table)
			}
		}
	}
	var b strings.Builder
	for _, kind := range a.kinds {
		if len(filled[kind]) > 0 {
			fmt.Fprintf(&b, "%s : %s\n", kind, strings.Join(filled[kind], ", "))
		}
	}
	return b.String()
}

// plainly is a sentence without the paths of this folder and without its hint.
func (f folder) plainly(sentence string) string {
	sentence, _, _ = strings.Cut(strings.ReplaceAll(sentence, f.dir+"/", ""), "\n")
	return regexp.MustCompile(`spec\.yaml:\d+:\d+: `).ReplaceAllString(sentence, "")
}

// verbs asks each kind what has a verb of its own.
func (a *asking) verbs() {
	a.t.Helper()
	spec := a.path("spec.yaml")
	a.write("check.yaml", questionsSpec(a.kinds, func(string) string { return "" }, "run: {chains: 1, warmup: 10, draws: 20}\n"))
	said := func(question, kind string, err error) {
		if a.note(question, kind, ""); err != nil {
			a.note(question, kind, err.Error())
		}
	}
	for _, kind := range a.kinds {
		of, only := kindsOfModels[kind], []string{"model=" + kind}
		texts, err := pipelines.Explain(a.t.Context(), spec, pipelines.Overrides{}, only, "text")
		said("explain", kind, err)
		if _, why, refused := strings.Cut(strings.Join(texts, ""), "It cannot be explained: "); refused {
			a.note("explain", kind, why)
		}
		if infertest.Studies() || *update || !slices.Contains(unchecked, kind) {
			checked, err := pipelines.Check(a.t.Context(), a.path("check.yaml"), pipelines.CheckOptions{Only: only, Simulations: 20})
			said("check", kind, err)
			if err == nil && checked.Fits[0].Verdict == "error" {
				a.note("check", kind, strings.Join(checked.Fits[0].Words, "; "))
			}
		}
		predict := pipelines.PredictOptions{Only: only, Notes: new(bytes.Buffer)}
		if kind == "responses" {
			predict.Response = "n"
		}
		said("predict", kind, pipelines.Predict(a.t.Context(), new(bytes.Buffer), spec, predict))
		effect := map[string]string{"rows": "x", "imputations": "age", "friends": "ann"}[of.data]
		said("effects", kind, pipelines.Effects(a.t.Context(), new(bytes.Buffer), spec,
			pipelines.EffectsOptions{PredictOptions: predict, Effect: effect}))
	}
	said("report", "gaussian", pipelines.Report(a.t.Context(), a.path("t.duckdb"), a.path("page.html"), new(bytes.Buffer),
		pipelines.ReportOptions{}))
}

// golden compares a text with the lines of a file of testdata that begin with some words.
func golden(t *testing.T, file, got string, words []string) {
	t.Helper()
	if *update {
		must(t, os.WriteFile(file, []byte(got), 0o644))
	}
	text, err := os.ReadFile(file)
	want := ""
	for line := range strings.Lines(string(text)) {
		if first, _, _ := strings.Cut(line, " "); slices.Contains(words, first) {
			want += line
		}
	}
	if err != nil || want != got {
		t.Errorf("%s differs (-update writes it): %v\n%s", file, err, got)
	}
}
