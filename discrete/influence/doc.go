// Package influence bounds the Dobrushin influences of a discrete Markov random field: how far the full conditional of
// a variable moves, in total variation, if one of its neighbours changes.
//
// infer/dogs certifies and improves orders of updates from these bounds. Figures of the paper are tests here, since
// they need models.
//
// Source: Mitliagkas and Mackey (2017), Improving Gibbs Sampler Scan Quality with DoGS, arXiv:1707.05807.
//
// Read influence.go; exact_test.go has the influences themselves, by enumeration.
package influence
