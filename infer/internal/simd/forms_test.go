package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"glmbatch/infer/internal/vec"
)

// operands are the slices of one call.
type operands struct {
	y, m, eta, x []float64
	delta        float64
}

func newOperands(r *rand.Rand, n int, wild bool) operands {
	scale := []float64{0.1, 1, 20, 500}[r.IntN(4)]
	o := operands{column(r, n, 3, wild), column(r, n, 3, wild), column(r, n, scale, wild), column(r, n, 1, wild), r.NormFloat64()}
	for i, m := range o.m {
		o.m[i] = math.Abs(math.Round(m))
	}
	if r.IntN(4) == 0 {
		o.delta = 0
	}
	return o
}

// reductions are all functions that return sums.
var reductions = map[string]func(o operands) []float64{
	"Sum":                   func(o operands) []float64 { return []float64{Sum(o.x)} },
	"Dot":                   func(o operands) []float64 { return []float64{Dot(o.eta, o.x)} },
	"SumSquares":            func(o operands) []float64 { return []float64{SumSquares(o.x)} },
	"SumSquaresAlong":       func(o operands) []float64 { return []float64{SumSquaresAlong(o.y, o.eta, o.x, o.delta)} },
	"SumLog1pExpAlong":      func(o operands) []float64 { return []float64{SumLog1pExpAlong(o.eta, o.x, o.delta)} },
	"WeightedLog1pExpAlong": func(o operands) []float64 { return []float64{WeightedLog1pExpAlong(o.m, o.eta, o.x, o.delta)} },
	"SumExpAlong":           func(o operands) []float64 { return []float64{SumExpAlong(o.eta, o.x, o.delta)} },
	"WeightedExpAlong":      func(o operands) []float64 { return []float64{WeightedExpAlong(o.m, o.eta, o.x, o.delta)} },
	"Log1pExpMoments":       func(o operands) []float64 { return triple(Log1pExpMoments(o.eta, o.x, o.delta)) },
	"WeightedLog1pExpMoments": func(o operands) []float64 {
		return triple(WeightedLog1pExpMoments(o.m, o.eta, o.x, o.delta))
	},
	"ExpMoments":         func(o operands) []float64 { return triple(ExpMoments(o.eta, o.x, o.delta)) },
	"WeightedExpMoments": func(o operands) []float64 { return triple(WeightedExpMoments(o.m, o.eta, o.x, o.delta)) },
	"SquaresMoments":     func(o operands) []float64 { return triple(SquaresMoments(o.y, o.eta, o.x, o.delta)) },
}

func triple(m Moments) []float64 { return []float64{m.Value, m.Slope, m.Curve} }

// writers are all functions that write a slice.
var writers = map[string]func(dst []float64, o operands){
	"Axpy":            func(dst []float64, o operands) { copy(dst, o.y); Axpy(o.delta, o.x, dst) },
	"Exp":             func(dst []float64, o operands) { Exp(dst, o.eta) },
	"Log":             func(dst []float64, o operands) { Log(dst, o.eta) },
	"Log1p":           func(dst []float64, o operands) { Log1p(dst, o.eta) },
	"Log1pExp":        func(dst []float64, o operands) { Log1pExp(dst, o.eta) },
	"Logistic":        func(dst []float64, o operands) { Logistic(dst, o.eta) },
	"LogitSlopes":     func(dst []float64, o operands) { LogitSlopes(dst, o.y, o.eta) },
	"TrialsSlopes":    func(dst []float64, o operands) { TrialsSlopes(dst, o.y, o.m, o.eta) },
	"LogitCurvatures": func(dst []float64, o operands) { LogitCurvatures(dst, o.eta) },
	"ExpSlopes":       func(dst []float64, o operands) { ExpSlopes(dst, o.y, o.eta) },
	"in place":        func(dst []float64, o operands) { copy(dst, o.eta); LogitSlopes(dst, o.y, dst) },
}

