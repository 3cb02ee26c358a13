package arch

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	arrow  = " github.com/apache/arrow-go/v18/*"
	duckdb = " github.com/duckdb/duckdb-go/v2"
	fanout = " golang.org/x/sync/errgroup"
	yaml   = " github.com/goccy/go-yaml github.com/goccy/go-yaml/*"
)

// deps is policy, not a snapshot: each package and what it may import beyond
// the standard library. Packages of this module are named without its path; a
// star stands for anything below. Never loosen a line to make a build pass.
//
// Design section 2 is this table in words.
var deps = map[string]string{
	"infer":                   "",
	"infer/design":            "internal/simd",
	"infer/glm":               "infer infer/design infer/prior internal/words" + numeric,
	"infer/cggibbs":           "infer infer/design infer/glm infer/prior infer/dogs" + numeric + " internal/state",
	"infer/nuts":              "infer infer/glm" + numeric + " internal/state",
	"infer/conjugate":         "infer infer/glm infer/prior internal/vec internal/linalg internal/variate",
	"infer/diag":              "infer" + numeric,
	"infer/prior":             "internal/vec internal/variate internal/words",
	"infer/priordraws":        "infer infer/glm internal/state",
	"infer/loo":               "internal/vec",
	"infer/mrf":               "infer internal/vec internal/state",
	"infer/herded":            "infer infer/mrf internal/vec internal/state",
	"infer/dogs":              "infer/mrf internal/vec internal/simd internal/linalg",
	"infer/infertest":         "infer infer/design infer/glm infer/prior internal/variate",
	"internal/vec":            "",
	"internal/simd":           "internal/vec golang.org/x/sys/cpu",
	"internal/linalg":         "internal/vec internal/simd",
	"internal/variate":        "internal/vec internal/simd",
	"internal/state":          "",
	"ingest":                  "internal/words" + arrow + duckdb,
	"transform":               "infer/design infer/glm internal/vec internal/words" + arrow,
	"report":                  "infer infer/diag report/html report/judge internal/words" + duckdb,
	"report/html":             "",
	"report/judge":            "infer/diag",
	"pipelines":               run + fanout + yaml,
	"pipelines/internal/spec": run + yaml,
	"pipelines/internal/plan": run,
	// spool keeps blocks of draws and kernel states, and knows no more.
	"pipelines/internal/spool": "infer",
	// progress draws what it is told, and knows no sampler.
	"pipelines/internal/progress": "golang.org/x/term",
	"pipelines/internal/run":      run + fanout + " golang.org/x/sync/semaphore golang.org/x/sys/unix",
	"pipelines/internal/check":    run + fanout,
	"pipelines/internal/predict":  run + fanout,
	// explain tells what a run would do, and draws from priors only.
	"pipelines/internal/explain": run,
	// propose looks at columns, and reads no files.
	"pipelines/internal/propose": "internal/words" + arrow,
	// exchange reads and writes the files of other tools.
	"pipelines/internal/exchange": "infer infer/diag ingest report report/judge" + arrow,
	// synthetic makes data, and does not fit them.
	"pipelines/internal/synthetic": "infer infer/glm infer/prior pipelines/internal/spec",
	// discrete makes discrete models of tables and images, and samples nothing itself.
	"pipelines/internal/discrete": "infer infer/prior infer/diag infer/mrf infer/herded infer/dogs ingest internal/words pipelines/internal/spec" + arrow,
	"cmd/pipeline":                "pipelines internal/words github.com/spf13/cobra golang.org/x/term",
	"internal/arch":               "",
	"internal/bars":               "internal/words pipelines",
	"internal/doctest":            "",
	// words is what every room needs to speak with people.
	"internal/words": "",
}

// numeric is the arithmetic of fixed bits that samplers and designs share.
const numeric = " internal/vec internal/simd internal/linalg internal/variate"

// run is what the packages that run a pipeline may use of the other rooms.
const run = "infer infer/design infer/glm infer/cggibbs infer/nuts infer/conjugate infer/diag infer/loo infer/prior infer/priordraws infer/mrf infer/herded infer/dogs" +
	" ingest transform report report/judge internal/words pipelines/internal/*"

// pureStd is what code on the path of a chain may use of the standard library: no I/O,
// no clock, no logger, no reflection over formats.
var pureStd = strings.Fields(`cmp context crypto/sha256 encoding encoding/binary errors fmt iter math math/bits
	math/rand/v2 slices sort strings strconv sync`)

// nobody may import these anywhere: the old generator with its global state,
// and C, which plain "go build" of infer must do without.
var nobody = []string{"C", "math/rand", "unsafe", "plugin"}

// onlyRun may be imported by pipelines and cmd/pipeline alone, which own the
// clock's reports, the logger and the process.
var onlyRun = []string{"log", "log/slog", "os/signal", "os/exec", "flag"}

func standard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".") && first != module
}

