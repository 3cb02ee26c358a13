package pipelines_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// sharedNights is a spec with all that shards could get wrong: files and groups, data that no model takes, two models,
// replicates, derived quantities, gates of drift, leave-one-out and effects.
const sharedNights = `
pipeline: nightly
database: t.duckdb
seed: 7
datasets:
  files: {path: files, each: file}
  claims: {path: claims.csv, by: [region]}
models:
  m:
    formula: y ~ age
    family: poisson
    standardize: center_scale
    prior: {coefficients: "normal(0, 2.5)", intercept: "normal(0, 10)"}
    derive: {%[1]s}
    effects: [age]
  flat:
    formula: y ~ 1
    family: poisson
    prior: {intercept: "normal(0, 10)"}
samplers:
  gibbs: {method: cggibbs}
run: {chains: 3, warmup: 20, draws: 60, loo: true, replicates: 2%[2]s}
gates: {rhat: %[3]s, ess_bulk: 5, ess_tail: 5, drift: {shift: 0.5, rows: 0.2}}
`

// firstNight and secondNight fill the folder: the second has a new file, one with other data, another derived quantity
// and other gates.
func firstNight(t *testing.T, start string) folder {
	f := newFolder(t, fmt.Sprintf(sharedNights, `twice: "2 * age"`, start, "1.9"))
	must(t, os.Mkdir(f.path("files"), 0o755))
	for k := range 3 {
		f.write(fmt.Sprintf("files/f%d.csv", k), oneFile(k))
	}
	f.write("files/wrong.csv", "age,y\n20,-1\n30,2\n40,3\n") // a poisson count is not negative
	return f
}

func (f folder) secondNight(start string) {
	f.write("spec.yaml", fmt.Sprintf(sharedNights, `twice: "2 * age", thrice: "3 * age"`, start, "1.7"))
	f.write("files/f1.csv", oneFile(8))
	f.write("files/f7.csv", oneFile(7))
}

// oneFile is a table whose numbers depend on k.
func oneFile(k int) string {
	var b strings.Builder
	b.WriteString("age,y\n")
	for i := range 12 + 2*k {
		fmt.Fprintf(&b, "%d,%d\n", 20+3*i, (i*(k+3)+k)%7+i/2)
	}
	return b.String()
}

// orderedViews are the views whose rows depend on the order of runs and fits, and those of pieces. All views else follow
// from the rows of tables; make kill asks them, too.
const orderedViews = "'draw', 'chain', 'latest', 'newest', 'newest_fit', 'predecessor', 'fit_state', 'needs_attention', 'drift'"

// answers are digests of all tables of a ledger about fits, and of views, by name: numbers of fits and runs, times
// and positions in the file are left out, and the files of draws.
func (f folder) answers(database string) map[string]string {
	f.t.Helper()
	f.t.Chdir(f.path(".")) // where the ledger's views look for files of draws
	db, err := sql.Open("duckdb", f.path(database)+"?access_mode=READ_ONLY&threads=1")
	must(f.t, err)
	defer db.Close()
	those := "table_name IN (" + orderedViews + ") OR table_name IN (SELECT table_name FROM duckdb_tables())"
	if os.Getenv("GLMBATCH_KILLS") != "" {
		those = "true"
	}
	relations, err := db.Query(`SELECT table_name, string_agg('coalesce(t."' || column_name || '"::VARCHAR, ''∅'')', ', ' ORDER BY column_index)
		FROM duckdb_columns() WHERE schema_name = 'main' AND NOT internal AND table_name NOT IN ('fit_costs', 'draw_piece', 'draw_outside')
		AND table_name IN (SELECT table_name FROM duckdb_columns() WHERE column_name = 'fit_id')
		AND NOT regexp_matches(column_name, 'fit_id|run_id|second|^fit_|^fits$|^remedy$|best_fit|_per_|time|ess100')
		AND NOT regexp_matches(data_type, 'TIMESTAMP|INTERVAL') AND (` + those + `) GROUP BY ALL ORDER BY ALL`)
	must(f.t, err)
	defer relations.Close()
	out := map[string]string{}
	for relations.Next() {
		var name, columns string
		must(f.t, relations.Scan(&name, &columns))
		query := fmt.Sprintf(`WITH r AS (SELECT concat_ws('|', f.dataset, f.key, f.model, f.sampler, f.replicate, %s) AS line
			FROM main."%s" t LEFT JOIN fit f ON f.fit_id = t.fit_id)
			SELECT count(*) || ' ' || coalesce(md5(string_agg(line, chr(10) ORDER BY line)), '') FROM r`, columns, name)
		if name == "diagnostic" {
			query = strings.Replace(query, "FROM r", "FROM r WHERE line NOT LIKE '%second%'", 1)
		}
		var answer string
		if err := db.QueryRow(query).Scan(&answer); err != nil {
			f.t.Fatalf("%s: %v", name, err)
		}
		out[name] = answer
	}
	if len(out) < 30 {
		f.t.Fatalf("%d relations tell of fits", len(out))
	}
	return out
}

