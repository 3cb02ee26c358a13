package predictive

import (
	"math"
	"slices"
)

// Cells are missing cells of predictors that were drawn with the coefficients: rows of the design with such cells have
// entries of their own at each draw.
type Cells struct {
	Rows    []int   // of the design, in increasing order
	Params  [][]int // of each row, the indices of the draws of its cells
	Columns [][]int // of each row, the columns of the design that its cells move
	// Entries returns what writes the entries of Columns[i] at one draw of the cells of Params[i]. It is called from
	// several goroutines; what it returns is not.
	Entries func(i int) func(cells, entries []float64)
}

// widest is the most parameters that the cells of a row have; 0 if there are no cells.
func (c *Cells) widest() (n int) {
	if c != nil {
		for _, of := range c.Params {
			n = max(n, len(of))
		}
	}
	return n
}

// within returns the range of Rows that a block has.
func (c *Cells) within(b *Block) (from, to int) {
	if c != nil {
		from, _ = slices.BinarySearch(c.Rows, b.First)
		to, _ = slices.BinarySearch(c.Rows, b.First+b.Rows)
	}
	return from, to
}

// addCells gives the rows of a block with missing cells the linear predictor of the cells of each draw, instead of
// that of the entries that the design has there. Cost: O(columns that move) for each such row and draw, and what
// computes the entries.
func (e *Evaluator) addCells(b *Block, draws singles) error {
	from, to := e.Cells.within(b)
	return e.each(to-from, func(_, i int) {
		i += from
		row, columns, params := e.Cells.Rows[i], e.Cells.Columns[i], e.Cells.Params[i]
		write, cells := e.Cells.Entries(i), make([]float64, len(params))
		start, entries := make([]float64, len(columns)), make([]float64, len(columns))
		for q, l := range b.of.predictors {
			for m, j := range columns {
				l.X.Read(j, row, start[m:m+1])
			}
			for s := range e.Size() {
				for k, p := range params {
					cells[k] = draws[p][s]
				}
				write(cells, entries)
				eta := &b.Eta[q][s*b.Rows+row-b.First]
				for m, j := range columns {
					*eta = math.FMA(draws[l.first+j][s]*l.Columns[j].Scale, entries[m]-start[m], *eta)
				}
			}
		}
	})
}
