package pipelines_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// sources is a spec with a data set of each kind that a plan measures, and its data.
func sources(t *testing.T) folder {
	t.Helper()
	f := newFolder(t, fmt.Sprintf(quick, `files: {path: files, each: file}
  groups: {path: claims.csv, by: [region]}
  one: {path: one.csv}
  parts: {path: "parts/*.csv"}
  query: {sql: "SELECT age, y FROM 'query.csv'"}`))
	f.fill()
	return f
}

// fill writes the data of sources.
func (f folder) fill() {
	f.t.Helper()
	for _, dir := range []string{"files", "parts"} {
		must(f.t, os.MkdirAll(f.path(dir), 0o755))
	}
	f.write("claims.csv", groups(3))
	for k := range 3 {
		f.write(fmt.Sprintf("files/f%d.csv", k), oneFile(k))
		f.write(fmt.Sprintf("parts/p%d.csv", k), oneFile(k+3))
	}
	f.write("one.csv", oneFile(6))
	f.write("query.csv", oneFile(7))
}

// entry is a line of a manifest.
type entry struct {
	Dataset, Key, Source string
	Bytes, Rows          *int64
}

func (f folder) manifest(dir string) (out []entry) {
	f.t.Helper()
	var plan struct{ Manifest []entry }
	text, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err == nil {
		err = json.Unmarshal(text, &plan)
	}
	must(f.t, err)
	return plan.Manifest
}

// A plan lists the name, the source and the size of every unit: bytes of files, and rows where it has read them.
func TestPlanIsAManifest(t *testing.T) {
	f := sources(t)
	var got strings.Builder
	for _, e := range f.manifest(f.plan(2, "s.duckdb")) {
		fmt.Fprintf(&got, "%s/%s %s", e.Dataset, e.Key, strings.Replace(e.Source, f.dir, "DIR", 1))
		if e.Bytes != nil {
			fmt.Fprintf(&got, " %d bytes", *e.Bytes)
		}
		if e.Rows != nil {
			fmt.Fprintf(&got, " %d rows", *e.Rows)
		}
		got.WriteString("\n")
	}
	size := func(texts ...string) int { return len(strings.Join(texts, "")) }
	all := size(groups(3))
	want := fmt.Sprintf(`files/f0 DIR/files/f0.csv %d bytes
files/f1 DIR/files/f1.csv %d bytes
files/f2 DIR/files/f2.csv %d bytes
groups/g0 DIR/claims.csv %d bytes 12 rows
groups/g1 DIR/claims.csv %d bytes 12 rows
groups/g2 DIR/claims.csv %d bytes 12 rows
one/ DIR/one.csv %d bytes
parts/ DIR/parts/*.csv %d bytes
query/ sql 26 rows
`, size(oneFile(0)), size(oneFile(1)), size(oneFile(2)), all, all, all, size(oneFile(6)),
		size(oneFile(3), oneFile(4), oneFile(5)))
	if got.String() != want {
		t.Errorf("the manifest is\n%swant\n%s", got.String(), want)
	}
}

// A plan fails on data that it cannot read, names all of them, and writes nothing.
func TestPlanRefusesUnreadableData(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(quick, `gone: {path: nowhere, each: file}
  unmatched: {path: "files/*.tsv", each: file}
  single: {path: nowhere.csv}
  empty: {path: files, each: file}
  column: {path: claims.csv, by: [nothing]}
  missing: {path: holes.csv, by: [region]}
  query: {sql: "SELECT * FROM 'nowhere.parquet'"}
  groups: {path: claims.csv, by: [region]}`))
	must(t, os.Mkdir(f.path("files"), 0o755))
	f.write("files/f0.csv", oneFile(0))
	f.write("files/f1.csv", "")
	f.write("holes.csv", "region,age,y\n\"unclosed,1,2\n")
	o := pipelines.PlanOptions{Shards: 3, To: f.path("plan")}
	_, err := pipelines.PlanNight(t.Context(), f.path("spec.yaml"), o)
	if _, usage := errors.AsType[*pipelines.UsageError](err); !usage {
		t.Fatalf("planned: %v", err)
	}
	for _, want := range []string{`dataset "gone"`, "nowhere: no such file", `dataset "unmatched"`, "no file matches",
		`dataset "single"`, "nowhere.csv", `dataset "empty"`, "f1.csv: the file is empty", `there is no column "nothing"`,
		`dataset "missing"`, `dataset "query"`, "nowhere.parquet", "--only dataset="} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not name %q:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), `dataset "groups"`) {
		t.Errorf("data that can be read are refused:\n%v", err)
	}
	if _, err := os.Stat(o.To); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a folder of a plan: %v", err)
	}
	o.Only = []string{"dataset=groups"}
	if night, err := pipelines.PlanNight(t.Context(), f.path("spec.yaml"), o); err != nil || night.Fits != 3 {
		t.Errorf("the others are planned as %+v, %v", night, err)
	}
}

