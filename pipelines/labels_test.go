package pipelines_test

import (
	"fmt"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// labelsSpec is a spec of quick fits of one data set.
const labelsSpec = `
pipeline: labels
database: t.duckdb
datasets:
  d: {path: d.csv%s}
models:
%s
samplers: {s: {method: conjugate}}
run: {chains: 2, warmup: 50, draws: 100}
gates: {rhat: 10, ess_bulk: 1, ess_tail: 1, drift: {columns: off}}
`

// stamps has six days, as a date, as a point in time and as Americans write it.
func stamps() string {
	var b strings.Builder
	b.WriteString("y,day,ts,us\n")
	for i := range 40 {
		day := i%6 + 1
		fmt.Fprintf(&b, "%d.%d,2024-03-%02d,2024-03-%02dT08:00:00Z,03/%02d/2024\n", day, (3*i+i/6)%10, day, day, day)
	}
	return b.String()
}

// Days are labels in a fit, in the prediction of new days' rows, in effects and in by:; as numbers they are errors of
// their models alone, and init proposes none.
func TestDatesAsLabels(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(labelsSpec, "", `  f: {formula: "y ~ factor(day)", family: gaussian}
  g: {formula: "y ~ 1 + (1 | day)", family: gaussian}
  h: {formula: "y ~ 1 + (1 | ts)", family: gaussian}
  x: {formula: "y ~ day", family: gaussian}
  z: {formula: "y ~ ts", family: gaussian}
  u: {formula: "y ~ us", family: gaussian}`)+`fits:
  - {datasets: d, models: [f, x, z, u], samplers: s}
  - {datasets: d, models: [g, h], samplers: a}
`)
	f.write("spec.yaml", strings.Replace(f.read("spec.yaml"), "{s: {method: conjugate}}", "{s: {method: conjugate}, a: {}}", 1))
	f.write("d.csv", stamps())
	for _, r := range f.run(pipelines.RunOptions{}).Fits {
		failed := r.Model == "x" || r.Model == "z" || r.Model == "u"
		if (r.Verdict == "error") != failed {
			t.Errorf("%s: %s, %v", r.Name(), r.Action, r.Reasons)
		}
		if failed && !strings.Contains(fmt.Sprint(r.Reasons), "no natural zero") {
			t.Errorf("%s: %v", r.Name(), r.Reasons)
		}
	}
	f.write("new.csv", "day\n2024-03-06\n2024-03-02\n")
	for _, model := range []string{"f", "g"} {
		rows, _, err := f.predict("", pipelines.PredictOptions{Only: []string{"model=" + model}, Data: f.path("new.csv"), Of: []string{"mean"}})
		if err != nil || len(rows) != 3 || number(t, rows[1][2]) < 5 || number(t, rows[2][2]) > 4 {
			t.Errorf("model %s: days 6 and 2 are predicted as %v (%v)", model, rows, err)
		}
	}
	p, err := pipelines.Propose(t.Context(), f.path("d.csv"), pipelines.ProposeOptions{Response: "y"})
	if err != nil || !strings.Contains(string(p.Spec), `formula: "y ~ 1"`) {
		t.Errorf("init proposes\n%s\n(%v)", p.Spec, err)
	}
}

// towns has rows of four towns, and a few of two of them in another spelling.
func towns(others ...string) string {
	var b strings.Builder
	b.WriteString("y,town,gr\u00f6\u00dfe\n")
	for i := range 120 {
		fmt.Fprintf(&b, "%d.%d,%s,%d\n", i%4, i*7%10, []string{"Berlin", "Hamburg", "Z\u00fcrich", "Bern"}[i%4], i*i%17)
	}
	for i, other := range others {
		fmt.Fprintf(&b, "%d.5,%s,3\n", i, other)
	}
	return b.String()
}

