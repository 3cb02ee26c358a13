package pipelines_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"glmbatch/internal/netcdf/netcdftest"
	"glmbatch/pipelines"
)

const observedSpec = `
pipeline: observed
database: t.duckdb
seed: 7
datasets: {trials: {path: trials.csv}}
models:
  m: {formula: "cbind(won, lost) ~ x + (1 | g)", family: binomial, missing: drop}
  w: {formula: "y ~ x", family: poisson, frequency_weights: n, missing: drop}
samplers: {nuts: {method: nuts}}
run: {chains: 2, warmup: 100, draws: 50}
gates: {rhat: 10, ess_bulk: 1, ess_tail: 1}
`

// observedRows has a row without x, the third.
const observedRows = "won,lost,x,g,y,n\n1,4,0.1,a,2,1\n2,2,0.4,a,1,2\n0,3,,b,4,1\n3,1,0.7,b,0,1\n2,5,0.2,c,3,1\n4,1,0.9,c,1,3\n"

// exported is the file of one model, and its description.
func (f folder) exported(target, model string) (*netcdftest.File, pipelines.Exported) {
	f.t.Helper()
	o := pipelines.ExportOptions{Only: []string{"model=" + model}, Layout: "netcdf", Dir: f.path("out")}
	if target == "" {
		o.Database = f.path("t.duckdb")
	}
	out, err := pipelines.Export(f.t.Context(), target, o)
	if err != nil || len(out) != 1 || len(out[0].Files) != 1 {
		f.t.Fatalf("%+v, %v", out, err)
	}
	b, err := os.ReadFile(out[0].Files[0])
	must(f.t, err)
	return netcdftest.Read(b), out[0]
}

// With a spec a file for ArviZ has the observations: their log likelihoods add up to that of each draw, and responses
// are those of predict. Without one, with other data, or where a row counts several times it has none, and says so.
func TestExportedObservations(t *testing.T) {
	f := newFolder(t, observedSpec)
	f.write("trials.csv", observedRows)
	if out := f.run(pipelines.RunOptions{}); out.ExitCode != 0 {
		t.Fatalf("exit code %d:\n%s%v", out.ExitCode, actions(out), out.Fits[len(out.Fits)-1].Reasons)
	}
	spec := f.path("spec.yaml")
	file, said := f.exported(spec, "m")
	if said.Note != "" || len(file.Groups) != 6 {
		t.Errorf("%+v, groups %v", said, file.Groups)
	}
	if got := fmt.Sprint(file.Arrays["observed_data/y"].Values, file.Arrays["constant_data/trials"].Values, file.Arrays["log_likelihood/row"].Values); got != "[1 2 3 2 4] [5 4 4 7 5] [1 2 4 5 6]" {
		t.Errorf("responses, trials and rows are %s", got)
	}
	logLik, whole := file.Arrays["log_likelihood/y"].Values, file.Arrays["sample_stats/log_lik"].Values
	for s, want := range whole {
		sum := 0.0
		for _, x := range logLik[5*s : 5*s+5] {
			sum += x
		}
		if math.Abs(sum-want) > 1e-12*math.Abs(want) {
			t.Fatalf("draw %d: rows add up to %v, want %v", s, sum, want)
		}
	}
	var answer bytes.Buffer
	must(t, pipelines.Predict(t.Context(), &answer, spec, pipelines.PredictOptions{Only: []string{"model=m"}, Of: []string{"response"}, Draws: true, Output: pipelines.QueryOptions{Format: "csv"}}))
	rows, err := csv.NewReader(&answer).ReadAll()
	if err != nil || len(rows) != 1+5*100 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	place := map[string]int{"1": 0, "2": 1, "4": 2, "5": 3, "6": 4}
	for _, r := range rows[1:] {
		chain, _ := strconv.Atoi(r[1])
		draw, _ := strconv.Atoi(r[2])
		at := ((chain-1)*50+draw-1)*5 + place[r[0]]
		if got := strconv.FormatFloat(file.Arrays["posterior_predictive/y"].Values[at], 'g', -1, 64); got != strings.TrimSuffix(r[3], ".0") {
			t.Fatalf("row %s, chain %d, draw %d: response %s, predict has %s", r[0], chain, draw, got, r[3])
		}
	}

	if file, said := f.exported(spec, "w"); len(file.Groups) != 2 || !strings.Contains(said.Note, "several observations") {
		t.Errorf("with frequencies: %+v, %v", said, file.Groups)
	}
	if file, said := f.exported("", "m"); len(file.Groups) != 2 || said.Note != "" {
		t.Errorf("without a spec: %+v, %v", said, file.Groups)
	}
	f.write("trials.csv", strings.Replace(observedRows, "1,4,0.1", "1,4,0.2", 1))
	if file, said := f.exported(spec, "m"); len(file.Groups) != 2 || !strings.Contains(said.Note, "have changed") {
		t.Errorf("with other data: %+v, %v", said, file.Groups)
	}
	f.write("trials.csv", "a\n1\n")
	if file, said := f.exported(spec, "m"); len(file.Groups) != 2 || said.Note == "" {
		t.Errorf("without the columns: %+v, %v", said, file.Groups)
	}
}
