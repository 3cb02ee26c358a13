package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

func listed(t *testing.T) []fault {
	t.Helper()
	list, err := parse(faults)
	must(t, err)
	return list
}

// Each fault of the list can be planted in the current code, once; so the list does not rot. There are 120 or more,
// and some in every part of the program.
func TestFaultsCanBePlanted(t *testing.T) {
	list := listed(t)
	if len(list) < 120 {
		t.Errorf("%d faults, want 120 or more", len(list))
	}
	named, folders := map[string]bool{}, map[string]bool{}
	for _, f := range list {
		if named[f.name] {
			t.Errorf("two faults are named %s", f.name)
		}
		named[f.name], folders[filepath.Dir(f.file)] = true, true
		text, err := os.ReadFile(filepath.Join(root, f.file))
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		if _, err := f.plant(string(text)); err != nil {
			t.Error(err)
		}
	}
	for folder := range programFolders(t) {
		if !folders[folder] {
			t.Errorf("no fault is planted in %s", folder)
		}
	}
}

// Only faults of SQL are planted in ledgers.
func TestFaultsOfTheSchema(t *testing.T) {
	for _, c := range []struct {
		file, tests string
		want        bool
	}{
		{"report/schema/drift.sql", "^TestDrift", true},
		{"report/schema/comparisons.sql", "^TestEmptyLedger$", false},
		{"report/compare.go", "^TestDrift", false},
	} {
		f := fault{file: c.file, tests: []string{"-run", c.tests}}
		if f.isSchema() != c.want {
			t.Errorf("%s with %s: planted in a ledger: %v", c.file, c.tests, f.isSchema())
		}
	}
}

// small are folders with too little code for a fault of their own: constants, types,
// and what only tests and studies use.
var small = strings.Fields("infer/basis infer/infertest infer/priordraws internal/arch internal/bars internal/doctest" +
	" internal/mutants internal/prose internal/netcdf/netcdftest internal/objects/objectstest internal/references internal/state internal/simd/gen report/record pipelines/internal/cpu" +
	" pipelines/internal/exit pipelines/internal/progress")

// programFolders are the folders that have code, small ones left out.
func programFolders(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, filepath.FromSlash(root+"/")))
		switch {
		case err != nil:
			return err
		case d.IsDir() && name == "cluster": // modules of their own
			return filepath.SkipDir
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !slices.Contains(small, filepath.Dir(name)):
			out[filepath.ToSlash(filepath.Dir(name))] = true
		}
		return nil
	})
	must(t, err)
	return out
}

func TestParse(t *testing.T) {
	for _, text := range []string{"alone\n", "- before\n", "\tbefore\n"} {
		if list, err := parse(text); err == nil {
			t.Errorf("%q is taken: %+v", text, list)
		}
	}
	list, err := parse("# about\n\na x/y.go ./z -run ^TestZ$\n@ func f() {\n- one\n\tthree\n+ 1\n\nb x/y.go -run T\n- gone\n? equal\n")
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	a, b := list[0], list[1]
	if a.name != "a" || a.file != "x/y.go" || !slices.Equal(a.tests, []string{"./z", "-run", "^TestZ$"}) ||
		a.after != "func f() {" || a.old != "one\n\tthree" || a.new != "1" {
		t.Errorf("%+v", a)
	}
	if !slices.Equal(b.tests, []string{"-run", "T", "./x"}) || b.new != "" || b.survives != "equal" {
		t.Errorf("%+v", b)
	}
}

func TestPlant(t *testing.T) {
	for _, c := range []struct{ after, old, text, want string }{
		{"", "x", "a x b", "a y b"},
		{"", "x", "x x", ""},
		{"", "x", "a", ""},
		{"B", "x", "x B x x", "x B y x"},
		{"B", "x", "x B", ""},
		{"B", "x", "B x B", ""},
	} {
		f := fault{name: "n", file: "f", after: c.after, old: c.old, new: "y"}
		if got, err := f.plant(c.text); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q after %q in %q: %q, %v", c.old, c.after, c.text, got, err)
		}
	}
}

