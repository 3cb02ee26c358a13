package trouble

import (
	"flag"
	"os"
	"path"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/troubleshooting.md; read the diff before you commit it")

// docs/troubleshooting.md is what the registry makes.
func TestPage(t *testing.T) {
	file := path.Join(root, "docs/troubleshooting.md")
	if *update {
		if err := os.WriteFile(file, []byte(page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != page() {
		t.Errorf("docs/troubleshooting.md is not what the registry makes (%v); run: make reference", err)
	}
}

// Anchors are unique and lead to their entries, and every pattern is reached by its own beginning.
func TestEntries(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Sections() {
		for i := range s.Entries {
			e := &s.Entries[i]
			if seen[e.Anchor()] || At(e.Anchor()) != e || e.Cause == "" {
				t.Errorf("%q: its anchor %q is not its own, or it has no cause", e.Headline, e.Anchor())
			}
			seen[e.Anchor()] = true
			for _, b := range e.Begins {
				if got := Find(strings.ReplaceAll(b, "…", "x")); got != e {
					t.Errorf("%q of %q finds %v", b, e.Headline, got)
				}
			}
		}
	}
	if Find("no such message") != nil || At("none") != nil {
		t.Error("an entry is found for anything")
	}
	if got := Anchors([]string{"3 divergent transitions exceed 0", "R-hat 2 at x", "R-hat 3 at y", "other"}); strings.Join(got, " ") !=
		"divergent-transitions r-hat-beyond-its-gate" {
		t.Errorf("anchors %q", got)
	}
}
