package loo

import (
	"math"

	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// Stacking returns the weights of models whose mixture predicts best: those that maximise the sum over observations of
// the log of Σ weight·e^elpd. elpd has a row for each model, frequency how often an observation counts, nil once each.
// Models that predict alike share a weight.
//
// The maximum is found by Newton steps inside the positive weights, with a barrier that falls to 1e-13, so that weights
// are exact to about 1e-8. Cost: O(n·k²) for each of some 60 steps, with k models.
//
// Source: Yao, Vehtari, Simpson and Gelman (2018), Using stacking to average Bayesian predictive distributions,
// doi:10.1214/17-BA1091.
func Stacking(elpd [][]float64, frequency []float64) []float64 {
	s := newStacking(elpd, frequency)
	k := len(elpd)
	w, trial := make([]float64, k), make([]float64, k)
	for j := range w {
		w[j] = 1 / float64(k)
	}
	for barrier := 0.1; barrier > 1e-13; barrier /= 10 {
		for range 50 {
			decrement := s.step(w, barrier)
			if !(decrement > 1e-28) {
				break
			}
			at, length := s.value(w, barrier), 1.0
			for ; length > 1e-12; length /= 2 {
				for j := range w {
					trial[j] = math.FMA(length, s.direction[j], w[j])
				}
				if then := s.value(trial, barrier); then <= at || decrement < 1e-10 && then < at+1e-12 {
					break
				}
			}
			if length <= 1e-12 {
				break
			}
			copy(w, trial)
		}
	}
	total := vec.Sum(w)
	for j := range w {
		w[j] /= total
	}
	return w
}

// stacking is the problem −Σ f·log(Σ w·p)/Σ f + Σ w − barrier·Σ log w, whose weights sum to 1 + k·barrier.
type stacking struct {
	p         [][]float64 // densities by model, those of an observation over their largest
	share     []float64   // of an observation
	mixed     []float64   // Σ w·p
	direction []float64
}

func newStacking(elpd [][]float64, frequency []float64) *stacking {
	k, n := len(elpd), len(elpd[0])
	s := &stacking{share: make([]float64, n), mixed: make([]float64, n), direction: make([]float64, k)}
	total := float64(n)
	if frequency != nil {
		total = vec.Sum(frequency)
	}
	for range elpd {
		s.p = append(s.p, make([]float64, n))
	}
	for i := range s.share {
		s.share[i] = 1 / total
		if frequency != nil {
			s.share[i] = frequency[i] / total
		}
		most := math.Inf(-1)
		for j := range elpd {
			most = math.Max(most, elpd[j][i])
		}
		for j := range elpd {
			s.p[j][i] = vec.Exp(elpd[j][i] - most)
		}
	}
	return s
}

// mix sets mixed at w.
func (s *stacking) mix(w []float64) {
	clear(s.mixed)
	for j, p := range s.p {
		for i, v := range p {
			s.mixed[i] = math.FMA(w[j], v, s.mixed[i])
		}
	}
}

// value is +Inf where a weight is not positive.
func (s *stacking) value(w []float64, barrier float64) float64 {
	sum := 0.0
	for _, v := range w {
		if !(v > 0) {
			return math.Inf(1)
		}
		sum = math.FMA(-barrier, vec.Log(v), sum+v)
	}
	s.mix(w)
	for i, m := range s.mixed {
		sum = math.FMA(-s.share[i], vec.Log(m), sum)
	}
	return sum
}

// step sets direction to the Newton step at w and returns its squared decrement.
func (s *stacking) step(w []float64, barrier float64) (decrement float64) {
	k := len(w)
	h, gradient := make([]float64, k*k), make([]float64, k)
	s.mix(w)
	for a, p := range s.p {
		gradient[a] = 1 - barrier/w[a]
		h[a*k+a] = barrier / w[a] / w[a]
		for i, v := range p {
			r := v / s.mixed[i]
			gradient[a] = math.FMA(-s.share[i], r, gradient[a])
			r = float64(r*s.share[i]) / s.mixed[i]
			for b := range a + 1 {
				h[a*k+b] = math.FMA(r, s.p[b][i], h[a*k+b])
			}
		}
	}
	chol, err := linalg.Cholesky(h, k)
	if err != nil {
		return 0
	}
	for j := range gradient {
		s.direction[j] = -gradient[j]
	}
	chol.Solve(s.direction)
	return -vec.Dot(gradient, s.direction)
}

// PseudoBMA returns weights in proportion to e^Σ elpd, averaged over the Bayesian bootstrap of observations
// (pseudo-BMA+): so many draws of their weights, which are gamma variates with their frequencies as shapes.
//
// Source: Yao, Vehtari, Simpson and Gelman (2018), section 3.4.
func PseudoBMA(elpd [][]float64, frequency []float64, draws int, from variate.Source) []float64 {
	k := len(elpd)
	out, g, sums := make([]float64, k), make([]float64, len(elpd[0])), make([]float64, k)
	for range draws {
		count := 0.0
		for i := range g {
			shape := 1.0
			if frequency != nil {
				shape = frequency[i]
			}
			g[i], count = variate.Gamma(from, shape), count+shape
		}
		for j := range sums {
			sums[j] = vec.Dot(elpd[j], g) / (vec.Sum(g) / count)
		}
		top := maximum(sums)
		all := 0.0
		for j, v := range sums {
			sums[j] = vec.Exp(v - top)
			all += sums[j]
		}
		for j, v := range sums {
			out[j] += v / all
		}
	}
	for j := range out {
		out[j] /= float64(draws)
	}
	return out
}
