package diag

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const goldenDir = "../../testdata/diag"

// readLines returns the lines of a file of testdata.
func readLines(t testing.TB, path ...string) []string {
	t.Helper()
	f, err := os.Open(filepath.Join(append([]string{goldenDir}, path...)...))
	if err != nil {
		t.Fatalf("%v (make it: cd testdata/diag && Rscript make_golden.R)", err)
	}
	defer f.Close()
	var lines []string
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	must(t, scanner.Err())
	return lines
}

func parse(t testing.TB, s string) float64 {
	t.Helper()
	if s == "NA" {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(s, 64)
	must(t, err)
	return v
}

// readDraws returns the draws of a golden case, chains × iterations.
func readDraws(t testing.TB, name string) [][]float64 {
	t.Helper()
	var chains [][]float64
	for _, line := range readLines(t, "draws", name+".csv") {
		for c, field := range strings.Split(line, ",") {
			if c == len(chains) {
				chains = append(chains, nil)
			}
			chains[c] = append(chains[c], parse(t, field))
		}
	}
	return chains
}

// goldenValue is one line of golden.csv.
type goldenValue struct {
	name, measure string
	value         float64
}

func readGolden(t testing.TB) []goldenValue {
	t.Helper()
	var values []goldenValue
	for _, line := range readLines(t, "golden.csv") {
		if strings.HasPrefix(line, "#") || line == "case,measure,value" {
			continue
		}
		f := strings.Split(line, ",")
		values = append(values, goldenValue{f[0], f[1], parse(t, f[2])})
	}
	return values
}

// agree reports whether got equals want to 1e-10, relative, or to 1e-15 where the
// cases' means cancel out; NaN agrees with NaN.
func agree(got, want float64) bool {
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return got == want || math.IsNaN(got) && math.IsNaN(want)
	}
	return math.Abs(got-want) <= math.Max(1e-10*math.Abs(want), 1e-15)
}

// measureInSummary finds a measure of golden.csv in a Summary; ok is false for
// those that it does not hold.
func measureInSummary(s Summary, measure string) (v float64, ok bool) {
	v, ok = map[string]float64{
		"rhat": s.RHat, "ess_bulk": s.ESSBulk, "ess_tail": s.ESSTail,
		"mean": s.Mean, "sd": s.SD, "mcse_mean": s.MCSEMean, "mcse_sd": s.MCSESD,
		"quantile_0.025": s.Q025, "quantile_0.05": s.Q05, "quantile_0.25": s.Q25, "quantile_0.5": s.Median,
		"quantile_0.75": s.Q75, "quantile_0.95": s.Q95, "quantile_0.975": s.Q975,
		"mcse_quantile_0.05": s.MCSEQ05, "mcse_quantile_0.5": s.MCSEMedian, "mcse_quantile_0.95": s.MCSEQ95,
	}[measure]
	return v, ok
}

// expected is the result we want if posterior gives g.value. There are three stated differences. Where all draws
// lie equally far from their median, R-hat is that of the draws as they are, and not NA. Where no half varies,
// R-hat is +Inf and not what rounding makes of 1/0. And posterior 1.4.0 cannot split 2 or 3 iterations (x[1:1, ]
// drops to a vector, cbind takes chains for iterations), where we say NaN.
func expected(g goldenValue, chains [][]float64) float64 {
	diagnostic := strings.Contains(g.measure, "rhat") || strings.Contains(g.measure, "ess_") || strings.Contains(g.measure, "mcse_")
	switch draws := len(chains[0]); {
	case g.name == "two_values" && g.measure == "rhat":
		return refRHat(chains)
	case g.name == "constant_within" && g.measure == "rhat":
		return math.Inf(1)
	case (draws == 2 || draws == 3) && diagnostic:
		return math.NaN()
	}
	return g.value
}

// TestGolden compares summaries with the R package posterior.
func TestGolden(t *testing.T) {
	w := NewWorkspace()
	draws := map[string][][]float64{}
	summaries := map[string]Summary{}
	summarized := 0
	for _, g := range readGolden(t) {
		if draws[g.name] == nil {
			draws[g.name] = readDraws(t, g.name)
			summaries[g.name] = w.Summarize(draws[g.name])
		}
		want := expected(g, draws[g.name])
		if got, ok := measureInSummary(summaries[g.name], g.measure); ok {
			summarized++
			if !agree(got, want) {
				t.Errorf("%s: %s of the summary is %.17g, posterior gives %.17g", g.name, g.measure, got, want)
			}
			if math.IsNaN(got) && summaries[g.name].Reason == "" {
				t.Errorf("%s: %s of the summary is NaN without a reason", g.name, g.measure)
			}
		}
	}
	if want := 64 * 17; summarized != want {
		t.Errorf("%d measures of summaries compared, want %d", summarized, want)
	}
}
