package pipelines_test

import (
	"fmt"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// grouping adds a column h of five levels to a table; no row of the last one has a response.
func grouping(table string) string {
	lines := strings.Split(strings.TrimSpace(table), "\n")
	lines[0] += ",h"
	for i := range lines[1:] {
		level := i % 4
		if strings.HasSuffix(lines[i+1], ",NA") {
			level = 4
		}
		lines[i+1] += fmt.Sprint(",h", level)
	}
	return strings.Join(lines, "\n") + "\n"
}

const groupsOfGaps = "    formula: y ~ log(x)*z + g + two + (1 + z | h)\n    family: gaussian\n    missing: impute\n" +
	"    imputation: {x: {formula: log(x) ~ z}}\n" +
	"    derive: {level: \"`(Intercept)` + LEVEL\", share: \"sd_h__Intercept^2 / (sd_h__Intercept^2 + sigma^2)\"}\n"

// Fits with missing cells and group-level effects have the same bits in any number of workers; cells and effects
// are in their views, and summaries of effects are the same if their draws are not kept.
func TestMissingCellsInGroups(t *testing.T) {
	source := strings.Replace(fmt.Sprintf(quick, "d: d.csv"), "    formula: y ~ age\n    family: poisson\n", groupsOfGaps, 1)
	var draws, effects []string
	for _, c := range []struct {
		workers int
		run     string
	}{{1, ""}, {3, ""}, {2, ", keep: {groups: summary}"}} {
		level := map[bool]string{true: "z", false: "`r_h[h1,Intercept]`"}[c.run != ""] // what is not kept is not derived from
		f := newFolder(t, strings.NewReplacer("draws: 60}", "draws: 60"+c.run+"}", "LEVEL", level).Replace(source))
		f.write("d.csv", grouping(gapped()))
		f.run(pipelines.RunOptions{Workers: c.workers})
		draws = append(draws, f.ask("t.duckdb", "SELECT count(*), sum(hash(value)) FROM draws WHERE parameter <> 'level' AND parameter NOT LIKE 'r\\_%' ESCAPE '\\'"))
		effects = append(effects, f.ask("t.duckdb", "SELECT count(*), count(DISTINCT level), sum(hash(mean)), sum(hash(ess_bulk)) FROM group_effects"))
		kept := map[bool]string{true: "0", false: fmt.Sprint(10 * 180)}[c.run != ""]
		if got := f.ask("t.duckdb", "SELECT count(*) FROM draws WHERE parameter LIKE 'r\\_%' ESCAPE '\\'"); got != kept {
			t.Errorf("%s draws of effects, want %s", got, kept)
		}
		for query, want := range map[string]string{
			"SELECT variable, count(DISTINCT row) FROM imputed GROUP BY ALL ORDER BY ALL": "g,4\ntwo,6\nx,8\ny,5",
			"SELECT grouping, term, levels FROM variance_components ORDER BY ALL":         "h,Intercept,5\nh,z,5",
			"SELECT kind, count(*), count(prior) FROM parameter WHERE kind LIKE 'imp%' GROUP BY ALL ORDER BY ALL": "imputation,11,11\n" +
				"imputed,31,0",
			"SELECT count(*) FROM summary WHERE name IN ('level', 'share')":                     "2",
			"SELECT prior FROM parameter WHERE name = 'r_h[h4,z]'":                              "\"multivariate normal of Intercept, z\"",
			"SELECT starts_with(prior, 'half_student_t') FROM parameter WHERE name = 'sd_h__z'": "true",
		} {
			if got := f.ask("t.duckdb", query); got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
		f.write("new.csv", "g,x,two,z,h\na,2,1,3,h4\n")
		if _, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Data: f.path("new.csv")}); (err != nil) != (c.run != "") {
			t.Errorf("predict of complete rows: %v", err)
		}
	}
	for i := range draws {
		if draws[i] != draws[0] || effects[i] != effects[0] {
			t.Errorf("draws and effects are %s and %s, want %s and %s", draws[i], effects[i], draws[0], effects[0])
		}
	}
	if !strings.HasPrefix(effects[0], "10,5,") {
		t.Errorf("group_effects has %s", effects[0])
	}
}

// Pointwise densities are of the cells and the effects of the same draw.
func TestMissingCellsInGroupsRowByRow(t *testing.T) {
	table := grouping(gapped())
	lines := strings.Split(strings.TrimSpace(table), "\n")[1:]
	rowByRow(t, "y ~ log(x)*z + g + two + (1 + z | h)", table, func(row int, z float64, d map[string]float64) float64 {
		level := lines[row][strings.LastIndex(lines[row], ",")+1:]
		return d["r_h["+level+",Intercept]"] + z*d["r_h["+level+",z]"]
	})
}
