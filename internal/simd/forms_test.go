package simd

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"glmbatch/internal/vec"
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
var reductions = map[string]func(k Kernels, o operands) []float64{
	"Sum":              func(k Kernels, o operands) []float64 { return []float64{k.Sum(o.x)} },
	"Dot":              func(k Kernels, o operands) []float64 { return []float64{k.Dot(o.eta, o.x)} },
	"SumSquares":       func(k Kernels, o operands) []float64 { return []float64{k.SumSquares(o.x)} },
	"SumSquaresAlong":  func(k Kernels, o operands) []float64 { return []float64{k.SumSquaresAlong(o.y, o.eta, o.x, o.delta)} },
	"SumLog1pExpAlong": func(k Kernels, o operands) []float64 { return []float64{k.SumLog1pExpAlong(o.eta, o.x, o.delta)} },
	"WeightedLog1pExpAlong": func(k Kernels, o operands) []float64 {
		return []float64{k.WeightedLog1pExpAlong(o.m, o.eta, o.x, o.delta)}
	},
	"SumExpAlong": func(k Kernels, o operands) []float64 { return []float64{k.SumExpAlong(o.eta, o.x, o.delta)} },
	"WeightedSquaresAlong": func(k Kernels, o operands) []float64 {
		return []float64{k.WeightedSquaresAlong(o.m, o.y, o.eta, o.x, o.delta)}
	},
	"Slopes": func(k Kernels, o operands) []float64 {
		slope, curve := k.Slopes(o.x, o.eta, o.m)
		return []float64{slope, curve, k.Dot(o.x, o.eta) - slope, vec.CurvatureAlong(o.x, o.m) - curve}
	},
	"WeightedExpAlong": func(k Kernels, o operands) []float64 { return []float64{k.WeightedExpAlong(o.m, o.eta, o.x, o.delta)} },
	"Log1pExpMoments":  func(k Kernels, o operands) []float64 { return triple(k.Log1pExpMoments(o.eta, o.x, o.delta)) },
	"WeightedLog1pExpMoments": func(k Kernels, o operands) []float64 {
		return triple(k.WeightedLog1pExpMoments(o.m, o.eta, o.x, o.delta))
	},
	"ExpMoments":         func(k Kernels, o operands) []float64 { return triple(k.ExpMoments(o.eta, o.x, o.delta)) },
	"WeightedExpMoments": func(k Kernels, o operands) []float64 { return triple(k.WeightedExpMoments(o.m, o.eta, o.x, o.delta)) },
}

func triple(m Moments) []float64 { return []float64{m.Value, m.Slope, m.Curve} }

// writers are all functions that write a slice.
var writers = map[string]func(k Kernels, dst []float64, o operands){
	"Axpy": func(k Kernels, dst []float64, o operands) { copy(dst, o.y); k.Axpy(o.delta, o.x, dst) },
	"Rotate": func(k Kernels, dst []float64, o operands) {
		copy(dst, o.y)
		y := slices.Clone(o.m)
		k.Rotate(o.delta, 0.3, dst, y)
		vec.Axpy(7, y, dst)
	},
	"Exp":            func(k Kernels, dst []float64, o operands) { k.Exp(dst, o.eta) },
	"Log":            func(k Kernels, dst []float64, o operands) { k.Log(dst, o.eta) },
	"Log1p":          func(k Kernels, dst []float64, o operands) { k.Log1p(dst, o.eta) },
	"Log1pExp":       func(k Kernels, dst []float64, o operands) { k.Log1pExp(dst, o.eta) },
	"LogNormalCDF":   func(k Kernels, dst []float64, o operands) { k.LogNormalCDF(dst, o.eta) },
	"LogCauchyCDF":   func(k Kernels, dst []float64, o operands) { k.LogCauchyCDF(dst, o.eta) },
	"NormalQuantile": func(k Kernels, dst []float64, o operands) { k.NormalQuantile(dst, o.eta) },
	"Logistic":       func(k Kernels, dst []float64, o operands) { k.Logistic(dst, o.eta) },
	"LogitSlopes":    func(k Kernels, dst []float64, o operands) { k.LogitSlopes(dst, o.y, o.eta) },
	"TrialsSlopes":   func(k Kernels, dst []float64, o operands) { k.TrialsSlopes(dst, o.y, o.m, o.eta) },
	"TrialsCurves": func(k Kernels, dst []float64, o operands) {
		grad, curv := make([]float64, len(dst)), make([]float64, len(dst))
		k.TrialsCurves(dst, grad, curv, o.y, o.m, o.eta)
		vec.Axpy(3, grad, dst)
		vec.Axpy(7, curv, dst)
	},
	"OddsCurves": func(k Kernels, dst []float64, o operands) {
		odds, grad, curv := make([]float64, len(dst)), make([]float64, len(dst)), make([]float64, len(dst))
		k.OddsCurves(dst, odds, grad, curv, o.y, o.eta)
		vec.Axpy(3, odds, dst)
		vec.Axpy(7, grad, dst)
		vec.Axpy(11, curv, dst)
	},
	"Log1pExpCurve": func(k Kernels, dst []float64, o operands) {
		second := make([]float64, len(dst))
		sum := k.Log1pExpCurve(o.eta, o.x, o.delta, dst, second)
		if len(dst) > 0 {
			dst[0] = math.FMA(3, sum, dst[0])
		}
		vec.Axpy(7, second, dst)
	},
	"ExpCurve": func(k Kernels, dst []float64, o operands) {
		sum := k.ExpCurve(o.eta, o.x, o.delta, dst)
		if len(dst) > 0 {
			dst[0] = math.FMA(3, sum, dst[0])
		}
	},
	"Minus":           func(k Kernels, dst []float64, o operands) { copy(dst, o.y); k.Minus(dst, o.eta, dst) },
	"LogitCurvatures": func(k Kernels, dst []float64, o operands) { k.LogitCurvatures(dst, o.eta) },
	"ExpSlopes":       func(k Kernels, dst []float64, o operands) { k.ExpSlopes(dst, o.y, o.eta) },
	"in place":        func(k Kernels, dst []float64, o operands) { copy(dst, o.eta); k.LogitSlopes(dst, o.y, dst) },
}

