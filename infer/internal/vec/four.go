package vec

import "math"

// Dot4 returns the products of x with four columns, which are at least as long,
// each summed in two lanes: the even entries and the odd ones. It reads x once.
func Dot4(x, a, b, c, d []float64) (float64, float64, float64, float64) {
	n := len(x)
	a, b, c, d = a[:n], b[:n], c[:n], d[:n]
	var a0, a1, b0, b1, c0, c1, d0, d1 float64
	i := 0
	for ; i+2 <= n; i += 2 {
		u, v := x[i], x[i+1]
		a0, a1 = math.FMA(u, a[i], a0), math.FMA(v, a[i+1], a1)
		b0, b1 = math.FMA(u, b[i], b0), math.FMA(v, b[i+1], b1)
		c0, c1 = math.FMA(u, c[i], c0), math.FMA(v, c[i+1], c1)
		d0, d1 = math.FMA(u, d[i], d0), math.FMA(v, d[i+1], d1)
	}
	if i < n {
		a0, b0 = math.FMA(x[i], a[i], a0), math.FMA(x[i], b[i], b0)
		c0, d0 = math.FMA(x[i], c[i], c0), math.FMA(x[i], d[i], d0)
	}
	return a0 + a1, b0 + b1, c0 + c1, d0 + d1
}

// Dot1 returns the product of x with one column, to the bit as Dot4.
func Dot1(x, a []float64) float64 {
	n := len(x)
	a = a[:n]
	var a0, a1 float64
	i := 0
	for ; i+2 <= n; i += 2 {
		a0, a1 = math.FMA(x[i], a[i], a0), math.FMA(x[i+1], a[i+1], a1)
	}
	if i < n {
		a0 = math.FMA(x[i], a[i], a0)
	}
	return a0 + a1
}

// Axpy4 adds w[0]·a + w[1]·b + w[2]·c + w[3]·d to y, in this order, reading y once.
// The columns are at least as long as y.
func Axpy4(w *[4]float64, a, b, c, d, y []float64) {
	n := len(y)
	a, b, c, d = a[:n], b[:n], c[:n], d[:n]
	for i, v := range y {
		v = math.FMA(w[0], a[i], v)
		v = math.FMA(w[1], b[i], v)
		v = math.FMA(w[2], c[i], v)
		y[i] = math.FMA(w[3], d[i], v)
	}
}
