package pipelines_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

const readingSpec = `
pipeline: reading
database: t.duckdb
datasets:
  d: {path: d.csv, separator: ";", decimal: ",", null_values: ["-999"], types: {zip: text}}
  i: {path: i.csv}
models:
  m: {formula: "y ~ x + zip + code + b", family: gaussian, missing: drop}
  g: {formula: "y ~ x + (1 | code)", family: gaussian, missing: drop}
  c: {formula: "cbind(code, q) ~ 1", mixture: {components: 2}}
samplers: {s: {}}
run: {chains: 2, warmup: 50, draws: 100}
gates: {rhat: 10, ess_bulk: 1, ess_tail: 1}
fits:
  - {datasets: d, models: [m, g], samplers: s}
  - {datasets: i, models: c, samplers: s}
`

// readingData has y = 1 + 2x + 5 for zip 02, with codes of which some are numbers; each tenth x is -999.
func readingData() (rows, items string) {
	var r, i strings.Builder
	r.WriteString("y;x;zip;code;b\n")
	i.WriteString("code,q\n")
	comma := func(v float64) string { return strings.Replace(fmt.Sprintf("%.3f", v), ".", ",", 1) }
	for k := range 80 {
		x := float64(k*7%20)/10 - 1
		zip, code := []string{"01", "02"}[k%2], []string{"10", "A", "B"}[k%3]
		y := 1 + 2*x + 5*float64(k%2) + float64(k*13%7)/50
		cell := comma(x)
		if k%10 == 3 {
			cell = "-999"
		}
		fmt.Fprintf(&r, "%s;%s;%s;%s;%s\n", comma(y), cell, zip, code, []string{"TRUE", "FALSE"}[k/5%2])
		fmt.Fprintf(&i, "%s,%d\n", code, k%4/2)
	}
	return r.String(), i.String()
}

