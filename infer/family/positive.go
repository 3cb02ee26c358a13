package family

import "math"

// positive is a family with a positive mean mu, whose likelihood is mean as a function of λ = log mu, and a link
// λ(eta), so that neither overflows where the other does not.
type positive struct {
	mean Terms
	link *Link
}

// ofMean is the likelihood of a family with a positive mean by a link.
func ofMean(mean Terms, link *Link) Likelihood {
	return Likelihood{Form: Termwise, Terms: positive{mean, link}, OfMean: mean}
}

func (l positive) Terms(r Rows, eta, dst []float64) {
	var outside [ChunkRows]bool
	for i, e := range eta {
		outside[i] = l.link.Positive && !(e > 0)
		dst[i] = e
	}
	l.link.logMu(r, dst)
	l.mean.Terms(r, dst, dst)
	for i := range dst {
		if outside[i] {
			dst[i] = math.Inf(-1)
		}
	}
}

func (l positive) Slopes(r Rows, eta, grad, curv, info []float64) {
	var lambda [ChunkRows]float64
	copy(lambda[:], eta)
	l.link.logMu(r, lambda[:len(eta)])
	l.mean.Slopes(r, lambda[:len(eta)], grad, curv, info)
	for i, e := range eta {
		first, second := l.link.slopes(e)
		curv[i] = math.FMA(float64(curv[i]*first), first, -float64(grad[i]*second))
		grad[i] *= first
		info[i] = float64(info[i]*first) * first
	}
}

func (l positive) Norm(r Rows) float64 { return l.mean.Norm(r) }

func (l positive) Scores(r Rows, eta []float64) (total [2]float64) {
	var lambda [ChunkRows]float64
	for i := 0; i < len(eta); i += ChunkRows {
		n := min(ChunkRows, len(eta)-i)
		copy(lambda[:], eta[i:i+n])
		l.link.logMu(r, lambda[:n])
		s := l.mean.Scores(r.Part(i, i+n), lambda[:n])
		total[0] += s[0]
	}
	return total
}

// ratios returns y/mu of each row.
func (r *Rows) ratios(lambda []float64) (out Block) {
	for i, l := range lambda {
		out[i] = r.LogY[i] - l
	}
	r.Kernels.Exp(out[:], out[:len(lambda)])
	return out
}
