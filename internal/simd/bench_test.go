package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// BenchmarkKernels measures each operation, form and length. best-ns/element is the
// least of many batches of 20 µs or one call, which other processes on the
// machine disturb least.
func BenchmarkKernels(b *testing.B) {
	operations := []struct {
		name string
		run  func(k Kernels, o operands, dst []float64)
	}{
		{"dot", func(k Kernels, o operands, _ []float64) { k.Dot(o.eta, o.x) }},
		{"sum", func(k Kernels, o operands, _ []float64) { k.Sum(o.x) }},
		{"axpy", func(k Kernels, o operands, dst []float64) { k.Axpy(1e-9, o.x, dst) }},
		{"squares", func(k Kernels, o operands, _ []float64) { k.SumSquaresAlong(o.y, o.eta, o.x, 0.5) }},
		{"log1pexp_sum", func(k Kernels, o operands, _ []float64) { k.SumLog1pExpAlong(o.eta, o.x, 0.5) }},
		{"log1pexp_moments", func(k Kernels, o operands, _ []float64) { k.Log1pExpMoments(o.eta, o.x, 0.5) }},
		{"log1pexp_curve", func(k Kernels, o operands, dst []float64) { k.Log1pExpCurve(o.eta, o.x, 0.5, dst, o.y) }},
		{"log1pexp_weighted", func(k Kernels, o operands, _ []float64) { k.WeightedLog1pExpAlong(o.m, o.eta, o.x, 0.5) }},
		{"log1pexp_weighted_moments", func(k Kernels, o operands, _ []float64) { k.WeightedLog1pExpMoments(o.m, o.eta, o.x, 0.5) }},
		{"exp_sum", func(k Kernels, o operands, _ []float64) { k.SumExpAlong(o.eta, o.x, 0.5) }},
		{"exp_moments", func(k Kernels, o operands, _ []float64) { k.ExpMoments(o.eta, o.x, 0.5) }},
		{"logit_slopes", func(k Kernels, o operands, dst []float64) { k.LogitSlopes(dst, o.y, o.eta) }},
		{"logit_curvatures", func(k Kernels, o operands, dst []float64) { k.LogitCurvatures(dst, o.eta) }},
		{"exp", func(k Kernels, o operands, dst []float64) { k.Exp(dst, o.eta) }},
		{"log", func(k Kernels, o operands, dst []float64) { k.Log(dst, o.m) }},
		{"log1p", func(k Kernels, o operands, dst []float64) { k.Log1p(dst, o.m) }},
		{"log1pexp", func(k Kernels, o operands, dst []float64) { k.Log1pExp(dst, o.eta) }},
		{"logistic", func(k Kernels, o operands, dst []float64) { k.Logistic(dst, o.eta) }},
		{"spread", func(k Kernels, o operands, dst []float64) {
			m := len(dst) / 8
			k.Spread(dst, 8, o.x, o.eta, o.m[:m], o.y[:m], o.y[:m])
		}},
		{"midpoints", func(k Kernels, _ operands, dst []float64) { k.Midpoints(1, 2, 3, dst) }},
		{"normal_quantile", func(k Kernels, o operands, dst []float64) {
			k.Midpoints(1, 2, 3, dst)
			k.NormalQuantile(dst, dst)
		}},
	}
	for _, op := range operations {
		for _, n := range []int{100, 1000, 100_000} {
			o := newOperands(rand.New(rand.NewPCG(1, 1)), n, false)
			o.eta = column(rand.New(rand.NewPCG(2, 1)), n, 2, false)
			for i := range o.m {
				o.m[i] = 1 + float64(i%7)
			}
			dst := make([]float64, n)
			for k := Scalar; k <= best(); k++ {
				b.Run(fmt.Sprintf("op=%s/n=%d/form=%s", op.name, n, k), func(b *testing.B) {
					measure(b, n, func() { op.run(k, o, dst) })
				})
			}
		}
	}
}

// BenchmarkColumns measures Xᵀv, Xa, and XᵀQ for 8 columns of Q, per entry of X, for 64 columns.
func BenchmarkColumns(b *testing.B) {
	const cols = 64
	for _, n := range []int{62, 100, 1000, 20_000} {
		r := rand.New(rand.NewPCG(1, 1))
		x, v, a, dst := column(r, n*cols, 1, false), column(r, n, 1, false), column(r, cols, 1e-9, false), make([]float64, cols)
		q, products := column(r, n*8, 1, false), make([]float64, cols*8)
		for k := Scalar; k <= best(); k++ {
			b.Run(fmt.Sprintf("op=dot_columns/n=%d/form=%s", n, k), func(b *testing.B) {
				measure(b, n*cols, func() { k.DotColumns(x, v, dst) })
			})
			b.Run(fmt.Sprintf("op=axpy_columns/n=%d/form=%s", n, k), func(b *testing.B) {
				measure(b, n*cols, func() { k.AxpyColumns(a, x, v) })
			})
			b.Run(fmt.Sprintf("op=products/n=%d/form=%s", n, k), func(b *testing.B) {
				measure(b, n*cols, func() { k.Products(q, n, x, products) })
			})
		}
	}
}

// measure reports the least time of a call in batches.
func measure(b *testing.B, elements int, call func()) {
	start := time.Now()
	call()
	batch := max(1, int(20*time.Microsecond/max(1, time.Since(start))))
	best := time.Duration(1 << 62)
	for b.Loop() {
		start := time.Now()
		for range batch {
			call()
		}
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(best.Nanoseconds())/float64(batch*elements), "best-ns/element")
}
