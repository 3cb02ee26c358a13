package simd

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"hash"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/bits.txt anew, of the portable form; read the diff")

// digest is a hash of results, any NaN for any other.
type digest struct{ hash.Hash }

func (d digest) put(values ...float64) {
	for _, v := range values {
		bits := math.Float64bits(v)
		if v != v {
			bits = math.Float64bits(math.NaN())
		}
		_ = binary.Write(d, binary.LittleEndian, bits) // a hash takes everything
	}
}

// fixed returns n numbers up to scale, made without rounding, so that every processor makes
// the same ones; a twentieth of them specials where wild.
func fixed(r *rand.Rand, n int, scale float64, wild bool) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = scale * (2*r.Float64() - 1)
		if wild && r.IntN(20) == 0 {
			v[i] = specials[r.IntN(len(specials))]
		}
	}
	return v
}

// call is one call of an operation: in are slices of n numbers, out are slices of n that may
// be written, and tall is a matrix of 19 columns.
type call struct {
	in, out     [4][]float64
	tall        []float64
	delta       float64
	rows        []int32
	column      []float64 // the values in rows
	starts      []int     // of columns: rows and column in three parts
	first, size int
}

func newCall(r *rand.Rand, n int, wild bool) call {
	c := call{delta: r.Float64() - 0.25, first: r.IntN(1000), size: n}
	for i, scale := range []float64{30, 3, 1, 8} {
		c.in[i], c.out[i] = fixed(r, n, scale, wild), fixed(r, n, 1, false)
	}
	c.tall = fixed(r, 19*n, 1, wild)
	for i := range n {
		if r.IntN(3) > 0 {
			c.rows = append(c.rows, int32(i))
		}
	}
	c.column = fixed(r, len(c.rows), 2, false)
	a, b := len(c.rows)/3, len(c.rows)/2
	c.starts = []int{0, a, b, b, len(c.rows)}
	return c
}

// moments puts three sums.
func moments(d digest, m Moments) { d.put(m.Value, m.Slope, m.Curve) }

