package pipelines_test

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// predict returns what Predict writes as CSV, and its notes.
func (f folder) predict(target string, o pipelines.PredictOptions) (rows [][]string, notes string, err error) {
	f.t.Helper()
	var b, n strings.Builder
	o.Output.Format, o.Notes = "csv", &n
	if target == "" {
		o.Database = f.path("t.duckdb")
	} else {
		target = f.path(target)
	}
	err = pipelines.Predict(f.t.Context(), &b, target, o)
	for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n") {
		rows = append(rows, strings.Split(line, ","))
	}
	return rows, n.String(), err
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	must(t, err)
	return v
}

// The fitted means are those of the stored draws by SQL, the same rows from the
// spec and from a file have the same numbers, and workers change none.
func TestPredict(t *testing.T) {
	f := newFolder(t, strings.Replace(fmt.Sprintf(quick, "claims: {path: good.csv}"), "family: poisson", "family: negative_binomial", 1))
	f.write("good.csv", strings.ReplaceAll(claims, "-3", "3"))
	f.run(pipelines.RunOptions{})
	own, notes, err := f.predict("spec.yaml", pipelines.PredictOptions{Workers: 1})
	if err != nil || len(own) != 25 || notes != "" {
		t.Fatalf("%d lines, notes %q, %v", len(own), notes, err)
	}
	seed := uint64(7) // the spec's, which --database alone does not know
	for _, workers := range []int{1, 16} {
		again, notes, err := f.predict("", pipelines.PredictOptions{Data: f.path("good.csv"), Workers: workers, Overrides: pipelines.Overrides{Seed: &seed}})
		if err != nil || fmt.Sprint(again) != fmt.Sprint(own) || notes != "" {
			t.Errorf("%d workers on the file, notes %q, %v:\n%v\nthe spec's own data:\n%v", workers, notes, err, again, own)
		}
	}
	want := number(t, f.ask("t.duckdb", `SELECT avg(exp(a.value + 44 * b.value)) FROM draws a JOIN draws b USING (chain, iteration)
		WHERE a.parameter = '(Intercept)' AND b.parameter = 'age'`))
	if row := own[5]; row[0] != "3" || row[1] != "mean" || math.Abs(number(t, row[2])-want) > 1e-11*want {
		t.Errorf("the mean at age 44 is %v, by SQL %v", row, want)
	}
	draws, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Draws: true, Of: []string{"response", "linear"}})
	if err != nil || len(draws) != 1+12*180 || strings.Join(draws[0], ",") != "row,chain,iteration,linear,response" {
		t.Fatalf("%d lines of draws under %v, %v", len(draws), draws[0], err)
	}
	sum := 0.0
	for _, d := range draws[1+2*180 : 1+3*180] {
		sum += number(t, d[4])
	}
	if row := own[6]; row[1] != "response" || math.Abs(number(t, row[2])-sum/180) > 1e-11*sum {
		t.Errorf("responses of row 3 have the mean %v, their draws %v", row, sum/180)
	}
	f.write("same.csv", "age\n44\n44\n")
	same, _, err := f.predict("", pipelines.PredictOptions{Data: f.path("same.csv"), Draws: true, Of: []string{"response"}})
	if err != nil || len(same) != 1+2*180 {
		t.Fatalf("%d lines of draws for two equal rows, %v", len(same), err)
	}
	equal := 0
	for i := range 180 {
		if same[1+i][3] == same[1+180+i][3] {
			equal++
		}
	}
	if equal > 90 { // counts with a standard deviation of some 4: a tenth of them
		t.Errorf("%d of 180 responses of two equal rows are the same: they share their stream", equal)
	}
	f.write("good.csv", strings.ReplaceAll(claims, "-3", "4"))
	if _, notes, err = f.predict("spec.yaml", pipelines.PredictOptions{}); err != nil || !strings.Contains(notes, "have changed since the fit") {
		t.Errorf("changed data: %q, %v", notes, err)
	}
}