// New data are read as those of the fit, with the spec or without: a value that means missing there is missing
// here, codes are text, decimals have a comma. Data that cannot be read so are an error.
func TestNewDataAreReadAlike(t *testing.T) {
	f := newFolder(t, readingSpec)
	rows, items := readingData()
	f.write("d.csv", rows)
	f.write("i.csv", items)
	for _, r := range f.run(pipelines.RunOptions{}).Fits {
		if r.Action != pipelines.Computed || r.Verdict == "error" {
			t.Fatalf("%s: %s %v", r.Name(), r.Action, r.Reasons)
		}
	}
	f.write("new.csv", "x;zip;code;b\n0,5;02;10;TRUE\n-999;01;10;TRUE\n-999,0;01;10;FALSE\n0,5;01;10;FALSE\n")
	alter(t, f.path("w.duckdb"), fmt.Sprintf(`COPY (SELECT * FROM (VALUES (0.5::DOUBLE, '02', 10, true), (-999, '01', 10,
		true), (-999.0, '01', 10, false), (0.5, '01', 10, false)) v(x, zip, code, b)) TO '%s'`, f.path("new.parquet")))
	check := func(what, target, file, model string, fourth float64) {
		t.Helper()
		got, notes, err := f.predict(target, pipelines.PredictOptions{Data: f.path(file), Only: []string{"model=" + model}, Of: []string{"mean"}})
		if err != nil || len(got) != 3 || got[1][0] != "1" || got[2][0] != "4" || !strings.Contains(notes, "2 of 4 rows") {
			t.Errorf("%s, %s of %s: %v, notes %q (%v)", what, model, file, got, notes, err)
			return
		}
		if v := number(t, got[2][2]); math.Abs(v-fourth) > 0.5 {
			t.Errorf("%s, %s of %s: row 4 has mean %v, want about %v", what, model, file, v, fourth)
		}
	}
	all := func(what, target string) {
		t.Helper()
		for _, file := range []string{"new.csv", "new.parquet"} {
			check(what, target, file, "m", 2)
			check(what, target, file, "g", 4.5)
		}
	}
	all("with the spec", "spec.yaml")
	all("without a spec", "")
	f.write("codes.csv", "code,q\n10,1\n10,0\n")
	if got, _, err := f.predict("", pipelines.PredictOptions{Data: f.path("codes.csv"), Only: []string{"model=c"}}); err != nil || len(got) < 3 {
		t.Errorf("classes of codes that are all numbers: %v (%v)", got, err)
	}
	for text, want := range map[string]string{
		"x;zip;code;b\n0.5;02;10;TRUE\n": `"0.5" is not a number`, "x,zip,code,b\n1,02,10,TRUE\n": "separated by ';'",
		"x;zip;code;b\n0,5;02;30;TRUE\n": `"30" is not a level`, "x;zip;code;b\nn.a.;02;10;TRUE\n": `"n.a." is not a number`,
		"x;zip;code;b\n0,5;2;10;TRUE\n": `"2" is not a level`, "x;zip;code;b\n0,5;02;10;yes\n": `column "b"`,
	} {
		f.write("bad.csv", text)
		_, _, err := f.predict("", pipelines.PredictOptions{Data: f.path("bad.csv"), Only: []string{"model=m"}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	f.write("spec.yaml", strings.Replace(readingSpec, `, null_values: ["-999"], types: {zip: text}`, "", 1))
	_, notes, err := f.predict("spec.yaml", pipelines.PredictOptions{Data: f.path("new.csv"), Only: []string{"model=m"}})
	if err != nil || !strings.Contains(notes, `null_values: ["-999"], zip is text`) {
		t.Errorf("a spec that reads otherwise: notes %q (%v)", notes, err)
	}
	all("with a spec that reads otherwise", "spec.yaml")
	own, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Only: []string{"model=m"}, Of: []string{"mean"}})
	if err != nil || len(own) != 73 {
		t.Errorf("the fit's own rows, by such a spec: %d lines (%v)", len(own), err)
	}
}

// A fit that an earlier program stored takes the reading of the spec. Without one, new data are refused, unless the spec
// that is stored with its run leaves every key of reading out.
func TestReadingOfEarlierFits(t *testing.T) {
	f := newFolder(t, readingSpec)
	rows, items := readingData()
	f.write("d.csv", rows)
	f.write("i.csv", items)
	f.run(pipelines.RunOptions{Only: []string{"model=g"}})
	const forget = `UPDATE design SET record = json_merge_patch(record::JSON, '{"reading": null}')`
	alter(t, f.path("t.duckdb"), forget)
	f.write("new.csv", "x;code\n0,5;10\n-999;10\n")
	of := func(file string) pipelines.PredictOptions {
		return pipelines.PredictOptions{Data: f.path(file), Of: []string{"mean"}, Only: []string{"model=g"}}
	}
	got, notes, err := f.predict("spec.yaml", of("new.csv"))
	if err != nil || len(got) != 2 || strings.Contains(notes, "earlier program") {
		t.Errorf("with the spec: %v, notes %q (%v)", got, notes, err)
	}
	f.write("new.csv", "x,code\n0.5,10\n-999,10\n")
	alter(t, f.path("w.duckdb"), fmt.Sprintf("COPY (SELECT -999.0 AS x, '10' AS code) TO '%s'", f.path("new.parquet")))
	f.write("renamed.yaml", strings.NewReplacer("d: {path", "e: {path", "datasets: d", "datasets: e").Replace(readingSpec))
	refused := func(what string, err error) {
		t.Helper()
		usage, is := errors.AsType[*pipelines.UsageError](err)
		if !is || !strings.Contains(usage.Error(), "earlier program") || !strings.Contains(usage.Error(), "--force") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, file := range []string{"new.csv", "new.parquet"} {
		for _, target := range []string{"", "renamed.yaml"} {
			got, _, err := f.predict(target, of(file))
			if refused(fmt.Sprintf("predict %s --data %s", target, file), err); len(got) > 1 {
				t.Errorf("predict %s --data %s answers %v", target, file, got)
			}
		}
		o := pipelines.EffectsOptions{PredictOptions: of(file), Effect: "x", Average: true}
		refused("effects --data "+file, pipelines.Effects(t.Context(), io.Discard, f.path("renamed.yaml"), o))
	}
	alter(t, f.path("t.duckdb"), "UPDATE run SET spec = NULL")
	_, _, err = f.predict("", of("new.csv"))
	refused("without a stored spec", err)

	plain := newFolder(t, strings.Replace(readingSpec, `, separator: ";", decimal: ",", null_values: ["-999"], types: {zip: text}`, "", 1))
	plain.write("d.csv", "x,y,zip,code,b\n1,2,0,A,TRUE\n3,5,1,B,TRUE\n4,2,1,A,FALSE\n5,6,0,B,FALSE\n1,3,0,C,TRUE\n3,4,1,C,TRUE\n")
	plain.write("i.csv", items)
	plain.run(pipelines.RunOptions{Only: []string{"model=g"}})
	alter(t, plain.path("t.duckdb"), forget)
	o := pipelines.PredictOptions{Data: plain.path("new.csv"), Of: []string{"mean"}, Only: []string{"model=g"}}
	plain.write("new.csv", "x,code\n0.5,A\nNA,A\n")
	if got, _, err := plain.predict("", o); err != nil || len(got) != 2 {
		t.Errorf("a spec without keys of reading: %v (%v)", got, err)
	}
}
