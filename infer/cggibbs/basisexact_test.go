package cggibbs

import (
	"bytes"
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// based starts chain 0 of 4 of a basis.
func based(t testing.TB, target *glm.Target, o Options) (*basisKernel, infer.Setup) {
	t.Helper()
	s, err := New(target, o)
	must(t, err)
	k, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "chain")})
	must(t, err)
	if r, ok := k.(*reducedKernel); ok {
		return r.basisKernel, s
	}
	b, ok := k.(*basisKernel)
	if !ok {
		t.Fatalf("%+v: %s", o, s.(infer.Explainer).Explain())
	}
	return b, s
}

// The cached predictor is offset + X·theta after every iteration, from refresh to
// refresh, whatever moved.
func TestBasisCacheMatchesProduct(t *testing.T) {
	for _, c := range basisCases() {
		target := simulated(t, c)
		for _, v := range basisVariants {
			if v.Basis == "" {
				continue
			}
			k, _ := based(t, target, v.Options)
			theta := make([]float64, target.Dim())
			for i := range 25 {
				step(t, k)
				k.Position(theta)
				for r, got := range k.point.Eta() {
					want, size := 0.0, 1.0
					if o := target.Data().Offset; o != nil {
						want = o[r]
					}
					for j := range target.Cols() {
						term := target.Data().X.Col(j)[r] * theta[j]
						want, size = want+term, size+math.Abs(term)
					}
					if math.Abs(got-want) > 1e-11*size {
						t.Fatalf("%s, %s, iteration %d, row %d: cached %v, product %v", c.Name, v.name, i, r, got, want)
					}
				}
			}
		}
	}
}

// Cached and uncached chains agree draw for draw while their decisions do.
func TestBasisUncachedAgrees(t *testing.T) {
	for _, c := range basisCases() {
		target := simulated(t, c)
		for _, v := range basisVariants {
			o := v.Options
			o.RefreshEvery = -1
			a, _ := based(t, target, with(o, "stepping_out"))
			o.Uncached = true
			b, _ := based(t, target, with(o, "stepping_out"))
			agree(t, c.Name+", "+v.name, a, b, 30, 1e-8)
		}
	}
}

// with names an update where none is named.
func with(o Options, update string) Options {
	if o.Update == "" {
		o.Update = update
	}
	return o
}

// agree steps two chains and compares their positions.
func agree(t *testing.T, what string, a, b infer.Kernel, steps int, tol float64) {
	t.Helper()
	var x, y [64]float64
	for i := range steps {
		step(t, a)
		step(t, b)
		a.Position(x[:])
		b.Position(y[:])
		for j := range x {
			if !(math.Abs(x[j]-y[j]) <= tol*(1+math.Abs(x[j]))) {
				t.Fatalf("%s, iteration %d: parameter %d is %v and %v", what, i, j, x[j], y[j])
			}
		}
	}
}

// With the identity for T the decisions are those of the coordinate sampler.
func TestIdentityIsCoordinate(t *testing.T) {
	for _, f := range familyNames {
		target := posterior(t, f, 14, 4, unitNormal)
		o, err := Options{Update: "doubling"}.filled()
		must(t, err)
		s, err := newBasis(target, o)
		must(t, err)
		a, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "x")})
		must(t, err)
		plain, err := New(target, Options{})
		must(t, err)
		stream := infer.NewStream(1, "x")
		stream.Uint64() // the key
		b, err := plain.Kernel(infer.Chain{Count: 4, Stream: stream})
		must(t, err)
		agree(t, f, a, b, 60, 1e-9)
	}
}

