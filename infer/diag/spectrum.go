package diag

import "math"

// spectrum computes lag products of the halves, all lags at once, through their
// power spectra, summed over the halves. Two halves, one as real and one as
// imaginary part, share a complex transform: the power at ±frequency adds up
// to twice that of both, which is all that the sum needs.
//
// A half padded with as many zeros is transformed as two transforms of size n,
// of the half itself (even frequencies) and of the half turned by w^i,
// w = e^(−iπ/n) (odd frequencies). Eight transforms, those of four pairs of
// halves, go side by side: element i of transform l is at 8·i + l, even ones at
// l < 4, odd ones behind.
type spectrum struct {
	n        int       // power of two, at least half
	turn     complexes // w^i, i < n
	roots    []float64 // of every radix-4 stage, in the order of use
	reversed []uint32  // bit reversal of 0 … n−1
	eight    complexes
	powers   complexes // of even frequencies, and of odd ones as imaginary part
}

// pairsAtATime is the number of pairs of halves that are transformed together.
const pairsAtATime = 4

type complexes struct{ re, im []float64 }

func newComplexes(n int) complexes { return complexes{make([]float64, n), make([]float64, n)} }

func (c complexes) slice(i, j int) complexes { return complexes{c.re[i:j:j], c.im[i:j:j]} }

// resize prepares transforms for halves of the given length.
func (s *spectrum) resize(half int) {
	n := nextPowerOfTwo(half)
	if n == s.n {
		return
	}
	s.n = n
	s.turn = roots(2*n).slice(0, n)
	s.eight, s.powers = newComplexes(8*n), newComplexes(n)
	s.roots = nil
	for size := n; size >= 4; size /= 4 {
		step := 2 * n / size
		for j := range size / 4 {
			for k := 1; k <= 3; k++ {
				re, im := s.root(k * j * step)
				s.roots = append(s.roots, re, im)
			}
		}
	}
	s.reversed = make([]uint32, n)
	for i := 1; i < n; i++ {
		s.reversed[i] = s.reversed[i/2] / 2
		if i%2 == 1 {
			s.reversed[i] += uint32(n / 2)
		}
	}
}

// root returns w^k for k < 2n.
func (s *spectrum) root(k int) (re, im float64) {
	if k >= s.n {
		return -s.turn.re[k-s.n], -s.turn.im[k-s.n]
	}
	return s.turn.re[k], s.turn.im[k]
}

// roots returns e^(−2πi·k/n), k < n, for a power of two n, within a few units
// of the last place. It halves angles with square roots and multiplies, because
// math.Sincos rounds differently on different processors.
func roots(n int) complexes {
	r := newComplexes(n)
	r.re[0] = 1
	c, s := -1.0, 0.0 // cosine and sine of π, then of its halves
	for step := n / 2; step >= 1; step /= 2 {
		for k := 0; k < n; k += 2 * step {
			a, b := r.re[k], r.im[k]
			r.re[k+step] = float64(a*c) + float64(b*s)
			r.im[k+step] = float64(b*c) - float64(a*s)
		}
		switch step {
		case n / 2:
			c, s = 0, 1
		default:
			root := math.Sqrt((1 + c) / 2)
			c, s = root, s/(2*root)
		}
	}
	return r
}

// add adds the power spectra of at most four pairs of halves, one half a stride of y.
func (s *spectrum) add(y []float64, stride, half, pairs int) {
	re, im := s.eight.re, s.eight.im
	if pairs < pairsAtATime {
		clear(re)
		clear(im)
	}
	clear(re[8*half:])
	clear(im[8*half:])
	for l := range pairs {
		s.load(l, y[2*l*stride:2*l*stride+half], y[(2*l+1)*stride:(2*l+1)*stride+half])
	}
	roots, size := s.roots, s.n
	for ; size >= 4; size /= 4 {
		q := size / 4
		kernels.Butterflies(re, im, q, roots)
		roots = roots[6*q:]
	}
	if size == 2 {
		kernels.Halvings(re)
		kernels.Halvings(im)
	}
	kernels.Power(re, im)
	even, odd := s.powers.re, s.powers.im
	for i := range even {
		p := re[8*i : 8*i+8 : 8*i+8]
		even[i] += (p[0] + p[1]) + (p[2] + p[3])
		odd[i] += (p[4] + p[5]) + (p[6] + p[7])
	}
}

