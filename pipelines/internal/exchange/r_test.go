package exchange

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"glmbatch/infer"
)

// readInR prints means as rstan reads Stan CSV and as posterior reads draws_df.
const readInR = `
for (p in c("rstan", "posterior")) if (!nzchar(system.file(package = p))) quit(status = 77)
suppressMessages({library(rstan); library(posterior)})
args <- commandArgs(trailingOnly = TRUE)
fit <- read_stan_csv(args[-1])
beta <- extract(fit, "beta", permuted = FALSE)
cat(sprintf("%.12g %.12g %d %d\n", mean(beta[, , 1]), mean(beta[, , 2]), get_num_divergent(fit), dim(beta)[2]))
d <- as_draws_df(read.csv(args[1], check.names = FALSE))
cat(sprintf("%.12g %.12g %d %d\n", mean(d[["(Intercept)"]]), mean(d[["a, b"]]), ndraws(d), nchains(d)))
`

const noR = "R with rstan and posterior is not installed (Debian: r-cran-rstan, r-cran-posterior)"

// R's rstan and posterior read what Write writes.
func TestRReads(t *testing.T) {
	if testing.Short() {
		t.Skip("starts R")
	}
	if _, err := exec.LookPath("Rscript"); err != nil {
		t.Skip(noR)
	}
	d := sample([]infer.Parameter{{Name: "(Intercept)", Kind: infer.Intercept}, {Name: "a, b", Kind: infer.Coefficient}})
	dir := t.TempDir()
	table, err := Write(CSV, dir, []string{"table"}, d)
	must(t, err)
	chains, err := Write(CmdStan, dir, []string{"stan"}, d)
	must(t, err)
	var mean [2]float64
	values := make([]float64, 2*d.Count)
	for c := range d.Chains {
		_ = d.Chain(c, values)
		for k, x := range values {
			mean[k/d.Count] += x / float64(d.Chains*d.Count)
		}
	}
	args := append([]string{"-e", readInR, table[0]}, chains...)
	out, err := exec.Command("Rscript", args...).CombinedOutput()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() == 77 {
		t.Skip(noR)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	want := []string{fmt.Sprintf("%.12g %.12g 3 3", mean[0], mean[1]), fmt.Sprintf("%.12g %.12g 120 3", mean[0], mean[1])}
	for i, line := range lines[max(0, len(lines)-2):] {
		if !close(line, want[i]) {
			t.Errorf("R reads %q from %s, want %q", line, filepath.Base(dir), want[i])
		}
	}
}

// close compares lines of numbers to ten digits.
func close(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		var u, v float64
		if _, err := fmt.Sscan(x[i]+" "+y[i], &u, &v); err != nil || u != v && !(abs(u-v) < 1e-10*abs(v)) {
			return false
		}
	}
	return len(x) > 0
}

func abs(x float64) float64 { return max(x, -x) }
