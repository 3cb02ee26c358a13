package cggibbs

import (
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
)

func TestSmoothConformance(t *testing.T) {
	sparse := infertest.SmoothCases()[2]
	dense := sparse.Data.X.(*design.Dense)
	x := design.NewSparse(dense.Rows, dense.Cols, dense.Rows)
	for j := range dense.Cols {
		x.AppendDense(dense.Col(j))
	}
	sparse.Data.X, sparse.Name = x, sparse.Name+"/sparse"
	for _, c := range append(infertest.SmoothCases(), sparse) {
		for _, o := range []Options{{RefreshEvery: 3}, {Scan: "random"}, {Basis: "auto", RefreshEvery: 3}} {
			t.Run(c.Name, func(t *testing.T) {
				_, target, err := c.Simulate(infer.NewStream(5, "conform", c.Name))
				must(t, err)
				infertest.Conformance(t, target, sampler(o))
			})
		}
	}
}

// Auto says what it takes: many coefficients, or the plain sampler asked for, leave single ones.
func TestAutoOfSmooths(t *testing.T) {
	c := infertest.SmoothCases()[2]
	_, target, err := c.Simulate(infer.NewStream(5, "auto"))
	must(t, err)
	for want, o := range map[string]Options{"smooths": {}, "coordinate": {Uncached: true}} {
		basis, words, _ := Auto(target, o)
		if basis != want || !strings.HasPrefix(words, want+": ") {
			t.Errorf("auto takes %s: %s; want %s", basis, words, want)
		}
	}
	s, err := New(target, Options{Basis: "mixture"})
	if err != nil || !strings.Contains(s.(infer.Explainer).Explain(), "mixture cannot be made: the standard deviations") {
		t.Errorf("mixture: %v", err)
	}
}

// unswept draws all coefficients at once with the standard deviations of smooths, and never sweeps.
func unswept(target *glm.Target) (infer.Setup, error) {
	s, err := New(target, Options{Basis: "auto"})
	if s, ok := s.(*smoothSetup); ok {
		s.every = 0
	}
	return s, err
}

// False alarms: at most 1e-6 for each check. Power: a distance of 0.19 between distributions with 460 pairs, of
// 0.093 with 2,000, of 0.029 with GLMBATCH_STAT=1.
func TestSmoothInvariance(t *testing.T) {
	seed := infertest.Seed(t)
	samplers := map[string]infertest.Sampler{"coordinate": sampler(Options{}), "auto": sampler(Options{Basis: "auto"}), "drawn": unswept}
	for _, c := range infertest.SmoothCases() {
		for name, s := range samplers {
			t.Run(c.Name+"/"+name, func(t *testing.T) {
				pairs := 460
				if strings.HasSuffix(c.Name, "tailed") {
					pairs = 2000
				}
				infertest.Invariance(t, infertest.Check{Case: c, Sampler: s, Seed: seed, Pairs: infertest.Scale(pairs, 20_000)})
			})
		}
	}
}

// ofProcess leaves other groups than Gaussian processes as they are.
func ofProcess(block scaleBlock) scaleBlock {
	return func(k *kernel, g int) bool { return k.target.Groups()[g].Second == nil || block(k, g) }
}

// Each way of moving standard deviations by itself leaves the law as it is. False alarms and power: see
// TestSmoothInvariance.
func TestSmoothBlocksAreInvariant(t *testing.T) {
	smooths, processes := infertest.SmoothCases()[:4], infertest.SmoothCases()[8:]
	for name, block := range map[string]scaleBlock{"stretch": stretch, "given": sliceGlobal, "length": ofProcess(sliceLength), "length given": ofProcess(sliceSlab)} {
		cases := smooths
		if strings.HasPrefix(name, "length") {
			cases = processes
		}
		for _, c := range cases {
			t.Run(name+"/"+c.Name, func(t *testing.T) {
				infertest.Invariance(t, infertest.Check{Case: c, Sampler: withBlocks(block), Seed: infertest.Seed(t),
					Pairs: infertest.Scale(460, 20_000)})
			})
		}
	}
}

// driftSetup makes chains that move all coefficients at once about Newton steps, and never sweep.
type driftSetup struct{ *Coefficients }

func (s driftSetup) Parameters() []infer.Parameter { return s.plain.Parameters() }

func (s driftSetup) Kernel(c infer.Chain) (infer.Kernel, error) {
	k, err := s.Coefficients.Kernel(c)
	if err != nil {
		return nil, err
	}
	return driftKernel{k}, nil
}

type driftKernel struct{ *CoefficientsChain }

func (k driftKernel) Step() (infer.Info, error) { return k.drift.step() }

// False alarms: at most 1e-6 for each check. Power: a distance of 0.13 between distributions with 1,000 pairs.
func TestDriftInvariance(t *testing.T) {
	for _, c := range infertest.SmoothCases() {
		if c.Model.Family.Name == "gaussian" {
			continue // drawn at once with other parts
		}
		t.Run(c.Name, func(t *testing.T) {
			infertest.Invariance(t, infertest.Check{Case: c, Seed: infertest.Seed(t), Pairs: infertest.Scale(1000, 20_000),
				Sampler: func(target *glm.Target) (infer.Setup, error) {
					b, err := NewCoefficients(target, Options{})
					return driftSetup{b}, err
				}})
		})
	}
}
