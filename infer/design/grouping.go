package design

import (
	"fmt"
	"math"
)

// Grouping says which rows belong to which level of a grouping factor. A pass over the rows of every level reads each
// row once. It is read-only once made.
type Grouping struct {
	of     []int32 // level of each row
	starts []int   // of the levels in rows; len levels + 1
	rows   []int32 // by level, in increasing order within each
}

// NewGrouping groups rows by their levels, numbers from 0 to levels−1, of each row; it keeps of. A level may have
// no rows. Cost: O(n + levels). It panics if a number is not a level.
func NewGrouping(of []int32, levels int) *Grouping {
	g := &Grouping{of: of, starts: make([]int, levels+1), rows: make([]int32, len(of))}
	for i, l := range of {
		if l < 0 || int(l) >= levels {
			panic(fmt.Sprintf("design: row %d is of level %d, and a grouping has %d levels", i, l, levels))
		}
		g.starts[l+1]++
	}
	for l := range levels {
		g.starts[l+1] += g.starts[l]
	}
	next := make([]int, levels)
	copy(next, g.starts)
	for i, l := range of {
		g.rows[next[l]] = int32(i)
		next[l]++
	}
	return g
}

// Levels returns the number of levels.
func (g *Grouping) Levels() int { return len(g.starts) - 1 }

// Of returns the level of each row; it aliases the grouping.
func (g *Grouping) Of() []int32 { return g.of }

// Rows returns the rows of a level in increasing order; it aliases the grouping.
func (g *Grouping) Rows(level int) []int32 {
	return g.rows[g.starts[level]:g.starts[level+1]:g.starts[level+1]]
}

// Effects are the columns of a linear predictor that (1 + x | g) of a formula stands for: each of q terms has an
// effect of its own for each level of a grouping, and the q effects of a level are normal, with standard deviations
// and correlations that are parameters. Row i's part of the linear predictor is Σ_t Columns[t][i]·r[level of i][t].
type Effects struct {
	Grouping *Grouping
	// Group is the name of the grouping, as "g" or "g:h"; Levels are the names of its levels and Terms those of the
	// columns, "Intercept" the column of ones; len q.
	Group  string
	Levels []string
	Terms  []string
	// ID is p of (1 | p | g), which correlates effects of several predictors; empty for none. Linked reports whether
	// other predictors have effects of the same levels under one distribution, see groups.Linked.
	ID     string
	Linked bool
	// Columns are those of the terms, len n each, as in the data; nil means ones.
	Columns [][]float64
}

// Count returns how many effects there are: terms times levels.
func (e *Effects) Count() int { return len(e.Terms) * e.Grouping.Levels() }

// Taken returns the effects of rows in the order of from, of the same levels: some may have no rows there.
func (e *Effects) Taken(from []int) *Effects {
	out := *e
	of := make([]int32, len(from))
	for to, i := range from {
		of[to] = e.Grouping.of[i]
	}
	out.Grouping, out.Columns = NewGrouping(of, e.Grouping.Levels()), make([][]float64, len(e.Columns))
	for t, c := range e.Columns {
		if c == nil {
			continue
		}
		out.Columns[t] = make([]float64, len(from))
		for to, i := range from {
			out.Columns[t][to] = c[i]
		}
	}
	return &out
}

// AddTo writes eta + Z·r to dst, which may be eta, for the rows first, first+1, … that eta is of; r is by level and
// then by column of Z. Cost: O(rows) for each column.
func (e *Effects) AddTo(dst []float64, first int, r, eta []float64) {
	of, q := e.Grouping.Of()[first:first+len(eta)], len(e.Columns)
	dst, eta = dst[:len(of)], eta[:len(of)]
	if q == 1 && e.Columns[0] == nil {
		for i, l := range of {
			dst[i] = eta[i] + r[l]
		}
		return
	}
	for t, c := range e.Columns {
		if c == nil {
			for i, l := range of {
				dst[i] = eta[i] + r[int(l)*q+t]
			}
		} else {
			for i, l := range of {
				dst[i] = math.FMA(c[first+i], r[int(l)*q+t], eta[i])
			}
		}
		eta = dst
	}
}
