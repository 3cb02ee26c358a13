package glm

import (
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/simd"
	"glmbatch/internal/variate"
)

// primal factorises H = XᵀWX + ridge = LLᵀ, d × d.
type primal struct {
	x          design.Matrix
	ridge      []float64
	scratch, h []float64
	factor     *linalg.Chol
}

func newPrimal(p *pilot) *primal {
	return &primal{x: p.t.data.X, ridge: p.ridge}
}

func (s *primal) limit() (int, float64) { return 50, 1e-9 }

func (s *primal) prepare(curv []float64) {
	if s.h == nil {
		s.scratch, s.h = make([]float64, len(curv)), make([]float64, len(s.ridge)*len(s.ridge))
	}
	design.WeightedGram(s.x, curv, s.scratch, s.h)
	d := len(s.ridge)
	for j, r := range s.ridge {
		s.h[j*d+j] += r
	}
	s.factor = mustFactor(s.h, d)
}

func (s *primal) step(g, dst []float64) {
	copy(dst, g)
	s.factor.Solve(dst)
}

// draw solves Lᵀ·dst = z.
func (s *primal) draw(src prior.Source, dst []float64) {
	for j := range dst {
		dst[j] = variate.Normal(src)
	}
	s.factor.SolveUpper(dst)
}

// dual works with K = X·ridge⁻¹·Xᵀ, n × n, by the Woodbury identity:
// H⁻¹g = u − ridge⁻¹XᵀW^½·B⁻¹·W^½Xu with u = ridge⁻¹g, B = I + W^½KW^½.
type dual struct {
	x       design.Matrix
	dense   *design.Dense // x, if it is dense
	ridge   []float64
	k, b    []float64 // lower triangles by rows
	root    []float64 // W^½
	rows    []float64
	factor  *linalg.Chol
	columns []float64
}

func newDual(p *pilot) *dual {
	n, d := p.t.Rows(), p.t.Cols()
	s := &dual{
		x: p.t.data.X, ridge: p.ridge, k: make([]float64, n*n), b: make([]float64, n*n),
		root: make([]float64, n), rows: make([]float64, n), columns: make([]float64, d),
	}
	switch x := s.x.(type) {
	case *design.Dense:
		s.dense = x
		s.outer(x)
	case *design.Sparse:
		x.Outer(s.ridge, s.k)
	}
	return s
}

// dualBlock is the number of columns that newDual works on together: 64 of 72 rows
// stay in a core's nearest cache.
const dualBlock = 64

// outer adds Σ x_j·x_jᵀ/ridge_j to K, column after column in each entry. Some of what is
// above the diagonal is made too and not used. Cost: n²·d/2.
func (s *dual) outer(x *design.Dense) {
	n := x.Rows
	weights := make([]float64, dualBlock)
	for first := 0; first < x.Cols; first += dualBlock {
		m := min(dualBlock, x.Cols-first)
		columns := x.Values[first*n : (first+m)*n]
		for i := range n {
			for c := range m {
				weights[c] = columns[c*n+i] / s.ridge[first+c]
			}
			upTo := min(n, i/8*8+8)
			passes.AxpyParts(weights[:m], columns, n, s.k[i*n:i*n+upTo])
		}
	}
}

func (s *dual) limit() (int, float64) { return 50, 1e-9 }

func (s *dual) prepare(curv []float64) {
	n := len(s.rows)
	for i, w := range curv {
		s.root[i] = math.Sqrt(w)
	}
	for i := range n {
		for j := range i + 1 {
			s.b[i*n+j] = s.root[i] * s.k[i*n+j] * s.root[j]
		}
		s.b[i*n+i]++
	}
	s.factor = mustFactor(s.b, n)
}

func (s *dual) step(g, dst []float64) {
	for j, v := range g {
		dst[j] = v / s.ridge[j]
	}
	design.Multiplied(s.x, dst, s.rows)
	for i := range s.rows {
		s.rows[i] *= s.root[i]
	}
	s.correct(dst, -1)
}

// correct adds sign·ridge⁻¹XᵀW^½B⁻¹·rows to dst.
func (s *dual) correct(dst []float64, sign float64) {
	s.factor.Solve(s.rows)
	for i := range s.rows {
		s.rows[i] *= s.root[i]
	}
	design.Transposed(s.x, s.rows, s.columns)
	for j, v := range s.columns {
		dst[j] = math.FMA(sign, v/s.ridge[j], dst[j])
	}
}

// ascend writes Newton's step at p to step and X·step to move, rows being the gradient in eta: the results of the
// gradient Xᵀ·rows, step and two products, to the bit, with two passes over the design, not four.
func (s *dual) ascend(p *pilot, rows, step, move []float64) {
	clear(s.rows)
	s.blocks(func(first int, columns, some []float64) {
		passes.DotColumns(columns, rows, some)
		p.slopes(first, some)
		for i, v := range some {
			some[i] = v / s.ridge[first+i]
		}
		copy(step[first:], some)
		passes.AxpyColumns(some, columns, s.rows)
	})
	for i := range s.rows {
		s.rows[i] *= s.root[i]
	}
	s.factor.Solve(s.rows)
	for i := range s.rows {
		s.rows[i] *= s.root[i]
	}
	clear(move)
	s.blocks(func(first int, columns, some []float64) {
		passes.DotColumns(columns, s.rows, some)
		for i, v := range some {
			some[i] = step[first+i] - v/s.ridge[first+i]
		}
		copy(step[first:], some)
		passes.AxpyColumns(some, columns, move)
	})
}

// blocks calls f for columns of the dense design that stay in a core's nearest cache,
// with scratch for a number of each.
func (s *dual) blocks(f func(first int, columns, some []float64)) {
	n, d := s.dense.Rows, s.dense.Cols
	size := max(8, 3072/n/8*8)
	for first := 0; first < d; first += size {
		m := min(size, d-first)
		f(first, s.dense.Values[first*n:(first+m)*n], s.columns[first:first+m])
	}
}

// draw follows Bhattacharya, Chakraborty and Mallick (2016),
// doi:10.1093/biomet/asw042: u ~ N(0, ridge⁻¹), v = W^½Xu + ε, and
// u − ridge⁻¹XᵀW^½B⁻¹v has variance H⁻¹.
func (s *dual) draw(src prior.Source, dst []float64) {
	for j := range dst {
		dst[j] = variate.Normal(src) / math.Sqrt(s.ridge[j])
	}
	design.Multiplied(s.x, dst, s.rows)
	for i := range s.rows {
		s.rows[i] = math.FMA(s.root[i], s.rows[i], variate.Normal(src))
	}
	s.correct(dst, -1)
}

// passes have the bits of package vec in the form that this processor runs
// fastest: what is computed once for a target does not wait for Vectorised.
var passes = simd.Vector()

// newtonStep solves (XᵀWX) step = Xᵀg. It reports false if the matrix is singular.
func newtonStep(x design.Matrix, g, w, scratch, h, step []float64) bool {
	design.WeightedGram(x, w, scratch, h)
	_, d := x.Size()
	c, err := linalg.Cholesky(h, d)
	if err != nil {
		return false
	}
	design.Transposed(x, g, step)
	c.Solve(step)
	return true
}
