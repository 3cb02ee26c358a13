package main

import (
	"os"
	"strings"
	"testing"
)

// The answer to a wrong call is in the program's own words: what is missing or too much, and what was perhaps
// meant.
func TestWrongCalls(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "d.csv", "y,x\n1,2\n3,1\n2,3\n5,4\n2,2\n4,1\n")
	write(t, ".", "other.csv", "y,a,b\n1,2,3\n")
	write(t, ".", "s.yaml", `pipeline: s
datasets: {esoph: {path: d.csv}, cars: {path: d.csv}}
models: {m: {formula: y ~ x, family: poisson}}
samplers: {gibbs: {method: cggibbs}}
run: {warmup: 20, draws: 20}
`)
	if code, out, errs := call(t, "run", "s.yaml"); code != 1 { // 20 draws are few
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	text, err := os.ReadFile("posteriors.duckdb")
	must(t, err)
	write(t, ".", "copy.duckdb", string(text))
	for _, c := range []struct {
		args string
		want []string
	}{
		{"run", []string{"run: SPEC|NAME… is missing", "hint: for example: pipeline run quickstart"}},
		{"sql", []string{"sql: [SPEC|NAME] QUERY is missing", `hint: for example: pipeline sql "SELECT`}},
		{"init", []string{"init: FILE is missing", "pipeline init claims.csv"}},
		{"show a b c", []string{"show takes [SPEC|NAME] [FIT], and got 3 arguments"}},
		{"version x", []string{`version takes no argument, and "x" is one`}},
		{"compare x", []string{`there is no file "x"`}},
		{"fit s.yaml", []string{`there is no verb "fit"`, `did you mean "run"?`}},
		{"Describe s.yaml", []string{`did you mean "explain"?`}},
		{"query SELECT", []string{`there is no verb "query"`, `did you mean "sql"?`}},
		{"summary", []string{`did you mean "show"?`}},
		{"shwo", []string{`did you mean "show"?`}},
		{"xyzzy", []string{`there is no verb "xyzzy"`, "hint: pipeline help lists the verbs"}},
		{"loo s.yaml --only dataset=cars", []string{`there is no verb "loo"`, "hint: pipeline help lists the verbs"}},
		{"help summary", []string{`there is no verb "summary"`, `did you mean "show"?`}},
		{"run s.yaml --worker 2", []string{"run has no flag --worker", `did you mean "--workers"?`}},
		{"run s.yaml -q", []string{"run has no flag -q", "pipeline help run lists the flags"}},
		{"run s.yaml --workers x", []string{`--workers "x": it is a whole number`, "chains that are drawn at once"}},
		{"run s.yaml --seed", []string{"--seed needs a value"}},
		{"run s.yaml --only dataset=esof", []string{"no fit is selected", `did you mean "esoph"? each dataset there is: esoph, cars`}},
		{"run s.yaml --only sampler=gibs", []string{`did you mean "gibbs"?`}},
		{"run s.yaml --only data=cars", []string{`--only "data=cars"`, "fields: dataset, model, sampler"}},
		{"run quickstrat", []string{`did you mean "quickstart"?`}},
		{"list quickstrat", []string{`did you mean "quickstart"?`}},
		{"show carz", []string{`has no fit "carz"`, `did you mean "cars"?`}},
		{"show cars/n", []string{`did you mean "cars/m"?`}},
		{"predict --only dataset=carz", []string{`did you mean "cars"?`}},
		{"export --only dataset=carz", []string{`did you mean "cars"?`}},
		{"predict --only dataset=cars --data other.csv", []string{`column "x": the model reads it`, "the columns are y, a, b"}},
		{"report --fit 99", []string{"the ledger has no fit 99", "pipeline show '*'"}},
		{"report --fit 1 --fit 99", []string{"the ledger has no fit 99"}},
		{"show --database none.duckdb", []string{"there is no ledger", "beside it are ", "posteriors.duckdb"}},
		{"run s", []string{`there is no file "s"`, `did you mean "s.yaml"?`}},
		{"explain d.csv", []string{"d.csv is data, and a spec is wanted", "pipeline init d.csv writes a spec for it"}},
		{"init s.yaml", []string{"s.yaml is a spec, and init writes one for a data file"}},
		{"report 99", []string{"report takes a spec, and 99 is a number", "pipeline report --fit 99 names a fit"}},
		{"verify", []string{"name a spec, or a ledger with --database", "hint: for example: pipeline verify --database posteriors.duckdb"}},
		{"completion", []string{"completion: name a shell", "hint: it is bash, fish"}},
		{"verify posteriors.duckdb", []string{"verify takes a spec, and posteriors.duckdb is a ledger",
			"hint: pipeline verify --database posteriors.duckdb"}},
		{"sql posteriors.duckdb SELECT", []string{"hint: pipeline sql --database posteriors.duckdb SELECT"}},
		{"validate posteriors.duckdb", []string{"this is a DuckDB file and no spec", "--database names a ledger"}},
		{"show s.yaml carz", []string{"pipeline show s.yaml '*' lists them"}},
		{"show carz --database ./posteriors.duckdb --run 1", []string{"name a fit or a run"}},
		{"show --run zzz --database copy.duckdb", []string{"pipeline runs --database copy.duckdb lists them"}},
	} {
		code, out, errs := call(t, strings.Fields(c.args)...)
		if code != 2 || out != "" {
			t.Errorf("%s: exit %d, prints %s", c.args, code, out)
		}
		for _, want := range c.want {
			if !strings.Contains(errs, want) {
				t.Errorf("%s: it does not say %q:\n%s", c.args, want, errs)
			}
		}
		for _, raw := range []string{"arg(s)", "unknown", "strconv", "invalid argument"} {
			if strings.Contains(errs, raw) {
				t.Errorf("%s: raw words of a library: %s", c.args, errs)
			}
		}
	}
}