// Every form gives the bits of the portable one, at any length and alignment and
// for any numbers; and writes nothing behind the end.
func TestFormsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 2))
	ways := vectors()
	for _, n := range lengths() {
		for _, wild := range []bool{false, true} {
			o := newOperands(r, n, wild)
			for name, of := range reductions {
				agree(t, ways, name, n, func(k Kernels) []float64 { return of(k, o) })
			}
			for _, name := range slices.Sorted(maps.Keys(writers)) { // in order, so that a seed makes the same slices again
				of, start := writers[name], r.IntN(8)
				agree(t, ways, name, n, func(k Kernels) []float64 {
					whole := make([]float64, n+20)
					of(k, whole[start:start+n:start+n], o)
					return whole
				})
			}
		}
	}
}

// agree compares what call returns in each way with the portable one.
func agree(t *testing.T, ways []Kernels, name string, n int, call func(Kernels) []float64) {
	t.Helper()
	want := call(Scalar)
	for _, k := range ways {
		got := call(k)
		if i := firstDifference(want, got); i >= 0 {
			t.Errorf("%s, %s: %v (%#x) at %d, portable %v (%#x)", name, describe(k, n), got[i], math.Float64bits(got[i]), i,
				want[i], math.Float64bits(want[i]))
		}
	}
}

// The elementary functions have vec's bits at every special value and at any
// pattern of 64 bits, so that the error bounds that vec's tests hold against
// math/big are theirs.
func TestElementaryIsVec(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 3))
	cases := map[string]struct {
		slices func(k Kernels, dst, x []float64)
		scalar func(float64) float64
	}{
		"Exp": {Kernels.Exp, vec.Exp}, "Log": {Kernels.Log, vec.Log}, "Log1p": {Kernels.Log1p, vec.Log1p}, "Log1pExp": {Kernels.Log1pExp, vec.Log1pExp}, "Logistic": {Kernels.Logistic, vec.Logistic},
		"LogNormalCDF": {Kernels.LogNormalCDF, vec.LogNormalCDF}, "NormalQuantile": {Kernels.NormalQuantile, vec.NormalQuantile},
		"LogCauchyCDF": {Kernels.LogCauchyCDF, vec.LogCauchyCDF}, "LogGammaExcess": {Kernels.LogGammaExcess, vec.LogGammaExcess},
	}
	var xs []float64
	for range 8 { // every special value in every lane
		xs = append(append(xs, specials...), 1)
	}
	for range 30_000 {
		any := math.Float64frombits(r.Uint64())
		xs = append(xs, any, 1e3*r.NormFloat64(), r.NormFloat64(), 10*r.Float64(), math.Ldexp(r.NormFloat64(), -r.IntN(80)), -r.Float64())
		p := math.Exp(-28 * r.Float64()) // probabilities, the tails of Φ among them
		xs = append(xs, r.Float64(), p, 1-p)
	}
	dst := make([]float64, len(xs))
	for _, k := range forms() {
		for name, c := range cases {
			c.slices(k, dst, xs)
			bad := 0
			for i, x := range xs {
				if want := c.scalar(x); !same(dst[i], want) && bad < 5 {
					bad++
					t.Errorf("%s(%v), %s: %v, vec has %v", name, x, k, dst[i], want)
				}
			}
		}
	}
}

