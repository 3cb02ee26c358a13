package diag

import "math"

// quantile returns the p-quantile of the draws, type 7 of Hyndman and Fan
// (1996): R's default, in R's own order of operations.
func (w *Workspace) quantile(p float64) float64 {
	x := w.sorted.values
	index := float64(float64(len(x)-1) * p)
	lo := math.Floor(index)
	q := x[int(lo)]
	if next := x[int(math.Ceil(index))]; next != q {
		h := index - lo
		q = float64((1-h)*q) + float64(h*next)
	}
	return q
}

// median returns the middle draw, or the mean of the two middle ones.
func (w *Workspace) median() float64 {
	x := w.sorted.values
	k := len(x) / 2
	if len(x)%2 == 1 || x[k-1] == x[k] {
		return x[k]
	}
	m := (x[k-1] + x[k]) / 2
	if math.IsInf(m, 0) {
		m = x[k-1]/2 + x[k]/2
	}
	return m
}

// countBelow returns the number of draws that are at most the p-quantile.
func (w *Workspace) countBelow(p float64) int {
	x, q := w.sorted.values, w.quantile(p)
	k := int(float64(float64(len(x)-1) * p))
	for k < len(x) && x[k] <= q {
		k++
	}
	for k > 0 && x[k-1] > q {
		k--
	}
	return k
}

// essQuantile returns the ESS of the event that a draw is at most the p-quantile.
func (w *Workspace) essQuantile(p float64) float64 {
	if !w.finite() || w.half < 3 {
		return math.NaN()
	}
	if p == 1 {
		p = (float64(w.size()) - 0.5) / float64(w.size())
	}
	w.event.set(w.sorted, w.countBelow(p))
	if !w.event.varies() {
		return math.NaN()
	}
	return w.ess((*Workspace).eventLags, w.event.between())
}

// mcseQuantile returns the Monte Carlo standard error of the p-quantile, whose
// effective sample size is ess: half the distance between the draws at the
// 16 % and the 84 % quantile of the Beta distribution of its probability.
//
// Source: Vehtari et al. (2021), §4.4, with posterior's rounding outwards.
func (w *Workspace) mcseQuantile(p, ess float64) float64 {
	if math.IsNaN(ess) {
		return ess
	}
	x := w.sorted.values
	n := float64(len(x))
	a, b := float64(ess*p)+1, float64(ess*(1-p))+1
	lo := max(int(math.Floor(float64(betaQuantile(0.1586553, a, b)*n))), 1)
	hi := min(int(math.Ceil(float64(betaQuantile(0.8413447, a, b)*n))), len(x))
	return (x[hi-1] - x[lo-1]) / 2
}
