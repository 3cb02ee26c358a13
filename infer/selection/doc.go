// Package selection samples which coefficients of a gaussian(identity) model are in it, if their prior is
// spike_slab, with coefficients and sigma integrated out: by Gibbs sampling of the indicators, by herded Gibbs, or
// independently and exactly from the distribution over all models. Coefficients and sigma are drawn exactly given
// the indicators.
//
// The distribution over all models is computed once, so that there may be 16 such coefficients at most; cggibbs
// takes any number.
//
// Source: George and McCulloch (1997), Approaches for Bayesian variable selection, Statistica Sinica 7, 339-373, for
// Gibbs sampling with coefficients integrated out; Bornn, Chen, de Freitas, Eskelin, Fang and Welling (2013), Herded
// Gibbs Sampling, arXiv:1301.4168, for herding, which names variable selection as what might come next.
//
// Read selection.go.
package selection
