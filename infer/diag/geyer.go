package diag

import (
	"math"

	"glmbatch/internal/simd"
	"glmbatch/internal/vec"
)

// ess returns the effective sample size of the halves whose autocovariances,
// averaged over halves with divisor half, come from lags and whose means have
// the variance between. It asks for no more lags than it needs.
//
// The steps are those of posterior's .ess, its edge cases included: halves of
// fewer than 6 draws get τ = 2.
//
// Source: Geyer (1992), Practical Markov chain Monte Carlo, §3.3 (initial
// monotone sequence); Vehtari et al. (2021), eq. 10.
func (w *Workspace) ess(lags lagSource, between float64) float64 {
	n, known := w.half, 0
	rho := w.rho
	for known < 2 {
		known = lags(w, known)
	}
	meanVar := w.acov[0] * float64(n) / float64(n-1)
	varPlus := w.acov[0] + between
	at := func(k int) float64 { return 1 - (meanVar-w.acov[k])/varPlus }

	even, odd := 1.0, at(1)
	rho[0], rho[1] = even, odd
	t := 0
	for t < n-5 && even+odd > 0 {
		t += 2
		for known < t+2 {
			known = lags(w, known)
		}
		even, odd = at(t), at(t+1)
		rho[t], rho[t+1] = 0, 0
		if even+odd >= 0 {
			rho[t], rho[t+1] = even, odd
		}
	}
	if even > 0 {
		rho[t] = even
	}
	return w.essOf(rho[:t+1])
}

// essOf sums the initial positive sequence rho after making it monotone.
func (w *Workspace) essOf(rho []float64) float64 {
	last := len(rho) - 1
	for t := 2; t <= last-2; t += 2 {
		if rho[t]+rho[t+1] > rho[t-2]+rho[t-1] {
			rho[t] = (rho[t-2] + rho[t-1]) / 2
			rho[t+1] = rho[t]
		}
	}
	s := 0.0
	for _, r := range rho[:max(last, 1)] {
		s += r
	}
	total := float64(w.halves * w.half)
	tau := -1 + 2*s + rho[last]
	return total / math.Max(tau, math.Ln10/vec.Log(total))
}

var kernels = simd.Vector()

// A lagSource gives autocovariances: it writes some or all of those from lag
// `from` on to w.acov, averaged over the halves with divisor half, and returns
// the number of lags now known. It is asked for lags 0, 1, 2, … in turn.
type lagSource func(w *Workspace, from int) (known int)

// lagBlock is the number of lags that one pass over the halves gives.
const lagBlock = 8

// directLags is the number of lags that are summed directly before the
// transform takes over, which costs as much as about 90 of them where there are
// vector instructions and 30 elsewhere. A chain that mixes well seldom needs more.
const directLags = 8 * lagBlock

// seriesLags is the lagSource of the centred halves in y: a block of lags at
// O(lagBlock·draws), or, from directLags on and after a block that ends with a
// correlation above 3/4, all of them at O(draws · log draws).
func (w *Workspace) seriesLags(from int) int {
	if from >= directLags || from > 0 && w.half > directLags && w.acov[from-1] > w.acov[0]*3/4 {
		return w.spectrumLags()
	}
	var sums, of [lagBlock]float64
	for h := range w.halves {
		y := w.y[h*w.stride:]
		kernels.DotShifted(y[:max(w.half-from, 0)], y[from:], of[:])
		for k, v := range of {
			sums[k] += v
		}
	}
	known := min(from+lagBlock, w.half)
	for k := from; k < known; k++ {
		w.acov[k] = sums[k-from] / float64(w.halves*w.half)
	}
	return known
}

// spectrumLags computes the autocovariances at all lags of the centred halves
// in y.
func (w *Workspace) spectrumLags() int {
	s := &w.spectrum
	for l := 0; l < w.chains; l += pairsAtATime {
		s.add(w.y[2*l*w.stride:], w.stride, w.half, min(pairsAtATime, w.chains-l))
	}
	s.lagProducts(w.acov)
	for k := range w.acov {
		w.acov[k] /= float64(w.halves * w.half)
	}
	return w.half
}