// allowed tells whether non-test code of pkg may import imp.
func allowed(pkg, imp string) bool {
	allow, listed := deps[pkg]
	if !listed || slices.Contains(nobody, imp) {
		return false
	}
	if standard(imp) {
		if chainFolder(pkg) {
			return slices.Contains(pureStd, imp)
		}
		if pkg == "infer/infertest" {
			return true
		}
		return within(pkg, "pipelines", "cmd", "internal") || !slices.Contains(onlyRun, imp)
	}
	name := strings.TrimPrefix(imp, module+"/")
	return slices.ContainsFunc(strings.Fields(allow), func(r string) bool {
		stem, wild := strings.CutSuffix(r, "*")
		return name == r || wild && strings.HasPrefix(name, stem)
	})
}

// allowedInTest tells whether tests of pkg may import imp. Tests are free but
// for two walls: infer and its arithmetic are tested with CGO_ENABLED=0 and without Arrow, and
// nobody needs the old generator or C.
func allowedInTest(pkg, imp string) bool {
	if slices.Contains(nobody, imp) {
		return false
	}
	name, ours := strings.CutPrefix(imp, module+"/")
	if !within(pkg, "infer") && !chainFolder(pkg) || standard(imp) || imp == module {
		return true
	}
	return ours && (within(name, "infer") || chainFolder(name)) || strings.HasPrefix(imp, "gonum.org/v1/gonum/") || imp == "golang.org/x/sys/cpu"
}

// dependencies is the rule of the map above.
func dependencies(t *tree) []finding {
	var out []finding
	unknown := map[string]bool{}
	for _, s := range t.files {
		if _, ok := deps[s.dir()]; !ok {
			if !unknown[s.dir()] {
				out = append(out, t.at(s.ast.Package, "package %s is not in the map of internal/arch/deps_test.go", s.dir()))
			}
			unknown[s.dir()] = true
			continue
		}
		check, who := allowed, s.dir()
		if s.test() {
			check, who = allowedInTest, "a test of "+s.dir()
		}
		for _, spec := range s.ast.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil || !check(s.dir(), imp) {
				out = append(out, t.at(spec.Pos(), "%s must not import %s", who, spec.Path.Value))
			}
		}
	}
	return out
}

func TestDependencies(t *testing.T) {
	seen(t, dependencies, planted{
		"infer/nuts/a.go": "package nuts\nimport (\n" +
			"\"os\" // want\n" +
			"\"time\" // want\n" +
			"\"log/slog\" // want\n" +
			"\"math/rand\" // want\n" +
			"\"database/sql\" // want\n" +
			"\"github.com/apache/arrow-go/v18/arrow\" // want\n" +
			"\"gonum.org/v1/gonum/mat\" // want\n" +
			"\"glmbatch/infer/cggibbs\" // want\n" +
			"\"glmbatch/transform\" // want\n" +
			"\"math\"\n\"glmbatch/infer\"\n\"glmbatch/infer/glm\"\n\"glmbatch/internal/vec\"\n)\n",
		"infer/nuts/a_test.go": "package nuts\nimport (\n" +
			"\"os\"\n\"testing\"\n\"glmbatch/infer/infertest\"\n\"gonum.org/v1/gonum/mat\"\n" +
			"\"glmbatch/report\" // want\n" +
			"\"github.com/duckdb/duckdb-go/v2\" // want\n)\n",
		"internal/state/a.go": "package state\nimport \"os\" // want\n",
		"internal/simd/a.go":  "package simd\nimport (\n\"unsafe\" // want\n\"C\" // want\n\"golang.org/x/sys/cpu\"\n)\n",
		"infer/glm/a.go":      "package glm\nimport \"testing\" // want\n",
		"report/a.go":         "package report\nimport (\n\"os\"\n\"log\" // want\n\"glmbatch/transform\" // want\n\"glmbatch/pipelines\" // want\n)\n",
		"ingest/a.go":         "package ingest\nimport (\n\"glmbatch/infer\" // want\n\"github.com/apache/arrow-go/v17/arrow\" // want\n)\n",
		"transform/a.go":      "package transform\nimport (\n\"glmbatch/ingest\" // want\n\"glmbatch/infer/glm\"\n)\n",
		"cmd/pipeline/a.go":   "package main\nimport (\n\"glmbatch/report\" // want\n\"glmbatch/pipelines\"\n\"os/signal\"\n)\n",
		"helpers/a.go":        "package helpers // want\n",
	})
	hold(t, dependencies)
}

// The map must not name a rule that nobody can follow: every package of this
// module that a rule names is itself in the map, so that a typing slip does
// not silently forbid or allow.
func TestMapIsClosed(t *testing.T) {
	for pkg, allow := range deps {
		for _, r := range strings.Fields(allow) {
			name := strings.TrimSuffix(strings.TrimSuffix(r, "*"), "/")
			first, _, _ := strings.Cut(name, "/")
			known := strings.Contains(first, ".")
			for other := range deps {
				known = known || within(other, name)
			}
			if !known {
				t.Errorf("the rule of %s names %s, which is no package of the map", pkg, r)
			}
		}
	}
}
