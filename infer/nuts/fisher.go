package nuts

import (
	"math"

	"glmbatch/internal/linalg"
	"glmbatch/internal/vec"
)

// fisher learns a low-rank metric from positions and gradients of the log posterior, so that the Fisher divergence
// between the posterior in the metric's coordinates and a standard normal distribution is small: there positions z
// and gradients g would satisfy g = −z.
//
// The diagonal is D² = √(var u / var ∇). In the coordinates z = D⁻¹(u − ū),
// g = D(∇ − ∇̄) the sum z + g vanishes where the diagonal is enough: for a normal
// posterior with precision I + UΔUᵀ it is −UΔUᵀz. So its leading directions
// are those that matter, and in their span the metric is the geometric mean of
// the covariance of z and the inverse covariance of g, of which eigenvalues
// near 1 are dropped unless the span is the whole space. A normal
// posterior is found without error from twice as many positions as Δ has rank,
// which with a diagonal that is estimated is that of the whole space.
//
// Source: arXiv:2603.18845 (nutpie), which takes the span of z and g each; the
// span of their sum is half as large and has no directions that are noise alone.
type fisher struct {
	draws, grads *moments // diagonal, of all positions
	kept         int      // positions in rows
	stride       int64    // each stride-th position is kept
	limit        int      // positions that are kept at most
	u, g         []float64
}

const (
	// maxKept bounds the positions that are kept, and keptNumbers (64 MB) the
	// memory that each of positions and gradients takes.
	maxKept     = 256
	keptNumbers = 1 << 23
	// cutoff is the eigenvalue that is worth a direction, or its inverse.
	cutoff = 2
	// gammaFisher is added to both covariances.
	gammaFisher = 1e-5
)

func newFisher(dim int) *fisher {
	return &fisher{
		draws: newMoments(dim, false), grads: newMoments(dim, false), stride: 1,
		limit: max(16, min(maxKept, keptNumbers/max(dim, 1))&^1),
	}
}

// reset discards all.
func (f *fisher) reset() {
	f.draws.reset()
	f.grads.reset()
	f.kept, f.stride, f.u, f.g = 0, 1, f.u[:0], f.g[:0]
}

// add takes a position and its gradient. Where the rows are full every other
// one is dropped. Cost: dim.
func (f *fisher) add(u, grad []float64) {
	at := int64(f.draws.count)
	f.draws.add(u)
	f.grads.add(grad)
	if at%f.stride != 0 {
		return
	}
	dim := len(u)
	if f.kept == f.limit {
		f.kept /= 2
		f.stride *= 2
		for i := 1; i < f.kept; i++ {
			copy(f.u[i*dim:(i+1)*dim], f.u[2*i*dim:(2*i+1)*dim])
			copy(f.g[i*dim:(i+1)*dim], f.g[2*i*dim:(2*i+1)*dim])
		}
		f.u, f.g = f.u[:f.kept*dim], f.g[:f.kept*dim]
	}
	f.u, f.g = append(f.u, u...), append(f.g, grad...)
	f.kept++
}

// metric returns the estimate; where a variance is 0 or no number the
// coordinate keeps what it had. It uses the kept rows up. Cost: dim·kept² and
// 30·rank³, rank at most kept/2.
func (f *fisher) metric(before *metric) (*metric, error) {
	dim := len(f.draws.mean)
	variances := make([]float64, dim)
	for j := range variances {
		v := math.Sqrt(f.draws.scatter[j] / f.grads.scatter[j])
		if !(v > 1e-200 && v < 1e200) {
			v = before.m[j]
		}
		variances[j] = v
	}
	m, err := newMetric(dim, variances, false)
	if err != nil {
		return nil, err
	}
	m.withLowRank(nil, nil)
	if f.kept < 4 {
		return m, nil
	}
	f.rescale(m)
	span, err := f.span()
	if err != nil || len(span) == 0 {
		return m, err
	}
	values, vectors, err := f.spectrum(span)
	if err != nil {
		return nil, err
	}
	return m.withLowRank(values, vectors), nil
}