// A chain that is saved and restored before every iteration gives the bits of
// one that is left alone.
func TestBasisRestored(t *testing.T) {
	for _, c := range basisCases()[:8] {
		target := simulated(t, c)
		for _, v := range basisVariants {
			a, s := based(t, target, v.Options)
			b, _ := based(t, target, v.Options)
			x, y := make([]float64, target.Dim()), make([]float64, target.Dim())
			for i := range 20 {
				state, err := b.MarshalBinary()
				must(t, err)
				other, err := s.Kernel(infer.Chain{Index: 2, Count: 4, Stream: infer.NewStream(99, "another")})
				must(t, err)
				must(t, other.UnmarshalBinary(state))
				if again, _ := other.MarshalBinary(); !bytes.Equal(again, state) {
					t.Fatalf("%s, %s, iteration %d: the state changed", c.Name, v.name, i)
				}
				u, w := step(t, a), step(t, other)
				a.Position(x)
				other.Position(y)
				for j := range x {
					if math.Float64bits(x[j]) != math.Float64bits(y[j]) || u != w {
						t.Fatalf("%s, %s, iteration %d: %v, restored %v", c.Name, v.name, i, x, y)
					}
				}
				if r, ok := other.(*reducedKernel); ok {
					b = r.basisKernel
				} else {
					b = other.(*basisKernel)
				}
			}
		}
	}
}

// Rows expand to the bits of Position, in blocks of any size, by eights and by themselves, and z is the projection
// of theta_G, with its log density.
func TestExpand(t *testing.T) {
	gaps := wide(infertest.Bernoulli(12), 5, 30)
	for _, j := range []int{10, 11, 20} {
		gaps.Model.Coefficients[j].Kind = prior.Laplace // the columns of G are no neighbours there
	}
	for _, c := range append(basisCases(), gaps) {
		target := simulated(t, c)
		s, err := New(target, Options{Basis: "reduced"})
		must(t, err)
		expands(t, c.Name, s.(infer.Compact), s.(*reducedSetup))
	}
}

// expands compares rows of a chain with its positions.
func expands(t *testing.T, name string, setup infer.Compact, reduced *reducedSetup) {
	t.Helper()
	d := len(setup.Parameters())
	made, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(3, "expand")})
	must(t, err)
	k := made.(infer.CompactKernel)
	entries := setup.Row()
	const m = 2*lines + 3
	rows, want := make([]float64, m*len(entries)), make([]float64, m*d)
	iterations := make([]int64, m)
	for i := range m {
		for range 2 {
			step(t, k)
		}
		iterations[i] = int64(2*i + 1)
		k.Row(rows[i*len(entries) : (i+1)*len(entries)])
		theta := make([]float64, d)
		k.Position(theta)
		for j, v := range theta {
			want[j*m+i] = v
		}
		checkRow(t, reduced, entries, rows[i*len(entries):], theta)
	}
	for first := range d {
		for last := first; last <= d; last++ {
			got := make([]float64, (last-first)*m)
			setup.Expand(got, m, rows, k.Key(), iterations, first, last)
			for i, v := range got {
				if v != want[first*m+i] {
					t.Fatalf("%s: parameters %d to %d: entry %d is %v, Position wrote %v", name, first, last, i, v, want[first*m+i])
				}
			}
		}
	}
}

// checkRow compares a row with the position it was taken at.
func checkRow(t *testing.T, s *reducedSetup, entries []infer.RowEntry, row, theta []float64) {
	t.Helper()
	v := make([]float64, len(s.frame.Origin))
	s.reduction.sampled(theta, v)
	squares := 0.0
	for i, x := range v {
		if math.Abs(x-row[i]) > 1e-9*(1+math.Abs(x)) {
			t.Errorf("%s is %v, of the position %v", entries[i].Name, row[i], x)
		}
		if i >= len(s.reduction.kept) {
			squares += x * x
		}
	}
	at := len(v) + s.target.Dim() - s.target.Cols()
	r := float64(len(v) - len(s.reduction.kept))
	if want := -(squares + r*math.Log(2*math.Pi)) / 2; entries[at].Name != "log_density_z" || math.Abs(row[at]-want) > 1e-8 {
		t.Errorf("%s is %v, of the position %v", entries[at].Name, row[at], want)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
