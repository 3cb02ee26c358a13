package doctest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const fakeMakefile = "run: build ## run\n\t$(BIN) run quickstart\n\ntest: ## test\n\tgo test ./...\n"

// walk works through a page with the substitute program.
func walk(t *testing.T, page string) error {
	t.Helper()
	blocks, err := Parse(strings.ReplaceAll(page, "'''", "```"))
	if err != nil {
		return err
	}
	bin, err := filepath.Abs("testdata")
	must(t, err)
	s := &Session{Dir: t.TempDir(), Bin: bin, Makefile: fakeMakefile}
	if err := os.Symlink(bin, filepath.Join(s.Dir, "bin")); err != nil { // what make build leaves
		t.Fatal(err)
	}
	return s.Walk(t.Context(), blocks)
}

// goodPage shows every kind of block once; each bad page below breaks one
// thing in it.
const goodPage = `# Title

'''sh
git clone https://example.org/x/glmbatch   # not run
cd glmbatch
make run SEED=3   # prints a table
'''

1. In a list:

   '''console
   $ pipeline run quickstart
   glu 0.0352 R-hat 1.001 17 ms
   $ pipeline run nothing
   pipeline: no pipeline nothing
   $ echo $?
   2
   $ export NIGHT=2026-01-01
   $ mkdir -p sub && cd sub
   $ echo "$NIGHT" \
   >   again
   2026-01-01 again
   $ pipeline where
   sub/posteriors.duckdb
   $ cd ..
   $ seq 5
   1
   …
   5
   $ make test
   ok
   '''

'''sql
SELECT 'a'
'''

'''text
name │ mean
glu  │ 0.03…
'''

<!-- file: night.yaml -->
'''yaml
pipeline: night
seed: 3
'''

'''console
$ pipeline validate night.yaml
'''

<!-- not executed: needs R -->
'''r
library(posterior)
'''

'''yaml
prior: a part of a spec
'''
`

func TestGoodPage(t *testing.T) {
	must(t, walk(t, goodPage))
}

// Each change is a fault of the documentation that a reader would stumble over.
func TestBadPages(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"wrong command":      {"pipeline run quickstart\n", "pipeline run quickstrat\n", "line 12: pipeline run quickstrat"},
		"wrong number":       {"0.0352 R-hat", "0.0353 R-hat", `"glu 0.0353`},
		"wrong exit code":    {"echo $?\n   2", "echo $?\n   1", `differs at "1"`},
		"unexpected failure": {"$ echo $?\n   2\n   ", "", "exit status 2"},
		"missing line":       {"1\n   …\n   5", "1\n   5", `differs at "5"`},
		"line too many":      {"…\n   5", "…\n   5\n   6", `differs at "6"`},
		"output cut short":   {"…\n   5", "2", "the end of the output"},
		"wrong query":        {"SELECT 'a'", "SELECT b", "no such table"},
		"wrong answer":       {"glu  │ 0.03…", "glu  │ 0.04…", `"glu │ 0.04…"`},
		"invalid spec":       {"seed: 3", "seed: x", "not valid"},
		"no such target":     {"make test", "make tset", `no target "tset"`},
		"no ledger":          {"make run", "make test", ""},
		"chained target":     {"make test", "mkdir -p a && make tset", `no target "tset"`},
		"unlabelled":         {"'''sql", "'''", ""},
		"unknown language":   {"<!-- not executed: needs R -->\n", "", `nobody runs "r"`},
		"no reason":          {"needs R", "", "gives nothing"},
		"stray comment":      {"needs R -->\n", "needs R -->\nwords\n", "no block follows"},
		"open block":         {"library(posterior)\n'''", "library(posterior)\n", ""},
		"lost variable":      {"export NIGHT", "true", `differs at "2026-01-01 again"`},
		"empty shell block": {"git clone https://example.org/x/glmbatch   # not run\ncd glmbatch\nmake run SEED=3   # " +
			"prints a table", "# nothing", "without a command"},
	} {
		t.Run(name, func(t *testing.T) {
			page := strings.Replace(goodPage, c.old, c.new, 1)
			if page == goodPage {
				t.Fatal("nothing is planted")
			}
			switch name {
			case "no ledger": // nor may the console block make one
				page = strings.Replace(page, "pipeline run quickstart\n   glu 0.0352 R-hat 1.001 17 ms", "true", 1)
				c.want = "no command above has made a ledger"
			case "unlabelled":
				page = strings.Replace(page, "SELECT 'a'", "$ pipeline version", 1)
				c.want = "needs a language"
			case "open block":
				page, c.want = page[:strings.Index(page, "library(posterior)\n")], "not closed"
			}
			err := walk(t, page)
			if err == nil {
				t.Fatal("the harness passes a page with this fault")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error does not name the fault %q:\n%v", c.want, err)
			}
		})
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		want, got string
		same      bool
	}{
		{"done in 3.2 s", "done in 11 ms", true},
		{"at 2026-11-21 08:41:12", "at 2027-01-01T00:00:00Z", true},
		{"took 1m3s at 12 fits/s", "took 2.5s at 1,013.5 fits/s", true},
		{"a   b ────", "a b ──", true},
		{"a 1.0 b", "a 1.00 b", false},
		{"4 draws", "5 draws", false},
		{"…\nb\n…\nd", "a\nb\nc\nb\nd", true},
		{"…\nb", "b\nc", false},
		{"run … of 3", "run 2 of 3", true},
		{"run … of 3", "run 2 of 33", false},
		{"", "words", false},
	} {
		err := Match(strings.Split(c.want, "\n"), strings.Split(c.got, "\n"))
		if (err == nil) != c.same {
			t.Errorf("Match(%q, %q): %v", c.want, c.got, err)
		}
	}
}
