package pipelines_test

import (
	"fmt"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// badRoles are models that read column z, each in another role.
var badRoles = map[string]string{
	"predictor": `{formula: y ~ x + z, family: gaussian}`,
	"dropped":   `{formula: y ~ z, family: gaussian, missing: drop}`,
	"response":  `{formula: z ~ x, family: gaussian}`,
	"imputed":   `{formula: y ~ x + z, family: gaussian, missing: impute}`,
	"offset":    `{formula: y ~ x + offset(z), family: gaussian}`,
	"weights":   `{formula: y ~ x, family: gaussian, frequency_weights: z}`,
	"precision": `{formula: y ~ x, family: gaussian, precision_weights: z}`,
	"function":  `{formula: y ~ log(z), family: gaussian}`,
	"factor":    `{formula: y ~ factor(z), family: gaussian}`,
	"trials":    `{formula: n | trials(z) ~ x, family: binomial}`,
	"errors":    `{formula: y | se(z) ~ x, family: gaussian}`,
	"group":     `{formula: y ~ x + (1 | z), family: gaussian}`,
	"mixture":   `{formula: y ~ z, family: gaussian, mixture: {components: 2}}`,
	"classes":   `{formula: "cbind(n, z) ~ 1", mixture: {components: 2}}`,
	"all":       `{formula: y ~ x + ., family: gaussian}`,
}

// badRows are the rows of a table of which the cell of z in line 9 is cell.
func badRows(cell string) string {
	var b strings.Builder
	b.WriteString("y,x,n,z\n")
	for i := range 30 {
		z := fmt.Sprint(2 + i%4)
		if i == 7 {
			z = cell
		}
		fmt.Fprintf(&b, "%d.5,%d,%d,%s\n", i*i%13, i%5, i%2, z)
	}
	return b.String()
}

// A bad cell is an error of each model that reads its column, in whatever role, and of no other: those have the bits that
// they have without it.
func TestBadCellCostsItsModels(t *testing.T) {
	const spec = `
pipeline: test
database: t.duckdb
datasets:
  d: %s
models:
  clean: {formula: y ~ x, family: gaussian}
  without: {formula: y ~ . - z, family: gaussian}
%s
samplers: {s: {method: auto}}
run: {chains: 2, warmup: 20, draws: 40}
gates: {rhat: 10, ess_bulk: 1, ess_tail: 1}
`
	roles := ""
	for name, model := range badRoles {
		roles += fmt.Sprintf("  %s: %s\n", name, model)
	}
	const hashes = "SELECT model, fingerprint FROM fit WHERE model IN ('clean', 'without') ORDER BY ALL"
	f := newFolder(t, fmt.Sprintf(spec, "{path: rows.csv}", ""))
	f.write("rows.csv", badRows("3"))
	f.run(pipelines.RunOptions{})
	want := f.ask("t.duckdb", hashes)
	where := "row 8 (line 9 of rows.csv): "
	const query = `"SELECT * REPLACE (CASE z WHEN 99 THEN 'nan'::DOUBLE ELSE z END AS z) FROM 'rows.csv'"`
	for name, c := range map[string]struct{ source, cell, where string }{
		"NaN":        {"{path: rows.csv}", "NaN", where},
		"infinity":   {"{path: rows.csv}", "inf", where},
		"beyond":     {"{path: rows.csv}", "1e999", where},
		"word":       {"{path: rows.csv}", "oops", where},
		"date":       {"{path: rows.csv}", "2024-01-31", where},
		"forced":     {"{path: rows.csv, types: {z: number}}", "oops", where},
		"query":      {"{sql: " + query + "}", "99", "of the query: NaN is not a finite number"},
		"other file": {`{path: "*.csv"}`, "3", "sother.csv: it is number in rows.csv and text in sother.csv"},
	} {
		t.Run(name, func(t *testing.T) {
			f := folder{t, t.TempDir()}
			f.write("spec.yaml", fmt.Sprintf(spec, c.source, roles))
			f.write("rows.csv", badRows(c.cell))
			if name == "other file" {
				half := strings.SplitAfter(badRows(c.cell), "\n")
				f.write("rows.csv", strings.Join(half[:16], ""))
				f.write("sother.csv", half[0]+strings.ReplaceAll(strings.Join(half[16:], ""), "\n", "u\n"))
			}
			out := f.run(pipelines.RunOptions{})
			if len(out.Fits) != len(badRoles)+2 {
				t.Fatalf("%d fits", len(out.Fits))
			}
			for _, fit := range out.Fits {
				_, reads := badRoles[fit.Model]
				switch {
				case !reads && fit.Verdict != "pass":
					t.Errorf("%s: %s %v", fit.Model, fit.Verdict, fit.Err)
				case reads && (fit.Err == nil || !strings.Contains(fit.Err.Error(), `dataset "d", column "z", `) ||
					!strings.Contains(fit.Err.Error(), c.where)):
					t.Errorf("%s: %s %v", fit.Model, fit.Verdict, fit.Err)
				}
			}
			if got := f.ask("t.duckdb", hashes); name != "query" && got != want {
				t.Errorf("the fits that do not read z: got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// With by: a bad cell is an error of its group, a row without a group is one of the data set, and all other groups are
// fitted, whether rows are plain, grouped or come from a query.
func TestBadCellCostsItsGroup(t *testing.T) {
	var b strings.Builder
	b.WriteString("site,day,y,x\n")
	for i := range 40 {
		site, x := fmt.Sprintf("s%d", i/10), fmt.Sprint(i%7)
		switch i {
		case 13:
			x = "NaN"
		case 25:
			site = ""
		case 38:
			site = "NA"
		}
		fmt.Fprintf(&b, "%s,%d,%d,%s\n", site, i/20, 1+i*i%5, x)
	}
	const query = `"SELECT * REPLACE (x::DOUBLE AS x) FROM read_csv('rows.csv', nullstr = ['', 'NA'])"`
	for name, source := range map[string]string{
		"csv": "{path: rows.csv, by: [site]}", "grouped": "{path: rows.csv, by: [site], rows: grouped}",
		"query": "{sql: " + query + ", by: [site]}",
	} {
		t.Run(name, func(t *testing.T) {
			f := folder{t, t.TempDir()}
			f.write("spec.yaml", strings.Replace(fmt.Sprintf(quick, "d: "+source), "y ~ age", "y ~ x", 1))
			f.write("rows.csv", b.String())
			out := f.run(pipelines.RunOptions{})
			want := "d/s0 computed pass\nd/s1 error error\nd/s2 computed pass\nd/s3 computed pass\nd/ error error"
			if got := actions(out); got != want {
				t.Fatalf("got\n%s\nwant\n%s", got, want)
			}
			cell, lost := out.Fits[1].Err.Error(), out.Fits[4].Err.Error()
			if !strings.Contains(cell, `column "x", row 14`) && name != "query" || !strings.Contains(cell, "is not a finite number") {
				t.Error(cell)
			}
			if !strings.Contains(lost, `dataset "d", column "site", row `) || !strings.Contains(lost, "2 rows have no group") {
				t.Error(lost)
			}
			only := f.run(pipelines.RunOptions{Only: []string{"dataset=d/s0"}})
			if got := actions(only); got != "d/s0 skipped pass" {
				t.Errorf("--only of a group: %s", got)
			}
		})
	}
}
