package ingest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fenced makes a folder that may be used, with a file, a link to a file outside and one to a folder outside, and a
// folder that may not be used.
func fenced(t *testing.T) (in, out string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	in, out = filepath.Join(root, "in"), filepath.Join(root, "out")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(in, "deep"), 0o755), os.Mkdir(out, 0o755),
		os.WriteFile(filepath.Join(in, "a.csv"), []byte("x,y\n1,2\n"), 0o644),
		os.WriteFile(filepath.Join(in, "deep", "b.csv"), []byte("x,y\n3,4\n"), 0o644),
		os.WriteFile(filepath.Join(out, "secret.csv"), []byte("x,y\n5,6\n"), 0o644),
		os.Symlink(filepath.Join(out, "secret.csv"), filepath.Join(in, "link.csv")),
		os.Symlink(out, filepath.Join(in, "way")),
		os.Symlink(filepath.Join(in, "a.csv"), filepath.Join(out, "back.csv")),
		os.Symlink("nowhere", filepath.Join(in, "dangling.csv")), os.Symlink("nowhere", filepath.Join(out, "dangling.csv")),
	} {
		must(t, err)
	}
	return in, out
}

// A source may name a file in any way: one outside of the folders is not read, and one inside is.
func TestFence(t *testing.T) {
	in, out := fenced(t)
	database := claimsDB(t)
	own, err := os.ReadFile(database)
	for _, err := range []error{
		err, os.Symlink(database, in+"/way.duckdb"), os.WriteFile(in+"/way.duckdb?custom_user_agent=", nil, 0o600),
		os.WriteFile(in+"/own.duckdb", own, 0o600), os.WriteFile(in+"/own#.duckdb", own, 0o600),
	} {
		must(t, err)
	}
	for _, c := range []struct {
		src  Source
		want string // of the error; empty: it is read
	}{
		{Source{Path: in + "/a.csv"}, ""},
		{Source{Path: in + "/*/b.csv"}, ""}, // way/b.csv does not exist
		{Source{Path: in + "/deep/../a.csv"}, ""},
		{Source{Path: out + "/back.csv"}, ""}, // a link into the fence leads inside
		{Source{Path: out + "/secret.csv"}, "outside"},
		{Source{Path: out + "/missing.csv"}, "outside"}, // not even whether it exists
		{Source{Path: out + "/*.csv"}, "outside"},
		{Source{Path: in + "/../out/secret.csv"}, "outside"},
		{Source{Path: in + "/link.csv"}, "outside"},
		{Source{Path: in + "/l*.csv"}, "outside"},
		{Source{Path: in + "/way/secret.csv"}, "outside"},
		{Source{Path: in + "/w*/secret.csv"}, "outside"},
		{Source{Path: in + "/way"}, "outside"},
		{Source{Path: in + "/dangling.csv"}, "dangling.csv does not exist\nhint: create the target"},
		{Source{Path: out + "/dangling.csv"}, "outside"}, // nor is this reported
		{Source{Path: in + "/a.csv", Triplets: &Triplets{Path: out + "/secret.csv", Row: "x", Col: "y", Value: "x", Prefix: "t"}}, "outside"},
		{Source{Path: in + "/a.csv", Triplets: &Triplets{Path: in + "/l*.csv", Row: "x", Col: "y", Value: "x", Prefix: "t"}}, "outside"},
		{Source{SQL: "SELECT n FROM claims", Database: database}, "outside"},
		{Source{SQL: "SELECT n FROM claims", Database: in + "/way.duckdb"}, "outside"},
		{Source{SQL: "SELECT n FROM claims", Database: in + "/way.duckdb?custom_user_agent="}, "a path with ?"}, // of which the driver would open way.duckdb, to write
		{Source{SQL: "SELECT n FROM claims", Database: in + "/own#.duckdb"}, "a path with ?"},                   // which it would open to write
		{Source{SQL: "SELECT n FROM claims", Database: in + "/own.duckdb"}, ""},
		{Source{SQL: "SELECT * FROM 'a.csv'"}, ""},
		{Source{SQL: "SELECT * FROM 'deep/*.csv'"}, ""},
		{Source{SQL: "SELECT * FROM read_csv(['a.csv', 'deep/b.csv'], header = true)"}, ""},
		{Source{SQL: "SELECT * FROM read_csv($file)", Params: map[string]any{"file": "a.csv"}}, ""},
		{Source{SQL: "SELECT x + i AS x, y FROM 'a.csv', range(1, 1 + 2) r(i)"}, ""},
		{Source{SQL: "SELECT * FROM '" + out + "/secret.csv'"}, "outside"},
		{Source{SQL: "SELECT * FROM '../out/secret.csv'"}, "outside"},
		{Source{SQL: "SELECT * FROM '../out/*.csv'"}, "outside"},
		{Source{SQL: "SELECT * FROM 'link.csv'"}, "outside"},
		{Source{SQL: "SELECT * FROM 'way/secret.csv'"}, "outside"},
		{Source{SQL: "SELECT * FROM read_csv($file)", Params: map[string]any{"file": "link.csv"}}, "outside"},
		{Source{SQL: "SELECT * FROM read_csv('li' || 'nk.csv')"}, "computed"},
		{Source{SQL: "SELECT * FROM read_csv(concat('li', 'nk.csv'))"}, "computed"},
		{Source{SQL: "SELECT * FROM read_csv(['a.csv', 'link' || '.csv'])"}, "computed"},
		{Source{SQL: "WITH q AS (SELECT * FROM read_text('l' || 'ink.csv')) SELECT * FROM q"}, "computed"},
		{Source{SQL: "SELECT * FROM query('SELECT * FROM ''li' || 'nk.csv''')"}, "runs text as SQL"},
		{Source{SQL: "SELECT * FROM query_table('link.csv')"}, "runs text as SQL"},
		{Source{SQL: "SELECT content FROM read_text('/etc/passwd')"}, "outside"},
		{Source{SQL: "SELECT * FROM '/etc/missing.csv'"}, "disabled"},
		{Source{SQL: "SELECT * FROM glob('/etc/*')"}, "outside"},
		{Source{SQL: "SELECT * FROM 'https://example.org/a.csv'"}, "disabled"},
		{Source{SQL: "SELECT * FROM glob('" + out + "/*')"}, out + "/*: it is outside"},
		{Source{SQL: "SELECT * FROM glob('way/*')"}, "way/*: it is outside"},
		{Source{SQL: "SELECT * FROM glob('*/s*')"}, "*/s*: it is outside"},
		{Source{SQL: "SELECT * FROM glob('lin*')"}, "in/link.csv: it is outside"}, // a link inside
		{Source{SQL: "SELECT * FROM glob('" + out + "/s*')"}, "add --allow " + out + " "},
		{Source{Path: in + "/w*/*.csv"}, "in/w*/*.csv: it is outside"},
	} {
		c.src.Name, c.src.Dir, c.src.Within = "d", in, []string{in}
		table, err := Read(context.Background(), c.src)
		what := c.src.Path + c.src.SQL
		switch {
		case err == nil && c.want != "":
			t.Errorf("%s: was read", what)
		case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", what, err, c.want)
		case err != nil && !strings.Contains(what, "secret") && c.src.Triplets == nil && strings.Contains(err.Error(), "secret"):
			t.Errorf("%s: %v, which tells of a file outside", what, err)
		}
		if err == nil {
			table.Release()
		}
	}
}

// A path is where its links lead, and need not exist.
func TestInside(t *testing.T) {
	in, out := fenced(t)
	for path, want := range map[string]bool{
		in: true, in + "/new/deeper/file": true, in + "/way/new": false, out + "/new": false, in + "x/file": false,
		in + "/../in/a.csv": true, "/": false, in + "/..": false, in + "/..file": true,
	} {
		if got, err := Inside([]string{in}, path); got != want || err != nil {
			t.Errorf("%s: %v (%v), want %v", path, got, err, want)
		}
		if got, err := Inside(nil, path); !got || err != nil {
			t.Errorf("%s without a fence: %v %v", path, got, err)
		}
	}
	if _, err := Inside([]string{in}, in+"/dangling.csv"); err == nil {
		t.Error("a link to nowhere is somewhere")
	}
	if ok, err := Inside([]string{filepath.Join(in, "way")}, out+"/secret.csv"); !ok || err != nil {
		t.Errorf("a folder named by a link: %v %v", ok, err)
	}
}
