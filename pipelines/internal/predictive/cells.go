package predictive

import (
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/glm"
)

// Cells are missing cells of predictors that were drawn with the coefficients: rows of the design with such cells have
// entries of their own at each draw.
type Cells struct {
	Rows    []int   // of the design, in increasing order
	Params  [][]int // of each row, where the draws of its cells stand
	Columns [][]int // of each row, the columns of the design that its cells move
	// Entries returns what writes the entries of Columns[i] at one draw of the cells of Params[i]. It is called from
	// several goroutines; what it returns is not.
	Entries func(i int) func(cells, entries []float64)
}

// widest is the number of parameters that the cells of a row have at most; 0 without cells.
func (c *Cells) widest() (n int) {
	if c != nil {
		for _, of := range c.Params {
			n = max(n, len(of))
		}
	}
	return n
}

// cellDraws are the draws that the rows of a block with missing cells need.
type cellDraws struct {
	*Cells
	from, to int               // of Rows
	beta     map[int][]float64 // coefficients of the columns that move, as the design was sampled
	cells    map[int][]float64 // by parameter
}

// cellsOf finds which rows of a block have cells; nil: none.
func (f *Fit) cellsOf(b *Block) *cellDraws {
	if f.Cells == nil {
		return nil
	}
	from, _ := slices.BinarySearch(f.Cells.Rows, b.First)
	to, _ := slices.BinarySearch(f.Cells.Rows, b.First+b.Rows)
	if from == to {
		return nil
	}
	d := &cellDraws{Cells: f.Cells, from: from, to: to, beta: map[int][]float64{}, cells: map[int][]float64{}}
	for i := from; i < to; i++ {
		for _, j := range d.Columns[i] {
			d.beta[j] = nil
		}
		for _, p := range d.Params[i] {
			d.cells[p] = nil
		}
	}
	return d
}

// take keeps what a block of columns has of them.
func (d *cellDraws) take(f *Fit, c *infer.Columns) {
	if d == nil {
		return
	}
	size := f.Size()
	for p := c.First; p < c.First+c.Params; p++ {
		draws := c.Values[(p-c.First)*size : (p-c.First+1)*size]
		if _, wanted := d.cells[p]; wanted {
			d.cells[p] = slices.Clone(draws)
		}
		if _, wanted := d.beta[p]; wanted {
			own := make([]float64, size)
			for s, v := range draws {
				own[s] = v * f.Columns[p].Scale
			}
			d.beta[p] = own
		}
	}
}

// addCells gives the rows of a block with missing cells the linear predictor of the cells of each draw, in the place of
// that of the entries that the design has there. Cost: O(columns that move) for each such row and draw, and what
// computes the entries.
func (f *Fit) addCells(b *Block, data *glm.Data, d *cellDraws) error {
	if d == nil {
		return nil
	}
	return f.each(d.to-d.from, func(_, i int) {
		i += d.from
		row, columns := d.Rows[i], d.Columns[i]
		write, cells := d.Entries(i), make([]float64, len(d.Params[i]))
		start, entries := make([]float64, len(columns)), make([]float64, len(columns))
		for m, j := range columns {
			data.X.Read(j, row, start[m:m+1])
		}
		for s := range f.Size() {
			for k, p := range d.Params[i] {
				cells[k] = d.cells[p][s]
			}
			write(cells, entries)
			eta := &b.Eta[s*b.Rows+row-b.First]
			for m, j := range columns {
				*eta = math.FMA(d.beta[j][s], entries[m]-start[m], *eta)
			}
		}
	})
}
