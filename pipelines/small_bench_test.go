package pipelines_test

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"glmbatch/pipelines"
)

// smallSpec fits each group of groups.csv by itself.
const smallSpec = `pipeline: small
database: small.duckdb
datasets: {%s: {path: groups.csv, by: [g]}}
models:
  m: {formula: y ~ x1 + x2 + x3 + x4 + x5 + x6 + x7, family: bernoulli, standardize: center_scale}
samplers: {auto: {method: auto}}
`

// smallGroups writes groups of 200 rows with seven columns: data like Pima's.
func smallGroups(b *testing.B, path string, groups int) {
	b.Helper()
	file, err := os.Create(path)
	must(b, err)
	r, w := rand.New(rand.NewPCG(1, 2)), bufio.NewWriter(file)
	fmt.Fprintln(w, "g,y,x1,x2,x3,x4,x5,x6,x7")
	for g := range groups {
		for range 200 {
			eta, y := -0.8, 0
			var x [7]float64
			for j := range x {
				x[j] = r.NormFloat64()
				eta += 0.3 * x[j]
			}
			if r.Float64() < 1/(1+math.Exp(-eta)) {
				y = 1
			}
			fmt.Fprintf(w, "g%04d,%d,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n", g, y, x[0], x[1], x[2], x[3], x[4], x[5], x[6])
		}
	}
	must(b, w.Flush())
	must(b, file.Close())
}

// BenchmarkSmallFits runs 200 or 1000 small fits by method auto, four chains until the
// usual gates hold, as a user does: from a CSV file to a ledger with all draws.
// Then the same again, which changes nothing, and as many others into the same
// ledger.
func BenchmarkSmallFits(b *testing.B) {
	for _, groups := range []int{200, 1000} {
		b.Run(fmt.Sprintf("groups=%d", groups), func(b *testing.B) {
			for range b.N {
				smallFits(b, groups)
			}
		})
	}
}

func smallFits(b *testing.B, groups int) {
	b.Helper()
	dir := b.TempDir()
	spec := filepath.Join(dir, "small.yaml")
	smallGroups(b, filepath.Join(dir, "groups.csv"), groups)
	for _, part := range []struct{ metric, dataset, action string }{
		{"fits/s", "first", pipelines.Computed},
		{"unchanged/s", "first", pipelines.Skipped},
		{"second-fits/s", "second", pipelines.Computed},
	} {
		must(b, os.WriteFile(spec, fmt.Appendf(nil, smallSpec, part.dataset), 0o644))
		began := time.Now()
		out, err := pipelines.Run(b.Context(), spec, pipelines.RunOptions{})
		must(b, err)
		b.ReportMetric(float64(groups)/time.Since(began).Seconds(), part.metric)
		for _, fit := range out.Fits {
			if fit.Action != part.action {
				b.Fatalf("%s: %s: %v", fit.Name(), fit.Action, fit.Err)
			}
		}
	}
}