// Every form gives the bits of the portable one, at any length and alignment and
// for any numbers; and writes nothing behind the end.
func TestFormsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 2))
	vectors := vectorForms(t)
	for _, n := range lengths() {
		for _, wild := range []bool{false, true} {
			o := newOperands(r, n, wild)
			for name, of := range reductions {
				agree(t, vectors, name, n, func() []float64 { return of(o) })
			}
			for name, of := range writers {
				start := r.IntN(8)
				agree(t, vectors, name, n, func() []float64 {
					whole := make([]float64, n+20)
					of(whole[start:start+n:start+n], o)
					return whole
				})
			}
		}
	}
}

// agree compares what call returns in each form with the portable form.
func agree(t *testing.T, vectors []form, name string, n int, call func() []float64) {
	t.Helper()
	var want []float64
	with(portable, func() { want = call() })
	for _, f := range vectors {
		with(f, func() {
			got := call()
			if i := firstDifference(want, got); i >= 0 {
				t.Errorf("%s, %s: %v (%#x) at %d, portable %v (%#x)", name, describe(f, n), got[i], math.Float64bits(got[i]), i,
					want[i], math.Float64bits(want[i]))
			}
		})
	}
}

// The elementary functions have vec's bits at every special value and at any
// pattern of 64 bits, so that the error bounds that vec's tests hold against
// math/big are theirs.
func TestElementaryIsVec(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 3))
	cases := map[string]struct {
		slices func(dst, x []float64)
		scalar func(float64) float64
	}{
		"Exp": {Exp, vec.Exp}, "Log": {Log, vec.Log}, "Log1p": {Log1p, vec.Log1p}, "Log1pExp": {Log1pExp, vec.Log1pExp}, "Logistic": {Logistic, vec.Logistic},
	}
	var xs []float64
	for range 8 { // every special value in every lane
		xs = append(append(xs, specials...), 1)
	}
	for range 30_000 {
		any := math.Float64frombits(r.Uint64())
		xs = append(xs, any, 1e3*r.NormFloat64(), r.NormFloat64(), 10*r.Float64(), math.Ldexp(r.NormFloat64(), -r.IntN(80)), -r.Float64())
	}
	dst := make([]float64, len(xs))
	for _, f := range append(vectorForms(t), portable) {
		with(f, func() {
			for name, c := range cases {
				c.slices(dst, xs)
				bad := 0
				for i, x := range xs {
					if want := c.scalar(x); !same(dst[i], want) && bad < 5 {
						bad++
						t.Errorf("%s(%v), %s: %v, vec has %v", name, x, forms[f], dst[i], want)
					}
				}
			}
		})
	}
}

// A sum is vec's, and a fused pass is that at the point that a move leads to.
func TestSumsAreVec(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 4))
	for _, f := range append(vectorForms(t), portable) {
		for _, n := range []int{1, 5, 8, 62, 600, 1300} {
			o := newOperands(r, n, false)
			moved := slices.Clone(o.eta)
			vec.Axpy(o.delta, o.x, moved)
			with(f, func() {
				for name, pair := range map[string][2]float64{
					"Sum":                     {Sum(o.x), vec.Sum(o.x)},
					"Dot":                     {Dot(o.x, o.eta), vec.Dot(o.x, o.eta)},
					"SumLog1pExpAlong":        {SumLog1pExpAlong(o.eta, o.x, o.delta), vec.SumLog1pExpAlong(moved, moved, 0)},
					"Log1pExpMoments":         {Log1pExpMoments(o.eta, o.x, o.delta).Value, vec.SumLog1pExpAlong(moved, moved, 0)},
					"WeightedLog1pExpAlong":   {WeightedLog1pExpAlong(o.m, o.eta, o.x, o.delta), vec.WeightedLog1pExpAlong(o.m, moved, moved, 0)},
					"WeightedLog1pExpMoments": {WeightedLog1pExpMoments(o.m, o.eta, o.x, o.delta).Value, vec.WeightedLog1pExpAlong(o.m, moved, moved, 0)},
					"SumExpAlong":             {SumExpAlong(o.eta, o.x, o.delta), vec.SumExpAlong(moved, moved, 0)},
					"ExpMoments":              {ExpMoments(o.eta, o.x, o.delta).Value, vec.SumExpAlong(moved, moved, 0)},
					"SumSquaresAlong":         {SumSquaresAlong(o.y, o.eta, o.x, o.delta), vec.SumSquaresAlong(o.y, moved, moved, 0)},
					"SquaresMoments":          {SquaresMoments(o.y, o.eta, o.x, o.delta).Value, vec.SumSquaresAlong(o.y, moved, moved, 0)},
				} {
					if !same(pair[0], pair[1]) {
						t.Errorf("%s, %s: %v, vec has %v", name, describe(f, n), pair[0], pair[1])
					}
				}
			})
		}
	}
}

