package cggibbs

import (
	"math"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// inBlocks makes a rotated sampler that updates coordinates in blocks, of whatever size of data.
func inBlocks(target *glm.Target) (infer.Setup, error) {
	made, err := New(target, Options{Basis: "rotated"})
	if s, ok := made.(*basisSetup); ok && s.blocked() {
		s.block()
	}
	return made, err
}

// inBlocksAtOnce is inBlocks without warm-up: all sweeps but every 32nd are of blocks.
func inBlocksAtOnce(target *glm.Target) (infer.Setup, error) {
	made, err := inBlocks(target)
	if s, ok := made.(*basisSetup); ok && s.blocks != nil {
		made = atOnce{s}
	}
	return made, err
}

type atOnce struct{ *basisSetup }

func (s atOnce) Kernel(c infer.Chain) (infer.Kernel, error) {
	k, err := s.basisSetup.Kernel(c)
	if err == nil {
		k.(*basisKernel).settled, k.(*basisKernel).Iteration = true, 1
	}
	return k, err
}

// blockCases are those whose coordinates can be updated in blocks.
func blockCases(t *testing.T) (out []infertest.Case) {
	for _, c := range append(append(basisCases(), infertest.FamilyCases()...), infertest.WeightedCases()...) {
		made, err := inBlocks(simulated(t, c))
		must(t, err)
		if s, ok := made.(*basisSetup); ok && s.blocks != nil {
			out = append(out, c)
		}
	}
	if len(out) < 3 {
		t.Fatalf("%d cases", len(out))
	}
	return out
}

func TestBlocksConformance(t *testing.T) {
	for _, c := range blockCases(t) {
		t.Run(c.Name, func(t *testing.T) { infertest.Conformance(t, simulated(t, c), inBlocksAtOnce) })
	}
}

// The ratio of each block is that of densities which know nothing of blocks: the posterior at both ends by a predictor
// of the target itself, and the proposals' by its gradient there through the basis.
func TestBlocksRatio(t *testing.T) {
	for _, c := range blockCases(t) {
		target := simulated(t, c)
		made, err := inBlocks(target)
		must(t, err)
		s := made.(*basisSetup)
		started, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "chain")})
		must(t, err)
		k, dim := started.(*basisKernel), len(s.widths)
		k.Iteration, k.settled = 1, true
		point, v, slopes := glm.NewPoint(target), make([]float64, dim), make([]float64, dim)
		posterior := func(u, gradient []float64) float64 {
			s.frame.Values(u, v)
			point.SetUnconstrained(v)
			point.Gradient(slopes, make([]float64, target.Rows()))
			for j := range gradient {
				first, col := s.frame.Column(j)
				gradient[j] = kernels.Dot(col, slopes[first:first+len(col)])
			}
			return point.LogPosterior()
		}
		for range 3 {
			step(t, k)
			for i, first := 0, 0; first < dim; i, first = i+1, first+s.blocks.size {
				m := min(s.blocks.size, dim-first)
				value, got := k.proposeBlock(first, m, s.blocks.prior[i])
				here, there := make([]float64, dim), make([]float64, dim)
				to := append([]float64(nil), k.u...)
				for l, x := range k.moving.x[:m] {
					to[first+l] += x
				}
				want := posterior(to, there) - posterior(k.u, here)
				for l, x := range k.moving.x[:m] {
					c := s.blocks.curvature[first+l]
					out, back := x-drift(here[first+l], c), -x-drift(there[first+l], c)
					want += 0.5 * c * (out*out - back*back)
				}
				if !(math.Abs(got-want) <= 1e-8*(1+math.Abs(value.LogLik))) {
					t.Errorf("%s, block from %d: log ratio %v, want %v", c.Name, first, got, want)
				}
			}
		}
	}
}

// Blocks leave the posterior as it is. The quick form takes every third case.
//
// False alarms: at most 1e-6 for each. Power: 460 pairs see a distance of 0.2 between laws.
func TestBlocksInvariance(t *testing.T) {
	seed := infertest.Seed(t)
	for i, c := range blockCases(t) {
		if !infertest.Full() && i%3 != 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			infertest.Invariance(t, infertest.Check{Case: c, Sampler: inBlocksAtOnce, Seed: seed, Steps: 3,
				Pairs: infertest.Scale(460, 20_000)})
		})
	}
}

// A prior eight times as wide is rejected.
func TestBlocksFaults(t *testing.T) {
	for _, c := range blockCases(t)[:1] {
		infertest.MustReject(t, func(tb infertest.TB) {
			infertest.Invariance(tb, infertest.Check{Case: c, Sampler: infertest.WrongPriorScale(inBlocksAtOnce, 8),
				Seed: 1, Steps: 5, Pairs: 500})
		})
	}
}

// A chain that begins far out, at a draw from a wide prior, moves by single coordinates until blocks serve, with the
// draws of a chain without blocks but where it tries them; then by blocks. The choice is frozen after warm-up, and part
// of the state.
func TestBlocksComeFromAfar(t *testing.T) {
	target := posterior(t, "bernoulli", 600, 80, prior.Prior{Kind: prior.Normal, Scale: 10})
	made, err := inBlocks(target)
	must(t, err)
	peak, theta := target.LogLik(target.Penalised()), make([]float64, target.Dim())
	for index, iterations := range map[int]int{0: 9, 3: 150} {
		chain := func() *basisKernel {
			k, err := made.Kernel(infer.Chain{Index: index, Count: 4, Warmup: 200, Stream: infer.NewStream(1, "chain")})
			must(t, err)
			return k.(*basisKernel)
		}
		k := chain()
		for range iterations {
			step(t, k)
		}
		k.Position(theta)
		below := peak - target.LogLik(theta)
		if below > 100 || !k.settled { // 40 on average, with a standard deviation of 6
			t.Errorf("chain %d: after %d iterations %v below the penalised point, blocks %t", index, iterations, below,
				k.settled)
		}
		state, err := k.MarshalBinary()
		must(t, err)
		other := chain()
		if err := other.UnmarshalBinary(state); err != nil || !other.settled {
			t.Errorf("a restored chain is settled %t, error %v", other.settled, err)
		}
		for range 5 {
			if step(t, k) != step(t, other) {
				t.Error("a restored chain goes another way")
			}
		}
		k.Iteration, k.settled = k.adapting, false
		for range 9 {
			if step(t, k); k.settled {
				t.Fatal("the choice changes after warm-up")
			}
		}
	}
}

// Auto updates many rotated coordinates in blocks, few of them and other updates one at a time, and says so.
func TestAutoTakesBlocks(t *testing.T) {
	for _, c := range []struct {
		family string
		n, d   int
		law    prior.Prior
		want   bool
	}{
		{"bernoulli", 600, 80, unitNormal, true},
		{"poisson", 600, 80, unitNormal, false},
		{"bernoulli", 600, 40, unitNormal, false},
		{"bernoulli", 600, 80, prior.Prior{Kind: prior.Laplace, Scale: 1}, false},
	} {
		made, err := New(posterior(t, c.family, c.n, c.d, c.law), Options{Basis: "auto", Joint: "off"})
		must(t, err)
		words := made.(infer.Explainer).Explain()
		if got := strings.Contains(words, "proposed at a time"); got != c.want {
			t.Errorf("%s, %d × %d: blocks %t, want %t: %s", c.family, c.n, c.d, got, c.want, words)
		}
	}
}
