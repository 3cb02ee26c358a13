package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer/infertest"
	"glmbatch/internal/references"
	"glmbatch/pipelines"
)

// pinnedShipped are the built-in pipelines, each in a form of a second or two. Those of the panel need its data.
// Those that are whole are run again, and have answers of views and a page, which repeat the same facts for others.
var pinnedShipped = []struct {
	name         string
	panel, whole bool
	study        bool // left to make study
	args         []string
}{
	{name: "cookbook", study: true},
	{name: "quickstart", whole: true},
	{name: "sleepstudy", study: true},
	{name: "motorcycle", study: true},
	{name: "samplers", study: true, args: []string{"--profile", "smoke"}},
	{name: "mixtures", study: true, args: []string{"--only", "sampler=collapsed"}},
	{name: "discrete", whole: true},
	{name: "discrete/budgets", study: true, args: []string{"--var", "chains=8"}},
	{name: "discrete/corner", study: true},
	{name: "discrete/denoising", study: true, args: []string{"--var", "side=8", "--var", "images=1"}},
	{name: "discrete/ergodic", study: true},
	{name: "discrete/labelling", study: true, args: []string{"--var", "count=1"}},
	{name: "discrete/learning", study: true},
	{name: "discrete/likelihood", study: true, args: []string{"--var", "chains=8"}},
	{name: "discrete/looser", study: true, args: []string{"--var", "chains=8"}},
	{name: "discrete/million", study: true, args: []string{"--var", "side=30", "--var", "turn=1800"}},
	{name: "discrete/scans", study: true},
	{name: "discrete/segments", study: true, args: []string{"--var", "images=2"}},
	{name: "discrete/selection", study: true, args: []string{"--var", "draws=64", "--var", "chains=2"}},
	{name: "discrete/terms", study: true, args: []string{"--var", "chains=8"}},
	{name: "discrete/theorems", study: true, args: []string{"--var", "draws=64", "--var", "chains=2"}},
	{name: "discrete/two", study: true, args: []string{"--var", "draws=64", "--var", "chains=2"}},
	{name: "paper/figure3", whole: true, args: []string{"--profile", "smoke", "--var", "d=d00*"}},
	{name: "paper/figure4", study: true, args: []string{"--profile", "smoke", "--var", "d=d00*"}},
	{name: "paper/figure10", study: true, args: []string{"--profile", "smoke", "--var", "d=*-d000*"}},
	{name: "paper/theorems", study: true},
	{name: "paper/notes", study: true},
	{name: "panel", study: true, panel: true, args: []string{"--profile", "smoke", "--only", "dataset=PCMAC", "--only", "sampler=reference"}},
	{name: "paper/figure5", study: true, panel: true, args: []string{"--profile", "smoke", "--var", "d=d00*"}},
	{name: "paper/figure6", study: true, panel: true, args: []string{"--profile", "smoke", "--var", "d=n*-d00*"}},
	{name: "paper/figure7", study: true, panel: true, args: []string{"--profile", "smoke"}},
	{name: "paper/figure8", study: true, panel: true, args: []string{"--profile", "smoke", "--only", "dataset=colon"}},
}

// Every shipped pipeline leaves what it left when its golden was written: draws
// and summaries to the bit, fingerprints, verdicts and their words, outcomes,
// exit codes, and of some the answers of every view and macro of the ledger. Times,
// dates, names of runs and the build are left out. A golden is rewritten
// (-update) only if a change of results is meant.
func TestPinnedShipped(t *testing.T) {
	list, err := pipelines.List()
	must(t, err)
	pinned := map[string]bool{}
	for _, c := range pinnedShipped {
		pinned[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			if c.study {
				infertest.Study(t)
			}
			p := newPin(t)
			if c.panel {
				p.panel()
			}
			p.wide = c.name == "quickstart"
			database := filepath.Join(p.dir, "pinned.duckdb")
			target := append([]string{c.name, "--database", database}, c.args...)
			bare := slices.Clip(target[:len(target)-countOnly(c.args)])
			if c.panel { // of which validate would read all files, for seconds
				bare = append(bare, "--spec-only")
			}
			p.text(append([]string{"validate"}, bare...)...)
			p.hashed(append([]string{"explain"}, target...)...)
			p.outcome(append([]string{"run"}, target...)...)
			if c.whole {
				p.outcome(append([]string{"run"}, target...)...) // every fit is skipped
				p.outcome(append([]string{"run", "--dry-run", "--seed", "5"}, target...)...)
			}
			p.ledger(database)
			if c.whole {
				p.answers(database)
			}
			p.pairs(database)
			if c.whole {
				p.page(database)
			}
			p.golden(strings.ReplaceAll(c.name, "/", "-"))
		})
	}
	for _, s := range list {
		if !pinned[s.Name] {
			t.Errorf("nothing pins %s: give it a line in pinnedShipped", s.Name)
		}
	}
}

// countOnly is the number of words at the end of args that --only takes, which
// validate does not know.
func countOnly(args []string) int {
	if i := slices.Index(args, "--only"); i >= 0 {
		return len(args) - i
	}
	return 0
}

// pin gathers the facts of one golden, a line each.
type pin struct {
	t     *testing.T
	dir   string // of the ledger and the specs; the golden has DIR instead
	facts strings.Builder
	wide  bool // columns of views are facts, too
}

func newPin(t *testing.T) *pin {
	t.Helper()
	t.Setenv("PANEL_DIR", "")
	return &pin{t: t, dir: t.TempDir()}
}

