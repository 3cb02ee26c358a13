package diag

import "glmbatch/internal/simd"

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
