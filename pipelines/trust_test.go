package pipelines_test

import (
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
	if err != nil {
		t.Fatal(err)
	}
	here, away := filepath.Join(root, "here"), filepath.Join(root, "away")
	f := folder{t, here}
	for _, err := range []error{
		os.Mkdir(here, 0o755), os.Mkdir(away, 0o755), os.Symlink(away, f.path("way")),
		os.Symlink(away, f.path("sly.duckdb.work")), os.Symlink(filepath.Join(away, "wal"), f.path("sly2.duckdb.wal")),
		os.WriteFile(filepath.Join(away, "secret.csv"), []byte(claims), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
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
		{"sly2.duckdb", "claims.csv", "sly2.duckdb.wal leads nowhere\n  hint: make what the link leads to", trust},
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

// Names are data wherever they go: the ledger, its views, JSON, metrics, selection,
// the commands of a night.
func TestHostileNames(t *testing.T) {
	names := []string{`it's "quoted"; DROP TABLE fit; --`, "ünïcode 数据 \u202e🎲 back\\slash $1 {x} %s/and*star? ' OR '1'='1"}
	for _, name := range names {
		f := folder{t, t.TempDir()}
		file := strings.NewReplacer("/", "_", "*", "_", "?", "_").Replace(name) + ".csv"
		column := strings.NewReplacer("`", "", `\`, "").Replace(name)
		head := `"g","` + strings.ReplaceAll(column, `"`, `""`) + `","y"` + "\n"
		value := `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		f.write(file, head+value+",20,3\n"+value+",31,4\n"+value+",44,9\n"+value+",52,8\n"+value+",61,12\n")
		q := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
		f.write("spec.yaml", "pipeline: "+q(name)+"\ndatabase: t.duckdb\ndatasets:\n  "+q(name)+": {path: "+q(file)+", by: [g]}\n"+
			"models:\n  "+q(name)+": {formula: "+q("y ~ `"+column+"`")+", family: poisson, standardize: center_scale, prior: {coefficients: 'normal(0, 2.5)'}}\n"+
			"samplers:\n  "+q(name)+": {method: cggibbs}\nrun: {chains: 2, warmup: 20, draws: 60}\ngates: {rhat: 2, ess_bulk: 5, ess_tail: 5, drift: {shift: 9}}\n")
		out := f.run(pipelines.RunOptions{Overrides: pipelines.Overrides{Trust: &pipelines.Trust{}}})
		if out.ExitCode != 0 || len(out.Fits) != 1 || out.Fits[0].Dataset != name || out.Fits[0].Model != name || out.Fits[0].Sampler != name {
			t.Errorf("%q: exit code %d, %q", name, out.ExitCode, out.Fits[0].Reasons)
			continue
		}
		key := out.Fits[0].Key // the value, in quotes where a shell or a glob would stumble over it
		if got := actions(f.run(pipelines.RunOptions{})); !strings.HasSuffix(got, "skipped "+out.Fits[0].Verdict) {
			t.Errorf("%q: the second run: %s", name, got)
		}
		same := "dataset = " + q(name) + " AND key = " + q(key) + " AND model = " + q(name) + " AND sampler = " + q(name)
		for _, view := range []string{"fit", "run_fit", "latest", "coefficients", "draws"} {
			if n := f.ask("t.duckdb", "SELECT count(*) > 0 FROM "+view+" WHERE "+same); n != "true" {
				t.Errorf("%q is not in %s", name, view)
			}
		}
		if again := f.run(pipelines.RunOptions{DryRun: true, Only: []string{"dataset=" + name + "/" + key, "model=" + name, "sampler=" + name}}); len(again.Fits) != 1 {
			t.Errorf("%q: --only takes %d fits", name, len(again.Fits))
		}
		if err := pipelines.WriteMetrics(f.path("m.prom"), []*pipelines.Outcome{out}); err != nil {
			t.Error(err)
		}
		metrics, err := os.ReadFile(f.path("m.prom"))
		if faults, _ := lint(string(metrics)); err != nil || len(faults) > 0 {
			t.Errorf("%q: %v %v", name, err, faults)
		}
		if _, err := pipelines.Drifts(t.Context(), f.path("t.duckdb"), pipelines.DriftOptions{Pipeline: out.Pipeline, Only: []string{"dataset=" + name + "*"}}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if p, err := pipelines.Prune(t.Context(), f.path("t.duckdb"), 1, 0); err != nil || p.Kept != 1 {
			t.Errorf("%q: prune keeps %d, %v", name, p.Kept, err)
		}
	}
}
