package pipelines_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// byHand is an effect, and what the mean of a row of it is at a draw: rows are averaged, of conditional effects there is
// one. at is a number of the row of the result.
type byHand struct {
	effect  pipelines.EffectsOptions
	key     string // of the result; empty: its first row
	derived string // a quantity of the spec with the same draws
	of      func(d map[string]float64) float64
}

// compare computes effects and compares their mean, sd and median with those of a function of the draws.
func (f folder) compare(all []byHand) {
	f.t.Helper()
	draws := f.drawn("")
	for _, h := range all {
		var b strings.Builder
		h.effect.Output.Format = "csv"
		if err := pipelines.Effects(f.t.Context(), &b, f.path("spec.yaml"), h.effect); err != nil {
			f.t.Errorf("%+v: %v", h.effect, err)
			continue
		}
		rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
		if err != nil || len(rows) < 2 {
			f.t.Errorf("%+v: %v\n%s", h.effect, err, b.String())
			continue
		}
		row := rows[1]
		for _, r := range rows {
			if h.key != "" && r[0] == h.key {
				row = r
			}
		}
		values := make([]float64, len(draws))
		mean, squares := 0.0, 0.0
		for s, d := range draws {
			values[s] = h.of(d)
			mean += values[s] / float64(len(draws))
		}
		for _, v := range values {
			squares += (v - mean) * (v - mean)
		}
		sd := math.Sqrt(squares / float64(len(draws)-1))
		for i, name := range rows[0] {
			want, known := map[string]float64{"mean": mean, "sd": sd}[name]
			if got := row[i]; known && !(math.Abs(number(f.t, got)-want) <= 1e-11*math.Max(1, math.Abs(want))) {
				f.t.Errorf("%+v %s: %s is %s, by hand %.17g", h.effect, h.key, name, got, want)
			}
		}
		if h.derived != "" {
			got := number(f.t, f.ask("t.duckdb", fmt.Sprintf("SELECT mean FROM summary WHERE name = '%s'", h.derived)))
			if !(math.Abs(got-mean) <= 1e-11*math.Max(1, math.Abs(mean))) {
				f.t.Errorf("%s has the mean %v, by hand %v", h.derived, got, mean)
			}
		}
	}
}

// Effects and averages of a mixture are those of the means of its components by their weights, from the draws: of values
// of a variable, of the rows of the data, of contrasts and of groups; stored ones too.
func TestEffectsOfAMixture(t *testing.T) {
	f := newFolder(t, strings.Replace(fmt.Sprintf(quick, "d: d.csv"), "    formula: y ~ age\n    family: poisson\n",
		"    formula: y ~ x + g\n    family: poisson\n    mixture: {components: 2}\n"+
			"    effects: [{effect: x, average: true, at: {x: [2, 3]}}]\n    derive: {two: average(x = 2)}\n", 1))
	data, rows := "x,g,y\n", []struct {
		x float64
		g string
	}{}
	for i := range 30 {
		rows = append(rows, struct {
			x float64
			g string
		}{float64(i%7) / 3, []string{"a", "b"}[i%2]})
		data += fmt.Sprintf("%v,%s,%d\n", rows[i].x, rows[i].g, (i*3)%5+(i%3)*4)
	}
	f.write("d.csv", data)
	f.run(pipelines.RunOptions{})
	mean := func(d map[string]float64, x float64, g string) float64 {
		total := 0.0
		for k := 1; k <= 2; k++ {
			eta := d[fmt.Sprintf("mu%d_Intercept", k)] + d[fmt.Sprintf("mu%d_x", k)]*x
			if g == "b" {
				eta += d[fmt.Sprintf("mu%d_gb", k)]
			}
			total += d[fmt.Sprintf("theta%d", k)] * math.Exp(eta)
		}
		return total
	}
	averaged := func(d map[string]float64, x float64, only string) float64 {
		sum, n := 0.0, 0.0
		for _, r := range rows {
			if only != "" && r.g != only {
				continue
			}
			at := x
			if math.IsNaN(x) {
				at = r.x
			}
			sum, n = sum+mean(d, at, r.g), n+1
		}
		return sum / n
	}
	f.compare([]byHand{
		{effect: pipelines.EffectsOptions{Effect: "x", At: []string{"x=2", "g=b"}},
			of: func(d map[string]float64) float64 { return mean(d, 2, "b") }},
		{effect: pipelines.EffectsOptions{Effect: "x", At: []string{"x=2"}, Average: true}, derived: "two",
			of: func(d map[string]float64) float64 { return averaged(d, 2, "") }},
		{effect: pipelines.EffectsOptions{Average: true, By: []string{"g"}}, key: "b",
			of: func(d map[string]float64) float64 { return averaged(d, math.NaN(), "b") }},
		{effect: pipelines.EffectsOptions{Effect: "x", At: []string{"x=1,2"}, Average: true, Contrast: "reference", As: "ratio"},
			of: func(d map[string]float64) float64 { return averaged(d, 2, "") / averaged(d, 1, "") }},
	})
	if got := f.ask("t.duckdb", "SELECT count(*), max(abs(e.mean - s.mean)) FILTER (e.x = 2) < 1e-11 FROM effects e, summary s WHERE s.name = 'two'"); got != "2,true" {
		t.Errorf("stored effects are not those of average(): %s", got)
	}
	err := pipelines.Effects(t.Context(), &strings.Builder{}, f.path("spec.yaml"), pipelines.EffectsOptions{Effect: "x", Scale: "link"})
	if err == nil || !strings.Contains(err.Error(), "a linear predictor for each of its components") {
		t.Errorf("on the scale of the link: %v", err)
	}
}

