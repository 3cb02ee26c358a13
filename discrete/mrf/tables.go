package mrf

import "math"

// Table is a pairwise log potential: Log[a·Cols + b] = θ[a, b].
type Table struct {
	Rows, Cols int
	Log        []float64
}

// Potts returns the table of q states that rewards equal ones with theta.
func Potts(q int, theta float64) Table {
	t := Table{q, q, make([]float64, q*q)}
	for a := range q {
		t.Log[a*q+a] = theta
	}
	return t
}

// TableEdge joins two variables of a Tables model: the state of I is the row of
// its table, the state of J the column.
type TableEdge struct {
	I, J  int32
	Table int32 // which table; edges may share one
}

// Tables is a pairwise model with any number of states:
// π(x) ∝ exp(Σ θ^ij[x_i, x_j] + Σ θ^i[x_i]), each edge counted once.
//
// Memory: 8 bytes and 8 per state for a variable, 16 per edge, and each table
// twice, as given and transposed, so that a conditional adds contiguous rows.
type Tables struct {
	adjacency
	offset []uint32 // n + 1 offsets into unary
	unary  []float64
	tables []Table // 2k as given, 2k + 1 transposed
	which  []int32 // table of each half edge; its row is the neighbour's state
	most   int
}

// NewTables makes a model. states has the number of states of each variable, 2
// to 256; unary their log potentials θ^i, one variable after the other. unary
// is kept, the rest is not. It returns a *ModelError where shapes do not fit or
// numbers are not finite. Cost: O(n + edges + tables).
func NewTables(states []int, unary []float64, tables []Table, edges []TableEdge) (*Tables, error) {
	m := &Tables{unary: unary, offset: make([]uint32, len(states)+1)}
	if err := m.shape(states); err != nil {
		return nil, err
	}
	if err := m.transpose(tables); err != nil {
		return nil, err
	}
	for e, v := range edges {
		if v.Table < 0 || int(v.Table) >= len(tables) {
			return nil, fault("number the tables from 0", "edge %d has table %d of %d", e, v.Table, len(tables))
		}
	}
	m.which = make([]int32, 2*len(edges))
	err := m.link(len(states), len(edges),
		func(e int) (i, j int32) { return edges[e].I, edges[e].J },
		func(e int, forward bool, at uint32) {
			m.which[at] = 2 * edges[e].Table
			if forward { // the row of I: its neighbour J must be the table's row
				m.which[at]++
			}
		})
	if err != nil {
		return nil, err
	}
	total := 0.0
	for _, v := range unary {
		total += math.Abs(v)
	}
	largest := make([]float64, len(tables))
	for k, t := range tables {
		for _, v := range t.Log {
			largest[k] = max(largest[k], math.Abs(v))
		}
	}
	for e, v := range edges {
		total += largest[v.Table]
		t := tables[v.Table]
		if t.Rows != states[v.I] || t.Cols != states[v.J] {
			return nil, fault("give a table with a row for each state of the first and a column for each of the second",
				"edge %d has a table of %d × %d states and joins variables of %d and %d", e, t.Rows, t.Cols, states[v.I],
				states[v.J])
		}
	}
	if err := checkTotal(total); err != nil {
		return nil, err
	}
	return m, nil
}

// shape lays out the unary potentials.
func (m *Tables) shape(states []int) error {
	if err := checkSize(len(states)); err != nil {
		return err
	}
	total := 0
	for i, q := range states {
		if q < 2 || q > 256 {
			return fault("give 2 to 256", "variable %d has %d states", i, q)
		}
		m.most = max(m.most, q)
		total += q
		if total > math.MaxUint32 {
			return fault("leave variables or states out", "the variables have more than 4294967295 states together")
		}
		m.offset[i+1] = uint32(total)
	}
	if total != len(m.unary) {
		return fault("give one for each state of each variable",
			"there are %d log potentials of single variables for %d states", len(m.unary), total)
	}
	for k, v := range m.unary {
		if !isFinite(v) {
			return fault(finite, "log potential %d of single variables is %v", k, v)
		}
	}
	return nil
}

// transpose keeps each table twice.
func (m *Tables) transpose(tables []Table) error {
	for k, t := range tables {
		if t.Rows < 1 || t.Cols < 1 || len(t.Log) != t.Rows*t.Cols {
			return fault("give rows times columns", "table %d of %d × %d states has %d numbers", k, t.Rows, t.Cols, len(t.Log))
		}
		turned := Table{t.Cols, t.Rows, make([]float64, len(t.Log))}
		for a := range t.Rows {
			for b := range t.Cols {
				v := t.Log[a*t.Cols+b]
				if !isFinite(v) {
					return fault(finite, "table %d has %v in row %d, column %d", k, v, a, b)
				}
				turned.Log[b*t.Rows+a] = v
			}
		}
		m.tables = append(m.tables, t, turned)
	}
	return nil
}

// Variables returns n.
func (m *Tables) Variables() int { return len(m.offset) - 1 }

// States returns the number of states of variable i.
func (m *Tables) States(i int) int { return int(m.offset[i+1] - m.offset[i]) }

// Unary returns θ^i. It aliases the model and must not be changed.
func (m *Tables) Unary(i int) []float64 {
	return m.unary[m.offset[i]:m.offset[i+1]:m.offset[i+1]]
}

// Pair returns the table between variable i and neighbour k of Neighbours(i),
// its rows the neighbour's states, its columns those of i, and its number: pairs
// of equal numbers have equal tables. It aliases the model and must not be
// changed.
func (m *Tables) Pair(i, k int) (number int, t Table) {
	number = int(m.which[m.start[i]+uint32(k)])
	return number, m.tables[number]
}

// LogWeights adds a row of each neighbour's table: see Model.
func (m *Tables) LogWeights(dst []float64, i int, x []uint8) {
	m.add(dst, i, x, len(x))
}

// LogPrefix adds a row of the table of each neighbour below i: see Model.
func (m *Tables) LogPrefix(dst []float64, i int, x []uint8) {
	m.add(dst, i, x, i)
}

// add sums the fields and the tables of neighbours below limit.
func (m *Tables) add(dst []float64, i int, x []uint8, limit int) {
	dst = dst[:copy(dst, m.Unary(i))]
	from, to := m.row(i)
	for e := from; e < to && int(m.to[e]) < limit; e++ {
		t := &m.tables[m.which[e]]
		row := t.Log[int(x[m.to[e]])*t.Cols:][:len(dst)]
		for a, v := range row {
			dst[a] += v
		}
	}
}

func (m *Tables) logMean(dst []float64, i int, q *Marginals) {
	dst = dst[:copy(dst, m.Unary(i))]
	from, to := m.row(i)
	for e := from; e < to; e++ {
		t := &m.tables[m.which[e]]
		for b, p := range q.At(int(m.to[e])) {
			for a, v := range t.Log[b*t.Cols:][:len(dst)] {
				dst[a] = math.FMA(p, v, dst[a])
			}
		}
	}
}

func (m *Tables) logOwn(dst []float64, i int) { copy(dst, m.Unary(i)) }

// Bytes returns the memory of the model's arrays.
func (m *Tables) Bytes() int {
	n := m.bytes() + 4*len(m.offset) + 8*len(m.unary) + 4*len(m.which)
	for _, t := range m.tables {
		n += 8 * len(t.Log)
	}
	return n
}
