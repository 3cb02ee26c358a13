// Package explain describes a fit of a spec before it is drawn: the model in
// mathematics, what standardisation makes of it, the priors on the scales that people
// think in, what they imply for the response, and how it would be sampled.
//
// It takes the cases of package run, so that priors and the choice of a sampler are
// those of a run, and draws from priors only.
//
// Read explain.go, then responses.go, effects.go and write.go.
package explain
