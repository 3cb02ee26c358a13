package cggibbs

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
)

func TestHorseshoeConformance(t *testing.T) {
	for _, c := range infertest.HorseshoeCases() {
		for _, o := range []Options{{RefreshEvery: 3}, {Scan: "random"}} {
			t.Run(c.Name, func(t *testing.T) {
				_, target, err := c.Simulate(infer.NewStream(5, "conform", c.Name))
				must(t, err)
				infertest.Conformance(t, target, sampler(o))
			})
		}
	}
}

// False alarms: at most 1e-6 for each of 5 checks. Power: a distance of 0.13 between distributions with 1,000
// pairs, of 0.029 with GLMBATCH_STAT=1.
func TestHorseshoeInvariance(t *testing.T) {
	seed := infertest.Seed(t)
	for _, c := range infertest.HorseshoeCases() {
		t.Run(c.Name, func(t *testing.T) {
			infertest.Invariance(t, infertest.Check{Case: c, Sampler: sampler(Options{}), Seed: seed, Pairs: infertest.Scale(1000, 20_000)})
		})
	}
}

// withBlocks is a sampler whose scales move by other blocks.
func withBlocks(blocks ...scaleBlock) infertest.Sampler {
	return func(target *glm.Target) (infer.Setup, error) {
		s, err := New(target, Options{})
		if err != nil {
			return nil, err
		}
		for g := range s.(*setup).blocks {
			s.(*setup).blocks[g] = blocks
		}
		return s, nil
	}
}

// tilted is a density with something added.
type tilted struct {
	density
	by func(displacement float64) float64
}

func (f tilted) at(displacement float64) (float64, glm.Value) {
	value, v := f.density.at(displacement)
	return value + f.by(displacement), v
}

// withoutNormaliser slices every lambda as if the spread entered only the exponent of the coefficient's normal
// density.
func withoutNormaliser(k *kernel, g int) bool {
	h := k.target.Groups()[g]
	for i, j := range h.Columns {
		k.coord, k.here = k.swept+h.Local+i, k.point.LogScale(h.Local+i)
		logSpread := func(displacement float64) float64 {
			k.point.SetLogScale(h.Local+i, k.here+displacement)
			defer k.point.SetLogScale(h.Local+i, k.here)
			return math.Log(k.point.Spread(j))
		}
		f := tilted{alongScale{k}, logSpread}
		current, _ := f.at(0)
		if d, _, moved, ok := k.slice.update(f, current, 1); ok && moved {
			k.point.SetLogScale(h.Local+i, k.here+d)
		}
	}
	return true
}

// withoutJacobian stretches as if tau were moved and not its logarithm.
func withoutJacobian(k *kernel, g int) bool {
	k.point.Stretch(g)
	f := tilted{alongStretch{k}, func(displacement float64) float64 { return -displacement }}
	current, _ := f.at(0)
	if d, v, moved, ok := k.slice.update(f, current, 1); ok && moved {
		k.point.MoveStretch(d, v)
	}
	return true
}

// late returns blocks that set each lambda to its draw of a sweep before, given the coefficients of then: one sweep
// lies between a lambda's draw and its use.
func late(blocks ...scaleBlock) infertest.Sampler {
	return func(target *glm.Target) (infer.Setup, error) {
		var drawn []float64
		h := target.Groups()[0]
		locals := func(k *kernel, g int) bool {
			var now []float64
			for i := range h.Columns {
				now = append(now, k.point.LogScale(h.Local+i))
			}
			for i, l := range drawn {
				k.point.SetLogScale(h.Local+i, l)
			}
			force := drawn
			if force == nil {
				force = now
			}
			drawLocals(k, g)
			drawn = nil
			for i := range h.Columns {
				drawn = append(drawn, k.point.LogScale(h.Local+i))
				k.point.SetLogScale(h.Local+i, force[i])
			}
			return true
		}
		return withBlocks(append([]scaleBlock{locals}, blocks...)...)(target)
	}
}

// TestHorseshoeInvarianceCatches plants faults in blocks and prior, each of
// which must be rejected; a fault that kills a chain is no rejection.
func TestHorseshoeInvarianceCatches(t *testing.T) {
	plain, regularised := infertest.HorseshoeCases()[0], infertest.HorseshoeCases()[2]
	for _, f := range []struct {
		name    string
		at      infertest.Case
		sampler infertest.Sampler
	}{
		{"normaliser", regularised, withBlocks(stretch, withoutNormaliser, sliceGlobal, sliceSlab)},
		{"Jacobian", plain, withBlocks(withoutJacobian, drawLocals, drawGlobal)},
		{"order", plain, late(drawGlobal)},
		{"plain blocks", regularised, withBlocks(stretch, drawLocals, drawGlobal, sliceSlab)},
		{"tau0", plain, infertest.WrongPriorScale(sampler(Options{}), 2)},
	} {
		t.Run(f.name, func(t *testing.T) {
			infertest.MustReject(t, func(tb infertest.TB) {
				infertest.Invariance(tb, infertest.Check{Case: f.at, Sampler: f.sampler, Seed: 1, Steps: 6, Pairs: infertest.Scale(3000, 20_000)})
			})
		})
	}
}
