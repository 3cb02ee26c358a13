package pipelines_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

const stranger = `
pipeline: stranger
database: DATABASE
datasets: {d: DATA}
models: {m: {formula: y ~ age, family: poisson, prior: {coefficients: "normal(0, 2.5)"}}}
samplers: {s: {method: cggibbs}}
run: {chains: 2, warmup: 20, draws: 60}
gates: {rhat: 1.5, ess_bulk: 5, ess_tail: 5}
`

// A spec that a stranger sent reads and writes in the folders that the caller
// allows, and nowhere else: not by a path, a link, a query or a template, and the
// refusal comes before anything is touched.
func TestStranger(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	here, away := filepath.Join(root, "here"), filepath.Join(root, "away")
	f := folder{t, here}
	for _, err := range []error{
		os.Mkdir(here, 0o755), os.Mkdir(away, 0o755), os.Symlink(away, f.path("way")),
		os.Symlink(away, f.path("sly.duckdb.work")), os.Symlink(filepath.Join(away, "wal"), f.path("sly2.duckdb.wal")),
		os.WriteFile(filepath.Join(away, "secret.csv"), []byte(claims), 0o644),
	} {
		must(t, err)
	}
	f.write("claims.csv", strings.Replace(claims, "-3", "3", 1))
	t.Chdir(here)
	t.Setenv("GLMBATCH_TEST_AWAY", away)
	trust := &pipelines.Trust{Folders: []string{here}}
	for _, c := range []struct {
		database, data, want string // of an error; empty: it runs
		trust                *pipelines.Trust
	}{
		{"ok.duckdb", "claims.csv", "", trust},
		{"ok3.duckdb", "{{ env.GLMBATCH_TEST_AWAY }}/secret.csv", "", &pipelines.Trust{Folders: []string{here, away}}},
		{"x.duckdb", "{{ env.GLMBATCH_TEST_AWAY }}/secret.csv", "outside the folders", trust},
		{"x.duckdb", "{{ env.GLMBATCH_TEST_AWAY }}/secret.csv", "GLMBATCH_TEST_AWAY is not set", &pipelines.Trust{Folders: []string{away}, Env: []string{"CLAIMS_*"}}},
		{"x.duckdb", "../away/secret.csv", "outside the folders", trust},
		{"x.duckdb", "../away/*.csv", "outside the folders", trust},
		{"x.duckdb", "way/secret.csv", "outside the folders", trust},
		{"x.duckdb", "w*/secret.csv", "outside the folders", trust},
		{"x.duckdb", "{path: w*/secret.csv, each: file}", "outside the folders", trust},
		{"x.duckdb", `{sql: "SELECT * FROM 'claims.csv'"}`, "", trust},
		{"x.duckdb", `{sql: "SELECT * FROM 'way/secret.csv'"}`, "outside the folders", trust},
		{"x.duckdb", `{sql: "SELECT * FROM '../away/secret.csv'"}`, "outside the folders", trust},
		{"x.duckdb", `{sql: "SELECT * FROM t", database: ../away/other.duckdb}`, "outside the folders", trust},
		{"x.duckdb", `{path: claims.csv, triplets: {path: way/secret.csv}}`, "outside the folders", trust},
		{"../away/x.duckdb", "claims.csv", "outside the folders", trust},
		{"way/x.duckdb", "claims.csv", "outside the folders", trust},
		{"sly.duckdb", "claims.csv", "outside the folders", trust},
		{"sly2.duckdb", "claims.csv", "sly2.duckdb.wal does not exist\n  hint: create the target", trust},
	} {
		f.write("spec.yaml", strings.NewReplacer("DATABASE", c.database, "DATA", `"`+c.data+`"`).Replace(stranger))
		if strings.HasPrefix(c.data, "{s") || strings.HasPrefix(c.data, "{p") {
			f.write("spec.yaml", strings.NewReplacer("DATABASE", c.database, "DATA", c.data).Replace(stranger))
		}
		out, err := pipelines.Run(t.Context(), f.path("spec.yaml"), pipelines.RunOptions{Overrides: pipelines.Overrides{Trust: c.trust}})
		got := ""
		var usage *pipelines.UsageError
		switch {
		case errors.As(err, &usage):
			got = err.Error()
		case err != nil:
			t.Errorf("%s, %s: %v is no *UsageError", c.database, c.data, err)
		case out.ExitCode != 0:
			got = strings.Join(out.Fits[0].Reasons, "\n")
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			if c.want != "" || !strings.Contains(got, "poisson") { // secret.csv has a row that no model allows
				t.Errorf("%s, %s: %q, want %q", c.database, c.data, got, c.want)
			}
		}
		if strings.Contains(got, "outside") && !strings.Contains(got, "--allow") {
			t.Errorf("%s, %s: the refusal does not say what to do: %s", c.database, c.data, got)
		}
	}
	if left, _ := os.ReadDir(away); len(left) != 1 {
		t.Errorf("away from the folders there is %v", left)
	}
	own := pipelines.Overrides{Trust: trust, Database: filepath.Join(away, "own.duckdb")}
	f.write("spec.yaml", strings.NewReplacer("DATABASE", "x.duckdb", "DATA", "claims.csv").Replace(stranger))
	if _, err := pipelines.Run(t.Context(), f.path("spec.yaml"), pipelines.RunOptions{Overrides: own}); err != nil {
		t.Errorf("a database that the caller names: %v", err)
	}
	if _, err := pipelines.Run(t.Context(), "quickstart", pipelines.RunOptions{Overrides: pipelines.Overrides{Trust: &pipelines.Trust{}}}); err != nil {
		t.Errorf("a shipped pipeline: %v", err)
	}
}

