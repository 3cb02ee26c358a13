package cggibbs

import (
	"errors"
	"fmt"
	"math"

	"glmbatch/infer/basis"
	"glmbatch/internal/linalg"
)

// sparseSpace is the row space of GS for a sparse X, from products over its non-zeros:
// K = GS·(GS)ᵀ, n × n, takes half of the squares of the columns' entries, its factor
// n³/6, see linalg.NewRowSpaceOf. X is never made dense.
func (p *reduction) sparseSpace() (*linalg.RowSpace, error) {
	n := len(p.offset)
	if n > basis.RotateLimit {
		return nil, fmt.Errorf("a sparse design of %d rows, more than %d: their products would not fit", n, basis.RotateLimit)
	}
	space, err := linalg.NewRowSpaceOf(p.products(), n, linalg.Products{
		Cols: len(p.normal),
		Times: func(x, dst []float64) {
			for c, j := range p.normal {
				p.sparse.Column(j).AddTo(dst, float64(x[c]*p.scale[c]))
			}
		},
		Transposed: func(q, dst []float64) {
			for c, j := range p.normal {
				dst[c] += float64(p.scale[c] * p.sparse.Column(j).Dot(q))
			}
		},
	}, dropped)
	if err != nil {
		return nil, errors.New("rows of the sparse design are nearly dependent, so that their products do not tell them apart")
	}
	return space, nil
}

// products returns the lower triangle of K by rows.
func (p *reduction) products() []float64 {
	n := len(p.offset)
	k, ridge := make([]float64, n*n), make([]float64, p.target.Cols())
	for j := range ridge {
		ridge[j] = math.Inf(1)
	}
	for c, j := range p.normal {
		ridge[j] = 1 / p.scale[c] / p.scale[c]
	}
	p.sparse.Outer(ridge, k)
	return k
}

// accumulateSparse is accumulate over X's non-zeros. Cost: what columns first to
// first + len(x) store.
func (p *reduction) accumulateSparse(first int, x, sum []float64) {
	n, own := len(p.offset), p.space.Own
	for i, v := range x {
		c := first + i
		p.sparse.Column(p.normal[c]).AddTo(sum[:n], float64(v*p.scale[c]))
		kernels.Axpy(v, p.space.OwnRows[c*own:(c+1)*own], sum[n:])
	}
}

// alongSparse writes rows first, first+1, … of V times the w of q, over their scales.
func (p *reduction) alongSparse(first int, q, along []float64) {
	n, own := len(p.offset), p.space.Own
	for i := range along {
		c := first + i
		along[i] = p.sparse.Column(p.normal[c]).Dot(q[:n])
		if own > 0 {
			along[i] += kernels.Dot(p.space.OwnRows[c*own:(c+1)*own], q[n:]) / p.scale[c]
		}
	}
}
