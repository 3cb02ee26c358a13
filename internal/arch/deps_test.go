package arch

import (
	"go/ast"
	"go/token"
	"maps"
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
// gonum is not listed: it is the oracle of tests, and does not belong to the program
// (docs/decisions/0001-libraries.md).
var deps = map[string]string{
	"infer":            "",
	"infer/design":     "internal/simd",
	"infer/expression": "internal/simd internal/variate internal/vec internal/words",
	"infer/family":     "infer/expression infer/prior internal/simd internal/variate internal/vec internal/words",
	"infer/glm":        "infer infer/design infer/family infer/prior internal/words" + numeric,
	"infer/basis":      "infer/design infer/glm infer/prior internal/linalg internal/simd",
	"infer/update":     "infer internal/state",
	"infer/cggibbs":    "infer infer/basis infer/design infer/family infer/glm infer/loo infer/nuts infer/prior infer/dogs infer/update" + numeric + " internal/state",
	"infer/groups":     "infer infer/cggibbs infer/design infer/family infer/glm infer/prior infer/update internal/state" + numeric,
	"infer/collapsed":  "infer infer/design infer/family infer/glm infer/mixture infer/prior infer/update internal/state internal/variate internal/vec internal/words",
	"infer/mixture": "infer infer/cggibbs infer/design infer/glm infer/groups infer/prior infer/update internal/state internal/variate" +
		" internal/vec internal/words",
	// impute rewrites entries of designs, and leaves coefficients to cggibbs and effects to groups.
	"infer/impute":     "infer infer/cggibbs infer/design infer/family infer/glm infer/groups infer/prior infer/update internal/state" + numeric,
	"infer/model":      "infer infer/basis infer/cggibbs infer/design infer/family infer/glm infer/groups infer/prior infer/update internal/linalg internal/simd internal/state internal/variate internal/vec internal/words",
	"infer/nuts":       "infer infer/glm" + numeric + " internal/state",
	"infer/conjugate":  "infer infer/family infer/glm infer/prior internal/vec internal/linalg internal/state internal/variate internal/words",
	"infer/diag":       "infer" + numeric,
	"infer/prior":      "internal/vec internal/variate internal/words",
	"infer/priordraws": "infer/prior infer infer/glm infer/groups internal/state internal/words",
	"infer/loo":        "internal/vec internal/linalg internal/variate",
	"infer/powerscale": "internal/vec",
	// The distribution over all models of a selection is a discrete system, and its coefficients are conjugate's.
	"infer/selection":    "infer infer/glm infer/conjugate discrete/herded discrete/mrf internal/state",
	"infer/dogs":         "internal/simd internal/linalg",
	"discrete/mrf":       "infer internal/vec internal/state internal/words",
	"discrete/herded":    "infer discrete/mrf internal/vec internal/words",
	"discrete/influence": "discrete/mrf infer/dogs internal/vec",
	"discrete/system":    "discrete/herded discrete/influence discrete/mrf infer infer/diag infer/dogs internal/words",
	"infer/infertest":    "infer infer/design infer/family infer/glm infer/prior internal/variate",
	"internal/vec":       "",
	"internal/simd":      "internal/vec golang.org/x/sys/cpu",
	"internal/linalg":    "internal/vec internal/simd",
	"internal/variate":   "internal/vec internal/simd",
	"internal/state":     "",
	"ingest":             "os/exec internal/held internal/objects internal/words" + arrow + duckdb, // a process for a query
	"transform":          "infer/design infer/family infer/glm internal/linalg internal/vec internal/words" + arrow,
	"report":             "infer infer/diag infer/loo report/html report/judge report/record internal/chunk internal/engine internal/held internal/outfile internal/words" + duckdb + fanout,
	"report/html":        "",
	// judge and record are values without SQL, for packages that do not use a ledger.
	"report/judge":     "infer/diag internal/trouble internal/words",
	"internal/plot":    "golang.org/x/image/*",
	"internal/trouble": "",
	"report/record":    "infer infer/diag report/judge",
	"pipelines": "infer infer/diag infer/family infer/glm ingest transform internal/outfile internal/words report report/judge" +
		" pipelines/internal/*",
	// spec reads a spec, and looks at no data.
	"pipelines/internal/spec": "internal/words report/judge infer/expression infer/family infer/glm infer/prior infer/mixture infer/collapsed transform" + yaml,
	// spool keeps blocks of draws and kernel states, and knows no more.
	"pipelines/internal/spool": "infer internal/words",
	// progress draws its input, and depends on no sampler.
	"pipelines/internal/progress": "internal/words",
	"pipelines/internal/cpu":      "golang.org/x/sys/unix",
	// ceiling reads the memory limits of the kernel.
	"pipelines/internal/memlimit": "",
	"pipelines/internal/exit":     "",
	// plan, draw and assess know no ledger: TestWorkerKnowsNoLedger.
	"pipelines/internal/plan": "infer/model infer infer/family infer/glm infer/cggibbs infer/groups infer/impute infer/nuts infer/conjugate infer/collapsed infer/mixture infer/design infer/diag infer/prior" +
		" infer/priordraws discrete/mrf discrete/system" +
		" discrete/herded infer/selection ingest transform internal/mapped report/judge report/record internal/words pipelines/internal/discrete" +
		" pipelines/internal/predictive pipelines/internal/spec pipelines/internal/synthetic",
	"pipelines/internal/draw": "infer internal/words report/record pipelines/internal/assess pipelines/internal/cpu pipelines/internal/plan" +
		" pipelines/internal/progress pipelines/internal/spool" + fanout,
	"pipelines/internal/assess": "infer infer/diag infer/glm infer/mixture infer/nuts infer/powerscale transform report/judge report/record" +
		" pipelines/internal/cpu pipelines/internal/plan pipelines/internal/predictive pipelines/internal/progress" +
		" pipelines/internal/spec pipelines/internal/spool",
	"pipelines/internal/run": "infer report report/judge report/record pipelines/internal/assess pipelines/internal/memlimit" +
		" pipelines/internal/draw pipelines/internal/outcome pipelines/internal/plan pipelines/internal/progress pipelines/internal/spec" +
		" pipelines/internal/spool pipelines/internal/pending" + fanout + " golang.org/x/sync/semaphore",
	// outcome holds the result of a run; it does not depend on a runner.
	"pipelines/internal/outcome": "infer infer/diag report pipelines/internal/assess pipelines/internal/exit pipelines/internal/plan" +
		" pipelines/internal/progress pipelines/internal/spool",
	// pending commits the fits that a run could not, and draws nothing.
	"pipelines/internal/pending": "internal/words report report/record pipelines/internal/assess pipelines/internal/outcome" +
		" pipelines/internal/plan pipelines/internal/spool",
	// shard divides a night among machines, and draws nothing. It reads the blocks of fragments side by side.
	"pipelines/internal/shard": "internal/outfile internal/words report report/record pipelines/internal/assess" +
		" pipelines/internal/outcome pipelines/internal/plan pipelines/internal/progress pipelines/internal/spec" + fanout,
	// predictive evaluates fits row by row, from draws that it is given.
	"pipelines/internal/predictive": "infer/family internal/simd infer infer/design infer/glm infer/loo internal/variate internal/vec transform report/record" + fanout,
	"pipelines/internal/predict": "infer infer/glm ingest transform internal/words report report/record pipelines/internal/assess" +
		" pipelines/internal/plan pipelines/internal/predictive pipelines/internal/spec",
	"pipelines/internal/check": "infer/design infer infer/glm infer/groups infer/diag internal/words report report/judge pipelines/internal/exit" +
		" internal/variate pipelines/internal/plan pipelines/internal/spec" + fanout,
	// explain describes a run beforehand, and draws from priors only.
	"pipelines/internal/explain": "internal/words infer infer/design infer/glm infer/groups infer/prior pipelines/internal/plan pipelines/internal/spec",
	// propose looks at columns, and reads no files.
	"pipelines/internal/propose": "infer/family infer/glm internal/words" + arrow,
	// exchange reads and writes the files of other tools.
	"pipelines/internal/exchange": "infer infer/diag ingest internal/netcdf internal/outfile internal/words report report/judge" +
		" pipelines/internal/spec" + arrow,
	// synthetic makes data, and does not fit them.
	"pipelines/internal/synthetic": "infer infer/family infer/glm infer/prior internal/words pipelines/internal/spec",
	// discrete makes discrete systems of tables and images, and samples nothing itself.
	"pipelines/internal/discrete": "discrete/mrf discrete/system infer infer/prior ingest internal/words pipelines/internal/spec" + arrow,
	"cmd/pipeline":                "pipelines internal/outfile internal/plot internal/trouble internal/words github.com/spf13/cobra github.com/spf13/pflag golang.org/x/term",
	"internal/arch":               "",
	"internal/bars":               "internal/vec internal/words pipelines" + arrow,
	"internal/doctest":            "",
	"internal/prose":              "",
	"internal/mutants":            "",
	// engine closes DuckDB, and held is what those who open its files ask first.
	"internal/engine": duckdb,
	"internal/held":   "",
	// references serves tests alone.
	"internal/references": "",
	// mapped gives memory in files, and knows not what for.
	"internal/mapped": "golang.org/x/sys/unix" + arrow,
	// chunk writes into the engine's memory, and knows no table.
	"internal/chunk": "unsafe github.com/duckdb/duckdb-go/v2/mapping" + duckdb,
	// words has names and hints for all packages that write messages.
	"internal/words":   "golang.org/x/text/unicode/norm",
	"internal/outfile": "internal/words",
	// objects reads from object stores, and knows no format.
	"internal/objects":             "internal/words github.com/minio/minio-go/v7 github.com/minio/minio-go/v7/pkg/*" + fanout,
	"internal/objects/objectstest": "",
	// netcdf writes arrays under names, and knows no fit.
	"internal/netcdf":            "",
	"internal/netcdf/netcdftest": "",
}

// numeric is the arithmetic of fixed bits that samplers and designs share.
const numeric = " internal/vec internal/simd internal/linalg internal/variate"

// pureStd lists the standard library packages for code on the path of a chain: no I/O, no clock, no logger, no
// reflection over formats.
var pureStd = strings.Fields(`bytes cmp crypto/sha256 encoding encoding/binary errors fmt math math/bits math/rand/v2
	slices sort strings strconv sync`)

// needsEntry lists imports that need an entry of the map: the old generator with its global state, C, which plain
// "go build" of infer must do without, and addresses of foreign memory.
var needsEntry = []string{"C", "math/rand", "unsafe", "plugin"}

// onlyRun may be imported by pipelines and cmd/pipeline alone, which own the
// clock's reports, the logger and the process, unless the map names the package for it.
var onlyRun = []string{"log", "log/slog", "os/signal", "os/exec", "flag"}

func standard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".") && first != module
}