// operations has each method of Kernels that computes.
var operations = map[string]func(k Kernels, d digest, c call){
	"Sum":        func(k Kernels, d digest, c call) { d.put(k.Sum(c.in[0])) },
	"Dot":        func(k Kernels, d digest, c call) { d.put(k.Dot(c.in[0], c.in[1])) },
	"SumSquares": func(k Kernels, d digest, c call) { d.put(k.SumSquares(c.in[0])) },
	"Axpy":       func(k Kernels, _ digest, c call) { k.Axpy(c.delta, c.in[0], c.out[0]) },
	"Rotate":     func(k Kernels, _ digest, c call) { k.Rotate(c.delta, 0.3, c.out[0], c.out[1]) },
	"Minus":      func(k Kernels, _ digest, c call) { k.Minus(c.out[0], c.in[0], c.in[1]) },
	"DotColumns": func(k Kernels, d digest, c call) {
		s := make([]float64, 19)
		k.DotColumns(c.tall, c.in[1], s)
		d.put(s...)
	},
	"AxpyColumns": func(k Kernels, _ digest, c call) { k.AxpyColumns(coefficients, c.tall, c.out[0]) },
	"AxpyParts": func(k Kernels, _ digest, c call) {
		k.AxpyParts(coefficients, c.tall, c.size, c.out[0][:c.size/2])
	},
	"SumSquaresAlong": func(k Kernels, d digest, c call) {
		d.put(k.SumSquaresAlong(c.in[3], c.in[0], c.in[2], c.delta))
	},
	"WeightedSquaresAlong": func(k Kernels, d digest, c call) {
		d.put(k.WeightedSquaresAlong(c.in[1], c.in[3], c.in[0], c.in[2], c.delta))
	},
	"SumLog1pExpAlong": func(k Kernels, d digest, c call) {
		d.put(k.SumLog1pExpAlong(c.in[0], c.in[2], c.delta))
	},
	"WeightedLog1pExpAlong": func(k Kernels, d digest, c call) {
		d.put(k.WeightedLog1pExpAlong(c.in[1], c.in[0], c.in[2], c.delta))
	},
	"SumExpAlong": func(k Kernels, d digest, c call) {
		d.put(k.SumExpAlong(c.in[0], c.in[2], c.delta))
	},
	"WeightedExpAlong": func(k Kernels, d digest, c call) {
		d.put(k.WeightedExpAlong(c.in[1], c.in[0], c.in[2], c.delta))
	},
	"Slopes": func(k Kernels, d digest, c call) {
		slope, curve := k.Slopes(c.in[2], c.in[0], c.in[1])
		d.put(slope, curve)
	},
	"Log1pExpCurve": func(k Kernels, d digest, c call) {
		d.put(k.Log1pExpCurve(c.in[0], c.in[2], c.delta, c.out[0], c.out[1]))
	},
	"ExpCurve": func(k Kernels, d digest, c call) {
		d.put(k.ExpCurve(c.in[0], c.in[2], c.delta, c.out[0]))
	},
	"Log1pExpMoments": func(k Kernels, d digest, c call) {
		moments(d, k.Log1pExpMoments(c.in[0], c.in[2], c.delta))
	},
	"ExpMoments": func(k Kernels, d digest, c call) {
		moments(d, k.ExpMoments(c.in[0], c.in[2], c.delta))
	},
	"WeightedLog1pExpMoments": func(k Kernels, d digest, c call) {
		moments(d, k.WeightedLog1pExpMoments(c.in[1], c.in[0], c.in[2], c.delta))
	},
	"WeightedExpMoments": func(k Kernels, d digest, c call) {
		moments(d, k.WeightedExpMoments(c.in[1], c.in[0], c.in[2], c.delta))
	},
	"Exp":             func(k Kernels, _ digest, c call) { k.Exp(c.out[0], c.in[0]) },
	"Log":             func(k Kernels, _ digest, c call) { k.Log(c.out[0], c.in[0]) },
	"Log1p":           func(k Kernels, _ digest, c call) { k.Log1p(c.out[0], c.in[1]) },
	"Log1pExp":        func(k Kernels, _ digest, c call) { k.Log1pExp(c.out[0], c.in[0]) },
	"Logistic":        func(k Kernels, _ digest, c call) { k.Logistic(c.out[0], c.in[0]) },
	"LogGammaExcess":  func(k Kernels, _ digest, c call) { k.LogGammaExcess(c.out[0], c.in[0]) },
	"LogNormalCDF":    func(k Kernels, _ digest, c call) { k.LogNormalCDF(c.out[0], c.in[0]) },
	"LogCauchyCDF":    func(k Kernels, _ digest, c call) { k.LogCauchyCDF(c.out[0], c.in[0]) },
	"NormalQuantile":  func(k Kernels, _ digest, c call) { k.NormalQuantile(c.out[0], c.in[2]) },
	"LogitSlopes":     func(k Kernels, _ digest, c call) { k.LogitSlopes(c.out[0], c.in[1], c.in[3]) },
	"TrialsSlopes":    func(k Kernels, _ digest, c call) { k.TrialsSlopes(c.out[0], c.in[1], c.in[2], c.in[3]) },
	"LogitCurvatures": func(k Kernels, _ digest, c call) { k.LogitCurvatures(c.out[0], c.in[0]) },
	"ExpSlopes":       func(k Kernels, _ digest, c call) { k.ExpSlopes(c.out[0], c.in[1], c.in[3]) },
	"OddsCurves": func(k Kernels, _ digest, c call) {
		k.OddsCurves(c.out[0], c.out[1], c.out[2], c.out[3], c.in[1], c.in[3])
	},
	"TrialsCurves": func(k Kernels, _ digest, c call) {
		k.TrialsCurves(c.out[0], c.out[1], c.out[2], c.in[1], c.in[2], c.in[3])
	},
	"Products": func(k Kernels, d digest, c call) {
		s := make([]float64, 8*11)
		k.Products(c.tall[:8*c.size], c.size, c.tall[8*c.size:], s)
		d.put(s...)
	},
	"Spread": func(k Kernels, d digest, c call) {
		s := make([]float64, 11*c.size)
		k.Spread(s, 11, c.tall, c.tall[8*c.size:], c.in[1], c.in[2], c.in[3])
		d.put(s...)
	},
	"Midpoints": func(k Kernels, _ digest, c call) {
		k.Midpoints(math.Float64bits(c.delta), 7, c.first, c.out[0])
	},
	"DotShifted": func(k Kernels, d digest, c call) {
		s := make([]float64, min(11, c.size))
		k.DotShifted(c.in[1], c.tall, s)
		d.put(s...)
	},
	"Butterflies": func(k Kernels, d digest, c call) {
		quarter := max(1, c.size/16)
		re, im, roots := c.block(0, 64*quarter), c.block(1, 64*quarter), c.block(2, 6*quarter)
		k.Butterflies(re, im, quarter, roots)
		d.put(append(re, im...)...)
	},
	"Halvings": func(k Kernels, _ digest, c call) { k.Halvings(c.out[0]) },

	"Power":         func(k Kernels, _ digest, c call) { k.Power(c.out[0], c.in[0]) },
	"GatheredDot":   func(k Kernels, d digest, c call) { d.put(k.GatheredDot(c.column, c.rows, c.in[0])) },
	"ScatteredAxpy": func(k Kernels, _ digest, c call) { k.ScatteredAxpy(c.delta, c.column, c.rows, c.out[0]) },
	"Gather":        func(k Kernels, _ digest, c call) { k.Gather(c.out[0][:len(c.rows)], c.rows, c.in[0]) },
	"GatheredDots": func(k Kernels, d digest, c call) {
		s := make([]float64, 4)
		k.GatheredDots(s, c.starts, c.column, c.rows, c.in[0])
		d.put(s...)
	},
	"ScatteredAxpys": func(k Kernels, _ digest, c call) {
		k.ScatteredAxpys(coefficients[:4], c.starts, c.column, c.rows, c.out[0])
	},
	"SumRows": func(k Kernels, d digest, c call) {
		for m := 7; m <= 16; m++ {
			s := make([]float64, m)
			k.SumRows(s, c.column, c.rows, c.tall)
			d.put(s...)
		}
	},
	"AddRows": func(k Kernels, d digest, c call) {
		for m := 7; m <= 16; m++ {
			q := slices.Clone(c.tall)
			k.AddRows(coefficients[:m], c.column, c.rows, q)
			d.put(q...)
		}
	},
}