// panel sets PANEL_DIR to the panel's data, next to the project; the test is skipped if they do not exist.
func (p *pin) panel() {
	p.t.Helper()
	dir := references.Folder(p.t, "panel")
	p.t.Setenv("PANEL_DIR", dir)
	p.t.Setenv("PIPELINE_ALLOW", dir+string(filepath.ListSeparator)+p.dir)
}

func (p *pin) say(format string, args ...any) {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), p.dir, "DIR")
	if panel := os.Getenv("PANEL_DIR"); panel != "" {
		text = strings.ReplaceAll(text, panel, "PANEL")
	}
	p.facts.WriteString(text + "\n")
}

// run carries out a call, whose exit code becomes a fact, and returns its output.
func (p *pin) run(args ...string) string {
	p.t.Helper()
	code, out, errs := call(p.t, args...)
	p.say("\n$ pipeline %s\nexit %d", strings.Join(args, " "), code)
	if code == pipelines.ExitUsage {
		p.say("%s", strings.TrimSpace(errs))
	}
	return out
}

// text makes each line of a call's output a fact.
func (p *pin) text(args ...string) {
	p.t.Helper()
	p.say("%s", strings.TrimRight(p.run(args...), "\n"))
}

// hashed makes the hash of a call's output a fact.
func (p *pin) hashed(args ...string) {
	p.t.Helper()
	out := strings.ReplaceAll(p.run(args...), p.dir, "DIR")
	p.say("%d lines, %s", strings.Count(out, "\n"), digestOf(out))
}

// passing are the keys of JSON that differ between two runs of one spec: what
// depends on the clock, the load, the build, or the order in which fits end.
var passing = regexp.MustCompile(`^(run|database|ledger|made|started|finished|created|seconds|times|fit_id|id|program|` +
	`setup|warmup_time|sampling|per_second|min_per_second|to_ess|to_min|ratio|ratio_min|ratio_log_lik|ratio_median|` +
	`ess_per_second_median|ess_per_second_min|to_ess100_median|to_ess100_min|to_ess100_log_lik)$`)

// lasting is decoded JSON without the keys that pass.
func lasting(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if passing.MatchString(key) {
				delete(v, key)
			} else {
				v[key] = lasting(inner)
			}
		}
	case []any:
		for i := range v {
			v[i] = lasting(v[i])
		}
	}
	return v
}

// decoded is JSON without the keys that pass, numbers as they were written.
func (p *pin) decoded(text string) any {
	p.t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		p.t.Fatalf("%v:\n%s", err, text)
	}
	return lasting(v)
}

func (p *pin) line(v any) string {
	p.t.Helper()
	b, err := json.Marshal(v)
	must(p.t, err)
	return string(b)
}

// list makes each element of a list a fact.
func (p *pin) list(what string, v any) {
	p.t.Helper()
	all, _ := v.([]any)
	p.say("%s: %d", what, len(all))
	for _, one := range all {
		p.say("  %s", p.line(one))
	}
}

// outcome makes the outcome of a run facts: one of the whole, and one a fit.
func (p *pin) outcome(args ...string) {
	p.t.Helper()
	v := p.decoded(p.run(append(args, "--output", "json")...)).(map[string]any)
	fits := v["fits"]
	delete(v, "fits")
	p.say("%s", p.line(v))
	p.list("fits", fits)
}

var pageElement = regexp.MustCompile(`(?s)<script type="application/json" id="([a-z0-9-]+)">(.*?)</script>`)

// pairs makes the pairs that compare finds facts.
func (p *pin) pairs(database string) {
	p.t.Helper()
	p.list("pairs", p.decoded(p.run("compare", "--database", database, "--format", "json")))
}

// page makes the page of a ledger facts: the rows of fits, and hashes of the rest.
func (p *pin) page(database string) {
	p.t.Helper()
	file := filepath.Join(p.dir, "page.html")
	p.run("report", "--database", database, "--latest", "--output", file)
	page, err := os.ReadFile(file)
	must(p.t, err)
	elements := pageElement.FindAllStringSubmatch(string(page), -1)
	if len(elements) == 0 {
		p.t.Fatal("the page has no data")
	}
	for _, e := range elements {
		v := p.decoded(e[2])
		if m := v.(map[string]any); e[1] == "data-page" {
			p.list("page fits", m["fits"])
			p.list("page notes", m["notes"])
			for _, key := range []string{"title", "scope", "pairs", "loo", "drift"} {
				p.say("page %s %s", key, digestOf(p.line(m[key])))
			}
			continue
		}
		p.say("page %s %s", e[1], digestOf(p.line(v)))
	}
}

func digestOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16] }

// golden compares the facts with those of testdata/pinned.
func (p *pin) golden(name string) {
	p.t.Helper()
	path := filepath.Join(pinnedFolder, name+".txt")
	got := strings.TrimLeft(p.facts.String(), "\n")
	if *update {
		must(p.t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatalf("golden: %v (run this test with -update, then read the diff)", err)
	}
	if string(want) != got {
		p.t.Errorf("%s is not what it was pinned to be (nothing below: lines changed places):\n%s", path, lineDiff(string(want), got))
	}
}

// pinnedFolder holds the goldens, from the folder of this test.
var pinnedFolder = func() string {
	dir, err := filepath.Abs("testdata/pinned")
	if err != nil {
		panic(err)
	}
	return dir
}()
