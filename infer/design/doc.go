// Package design holds the matrix of a linear predictor as samplers read it, by column, dense or sparse: its
// products and its groupings of rows. It contains no responses, likelihoods or priors.
//
// Package transform names and codes the columns; glm.Data adds a response to the matrix. Sums have an order that
// the storage fixes, so that dense and sparse designs of the same numbers differ in the last bits: SparseVersion is
// part of the fingerprint of a fit on a sparse one.
//
// Read matrix.go (Matrix, Column, Dense; Xb, Xᵀv, XᵀWX; rows taken and equal ones
// grouped, by partition.go), sparse.go (compressed columns), grouping.go (rows by
// the levels of a grouping factor, with the columns of its effects), smooth.go (penalised columns) and
// monotone.go (steps from level to level).
package design