var coefficients = []float64{
	0.5, -1.1, 0.3, 1.7, -0.2, 0.9, 2.2, -0.6, 0.1, 0.4, 1.3, -2.1, 0.8, 0.7, -0.9, 1.9, -0.35, 0.65, 1.05,
}

// block returns n numbers of a call, the same ones for the same which.
func (c call) block(which, n int) []float64 {
	return fixed(rand.New(rand.NewPCG(uint64(c.first), uint64(which))), n, 1, false)
}

// digests hashes what every operation gives in one form, over fixed operands.
func digests(k Kernels) string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		r, d := rand.New(rand.NewPCG(16, 10)), digest{sha256.New()}
		for n := range 75 {
			if n > 70 {
				n = []int{127, 128, 300, 1037}[n-71]
			}
			for _, wild := range []bool{false, true} {
				c := newCall(r, n, wild)
				operations[name](k, d, c)
				for _, o := range c.out {
					d.put(o...)
				}
			}
		}
		fmt.Fprintf(&out, "%-23s %x\n", name, d.Sum(nil)[:12])
	}
	return out.String()
}

// Every operation has the bits of testdata/bits.txt: one file for all forms and all
// processors.
func TestBits(t *testing.T) {
	const path = "testdata/bits.txt"
	if *update {
		must(t, os.WriteFile(path, []byte(digests(Scalar)), 0o644))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run: make golden, then read the diff)", err)
	}
	want := strings.Split(string(text), "\n")
	for _, k := range forms() {
		t.Run(k.String(), func(t *testing.T) {
			got := strings.Split(digests(k), "\n")
			for _, line := range got {
				if !slices.Contains(want, line) {
					t.Errorf("other bits than %s: %s", path, line)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d operations, %s has %d", len(got)-1, path, len(want)-1)
			}
		})
	}
}

// No operation is left out of the bits.
func TestBitsHaveEveryOperation(t *testing.T) {
	methods := reflect.TypeFor[Kernels]()
	for i := range methods.NumMethod() {
		name := methods.Method(i).Name
		if _, ok := operations[name]; !ok && name != "String" {
			t.Errorf("operation %s has no line in testdata/bits.txt: add it to operations", name)
		}
	}
}
