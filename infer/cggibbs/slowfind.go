package cggibbs

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
)

// The largest number of slow directions: slowCount if slices follow in turn, jointCount if they are moved along
// together, a slowShare-th of the coefficients, and none if that is below slowLeast.
//
// A direction is slow where a pair of sweeps, up and down, keeps slowKept of it or more, so
// that some 11 sweeps would be an independent draw.
const (
	slowCount, jointCount = 64, 32
	slowShare, slowLeast  = 16, 8
	slowKept              = 0.7
	slowWidth             = 32 // points that sweeps find together: more of them would not stay in a core's cache
)

// chebyshev are the roots of the Chebyshev polynomial T₈, cos((2i + 1)·π/16).
var chebyshev = [...]float64{
	0.98078528040323044913, 0.83146961230254523708, 0.55557023301960222474, 0.19509032201612826785,
	-0.19509032201612826785, -0.55557023301960222474, -0.83146961230254523708, -0.98078528040323044913,
}

// block is some points u, relaxed together by sweeps of Gauss and Seidel on H = XᵀWX +
// ridge, whose errors they are; q = W^½Xu. A row is an entry of each of them.
type block struct {
	x                     design.Matrix
	root, ridge, diagonal []float64
	size                  int
	u, q                  []float64 // d × size, n × size, by rows
	step                  []float64
}

// findSlow returns directions, orthonormal in H and the slowest first, that sweeps over single
// coefficients hardly move along on the normal approximation of the posterior at the penalised
// point: of what a filter leaves of random points those of which a pair of sweeps keeps
// slowKept or more. Cost: 18 sweeps over what the design stores, in products of most.
//
// Source: Brezina, Falgout, MacLachlan, Manteuffel, McCormick and Ruge (2005), Adaptive
// smoothed aggregation multigrid, doi:10.1137/050626272, for finding what relaxation
// leaves by relaxing; Saad (2011), Numerical Methods for Large Eigenvalue Problems, chapters 5
// and 7, doi:10.1137/1.9781611970739, for Chebyshev filters and Ritz values.
func findSlow(target *glm.Target, most int) (*directions, error) {
	size := min(most, target.Cols()/slowShare)
	if size < slowLeast {
		return nil, fmt.Errorf("there are too few coefficients, fewer than %d", slowShare*slowLeast)
	}
	stream, b := infer.NewStream(0, "cggibbs", "slow"), (*block)(nil)
	for from := 0; from < size; from += slowWidth {
		part := newBlock(target, min(slowWidth, size-from), stream)
		part.filter()
		b = part.join(b)
	}
	kept, ok := b.ritz()
	for ok && b.size > 0 && !(kept[b.size-1] >= slowKept) {
		b.size--
	}
	if !ok || b.size == 0 {
		return nil, errors.New("sweeps over single coefficients leave none")
	}
	return b.directions(size), nil
}

// directions are directions of all coefficients, and what they do to the linear predictor.
type directions struct{ betas, etas [][]float64 }

// newBlock returns random points.
func newBlock(target *glm.Target, size int, stream *infer.Stream) *block {
	weights, ridge := curvatureAt(target)
	n, d := len(weights), len(ridge)
	b := &block{x: target.Data().X, root: make([]float64, n), ridge: ridge, diagonal: make([]float64, d), size: size,
		u: make([]float64, d*size), q: make([]float64, n*size), step: make([]float64, size)}
	for i, w := range weights {
		b.root[i] = math.Sqrt(w)
	}
	scratch := make([]float64, n)
	for j := range d {
		c := weighted(b.root, b.x.Column(j), scratch)
		b.diagonal[j] = kernels.Dot(c.Values, c.Values) + ridge[j]
		if !(b.diagonal[j] > 0) {
			continue
		}
		for i := range size {
			b.step[i] = variate.Normal(stream) / math.Sqrt(b.diagonal[j])
		}
		b.move(j, c)
	}
	return b
}

// move adds step to row j of u; c is the weighted column.
func (b *block) move(j int, c design.Column) {
	kernels.Axpy(1, b.step, b.u[j*b.size:(j+1)*b.size])
	addOuter(c, b.step, b.q)
}

// addOuter adds the outer product of a column and step to q, which is stored by rows.
func addOuter(c design.Column, step, q []float64) {
	if c.Rows != nil {
		kernels.AddRows(step, c.Values, c.Rows, q)
		return
	}
	for i, x := range c.Values {
		kernels.Axpy(x, step, q[i*len(step):(i+1)*len(step)])
	}
}

// row is row i of q.
func (b *block) row(i int) []float64 { return b.q[i*b.size : (i+1)*b.size] }

