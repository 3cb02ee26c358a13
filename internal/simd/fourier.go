package simd

import (
	"math"

	"glmbatch/internal/vec"
)

// Eight discrete Fourier transforms go side by side: element i of transform l is at
// 8·i + l. These are their stages.

// Butterflies does a stage of radix 4, decimation in frequency, on each block of 4·quarter elements. roots has 6
// numbers for each element j of a quarter: the real and imaginary parts of w^j, w^(2j) and w^(3j), w =
// e^(−2πi/(4·quarter)). Results are in the order of two stages of radix 2.
func (k Kernels) Butterflies(re, im []float64, quarter int, roots []float64) {
	roots, im = roots[:6*quarter], im[:len(re)]
	if len(re)%(32*quarter) != 0 {
		panic("simd: butterflies on a part of a block")
	}
	k.butterflies(re, im, quarter, roots)
}

func butterflies(re, im []float64, quarter int, roots []float64) {
	for q := 8 * quarter; len(re) > 0; re, im = re[4*q:], im[4*q:] {
		butterfliesOf(re[:4*q], im[:4*q], q, roots)
	}
}

// butterfliesOf is Butterflies on one block with parts of q numbers.
func butterfliesOf(re, im []float64, q int, roots []float64) {
	re0, re1, re2, re3 := re[:q], re[q:2*q], re[2*q:3*q], re[3*q:4*q]
	im0, im1, im2, im3 := im[:q], im[q:2*q], im[2*q:3*q], im[3*q:4*q]
	for j := range re0 {
		w := roots[j/8*6 : j/8*6+6 : j/8*6+6]
		ar, ai, br, bi := re0[j], im0[j], re1[j], im1[j]
		cr, ci, dr, di := re2[j], im2[j], re3[j], im3[j]
		pr, pi, qr, qi := ar+cr, ai+ci, ar-cr, ai-ci
		sr, si, tr, ti := br+dr, bi+di, bi-di, dr-br
		re0[j], im0[j] = pr+sr, pi+si
		ur, ui := pr-sr, pi-si
		re1[j], im1[j] = float64(ur*w[2])-float64(ui*w[3]), float64(ur*w[3])+float64(ui*w[2])
		ur, ui = qr+tr, qi+ti
		re2[j], im2[j] = float64(ur*w[0])-float64(ui*w[1]), float64(ur*w[1])+float64(ui*w[0])
		ur, ui = qr-tr, qi-ti
		re3[j], im3[j] = float64(ur*w[4])-float64(ui*w[5]), float64(ur*w[5])+float64(ui*w[4])
	}
}

// Halvings does a stage of radix 2 on each block of two elements: x becomes their
// sum and their difference. It is called for the real and for the imaginary parts.
func (k Kernels) Halvings(x []float64) { k.halvings(x[:len(x)/16*16]) }

func halvings(x []float64) {
	for ; len(x) > 0; x = x[16:] {
		for l := range 8 {
			x[l], x[l+8] = x[l]+x[l+8], x[l]-x[l+8]
		}
	}
}

// Power replaces re by re² + im², the first product with the sum in one rounding.
func (k Kernels) Power(re, im []float64) { k.power(re, im) }

func power(re, im []float64) {
	for i, x := range re {
		re[i] = math.FMA(x, x, float64(im[i]*im[i]))
	}
}

// DotShifted writes Σ x[i]·y[i + j] over all of x to dst[j]; y has at least
// len(x) + len(dst) − 1 elements. Each sum has the bits of Dot. Four shifts go at
// a time, so that their sums do not wait for each other.
func (k Kernels) DotShifted(x, y, dst []float64) {
	n := len(x)
	if len(dst) == 0 {
		return
	}
	y = y[:n+len(dst)-1]
	for ; len(dst) >= 4 && k != Scalar; dst, y = dst[4:], y[4:] {
		dst[0], dst[1], dst[2], dst[3] = dots4Vector(k, y, 1, x)
		if len(dst) == 4 {
			return
		}
	}
	for j := range dst {
		dst[j] = vec.Dot(x, y[j:j+n])
	}
}
