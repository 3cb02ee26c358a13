package main

import (
	"os"
	"strings"
	"testing"
)

// Exported draws come back as the same summaries, and a fit that cannot be stored whole is not stored at all.
func TestExportImport(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, errs := call(t, "export", "--to", "out"); code != 2 || !strings.Contains(errs, "no ledger") {
		t.Errorf("before any run: exit %d, %s", code, errs)
	}
	mustCall(t, "run", "quickstart", "--quiet")
	for _, c := range [][]string{{"parquet", "diabetes.parquet"}, {"csv", "diabetes.csv"}} {
		mustCall(t, "export", "--layout", c[0], "--to", "out")
		path := find(t, "out", "."+c[0])
		mustCall(t, "import", "--sampler", c[0], path)
		out := mustCall(t, "sql", "--format", "csv", `SELECT count(*), max(abs(a.mean - b.mean)), max(abs(a.ess_bulk - b.ess_bulk))
			FROM coefficients a JOIN coefficients b USING (dataset, model, parameter) WHERE a.sampler = '`+c[0]+`' AND b.sampler <> '`+c[0]+`'`)
		if !strings.HasSuffix(strings.TrimSpace(out), ",0,0") || strings.Contains(out, "\n0,") {
			t.Errorf("%s: %s", c[0], out)
		}
	}
	before := mustCall(t, "sql", "SELECT count(*) FROM fit")
	path := find(t, "out", ".csv")
	sampler := strings.TrimSpace(strings.TrimPrefix(mustCall(t, "sql", "--format", "csv", "SELECT sampler FROM latest WHERE method <> 'imported'"), "sampler\n"))
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"import", "--sampler", sampler, path}, "draws itself"},
		{[]string{"import", "--rename", "glu=npreg", path}, "npreg"},
		{[]string{"import", "--rename", "glu", path}, "COLUMN=PARAMETER"},
		{[]string{"import", "none.csv"}, "none.csv"},
		{[]string{"import", "--only", "dataset=none", path}, "no complete fit"},
		{[]string{"export", "--layout", "xml"}, "cmdstan"},
		{[]string{"export", "--only", "sampler=none"}, "no complete fit"},
	} {
		if code, _, errs := call(t, c.args...); code != 2 || !strings.Contains(errs, c.says) {
			t.Errorf("%q: exit %d, want 2 and %q\n%s", c.args, code, c.says, errs)
		}
	}
	if after := mustCall(t, "sql", "SELECT count(*) FROM fit"); after != before {
		t.Errorf("a refused import left something:\n%s", after)
	}
}

// find returns the first file below dir whose name ends so.
func find(t *testing.T, dir, suffix string) string {
	t.Helper()
	found := ""
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		path := dir + "/" + e.Name()
		if e.IsDir() {
			path = find(t, path, suffix)
		}
		if strings.HasSuffix(path, suffix) {
			found = path
		}
	}
	return found
}
