package spec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzParse holds Parse to its contract on any bytes: a pipeline whose fits are
// whole, or at least one problem, each with a message on one line and a place
// inside the file.
func FuzzParse(f *testing.F) {
	seeds, err := filepath.Glob("testdata/cases/*/spec.yaml")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, path := range seeds {
		src, err := os.ReadFile(path)
		must(f, err)
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := Parse("spec.yaml", src, testOptions())
		if err == nil {
			for _, fit := range p.Fits() {
				if fit.Dataset == nil || fit.Model == nil || fit.Sampler == nil ||
					(fit.Model.Discrete() || fit.Model.Classes()) == (fit.Model.Family.Name != "") {
					t.Fatalf("half a fit: %+v", fit)
				}
			}
			if len(p.Fits()) == 0 || p.Name == "" || p.Run.Chains < 1 || p.Run.Fixed() == (p.Run.MaxIterations > 0) {
				t.Fatalf("accepted without substance: %+v", p)
			}
			return
		}
		var problems *Problems
		if !errors.As(err, &problems) || len(problems.List) == 0 {
			t.Fatalf("error of type %T: %v", err, err)
		}
		lines := strings.Count(string(src), "\n") + strings.Count(string(src), "\r") + 2
		for _, one := range problems.List {
			if one.Message == "" || strings.Contains(one.Message+one.Hint, "\n") || one.Line > lines || (one.Line > 0) != (one.Column > 0) {
				t.Fatalf("bad problem: %#v", one)
			}
		}
	})
}

// BenchmarkParse reads a night of many data sets.
func BenchmarkParse(b *testing.B) {
	for _, n := range []int{10, 1000, 9000} {
		src := "pipeline: p\ndatasets:\n"
		for i := range n {
			src += fmt.Sprintf("  set%d: {path: data/%d.csv}\n", i, i)
		}
		src += "models: {m: {formula: y ~ ., family: poisson, standardize: center_scale}}\nsamplers: {s: {}}\n"
		b.Run(fmt.Sprintf("datasets=%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if _, err := Parse("spec.yaml", []byte(src), Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
