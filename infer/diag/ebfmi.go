package diag

import "math"

// EBFMI returns the estimated Bayesian fraction of missing information of one
// chain of a Hamiltonian sampler: the mean squared change of the energy between
// iterations over its variance, 2 at best for normal energies. Below 0.3 the momentum
// draws move the chain too little between levels of energy for its tails to be
// trusted.
//
// It is NaN for fewer than 4 energies, or if one is not finite or all are equal.
// Cost: O(len(energy)).
//
// Source: Betancourt (2016), Diagnosing suboptimal cotangent disintegrations in
// Hamiltonian Monte Carlo, arXiv:1604.00695.
func EBFMI(energy []float64) float64 {
	if len(energy) < 4 {
		return math.NaN()
	}
	first := energy[0] // energies are large: their differences are what counts
	mean := 0.0
	for _, e := range energy {
		mean += (e - first) / float64(len(energy))
	}
	steps, spread := 0.0, 0.0
	for i, e := range energy {
		if math.IsNaN(e) || math.IsInf(e, 0) {
			return math.NaN()
		}
		d := e - first - mean
		spread = math.FMA(d, d, spread)
		if i > 0 {
			d = e - energy[i-1]
			steps = math.FMA(d, d, steps)
		}
	}
	if spread == 0 {
		return math.NaN()
	}
	return steps / spread
}