// hostileNames are names that SQL, YAML, a shell, a glob, a formula, a file system or
// a terminal would take for something else.
var hostileNames = []string{
	`it's "quoted"; DROP TABLE fit; --`,
	"ünïcode 数据 \u202e🎲 back\\slash $1 {x} %s/and*star? ' OR '1'='1",
	"a line\nand\ta tab \x1b[31mred", // of cells and columns; a spec may not call anything so
}

// Names are data wherever they go: the ledger, its views, JSON, metrics, selection,
// files that are written, and every verb.
func TestHostileNames(t *testing.T) {
	for i, cell := range hostileNames {
		f := folder{t, memory(t)}
		name := strings.NewReplacer("\n", " ", "\t", " ", "\x1b", "").Replace(cell)
		file := strings.NewReplacer("/", "_", "*", "_", "?", "_").Replace(name) + ".csv"
		column := strings.NewReplacer("`", "", `\`, "", "\n", " ").Replace(cell)
		head := `"g","` + strings.ReplaceAll(column, `"`, `""`) + `","y"` + "\n"
		value := `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		f.write(file, head+value+",20,3\n"+value+",31,4\n"+value+",44,9\n"+value+",52,8\n"+value+",61,12\n")
		yaml := func(s string) string { // a string of JSON, and so of YAML
			text, err := json.Marshal(s)
			must(t, err)
			return string(text)
		}
		f.write("spec.yaml", "pipeline: "+yaml(name)+"\ndatabase: t.duckdb\ndatasets:\n  "+yaml(name)+": {path: "+yaml(file)+", by: [g]}\n"+
			"models:\n  "+yaml(name)+": {formula: "+yaml("y ~ `"+column+"`")+", family: poisson, standardize: center_scale, prior: {coefficients: 'normal(0, 2.5)'}}\n"+
			"samplers:\n  "+yaml(name)+": {method: cggibbs}\nrun: {chains: 2, warmup: 20, draws: 60}\ngates: {rhat: 2, ess_bulk: 5, ess_tail: 5, drift: {shift: 9}}\n")
		out := f.run(pipelines.RunOptions{Overrides: pipelines.Overrides{Trust: &pipelines.Trust{}}})
		if out.ExitCode != 0 || len(out.Fits) != 1 || out.Fits[0].Dataset != name || out.Fits[0].Model != name || out.Fits[0].Sampler != name {
			t.Errorf("%q: exit code %d, %q", name, out.ExitCode, out.Fits[0].Reasons)
			continue
		}
		key := out.Fits[0].Key // the value, in quotes where a shell or a glob would stumble over it
		if got := actions(f.run(pipelines.RunOptions{})); !strings.HasSuffix(got, "skipped "+out.Fits[0].Verdict) {
			t.Errorf("%q: the second run: %s", name, got)
		}
		q := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
		same := "dataset = " + q(name) + " AND key = " + q(key) + " AND model = " + q(name) + " AND sampler = " + q(name)
		query := "SELECT "
		for _, view := range []string{"fit", "run_fit", "latest", "coefficients", "draws"} {
			query += "(SELECT count(*) > 0 FROM " + view + " WHERE " + same + "), "
		}
		if has := f.ask("t.duckdb", query); has != "true,true,true,true,true" {
			t.Errorf("%q is not in each view: %s", name, has)
		}
		only := []string{"dataset=" + name + "/" + key, "model=" + name, "sampler=" + name}
		if again := f.run(pipelines.RunOptions{DryRun: true, Only: only}); len(again.Fits) != 1 {
			t.Errorf("%q: --only takes %d fits", name, len(again.Fits))
		}
		if err := pipelines.WriteMetrics(f.path("m.prom"), []*pipelines.Outcome{out}); err != nil {
			t.Error(err)
		}
		metrics, err := os.ReadFile(f.path("m.prom"))
		if faults, _ := lint(string(metrics)); err != nil || len(faults) > 0 {
			t.Errorf("%q: %v %v", name, err, faults)
		}
		f.hostileVerbs(name, column, only)
		if i > 0 || os.Getenv("GLMBATCH_STAT") == "" {
			continue // a check takes seconds
		}
		if out, err := pipelines.Check(t.Context(), f.path("spec.yaml"), pipelines.CheckOptions{Only: only, Simulations: 20, Workers: 2}); err != nil || len(out.Fits) != 1 {
			t.Errorf("%q: check: %v", name, err)
		}
	}
}

// hostileVerbs takes the only fit of a ledger, which is called name throughout,
// through the verbs that read a ledger or write to it.
func (f folder) hostileVerbs(name, column string, only []string) {
	t, ctx, database := f.t, f.t.Context(), f.path("t.duckdb")
	var answer, notes bytes.Buffer
	if err := pipelines.Predict(ctx, &answer, f.path("spec.yaml"), pipelines.PredictOptions{Only: only, Output: pipelines.QueryOptions{Format: "csv"}, Notes: &notes}); err != nil ||
		strings.Count(answer.String(), "\n") != 11 { // two quantities of five rows
		t.Errorf("%q: predict: %v\n%s", name, err, answer.String())
	}
	layouts := []string{"csv", "netcdf"}
	if os.Getenv("GLMBATCH_STAT") != "" {
		layouts = pipelines.Layouts()
	}
	for _, layout := range layouts {
		to := f.path("out-" + layout)
		if _, err := pipelines.Export(ctx, f.path("spec.yaml"), pipelines.ExportOptions{Only: only, Layout: pipelines.Layout(layout), Dir: to}); err != nil {
			t.Errorf("%q: export as %s: %v", name, layout, err)
			continue
		}
		if layout != "csv" {
			continue
		}
		files, err := filepath.Glob(to + "/*/*/*/*.csv")
		if err != nil || len(files) != 1 {
			t.Fatalf("%q: exported files %q, %v", name, files, err)
		}
		got, err := pipelines.Import(ctx, database, files, pipelines.ImportOptions{Only: only, Sampler: "other " + name})
		if err != nil || got.Chains != 2 || got.Draws != 60 {
			t.Errorf("%q: import of %q: %v %+v", name, files, err, got)
		}
	}
	if stray, _ := filepath.Glob(f.path("*")); len(stray) != 4+len(layouts) {
		t.Errorf("%q: the folder has %q", name, stray)
	}
	if n := f.ask("t.duckdb", "SELECT count(*) FROM coefficients WHERE parameter = '"+strings.ReplaceAll(column, "'", "''")+"'"); n != "2" {
		t.Errorf("%q: %s fits have the coefficient", name, n)
	}
	if c, err := pipelines.Compare(ctx, database, pipelines.CompareOptions{Dataset: name, Model: name}); err != nil || len(c) == 0 {
		t.Errorf("%q: compare: %v, %d comparisons", name, err, len(c))
	}
	if _, err := pipelines.Drifts(ctx, database, pipelines.DriftOptions{Pipeline: name, Only: only}); err != nil {
		t.Errorf("%q: drift: %v", name, err)
	}
	if shown, err := pipelines.Show(ctx, database, pipelines.ShowOptions{Fit: "1"}); err != nil || shown == nil {
		t.Errorf("%q: show: %v", name, err)
	}
	if nights, err := pipelines.Runs(ctx, database, pipelines.RunsOptions{Pipeline: name}); err != nil || len(nights) == 0 {
		t.Errorf("%q: runs: %v, %d of them", name, err, len(nights))
	}
	if out := f.run(pipelines.RunOptions{Retry: true}); out.ExitCode != 0 {
		t.Errorf("%q: retry: exit code %d", name, out.ExitCode)
	}
	if p, err := pipelines.Prune(ctx, database, "", 1, 0); err != nil || p.Kept != 2 {
		t.Errorf("%q: prune keeps %d, %v", name, p.Kept, err)
	}
}
