package powerscale

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/internal/vec"
)

// The powers between which the distance's derivative is taken.
const lower, upper = 0.99, 1.01

// Sensitivity is the distance that a marginal posterior moves for each doubling of the power of the prior or of the
// likelihood, at a power of 1: 0 if it does not move. From 0.05 on the paper calls it sensitive.
type Sensitivity struct{ Prior, Likelihood float64 }

// Scaling weighs the draws of one posterior. It is not safe for concurrent use.
type Scaling struct {
	prior, likelihood [2][]float64 // weights at each power, of sum 1
	order             []int
	sorted            []float64
}

// New weighs draws whose log prior densities and log likelihoods, each up to a constant, these are. It is an error if
// one is not finite, or there are fewer than 2. Cost: O(draws).
func New(logPrior, logLik []float64) (*Scaling, error) {
	if len(logPrior) < 2 || len(logPrior) != len(logLik) {
		return nil, fmt.Errorf("powerscale: %d log priors and %d log likelihoods", len(logPrior), len(logLik))
	}
	s := &Scaling{}
	for i, power := range []float64{lower, upper} {
		var err error
		if s.prior[i], err = weights("prior", logPrior, power); err != nil {
			return nil, err
		}
		if s.likelihood[i], err = weights("likelihood", logLik, power); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// weights are those of the posterior in which a density has a power, relative to that in which it has 1.
func weights(what string, log []float64, power float64) ([]float64, error) {
	out := make([]float64, len(log))
	top := math.Inf(-1)
	for i, l := range log {
		if math.IsNaN(l) || math.IsInf(l, 0) {
			return nil, fmt.Errorf("powerscale: the log %s of draw %d is %v", what, i+1, l)
		}
		out[i] = (power - 1) * l
		top = math.Max(top, out[i])
	}
	for i, r := range out {
		out[i] = vec.Exp(r - top)
	}
	sum := vec.Sum(out)
	for i := range out {
		out[i] /= sum
	}
	return out, nil
}

// Of measures one quantity from its draws, in the order of the densities. Both numbers are NaN if a draw is not finite,
// or all are equal. Cost: O(S log S) for S draws, and 16 S logarithms.
func (s *Scaling) Of(values []float64) Sensitivity {
	none := Sensitivity{math.NaN(), math.NaN()}
	if len(values) != len(s.prior[0]) || slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v - v) }) {
		return none
	}
	s.order = s.order[:0]
	for i := range values {
		s.order = append(s.order, i)
	}
	slices.SortFunc(s.order, func(i, j int) int {
		if values[i] < values[j] {
			return -1
		}
		if values[i] > values[j] {
			return 1
		}
		return i - j
	})
	s.sorted = s.sorted[:0]
	for _, i := range s.order {
		s.sorted = append(s.sorted, values[i])
	}
	if s.sorted[0] == s.sorted[len(values)-1] {
		return none
	}
	step := 2 * (vec.Log(upper) / vec.Log(2))
	return Sensitivity{
		Prior:      (s.distance(s.prior[0]) + s.distance(s.prior[1])) / step,
		Likelihood: (s.distance(s.likelihood[0]) + s.distance(s.likelihood[1])) / step,
	}
}

// distance is the larger one of the cumulative Jensen-Shannon distances between the sorted draws with equal weights and
// with these, from the left and from the right: neither a reflection nor a change of unit moves it.
func (s *Scaling) distance(w []float64) float64 {
	var left, right side
	n := len(s.sorted)
	cumulated := 0.0
	for k := range n - 1 {
		cumulated += w[s.order[k]]
		width := s.sorted[k+1] - s.sorted[k]
		if width == 0 {
			continue
		}
		p := float64(k+1) / float64(n)
		left.add(width, p, cumulated)
		right.add(width, 1-p, math.Max(0, 1-cumulated))
	}
	return math.Max(left.distance(), right.distance())
}

// side adds up one distance.
type side struct{ divergence, bound float64 }

// add adds an interval of the values on which the distribution functions are p and q.
func (s *side) add(width, p, q float64) {
	// p log2(2p/(p+q)) + q log2(2q/(p+q)), in d = (p − q)/(p + q) to keep the digits of functions that hardly differ
	sum := p + q
	if sum == 0 {
		return
	}
	d := (p - q) / sum
	s.divergence = math.FMA(float64(0.5*sum*width), part(d)+part(-d), s.divergence)
	s.bound = math.FMA(sum, width, s.bound)
}

// part is (1+d)·log2(1+d), 0 at −1.
func part(d float64) float64 {
	if d <= -1 {
		return 0
	}
	return float64((1 + d) * vec.Log1p(d) * math.Log2E)
}

func (s *side) distance() float64 {
	if s.bound == 0 {
		return 0
	}
	return math.Sqrt(math.Max(0, s.divergence) / s.bound)
}
