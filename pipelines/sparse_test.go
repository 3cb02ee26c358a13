package pipelines_test

import (
	"fmt"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// words is a pipeline on word counts. The data set is the first verb, the storage
// the second.
const words = `
pipeline: t
database: t.duckdb
seed: 1
datasets: {counts: %s}
models:
  m: {formula: y ~ ., family: bernoulli, standardize: max_abs, sparse: %s, prior: {coefficients: "normal(0, 2)", intercept: "normal(0, 5)"}}
samplers:
  gibbs: {method: cggibbs}
  fast: {method: auto}
  nuts: {method: nuts}
run: {chains: 2, warmup: 150, draws: 300}
`

// writeWords writes word counts of 60 documents, wide and as triplets, with a further column that has no zeros.
func writeWords(f folder) {
	var y, wide, coo strings.Builder
	fmt.Fprintln(&y, "row,y,length")
	fmt.Fprintln(&wide, "y,length,x1,x2,x3,x4,x5")
	fmt.Fprintln(&coo, "row,col,value")
	for i := range 60 {
		response, length := (i*i+3*i/4)%5/3, 10+(7*i)%13
		fmt.Fprintf(&y, "%d,%d,%d\n", i+1, response, length)
		fmt.Fprintf(&wide, "%d,%d", response, length)
		for j := range 5 {
			count := 0
			if (i+3*j)%7 == 0 || (i*(j+2))%11 == 0 {
				count = 1 + (i+j)%3
				fmt.Fprintf(&coo, "%d,%d,%d\n", i+1, j+1, count)
			}
			fmt.Fprintf(&wide, ",%d", count)
		}
		fmt.Fprintln(&wide)
	}
	f.write("y.csv", y.String())
	f.write("wide.csv", wide.String())
	f.write("x.csv", coo.String())
}

// Triplets and a wide table that is stored sparse are one design, and give the same
// draws to the bit; the dense design and NUTS agree with them.
//
// False alarms: comparison's own, 0.01 for each pair of samplers, with a fixed seed.
func TestTripletsAreTheWideTable(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(words, "{path: y.csv, triplets: {path: x.csv}}", "auto"))
	writeWords(f)
	for name, spec := range map[string]string{
		"triplets": fmt.Sprintf(words, "{path: y.csv, triplets: {path: x.csv}}", "auto"),
		"wide":     fmt.Sprintf(words, "{path: wide.csv}", "true"),
		"dense":    fmt.Sprintf(words, "{path: wide.csv}", "auto"),
	} {
		f.write("spec.yaml", spec)
		f.run(pipelines.RunOptions{Overrides: pipelines.Overrides{Database: f.path(name + ".duckdb")}})
	}
	const draws = "SELECT fit.sampler, bit_xor(hash(parameter, chain, iteration, value)) FROM draws JOIN fit USING (fit_id) GROUP BY ALL ORDER BY ALL"
	triplets, wide := f.ask("triplets.duckdb", draws), f.ask("wide.duckdb", draws)
	if triplets != wide || triplets == "" {
		t.Errorf("draws of triplets\n%s\nand of the wide table\n%s", triplets, wide)
	}
	if got := f.ask("triplets.duckdb", "SELECT string_agg(DISTINCT message, '; ') FROM event WHERE message LIKE '%sparse%'"); !strings.Contains(got, "entries of 60 × 6 columns are not 0") {
		t.Errorf("the ledger says of the design %q", got)
	}
	if got := f.ask("dense.duckdb", "SELECT count(*) FROM event WHERE message LIKE '%sparse%'"); got != "0" {
		t.Errorf("a small dense design is called sparse %s times", got)
	}
	for _, name := range []string{"triplets", "dense"} {
		if got := f.ask(name+".duckdb", "SELECT count(*), count(*) FILTER (agreement = 'agree') FROM comparison WHERE sampler_a <> sampler_b"); got != "3,3" {
			t.Errorf("%s: pairs of samplers and those that agree: %s, want 3,3", name, got)
		}
	}
}

// A fault of the triplets names file, line and what to do, and costs its own fits
// only.
func TestFaultyTripletsAreNamed(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(words, "{path: y.csv, triplets: {path: x.csv, columns: 5}}", "auto"))
	writeWords(f)
	f.write("x.csv", "row,col,value\n1,1,2\n61,1,2\n")
	out := f.run(pipelines.RunOptions{})
	for _, fit := range out.Fits {
		for _, part := range []string{`dataset "counts"`, "line 3 of x.csv", "no row of the data has row 61", "hint:"} {
			if fit.Err == nil || !strings.Contains(fit.Err.Error(), part) {
				t.Errorf("%v does not say %q", fit.Err, part)
			}
		}
	}
}
