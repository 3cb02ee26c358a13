package run

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"glmbatch/infer"
)

// apart shifts the first parameter of one chain by 10: it never is where its siblings are.
type apart struct {
	infer.Setup
	chain int
}

type apartKernel struct{ infer.Kernel }

func (s apart) Kernel(c infer.Chain) (infer.Kernel, error) {
	of := c.Index
	k, err := s.Setup.Kernel(c)
	if of == s.chain && err == nil {
		return apartKernel{k}, nil
	}
	return k, err
}

func (k apartKernel) Position(dst []float64) {
	k.Kernel.Position(dst)
	dst[0] += 10
}

// Imputations with means 0, 5, …, 20 pass the gates, for none of their chains disagree; where the second chain of the
// third is somewhere else they fail, although it is between the others.
func TestChainApartInAnImputationFails(t *testing.T) {
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	for m := range 5 {
		text := "y,x\n"
		for i := range 40 {
			text += fmt.Sprintf("%.3f,%d\n", rng.NormFloat64()+float64(5*m), i%7)
		}
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("imp%d.csv", m+1)), []byte(text), 0o600))
	}
	spec := "pipeline: p\ndatabase: wide.duckdb\ndatasets: {d: {path: imp*.csv, each: imputation}}\n" +
		"models: {m: {formula: y ~ x, family: gaussian}}\nsamplers: {s: {method: cggibbs}}\n" +
		"run: {chains: 2, warmup: 200, draws: 800}\n"
	must(t, os.WriteFile(filepath.Join(dir, "spec.yaml"), []byte(spec), 0o600))
	if res := runWide(t, dir, nil); res.Verdict != "pass" {
		t.Errorf("imputations that differ: %s, %v", res.Verdict, res.Reasons)
	}
	res := runWide(t, dir, func(s infer.Setup) infer.Setup { return apart{s, 5} })
	if res.Verdict != "fail" || !strings.Contains(strings.Join(res.Reasons, "; "), "(Intercept)") {
		t.Errorf("a chain apart: %s, %v", res.Verdict, res.Reasons)
	}
}
