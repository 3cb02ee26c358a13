package conjugate_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strconv"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/conjugate"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

func sampler(target *glm.Target) (infer.Setup, error) { return conjugate.New(target) }

// TestConformance covers n on both sides of d, flat, normal and mixed priors:
// Info's densities, made in rotated rows, are those of the textbook.
func TestConformance(t *testing.T) {
	for _, f := range conjugate.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			target, err := glm.NewTarget(f.Data, f.Model)
			must(t, err)
			infertest.Conformance(t, target, sampler)
		})
	}
}

// TestBitsArePinned: the draws of Version are these, on every processor. When
// they must change, change Version too.
func TestBitsArePinned(t *testing.T) {
	const version, want = "conjugate/1", "e2b88e28af97e091"
	hash := sha256.New()
	for _, s := range [][2]int{{30, 4}, {6, 9}, {700, 3}} {
		data, model := big(s[0], s[1])
		k := kernel(t, data, model)
		theta := make([]float64, data.Cols()+1)
		for range 50 {
			info, err := k.Step()
			must(t, err)
			k.Position(theta)
			for _, v := range append(theta, info.LogLik, info.LogPrior) {
				_ = binary.Write(hash, binary.LittleEndian, v)
			}
		}
	}
	if got := hex.EncodeToString(hash.Sum(nil)[:8]); got != want || conjugate.Version != version {
		t.Errorf("%s draws bits with hash %s, pinned are %s with %s", conjugate.Version, got, version, want)
	}
}

// TestStepAllocatesNothing keeps the garbage collector off the path of a chain.
func TestStepAllocatesNothing(t *testing.T) {
	for _, f := range conjugate.Fixtures() {
		k := kernel(t, f.Data, f.Model)
		if n := testing.AllocsPerRun(100, func() { _, _ = k.Step() }); n != 0 {
			t.Errorf("%s: %v allocations per step", f.Name, n)
		}
	}
}

func kernel(tb testing.TB, data *glm.Data, model glm.Model) infer.Kernel {
	tb.Helper()
	target, err := glm.NewTarget(data, model)
	must(tb, err)
	setup, err := conjugate.New(target)
	must(tb, err)
	k, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1, "test")})
	must(tb, err)
	return k
}

// TestNoStream: a chain without a stream is refused, not started from nowhere.
func TestNoStream(t *testing.T) {
	f := conjugate.Fixtures()[0]
	target, err := glm.NewTarget(f.Data, f.Model)
	must(t, err)
	setup, err := conjugate.New(target)
	must(t, err)
	if _, err := setup.Kernel(infer.Chain{}); err == nil {
		t.Error("a chain started without a stream")
	}
}

// big is a posterior of n rows and d columns with an intercept's flat prior and
// N(0, 10²) for the others.
func big(n, d int) (*glm.Data, glm.Model) {
	rng := infer.NewStream(1, "big")
	data := &glm.Data{X: design.NewDense(n, d), Intercept: 0, Y: make([]float64, n)}
	for i := range design.ToDense(data.X).Values {
		design.ToDense(data.X).Values[i] = rng.Float64() - 0.5
	}
	for i := range n {
		data.X.Col(0)[i] = 1
		data.Y[i] = rng.Float64() + data.X.Col(d - 1)[i] // no product: exact bits everywhere
	}
	model := glm.Model{Family: glm.Family{Name: "gaussian", Link: "identity"},
		Coefficients: []prior.Prior{{Kind: prior.Flat}}, Dispersion: prior.Prior{Kind: prior.HalfCauchy, Scale: 1}}
	for len(model.Coefficients) < d {
		model.Coefficients = append(model.Coefficients, prior.Prior{Kind: prior.Normal, Scale: 10})
	}
	return data, model
}

var shapes = [][2]int{{1000, 20}, {100_000, 20}, {2600, 501}, {72, 7130}}

func BenchmarkNew(b *testing.B) {
	for _, s := range shapes {
		b.Run("n="+strconv.Itoa(s[0])+"/d="+strconv.Itoa(s[1]), func(b *testing.B) {
			target, err := glm.NewTarget(big(s[0], s[1]))
			must(b, err)
			for b.Loop() {
				if _, err := conjugate.New(target); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStep(b *testing.B) {
	for _, s := range shapes {
		b.Run("n="+strconv.Itoa(s[0])+"/d="+strconv.Itoa(s[1]), func(b *testing.B) {
			data, model := big(s[0], s[1])
			k := kernel(b, data, model)
			for b.Loop() {
				if info, err := k.Step(); err != nil || math.IsNaN(info.LogLik) {
					b.Fatal(info, err)
				}
			}
		})
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
