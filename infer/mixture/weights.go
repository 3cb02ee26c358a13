package mixture

import (
	"math"

	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// DrawWeights writes the logs of a draw from Dirichlet(a + counts) to dst: they are finite where a weight underflows.
func DrawWeights(s variate.Source, a float64, counts, dst []float64) {
	for c, n := range counts {
		dst[c] = LogGamma(s, a+n)
	}
	total := LogSum(dst)
	for c := range dst {
		dst[c] -= total
	}
}

// DrawProcess writes the logs of the weights of components with counts to dst, of a Dirichlet process with
// concentration a. Components without rows divide the weight of all others by sticks of Beta(1, a); the last one has
// the remainder.
//
// Source: Sethuraman (1994), A constructive definition of Dirichlet priors, https://www.jstor.org/stable/24305538.
func DrawProcess(s variate.Source, a float64, counts, dst []float64) {
	free := 0
	for c, n := range counts {
		dst[c] = math.Inf(-1)
		if n > 0 {
			dst[c] = LogGamma(s, n)
			continue
		}
		free++
	}
	rest := math.Inf(-1)
	if free > 0 {
		rest = LogGamma(s, a)
	}
	total := LogSum([]float64{LogSum(dst), rest})
	rest -= total
	for c, n := range counts {
		if n > 0 {
			dst[c] -= total
			continue
		}
		if free--; free == 0 {
			dst[c] = rest
			continue
		}
		stick, left := LogGamma(s, 1), LogGamma(s, a)
		both := LogSum([]float64{stick, left})
		dst[c] = rest + stick - both
		rest += left - both
	}
}

// LogGamma returns the log of a draw of the gamma distribution with a shape and rate 1, below shape 1 as that of
// G(shape + 1)·U^(1/shape).
func LogGamma(s variate.Source, shape float64) float64 {
	if shape >= 1 {
		return vec.Log(variate.Gamma(s, shape))
	}
	g := vec.Log(variate.Gamma(s, shape+1))
	return g + vec.Log(s.Float64())/shape
}

// LogWeightsPrior returns the log density of Dirichlet(a, …, a) at weights with these logs, over all of them but one.
func LogWeightsPrior(a float64, logs []float64) float64 {
	k := float64(len(logs))
	sum := vec.LogGamma(float64(k*a)) - float64(k*vec.LogGamma(a))
	for _, l := range logs {
		sum = math.FMA(a-1, l, sum)
	}
	return sum
}

// LogSum returns log Σ e^x, −Inf where all are.
func LogSum(x []float64) float64 {
	most := math.Inf(-1)
	for _, v := range x {
		most = max(most, v)
	}
	if math.IsInf(most, -1) {
		return most
	}
	sum := 0.0
	for _, v := range x {
		sum += vec.Exp(v - most)
	}
	return most + vec.Log(sum)
}

// Pick returns the index on which u of (0, 1) falls where the chances are as e^logs, of which LogSum is total.
func Pick(u float64, logs []float64, total float64) int {
	last := 0
	for c, l := range logs {
		p := vec.Exp(l - total)
		if p > 0 {
			if last = c; u < p {
				return c
			}
		}
		u -= p
	}
	return last
}
