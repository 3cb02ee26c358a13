package loo

import (
	"math"
	"slices"

	"glmbatch/internal/vec"
)

// Weights writes smoothed importance weights for the row that Row has just evaluated to dst, one for every
// len(logLik)/len(dst) draws, chain after chain. logLik are the log likelihoods of the row; the weights add up to
// 1. Of draws of equal likelihood the later ones have the larger weights, as in loo: those in the tail, where its
// edge lies among them. Cost: O(S).
func (w *Workspace) Weights(logLik []float64, every int, dst []float64) {
	tail := w.ratio[len(w.ratio)-len(w.tail):] // less its largest
	edge := math.Inf(1)
	if len(tail) > 0 {
		edge = tail[0]
	}
	seen := make([]int, len(tail))
	for _, l := range logLik { // those that equal the least of the tail, and come before it
		if -l-w.top == edge {
			seen[0]--
		}
	}
	for at := 0; at < len(tail) && tail[at] == edge; at++ {
		seen[0]++
	}
	sum := 0.0
	for s, l := range logLik {
		r := -l - w.top
		if r >= edge {
			if at, found := slices.BinarySearch(tail, r); found {
				if seen[at]++; seen[at] > 0 {
					r = math.Min(w.tail[at+seen[at]-1], 0)
				}
			}
		}
		if s%every == 0 {
			v := vec.Exp(r)
			dst[s/every] = v
			sum += v
		}
	}
	for s := range dst {
		dst[s] /= sum
	}
}
