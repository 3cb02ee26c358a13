package nuts

import (
	"math"

	"glmbatch/internal/vec"
)

// lowRank is what a low-rank metric adds to its diagonal D²: the metric is
// M = D·(I + U·(Λ − I)·Uᵀ)·D with orthonormal columns U.
type lowRank struct {
	values  []float64 // Λ
	vectors []float64 // U by column, one after the other
	roots   []float64 // 1/√Λ
	scale   []float64 // D
	share   []float64 // scratch, one for each column
}

// withLowRank completes a diagonal metric of variances D²; values and vectors
// are kept.
func (m *metric) withLowRank(values, vectors []float64) *metric {
	l := &lowRank{values: values, vectors: vectors, scale: make([]float64, m.dim),
		roots: make([]float64, len(values)), share: make([]float64, len(values))}
	for k, v := range values {
		l.roots[k] = 1 / math.Sqrt(v)
	}
	for j, v := range m.m {
		l.scale[j] = math.Sqrt(v)
	}
	m.low = l
	return m
}

// stretch overwrites x with (I + U·(F − I)·Uᵀ)·x for a diagonal F. Cost: 2·dim
// for each column.
func (l *lowRank) stretch(factors, x []float64) {
	dim := len(x)
	for k := range factors {
		l.share[k] = vec.Dot(l.vectors[k*dim:(k+1)*dim], x)
	}
	for k, f := range factors {
		vec.Axpy((f-1)*l.share[k], l.vectors[k*dim:(k+1)*dim], x)
	}
}

// velocity writes Mp to dst.
func (l *lowRank) velocity(p, dst []float64) {
	for j, d := range l.scale {
		dst[j] = d * p[j]
	}
	l.stretch(l.values, dst)
	for j, d := range l.scale {
		dst[j] *= d
	}
}
