package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// figures are the pictures of the manual, by their names in docs/pictures, with the calls that make them.
var figures = []struct{ name, call string }{
	{"effect.svg", "effects figures.yaml age:bmi --only dataset=pima --only sampler=auto --at bmi=25,40"},
	{"factor.svg", "effects figures.yaml tension:wool --only dataset=looms --only sampler=auto"},
	{"contrast.svg", "effects figures.yaml tension:wool --only dataset=looms --only sampler=auto --contrast pairwise"},
	{"coefficients.svg", "show figures.yaml pima/*/auto"},
	{"groups.svg", "show figures.yaml sleep/*/auto --picture groups"},
	{"checks.svg", "show figures.yaml looms/*/auto --picture checks"},
}

const figuresSpec = `pipeline: figures
database: figures.duckdb
seed: 1
datasets:
  pima: {path: "example:pima.csv"}
  looms: {path: warpbreaks.csv}
  sleep: {path: "example:sleepstudy.csv"}
models:
  diabetes: {formula: type ~ npreg + glu + bmi + ped + age, family: bernoulli}
  breaks: {formula: breaks ~ wool * tension, family: negative_binomial, levels: {tension: [L, M, H]}}
  reaction: {formula: Reaction ~ Days + (Days | Subject), family: gaussian}
samplers: {auto: {method: auto}, nuts: {method: nuts}}
run: {ppc: true}
fits:
  - {datasets: [pima], models: [diabetes]}
  - {datasets: [looms], models: [breaks]}
  - {datasets: [sleep], models: [reaction], samplers: [auto]}
`

// Pictures of the manual are what their calls draw; make figures writes them.
func TestFigures(t *testing.T) {
	folder, err := filepath.Abs("../../docs/pictures")
	must(t, err)
	looms, err := os.ReadFile("../../testdata/classic/warpbreaks.csv")
	must(t, err)
	t.Chdir(t.TempDir())
	write(t, ".", "warpbreaks.csv", string(looms))
	write(t, ".", "figures.yaml", figuresSpec)
	if code, out, errs := call(t, "run", "figures.yaml", "--quiet"); code > 1 {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	for _, f := range figures {
		args := append(strings.Fields(f.call), "--plot", f.name)
		if code, out, errs := call(t, args...); code != 0 || out != "picture: "+f.name+"\n" {
			t.Errorf("%s: exit %d: %s%s", f.call, code, out, errs)
			continue
		}
		got, err := os.ReadFile(f.name)
		must(t, err)
		file := filepath.Join(folder, f.name)
		if *update {
			write(t, folder, f.name, string(got))
		}
		if want, err := os.ReadFile(file); err != nil || string(want) != string(got) {
			t.Errorf("docs/pictures/%s is not what %q draws (%v); run: make figures", f.name, f.call, err)
		}
	}
	code, out, errs := call(t, "compare", "figures.yaml", "--dataset", "looms", "--plot", "speed.png")
	if code > 1 || out != "picture: speed.png\n" {
		t.Errorf("compare: exit %d: %s%s", code, out, errs)
	}
	for args, want := range map[string]string{
		"show figures.yaml --plot a.svg":                              "--plot draws one fit, and these are 5",
		"show figures.yaml pima/*/auto --plot a.pdf":                  "a picture is a file NAME.svg or NAME.png",
		"show figures.yaml pima/*/auto --plot a.svg --picture x":      "it is coefficients, groups, checks",
		"show figures.yaml pima/*/auto --plot a.svg --picture groups": "has no groups",
	} {
		if code, _, errs := call(t, strings.Fields(args)...); code != 2 ||
			!strings.Contains(errs, want) {
			t.Errorf("%s: exit %d: %s", args, code, errs)
		}
	}
}