// A level or group that is likely to be another one in a different spelling is a warning of the fits that use it, and
// blanks are seen.
func TestLevelsThatLookAlike(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(labelsSpec, "}\n  b: {path: d.csv, by: [town]", `  f: {formula: "y ~ town", family: gaussian}
  g: {formula: "y ~ 1 + (1 | town)", family: gaussian}
  k: {formula: "y ~ 1", family: gaussian}`)+`fits:
  - {datasets: d, models: f, samplers: s}
  - {datasets: d, models: g, samplers: a}
  - {datasets: b, models: k, samplers: s}
`)
	f.write("spec.yaml", strings.Replace(f.read("spec.yaml"), "{s: {method: conjugate}}", "{s: {method: conjugate}, a: {}}", 1))
	slips := map[string]string{"Berlin ": `"Berlin "`, "Hambrug": `"Hambrug"`, "bern": `"bern"`, "Zu\u0308rich": `"Zu\u0308rich"`}
	for other, quoted := range slips {
		f.write("d.csv", towns(other, other))
		for _, r := range f.run(pipelines.RunOptions{Force: true}).Fits {
			warned := strings.Contains(fmt.Sprint(r.Warnings), quoted)
			if of := r.Dataset == "d" || strings.Trim(r.Key, `"`) == other; of && (!warned || r.Verdict == "pass") {
				t.Errorf("%q: %s: %s, warnings %q", other, r.Name(), r.Verdict, r.Warnings)
			}
		}
	}
	f.write("d.csv", towns())
	for _, r := range f.run(pipelines.RunOptions{Force: true}).Fits {
		if r.Verdict != "pass" || len(r.Warnings) > 0 {
			t.Errorf("sound levels: %s: %s, %q", r.Name(), r.Verdict, r.Warnings)
		}
	}
}

// A column whose name differs from that of the spec in Unicode form only is named as such.
func TestColumnOfAnotherForm(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(labelsSpec, "", "  m: {formula: \"y ~ gr\u00f6\u00dfe\", family: gaussian}"))
	f.write("d.csv", strings.Replace(towns(), "gr\u00f6\u00dfe", "gro\u0308\u00dfe", 1))
	r := f.run(pipelines.RunOptions{}).Fits[0]
	if text := fmt.Sprint(r.Reasons); !strings.Contains(text, "Unicode normal form only") || !strings.Contains(text, `gro\u0308\u00dfe`) {
		t.Errorf("%v", text)
	}
}

// Two spellings of one number are a warning of the fits in which the numbers are labels, and not of those in which
// they are numbers; as text they are two levels.
func TestLabelsThatAreNumbers(t *testing.T) {
	const models = `  f: {formula: "y ~ factor(store)", family: gaussian}
  x: {formula: "y ~ store", family: gaussian}
  k: {formula: "y ~ 1", family: gaussian}`
	const fits = `fits:
  - {datasets: d, models: [f, x], samplers: s}
  - {datasets: [r, g], models: f, samplers: s}
  - {datasets: b, models: k, samplers: s}
`
	var b strings.Builder
	b.WriteString("y,store\n")
	for i := range 60 {
		fmt.Fprintf(&b, "%d.%d,%s\n", i%3*3, i*7%10, []string{"007", "7", "08"}[i%3])
	}
	for _, types := range []string{"", ", types: {store: text}"} {
		text := strings.Replace(fmt.Sprintf(labelsSpec, types+"}\n  b: {path: d.csv, by: [store]"+types+
			"}\n  g: {path: d.csv, rows: grouped"+types+"}\n  r: {path: d.csv, rows: factored"+types, models)+fits, "[f, x]",
			map[bool]string{true: "[f, x]", false: "[f]"}[types == ""], 1)
		f := newFolder(t, text)
		f.write("d.csv", b.String())
		out := f.run(pipelines.RunOptions{})
		if want := 6; len(out.Fits) != want {
			t.Errorf("types %q: %d fits, want %d", types, len(out.Fits), want)
		}
		for _, r := range out.Fits {
			warned := strings.Contains(fmt.Sprint(r.Warnings), `"007" and "7"`) && strings.Contains(fmt.Sprint(r.Warnings), "types: {store: text}")
			if want := types == "" && r.Model != "x"; warned != want || warned && r.Verdict == "pass" {
				t.Errorf("types %q, %s: %s, warnings %q", types, r.Name(), r.Verdict, r.Warnings)
			}
		}
	}
}