// rescale turns the rows into z and g.
func (f *fisher) rescale(m *metric) {
	dim := m.dim
	centre := func(rows []float64, by func(j int) float64) {
		mean := make([]float64, dim)
		for i := range f.kept {
			vec.Axpy(1/float64(f.kept), rows[i*dim:(i+1)*dim], mean)
		}
		for i := range f.kept {
			row := rows[i*dim : (i+1)*dim]
			for j := range row {
				row[j] = float64((row[j] - mean[j]) * by(j))
			}
		}
	}
	centre(f.u, func(j int) float64 { return m.scales[j] })
	centre(f.g, func(j int) float64 { return m.low.scale[j] })
}

// span returns orthonormal directions, one after the other, that hold most of
// z + g: those along which it is above rounding error, at most half of the
// rows, so that the covariances in the span are well determined.
func (f *fisher) span() ([][]float64, error) {
	dim := len(f.draws.mean)
	sums := make([]float64, f.kept*dim)
	for i := range sums {
		sums[i] = f.u[i] + f.g[i]
	}
	n, byRow := f.kept, true
	if dim < n {
		n, byRow = dim, false
	}
	gram := make([]float64, n*n)
	for i := range f.kept {
		row := sums[i*dim : (i+1)*dim]
		if !byRow {
			for j, x := range row {
				vec.Axpy(x, row, gram[j*n:(j+1)*n])
			}
			continue
		}
		for l := range i + 1 {
			gram[i*n+l] = vec.Dot(row, sums[l*dim:(l+1)*dim])
			gram[l*n+i] = gram[i*n+l]
		}
	}
	values, vectors, err := linalg.SymEigen(gram, n)
	if err != nil {
		return nil, err
	}
	var out [][]float64
	basis := linalg.NewSpan(1e-6)
	for k := 0; k < n && len(out) < f.kept/2 && values[k] > 1e-12*values[0]; k++ {
		v := vectors[k*n : (k+1)*n]
		if byRow {
			w := make([]float64, dim)
			for i, x := range v {
				vec.Axpy(x, sums[i*dim:(i+1)*dim], w)
			}
			v = w
		}
		if basis.Add(v) {
			out = append(out, basis.Last())
		}
	}
	return out, nil
}

// spectrum returns the eigenvalues of the metric in a span that are not near
// 1, and their directions.
func (f *fisher) spectrum(span [][]float64) (values, vectors []float64, err error) {
	r := len(span)
	mean, err := linalg.GeometricMean(f.covariance(f.u, span), f.covariance(f.g, span), r)
	if err != nil {
		return nil, nil, err
	}
	all, turn, err := linalg.SymEigen(mean, r)
	if err != nil {
		return nil, nil, err
	}
	whole := r == len(f.draws.mean) // then a direction more costs little
	for k, v := range all {
		if !whole && v > 1/float64(cutoff) && v < cutoff || !(v > 0) || v > math.MaxFloat64 {
			continue
		}
		u := make([]float64, len(span[0]))
		for i, x := range turn[k*r : (k+1)*r] {
			vec.Axpy(x, span[i], u)
		}
		values, vectors = append(values, v), append(vectors, u...)
	}
	return values, vectors, nil
}

// covariance of rows in a span, regularised.
func (f *fisher) covariance(rows []float64, span [][]float64) []float64 {
	r, dim := len(span), len(span[0])
	out, at := make([]float64, r*r), make([]float64, r)
	for i := range f.kept {
		for k, w := range span {
			at[k] = vec.Dot(w, rows[i*dim:(i+1)*dim])
		}
		for k, x := range at {
			vec.Axpy(x/float64(f.kept-1), at, out[k*r:(k+1)*r])
		}
	}
	for k := range r {
		out[k*r+k] += gammaFisher
	}
	return out
}