// plan plans the folder's spec with its ledger in database, in a new folder.
func (f folder) plan(shards int, database string) (dir string) {
	f.t.Helper()
	dir = f.path(fmt.Sprintf("plan%d-%s", shards, database))
	o := pipelines.PlanOptions{Shards: shards, To: dir}
	o.Database = f.path(database)
	if _, err := pipelines.PlanNight(f.t.Context(), f.path("spec.yaml"), o); err != nil {
		f.t.Fatal(err)
	}
	return dir
}

// shard carries out a shard.
func (f folder) shard(dir string, i int) *pipelines.Outcome {
	f.t.Helper()
	out, err := pipelines.RunShard(f.t.Context(), dir, i, f.path("scratch"), pipelines.RunOptions{Workers: 2})
	if err != nil {
		f.t.Fatalf("shard %d: %v", i, err)
	}
	return out
}

func (f folder) gather(dir string, o pipelines.GatherOptions) *pipelines.Outcome {
	f.t.Helper()
	out, err := pipelines.Gather(f.t.Context(), dir, o)
	must(f.t, err)
	return out
}

// verdicts lists names, actions, verdicts and warnings of a run's fits, in order.
func verdicts(out *pipelines.Outcome) string {
	var b strings.Builder
	for _, f := range out.Fits {
		fmt.Fprintln(&b, f.Name(), f.Action, f.Verdict, f.Reasons, f.Warnings, f.Chains, f.Draws, f.ID != 0)
	}
	return b.String()
}

// However many machines share a run, in whichever order, and some of them twice, the ledger and the outcome are
// those of one run: skipped fits, those that are judged or derived again, drift, errors and starts from the
// previous run.
func TestShardsAreOneRun(t *testing.T) {
	counts, starts := []int{3}, map[string]string{"previous": ", start: previous"} // TestShardsAndGatherKilled has the plain start
	if os.Getenv("GLMBATCH_KILLS") != "" {                                         // of make kill
		counts, starts["plain"] = []int{1, 2, 7, 20}, ""
	}
	for name, start := range starts {
		t.Run(name, func(t *testing.T) {
			f, rng := firstNight(t, start), rand.New(rand.NewPCG(1, 2))
			f.run(pipelines.RunOptions{Workers: 2})
			f.secondNight(start)
			for _, shards := range counts {
				copyFile(t, f.path("t.duckdb"), f.path(fmt.Sprintf("s%d.duckdb", shards)))
				copyFile(t, f.path("t.duckdb"), f.path(fmt.Sprintf("p%d.duckdb", shards)))
			}
			local := f.run(pipelines.RunOptions{Workers: 2})
			want := f.answers("t.duckdb")
			for _, shards := range counts {
				database := fmt.Sprintf("s%d.duckdb", shards)
				dir := f.plan(shards, database)
				for _, i := range append(rng.Perm(shards), 0) {
					f.shard(dir, i)
				}
				out := f.gather(dir, pipelines.GatherOptions{})
				if got := verdicts(out); got != verdicts(local) || out.ExitCode != local.ExitCode {
					t.Errorf("%d shards said, with code %d,\n%sone run, with %d,\n%s", shards, out.ExitCode, got, local.ExitCode,
						verdicts(local))
				}
				f.gather(dir, pipelines.GatherOptions{}) // once more
				for name, answer := range f.answers(database) {
					if answer != want[name] {
						t.Errorf("%d shards: %s is %s, of one run %s", shards, name, answer, want[name])
					}
				}
				outside := pipelines.GatherOptions{Database: f.path(fmt.Sprintf("p%d.duckdb", shards)), Draws: pipelines.DrawsParquet}
				f.gather(dir, outside)
				for name, answer := range f.answers(filepath.Base(outside.Database)) {
					if answer != want[name] {
						t.Errorf("%d shards, draws outside: %s is %s, of one run %s", shards, name, answer, want[name])
					}
				}
				left, err := filepath.Glob(f.path("scratch/*"))
				if err != nil || len(left) > 0 {
					t.Errorf("shards left %v, %v", left, err)
				}
			}
		})
	}
}

// A plan is the night that it was made in: another day, another environment and a changed spec make no difference.
func TestPlanFreezesTheNight(t *testing.T) {
	t.Setenv("NIGHT_AGE", "age")
	f := newFolder(t, strings.Replace(fmt.Sprintf(quick, "c: {path: claims.csv, by: [region]}"), "y ~ age",
		"y ~ {{ env.NIGHT_AGE }}", 1))
	f.run(pipelines.RunOptions{Workers: 2})
	dir := f.plan(2, "s.duckdb")
	t.Setenv("NIGHT_AGE", "nothing")
	f.write("spec.yaml", "spoilt")
	f.shard(dir, 0)
	f.shard(dir, 1)
	f.gather(dir, pipelines.GatherOptions{})
	if got, want := f.ask("s.duckdb", bits), f.ask("t.duckdb", bits); got != want {
		t.Errorf("the plan drew %s, the run %s", got, want)
	}
	var plan map[string]any
	text, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err != nil || json.Unmarshal(text, &plan) != nil {
		t.Fatal(err, string(text))
	}
	plan["build"] = "another"
	text, err = json.Marshal(plan)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "plan.json"), text, 0o600)
	}
	must(t, err)
	_, err = pipelines.RunShard(t.Context(), dir, 0, f.path("scratch"), pipelines.RunOptions{})
	if _, usage := errors.AsType[*pipelines.UsageError](err); !usage {
		t.Errorf("another program's plan: %v", err)
	}
}

