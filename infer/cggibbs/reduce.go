package cggibbs

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"glmbatch/infer/basis"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// dropped is the singular value, relative to the largest, below which a direction counts as null. A dropped
// direction moves eta by at most dropped·σ₁ for each prior standard deviation in its direction, σ₁ being the
// largest singular value of GS: with standardised columns and d of them, by less than 1e-12·√(n·d) prior standard
// deviations of a coefficient.
const dropped = 1e-12

// reduction converts between coefficients and the directions of them that the likelihood depends on.
//
// Columns with independent normal priors N(m, S²) are G, the others F. With GS = UΣVᵀ of rank r the likelihood
// depends only on z = VᵀS⁻¹(theta_G − m) ~ N(0, I_r),
//
//	eta = offset + F·theta_F + G·m + UΣ·z,
//
// and given z, theta_G = m + S(V·z + (I − VVᵀ)·ε) with ε ~ N(0, I_g) whatever the
// responses. So (theta_F, z) is sampled, f + r numbers, and theta_G follows from
// it and an ε that a counter gives for each iteration.
type reduction struct {
	target          *glm.Target
	kept, normal    []int // columns of F and of G
	location, scale []float64
	factors         []float64 // of the rows that rowsOf returns: scale, or ones
	constant        float64   // of the log prior of theta_G
	space           *linalg.RowSpace
	design          *design.Dense  // [F UΣ]
	offset          []float64      // offset + G·m
	sparse          *design.Sparse // X where it is sparse: V is then what X's non-zeros do
	lifts           sync.Pool      // of *[]float64: memory of liftedRows
}

// reduce makes the reduction. Cost: see linalg.NewRowSpace; where X is
// sparse that of sparseSpace, and memory of a few times n².
func reduce(target *glm.Target) (*reduction, error) {
	data := target.Data()
	n := data.Rows()
	p := &reduction{target: target, offset: make([]float64, n)}
	copy(p.offset, data.Offset)
	for j, law := range target.Model().Coefficients {
		if law.Kind != prior.Normal {
			p.kept = append(p.kept, j)
			continue
		}
		p.normal = append(p.normal, j)
		p.location = append(p.location, law.Location)
		p.scale = append(p.scale, law.Scale)
		p.constant += law.LogDensity(law.Location)
		data.X.Column(j).AddTo(p.offset, law.Location)
	}
	g := len(p.normal)
	if g == 0 {
		return nil, errors.New("no coefficient has a normal prior")
	}
	var err error
	if x, ok := data.X.(*design.Dense); ok {
		p.space, err = p.denseSpace(x)
	} else {
		p.sparse = data.X.(*design.Sparse)
		p.space, err = p.sparseSpace()
	}
	if err != nil {
		return nil, err
	}
	p.factors = p.scale
	if p.space.Explicit() {
		p.factors = make([]float64, g)
		for c := range p.factors {
			p.factors[c] = 1
		}
	}
	f := len(p.kept)
	if f+p.space.Rank == 0 {
		return nil, errors.New("every column of the design is zero")
	}
	p.design = design.NewDense(n, f+p.space.Rank)
	for i, j := range p.kept {
		data.X.Read(j, 0, p.design.Col(i))
	}
	copy(p.design.Values[n*f:], p.space.US)
	p.space.US = nil
	return p, nil
}

// denseSpace is the row space of GS for a dense X. Cost: see linalg.NewRowSpace.
func (p *reduction) denseSpace(x *design.Dense) (*linalg.RowSpace, error) {
	space, err := linalg.NewRowSpace(func(first, m int, dst []float64) { p.scaled(x, first, m, dst) }, x.Rows,
		len(p.normal), dropped)
	if err != nil {
		return nil, errors.New("the singular value decomposition of the design did not converge")
	}
	return space, nil
}

// scaled writes columns first to first+m−1 of GS to dst, entry (i, first + c) at i·m + c, eight columns of X at a
// time, so that entries written together are adjacent.
func (p *reduction) scaled(x *design.Dense, first, m int, dst []float64) {
	n := x.Rows
	for c := 0; c < m; c += 8 {
		end := min(c+8, m)
		scale := p.scale[first+c : first+end]
		for i := range n {
			to := dst[i*m+c : i*m+end]
			for k, j := range p.normal[first+c : first+end] {
				to[k] = float64(x.Values[j*n+i] * scale[k])
			}
		}
	}
}

// priors returns those of (theta_F, z).
func (p *reduction) priors() []prior.Prior {
	out := make([]prior.Prior, p.design.Cols)
	for i := range out {
		out[i] = prior.Prior{Kind: prior.Normal, Scale: 1}
	}
	for i, j := range p.kept {
		out[i] = p.target.Model().Coefficients[j]
	}
	return out
}

