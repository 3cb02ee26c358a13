package mrf

import (
	"fmt"
	"math"

	"glmbatch/internal/words"
)

// Version names the samplers of this package: it changes whenever the same
// stream gives other bits.
const Version = "mrf/1"

// Model is a discrete Markov random field over variables 0 … n−1: a *Binary, a
// *Tables, a *Terms or a *Listed. Models are read-only and safe for concurrent use.
type Model interface {
	// Variables returns n.
	Variables() int
	// States returns the number of states of variable i, at least 2 and at most
	// 256.
	States(i int) int
	// Neighbours returns the Markov blanket of variable i in ascending order. It
	// aliases the model and must not be changed.
	Neighbours(i int) []int32
	// LogWeights writes the full conditional of variable i given the others in x,
	// as logarithms up to one common constant, to dst[:States(i)]. x[i] is not
	// looked at. Cost: O(degree), times the states where they are more than two.
	LogWeights(dst []float64, i int, x []uint8)
	// LogPrefix writes what variable i adds to U(x) when it joins variables 0 …
	// i−1, for each of its states: its field, and the terms whose last member it
	// is. Σ_i LogPrefix_i[x_i] = U(x). Nothing above i is looked at.
	LogPrefix(dst []float64, i int, x []uint8)
	// Bytes returns the memory of the model's arrays.
	Bytes() int

	// logMean is LogWeights with each neighbour replaced by its distribution in q.
	logMean(dst []float64, i int, q *Marginals)
	// logOwn is LogWeights of a variable without neighbours: its field alone.
	logOwn(dst []float64, i int)
}

// LogDensity returns U(x) = log π(x) + log Z. len(x) is n. Cost: one pass over
// the edges.
func LogDensity(m Model, x []uint8) float64 {
	lw := make([]float64, MaxStates(m))
	u := 0.0
	for i := range x {
		m.LogPrefix(lw, i, x)
		u += lw[x[i]]
	}
	return u
}

// MaxStates returns the largest number of states of a variable.
func MaxStates(m Model) int {
	if t, ok := m.(*Tables); ok {
		return t.most
	}
	return 2
}

// ModelError is a fault of a model.
type ModelError struct{ What string } // the part at fault, with its index

func (e *ModelError) Error() string { return "mrf: " + e.What }

func fault(hint, format string, args ...any) error {
	return words.Clause(&ModelError{What: fmt.Sprintf(format, args...)}, hint)
}

const finite = "give a finite number"

// checkFields refuses models without variables, with too many of them, and
// fields that are NaN or infinite.
func checkFields(field []float64) error {
	if err := checkSize(len(field)); err != nil {
		return err
	}
	for i, v := range field {
		if !isFinite(v) {
			return fault(finite, "the field of variable %d is %v", i, v)
		}
	}
	return nil
}

func checkSize(n int) error {
	if n == 0 || n > math.MaxInt32 {
		return fault("give 1 to 2147483647 of them", "the model has %d variables", n)
	}
	return nil
}

// checkTotal refuses potentials whose sum, signs aside, is no float64: U(x) must
// be a number whatever x is.
func checkTotal(total float64) error {
	if !(total <= math.MaxFloat64/4) {
		return fault("scale them: differences of 40 already decide", "the potentials add up to more than float64 holds")
	}
	return nil
}

func isFinite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }

// signed returns w for state 1 and −w for state 0, without a branch.
func signed(w float64, state uint8) float64 {
	return math.Float64frombits(math.Float64bits(w) ^ uint64(state^1)<<63)
}

// Marginals holds one distribution per variable.
type Marginals struct {
	start []int // n + 1 offsets into p; nil if all variables are binary
	p     []float64
}

// NewMarginals returns uniform distributions of the shape of m.
func NewMarginals(m Model) *Marginals {
	n := m.Variables()
	q := new(Marginals)
	if MaxStates(m) > 2 {
		q.start = make([]int, n+1)
		for i := range n {
			q.start[i+1] = q.start[i] + m.States(i)
		}
		q.p = make([]float64, q.start[n])
	} else {
		q.p = make([]float64, 2*n)
	}
	for i := range n {
		row := q.At(i)
		for a := range row {
			row[a] = 1 / float64(len(row))
		}
	}
	return q
}

// At returns the distribution of variable i; it aliases q.
func (q *Marginals) At(i int) []float64 {
	if q.start == nil {
		return q.p[2*i : 2*i+2 : 2*i+2]
	}
	return q.p[q.start[i]:q.start[i+1]:q.start[i+1]]
}

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

// link fills rows from edges 0 … m−1, whose ends end returns, and calls put
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
