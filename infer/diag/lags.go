package diag

// A lagSource gives autocovariances: it writes some or all of those from lag
// `from` on to w.acov, averaged over the halves with divisor half, and returns
// the number of lags now known. It is asked for lags 0, 1, 2, … in turn.
type lagSource func(w *Workspace, from int) (known int)

// lagBlock is the number of lags that one pass over the halves gives.
const lagBlock = 8

// directLags is the number of lags that are summed directly before the
// transform takes over, which costs as much as about 30 of them. A chain that
// mixes well seldom needs more.
const directLags = 2 * lagBlock

// seriesLags is the lagSource of the centred halves in y: a block of lags at
// O(lagBlock·draws), or, from directLags on and after a block that ends with
// much correlation still, all of them at O(draws · log draws).
func (w *Workspace) seriesLags(from int) int {
	if from >= directLags || from > 0 && w.half > directLags && w.acov[from-1] > w.acov[0]/2 {
		return w.spectrumLags()
	}
	var sums [lagBlock]float64
	for h := range w.halves {
		start := h * w.stride
		addLagProducts(&sums, w.y[start:start+w.half+lagBlock], w.half-from, from)
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
	for h := 0; h < w.halves; h += 2 {
		s.add(w.halfOf(h), w.halfOf(h+1))
	}
	s.lagProducts(w.acov)
	for k := range w.acov {
		w.acov[k] /= float64(w.halves * w.half)
	}
	return w.half
}

// addLagProducts adds Σ y[i]·y[i+from+k], i < count, to sums[k]. Beyond the
// half y holds zeros.
func addLagProducts(sums *[lagBlock]float64, y []float64, count, from int) {
	s0, s1, s2, s3 := sums[0], sums[1], sums[2], sums[3]
	s4, s5, s6, s7 := sums[4], sums[5], sums[6], sums[7]
	later := y[from:]
	for i, v := range y[:count] {
		w := later[i : i+lagBlock : i+lagBlock]
		s0 += float64(v * w[0])
		s1 += float64(v * w[1])
		s2 += float64(v * w[2])
		s3 += float64(v * w[3])
		s4 += float64(v * w[4])
		s5 += float64(v * w[5])
		s6 += float64(v * w[6])
		s7 += float64(v * w[7])
	}
	*sums = [lagBlock]float64{s0, s1, s2, s3, s4, s5, s6, s7}
}