func TestParts(t *testing.T) {
	list := make([]fault, 7)
	seen := 0
	for _, which := range []string{"1/3", "2/3", "3/3"} {
		some, err := part(list, which)
		if err != nil || len(some) < 2 {
			t.Errorf("part %s: %d faults, %v", which, len(some), err)
		}
		seen += len(some)
	}
	if seen != len(list) {
		t.Errorf("%d faults in three parts, want %d", seen, len(list))
	}
	for _, which := range []string{"0/3", "4/3", "3", "x/y"} {
		if _, err := part(list, which); err == nil {
			t.Errorf("part %q is taken", which)
		}
	}
}

// The output of tests decides: a failing test has found a fault, a build that fails, or tests that do not exist,
// have not.
func TestJudge(t *testing.T) {
	for out, want := range map[string]outcome{
		"--- FAIL: TestA (0.0s)\n    --- FAIL: TestA/b (0.00s)\nFAIL\n": found,
		"panic: test timed out after 15m0s\nFAIL x 1s\n":                found,
		"FAIL x [build failed]\n":                                       broken,
		"--- FAIL: TestA (0.0s)\nok y 0.1s [no tests to run]\n":         found,
		"go: no such flag\n":                                            broken,
	} {
		if got, by := judge(out, false); got != want {
			t.Errorf("%q: %s, %s", out, got, by)
		}
	}
	if got, _ := judge("ok x 0.1s\n", true); got != survived {
		t.Errorf("passing tests: %s", got)
	}
	if got, _ := judge("ok x 0.1s\nok y 0.1s [no tests to run]\n", true); got != broken {
		t.Errorf("tests of which some do not exist: %s", got)
	}
}

// One fault of each kind in a module made for it: the tree stays as it is.
func TestTry(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module m\n\ngo 1.26\n",
		"a.go":      "package m\n\nfunc double(x int) int { return 2 * x }\n\nfunc spare() int { return 1 }\n",
		"a_test.go": "package m\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tif double(2) != 4 {\n\t\tt.Error(\"no\")\n\t}\n}\n",
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for _, c := range []struct {
		old, new string
		want     outcome
	}{{"2 * x", "3 * x", found}, {"return 1", "return 2", survived}, {"2 * x", "2 * y", broken}} {
		f := &fault{name: "n", file: "a.go", tests: []string{"."}, old: c.old, new: c.new}
		if got, by, err := try(t.Context(), dir, f); got != c.want || err != nil {
			t.Errorf("%s as %s: %s, %s, %v", c.old, c.new, got, by, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := try(ctx, dir, &fault{file: "a.go", tests: []string{"."}, old: "2", new: "3"}); err == nil {
		t.Error("a cancelled run is no error")
	}
}

// Each fault of the pinned list can be planted, together with the others of its file, and names specs that exist.
func TestPinnedFaultsCanBePlanted(t *testing.T) {
	list, err := parse(pinnedFaults)
	must(t, err)
	if len(list) < 60 {
		t.Errorf("%d faults, want 60 or more", len(list))
	}
	named := map[string]bool{}
	for _, f := range list {
		if named[f.name] {
			t.Errorf("two faults are named %s", f.name)
		}
		named[f.name] = true
		for _, spec := range f.tests[:len(f.tests)-1] {
			if _, err := os.Stat(filepath.Join(root, "cmd/pipeline/testdata/draws", spec+".yaml")); err != nil {
				t.Errorf("%s: %v", f.name, err)
			}
		}
		text, err := os.ReadFile(filepath.Join(root, f.file))
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
		} else if _, err := f.plant(string(text)); err != nil {
			t.Error(err)
		}
	}
	if _, err := switched(root, t.TempDir(), list); err != nil {
		t.Error(err)
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