// A sum is vec's, and a fused pass is that at the point that a move leads to.
func TestSumsAreVec(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 4))
	for _, k := range forms() {
		for _, n := range []int{1, 5, 8, 62, 600, 1300} {
			o := newOperands(r, n, false)
			moved := slices.Clone(o.eta)
			vec.Axpy(o.delta, o.x, moved)
			for name, pair := range map[string][2]float64{
				"Sum":                     {k.Sum(o.x), vec.Sum(o.x)},
				"Dot":                     {k.Dot(o.x, o.eta), vec.Dot(o.x, o.eta)},
				"SumLog1pExpAlong":        {k.SumLog1pExpAlong(o.eta, o.x, o.delta), vec.SumLog1pExpAlong(moved, moved, 0)},
				"Log1pExpMoments":         {k.Log1pExpMoments(o.eta, o.x, o.delta).Value, vec.SumLog1pExpAlong(moved, moved, 0)},
				"WeightedLog1pExpAlong":   {k.WeightedLog1pExpAlong(o.m, o.eta, o.x, o.delta), vec.WeightedLog1pExpAlong(o.m, moved, moved, 0)},
				"WeightedLog1pExpMoments": {k.WeightedLog1pExpMoments(o.m, o.eta, o.x, o.delta).Value, vec.WeightedLog1pExpAlong(o.m, moved, moved, 0)},
				"SumExpAlong":             {k.SumExpAlong(o.eta, o.x, o.delta), vec.SumExpAlong(moved, moved, 0)},
				"ExpMoments":              {k.ExpMoments(o.eta, o.x, o.delta).Value, vec.SumExpAlong(moved, moved, 0)},
				"SumSquaresAlong":         {k.SumSquaresAlong(o.y, o.eta, o.x, o.delta), vec.SumSquaresAlong(o.y, moved, moved, 0)},
			} {
				if !same(pair[0], pair[1]) {
					t.Errorf("%s, %s: %v, vec has %v", name, describe(k, n), pair[0], pair[1])
				}
			}
		}
	}
}

// Columns four at a time have the bits of columns one at a time.
func TestColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 5))
	for _, k := range forms() {
		for _, n := range []int{0, 1, 7, 8, 13, 62, 100, 127, 128, 129, 301} {
			for cols := range 18 {
				x, v, a := column(r, n*cols, 1, true), column(r, n, 1, true), column(r, cols, 1, false)
				dots, want := make([]float64, cols), make([]float64, cols)
				sum, moved := slices.Clone(v), slices.Clone(v)
				for j := range cols {
					want[j] = vec.Dot(x[j*n:(j+1)*n], v)
					vec.Axpy(a[j], x[j*n:(j+1)*n], moved)
				}
				k.DotColumns(x, v, dots)
				k.AxpyColumns(a, x, sum)
				if i := firstDifference(want, dots); i >= 0 {
					t.Errorf("DotColumns, %s, %d columns: column %d has %v, vec %v", describe(k, n), cols, i, dots[i], want[i])
				}
				part, want := slices.Clone(v[:n/2]), slices.Clone(v[:n/2])
				for j := range cols {
					vec.Axpy(a[j], x[j*n:j*n+n/2], want)
				}
				k.AxpyParts(a, x, n, part)
				if i := firstDifference(want, part); i >= 0 {
					t.Errorf("AxpyParts, %s, %d columns: row %d has %v, vec %v", describe(k, n), cols, i, part[i], want[i])
				}
				if i := firstDifference(moved, sum); i >= 0 {
					t.Errorf("AxpyColumns, %s, %d columns: row %d has %v, vec %v", describe(k, n), cols, i, sum[i], moved[i])
				}
			}
		}
	}
}

// Eight vectors at a time have the bits of one, and write no further.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 8))
	for _, k := range forms() {
		for _, n := range []int{0, 1, 7, 8, 13, 62, 72, 301} {
			for cols := range 5 {
				q, x := column(r, 8*n, 1, true), column(r, n*cols, 1, true)
				got := make([]float64, 8*cols+3)
				k.Products(q, n, x, got[:8*cols])
				for at, v := range got {
					want := 0.0
					if j, i := at/8, at%8; j < cols {
						want = vec.Dot(x[j*n:(j+1)*n], q[i*n:(i+1)*n])
					}
					if !same(v, want) {
						t.Fatalf("%s, %d columns: place %d has %v, vec %v", describe(k, n), cols, at, v, want)
					}
				}
			}
		}
	}
}

