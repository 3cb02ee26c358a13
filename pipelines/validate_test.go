package pipelines

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A fault that would end a fit in an error ends validate in the same words, whichever file or group of the run it
// is in.
func TestValidateReadsTheData(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.csv": "y,x\n1,0.5\n0,1.5\n2,0.1\n4,2.5\n",
		"b.csv": "y,x\n1,0.5\n0,1.5\n-3,0.1\n4,2.5\n", // the second file of its data set
		"spec.yaml": `pipeline: night
datasets: {all: {path: "?.csv", each: file}, gone: {path: gone.csv}, sound: {path: a.csv}}
models:
  m: {formula: y ~ x, family: poisson}
  typo: {formula: y ~ z, family: poisson}
samplers: {one: {method: cggibbs}, two: {method: nuts}}
fits: [{datasets: [all, gone, sound], models: [m]}, {datasets: [sound], models: [typo], samplers: [one]}]
run: {replicates: 2}
`,
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	spec := filepath.Join(dir, "spec.yaml")
	plan, err := Validate(t.Context(), spec, Overrides{}, false)
	must(t, err)
	told := plan.Err()
	if told == nil {
		t.Fatal("nothing is refused")
	}
	out, err := Run(t.Context(), spec, RunOptions{})
	must(t, err)
	errors := 0
	for _, fit := range out.Fits {
		if fit.Err == nil || fit.Replicate > 1 {
			continue
		}
		errors++
		if text := strings.ReplaceAll(fit.Err.Error(), "\n", "\n  "); !strings.Contains(told.Error(), text) || !strings.Contains(told.Error(), fit.Name()) {
			t.Errorf("run says of %s:\n%s\nvalidate does not:\n%s", fit.Name(), text, told)
		}
	}
	if want := "5 of 9 fits would end in an error"; errors != 5 || !strings.Contains(told.Error(), want) || !strings.HasPrefix(plan.String(), "night: "+want) {
		t.Errorf("%d fits of the run erred; validate says\n%s\n%s", errors, plan, told)
	}
	plan, err = Validate(t.Context(), spec, Overrides{}, true)
	if err != nil || plan.Err() != nil || !strings.HasPrefix(plan.String(), "night: valid, its data not read\n") {
		t.Errorf("of the spec alone it says %v, %v\n%s", err, plan.Err(), plan)
	}
}
