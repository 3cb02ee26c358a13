package nuts

import (
	"fmt"
	"math"

	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// metric is the kinetic energy ½·pᵀMp of a momentum p, where M is an estimate of
// the posterior's covariance and the momentum has the law N(0, M⁻¹). It is
// diagonal where root and low are nil.
type metric struct {
	dim    int
	m      []float64    // M: dim variances, or dim × dim
	scales []float64    // 1/√M, diagonal only
	root   *linalg.Chol // M = LLᵀ, dense only
	low    *lowRank     // low rank only: m is its diagonal D², scales 1/D
}

// unitMetric returns the identity.
func unitMetric(dim int, dense bool) *metric {
	if !dense {
		m := &metric{dim: dim, m: make([]float64, dim), scales: make([]float64, dim)}
		for j := range m.m {
			m.m[j], m.scales[j] = 1, 1
		}
		return m
	}
	entries := make([]float64, dim*dim)
	for j := range dim {
		entries[j*dim+j] = 1
	}
	m, _ := newMetric(dim, entries, true) // the identity has a factor
	return m
}

// newMetric takes variances, or a symmetric matrix by rows, which it keeps. The error names the entry that is not
// positive. Cost: dim³/6 where dense.
func newMetric(dim int, entries []float64, dense bool) (*metric, error) {
	m := &metric{dim: dim, m: entries}
	if dense {
		root, err := linalg.Cholesky(append([]float64(nil), entries...), dim)
		if err != nil {
			return nil, fmt.Errorf("nuts: the metric is not positive definite: %w", err)
		}
		m.root = root
		return m, nil
	}
	m.scales = make([]float64, dim)
	for j, v := range entries {
		if !(v > 0) || v > math.MaxFloat64 {
			return nil, fmt.Errorf("nuts: the metric of coordinate %d is %v", j+1, v)
		}
		m.scales[j] = 1 / math.Sqrt(v)
	}
	return m, nil
}

// draw writes a momentum to p: N(0, M⁻¹).
func (m *metric) draw(s variate.Source, p []float64) {
	for j := range p {
		p[j] = variate.Normal(s)
	}
	if m.root != nil {
		m.root.SolveUpper(p) // M⁻¹ = L⁻ᵀL⁻¹
		return
	}
	if m.low != nil {
		m.low.stretch(m.low.roots, p) // D⁻¹(I + U(Λ^−½ − I)Uᵀ)
	}
	for j, scale := range m.scales {
		p[j] *= scale
	}
}

// velocity writes Mp to dst. Cost: dim, where dense dim², of low rank 2·dim·rank.
func (m *metric) velocity(p, dst []float64) {
	if m.low != nil {
		m.low.velocity(p, dst)
		return
	}
	if m.root == nil {
		for j, v := range m.m {
			dst[j] = v * p[j]
		}
		return
	}
	for j := range dst {
		dst[j] = vec.Dot(m.m[j*m.dim:(j+1)*m.dim], p)
	}
}

// lowRank holds the low-rank part of a metric with diagonal D²: the metric is M = D·(I + U·(Λ − I)·Uᵀ)·D with
// orthonormal columns U.
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