// A fixed dispersion is not among the draws; it is found in the model.
func TestPredictWithFixedDispersion(t *testing.T) {
	f := newFolder(t, strings.Replace(fmt.Sprintf(quick, "claims: {path: claims.csv}"), "family: poisson", "family: student_t", 1))
	spec := strings.Replace(fmt.Sprintf(quick, "claims: {path: claims.csv}"), "family: poisson", "family: student_t", 1)
	f.write("spec.yaml", strings.Replace(spec, `intercept: "normal(0, 10)"}`, `intercept: "normal(0, 10)", sigma: "half_normal(1e-9)", nu: "constant(30)"}`, 1))
	f.run(pipelines.RunOptions{})
	rows, _, err := f.predict("", pipelines.PredictOptions{Data: f.path("claims.csv")})
	if err != nil || len(rows) != 25 {
		t.Fatalf("%d lines, %v", len(rows), err)
	}
	mean, response := rows[1], rows[2]
	if math.Abs(number(t, mean[2])-number(t, response[2])) > 1e-5 {
		t.Errorf("with a sigma of 1e-9 the responses %v are not at their mean %v", response, mean)
	}
}

func TestPredictRefuses(t *testing.T) {
	f := newFolder(t, strings.Replace(fmt.Sprintf(quick, "claims: {path: good.csv, by: region}"), "y ~ age", "y ~ age + factor(n)", 1))
	f.write("good.csv", strings.ReplaceAll(claims, "-3", "3"))
	if _, _, err := f.predict("", pipelines.PredictOptions{Data: f.path("good.csv")}); err == nil || !strings.Contains(err.Error(), "no ledger") {
		t.Errorf("without a ledger: %v", err)
	}
	f.run(pipelines.RunOptions{})
	f.write("new.csv", "n,age\n1,20\n9,30\n")
	f.write("narrow.csv", "age\n20\n")
	f.write("known.csv", "n,age\n1,20\n")
	for name, c := range map[string]struct {
		options pipelines.PredictOptions
		says    []string
	}{
		"several":  {pipelines.PredictOptions{Data: f.path("new.csv")}, []string{"claims/north/m/gibbs", "--only"}},
		"two":      {pipelines.PredictOptions{Data: f.path("new.csv"), Only: []string{"dataset=claims/?o*th"}}, []string{"claims/north/m/gibbs", "claims/south/m/gibbs"}},
		"none":     {pipelines.PredictOptions{Data: f.path("new.csv"), Only: []string{"dataset=x"}}, []string{"no complete fit", "latest"}},
		"no data":  {pipelines.PredictOptions{Only: []string{"dataset=claims/west"}}, []string{"--data"}},
		"level":    {pipelines.PredictOptions{Data: f.path("new.csv"), Only: []string{"dataset=claims/west"}}, []string{`column "n"`, "row 2", `"9"`, "1, 2, 3, 4"}},
		"column":   {pipelines.PredictOptions{Data: f.path("narrow.csv"), Only: []string{"dataset=claims/west"}}, []string{`column "n"`, "do not have it"}},
		"quantity": {pipelines.PredictOptions{Data: f.path("known.csv"), Only: []string{"dataset=claims/west"}, Of: []string{"mode"}}, []string{"linear, mean, response"}},
	} {
		_, _, err := f.predict("", c.options)
		var usage *pipelines.UsageError
		if !errors.As(err, &usage) {
			t.Errorf("%s: %v is no usage error", name, err)
			continue
		}
		for _, word := range c.says {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %v does not say %q", name, err, word)
			}
		}
	}
	rows, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Only: []string{"dataset=claims/west"}})
	if err != nil || len(rows) != 9 {
		t.Errorf("a group of the spec's data: %d lines, %v", len(rows), err)
	}
	short := newFolder(t, strings.Replace(fmt.Sprintf(quick, "claims: {path: good.csv}"), "draws: 60}", "draws: 60, keep: summary}", 1))
	short.write("good.csv", strings.ReplaceAll(claims, "-3", "3"))
	short.run(pipelines.RunOptions{})
	if _, _, err = short.predict("spec.yaml", pipelines.PredictOptions{}); err == nil || !strings.Contains(err.Error(), "kept no draws") {
		t.Errorf("without draws: %v", err)
	}
}