// gapRows are rows with missing cells by hand: gapped() with counts as responses, so that the link is no line.
type gapRows struct {
	t     *testing.T
	table []string
}

func newGapRows(t *testing.T) *gapRows {
	r := &gapRows{t, strings.Split(strings.TrimSpace(gapped()), "\n")}
	for i, line := range r.table[1:] {
		cells := strings.Split(line, ",")
		if cells[4] != "NA" {
			cells[4] = fmt.Sprintf("%.0f", number(t, cells[4]))
		}
		r.table[i+1] = strings.Join(cells, ",")
	}
	return r
}

func (r *gapRows) text() string { return strings.Join(r.table, "\n") + "\n" }

// gapSpec is a spec of them with more keys of the model.
func gapSpec(more string) string {
	return strings.Replace(fmt.Sprintf(quick, "d: d.csv"), "    formula: y ~ age\n    family: poisson\n"+
		"    standardize: center_scale\n    prior: {coefficients: \"normal(0, 2.5)\", intercept: \"normal(0, 10)\"}\n",
		"    formula: y ~ log(x)*z + g + two + log(x):two\n    family: poisson\n    missing: impute\n"+
			"    standardize: center_scale\n    prior: {coefficients: \"normal(0, 0.5)\", intercept: \"normal(0, 2)\"}\n"+
			"    imputation: {x: {formula: log(x) ~ z}}\n"+more, 1)
}

// gapRow is a row at a draw.
type gapRow struct {
	x, two, z float64
	g         string
}

func (v gapRow) mean(d map[string]float64) float64 {
	return math.Exp(d["(Intercept)"] + d["log(x)"]*math.Log(v.x) + d["z"]*v.z + d["log(x):z"]*math.Log(v.x)*v.z +
		d["two"]*v.two + d["g"+v.g] + d["log(x):two"]*math.Log(v.x)*v.two)
}

// row is row i, from 1, with the cells of a draw.
func (r *gapRows) row(i int, d map[string]float64) gapRow {
	cells := strings.Split(r.table[i], ",")
	at := func(column int, name string, add float64) float64 {
		if cells[column] == "NA" {
			return d[fmt.Sprintf("Ymi_%s[%d]", name, i)] + add
		}
		return number(r.t, cells[column])
	}
	v := gapRow{at(0, "x", 0), at(2, "two", 1), at(3, "z", 0), cells[1]}
	for _, level := range []string{"a", "b", "c"} {
		if v.g == "NA" && d[fmt.Sprintf("Ymi_g[%d,%s]", i, level)] == 1 {
			v.g = level
		}
	}
	return v
}

// averaged is the mean over the rows that are chosen, all where which is nil, with columns set.
func (r *gapRows) averaged(which func(v gapRow) bool, set func(v *gapRow)) func(d map[string]float64) float64 {
	return func(d map[string]float64) float64 {
		sum, n := 0.0, 0.0
		for i := 1; i < len(r.table); i++ {
			v := r.row(i, d)
			if which == nil || which(v) {
				set(&v)
				sum, n = sum+v.mean(d), n+1
			}
		}
		return sum / n
	}
}

// observed is the mean of the observed cells of a column.
func (r *gapRows) observed(column int) float64 {
	sum, n := 0.0, 0.0
	for _, line := range r.table[1:] {
		if cell := strings.Split(line, ",")[column]; cell != "NA" {
			sum, n = sum+number(r.t, cell), n+1
		}
	}
	return sum / n
}