// relax moves row j of all points to the minimum of their energies along it.
func (b *block) relax(j int, scratch []float64) {
	if !(b.diagonal[j] > 0) {
		return
	}
	c := weighted(b.root, b.x.Column(j), scratch)
	clear(b.step)
	kernels.Axpy(b.ridge[j], b.u[j*b.size:(j+1)*b.size], b.step)
	if c.Rows != nil {
		kernels.SumRows(b.step, c.Values, c.Rows, b.q)
	} else {
		for i, x := range c.Values {
			kernels.Axpy(x, b.row(i), b.step)
		}
	}
	for i, v := range b.step {
		b.step[i] = -v / b.diagonal[j]
	}
	b.move(j, c)
}

// pair makes a sweep up and one down, which together are self-adjoint in H: it keeps between
// nothing and all of each of its eigenvectors.
func (b *block) pair(scratch []float64) {
	d := len(b.ridge)
	for j := range d {
		b.relax(j, scratch)
	}
	for j := range d {
		b.relax(d-1-j, scratch)
	}
}

// filter multiplies what a pair of sweeps keeps λ of by the Chebyshev polynomial T₈ of 2λ/slowKept − 1,
// up to a factor: it grows the faster beyond slowKept the larger λ is, and is at most that factor below.
// One root of it for each pair.
func (b *block) filter() {
	scratch, before := make([]float64, len(b.root)), b.copied()
	for _, node := range chebyshev {
		root := float64(0.5 * slowKept * (1 + node))
		copy(before.u, b.u)
		copy(before.q, b.q)
		b.pair(scratch)
		kernels.Axpy(-root, before.u, b.u)
		kernels.Axpy(-root, before.q, b.q)
	}
}

// join returns a block of the points of before, which may be nil, and then of b.
func (b *block) join(before *block) *block {
	if before == nil {
		return b
	}
	joined, m := *b, before.size+b.size
	join := func(x, y []float64) []float64 {
		out := make([]float64, 0, len(x)+len(y))
		for i := 0; i < len(x)/before.size; i++ {
			out = append(append(out, x[i*before.size:(i+1)*before.size]...), y[i*b.size:(i+1)*b.size]...)
		}
		return out
	}
	joined.u, joined.q, joined.size, joined.step = join(before.u, b.u), join(before.q, b.q), m, make([]float64, m)
	return &joined
}

// copied returns a block of the same points.
func (b *block) copied() *block {
	c := *b
	c.u, c.q = slices.Clone(b.u), slices.Clone(b.q)
	return &c
}

// ritz takes those points of the span, orthonormal in H, that a pair of sweeps does not rotate into each other, and
// returns the shares that it keeps of them, in descending order. ok is false if points are dependent. q is no
// longer theirs.
func (b *block) ritz() (kept []float64, ok bool) {
	m, after := b.size, b.copied()
	after.pair(make([]float64, len(b.root)))
	h := b.products(after)
	factor, err := linalg.Cholesky(b.products(b), m)
	if err != nil {
		return nil, false
	}
	for range 2 { // L⁻¹hL⁻ᵀ
		for i := range m {
			factor.SolveLower(h[i*m : (i+1)*m])
		}
		transpose(h, m)
	}
	kept, vectors, err := linalg.SymEigen(h, m)
	if err != nil {
		return nil, false
	}
	for i := range m {
		factor.SolveUpper(vectors[i*m : (i+1)*m])
	}
	for j := 0; j < len(b.u); j += m {
		copy(b.step, b.u[j:j+m])
		kernels.DotColumns(vectors, b.step, b.u[j:j+m])
	}
	return kept, true
}

// transpose transposes a square matrix.
func transpose(h []float64, m int) {
	for i := range m {
		for j := range i {
			h[i*m+j], h[j*m+i] = h[j*m+i], h[i*m+j]
		}
	}
}

// products returns the products UᵀHV of the points with those of another block, of which that matrix is symmetric.
func (b *block) products(other *block) []float64 {
	m := b.size
	g := make([]float64, m*m)
	add := func(x, y []float64, weight float64) {
		for i, v := range x {
			kernels.Axpy(float64(weight*v), y[:i+1], g[i*m:i*m+i+1])
		}
	}
	for j, r := range b.ridge {
		add(b.u[j*m:(j+1)*m], other.u[j*m:(j+1)*m], r)
	}
	for i := range b.root {
		add(b.row(i), other.row(i), 1)
	}
	for i := range m {
		for j := range i {
			g[j*m+i] = g[i*m+j]
		}
	}
	return g
}

// directions returns the first points; u and q have rows of width numbers.
func (b *block) directions(width int) *directions {
	clear(b.q)
	for j := range b.ridge {
		addOuter(b.x.Column(j), b.u[j*width:(j+1)*width], b.q)
	}
	return &directions{columns(b.u, width, b.size), columns(b.q, width, b.size)}
}

// columns returns the first columns of a matrix of rows of width numbers.
func columns(x []float64, width, count int) [][]float64 {
	out := make([][]float64, count)
	for i := range out {
		out[i] = make([]float64, len(x)/width)
		for j := range out[i] {
			out[i][j] = x[j*width+i]
		}
	}
	return out
}