// allowed reports whether non-test code of pkg may import imp.
func allowed(pkg, imp string) bool {
	allow, listed := deps[pkg]
	if !listed || slices.Contains(needsEntry, imp) {
		return slices.Contains(strings.Fields(allow), imp)
	}
	if standard(imp) {
		if chainFolder(pkg) {
			return slices.Contains(pureStd, imp)
		}
		if pkg == "infer/infertest" {
			return true
		}
		return within(pkg, "pipelines", "cmd", "internal") || !slices.Contains(onlyRun, imp) ||
			slices.Contains(strings.Fields(allow), imp)
	}
	name := strings.TrimPrefix(imp, module+"/")
	return slices.ContainsFunc(strings.Fields(allow), func(r string) bool {
		stem, wild := strings.CutSuffix(r, "*")
		return name == r || wild && strings.HasPrefix(name, stem)
	})
}

// allowedInTest reports whether tests of pkg may import imp. Tests are free with two exceptions: infer and its
// arithmetic are tested with CGO_ENABLED=0 and without Arrow, and no test needs the old generator or C.
func allowedInTest(pkg, imp string) bool {
	if slices.Contains(needsEntry, imp) {
		return false
	}
	name, ours := strings.CutPrefix(imp, module+"/")
	if !within(pkg, "infer") && !chainFolder(pkg) || standard(imp) || imp == module {
		return true
	}
	return allowed(pkg, imp) || ours && (within(name, "infer") || chainFolder(name) || name == "internal/words" || name == "internal/references") ||
		strings.HasPrefix(imp, "gonum.org/v1/gonum/")
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
		"internal/chunk/a.go": "package chunk\nimport (\n\"unsafe\"\n\"C\" // want\n)\n",
		"report/a.go":         "package report\nimport (\n\"os\"\n\"unsafe\" // want\n\"github.com/duckdb/duckdb-go/v2/mapping\" // want\n\"log\" // want\n\"glmbatch/transform\" // want\n\"glmbatch/pipelines\" // want\n)\n",
		"ingest/a.go":         "package ingest\nimport (\n\"glmbatch/infer\" // want\n\"github.com/apache/arrow-go/v17/arrow\" // want\n)\n",
		"transform/a.go":      "package transform\nimport (\n\"glmbatch/ingest\" // want\n\"glmbatch/infer/glm\"\n)\n",
		"cmd/pipeline/a.go":   "package main\nimport (\n\"glmbatch/report\" // want\n\"glmbatch/pipelines\"\n\"os/signal\"\n)\n",
		"helpers/a.go":        "package helpers // want\n",
	})
	hold(t, dependencies)
}

