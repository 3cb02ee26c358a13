// Package expression compiles expressions over numbers of rows to passes over blocks of rows, with first and second
// derivatives along one of the numbers.
//
// Text becomes a tree, the tree a graph of operations in which equal parts are one. A Part has the operations that
// depend on one number; all others are computed once for many passes. A graph has no loops, and its size is bounded.
//
// Read parse.go, functions.go with random.go, graph.go, then part.go and frame.go.
package expression
