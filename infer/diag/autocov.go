package diag

// lagBlock is the number of lags that one pass over the halves gives.
const lagBlock = 8

// directLags is the number of lags that are summed directly before the
// transform takes over, which costs as much as about 30 of them.
const directLags = 16

// series gives the autocovariances of the centred halves in y.
type series struct {
	shape
	y        []float64
	spectrum spectrum
}

func (s *series) reshape(sh shape) {
	s.shape = sh
	if s.half > directLags {
		s.spectrum.resize(s.half)
	}
}

// of points the source at y, by position.
func (s *series) of(y []float64) *series {
	s.y = y
	return s
}

// extend implements lagSource: a block of lags at O(lagBlock·draws), or, from
// directLags on, all of them at O(draws · log draws).
func (s *series) extend(acov []float64, from int) int {
	scale := 1 / float64(s.half) / float64(s.halves)
	if from >= directLags {
		s.spectrum.autocovariances(acov, s)
		for k := range acov {
			acov[k] *= scale
		}
		return len(acov)
	}
	var sums [lagBlock]float64
	for h := range s.halves {
		start := h * s.stride
		addLagProducts(&sums, s.y[start:start+s.half+lagBlock], s.half-from, from)
	}
	known := min(from+lagBlock, s.half)
	for k := from; k < known; k++ {
		acov[k] = sums[k-from] * scale
	}
	return known
}

// addLagProducts adds Σ y[i]·y[i+from+k], i < count, to sums[k]. Beyond the
// half y holds zeros.
func addLagProducts(sums *[lagBlock]float64, y []float64, count, from int) {
	s0, s1, s2, s3 := sums[0], sums[1], sums[2], sums[3]
	s4, s5, s6, s7 := sums[4], sums[5], sums[6], sums[7]
	later := y[from:]
	for i, v := range y[:count] {
		w := later[i : i+8 : i+8]
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
