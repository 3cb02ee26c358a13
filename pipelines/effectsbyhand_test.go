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

// compare computes effects and sets their mean, sd and median beside those of a function of the draws.
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