// help prints the entry of a message, which show names.
func TestHelpOfMessages(t *testing.T) {
	code, out, _ := call(t, "help", "exit-code-3")
	if code != 0 || !strings.HasPrefix(out, "exit code 3\n\nAnother process") || !strings.Contains(out, "\n\nRemedy: Run pipeline commit") {
		t.Errorf("exit %d: %s", code, out)
	}
	t.Chdir(t.TempDir())
	write(t, ".", "d.csv", "y,x\n1,2\n3,1\n2,3\n5,4\n2,2\n4,1\n")
	write(t, ".", "s.yaml", "pipeline: s\ndatasets: {d: {path: d.csv}}\nmodels: {m: {formula: y ~ x, family: poisson}}\n"+
		"samplers: {gibbs: {method: cggibbs}}\nrun: {warmup: 20, draws: 20}\n")
	call(t, "run", "s.yaml")
	if _, out, _ = call(t, "show", "1"); !strings.Contains(out, "\n  what to do: pipeline help too-few-effective-draws\n") {
		t.Errorf("show names no message:\n%s", out)
	}
}

// No command prints a line wider than a screen of 80 columns: tables with long names and reasons, and the help of
// each command.
func TestEveryTableFitsTheScreen(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("COLUMNS", "80")
	t.Setenv("LC_ALL", "C.UTF-8")
	write(t, ".", "d.csv", "outcome_of_the_patient,a_rather_long_column_name_of_the_laboratory,x\n"+strings.Repeat("1,2,1\n3,1,5\n2,3,2\n5,4,4\n2,2,6\n4,1,1\n", 4))
	write(t, ".", "s.yaml", `pipeline: screen
datasets: {cars_of_the_north: {path: d.csv}, broken: {path: there_is_no_file_of_this_name.csv}}
models:
  consumption_by_weight_and_power: {formula: "outcome_of_the_patient ~ a_rather_long_column_name_of_the_laboratory + x", family: poisson}
samplers: {auto: {method: auto}, nuts_with_a_diagonal_metric: {method: nuts}, gibbs: {method: cggibbs}}
run: {chains: 4, warmup: 40, draws: 50, replicates: 2}
`)
	fits := 0
	check := func(args ...string) {
		t.Helper()
		_, out, errs := call(t, args...)
		if out == "" {
			t.Errorf("%q prints nothing: %s", args, errs)
		}
		for line := range strings.Lines(out) {
			if n := widest(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("%q: a line of %d columns: %s", args, n, line)
			}
		}
		fits += strings.Count(out, "cars_of_the_north") + strings.Count(out, "…")
	}
	check("validate", "s.yaml")
	check("run", "s.yaml", "--dry-run")
	check("run", "s.yaml")
	write(t, ".", "d.csv", "outcome_of_the_patient,a_rather_long_column_name_of_the_laboratory,x\n"+strings.Repeat("1,2,1\n3,1,5\n2,3,2\n5,4,4\n2,2,6\n4,1,2\n", 5))
	check("run", "s.yaml", "--workers", "2")
	for _, args := range []string{"show", "show *", "show 1", "show 1 --all --sort name", "runs", "compare", "drift", "explain s.yaml --only sampler=auto", "list",
		"init d.csv --response x", "retry s.yaml", "help"} {
		check(strings.Fields(args)...)
	}
	check("run", "quickstart", "--workers", "2")
	if fits < 20 {
		t.Errorf("only %d names of fits were printed", fits)
	}
	for verb := range exits {
		check("help", verb)
	}
}

// Verbs that read a ledger take a spec in the same way: they ask the spec's ledger, about the spec's pipeline.
func TestVerbsTakeASpec(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "d.csv", "y,x\n1,2\n3,1\n2,3\n5,4\n2,2\n4,1\n")
	for _, name := range []string{"one", "two"} {
		write(t, ".", name+".yaml", `pipeline: `+name+`
database: both.duckdb
datasets: {`+name+`d: {path: d.csv}}
models: {m: {formula: y ~ x, family: poisson}}
samplers: {gibbs: {method: cggibbs}, nuts: {method: nuts}}
run: {warmup: 20, draws: 20}
`)
		if code, out, errs := call(t, "run", name+".yaml"); code != 1 { // 20 draws are few
			t.Fatalf("exit %d: %s%s", code, out, errs)
		}
	}
	for _, verb := range []string{"runs", "compare --format csv", "show", "show * --sort name"} {
		args := strings.Fields(verb)
		spec := append([]string{args[0], "one.yaml"}, args[1:]...)
		ledger := append([]string{"--database", "both.duckdb", "--pipeline", "one"}, args...)
		code, out, errs := call(t, spec...)
		wantCode, want, _ := call(t, append(ledger[4:], ledger[:4]...)...)
		if out != want || code != wantCode || !strings.Contains(out, "one") || strings.Contains(out, "two") {
			t.Errorf("%q: exit %d, %s%sexpected exit %d, %s", spec, code, out, errs, wantCode, want)
		}
	}
	_, out, _ := call(t, "sql", "one.yaml", "--format", "csv", "SELECT count(*), count(DISTINCT pipeline) FROM latest")
	if !strings.HasSuffix(out, "\n4,2\n") {
		t.Errorf("sql with a spec: %s", out)
	}
}
