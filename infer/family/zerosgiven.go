package family

import (
	"math"

	"glmbatch/internal/vec"
)

// inflated is the likelihood along the base's predictor of a zero-inflated family: a row with a zero has
// log(e^Given[0] + e^t) with the base's log density t, up to a constant.
type inflated struct{ terms Terms }

func (l inflated) Terms(r Rows, eta, dst []float64) {
	l.terms.Terms(r, eta, dst)
	l.addZeros(r, dst)
}

// addZeros adds the second source of zeros to the log densities of zeros.
func (inflated) addZeros(r Rows, dst []float64) {
	r.addToZeros(r.given(0), dst, dst)
}

// addToZeros writes log(e^a + e^b) to dst, which may be either, for the rows with zeros: at most ChunkRows. a is not
// −Inf.
func (r *Rows) addToZeros(a, b, dst []float64) {
	n := 0
	for _, y := range r.Y {
		if y == 0 {
			n++
		}
	}
	switch n {
	case 0:
		return
	case len(r.Y):
		r.addLogs(a[:n], b[:n], dst[:n])
		return
	}
	var as, bs Block
	n = 0
	for i, y := range r.Y { // no branch depends on data: zeros may come in no order
		as[n], bs[n] = a[i], b[i]
		next := n + 1
		if y == 0 {
			n = next
		}
	}
	r.addLogs(as[:n], bs[:n], as[:n])
	n = 0
	for i, y := range r.Y {
		to, next := math.Float64bits(dst[i]), n+1
		if sum := math.Float64bits(as[n]); y == 0 {
			to, n = sum, next
		}
		dst[i] = math.Float64frombits(to)
	}
}

// from writes the probability that a zero is one of the base, 1 for other rows.
func (l inflated) from(r Rows, eta, dst []float64) {
	var odds Block
	l.terms.Terms(r, eta, dst)
	r.Kernels.Minus(odds[:len(eta)], dst, r.given(0))
	r.Kernels.Logistic(dst, odds[:len(eta)])
	for i, y := range r.Y {
		if y != 0 {
			dst[i] = 1
		}
	}
}

func (l inflated) Slopes(r Rows, eta, grad, curv, info []float64) {
	scratch := Blocks.Get().(*[3]Block)
	defer Blocks.Put(scratch)
	p := scratch[0][:len(eta)]
	l.from(r, eta, p)
	l.terms.Slopes(r, eta, grad, curv, info)
	for i, p := range p {
		curv[i] = math.FMA(-float64(p*(1-p))*grad[i], grad[i], float64(p*curv[i]))
		grad[i], info[i] = float64(p*grad[i]), float64(p*info[i])
	}
}

func (l inflated) Norm(r Rows) float64 { return l.terms.Norm(r) }

// Scores weighs the rows with zeros by the probability that they are of the base.
func (l inflated) Scores(r Rows, eta []float64) (total [2]float64) {
	r.chunks(func(i int, part Rows) {
		var p, counts Block
		n := len(part.Y)
		l.from(part, eta[i:i+n], p[:n])
		for k := range n {
			counts[k] = float64(p[k] * part.Count(k))
		}
		part.Frequency = counts[:n]
		one := l.terms.Scores(part, eta[i:i+n])
		total[0] += one[0]
		total[1] += one[1]
	})
	return total
}

// shareOfZeros is the likelihood along the logit of the share: Given[0] is the base's log density of a zero.
type shareOfZeros struct{}

func (shareOfZeros) Terms(r Rows, eta, dst []float64) {
	var grown, sums Block
	r.Kernels.Log1pExp(grown[:], eta)
	r.addToZeros(eta, r.given(0), sums[:])
	for i := range eta {
		dst[i] = sums[i] - grown[i]
	}
}

func (shareOfZeros) Slopes(r Rows, eta, grad, curv, info []float64) {
	var shares, odds, own Block
	r.Kernels.Logistic(shares[:], eta)
	r.Kernels.Minus(odds[:len(eta)], eta, r.given(0))
	r.Kernels.Logistic(own[:], odds[:len(eta)])
	for i, share := range shares[:len(eta)] {
		spread := float64(share * (1 - share))
		grad[i], curv[i], info[i] = -share, spread, spread
		if q := own[i]; r.Y[i] == 0 {
			grad[i] += q
			curv[i] -= float64(q * (1 - q))
		}
	}
}

