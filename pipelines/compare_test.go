package pipelines_test

import (
	"fmt"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// Replicates leave the fit itself alone: it is skipped, its bits stay, and the
// views of plain fits do not see them. Each has draws of its own, the same ones
// in every run.
func TestReplicates(t *testing.T) {
	plain := fmt.Sprintf(quick, "c: {path: claims.csv, by: [region]}")
	f := newFolder(t, plain)
	only := pipelines.RunOptions{Only: []string{"dataset=c/north"}}
	f.run(only)
	before := f.ask("t.duckdb", bits)
	f.write("spec.yaml", strings.Replace(plain, "chains: 3,", "chains: 3, replicates: 3,", 1))
	out := f.run(only)
	if got := actions(out); got != "c/north skipped pass\nc/north computed pass\nc/north computed pass" {
		t.Errorf("actions:\n%s", got)
	}
	if names := out.Fits[0].Name() + ", " + out.Fits[2].Name(); names != "c/north × m × gibbs, c/north × m × gibbs #3" {
		t.Errorf("names: %s", names)
	}
	for query, want := range map[string]string{
		"SELECT count(*) FROM latest":                                       "1",
		"SELECT string_agg(replicate ORDER BY replicate) FROM replicates":   "\"1,2,3\"",
		"SELECT string_agg(kept ORDER BY replicate) FROM fit":               "\"draws,summary,summary\"",
		"SELECT count(DISTINCT mean) FROM summary WHERE name = 'age'":       "3",
		"SELECT count(DISTINCT fit_id) FROM draw":                           "1",
		"SELECT count(*) FROM fit WHERE replicate IS NULL OR replicate < 1": "0",
	} {
		if got := f.ask("t.duckdb", query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if after := f.ask("t.duckdb", strings.ReplaceAll(bits, "JOIN fit f USING (fit_id)", "JOIN fit f USING (fit_id) WHERE f.replicate = 1")); after != before {
		t.Errorf("the bits of the fit itself: %s, were %s", after, before)
	}
	digest := "SELECT string_agg(mean ORDER BY f.replicate, s.name) FROM summary s JOIN fit f USING (fit_id) WHERE s.name = 'age'"
	only.Workers, only.Database = 2, f.path("two.duckdb")
	f.run(only)
	if one, two := f.ask("t.duckdb", digest), f.ask("two.duckdb", digest); one != two {
		t.Errorf("replicates have the means %s in one run and %s in another", one, two)
	}
	if got := actions(f.run(only)); got != strings.TrimSpace(strings.Repeat("c/north skipped pass\n", 3)) {
		t.Errorf("the second run: %s", got)
	}
}

// Condition numbers at the mode and from draws are those of one posterior, which
// is nearly normal here, and the best diagonal leaves no more than the others.
// False alarms: none, the seed is fixed; a tenth is far beyond the error of 4,500
// draws.
func TestConditionNumbers(t *testing.T) {
	spec := fmt.Sprintf(quick, "c: {path: claims.csv, by: [region]}")
	spec = strings.Replace(spec, "chains: 3, warmup: 20, draws: 60", "chains: 3, warmup: 100, draws: 1500, condition: true", 1)
	f := newFolder(t, spec)
	f.run(pipelines.RunOptions{Only: []string{"dataset=c/north"}})
	value := func(name string) string {
		return "(SELECT value FROM diagnostic JOIN latest USING (fit_id) WHERE name = 'condition_" + name + "')"
	}
	for _, kind := range []string{"raw", "correlation", "residual"} {
		if got := f.ask("t.duckdb", "SELECT abs(ln("+value(kind+"_mode")+"/"+value(kind+"_draws")+")) < 0.15"); got != "true" {
			t.Errorf("%s: at the mode %s, from draws %s", kind, f.ask("t.duckdb", "SELECT "+value(kind+"_mode")), f.ask("t.duckdb", "SELECT "+value(kind+"_draws")))
		}
	}
	if got := f.ask("t.duckdb", "SELECT "+value("raw_mode")+" > 1.1, "+value("residual_mode")+" <= "+value("correlation_mode")+", "+value("residual_mode")+" > 1"); got != "true,true,true" {
		t.Errorf("raw above 1.1, residual at most correlation, residual above 1: %s", got)
	}
}
