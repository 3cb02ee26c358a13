package transform

import "math"

// spline evaluates B-splines, and natural splines made of them.
type spline struct {
	basis *Basis
	knots []float64 // all of them, the outer ones degree + 1 times
	// reflect are the two Householder vectors of a natural spline, each scaled
	// so that its reflection is v − u·(uᵀv).
	reflect [2][]float64
}

// spline prepares the evaluation.
func (s *Basis) spline() *spline {
	out := &spline{basis: s}
	for range s.Degree + 1 {
		out.knots = append(out.knots, s.Boundary[0])
	}
	out.knots = append(out.knots, s.Knots...)
	for range s.Degree + 1 {
		out.knots = append(out.knots, s.Boundary[1])
	}
	if s.Kind == "ns" {
		out.constrain()
	}
	return out
}

// size is how many B-splines there are, the first included.
func (s *spline) size() int { return len(s.knots) - s.basis.Degree - 1 }

// derivative writes the derivative of the given order of all B-splines at x to dst, which has size() entries. The
// polynomial pieces at the two ends continue beyond the boundary knots.
//
// Source: de Boor (2001), A Practical Guide to Splines, chapter X, equations 4
// and 14: values of lower degree first, differences on top.
func (s *spline) derivative(dst []float64, x float64, order int) {
	degree, t := s.basis.Degree, s.knots
	clear(dst)
	span := degree
	for span+1 < s.size() && x >= t[span+1] {
		span++
	}
	dst[span] = 1
	for d := 1; d <= degree; d++ {
		for i := span - d; i <= span; i++ {
			left, right := 0.0, 0.0
			if i > span-d {
				left = dst[i] / (t[i+d] - t[i])
			}
			if i < span {
				right = dst[i+1] / (t[i+d+1] - t[i+1])
			}
			if d > degree-order {
				dst[i] = float64(float64(d) * (left - right))
			} else {
				dst[i] = math.FMA(x-t[i], left, float64((t[i+d+1]-x)*right))
			}
		}
	}
}

// constrain finds the directions along which the second derivative at both ends
// vanishes, by the two Householder reflections of R's ns (LINPACK's dqrdc).
//
// Source: Hastie (1992), in Chambers and Hastie, Statistical Models in S, 7.
func (s *spline) constrain() {
	var rows [2][]float64
	for k := range rows {
		all := make([]float64, s.size())
		s.derivative(all, s.basis.Boundary[k], 2)
		rows[k] = all[s.first():]
	}
	for k := range s.reflect {
		u := make([]float64, len(rows[k]))
		copy(u[k:], rows[k][k:])
		norm := 0.0
		for _, v := range u {
			norm = math.FMA(v, v, norm)
		}
		norm = math.Copysign(math.Sqrt(norm), u[k])
		u[k] += norm
		scale := math.Sqrt(float64(norm * u[k])) // ‖u‖²/2 = norm·u[k]
		for i := range u {
			u[i] /= scale
		}
		s.reflect[k] = u
		mirror(rows[1], u)
	}
}

// mirror replaces v by v − u·(uᵀv).
func mirror(v, u []float64) {
	dot := 0.0
	for i := range u {
		dot = math.FMA(u[i], v[i], dot)
	}
	for i := range u {
		v[i] = math.FMA(-dot, u[i], v[i])
	}
}

// first is the first B-spline that is used: without an intercept the first one
// is left out.
func (s *spline) first() int {
	if s.basis.Intercept {
		return 0
	}
	return 1
}

// fill writes the columns of the spline at every x.
func (s *spline) fill(out [][]float64, x []float64) {
	row, slope := make([]float64, s.size()), make([]float64, s.size())
	natural := s.basis.Kind == "ns"
	for i, v := range x {
		at := v
		if natural {
			at = max(s.basis.Boundary[0], min(s.basis.Boundary[1], v))
		}
		s.derivative(row, at, 0)
		if at != v { // a natural spline is a line beyond its boundary
			s.derivative(slope, at, 1)
			for p := range row {
				row[p] = math.FMA(v-at, slope[p], row[p])
			}
		}
		used := row[s.first():]
		if natural {
			mirror(used, s.reflect[0])
			mirror(used, s.reflect[1])
			used = used[2:]
		}
		for p := range out {
			out[p][i] = used[p]
		}
	}
}
