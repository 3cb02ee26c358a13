package prose

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// rule is one line of testdata/rules.tsv.
type rule struct {
	id, scope, write, example string
	letters                   []string // every hit contains one of them
	re, except                *regexp.Regexp
}

// warns reports whether the rule applies to finished pages only.
func (r *rule) warns() bool { return strings.HasPrefix(r.id, "w:") }

// hit is one place that breaks a rule.
type hit struct {
	unit unit
	rule *rule
	text string
}

func (h hit) String() string {
	return fmt.Sprintf("%s:%d: %s: %q, write: %s", h.unit.path, h.unit.line, h.rule.id, h.text, h.rule.write)
}

// readRules reads testdata/rules.tsv.
func readRules(t *testing.T) []*rule {
	t.Helper()
	text, err := os.ReadFile("testdata/rules.tsv")
	must(t, err)
	var rules []*rule
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) != 7 {
			t.Fatalf("rules.tsv: %d fields, expected 7: %s", len(f), line)
		}
		r := &rule{id: f[0], scope: f[1], write: f[5], example: f[6], re: regexp.MustCompile(f[3])}
		r.letters = strings.Split(f[2], "|")
		if f[4] != "" {
			r.except = regexp.MustCompile(f[4])
		}
		rules = append(rules, r)
	}
	return rules
}

// find returns the hits of a rule in a unit. An exception applies if it matches
// the hit with 25 bytes before and after it.
func (r *rule) find(u unit) []hit {
	if !strings.Contains(r.scope, u.scope()) || !containsAny(u.text, r.letters) {
		return nil
	}
	var hits []hit
	for _, m := range r.re.FindAllStringIndex(u.text, -1) {
		from, to := max(0, m[0]-25), min(len(u.text), m[1]+25)
		if r.except == nil || !r.except.MatchString(u.text[from:to]) {
			hits = append(hits, hit{u, r, u.text[from:to]})
		}
	}
	return hits
}

func containsAny(text string, letters []string) bool {
	for _, l := range letters {
		if strings.Contains(text, l) {
			return true
		}
	}
	return false
}

// Each rule finds its example, in each of its scopes and in no other.
func TestRules(t *testing.T) {
	rules := readRules(t)
	if len(rules) < 50 {
		t.Errorf("only %d rules", len(rules))
	}
	for _, r := range rules {
		for scope, path := range map[string]string{"d": "a.md", "c": "a.go"} {
			found := len(r.find(unit{path: path, text: r.example})) > 0
			if want := strings.Contains(r.scope, scope); found != want {
				t.Errorf("%s finds %q in %s: %t, expected %t", r.id, r.example, path, found, want)
			}
		}
	}
}

// The letters of a rule lose no hit: text without them has none.
func TestLettersLoseNothing(t *testing.T) {
	rules := readRules(t)
	for _, u := range readUnits(t, root) {
		if !strings.HasPrefix(u.path, "docs/decisions/000") { // enough text, and fast
			continue
		}
		for _, r := range rules {
			if !containsAny(u.text, r.letters) && r.re.MatchString(u.text) {
				t.Errorf("%s:%d: %s matches text without its letters: %q", u.path, u.line, r.id, r.re.FindString(u.text))
			}
		}
	}
}
