package cggibbs

import (
	"errors"
	"math"

	"glmbatch/infer/glm"
	"glmbatch/infer/internal/linalg"
	"glmbatch/infer/internal/vec"
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
	design          *glm.Dense // [F UΣ]
	offset          []float64  // offset + G·m
}

// reduce makes the reduction. Cost: see linalg.NewRowSpace, and n·d memory.
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
		vec.Axpy(prior.Location, data.X.Col(j), p.offset)
	}
	g := len(p.normal)
	if g == 0 {
		return nil, errors.New("no coefficient has a normal prior")
	}
	at := make([]float64, n*g) // (GS)ᵀ by column
	for c, j := range p.normal {
		for i, x := range data.X.Col(j) {
			at[i*g+c] = float64(x * p.scale[c])
		}
	}
	var err error
	if p.space, err = linalg.NewRowSpace(at, n, g, dropped); err != nil {
		return nil, errors.New("the singular value decomposition of the design did not converge")
	}
	f := len(p.kept)
	if f+p.space.Rank == 0 {
		return nil, errors.New("every column of the design is zero")
	}
	p.design = glm.NewDense(n, f+p.space.Rank)
	for i, j := range p.kept {
		copy(p.design.Col(i), data.X.Col(j))
	}
	copy(p.design.Values[n*f:], p.space.US)
	return p, nil
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

// row returns row c of V, times a factor, in coordinates that lowered and lifted
// know: V's own, or X's column.
func (p *reduction) row(c int) (values []float64, factor float64) {
	if r := p.space.Rank; p.space.Lift == nil {
		return p.space.V[c*r : (c+1)*r], 1
	}
	return p.target.Data().X.Col(p.normal[c]), p.scale[c]
}

// rowLength is the length of a row.
func (p *reduction) rowLength() int {
	if p.space.Lift == nil {
		return p.space.Rank
	}
	return len(p.offset)
}

// block is the number of rows that are worked on together, a multiple of four
// of them in a quarter of a megabyte.
func (p *reduction) block() int { return max(4, 32768/max(1, p.rowLength())/4*4) }

// accumulate adds Σ x[c]·row(first + c) to sum. Blocks of whole fours in order
// give the same bits as one call. Cost: O(r) an entry of x, or O(n).
func (p *reduction) accumulate(first int, x, sum []float64) {
	var r [4][]float64
	var w [4]float64
	c := 0
	for ; c+4 <= len(x); c += 4 {
		for i := range r {
			r[i], w[i] = p.row(first + c + i)
			w[i] *= x[c+i]
		}
		vec.Axpy4(&w, r[0], r[1], r[2], r[3], sum)
	}
	for ; c < len(x); c++ {
		values, factor := p.row(first + c)
		vec.Axpy(float64(x[c]*factor), values, sum)
	}
}

// lowered writes Vᵀx to dst, len r, for the sum that accumulate has made of x. Cost:
// O(n·r).
func (p *reduction) lowered(sum, dst []float64) {
	if p.space.Lift == nil {
		copy(dst, sum)
		return
	}
	p.space.Lowered(sum, dst)
}

// lifted returns q for theta: w, or dst, len n, with q in it. Cost: n·r.
func (p *reduction) lifted(w, dst []float64) []float64 {
	if p.space.Lift == nil {
		return w
	}
	p.space.Lifted(w, dst)
	return dst
}

// theta writes coefficients first, first+1, … of theta_G = m + S(V·w + ε), w = z −
// Vᵀε, over their ε, from q = lifted(w). An entry has the same bits in any
// range. Cost: O(r) an entry, or O(n) where X's column stands for V's row.
func (p *reduction) theta(first int, q, epsilon []float64) {
	var r [4][]float64
	var factor, along [4]float64
	for len(epsilon) > 0 {
		m := min(4, len(epsilon))
		for i := range m {
			r[i], factor[i] = p.row(first + i)
		}
		if m == 4 {
			along[0], along[1], along[2], along[3] = vec.Dot4(q, r[0], r[1], r[2], r[3])
		} else {
			for i := range m {
				along[i] = vec.Dot1(q, r[i])
			}
		}
		for i := range m {
			v := math.FMA(factor[i], along[i], epsilon[i])
			epsilon[i] = math.FMA(p.scale[first+i], v, p.location[first+i])
		}
		epsilon, first = epsilon[m:], first+m
	}
}
