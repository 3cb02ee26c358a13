// Package mrf holds discrete Markov random fields: the models in compressed
// sparse rows, Gibbs samplers of them, damped mean field, and exact answers on
// models small or narrow enough to have them.
//
//	π(x) ∝ exp(U(x))
//
//	Binary  U = Σ θ_ij·s_i·s_j + Σ θ_i·s_i          s_i = ±1, one θ an edge
//	Tables  U = Σ θ^ij[x_i, x_j] + Σ θ^i[x_i]       any number of states, tables shared by edges
//	Listed  U = u[x]                                s_i = ±1, few variables, each state stated
//	Terms   U = Σ θ_S·Π_{k∈S} s_k + Σ θ_i·s_i       s_i = ±1, sets S of any size
//
// The state of a variable is a byte, 0 to States(i)−1; of a binary variable 0
// stands for s = −1 and 1 for s = +1. Each edge counts once in U: with the sums
// over ordered pairs that some papers write, θ_ij here is θ_ij + θ_ji there.
//
// A Gibbs chain is an infer.Kernel, saved and restored to the bit. Where the
// contract of that interface fits badly is listed at NewGibbs.
//
// Oracles, each by its own route: Enumerate (every state), Transfer (variables
// one after the other over a frontier: strips), ForwardBackward and Viterbi
// (chains). They use LogPrefix, the samplers LogWeights: the two never share an
// error.
//
// Read model.go (models, and the graph), then binary.go, tables.go and
// terms.go and listed.go, then start.go, gibbs.go and state.go; then enumerate.go, transfer.go,
// chain.go and meanfield.go, and draw.go (independent draws).
package mrf
