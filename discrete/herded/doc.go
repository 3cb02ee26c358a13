// Package herded samples discrete Markov random fields by herded Gibbs, a
// deterministic sampler that matches full conditionals.
//
// Each variable has a weight for each state of its Markov blanket. Where Gibbs
// draws the variable with probability p of state 1, herding takes state 1 when
// the weight is positive and adds p − x to it: among the visits of one blanket
// state the share of ones differs from p by less than 1/visits, where random
// draws differ by 1/√visits.
//
// It is no Markov chain Monte Carlo: an effective sample size or R-hat of its
// states means nothing. Bound returns the error that theory proves, and Warnings
// the cases without a proof: on graphs that are neither empty nor complete
// convergence is open, and shared weights need not converge at all.
//
// Source: Bornn, Chen, de Freitas, Eskelin, Fang and Welling (2013), Herded Gibbs
// Sampling, arXiv:1301.4168. More than two states: Welling (2009), Herding
// dynamical weights to learn, doi:10.1145/1553374.1553517. Errors of shared weights:
// Yamashita and Suzuki (2019), doi:10.1007/s11222-019-09852-6.
//
// Read setup.go, then kernel.go, then layout.go (which weight a
// state of the neighbours has), and bound.go (the error).
package herded