// Effects and averages over rows with missing cells have, at each draw, the cells of that draw: of complete columns, of
// a logarithm, of levels, of 1 and 2, and of a column that is itself set or moved, of which no cell is left or all are
// moved. Rows without a response count too.
func TestEffectsOfMissingCells(t *testing.T) {
	r := newGapRows(t)
	f := newFolder(t, gapSpec("    derive: {plain: average(), of: average(z = 2), "+
		"ratio: \"average(two = 2) / average(two = 1)\"}\n"))
	f.write("d.csv", r.text())
	f.run(pipelines.RunOptions{})
	between := func(a, b func(v *gapRow), of func(x, y float64) float64) func(d map[string]float64) float64 {
		return func(d map[string]float64) float64 { return of(r.averaged(nil, a)(d), r.averaged(nil, b)(d)) }
	}
	minus, over := func(x, y float64) float64 { return y - x }, func(x, y float64) float64 { return y / x }
	none, x := func(*gapRow) {}, func(x float64) func(v *gapRow) { return func(v *gapRow) { v.x = x } }
	two := func(x float64) func(v *gapRow) { return func(v *gapRow) { v.two = x } }
	g := func(level string) func(v *gapRow) { return func(v *gapRow) { v.g = level } }
	type o = pipelines.EffectsOptions
	f.compare([]byHand{
		{effect: o{Average: true}, derived: "plain", of: r.averaged(nil, none)},
		{effect: o{Effect: "z", At: []string{"z=2"}, Average: true}, derived: "of", of: r.averaged(nil, func(v *gapRow) { v.z = 2 })},
		{effect: o{Effect: "x", At: []string{"x=3"}, Average: true}, of: r.averaged(nil, x(3))},
		{effect: o{Effect: "x", At: []string{"x=2,3"}, Average: true, Contrast: "reference"}, of: between(x(2), x(3), minus)},
		{effect: o{Effect: "x", Average: true, Contrast: "reference", Step: 0.5},
			of: between(none, func(v *gapRow) { v.x += 0.5 }, minus)},
		{effect: o{Effect: "z", Average: true, Contrast: "reference"}, of: between(none, func(v *gapRow) { v.z++ }, minus)},
		{effect: o{Effect: "g", Average: true, Contrast: "reference", As: "ratio"}, key: "c / a", of: between(g("a"), g("c"), over)},
		{effect: o{Effect: "two", Average: true, Contrast: "reference", As: "ratio"}, derived: "ratio",
			of: between(two(1), two(2), over)},
		{effect: o{Average: true, By: []string{"z"}}, key: "2",
			of: r.averaged(func(v gapRow) bool { return v.z == 2 }, none)},
		{effect: o{Effect: "x", At: []string{"x=3", "z=1", "g=b", "two=2"}},
			of: func(d map[string]float64) float64 { return gapRow{3, 2, 1, "b"}.mean(d) }},
		{effect: o{Effect: "z", At: []string{"z=1"}}, // others at the means of observed cells
			of: func(d map[string]float64) float64 { return gapRow{r.observed(0), r.observed(2), 1, "a"}.mean(d) }},
	})
}

// Stored effects of missing cells are those of average(), also for draws that were stored before. Groups that a
// missing cell decides, and data whose missing cells are others, are refused.
func TestEffectsOfMissingCellsStored(t *testing.T) {
	const asked = "    effects: [{effect: z, average: true, at: {z: [2, 3]}}]\n    derive: {of: average(z = 2)}\n"
	r := newGapRows(t)
	f := newFolder(t, gapSpec(asked))
	f.write("d.csv", r.text())
	f.run(pipelines.RunOptions{})
	if got := f.ask("t.duckdb", "SELECT count(*), max(abs(e.mean - s.mean)) FILTER (e.x = 2) < 1e-11 FROM effects e, summary s "+
		"WHERE s.name = 'of'"); got != "2,true" {
		t.Errorf("stored effects are not those of average(): %s", got)
	}
	const sums = "SELECT name, round(mean, 9), round(sd, 9) FROM summary WHERE kind = 'derived' ORDER BY name"
	first := f.ask("t.duckdb", sums)
	f.write("spec.yaml", gapSpec(""))
	f.run(pipelines.RunOptions{})
	f.write("spec.yaml", gapSpec(asked))
	if got := actions(f.run(pipelines.RunOptions{})); strings.Contains(got, "computed") {
		t.Errorf("quantities of stored draws: %s", got)
	}
	if again := f.ask("t.duckdb", sums); again != first || first == "" {
		t.Errorf("from stored draws\n%s\nwith them\n%s", again, first)
	}
	for _, refused := range []struct{ by, want string }{{"g", "g misses cells"}, {"z", "run the pipeline again"}} {
		o := pipelines.EffectsOptions{Average: true, By: []string{refused.by}}
		err := pipelines.Effects(t.Context(), &strings.Builder{}, f.path("spec.yaml"), o)
		if err == nil || !strings.Contains(err.Error(), refused.want) {
			t.Errorf("%v, want %q", err, refused.want)
		}
		r.table[1], r.table[2] = r.table[2], r.table[1] // as many cells are missing, in other rows
		f.write("d.csv", r.text())
	}
}