// A call that is repeated finds its plan; another one is refused.
func TestPlanOnce(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(quick, "c: {path: claims.csv, by: [region]}"))
	o := pipelines.PlanOptions{Shards: 2, To: f.path("plan")}
	one, err := pipelines.PlanNight(t.Context(), f.path("spec.yaml"), o)
	if err != nil || one.Fits != 3 || len(one.Shards) != 2 || one.Advice == "" {
		t.Fatalf("%+v, %v", one, err)
	}
	two, err := pipelines.PlanNight(t.Context(), f.path("spec.yaml"), o)
	if err != nil || two.Run != one.Run {
		t.Errorf("once more: %+v, %v", two, err)
	}
	o.Shards = 3
	if _, err := pipelines.PlanNight(t.Context(), f.path("spec.yaml"), o); err == nil {
		t.Error("another plan took the place of the first")
	}
}

// Fits that are named have a shard of their own, and the ledger the bits of one run.
func TestShardsAlone(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(quick, "c: {path: claims.csv, by: [region]}"))
	f.run(pipelines.RunOptions{Workers: 2})
	o := pipelines.PlanOptions{Shards: 2, To: f.path("plan"), Alone: []string{"dataset=c/north"}}
	o.Database = f.path("s.duckdb")
	night, err := pipelines.PlanNight(t.Context(), f.path("spec.yaml"), o)
	if err != nil || len(night.Shards) != 3 || night.Shards[2] != 1 || night.Fits != 3 {
		t.Fatalf("%+v, %v", night, err)
	}
	for i := range night.Shards {
		out := f.shard(o.To, i)
		for _, fit := range out.Fits {
			if (fit.Key == "north") != (i == 2) {
				t.Errorf("shard %d has %s", i, fit.Name())
			}
		}
	}
	f.gather(o.To, pipelines.GatherOptions{})
	if got, want := f.ask("s.duckdb", bits), f.ask("t.duckdb", bits); got != want {
		t.Errorf("the shards drew %s, one run %s", got, want)
	}
	for _, wrong := range []string{"dataset=nowhere", "sampler=gibbs", "north"} {
		o.To, o.Alone = f.path("other"), []string{wrong}
		_, err := pipelines.PlanNight(t.Context(), f.path("spec.yaml"), o)
		if _, usage := errors.AsType[*pipelines.UsageError](err); !usage || !strings.Contains(err.Error(), wrong) {
			t.Errorf("--alone %s: %v", wrong, err)
		}
	}
}

// A shard that is missing or damaged is named, and nothing is loaded or published without --partial.
func TestGatherNamesWhatIsMissing(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(quick, "c: {path: claims.csv, by: [n]}")+"publish: pub.duckdb\n")
	o := pipelines.PlanOptions{Shards: 3, To: f.path("plan")}
	if _, err := pipelines.PlanNight(t.Context(), f.path("spec.yaml"), o); err != nil {
		t.Fatal(err)
	}
	f.shard(o.To, 0)
	f.shard(o.To, 1)
	spoil(t, filepath.Join(o.To, "fragments", "1.duckdb"))
	_, err := pipelines.Gather(t.Context(), o.To, pipelines.GatherOptions{})
	_, again := errors.AsType[*pipelines.AgainError](err)
	if !again || !strings.Contains(err.Error(), "shard 1 ") || !strings.Contains(err.Error(), "shard 2 has no fragment") {
		t.Fatalf("gathered: %v", err)
	}
	for _, name := range []string{"t.duckdb", "pub.duckdb"} {
		if _, err := os.Stat(f.path(name)); err == nil {
			t.Errorf("there is a %s", name)
		}
	}
	out := f.gather(o.To, pipelines.GatherOptions{Partial: true})
	if len(out.Missing) != 2 || out.Published == "" || len(out.Fits) == 0 {
		t.Errorf("with --partial: missing %v, published %q, %d fits", out.Missing, out.Published, len(out.Fits))
	}
	must(t, os.Remove(filepath.Join(o.To, "fragments", "1.duckdb")))
	f.shard(o.To, 1)
	f.shard(o.To, 2)
	f.gather(o.To, pipelines.GatherOptions{})
	local := pipelines.RunOptions{Workers: 2}
	local.Database = f.path("local.duckdb")
	f.run(local)
	if got, want := f.ask("t.duckdb", bits), f.ask("local.duckdb", bits); got != want {
		t.Errorf("gathered in parts %s, one run %s", got, want)
	}
}

// spoil changes a byte in each block of a file.
func spoil(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	for at := 3*4096 + 1000; at < len(data); at += 1 << 18 {
		data[at] ^= 1
	}
	must(t, os.WriteFile(path, data, 0o600))
}
