package groups

import "math"

// Matrices of a level are q × q with few terms: row-major, symmetric ones whole, factors lower triangular.

// factor overwrites the lower triangle of a with its Cholesky factor; it reports whether there is one.
func factor(a []float64, q int) bool {
	for j := range q {
		for i := j; i < q; i++ {
			s := a[i*q+j]
			for k := range j {
				s = math.FMA(-a[i*q+k], a[j*q+k], s)
			}
			if i > j {
				a[i*q+j] = s / a[j*q+j]
				continue
			}
			if !(s > 0) || s > math.MaxFloat64 {
				return false
			}
			a[j*q+j] = math.Sqrt(s)
		}
	}
	return true
}

// lower overwrites b with L⁻¹b.
func lower(l []float64, q int, b []float64) {
	for i := range q {
		s := b[i]
		for k := range i {
			s = math.FMA(-l[i*q+k], b[k], s)
		}
		b[i] = s / l[i*q+i]
	}
}

// upper overwrites b with L⁻ᵀb.
func upper(l []float64, q int, b []float64) {
	for i := q - 1; i >= 0; i-- {
		s := b[i]
		for k := i + 1; k < q; k++ {
			s = math.FMA(-l[k*q+i], b[k], s)
		}
		b[i] = s / l[i*q+i]
	}
}

// transposed writes Lᵀb to dst.
func transposed(l []float64, q int, b, dst []float64) {
	for i := range q {
		s := 0.0
		for k := i; k < q; k++ {
			s = math.FMA(l[k*q+i], b[k], s)
		}
		dst[i] = s
	}
}

// congruent writes the lower triangle of I + by·Lᵀ·M·L of a symmetric matrix m to dst.
func congruent(l, m []float64, q int, by float64, dst []float64) {
	var ml [maxTerms * maxTerms]float64
	for j := range q {
		for i := range q {
			s := 0.0
			for k := j; k < q; k++ {
				s = math.FMA(m[i*q+k], l[k*q+j], s)
			}
			ml[i*q+j] = s
		}
	}
	for i := range q {
		for j := range i + 1 {
			s := 0.0
			for k := i; k < q; k++ {
				s = math.FMA(l[k*q+i], ml[k*q+j], s)
			}
			dst[i*q+j] = float64(by * s)
		}
		dst[i*q+i]++
	}
}

// times writes a·b of a symmetric matrix to dst.
func times(a []float64, q int, b, dst []float64) {
	for i := range q {
		s := 0.0
		for k := range q {
			s = math.FMA(a[i*q+k], b[k], s)
		}
		dst[i] = s
	}
}

// dot returns Σ a·b.
func dot(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s = math.FMA(x, b[i], s)
	}
	return s
}

// inner returns aᵀMb.
func inner(a, m []float64, q int, b []float64) float64 {
	s := 0.0
	for i := range q {
		s = math.FMA(a[i], dot(m[i*q:i*q+q], b), s)
	}
	return s
}

// scale multiplies b by a number.
func scale(by float64, b []float64) {
	for i := range b {
		b[i] *= by
	}
}
