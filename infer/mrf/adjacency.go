package mrf

import "math"

// adjacency is a symmetric graph in compressed sparse rows: the half edges of
// variable i are start[i] to start[i+1]−1, in ascending order of to.
type adjacency struct {
	start []uint32
	to    []int32
}

func (g *adjacency) row(i int) (from, to uint32) { return g.start[i], g.start[i+1] }

// Neighbours returns the Markov blanket of variable i in ascending order. It
// aliases the model and must not be changed.
func (g *adjacency) Neighbours(i int) []int32 {
	from, to := g.row(i)
	return g.to[from:to:to]
}

// link fills rows from edges 0 … m−1, whose ends are told by end, and calls put
// for both halves of every edge with their places.
//
// Two counting passes sort the rows in linear time: the first puts half edges
// in rows, in the order of the edges; the second goes through these rows and
// hands each half edge to the row of its other end, which so fills in ascending
// order. Cost: O(n + m), and 8 bytes per half edge until it returns.
func (g *adjacency) link(n, m int, end func(e int) (i, j int32), put func(e int, forward bool, at uint32)) error {
	if 2*m > math.MaxUint32 {
		return fault("leave edges out", "the model has %d edges, more than 2147483647", m)
	}
	g.start = make([]uint32, n+1)
	for e := range m {
		i, j := end(e)
		if i < 0 || j < 0 || int(i) >= n || int(j) >= n {
			return fault("number the variables from 0", "edge %d joins variables %d and %d of %d", e, i, j, n)
		}
		if i == j {
			return fault("put what a variable has alone in its field", "edge %d joins variable %d with itself", e, i)
		}
		g.start[i+1]++
		g.start[j+1]++
	}
	for i := range n {
		g.start[i+1] += g.start[i]
	}
	next := make([]uint32, n)
	copy(next, g.start)
	rough := make([]uint32, 2*m) // edge·2 + (1 when this is the row of j)
	for e := range m {
		i, j := end(e)
		rough[next[i]], rough[next[j]] = uint32(2*e), uint32(2*e+1)
		next[i]++
		next[j]++
	}
	g.to = make([]int32, 2*m)
	copy(next, g.start)
	for k := range n {
		for _, half := range rough[g.start[k]:g.start[k+1]] {
			i, j := end(int(half / 2))
			other, forward := j, half%2 == 1 // the row of the other end: i's when k is j
			if forward {
				other = i
			}
			at := next[other]
			next[other]++
			g.to[at] = int32(k)
			if at > g.start[other] && g.to[at-1] == int32(k) {
				return fault("add their potentials to one edge", "variables %d and %d are joined by two edges", other, k)
			}
			put(int(half/2), forward, at)
		}
	}
	return nil
}

func (g *adjacency) bytes() int { return 4*len(g.start) + 4*len(g.to) }
