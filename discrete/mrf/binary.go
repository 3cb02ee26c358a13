package mrf

import "math"

// Edge joins two variables of a Binary model.
type Edge struct {
	I, J   int32
	Weight float64 // θ_ij
}

// Binary is a pairwise model in ±1: π(x) ∝ exp(Σ θ_ij·s_i·s_j + Σ θ_i·s_i), each
// edge counted once. The Ising model has one θ_ij for all edges.
//
// Memory: 12 bytes per variable (field and row), 24 per edge (two half edges of
// a neighbour and a weight); a chain has one more byte per variable.
type Binary struct {
	adjacency
	field  []float64 // θ_i
	weight []float64 // θ_ij of each half edge
}

// NewBinary makes a model of len(field) variables. field is kept, edges are not.
// It returns a *ModelError for edges out of range, loops, two edges between
// the same variables, and numbers that are not finite. Cost: O(n + edges).
func NewBinary(field []float64, edges []Edge) (*Binary, error) {
	if err := checkFields(field); err != nil {
		return nil, err
	}
	total := 0.0
	for _, v := range field {
		total += math.Abs(v)
	}
	for e, v := range edges {
		if !isFinite(v.Weight) {
			return nil, fault(finite, "the weight of edge %d is %v", e, v.Weight)
		}
		total += math.Abs(v.Weight)
	}
	if err := checkTotal(total); err != nil {
		return nil, err
	}
	m := &Binary{field: field, weight: make([]float64, 2*len(edges))}
	err := m.link(len(field), len(edges),
		func(e int) (i, j int32) { return edges[e].I, edges[e].J },
		func(e int, _ bool, at uint32) { m.weight[at] = edges[e].Weight })
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Grid returns the edges of a rectangular grid with four neighbours each, all of
// weight theta; variable r·cols + c is in row r and column c.
func Grid(rows, cols int, theta float64) []Edge {
	edges := make([]Edge, 0, 2*rows*cols)
	for r := range rows {
		for c := range cols {
			i := int32(r*cols + c)
			if c+1 < cols {
				edges = append(edges, Edge{i, i + 1, theta})
			}
			if r+1 < rows {
				edges = append(edges, Edge{i, i + int32(cols), theta})
			}
		}
	}
	return edges
}

// Variables returns n.
func (m *Binary) Variables() int { return len(m.field) }

// States returns 2.
func (m *Binary) States(int) int { return 2 }

// Field returns θ_i.
func (m *Binary) Field(i int) float64 { return m.field[i] }

// Weights returns the θ_ij of the Neighbours of i. It aliases the model and
// must not be changed.
func (m *Binary) Weights(i int) []float64 {
	from, to := m.row(i)
	return m.weight[from:to:to]
}

// LocalField returns h = θ_i + Σ_j θ_ij·s_j, half the log odds of s_i = +1.
func (m *Binary) LocalField(i int, x []uint8) float64 {
	from, to := m.row(i)
	h := m.field[i]
	for e := from; e < to; e++ {
		h += signed(m.weight[e], x[m.to[e]])
	}
	return h
}

// LogWeights writes −h and h: see Model.
func (m *Binary) LogWeights(dst []float64, i int, x []uint8) {
	h := m.LocalField(i, x)
	dst[0], dst[1] = -h, h
}

// LogPrefix writes −h and h of the neighbours below i: see Model.
func (m *Binary) LogPrefix(dst []float64, i int, x []uint8) {
	from, to := m.row(i)
	h := m.field[i]
	for e := from; e < to && int(m.to[e]) < i; e++ {
		h += signed(m.weight[e], x[m.to[e]])
	}
	dst[0], dst[1] = -h, h
}

func (m *Binary) logMean(dst []float64, i int, q *Marginals) {
	from, to := m.row(i)
	h := m.field[i]
	for e := from; e < to; e++ {
		h = math.FMA(m.weight[e], mean(q, m.to[e]), h)
	}
	dst[0], dst[1] = -h, h
}

func (m *Binary) logOwn(dst []float64, i int) { dst[0], dst[1] = -m.field[i], m.field[i] }

// mean returns E s_j under q.
func mean(q *Marginals, j int32) float64 {
	p := q.At(int(j))
	return p[1] - p[0]
}

// Bytes returns the memory of the model's arrays.
func (m *Binary) Bytes() int { return m.bytes() + 8*len(m.field) + 8*len(m.weight) }