// idle returns what a map says and no code needs: packages that do not exist,
// and permissions that no file outside the tests makes use of.
func idle(deps map[string]string, t *tree) []string {
	found := map[string][]string{}
	for _, s := range t.files {
		found[s.dir()] = append(found[s.dir()], "")
		for _, spec := range s.ast.Imports {
			if imp, err := strconv.Unquote(spec.Path.Value); err == nil && !s.test() {
				found[s.dir()] = append(found[s.dir()], strings.TrimPrefix(imp, module+"/"))
			}
		}
	}
	var out []string
	for _, pkg := range slices.Sorted(maps.Keys(deps)) {
		used, exists := found[pkg]
		if !exists {
			out = append(out, pkg+" does not exist")
			continue
		}
		for _, r := range strings.Fields(deps[pkg]) {
			stem, wild := strings.CutSuffix(r, "*")
			if !slices.ContainsFunc(used, func(imp string) bool { return imp == r || wild && strings.HasPrefix(imp, stem) }) {
				out = append(out, pkg+" does not import "+r)
			}
		}
	}
	return out
}

// The map is exact: each of its packages exists, and each permission is one that its package uses. A typing slip, a
// package that was moved and a dependency that was given up show here.
func TestMapIsExact(t *testing.T) {
	tr := &tree{fset: token.NewFileSet()}
	for p, text := range map[string]string{
		"a/a.go":      "package a\nimport \"glmbatch/b\"\nimport \"c.org/d/e\"\n",
		"a/a_test.go": "package a\nimport \"glmbatch/f\"\n",
		"b/doc.go":    "package b\n",
	} {
		must(t, tr.add(p, text))
	}
	got := idle(map[string]string{"a": "b f c.org/d/* c.org/d g/*", "b": "", "gone": "b"}, tr)
	want := []string{"a does not import f", "a does not import c.org/d", "a does not import g/*", "gone does not exist"}
	if !slices.Equal(got, want) {
		t.Fatalf("the rule does not see what it must: %q", got)
	}
	tr, err := moduleTree()
	must(t, err)
	for _, fault := range idle(deps, tr) {
		t.Errorf("the map of internal/arch/deps_test.go is not exact: %s", fault)
	}
	for _, imp := range pureStd {
		if !slices.ContainsFunc(tr.files, func(s *source) bool { return chainFolder(s.dir()) && !s.test() && imports(s, imp) }) {
			t.Errorf("pureStd allows %s, which no code on the path of a chain imports", imp)
		}
	}
}