// sampled writes (theta_F, z) of coefficients theta to v. Cost: O(g·r), with X's column instead of V's row O(g·n).
func (p *reduction) sampled(theta, v []float64) {
	for i, j := range p.kept {
		v[i] = theta[j]
	}
	standard := make([]float64, len(p.normal))
	for c, j := range p.normal {
		standard[c] = (theta[j] - p.location[c]) / p.scale[c]
	}
	sum := make([]float64, p.rowLength())
	p.accumulate(0, standard, sum)
	p.lowered(sum, v[len(p.kept):])
}

// rowsOf returns rows first to last−1 of V, times a factor each, without gaps, in
// coordinates that lowered and lifted know: V's own, or X's columns. last is the end
// of a run of neighbouring columns, at most end.
func (p *reduction) rowsOf(first, end int) (values []float64, last int) {
	size := p.rowLength()
	if p.space.Explicit() {
		return p.space.V[first*size : end*size], end
	}
	j, last := p.normal[first], p.neighbours(first, end)
	return p.target.Data().X.(*design.Dense).Values[j*size : (j+last-first)*size], last
}

// neighbours returns the end of the run of neighbouring columns that begins with
// entry first, at most end.
func (p *reduction) neighbours(first, end int) (last int) {
	for last = first + 1; last < end && p.normal[last] == p.normal[first]+last-first; last++ {
	}
	return last
}

// rowLength is the length of a row; for a sparse X it includes, at its end, the directions that no product of X
// gives.
func (p *reduction) rowLength() int {
	if p.space.Explicit() {
		return p.space.Rank
	}
	return len(p.offset) + p.space.Own
}

// block is the number of rows that are worked on together, a multiple of four
// of them in a quarter of a megabyte.
func (p *reduction) block() int {
	if p.sparse != nil {
		return 512
	}
	return max(4, 32768/max(1, p.rowLength())/4*4)
}

// accumulate adds Σ x[c]·row(first + c) to sum, and overwrites x. Cost: O(r) an
// entry of x, or O(n).
func (p *reduction) accumulate(first int, x, sum []float64) {
	p.accumulateAll(first, len(x), x, [][]float64{sum})
}

// accumulateAll is accumulate for some sums, each with its m entries of x, one after
// the other. Rows are worked on in parts that stay in a core's nearest cache, so that
// they are read once for all sums; each sum adds them in their order.
func (p *reduction) accumulateAll(first, m int, x []float64, sums [][]float64) {
	if p.sparse != nil {
		for i, sum := range sums {
			p.accumulateSparse(first, x[i*m:(i+1)*m], sum)
		}
		return
	}
	for i := range sums {
		for c, f := range p.factors[first : first+m] {
			x[i*m+c] *= f
		}
	}
	few := max(4, nearest/max(1, p.rowLength())/4*4)
	for c := 0; c < m; {
		rows, last := p.rowsOf(first+c, min(first+c+few, first+m))
		end := last - first
		for i, sum := range sums {
			kernels.AxpyColumns(x[i*m+c:i*m+end], rows, sum)
		}
		c = end
	}
}

// nearest is the number of doubles that stay in a core's nearest cache together with others.
const nearest = 3072

// lowered writes Vᵀx to dst, len r, for the sum that accumulate has made of x. Cost:
// O(n·r).
func (p *reduction) lowered(sum, dst []float64) {
	if p.space.Explicit() {
		copy(dst, sum)
		return
	}
	p.space.Lowered(sum, dst)
}

// lifted returns q for theta: w, or dst, len rowLength, with q in it. Cost: n·r.
func (p *reduction) lifted(w, dst []float64) []float64 {
	if p.space.Explicit() {
		return w
	}
	p.space.Lifted(w, dst)
	return dst
}

// theta writes coefficients first, first+1, … of theta_G = m + S(V·w + ε), w = z −
// Vᵀε, over their ε, from q = lifted(w). An entry has the same bits in any range.
// along is scratch of that length. Cost: O(r) an entry, or O(n) where X's column
// stands for V's row.
func (p *reduction) theta(first int, q, epsilon, along []float64) {
	along = along[:len(epsilon)]
	if p.sparse != nil {
		p.alongSparse(first, q, along)
	}
	for c, end := first, first+len(epsilon); p.sparse == nil && c < end; {
		rows, last := p.rowsOf(c, end)
		kernels.DotColumns(rows, q, along[c-first:last-first])
		c = last
	}
	for i, x := range epsilon {
		v := math.FMA(p.factors[first+i], along[i], x)
		epsilon[i] = math.FMA(p.scale[first+i], v, p.location[first+i])
	}
}

