package vec

import "math"

// Lanes is the number of partial sums of every reduction here.
const Lanes = 8

// reduce adds the lanes by the fixed tree that halving a register gives:
// k with k+4, then k with k+2, then the last two.
func reduce(l *[Lanes]float64) float64 {
	return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

// Sum returns Σ x[i] in the fixed lane order.
func Sum(x []float64) float64 {
	var a [Lanes]float64
	for ; len(x) >= Lanes; x = x[Lanes:] {
		b := x[:Lanes:Lanes]
		for k := range a {
			a[k] += b[k]
		}
	}
	for k, v := range x {
		a[k] += v
	}
	return reduce(&a)
}

// Dot returns Σ x[i]·y[i] in the fixed lane order; y is at least as long as x.
func Dot(x, y []float64) float64 {
	y = y[:len(x)]
	var a0, a1, a2, a3, a4, a5, a6, a7 float64
	for len(x) >= Lanes && len(y) >= Lanes {
		a0 = math.FMA(x[0], y[0], a0)
		a1 = math.FMA(x[1], y[1], a1)
		a2 = math.FMA(x[2], y[2], a2)
		a3 = math.FMA(x[3], y[3], a3)
		a4 = math.FMA(x[4], y[4], a4)
		a5 = math.FMA(x[5], y[5], a5)
		a6 = math.FMA(x[6], y[6], a6)
		a7 = math.FMA(x[7], y[7], a7)
		x, y = x[Lanes:], y[Lanes:]
	}
	a := [Lanes]float64{a0, a1, a2, a3, a4, a5, a6, a7}
	for k := range x {
		a[k] = math.FMA(x[k], y[k], a[k])
	}
	return reduce(&a)
}

// SumSquares returns Σ x[i]² in the fixed lane order.
func SumSquares(x []float64) float64 { return Dot(x, x) }

// Deviations returns Σ (x[i] − m) and Σ (x[i] − m)² in the fixed lane order.
func Deviations(x []float64, m float64) (first, second float64) {
	var s, q [Lanes]float64
	for ; len(x) >= Lanes; x = x[Lanes:] {
		b := x[:Lanes:Lanes]
		for k := range s {
			d := b[k] - m
			s[k] += d
			q[k] = math.FMA(d, d, q[k])
		}
	}
	for k, v := range x {
		d := v - m
		s[k] += d
		q[k] = math.FMA(d, d, q[k])
	}
	return reduce(&s), reduce(&q)
}

// SquaresAbout returns Σ (x − m)², each square rounded before it is added: the bits of Sum of these squares.
func SquaresAbout(x []float64, m float64) float64 {
	var s [Lanes]float64
	for ; len(x) >= Lanes; x = x[Lanes:] {
		b := x[:Lanes:Lanes]
		for k := range s {
			s[k] += float64((b[k] - m) * (b[k] - m))
		}
	}
	for k, v := range x {
		s[k] += float64((v - m) * (v - m))
	}
	return reduce(&s)
}

// Axpy adds a·x to y: y[i] = fma(a, x[i], y[i]). len(y) is at least len(x).
func Axpy(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] = math.FMA(a, v, y[i])
	}
}