// Columns four at a time have the bits of columns one at a time.
func TestColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 5))
	for _, f := range append(vectorForms(t), portable) {
		for _, n := range []int{0, 1, 7, 8, 13, 62, 100, 301} {
			for k := range 10 {
				x, v, a := column(r, n*k, 1, true), column(r, n, 1, true), column(r, k, 1, false)
				dots, want := make([]float64, k), make([]float64, k)
				sum, moved := slices.Clone(v), slices.Clone(v)
				for j := range k {
					want[j] = vec.Dot(x[j*n:(j+1)*n], v)
					vec.Axpy(a[j], x[j*n:(j+1)*n], moved)
				}
				with(f, func() { DotColumns(x, v, dots); AxpyColumns(a, x, sum) })
				if i := firstDifference(want, dots); i >= 0 {
					t.Errorf("DotColumns, %s, k = %d: column %d has %v, vec %v", describe(f, n), k, i, dots[i], want[i])
				}
				if i := firstDifference(moved, sum); i >= 0 {
					t.Errorf("AxpyColumns, %s, k = %d: row %d has %v, vec %v", describe(f, n), k, i, sum[i], moved[i])
				}
			}
		}
	}
}

// The derivatives are those of the definition, row by row. Tolerance: 4 units in the
// last place of each row's term and one for each of the additions.
func TestMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 6))
	o := newOperands(r, 700, false)
	o.eta = column(r, 700, 8, false)
	of := func(first, second func(i int, at float64) float64) (want, size Moments) {
		for i, x := range o.x {
			at := math.FMA(o.delta, x, o.eta[i])
			slope, curve := first(i, at)*x, second(i, at)*x*x
			want.Slope += slope
			want.Curve += curve
			size.Slope += math.Abs(slope)
			size.Curve += math.Abs(curve)
		}
		return want, size
	}
	p := func(_ int, at float64) float64 { return 1 / (1 + math.Exp(-at)) }
	w := func(_ int, at float64) float64 { return 1 / (1 + math.Exp(-at)) / (1 + math.Exp(at)) }
	mu := func(_ int, at float64) float64 { return math.Exp(at) }
	trials := func(f func(int, float64) float64) func(int, float64) float64 {
		return func(i int, at float64) float64 { return o.m[i] * f(i, at) }
	}
	for name, c := range map[string]struct {
		got           Moments
		first, second func(int, float64) float64
	}{
		"Log1pExpMoments":         {Log1pExpMoments(o.eta, o.x, o.delta), p, w},
		"WeightedLog1pExpMoments": {WeightedLog1pExpMoments(o.m, o.eta, o.x, o.delta), trials(p), trials(w)},
		"ExpMoments":              {ExpMoments(o.eta, o.x, o.delta), mu, mu},
		"WeightedExpMoments":      {WeightedExpMoments(o.m, o.eta, o.x, o.delta), trials(mu), trials(mu)},
		"SquaresMoments": {SquaresMoments(o.y, o.eta, o.x, o.delta),
			func(i int, at float64) float64 { return at - o.y[i] }, func(int, float64) float64 { return 1 }},
	} {
		want, size := of(c.first, c.second)
		if d := math.Abs(c.got.Slope-want.Slope) / size.Slope; !(d < 100*0x1p-52) {
			t.Errorf("%s: slope %v, want %v: off by %.2g of its terms", name, c.got.Slope, want.Slope, d)
		}
		if d := math.Abs(c.got.Curve-want.Curve) / size.Curve; !(d < 100*0x1p-52) {
			t.Errorf("%s: curvature %v, want %v: off by %.2g of its terms", name, c.got.Curve, want.Curve, d)
		}
	}
}