func (shareOfZeros) Norm(Rows) float64                 { return 0 }
func (shareOfZeros) Scores(Rows, []float64) [2]float64 { return [2]float64{} }

// truncated is the likelihood along the base's predictor of a hurdle: of the rows above 0, given that they are above 0.
// Continuous responses are above 0 anyway.
type truncated struct {
	terms      Terms
	continuous bool
	spread     bool // along a dispersion's coordinate: the first of Given is the log mean
}

// zero are responses of 0.
var zero Block

// of0 are the rows with responses of 0.
func (truncated) of0(r Rows) Rows {
	r.Y = zero[:len(r.Y)]
	return r
}

func (l truncated) Terms(r Rows, eta, dst []float64) {
	var zeros, own Block
	if !l.continuous {
		copy(own[:], l.logMean(&r, eta))
		l.terms.Terms(l.of0(r), eta, zeros[:len(eta)])
	}
	l.terms.Terms(r, eta, dst)
	for i, y := range r.Y {
		switch {
		case y == 0:
			dst[i] = 0
		case !l.continuous:
			dst[i] -= logAbove(zeros[i], own[i])
		}
	}
}

// logAbove is log(1 − e^t), the log probability of a count above 0, by the log probability t of 0 and the log mean,
// which is its limit as the mean goes to 0.
func logAbove(t, logMean float64) float64 {
	if t > -1e-300 {
		return logMean
	}
	return logRest(t)
}

// above writes the odds of a zero, e^t/(1 − e^t), for rows above 0, and 0 for others. dst is not eta.
func (l truncated) above(r Rows, eta, dst []float64) {
	l.terms.Terms(l.of0(r), eta, dst)
	logMean := l.logMean(&r, eta)
	for i, y := range r.Y {
		if y == 0 {
			dst[i] = 0
			continue
		}
		dst[i] = vec.Exp(min(700, dst[i]-logAbove(dst[i], logMean[i])))
	}
}

// logMean is eta, or what is given if eta is the coordinate of a dispersion.
func (l truncated) logMean(r *Rows, eta []float64) []float64 {
	if l.spread {
		return r.given(0)
	}
	return eta
}

func (l truncated) Slopes(r Rows, eta, grad, curv, info []float64) {
	n := len(eta)
	l.terms.Slopes(r, eta, grad, curv, info)
	if !l.continuous {
		var odds, g, c, e Block
		l.above(r, eta, odds[:n])
		l.terms.Slopes(l.of0(r), eta, g[:n], c[:n], e[:n])
		for i, q := range odds[:n] {
			grad[i] = math.FMA(q, g[i], grad[i])
			lost := float64(q*(1+q)*g[i]) * g[i]
			curv[i] += math.FMA(q, c[i], -lost)
			info[i] = max(info[i]+math.FMA(q, e[i], -lost), 1e-9)
		}
	}
	for i, y := range r.Y {
		if y == 0 {
			grad[i], curv[i], info[i] = 0, 0, 0
		}
	}
}

// counting has rows count as often as they do, times a share.
func counting(r Rows, share func(i int) float64) Rows {
	counts := make([]float64, len(r.Y))
	r.Total = 0
	for i := range counts {
		if r.Y[i] != 0 {
			counts[i] = float64(r.Count(i) * share(i))
			r.Total += counts[i]
		}
	}
	r.Frequency = counts
	return r
}

func once(int) float64 { return 1 }

func (l truncated) Norm(r Rows) float64 { return l.terms.Norm(counting(r, once)) }

func (l truncated) Scores(r Rows, eta []float64) (total [2]float64) {
	r.chunks(func(i int, part Rows) {
		var odds Block
		n := len(part.Y)
		one := l.terms.Scores(counting(part, once), eta[i:i+n])
		if !l.continuous {
			l.above(part, eta[i:i+n], odds[:n])
			zeros := counting(part, func(k int) float64 { return odds[k] })
			zeros.Y = zero[:n]
			own := l.terms.Scores(zeros, eta[i:i+n])
			one[0] += own[0]
			one[1] += own[1]
		}
		total[0] += one[0]
		total[1] += one[1]
	})
	return total
}
