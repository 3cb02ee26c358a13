package mrf

import (
	"math"
	"slices"
)

// Term is a product of the signs of some variables.
type Term struct {
	Weight  float64 // θ_S
	Members []int32 // S: two or more variables, all different
}

// Terms is a binary model with interactions of any order:
// π(x) ∝ exp(Σ θ_S·Π_{k∈S} s_k + Σ θ_i·s_i).
//
// Memory: 16 bytes per variable, 12 per term, 8 for each member of a term, and 4
// for each pair of variables that some term joins, in both directions.
type Terms struct {
	adjacency           // Markov blankets
	field     []float64 // θ_i
	weight    []float64 // θ_S
	first     []uint32  // terms + 1 offsets into members
	members   []int32   // ascending within a term
	own       []uint32  // n + 1 offsets into part
	part      []uint32  // the terms of each variable, in their order
}

// NewTerms makes a model of len(field) variables. field is kept, terms are not.
// It returns a *ModelError for terms of fewer than two members, members out of
// range or named twice, and numbers that are not finite. Terms of the same
// members add. Cost: O(n + Σ |S|²) and the sorting of the blankets.
func NewTerms(field []float64, terms []Term) (*Terms, error) {
	if err := checkFields(field); err != nil {
		return nil, err
	}
	n := len(field)
	m := &Terms{field: field, first: make([]uint32, 1, len(terms)+1), own: make([]uint32, n+1)}
	total := 0.0
	for _, v := range field {
		total += math.Abs(v)
	}
	for k, t := range terms {
		total += math.Abs(t.Weight)
		if !isFinite(t.Weight) {
			return nil, fault(finite, "the weight of term %d is %v", k, t.Weight)
		}
		if len(t.Members) < 2 {
			return nil, fault("put what a variable has alone in its field", "term %d has %d members", k, len(t.Members))
		}
		set := slices.Sorted(slices.Values(t.Members))
		if set[0] < 0 || int(set[len(set)-1]) >= n {
			return nil, fault("number the variables from 0", "term %d has members %v of %d variables", k, set, n)
		}
		for j := 1; j < len(set); j++ {
			if set[j] == set[j-1] {
				return nil, fault("name each once: a squared sign is 1", "term %d names variable %d twice", k, set[j])
			}
		}
		m.members = append(m.members, set...)
		m.weight = append(m.weight, t.Weight)
		m.first = append(m.first, uint32(len(m.members)))
	}
	if err := checkTotal(total); err != nil {
		return nil, err
	}
	if len(m.members) > math.MaxUint32 {
		return nil, fault("leave terms out", "the terms have %d members together, more than 4294967295", len(m.members))
	}
	m.index()
	m.blankets()
	return m, nil
}

// index lists the terms of each variable.
func (m *Terms) index() {
	for _, i := range m.members {
		m.own[i+1]++
	}
	for i := range m.field {
		m.own[i+1] += m.own[i]
	}
	next := slices.Clone(m.own)
	m.part = make([]uint32, len(m.members))
	for k := range m.weight {
		for _, i := range m.Members(k) {
			m.part[next[i]] = uint32(k)
			next[i]++
		}
	}
}

// blankets collects the variables that share a term.
func (m *Terms) blankets() {
	m.start = make([]uint32, len(m.field)+1)
	var row []int32
	for i := range m.field {
		row = row[:0]
		for _, k := range m.TermsOf(i) {
			for _, j := range m.Members(int(k)) {
				if int(j) != i {
					row = append(row, j)
				}
			}
		}
		slices.Sort(row)
		m.to = append(m.to, slices.Compact(row)...)
		m.start[i+1] = uint32(len(m.to))
	}
}

// Variables returns n.
func (m *Terms) Variables() int { return len(m.field) }

// States returns 2.
func (m *Terms) States(int) int { return 2 }

// Field returns θ_i.
func (m *Terms) Field(i int) float64 { return m.field[i] }

// TermsOf returns the numbers of the terms that variable i is in. It aliases
// the model and must not be changed.
func (m *Terms) TermsOf(i int) []uint32 { return m.part[m.own[i]:m.own[i+1]] }

// Members returns the variables of term k in ascending order. It aliases the
// model and must not be changed.
func (m *Terms) Members(k int) []int32 { return m.members[m.first[k]:m.first[k+1]] }

// Weight returns θ_S of term k.
func (m *Terms) Weight(k int) float64 { return m.weight[k] }

// LogWeights writes −h and h with h = θ_i + Σ_{S∋i} θ_S·Π_{k∈S∖i} s_k: see Model.
// Cost: O(Σ |S|) over the terms of i.
func (m *Terms) LogWeights(dst []float64, i int, x []uint8) {
	h := m.field[i]
	for _, k := range m.TermsOf(i) {
		h += m.without(k, i, x)
	}
	dst[0], dst[1] = -h, h
}

// without returns θ_S·Π s over the members of term k other than i.
func (m *Terms) without(k uint32, i int, x []uint8) float64 {
	w := m.weight[k]
	for _, j := range m.Members(int(k)) {
		if int(j) != i {
			w = signed(w, x[j])
		}
	}
	return w
}

// LogPrefix writes −h and h of the terms whose last member is i: see Model.
func (m *Terms) LogPrefix(dst []float64, i int, x []uint8) {
	h := m.field[i]
	for _, k := range m.TermsOf(i) {
		if set := m.Members(int(k)); int(set[len(set)-1]) == i {
			h += m.without(k, i, x)
		}
	}
	dst[0], dst[1] = -h, h
}

func (m *Terms) logMean(dst []float64, i int, q *Marginals) {
	h := m.field[i]
	for _, k := range m.TermsOf(i) {
		w := m.weight[k]
		for _, j := range m.Members(int(k)) {
			if int(j) != i {
				w *= mean(q, j)
			}
		}
		h += float64(w)
	}
	dst[0], dst[1] = -h, h
}

func (m *Terms) logOwn(dst []float64, i int) { dst[0], dst[1] = -m.field[i], m.field[i] }

// Bytes returns the memory of the model's arrays.
func (m *Terms) Bytes() int {
	return m.bytes() + 8*len(m.field) + 8*len(m.weight) + 4*(len(m.first)+len(m.members)+len(m.own)+len(m.part))
}
