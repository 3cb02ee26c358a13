package cggibbs

import (
	"errors"
	"math"

	"glmbatch/infer/glm"
	"glmbatch/infer/internal/linalg"
)

// dropped is the singular value, relative to the largest, below which a
// direction counts as null. What is dropped moves eta by at most dropped·σ₁ for
// each prior standard deviation in its direction, σ₁ being the largest singular
// value of GS: with standardised columns and d of them, by less than
// 1e-12·√(n·d) prior standard deviations of a coefficient.
const dropped = 1e-12

// reduction tells coefficients from what the likelihood sees of them.
//
// Columns with independent normal priors N(m, S²) are G, the others F. With
// GS = UΣVᵀ of rank r the likelihood sees only z = VᵀS⁻¹(theta_G − m) ~ N(0, I_r),
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
	constant        float64 // of the log prior of theta_G
	space           *linalg.RowSpace
	design          *glm.Dense  // [F UΣ]
	offset          []float64   // offset + G·m
	sparse          *glm.Sparse // X where it is sparse: V is then what X's non-zeros do
}

// reduce makes the reduction. Cost: see linalg.NewRowSpace, and n·d memory; where X is
// sparse that of sparseSpace, and memory of a few times n².
func reduce(target *glm.Target) (*reduction, error) {
	data := target.Data()
	n := data.Rows()
	p := &reduction{target: target, offset: make([]float64, n)}
	copy(p.offset, data.Offset)
	for j, prior := range target.Model().Coefficients {
		if prior.Kind != glm.Normal {
			p.kept = append(p.kept, j)
			continue
		}
		p.normal = append(p.normal, j)
		p.location = append(p.location, prior.Location)
		p.scale = append(p.scale, prior.Scale)
		p.constant += prior.LogDensity(prior.Location)
		data.X.Column(j).AddTo(p.offset, prior.Location)
	}
	g := len(p.normal)
	if g == 0 {
		return nil, errors.New("no coefficient has a normal prior")
	}
	var err error
	if x, ok := data.X.(*glm.Dense); ok {
		p.space, err = p.denseSpace(x)
	} else {
		p.sparse = data.X.(*glm.Sparse)
		p.space, err = p.sparseSpace()
	}
	if err != nil {
		return nil, err
	}
	f := len(p.kept)
	if f+p.space.Rank == 0 {
		return nil, errors.New("every column of the design is zero")
	}
	p.design = glm.NewDense(n, f+p.space.Rank)
	for i, j := range p.kept {
		data.X.Read(j, 0, p.design.Col(i))
	}
	copy(p.design.Values[n*f:], p.space.US)
	p.space.US = nil
	return p, nil
}

// denseSpace is the row space of GS for a dense X. Cost: see linalg.NewRowSpace.
func (p *reduction) denseSpace(x *glm.Dense) (*linalg.RowSpace, error) {
	n, g := x.Rows, len(p.normal)
	at := make([]float64, n*g) // (GS)ᵀ by column
	for c, j := range p.normal {
		for i, v := range x.Col(j) {
			at[i*g+c] = float64(v * p.scale[c])
		}
	}
	space, err := linalg.NewRowSpace(at, n, g, dropped)
	if err != nil {
		return nil, errors.New("the singular value decomposition of the design did not converge")
	}
	return space, nil
}

// priors returns those of (theta_F, z).
func (p *reduction) priors() []glm.Prior {
	out := make([]glm.Prior, p.design.Cols)
	for i := range out {
		out[i] = glm.Prior{Kind: glm.Normal, Scale: 1}
	}
	for i, j := range p.kept {
		out[i] = p.target.Model().Coefficients[j]
	}
	return out
}

// sampled writes (theta_F, z) of coefficients theta to v. Cost: O(g·r), with
// X's column in place of V's row O(g·n).
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
	j := p.normal[first]
	last = first + 1
	for last < end && p.normal[last] == j+last-first {
		last++
	}
	return p.target.Data().X.(*glm.Dense).Values[j*size : (j+last-first)*size], last
}

// factor is that of row c.
func (p *reduction) factor(c int) float64 {
	if p.space.Explicit() {
		return 1
	}
	return p.scale[c]
}

// rowLength is the length of a row; sparse X's has the directions behind it that no
// product of X tells.
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
	if p.sparse != nil {
		p.accumulateSparse(first, x, sum)
		return
	}
	for i := range x {
		x[i] *= p.factor(first + i)
	}
	for end := first + len(x); first < end; {
		rows, last := p.rowsOf(first, end)
		kernels.AxpyColumns(x[:last-first], rows, sum)
		x, first = x[last-first:], last
	}
}

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
		v := math.FMA(p.factor(first+i), along[i], x)
		epsilon[i] = math.FMA(p.scale[first+i], v, p.location[first+i])
	}
}