// Sums that have rounded to −0 stay −0: no last lane that a column does not fill adds +0.
func TestNegativeZeros(t *testing.T) {
	minus := math.Float64bits(math.Copysign(0, -1))
	for _, k := range forms() {
		for _, n := range []int{8, 9, 13, 62} {
			q, x := make([]float64, 8*n), make([]float64, 9*n)
			for i := range x {
				x[i] = -0x1p-600
			}
			for i := range q {
				q[i] = 0x1p-600
			}
			products, dots := make([]float64, 8*9), make([]float64, 9)
			k.Products(q, n, x, products)
			k.DotColumns(x, q[:n], dots)
			for i, v := range append(products, dots...) {
				if math.Float64bits(v) != minus {
					t.Fatalf("%s: sum %d is %v, want -0", describe(k, n), i, v)
				}
			}
		}
	}
}

// Blocks that are transposed on the way have the bits of one number after the other,
// and nothing else is written.
func TestSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 10))
	for _, k := range forms() {
		for m := range 35 {
			stride := 8 + r.IntN(20)
			along, epsilon := column(r, 8*m, 1, true), column(r, 8*m, 1, true)
			factor, scale, location := column(r, m, 1, false), column(r, m, 1, false), column(r, m, 1, false)
			got, want := make([]float64, m*stride+8), make([]float64, m*stride+8)
			for c := range m {
				for i := range 8 {
					want[c*stride+i] = math.FMA(scale[c], math.FMA(factor[c], along[8*c+i], epsilon[i*m+c]), location[c])
				}
			}
			k.Spread(got, stride, along, epsilon, factor, scale, location)
			if i := firstDifference(want, got); i >= 0 {
				t.Fatalf("%s, %d columns %d apart: place %d has %v, want %v", k, m, stride, i, got[i], want[i])
			}
		}
	}
}

// Draws of a counter have vec's bits, whatever range they are asked for with, for
// any key, line and counter.
func TestMidpointsAreVec(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 9))
	for _, k := range forms() {
		for n := range 90 {
			for range 20 {
				key, line, first := r.Uint64(), r.Uint64()>>r.IntN(64), int(r.Uint64()>>(1+r.IntN(62)))
				got := make([]float64, n+9)
				k.Midpoints(key, line, first, got[:n])
				for i, v := range got {
					want := 0.0
					if j := uint64(first) + uint64(i); i < n {
						words := [2]uint64{}
						words[0], words[1] = vec.Philox(key, j/2, line)
						want = vec.Midpoint(words[j%2])
					}
					if v != want {
						t.Fatalf("%s: draw %d of %d from %d on, line %d of key %d: %v, want %v", k, i, n, first, line, key, v, want)
					}
				}
			}
		}
	}
}

// The derivatives are those of the definition, row by row. Tolerance: 4 units in the
// last place of each row's term and one for each of the additions.
func TestMoments(t *testing.T) {
	k := Vector()
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
		"Log1pExpMoments":         {k.Log1pExpMoments(o.eta, o.x, o.delta), p, w},
		"WeightedLog1pExpMoments": {k.WeightedLog1pExpMoments(o.m, o.eta, o.x, o.delta), trials(p), trials(w)},
		"ExpMoments":              {k.ExpMoments(o.eta, o.x, o.delta), mu, mu},
		"WeightedExpMoments":      {k.WeightedExpMoments(o.m, o.eta, o.x, o.delta), trials(mu), trials(mu)},
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

// A pass that writes the rows' derivatives and one that sums them along the
// column agree to the bit.
func TestCurvesAreMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 7))
	for _, k := range forms() {
		for _, n := range []int{1, 9, 600, 1300} {
			o := newOperands(r, n, false)
			o.eta = column(r, n, 8, false)
			first, second := make([]float64, n), make([]float64, n)
			sum := k.Log1pExpCurve(o.eta, o.x, o.delta, first, second)
			want := Moments{sum, k.Dot(o.x, first), vec.CurvatureAlong(o.x, second)}
			if got := k.Log1pExpMoments(o.eta, o.x, o.delta); got != want {
				t.Errorf("%s: moments %v, of the curve %v", describe(k, n), got, want)
			}
			sum = k.ExpCurve(o.eta, o.x, o.delta, first)
			want = Moments{sum, k.Dot(o.x, first), vec.CurvatureAlong(o.x, first)}
			if got := k.ExpMoments(o.eta, o.x, o.delta); got != want {
				t.Errorf("%s: moments of exp %v, of the curve %v", describe(k, n), got, want)
			}
		}
	}
}