// lost are ways in which planned data are lost before a shard is run, and the fits that lack them.
func (f folder) lost() map[string]struct {
	lose func()
	fits string
} {
	type loss = struct {
		lose func()
		fits string
	}
	remove := func(names ...string) func() {
		return func() {
			for _, name := range names {
				f.removed(f.path(name))
			}
		}
	}
	return map[string]loss{
		"a file, a group, a part and a single file": {func() {
			remove("files/f1.csv", "parts/p1.csv", "one.csv")()
			f.write("claims.csv", groups(2))
		}, "files/f1 groups/g2 one parts"},
		"the ends of a file, a group and a query": {func() {
			f.write("files/f1.csv", oneFile(0))
			f.write("claims.csv", strings.TrimSuffix(groups(3), lastLine(groups(3))))
			f.write("query.csv", oneFile(1))
		}, "files/f1 groups/g2 query"},
		"folders, the file of groups and what a query reads": {remove("files", "claims.csv", "parts", "query.csv"),
			"files/f0 files/f1 files/f2 groups/g0 groups/g1 groups/g2 parts query"},
		"a file's content": {func() { f.write("files/f1.csv", "") }, "files/f1"},
	}
}

func lastLine(text string) string {
	text = strings.TrimSuffix(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:] + "\n"
}

// A shard that lacks planned data has exit code 3, names the fits, and runs the others; gather names them too and loads
// nothing.
func TestShardLacksPlannedData(t *testing.T) {
	all := sources(t)
	for what, loss := range all.lost() {
		t.Run(what, func(t *testing.T) {
			f := folder{t, all.dir}
			f.fill()
			dir := f.path("plan " + what)
			o := pipelines.PlanOptions{Shards: 1, To: dir}
			o.Database = f.path(what + ".duckdb")
			night, err := pipelines.PlanNight(t.Context(), f.path("spec.yaml"), o)
			must(t, err)
			loss.lose()
			out := f.shard(dir, 0)
			var lacking []string
			for _, fit := range out.Fits {
				if fit.LacksData {
					lacking = append(lacking, strings.TrimSuffix(fit.Dataset+"/"+fit.Key, "/"))
				} else if fit.Action != pipelines.Computed {
					t.Errorf("%s: %s, %v", fit.Name(), fit.Action, fit.Reasons)
				}
			}
			slices.Sort(lacking)
			if got := strings.Join(lacking, " "); got != loss.fits || out.ExitCode != pipelines.ExitUncommitted ||
				len(out.Fits) != night.Fits || len(out.Missing) != len(lacking) {
				t.Errorf("exit code %d; %s lack data, want %s; %d fits of %d; missing %q", out.ExitCode, got, loss.fits,
					len(out.Fits), night.Fits, out.Missing)
			}
			_, err = pipelines.Gather(t.Context(), dir, pipelines.GatherOptions{})
			if _, again := errors.AsType[*pipelines.AgainError](err); !again {
				t.Fatalf("gathered: %v", err)
			}
			for _, name := range lacking {
				if !strings.Contains(err.Error(), name+" × m × gibbs: planned data are missing") {
					t.Errorf("%s is not named:\n%v", name, err)
				}
			}
			if _, err := os.Stat(o.Database); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("there is a ledger: %v", err)
			}
		})
	}
}

// A fit that a shard lacked is tried again when its data exist, and nothing else is. A ledger into which the others
// were gathered before has in the end what one run has.
func TestLostDataIsRestored(t *testing.T) {
	f := sources(t)
	dir := f.plan(2, "s.duckdb")
	f.removed(f.path("files/f1.csv"), f.path("query.csv"))
	f.write("claims.csv", groups(2))
	for i := range 2 {
		f.shard(dir, i)
	}
	out := f.gather(dir, pipelines.GatherOptions{Partial: true})
	if out.ExitCode != pipelines.ExitUncommitted || len(out.Missing) != 3 || len(out.Fits) != 9 {
		t.Errorf("with --partial: exit code %d, missing %q, %d fits", out.ExitCode, out.Missing, len(out.Fits))
	}
	before := f.ask("s.duckdb", "SELECT string_agg(concat(fit_id, key), ' ' ORDER BY fit_id) FROM fit WHERE status = 'complete'")
	f.fill()
	redone := 0
	for i := range 2 {
		out := f.shard(dir, i)
		if out.ExitCode > pipelines.ExitFail || len(out.Missing) > 0 {
			t.Errorf("shard %d: exit code %d, missing %q", i, out.ExitCode, out.Missing)
		}
		if out.Redone != "" {
			redone++
		}
	}
	if redone == 0 {
		t.Error("no shard was run again")
	}
	out = f.gather(dir, pipelines.GatherOptions{})
	if out.ExitCode > pipelines.ExitFail || len(out.Missing) > 0 {
		t.Errorf("exit code %d, missing %q", out.ExitCode, out.Missing)
	}
	after := f.ask("s.duckdb", "SELECT string_agg(concat(fit_id, key), ' ' ORDER BY fit_id) FROM fit WHERE status = 'complete'")
	if !strings.HasPrefix(after, before) {
		t.Errorf("the ledger had %s, and has %s: what was loaded is to stay", before, after)
	}
	f.sameAsOneRun()
}

// Data that appear after the plan are not fitted: the manifest lists the fits.
func TestUnplannedData(t *testing.T) {
	f := sources(t)
	dir := f.plan(1, "s.duckdb")
	f.write("files/f9.csv", oneFile(9))
	f.write("claims.csv", groups(4))
	f.write("parts/p9.csv", oneFile(9)) // a part of a planned unit, which is fitted as it is now
	out := f.shard(dir, 0)
	if len(out.Fits) != 9 || out.ExitCode > pipelines.ExitFail {
		t.Errorf("%d fits, exit code %d, want the 9 that were planned", len(out.Fits), out.ExitCode)
	}
}
