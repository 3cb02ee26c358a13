package pipelines_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// incomplete are 40 rows of which every fifth misses x, every eighth the response, and every tenth g.
func incomplete() string {
	var b strings.Builder
	b.WriteString("g,x,y\n")
	for i := range 40 {
		x, y := fmt.Sprint((i*7)%11), fmt.Sprint((i*7)%11+(i*3)%5)
		if i%5 == 0 {
			x = "NA"
		}
		if i%8 == 1 {
			y = "NA"
		}
		g := []string{"a", "b", "c"}[i%3]
		if i%10 == 3 {
			g = "NA"
		}
		fmt.Fprintf(&b, "%s,%s,%s\n", g, x, y)
	}
	return b.String()
}

// A fit with missing cells has the same bits in any number of workers, a second run skips it, every cell and
// response is in the view imputed, and a feature that needs complete data reports that.
func TestMissingCells(t *testing.T) {
	var sums []string
	for _, workers := range []int{1, 3} {
		f := newFolder(t, strings.Replace(fmt.Sprintf(quick, "d: d.csv"), "    formula: y ~ age\n    family: poisson\n",
			"    formula: y ~ x + g\n    family: gaussian\n    missing: impute\n", 1))
		f.write("d.csv", incomplete())
		f.run(pipelines.RunOptions{Workers: workers})
		sums = append(sums, f.ask("t.duckdb", "SELECT count(*), sum(hash(value)) FROM draws"))
		if got := actions(f.run(pipelines.RunOptions{})); strings.Contains(got, "computed") {
			t.Errorf("a second run has %s", got)
		}
		want := "g,12,4,34\nx,8,1,36\ny,5,2,34"
		if got := f.ask("t.duckdb", "SELECT variable, count(*), min(row), max(row) FROM imputed GROUP BY ALL ORDER BY ALL"); got != want {
			t.Errorf("imputed has %s, want %s", got, want)
		}
		const total = "SELECT count(*), max(abs(total - 1)) < 1e-9 FROM (SELECT sum(mean) AS total FROM imputed " +
			"WHERE level IS NOT NULL GROUP BY row HAVING count(*) = 3)"
		if got := f.ask("t.duckdb", total); got != "4,true" {
			t.Errorf("cells with levels, and whether these have probabilities that add up to 1: %s", got)
		}
		f.binsOfCells()
		_, _, predicted := f.predict("spec.yaml", pipelines.PredictOptions{})
		f.refusesOwnRows("has missing cells that were drawn", map[string]error{"predict": predicted})
		f.write("new.csv", "g,x\na,2\n")
		if _, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Data: f.path("new.csv")}); err != nil {
			t.Errorf("predict of complete rows: %v", err)
		}
	}
	if sums[0] != sums[1] || sums[0] == "" {
		t.Errorf("draws of one worker %s, of three %s", sums[0], sums[1])
	}
}

// Data in which responses alone are missing are incomplete too: explain says so, and check simulates them.
func TestMissingResponsesAlone(t *testing.T) {
	f := newFolder(t, strings.Replace(fmt.Sprintf(quick, "d: d.csv"), "    formula: y ~ age\n    family: poisson\n",
		"    formula: y ~ age\n    family: poisson\n    missing: impute\n", 1))
	f.write("d.csv", "y,age\n1,20\nNA,30\n2,40\n0,25\n3,50\n")
	texts, err := pipelines.Explain(t.Context(), f.path("spec.yaml"), pipelines.Overrides{}, nil, "text")
	if err != nil || !strings.Contains(strings.Join(texts, ""), "missing cells\n  1 missing responses are predicted") {
		t.Errorf("%v, %s", err, texts)
	}
	checked, err := pipelines.Check(t.Context(), f.path("spec.yaml"), pipelines.CheckOptions{Simulations: 20})
	if err != nil || checked.ExitCode != 0 || checked.Fits[0].Ranked != 20 {
		t.Errorf("check: %v, %+v", err, checked.Fits[0])
	}
}

// refusesOwnRows checks that verbs refuse the rows of the only fit.
func (f folder) refusesOwnRows(want string, verbs map[string]error) {
	f.t.Helper()
	for verb, err := range verbs {
		if err == nil || !strings.Contains(err.Error(), want) {
			f.t.Errorf("%s: %v, want %q", verb, err, want)
		}
	}
}

// binsOfCells checks the classes of incomplete columns against draws, cells and the data, counted in SQL.
func (f folder) binsOfCells() {
	f.t.Helper()
	want := "g,g ~ 1,multinomial,false,36,4\nx,x ~ g,negative_binomial,false,32,8\ny,y ~ x + g,gaussian,true,35,5"
	if got := f.ask("t.duckdb", "SELECT variable, formula, family, response, observed, missing FROM incomplete_columns"); got != want {
		f.t.Errorf("incomplete_columns has\n%s\nwant\n%s", got, want)
	}
	seen := ""
	for x := range 11 {
		n := 0
		for i := range 40 {
			if i%5 != 0 && (i*7)%11 == x {
				n++
			}
		}
		seen += fmt.Sprint(n, " ")
	}
	for _, c := range []struct{ query, want string }{
		{"SELECT count(*), max(abs(b.mean - s.mean)) < 1e-9 FROM imputed_bin b JOIN (SELECT level, sum(mean) AS mean FROM imputed " +
			"WHERE variable = 'g' GROUP BY level) s USING (level)", "3,true"},
		{"SELECT count(*) > 9, max(abs(mean - drawn)) < 1e-9, min(q025) >= 0, max(q975) <= 8 FROM (SELECT mean, q025, q975, " +
			"(SELECT count(*) FROM draws WHERE parameter LIKE 'Ymi_' || variable || '[%' AND (low IS NULL OR value >= low) AND " +
			"(high IS NULL OR value < high)) / (SELECT count(*) FROM draws WHERE parameter = 'sigma') AS drawn FROM imputed_bin " +
			"WHERE level IS NULL)", "true,true,true,true"},
		{"SELECT variable, sum(observed), round(sum(mean), 9) FROM imputed_bin GROUP BY ALL ORDER BY ALL",
			"g,36,4\nx,32,8\ny,35,5"},
		{"SELECT string_agg(observed, ' ' ORDER BY bin) FROM imputed_bin WHERE variable = 'x' AND low BETWEEN 0 AND 10",
			strings.TrimSuffix(seen, " ")}} {
		if got := f.ask("t.duckdb", c.query); got != c.want {
			f.t.Errorf("%s\nis %s, want %s", c.query, got, c.want)
		}
	}
}

// No chain starts the model of a column of counts at a draw from its prior: the last of four drew cells of 1e30, and
// stayed there.
func TestMissingCountsStartNearTheData(t *testing.T) {
	f := newFolder(t, strings.Replace(fmt.Sprintf(quick, "d: d.csv"), "    formula: y ~ age\n    family: poisson\n"+
		"    standardize: center_scale\n    prior: {coefficients: \"normal(0, 2.5)\", intercept: \"normal(0, 10)\"}\n",
		"    formula: Ozone ~ Solar.R + Wind + Temp\n    family: gaussian\n    missing: impute\n", 1))
	table, err := os.ReadFile("../testdata/classic/airquality.csv")
	must(t, err)
	f.write("d.csv", string(table))
	f.run(pipelines.RunOptions{})
	const query = "SELECT count(*), max(mean) < 1000, max(rhat) < 1.2 FROM imputed WHERE variable = 'Solar.R'"
	if got := f.ask("t.duckdb", query); got != "7,true,true" {
		t.Errorf("missing sunshine, whether all below 1000, and mixed: %s", got)
	}
}
