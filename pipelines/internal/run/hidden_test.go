package run

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/progress"
	"glmbatch/pipelines/internal/spec"
)

// frozen is a sampler whose chains keep the part of their starts that the likelihood depends on, and draw the rest
// as ever.
type frozen struct{ infer.Compact }

func (s frozen) Kernel(c infer.Chain) (infer.Kernel, error) {
	k, err := s.Compact.Kernel(c)
	if err != nil {
		return nil, err
	}
	start := make([]float64, len(s.Parameters()))
	k.Position(start)
	return &frozenKernel{k.(infer.CompactKernel), start}, nil
}

type frozenKernel struct {
	infer.CompactKernel
	start []float64
}

func (k *frozenKernel) Step() (infer.Info, error) {
	info, err := k.CompactKernel.Step()
	if err != nil {
		return info, err
	}
	return info, k.CompactKernel.(interface{ SetPosition([]float64) error }).SetPosition(k.start)
}

// wideSpec is a logistic model of more coefficients than rows.
const wideSpec = `
pipeline: wide
database: wide.duckdb
seed: 3
datasets: {wide: {path: wide.csv}}
models: {m: {formula: y ~ ., family: poisson, %sprior: {coefficients: "normal(0, 1)"}}}
samplers: {s: {%s}}
run: {chains: 4, warmup: 50, draws: %d}
gates: {rhat: 1.1, ess_bulk: 100, ess_tail: 100}
`

// wideFolder holds the spec and its data: 8 rows, 200 columns of noise.
func wideFolder(t *testing.T, sampler, model string, draws int) (folder string) {
	t.Helper()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("y")
	for j := range 200 {
		fmt.Fprintf(&b, ",x%d", j+1)
	}
	for i := range 8 {
		fmt.Fprintf(&b, "\n%d", i%3)
		for range 200 {
			fmt.Fprintf(&b, ",%.3f", rng.NormFloat64())
		}
	}
	for name, text := range map[string]string{"wide.csv": b.String() + "\n", "spec.yaml": fmt.Sprintf(wideSpec, model, sampler, draws)} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// runWide runs the spec of a folder with its set-ups tampered with.
func runWide(t *testing.T, dir string, tamper func(infer.Setup) infer.Setup) *outcome.Result {
	t.Helper()
	p, err := spec.Load(filepath.Join(dir, "spec.yaml"), spec.Options{Env: os.LookupEnv, Today: time.Now()})
	must(t, err)
	out, err := Run(t.Context(), Config{Pipeline: p, Database: filepath.Join(dir, "wide.duckdb"), Workers: 2, Force: true,
		Tracker: progress.New(time.Now), Log: slog.New(slog.DiscardHandler), Now: time.Now, Tamper: tamper})
	must(t, err)
	return out.Fits[0]
}

// A sampler that does not move the part that the likelihood depends on fails by the gates of z, though most of its
// coefficients look mixed, and so does log_lik, which is that of the points where each iteration would have gone.
// One that moves it passes.
func TestFrozenZFails(t *testing.T) {
	dir := wideFolder(t, "method: cggibbs, basis: reduced", "", 400)
	if res := runWide(t, dir, nil); res.Verdict != "pass" {
		t.Errorf("the sampler as it is: %s, %v, want pass", res.Verdict, res.Reasons)
	}
	res := runWide(t, dir, func(s infer.Setup) infer.Setup { return frozen{s.(infer.Compact)} })
	passed := 0
	for _, p := range res.Parameters {
		if p.RHat <= 1.1 {
			passed++
		}
	}
	t.Logf("frozen: %d of %d coefficients have R-hat ≤ 1.1; %v", passed, len(res.Parameters), res.Reasons)
	if passed < len(res.Parameters)/2 {
		t.Errorf("only %d of %d coefficients look mixed: the test does not test", passed, len(res.Parameters))
	}
	if res.Verdict != "fail" || !strings.Contains(strings.Join(res.Reasons, "; "), "z[") {
		t.Errorf("frozen z: %s, %v, want fail, with z named", res.Verdict, res.Reasons)
	}
}
