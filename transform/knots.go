package transform

import (
	"math"
	"slices"

	"glmbatch/internal/linalg"
)

// maxKnots is how many values a thin plate spline is made of: mgcv's bound.
const maxKnots = 2000

// thinPlate makes the k functions of a thin plate regression spline: from the splines of all distinct values, those
// that the largest eigenvalues keep, a constant and a line. Of more than maxKnots distinct values it takes as many
// at even steps of their order, the least and the largest among them, where mgcv takes a random choice. In one
// dimension all of them are natural cubic splines, which their values at the knots determine. Cost: O(knots·k) for
// each of some 3·k steps.
func (c *smoothCall) thinPlate(out *Basis, d values) (penalty []float64, err error) {
	out.Knots = d.x
	if n := len(d.x); n > maxKnots {
		out.Knots = make([]float64, maxKnots)
		for i := range out.Knots {
			out.Knots[i] = d.x[i*(n-1)/(maxKnots-1)]
		}
	}
	n, k := len(out.Knots), c.k
	mean, total := 0.0, 0.0
	for i, v := range d.x {
		mean, total = math.FMA(d.n[i], v-d.x[0], mean), total+d.n[i]
	}
	mean = d.x[0] + mean/total
	z := make([]float64, n) // of the order of 1
	for i, v := range out.Knots {
		z[i] = (v - mean) / (out.Boundary[1] - out.Boundary[0])
	}
	var eigen, vectors []float64 // k of them; of as many knots the matrix itself
	var middle []float64         // the penalty between vectors
	cubes := func(dst, v []float64) { cubedDistances(dst, z, v) }
	if k == n {
		vectors, middle = identity(n), make([]float64, n*n)
		for j := range n {
			cubes(middle[j*n:(j+1)*n], vectors[j*n:(j+1)*n])
		}
	} else {
		if eigen, vectors, err = linalg.LargestEigen(n, k, cubes); err != nil {
			return nil, err
		}
		middle = make([]float64, k*k)
		for j := range k {
			middle[j*k+j] = eigen[j]
		}
	}
	lines := [2][]float64{make([]float64, k), make([]float64, k)} // what each vector has of 1 and of z
	for j := range k {
		for i, v := range vectors[j*n : (j+1)*n] {
			lines[0][j] += v
			lines[1][j] = math.FMA(v, z[i], lines[1][j])
		}
	}
	inside := orthogonalToBoth(lines)
	out.Map = product(product(vectors, n, k, middle), n, k, inside)
	out.Map = append(out.Map, slices.Repeat([]float64{1}, n)...)
	out.Map = append(out.Map, z...)
	inner := sandwich(middle, k, inside, k-2)
	penalty = make([]float64, k*k)
	for j := range k - 2 {
		copy(penalty[j*k:], inner[j*(k-2):(j+1)*(k-2)])
	}
	out.unitSquares(penalty, d)
	return penalty, nil
}

// unitSquares scales the functions of a basis so that their squares have mean 1 over the rows, and their penalty along.
func (s *Basis) unitSquares(penalty []float64, d values) {
	k, n := s.columns(), s.raw()
	rows := s.sums(d)
	by := make([]float64, k)
	for j := range by {
		by[j] = 1 / math.Sqrt(rows.gram[j*k+j]/rows.n)
		rescaleBy(s.Map[j*n:(j+1)*n], by[j])
	}
	for j := range k {
		for i := range k {
			penalty[j*k+i] = float64(penalty[j*k+i] * float64(by[i]*by[j]))
		}
	}
}

// cubedDistances writes Σ |zᵢ − zⱼ|³·vⱼ for each of the numbers z in increasing order. Cost: O(n), by the sums of
// v, and of v times the first three powers of the distance, on either side.
func cubedDistances(dst, z, v []float64) {
	clear(dst)
	pass := func(from, to, step int) {
		var s0, s1, s2, s3 float64
		for i := from; ; i += step {
			dst[i] += s3
			if i == to {
				return
			}
			s0 += v[i]
			h := math.Abs(z[i+step] - z[i])
			s3 = math.FMA(h, math.FMA(h, math.FMA(h, s0, 3*s1), 3*s2), s3)
			s2 = math.FMA(h, math.FMA(h, s0, 2*s1), s2)
			s1 = math.FMA(h, s0, s1)
		}
	}
	pass(0, len(z)-1, 1)
	pass(len(z)-1, 0, -1)
}