// imports reports whether a file imports a package.
func imports(s *source, imp string) bool {
	return slices.ContainsFunc(s.ast.Imports, func(spec *ast.ImportSpec) bool { return spec.Path.Value == strconv.Quote(imp) })
}

// worker lists the packages by which a worker on another machine carries out a planned fit.
var worker = []string{"pipelines/internal/plan", "pipelines/internal/draw", "pipelines/internal/spool"}

// TestWorkerKnowsNoLedger follows the map from a worker's packages: none of their dependencies is the ledger, or a
// package that carries a run.
func TestWorkerKnowsNoLedger(t *testing.T) {
	seen, queue := map[string]bool{}, slices.Clone(worker)
	for len(queue) > 0 {
		pkg := queue[0]
		queue = queue[1:]
		if seen[pkg] {
			continue
		}
		seen[pkg] = true
		for _, imp := range strings.Fields(deps[pkg]) {
			if _, ours := deps[imp]; ours {
				queue = append(queue, imp)
			}
			if strings.HasSuffix(imp, "/*") && !strings.Contains(imp, ".") {
				t.Errorf("%s may import %s, so that what a worker needs is not known", pkg, imp)
			}
		}
	}
	for _, forbidden := range []string{"report", "report/html", "pipelines", "pipelines/internal/run"} {
		if seen[forbidden] {
			t.Errorf("a worker needs %s", forbidden)
		}
	}
	if !seen["pipelines/internal/assess"] || !seen["report/record"] {
		t.Error("the map was not followed")
	}
}
