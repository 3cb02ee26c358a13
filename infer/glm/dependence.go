package glm

import (
	"math"
	"slices"

	"glmbatch/infer/design"
	"glmbatch/internal/linalg"
)

// A Dependence is a column that is a linear combination of others: Column = Σ Weights[k]·column Of[k].
type Dependence struct {
	Column  int
	Of      []int
	Weights []float64
}

// spurious is the share of a column's largest value up to which a combination that was found in some rows may miss it
// in any row.
const spurious = 1e-9

// Dependences returns the columns of x, among those listed, that are linear combinations of listed columns before them.
// It reads a subset of about twice as many rows as there are columns: columns that are independent there are
// independent in all rows. A combination found there is checked in all rows, and the row that contradicts it most joins
// the subset.
//
// Cost: O(d³) for d listed columns, one pass over x, and one more pass for each combination. It returns nil if x has
// fewer rows than listed columns, or if d³ exceeds 1000 times the entries of x, more than a fit of 1000 sweeps costs.
func Dependences(x design.Matrix, columns []int) []Dependence {
	n, d := x.Size()
	if work := float64(len(columns)); len(columns) < 2 || n < len(columns) || work*work*work > 1000*float64(x.Entries()) {
		return nil
	}
	s := subset{x: x, columns: columns, weights: make([]float64, d)}
	s.begin()
	for range 8 {
		found, against := s.dependences()
		if len(against) == 0 {
			return found
		}
		s.add(against)
	}
	return nil // the combinations of the subset are those of rounding
}

// subset holds the rows of x in which columns are compared.
type subset struct {
	x       design.Matrix
	columns []int
	rows    []int32   // rising
	weights []float64 // scratch, by column of x
}

// begin chooses rows at equal distances, and for each column one where it is largest.
func (s *subset) begin() {
	n, _ := s.x.Size()
	spread := min(n, len(s.columns)+32)
	var rows []int32
	for i := range spread {
		rows = append(rows, int32(i*n/spread))
	}
	for _, j := range s.columns {
		c := s.x.Column(j)
		at, largest := 0, 0.0
		for i, v := range c.Values {
			if math.Abs(v) > largest {
				at, largest = i, math.Abs(v)
			}
		}
		if largest > 0 {
			rows = append(rows, rowOf(c, at))
		}
	}
	s.add(rows)
}

func (s *subset) add(rows []int32) {
	s.rows = append(s.rows, rows...)
	slices.Sort(s.rows)
	s.rows = slices.Compact(s.rows)
}

// rowOf returns the row of a stored value.
func rowOf(c design.Column, at int) int32 {
	if c.Rows == nil {
		return int32(at)
	}
	return c.Rows[at]
}

// read returns the subset's rows of column j.
func (s *subset) read(j int) []float64 {
	c, out := s.x.Column(j), make([]float64, len(s.rows))
	if c.Rows == nil {
		for k, r := range s.rows {
			out[k] = c.Values[r]
		}
		return out
	}
	at := 0
	for k, r := range s.rows {
		for at < len(c.Rows) && c.Rows[at] < r {
			at++
		}
		if at < len(c.Rows) && c.Rows[at] == r {
			out[k] = c.Values[at]
		}
	}
	return out
}

// dependences compares the columns in the subset. It returns the combinations that hold in all rows, and a row that
// contradicts each of the others.
func (s *subset) dependences() (found []Dependence, against []int32) {
	span := linalg.NewSpan(dependent)
	var basis []int
	for _, j := range s.columns {
		column := s.read(j)
		if span.Add(column) {
			basis = append(basis, j)
			continue
		}
		d := Dependence{Column: j, Of: basis, Weights: span.Weights(column)}
		if row, holds := s.check(d); holds {
			found = append(found, s.shortened(d))
		} else {
			against = append(against, row)
		}
	}
	return found, against
}

// check reports whether a combination holds in all rows, and the row that contradicts it most.
func (s *subset) check(d Dependence) (worst int32, holds bool) {
	n, _ := s.x.Size()
	rest := make([]float64, n)
	c := s.x.Column(d.Column)
	c.AddTo(rest, 1)
	for k, j := range d.Of {
		if d.Weights[k] != 0 {
			s.x.Column(j).AddTo(rest, -d.Weights[k])
		}
	}
	largest := 0.0
	for i, v := range rest {
		if math.Abs(v) > largest {
			worst, largest = int32(i), math.Abs(v)
		}
	}
	return worst, largest <= spurious*c.Largest()
}

// shortened leaves out the columns that a combination has by rounding alone.
func (s *subset) shortened(d Dependence) Dependence {
	out := Dependence{Column: d.Column}
	least := spurious * s.x.Column(d.Column).Largest()
	for k, j := range d.Of {
		if math.Abs(d.Weights[k])*s.x.Column(j).Largest() > least {
			out.Of, out.Weights = append(out.Of, j), append(out.Weights, d.Weights[k])
		}
	}
	return out
}