// thetas is theta for eight lines in one reading of the rows, with the same bits, where
// X is dense: for neighbouring columns first to last−1, the q of the lines one after the
// other, and so their ε. It writes those of a column to eight places of dst, which begin
// a stride apart. along is scratch.
func (p *reduction) thetas(first, last int, q, epsilon, along, dst []float64, stride int) {
	along = along[:lines*(last-first)]
	rows, _ := p.rowsOf(first, last)
	kernels.Products(q, len(q)/lines, rows, along)
	kernels.Spread(dst, stride, along, epsilon, p.factors[first:last], p.scale[first:last], p.location[first:last])
}

// lines is the number of lines that are expanded together.
const lines = 8

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
		return nil,
			errors.New("rows of the sparse design are nearly dependent, so that their products do not tell them apart")
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

// hidden holds the part of a chain's theta_G that the likelihood does not depend on: ε of each iteration, a
// function of the chain's key and the line (0 for the start, i + 1 for iteration i). As ε does not depend on where
// the chain is, some lines are projected in one reading of the design; they are no state.
type hidden struct {
	*reduction
	key       uint64
	first     int64 // of the lines that are projected; −1 for none
	projected [projectedLines][]float64
	squares   [projectedLines]float64 // ‖(I − VVᵀ)ε‖²

	hiddenPoint
	epsilon []float64 // scratch, a block of all lines
	along   []float64 // scratch, a block
	sums    [][]float64
}

// hiddenPoint is the current point on its line.
type hiddenPoint struct {
	at      int64 // line of the current iteration
	z       []float64
	settled bool      // w and q are those of at and z
	w, q    []float64 // z − Vᵀε; lifted(w)
	lift    []float64
}

// projectedLines is the number of lines that are projected together: a design that is
// larger than the caches of a core is read once for them.
const projectedLines = 16

func newHidden(p *reduction) *hidden {
	h := &hidden{reduction: p, first: -1, hiddenPoint: hiddenPoint{
		w: make([]float64, p.space.Rank), lift: make([]float64, p.rowLength())},
		epsilon: make([]float64, projectedLines*p.block()), along: make([]float64, p.block()),
		sums: make([][]float64, projectedLines)}
	for i := range projectedLines {
		h.projected[i], h.sums[i] = make([]float64, p.space.Rank), make([]float64, p.rowLength())
	}
	return h
}

// arrive notes a line and its z, which stays as it is until the next.
func (h *hidden) arrive(key uint64, line int64, z []float64) {
	if h.key != key {
		h.key, h.first = key, -1
	}
	h.at, h.z, h.settled = line, z, false
}

// settle makes w of the current line, if it is not there: a chain in warm-up asks
// for none. Cost: O(n·r); once in sixteen lines besides 16·g normal draws and O(g·r), or
// O(g·n) where X's columns stand for V's rows, each.
func (h *hidden) settle() {
	if h.settled {
		return
	}
	if first := h.at / projectedLines * projectedLines; h.first != first {
		h.first = first
		h.project()
	}
	p := h.projected[h.at-h.first]
	for i, x := range h.z {
		h.w[i] = x - p[i]
	}
	h.q, h.settled = h.lifted(h.w, h.lift), true
}

// project projects the lines from first on.
func (h *hidden) project() {
	for i := range projectedLines {
		clear(h.sums[i])
		h.squares[i] = 0
	}
	for c, size := 0, h.block(); c < len(h.normal); c += size {
		m := min(size, len(h.normal)-c)
		for i := range projectedLines {
			some := h.epsilon[i*m : (i+1)*m]
			variate.NormalsAt(h.key, uint64(h.first)+uint64(i), c, some)
			h.squares[i] += kernels.SumSquares(some)
		}
		h.accumulateAll(c, m, h.epsilon[:projectedLines*m], h.sums)
	}
	for i := range projectedLines {
		h.lowered(h.sums[i], h.projected[i])
		h.squares[i] -= vec.SumSquares(h.projected[i])
	}
}

// residual returns ‖(I − VVᵀ)ε‖² of the current line.
func (h *hidden) residual() float64 {
	h.settle()
	return h.squares[h.at-h.first]
}

// position writes theta_G of the current line to its columns of dst.
func (h *hidden) position(dst []float64) {
	h.settle()
	for c, size := 0, h.block(); c < len(h.normal); c += size {
		some := h.epsilon[:min(size, len(h.normal)-c)]
		variate.NormalsAt(h.key, uint64(h.at), c, some)
		h.theta(c, h.q, some, h.along)
		for i, x := range some {
			dst[h.normal[c+i]] = x
		}
	}
}