// load fills transforms l and l + 4 from a pair of halves.
func (s *spectrum) load(l int, a, b []float64) {
	b, re, im := b[:len(a)], s.eight.re[l:], s.eight.im[l:]
	cosines, sines := s.turn.re[:len(a)], s.turn.im[:len(a)]
	for i, x := range a {
		y, c, d := b[i], cosines[i], sines[i]
		re, im := re[8*i:8*i+5:8*i+5], im[8*i:8*i+5:8*i+5]
		re[0], im[0] = x, y
		re[4] = float64(x*c) - float64(y*d)
		im[4] = float64(x*d) + float64(y*c)
	}
}

// lagProducts writes Σ over the halves added of Σ_i y[i]·y[i+k] to sums[k] and resets the halves. The powers are in
// bit-reversed order; the transform of even + i·odd gives those of both.
func (s *spectrum) lagProducts(sums []float64) {
	n, p := s.n, s.powers
	t := s.eight.slice(0, n)
	for i, r := range s.reversed {
		t.re[i], t.im[i] = p.re[r], p.im[r]
	}
	s.transform(t)
	scale := 1 / float64(4*n)
	for k := range sums {
		i, j := s.reversed[k], s.reversed[(n-k)&(n-1)]
		e := t.re[i] + t.re[j]
		oRe, oIm := t.im[i]+t.im[j], t.re[j]-t.re[i]
		turned := float64(s.turn.re[k]*oRe) - float64(s.turn.im[k]*oIm)
		sums[k] = (e + turned) * scale
	}
	clear(p.re)
	clear(p.im)
}

// transform replaces c by its discrete Fourier transform, in bit-reversed
// order: decimation in frequency by radix 4, and one stage of radix 2 if the
// size is no power of 4.
func (s *spectrum) transform(c complexes) {
	roots, size := s.roots, s.n
	for ; size > 4; size /= 4 {
		q := size / 4
		for start := 0; start < s.n; start += size {
			butterflies(c.slice(start, start+size), roots, q)
		}
		roots = roots[6*q:]
	}
	switch size {
	case 4:
		lastOfFour(c)
	case 2:
		lastOfTwo(c)
	}
}

// butterflies does the first radix-4 stage of a block of 4q elements.
func butterflies(c complexes, roots []float64, q int) {
	re0, re1, re2, re3 := c.re[:q], c.re[q:2*q], c.re[2*q:3*q], c.re[3*q:4*q]
	im0, im1, im2, im3 := c.im[:q], c.im[q:2*q], c.im[2*q:3*q], c.im[3*q:4*q]
	for j := range q {
		w := roots[6*j : 6*j+6 : 6*j+6]
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

// lastOfFour does the last stage, blocks of 4 without twiddles.
func lastOfFour(c complexes) {
	for k := 0; k+4 <= len(c.re); k += 4 {
		re, im := c.re[k:k+4:k+4], c.im[k:k+4:k+4]
		pr, pi, qr, qi := re[0]+re[2], im[0]+im[2], re[0]-re[2], im[0]-im[2]
		sr, si, tr, ti := re[1]+re[3], im[1]+im[3], im[1]-im[3], re[3]-re[1]
		re[0], re[1], re[2], re[3] = pr+sr, pr-sr, qr+tr, qr-tr
		im[0], im[1], im[2], im[3] = pi+si, pi-si, qi+ti, qi-ti
	}
}

// lastOfTwo does the last stage, blocks of 2.
func lastOfTwo(c complexes) {
	for k := 0; k+2 <= len(c.re); k += 2 {
		re, im := c.re[k:k+2:k+2], c.im[k:k+2:k+2]
		re[0], re[1] = re[0]+re[1], re[0]-re[1]
		im[0], im[1] = im[0]+im[1], im[0]-im[1]
	}
}
