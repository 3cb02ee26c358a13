package predictive

import (
	"math"
	"testing"
)

// withCells gives an example of 4 columns rows with missing cells: an entry is a cell, plus 1 in column 3; that of the
// last row in column 2 is the square of its cell.
func withCells(e *example) *Cells {
	cells := &Cells{Rows: []int{2, 7, 8, 22}, Params: [][]int{{5}, {6, 7}, {8}, {9}},
		Columns: [][]int{{1}, {1, 3}, {3}, {1, 2}}}
	for p := range 5 {
		draws := make([]float64, e.fit.Size())
		for s := range draws {
			draws[s] = math.Sin(float64(17*p + 3*s))
		}
		e.beta = append(e.beta, draws)
	}
	cells.Entries = func(i int) func(cells, entries []float64) {
		return func(of, entries []float64) {
			for m, column := range cells.Columns[i] {
				entries[m] = of[min(m, len(of)-1)]
				switch column {
				case 2:
					entries[m] *= entries[m]
				case 3:
					entries[m]++
				}
			}
		}
	}
	e.fit.Params, e.fit.Cells = len(e.beta), cells
	return cells
}

// rowOf is a row of the design at draw s.
func (e *example) rowOf(cells *Cells, row, s int) []float64 {
	x := make([]float64, len(e.columns))
	for j := range x {
		x[j] = e.data.X.Col(j)[row]
	}
	for k, with := range cells.Rows {
		if with != row {
			continue
		}
		var own []float64
		for _, p := range cells.Params[k] {
			own = append(own, e.beta[p][s])
		}
		entries := make([]float64, len(cells.Columns[k]))
		cells.Entries(k)(own, entries)
		for m, j := range cells.Columns[k] {
			x[j] = entries[m]
		}
	}
	return x
}

// Rows with missing cells have the entries of each draw, in blocks of any size and in any number of workers.
func TestBlocksWithMissingCells(t *testing.T) {
	for _, blockRows := range []int{1, 3, 8, 100} {
		e := newExample(23, 4, 3, 10, 2)
		cells, blocks := withCells(e), 0
		e.fit.Workers, e.fit.bytes = 3, 8*e.fit.Size()*3*blockRows
		for b, err := range rowBlocks(t, on(t, &e.fit, gaussian, e.data, e.columns)) {
			must(t, err)
			blocks++
			for i := range b.Rows {
				for s := range e.fit.Size() {
					want, row := e.data.Offset[b.First+i], b.First+i
					for j, x := range e.rowOf(cells, row, s) {
						c := e.columns[j]
						want += e.beta[j][s] * (c.Centre + c.Scale*x)
					}
					if got := b.at(0, s)[i]; math.Abs(got-want) > 1e-12 {
						t.Fatalf("blocks of %d: row %d at draw %d is %v, want %v", blockRows, row, s, got, want)
					}
				}
			}
		}
		if want := (22 + blockRows) / blockRows; blocks != want {
			t.Errorf("%d blocks of %d rows, want %d", blocks, blockRows, want)
		}
	}
}
