package pipelines_test

import (
	"fmt"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

const checks = "SELECT statistic, observed, mean, sd, q025, q975, p_value, replicates FROM ppc JOIN fit USING (fit_id) ORDER BY ALL"

// Predictive checks never change a draw, have the same bits later as at fit time,
// and see zeros that a poisson model does not give.
func TestPredictiveChecks(t *testing.T) {
	plain := fmt.Sprintf(quick, "claims: {path: zeros.csv}")
	var zeros strings.Builder
	zeros.WriteString("age,y\n")
	for i := range 60 {
		fmt.Fprintf(&zeros, "%d,%d\n", 20+i, i%2*20)
	}
	f := newFolder(t, plain)
	f.write("zeros.csv", zeros.String())
	f.run(pipelines.RunOptions{})
	draws := f.ask("t.duckdb", bits)
	asked := strings.Replace(plain, "draws: 60}", "draws: 60, ppc: true}", 1)
	f.write("spec.yaml", asked)
	out := f.run(pipelines.RunOptions{Workers: 16})
	later := f.ask("t.duckdb", checks)
	if out.Fits[0].Action != pipelines.Skipped || f.ask("t.duckdb", bits) != draws {
		t.Errorf("%s: the draws were touched", out.Fits[0].Action)
	}
	words := strings.Join(out.Fits[0].Reasons, "\n")
	if out.Fits[0].Verdict != "warn" || !strings.Contains(words, "share of zeros of the response, 0.5, is above that of all 180 sets") {
		t.Errorf("%s: %s", out.Fits[0].Verdict, words)
	}
	f.run(pipelines.RunOptions{Workers: 1, Force: true})
	if now := f.ask("t.duckdb", checks); now != later || strings.Count(now, "\n") != 4 {
		t.Errorf("at fit time:\n%s\nlater:\n%s", now, later)
	}
	if f.ask("t.duckdb", bits) != draws {
		t.Error("checks at fit time change the draws")
	}
	if p := f.ask("t.duckdb", "SELECT p_value FROM ppc WHERE statistic = 'mean'"); p < "0.2" || p > "0.8" {
		t.Errorf("the mean, which the model fits, has the p-value %s", p)
	}
}

// Draws from the prior are stored in addition to the posterior under a name of their own, do not depend on the
// response, and never count as a sampler of the posterior.
func TestSamplePrior(t *testing.T) {
	plain := fmt.Sprintf(quick, "claims: {path: good.csv}")
	f := newFolder(t, plain)
	f.write("good.csv", strings.ReplaceAll(claims, "-3", "3"))
	f.run(pipelines.RunOptions{})
	asked := strings.Replace(plain, "draws: 60}", "draws: 4000, sample: prior}", 1)
	f.write("spec.yaml", asked)
	out := f.run(pipelines.RunOptions{})
	if len(out.Fits) != 1 || out.Fits[0].Sampler != "prior" || out.Fits[0].Verdict != "warn" || !strings.Contains(strings.Join(out.Fits[0].Reasons, " "), "not from a posterior") {
		t.Fatalf("%+v", out.Fits[0])
	}
	// age is scaled: its prior normal(0, 2.5) is that of the standardised column
	got := f.ask("t.duckdb", "SELECT abs(avg(value)) < 0.15 AND abs(stddev(value) - 2.5) < 0.15 FROM draws_standardized WHERE sampler = 'prior' AND parameter = 'age'")
	if got != "true" {
		t.Error("the draws of age are not its prior's")
	}
	for query, want := range map[string]string{
		"SELECT count(*) FROM comparison": "0", "SELECT count(*) FROM latest": "2", "SELECT count(*) FROM ppc": "5",
		"SELECT count(*) FROM latest WHERE method = 'prior'": "1",
	} {
		if got := f.ask("t.duckdb", query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	rows, notes, err := f.predict("spec.yaml", pipelines.PredictOptions{Only: []string{"sampler=prior"}})
	if err != nil || len(rows) != 25 || !strings.Contains(notes, "prior predictions") {
		t.Errorf("%d lines, notes %q, %v", len(rows), notes, err)
	}
	// priors far from the data give no warning, though all checks fail
	f.write("spec.yaml", strings.NewReplacer(`"normal(0, 2.5)"`, `"normal(50, 0.1)"`).Replace(asked))
	out = f.run(pipelines.RunOptions{})
	if got := f.ask("t.duckdb", "SELECT min(p_value) < 0.01 FROM ppc JOIN latest USING (fit_id) WHERE method = 'prior'"); got != "true" ||
		len(out.Fits[0].Reasons) != 1 {
		t.Errorf("a prior far from the data: p-values below 0.01 %s, reasons %q", got, out.Fits[0].Reasons)
	}
	f.write("spec.yaml", strings.Replace(asked, `"normal(0, 2.5)"`, "flat", 1))
	if out := f.run(pipelines.RunOptions{}); out.Fits[0].Verdict != "error" || !strings.Contains(out.Fits[0].Reasons[0], "the prior of age is improper") {
		t.Errorf("an improper prior: %v", out.Fits[0].Reasons)
	}
}
