package cggibbs

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	laws "glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
)

// pinned are hashes of the draws, log densities and counts below, per family.
// A change means another Version.
var pinned = map[string]string{
	"gaussian":  "317f5a30532159c1",
	"bernoulli": "53f3caac05bac91f",
	"binomial":  "9fd50c43f52f2d0f",
	"poisson":   "5bec86c6f148628d",
}

// TestPinned pins the draws of 4 chains from their starts on, over a refresh
// and a random scan: they must be made again by a later build, on another
// processor and with any kernels.
func TestPinned(t *testing.T) {
	for i, f := range append(familyNames, familyNames...) {
		kernels := []string{"scalar", "vector"}[i/len(familyNames)]
		h := sha256.New()
		put := func(x float64) {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
		}
		target := streamPosterior(t, f)
		for c := range 4 {
			s, err := New(target, Options{Kernels: kernels, RefreshEvery: 16, Scan: []string{"systematic", "random"}[c%2]})
			must(t, err)
			k, err := s.Kernel(infer.Chain{Index: c, Count: 4, Stream: infer.NewStream(uint64(c), f)})
			must(t, err)
			theta := make([]float64, target.Dim())
			for range 40 {
				info := step(t, k)
				k.Position(theta)
				for _, v := range append(theta, info.LogLik, info.LogPrior, float64(info.Evaluations), float64(info.Touched)) {
					put(v)
				}
			}
		}
		if got := hex.EncodeToString(h.Sum(nil))[:16]; got != pinned[f] {
			t.Errorf("%s, %s: the draws have changed: hash %s, pinned %s", f, kernels, got, pinned[f])
		}
	}
}

// streamPosterior is a posterior made of a Stream's uniforms alone, equal to
// the bit everywhere: 30 rows, 5 columns, one prior flat.
func streamPosterior(t *testing.T, family string) *glm.Target {
	t.Helper()
	const n, d = 30, 5
	src := infer.NewStream(2026, "pinned")
	data := &glm.Data{X: design.NewDense(n, d), Y: make([]float64, n), Offset: make([]float64, n), Intercept: 0}
	for i := range design.ToDense(data.X).Values {
		design.ToDense(data.X).Values[i] = variate.Normal(src)
		if i < n {
			design.ToDense(data.X).Values[i] = 1
		}
	}
	if family == "binomial" {
		data.Trials = make([]float64, n)
	}
	for i := range n {
		data.Offset[i] = src.Float64() - 0.5
		switch family {
		case "gaussian":
			data.Y[i] = variate.Normal(src)
		case "binomial":
			data.Trials[i] = float64(1 + variate.Index(src, 5))
			data.Y[i] = float64(variate.Index(src, 1+int(data.Trials[i])))
		default:
			data.Y[i] = float64(variate.Index(src, 2))
		}
	}
	f, err := laws.Parse(family, "")
	must(t, err)
	m := glm.Model{Family: f, Dispersion: prior.Prior{Kind: prior.HalfNormal, Scale: 2}}
	for j := range d {
		m.Coefficients = append(m.Coefficients, prior.Prior{Kind: prior.Normal, Location: 0.1, Scale: 1 + float64(j)})
	}
	m.Coefficients[0] = prior.Prior{Kind: prior.Flat}
	target, err := glm.NewTarget(data, m)
	must(t, err)
	return target
}