// orthogonalToBoth is an orthonormal basis of what is orthogonal to two vectors: by the reflections that take the
// first to its last entry and the second to the one before. The scale of mgcv's columns depends on this choice.
func orthogonalToBoth(rows [2][]float64) []float64 {
	k := len(rows[0])
	var u [2][]float64
	var g [2]float64
	for i := range u {
		u[i] = make([]float64, k)
		copy(u[i], rows[i][:k-i])
		square := 0.0
		for _, v := range u[i] {
			square = math.FMA(v, v, square)
		}
		last := k - 1 - i
		length := math.Copysign(math.Sqrt(square), u[i][last])
		u[i][last] += length
		if g[i] = 0; length != 0 {
			g[i] = 1 / float64(length*u[i][last])
		}
		if i == 0 {
			reflectBy(rows[1], u[0], g[0])
		}
	}
	out := identity(k)[:k*(k-2)]
	for j := range k - 2 {
		col := out[j*k : (j+1)*k]
		reflectBy(col, u[1], g[1])
		reflectBy(col, u[0], g[0])
	}
	return out
}

// reflectBy replaces v by v − g·u·(uᵀv).
func reflectBy(v, u []float64, g float64) {
	dot := 0.0
	for i := range u {
		dot = math.FMA(u[i], v[i], dot)
	}
	dot = float64(dot * g)
	for i := range u {
		v[i] = math.FMA(-dot, u[i], v[i])
	}
}

// cubicKnots makes the cubic regression spline with k knots at quantiles of the distinct values, whose functions are
// 1 at one knot and 0 at the others. The penalty is the integral of the squared second derivative.
func (c *smoothCall) cubicKnots(out *Basis, d values) (penalty []float64) {
	k := c.k
	out.Knots = slices.Concat(d.x[:1], ordered{values: d.x}.quantiles(k-2), d.x[len(d.x)-1:])
	out.Map = identity(k)
	bends := newCubic(out.Knots, out.Map).second
	penalty = make([]float64, k*k)
	for l := range k - 1 {
		h := out.Knots[l+1] - out.Knots[l]
		for j := range k {
			a0, a1 := bends[l*k+j], bends[(l+1)*k+j]
			for i := range k {
				b0, b1 := bends[l*k+i], bends[(l+1)*k+i]
				both := math.FMA(2*a0, b0, float64(2*a1*b1)) + math.FMA(a0, b1, float64(a1*b0))
				penalty[j*k+i] = math.FMA(h/6, both, penalty[j*k+i])
			}
		}
	}
	return penalty
}

// differences makes the P-spline: B-splines of even knots that reach a thousandth beyond the values, with a penalty on
// the differences of neighbouring coefficients.
func (c *smoothCall) differences(out *Basis, d values) (penalty []float64) {
	out.Degree = c.m[0] + 1
	pieces := float64(c.k - c.m[0] - 1)
	beyond := float64((out.Boundary[1] - out.Boundary[0]) * 0.001)
	low, high := out.Boundary[0]-beyond, out.Boundary[1]+beyond
	step := (high - low) / pieces
	out.Knots = make([]float64, c.k+c.m[0]+2)
	for i := range out.Knots {
		out.Knots[i] = math.FMA(float64(i-out.Degree), step, low)
	}
	out.Map = identity(c.k)
	difference := []float64{1}
	for range c.m[1] {
		next := make([]float64, len(difference)+1)
		for i, v := range difference {
			next[i], next[i+1] = next[i]-v, next[i+1]+v
		}
		difference = next
	}
	penalty = make([]float64, c.k*c.k)
	for first := range c.k - c.m[1] {
		for i, v := range difference {
			for j, u := range difference {
				penalty[(first+i)*c.k+first+j] += float64(v * u)
			}
		}
	}
	return penalty
}
