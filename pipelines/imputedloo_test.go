package pipelines_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// gapped are 40 rows with missing cells of a positive number, of text of three values, of 1 and 2, and of the response.
func gapped() string {
	var b strings.Builder
	b.WriteString("x,g,two,z,y\n")
	for i := range 40 {
		x := 1 + float64((i*7)%11)/2
		cells := []string{fmt.Sprint(x), []string{"a", "b", "c"}[i%3], fmt.Sprint(1 + i%2), fmt.Sprint((i * 5) % 7),
			fmt.Sprintf("%.2f", 3*math.Log(x)+float64((i*3)%5)+float64(i%2))}
		for column, every := range []int{5, 10, 7, 0, 8} {
			if every > 0 && i%every == column {
				cells[column] = "NA"
			}
		}
		b.WriteString(strings.Join(cells, ",") + "\n")
	}
	return b.String()
}

// asked are rows of a query on the folder's ledger.
func (f folder) asked(query string) [][]string {
	f.t.Helper()
	rows, err := csv.NewReader(strings.NewReader(f.ask("t.duckdb", query))).ReadAll()
	must(f.t, err)
	return rows
}

// drawn are all draws of a fit, chain after chain, by the names of their parameters. which narrows the fits of the ledger.
func (f folder) drawn(which string) (draws []map[string]float64) {
	f.t.Helper()
	last := ""
	for _, row := range f.asked("SELECT chain, iteration, parameter, value FROM draws " + which + " ORDER BY ALL") {
		if at := row[0] + "/" + row[1]; at != last {
			draws, last = append(draws, map[string]float64{}), at
		}
		draws[len(draws)-1][row[2]], _ = strconv.ParseFloat(row[3], 64)
	}
	return draws
}

// waicByHand is elpd_waic of each row with a response, of draws with the cells of their own. offset is the rest of
// the linear predictor of a row; nil means 0.
func waicByHand(f folder, table string, beside func(row int, z float64, d map[string]float64) float64) (out []float64) {
	draws := f.drawn("")
	for i, line := range strings.Split(strings.TrimSpace(table), "\n")[1:] {
		cells := strings.Split(line, ",")
		if cells[4] == "NA" {
			continue
		}
		number := func(column int, name string, d map[string]float64, add float64) float64 {
			if cells[column] == "NA" {
				return d[fmt.Sprintf("Ymi_%s[%d]", name, i+1)] + add
			}
			v, _ := strconv.ParseFloat(cells[column], 64)
			return v
		}
		is := func(level string, d map[string]float64) float64 {
			if cells[1] == "NA" {
				return d[fmt.Sprintf("Ymi_g[%d,%s]", i+1, level)]
			}
			return map[bool]float64{true: 1}[cells[1] == level]
		}
		sum, mean, squares := 0.0, 0.0, 0.0
		lik := make([]float64, len(draws))
		for s, d := range draws {
			z, x := number(3, "z", d, 0), number(0, "x", d, 0)
			eta := d["(Intercept)"] + d["log(x)"]*math.Log(x) + d["gb"]*is("b", d) + d["gc"]*is("c", d) +
				d["two"]*number(2, "two", d, 1) + d["z"]*z + d["log(x):z"]*math.Log(x)*z
			if beside != nil {
				eta += beside(i, z, d)
			}
			r := (number(4, "y", d, 0) - eta) / d["sigma"]
			lik[s] = -0.5*r*r - math.Log(d["sigma"]) - 0.5*math.Log(2*math.Pi)
			sum += math.Exp(lik[s])
			mean += lik[s] / float64(len(draws))
		}
		for _, l := range lik {
			squares += (l - mean) * (l - mean)
		}
		out = append(out, math.Log(sum/float64(len(draws)))-squares/float64(len(draws)-1))
	}
	return out
}

// Pointwise densities of a fit with missing cells are those of the cells of each draw, whether they are asked for before
// the draws or after; so are replicated data.
func TestMissingCellsRowByRow(t *testing.T) {
	rowByRow(t, "y ~ log(x)*z + g + two", gapped(), nil)
}

// rowByRow compares pointwise densities with waicByHand.
func rowByRow(t *testing.T, formula, table string, beside func(row int, z float64, d map[string]float64) float64) {
	t.Helper()
	spec := strings.Replace(fmt.Sprintf(quick, "d: d.csv"), "    formula: y ~ age\n    family: poisson\n",
		"    formula: "+formula+"\n    family: gaussian\n    missing: impute\n"+
			"    imputation: {x: {formula: log(x) ~ z}}\n", 1)
	with := strings.Replace(spec, "draws: 60}", "draws: 60, loo: true, ppc: {by: [g], over: [x]}}", 1)
	var all []string
	for _, first := range []string{with, spec} {
		f := newFolder(t, first)
		f.write("d.csv", table)
		f.run(pipelines.RunOptions{})
		f.write("spec.yaml", with)
		if got := actions(f.run(pipelines.RunOptions{})); strings.Contains(got, "computed") {
			t.Errorf("the second run has %s", got)
		}
		if got := f.ask("t.duckdb", "SELECT level, observed FROM imputed_bin WHERE variable = 'two' ORDER BY bin"); got != "1,17\n2,17" {
			t.Errorf("of the column of 1 and 2 these are observed: %s", got)
		}
		want, rows := waicByHand(f, table, beside), f.asked("SELECT elpd_waic FROM pointwise ORDER BY observation")
		if len(rows) != len(want) || len(want) != 35 {
			t.Fatalf("%d rows, want %d", len(rows), len(want))
		}
		for i, row := range rows {
			if got, _ := strconv.ParseFloat(row[0], 64); math.Abs(got-want[i]) > 1e-6 {
				t.Errorf("row %d: elpd_waic %v, by hand %.8f", i+1, row[0], want[i])
			}
		}
		all = append(all, f.ask("t.duckdb", "SELECT observation, round(elpd_loo, 9), round(pareto_k, 6) FROM pointwise ORDER BY ALL")+
			f.ask("t.duckdb", "SELECT statistic, round(p_value, 6), round(mean, 6) FROM ppc ORDER BY ALL"))
	}
	if all[0] != all[1] {
		t.Errorf("with the draws:\n%s\nafter them:\n%s", all[0], all[1])
	}
}
