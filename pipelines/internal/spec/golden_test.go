package spec

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write goldens and schema anew; read the diff before you commit it")

// testOptions are the surroundings of the goldens.
func testOptions() Options {
	env := map[string]string{"NIGHT": "2026-01-01", "PANEL_DIR": "/data/panel", "EMPTY": ""}
	return Options{
		Env:   func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Today: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Dir:   "/specs",
	}
}

// TestCases reads each testdata/cases/NAME/spec.yaml and compares the problems, or the resolved pipeline, with
// want.txt in its folder.
func TestCases(t *testing.T) {
	cases, err := filepath.Glob("testdata/cases/*/spec.yaml")
	if err != nil || len(cases) < 20 {
		t.Fatalf("only %d cases found: %v", len(cases), err)
	}
	for _, path := range cases {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			src, err := os.ReadFile(path)
			must(t, err)
			p, err := Parse("spec.yaml", src, testOptions())
			var problems *Problems
			switch {
			case err == nil:
				golden(t, filepath.Join(dir, "want.txt"), dump(t, p))
			case errors.As(err, &problems) && len(problems.List) > 0:
				golden(t, filepath.Join(dir, "want.txt"), problems.Error()+"\n")
			default:
				t.Fatalf("error of type %T: %v", err, err)
			}
			if strings.HasPrefix(filepath.Base(dir), "valid_") != (err == nil) {
				t.Errorf("valid by name and by outcome differ: %v", err)
			}
		})
	}
}

// dump writes a pipeline with its fits.
func dump(t *testing.T, p *Pipeline) string {
	t.Helper()
	text, err := json.MarshalIndent(p, "", "  ")
	must(t, err)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", text)
	for _, f := range p.Fits() {
		fmt.Fprintf(&b, "fit %s × %s × %s at %d:%d %+v\n", f.Dataset.Name, f.Model.Name, f.Sampler.Name, f.Line, f.Column, f.Gates)
	}
	return b.String()
}

// golden compares got with a file; -update writes it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		must(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("golden: %v (run: go test ./pipelines/internal/spec -update, then read the diff)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s", path, lineDiff(string(want), got))
	}
}

// lineDiff lists the lines that only one of the texts has.
func lineDiff(want, got string) string {
	var b strings.Builder
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		a, c := "", ""
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			c = g[i]
		}
		if a != c {
			fmt.Fprintf(&b, "%d- %s\n%d+ %s\n", i+1, a, i+1, c)
		}
	}
	return b.String()
}
