package pipelines_test

import (
	"fmt"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

const parts = "SELECT variable, level, statistic, rows, observed, q05, q95, expected FROM ppc_group UNION ALL SELECT variable, bin::VARCHAR, " +
	"'over', rows, observed, y05, y95, outside FROM ppc_over UNION ALL SELECT expression, '', statistic, replicates, observed, q025, q975, p_value " +
	"FROM ppc WHERE expression IS NOT NULL ORDER BY ALL"

// Checks by a column that the model does not read, over a number and of a statistic are the same at fit time and
// later, from the kept draws; nothing is drawn again, nor a third time. A missing column is reported.
func TestChecksOfParts(t *testing.T) {
	plain := strings.Replace(fmt.Sprintf(quick, "claims: {sql: \"SELECT * FROM read_csv('claims.csv') WHERE region <> 'south' ORDER BY ALL\"}"),
		"draws: 60}", "draws: 60, ppc: true}", 1)
	asked := strings.Replace(plain, "ppc: true", "ppc: {by: [region, none], over: age, statistics: {two: \"mean(y > 2)\"}}", 1)
	at := newFolder(t, asked)
	t.Chdir(at.dir)
	now := at.run(pipelines.RunOptions{Workers: 1})
	want := at.ask("t.duckdb", parts)
	for _, part := range []string{"region,north,mean,", "region,west,zeros,", "age,1,over,", "mean(y > 2),,two,"} {
		if !strings.Contains(want, part) {
			t.Errorf("there is no %q:\n%s", part, want)
		}
	}
	if words := strings.Join(now.Fits[0].Reasons, "\n"); !strings.Contains(words, `predictive checks: the data have no column "none"`) {
		t.Errorf("%s: %s", now.Fits[0].Verdict, words)
	}

	later := newFolder(t, plain)
	t.Chdir(later.dir)
	later.run(pipelines.RunOptions{})
	if got := later.ask("t.duckdb", parts); got != "" {
		t.Errorf("nobody asked for them:\n%s", got)
	}
	draws := later.ask("t.duckdb", bits)
	later.write("spec.yaml", asked)
	later.run(pipelines.RunOptions{Workers: 16})
	if got := later.ask("t.duckdb", parts); got != want {
		t.Errorf("later:\n%s\nat fit time:\n%s", got, want)
	}
	if got := later.ask("t.duckdb", bits); got != draws {
		t.Error("the draws have changed")
	}
	if out := later.run(pipelines.RunOptions{}); out.Fits[0].Action != pipelines.Skipped {
		t.Errorf("a third run %s it", out.Fits[0].Action)
	}
	later.write("spec.yaml", strings.Replace(asked, "[region, none]", "[region, none, age]", 1))
	later.run(pipelines.RunOptions{})
	if got := later.ask("t.duckdb", "SELECT count(DISTINCT variable) FROM ppc_group"); got != "2" {
		t.Errorf("checks are by %s columns, want region and age", got)
	}
	if got := later.ask("t.duckdb", "SELECT count(*) FROM ppc"); got != "6" {
		t.Errorf("%s checks, want mean, sd, min, max, zeros and the spec's", got)
	}
}
