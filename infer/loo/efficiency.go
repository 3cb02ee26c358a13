package loo

import (
	"math"

	"glmbatch/internal/vec"
)

// efficiency estimates the effective sample size of a mean from chains that are
// not split, as loo::relative_eff does: diag.ESSMean splits them. It holds the
// scratch.
type efficiency struct {
	centred []float64
	rho     []float64
}

// relative returns the effective over the actual number of draws of x, chain
// after chain; NaN if the draws do not vary or are fewer than 6 a chain.
//
// Autocorrelations, over all chains, are summed by Geyer's initial positive and
// monotone sequence. Cost: O(len(x)) for each lag until they vanish.
func (e *efficiency) relative(x []float64, chains int) float64 {
	draws := len(x) / chains
	if draws < 6 {
		return math.NaN()
	}
	n := float64(draws)
	e.centred = e.centred[:0]
	means := make([]float64, chains)
	for c := range means {
		chain := x[c*draws : (c+1)*draws]
		means[c] = vec.Sum(chain) / n
		for _, v := range chain {
			e.centred = append(e.centred, v-means[c])
		}
	}
	within := e.covariance(draws, 0)
	total := within
	if chains > 1 {
		m := float64(chains)
		total += sumSquares(means, vec.Sum(means)/m) / (m - 1)
	}
	if !(within > 0) {
		return math.NaN()
	}
	within *= n / (n - 1)
	last := e.autocorrelations(draws, within, total)
	rho := e.rho
	for t := 2; t <= last-2; t += 2 { // the initial monotone sequence
		if before := rho[t-2] + rho[t-1]; rho[t]+rho[t+1] > before {
			rho[t], rho[t+1] = before/2, before/2
		}
	}
	tau := math.FMA(2, sumUp(rho[:last]), rho[last]-1)
	size := float64(len(x))
	return 1 / math.Max(tau, vec.Log(10)/vec.Log(size))
}

// autocorrelations fills rho, in pairs from lag 0, while the sums of pairs are
// positive, and returns the lag of the last pair, which may be the one that was
// not.
func (e *efficiency) autocorrelations(draws int, within, total float64) (last int) {
	at := func(lag int) float64 { return 1 - (within-e.covariance(draws, lag))/total }
	even, odd := 1.0, at(1)
	e.rho = append(e.rho[:0], even, odd)
	t := 0
	for t < draws-5 && even+odd > 0 {
		t += 2
		even, odd = at(t), at(t+1)
		e.rho = append(e.rho, 0, 0)
		if even+odd >= 0 {
			e.rho[t], e.rho[t+1] = even, odd
		}
	}
	if even > 0 {
		e.rho[t] = even
	}
	return t
}

// covariance returns the mean over chains of the autocovariance at a lag, with
// divisor draws.
func (e *efficiency) covariance(draws, lag int) float64 {
	sum := 0.0
	for c := 0; c < len(e.centred); c += draws {
		chain := e.centred[c : c+draws]
		sum += vec.Dot(chain[lag:], chain[:draws-lag])
	}
	return sum / float64(len(e.centred))
}

// sumUp adds in order.
func sumUp(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}
