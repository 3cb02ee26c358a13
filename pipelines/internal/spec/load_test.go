package spec

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const small = `pipeline: p
database: night.duckdb
datasets: {a: data/a.csv, b: /data/b.csv, c: {sql: SELECT 1, database: w.duckdb}, d: example:d.csv}
models: {m: {formula: y ~ x, family: poisson, standardize: center_scale}}
samplers: {s: {}}
run: {chains: 3, until: {ess: 100}, max_iterations: 5000}
profiles:
  dev: {database: dev.duckdb, run: {chains: 1, draws: 50}}
  short: {run: {max_iterations: 100}}
  name: {database: other.duckdb}
`

// TestLoad reads a file; relative paths count from its folder.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.yaml")
	must(t, os.WriteFile(path, []byte(small), 0o600))
	p, err := Load(path, Options{})
	must(t, err)
	got := []string{p.Database, p.Datasets[0].Path, p.Datasets[0].Written, p.Datasets[1].Path, p.Datasets[2].Database, p.Datasets[3].Path, p.Profiles[0].Database}
	want := []string{filepath.Join(dir, "night.duckdb"), filepath.Join(dir, "data/a.csv"), "data/a.csv", "/data/b.csv", filepath.Join(dir, "w.duckdb"), "example:d.csv", filepath.Join(dir, "dev.duckdb")}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("paths: got %q, want %q", got, want)
	}
	if p, err := Load(path, Options{Dir: "/elsewhere"}); err != nil || p.Database != "/elsewhere/night.duckdb" {
		t.Errorf("with Dir: %v", err)
	}
	if p, err := Parse("embedded", []byte(small), Options{}); err != nil || p.Database != "night.duckdb" {
		t.Errorf("without Dir: %v", err)
	}
	var missing *fs.PathError
	if _, err := Load(filepath.Join(dir, "none.yaml"), Options{}); !errors.As(err, &missing) {
		t.Errorf("missing file: %v", err)
	}
	must(t, os.WriteFile(path, make([]byte, 2*maxBytes), 0o600))
	if _, err := Load(path, Options{}); err == nil || !strings.Contains(err.Error(), path+": larger than") {
		t.Errorf("large file: %v", err)
	}
}

// TestProfiles applies each profile: its keys win, the way in which it states
// the length replaces the other way, and the rest stays.
func TestProfiles(t *testing.T) {
	for name, want := range map[string]Run{
		"":      {Chains: 3, Until: Until{ESS: 100, Over: "median"}, First: 500, MaxIterations: 5000, Start: "anew", Replicates: 1, Keep: Keep{All: "draws"}, Sample: "posterior"},
		"dev":   {Chains: 1, Draws: 50, Warmup: 50, Start: "anew", Replicates: 1, Keep: Keep{All: "draws"}, Sample: "posterior"},
		"short": {Chains: 3, Until: Until{ESS: 100, Over: "median"}, First: 100, MaxIterations: 100, Start: "anew", Replicates: 1, Keep: Keep{All: "draws"}, Sample: "posterior"},
		"name":  {Chains: 3, Until: Until{ESS: 100, Over: "median"}, First: 500, MaxIterations: 5000, Start: "anew", Replicates: 1, Keep: Keep{All: "draws"}, Sample: "posterior"},
	} {
		p, err := Parse("spec.yaml", []byte(small), Options{Profile: name})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(p.Run, want) || p.Profile != name || p.Run.Fixed() != (name == "dev") {
			t.Errorf("%s: got %+v, want %+v", name, p.Run, want)
		}
		database := map[string]string{"": "night", "dev": "dev", "short": "night", "name": "other"}[name] + ".duckdb"
		if p.Database != database {
			t.Errorf("%s: database %s", name, p.Database)
		}
	}
	_, err := Parse("spec.yaml", []byte(small), Options{Profile: "shrot"})
	if err == nil || !strings.Contains(err.Error(), `spec.yaml:7:1: there is no profile "shrot"`) || !strings.Contains(err.Error(), `did you mean "short"?`) {
		t.Errorf("unknown profile: %v", err)
	}
	// A profile that is not in use may name variables that are not set here.
	unset := strings.Replace(small, "other.duckdb", `"{{ env.NOT_SET_HERE }}.duckdb"`, 1)
	if _, err := Parse("spec.yaml", []byte(unset), Options{Profile: "dev"}); err != nil {
		t.Errorf("unused profile: %v", err)
	}
	if _, err := Parse("spec.yaml", []byte(unset), Options{Profile: "name"}); err == nil {
		t.Error("a profile in use lacks its variable, and nothing is said")
	}
	// A fixed length gives way to a growing one, too.
	fixed := strings.Replace(small, "until: {ess: 100}, max_iterations: 5000", "draws: 10, warmup: 20", 1)
	p, err := Parse("spec.yaml", []byte(fixed), Options{Profile: "short"})
	if err != nil || p.Run.Fixed() || p.Run.MaxIterations != 100 {
		t.Errorf("growing over fixed: %v", err)
	}
}

// TestProblemLater finds the place of a value for faults that show when data
// are read.
func TestProblemLater(t *testing.T) {
	p, err := Parse("spec.yaml", []byte(small), Options{})
	must(t, err)
	for _, c := range []struct {
		path []string
		want string
	}{
		{[]string{"models", "m", "formula"}, "spec.yaml:4:23: no"},
		{[]string{"models", "m", "prior", "by_name", "zz"}, "spec.yaml:4:10: no"},
		{[]string{"datasets", "a"}, "spec.yaml:3:15: no"},
		{[]string{"nothing"}, "spec.yaml:1:1: no"},
	} {
		if got := p.Problem("no", "", c.path...).String(); got != c.want {
			t.Errorf("%v: %s, want %s", c.path, got, c.want)
		}
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
