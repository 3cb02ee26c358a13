package diag

import "math"

// sum adds x − shift in four lanes, so that its bits depend on x alone.
func sum(x []float64, shift float64) float64 {
	var a, b, c, d float64
	for ; len(x) >= 4; x = x[4:] {
		a += x[0] - shift
		b += x[1] - shift
		c += x[2] - shift
		d += x[3] - shift
	}
	for _, v := range x {
		a += v - shift
	}
	return (a + b) + (c + d)
}

// center subtracts m from x and returns the sum of squares, in four lanes.
func center(x []float64, m float64) float64 {
	var a, b, c, d float64
	for ; len(x) >= 4; x = x[4:] {
		x[0], x[1], x[2], x[3] = x[0]-m, x[1]-m, x[2]-m, x[3]-m
		a += float64(x[0] * x[0])
		b += float64(x[1] * x[1])
		c += float64(x[2] * x[2])
		d += float64(x[3] * x[3])
	}
	for i, v := range x {
		x[i] = v - m
		a += float64(x[i] * x[i])
	}
	return (a + b) + (c + d)
}

// mean returns the mean of x; of equal values it is exactly that value.
func mean(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	return x[0] + sum(x, x[0])/float64(len(x))
}

// sumSquares returns the sum of squared deviations of x from its mean m.
func sumSquares(x []float64, m float64) float64 {
	s := 0.0
	for _, v := range x {
		s += float64((v - m) * (v - m))
	}
	return s
}

// halfOf returns half h of y.
func (w *Workspace) halfOf(h int) []float64 { return w.y[h*w.stride : h*w.stride+w.half] }

// centerHalves takes the mean off every half of y, keeps it in w.means, and
// returns the sum of squares within the halves.
func (w *Workspace) centerHalves() float64 {
	within := 0.0
	for h := range w.halves {
		y := w.halfOf(h)
		m := mean(y)
		w.means[h] = m
		within += center(y, m)
	}
	return within
}

// variance of the means of y's halves.
func (w *Workspace) between() float64 {
	return sumSquares(w.means, mean(w.means)) / float64(w.halves-1)
}

// basicRHat is R-hat of y, whose halves centerHalves has centred, leaving the
// sum of squares within. It is +Inf if no half varies.
//
// Source: Gelman et al. (2013), Bayesian Data Analysis, 3rd ed., eq. 11.4.
func (w *Workspace) basicRHat(within float64) float64 {
	n := float64(w.half)
	ratio := float64(n*w.between()) / (within / float64(float64(w.halves)*(n-1)))
	return math.Sqrt((ratio + n - 1) / n)
}
