package design

// Monotone is a monotonic effect mo(x) of the levels 0 to D of x: neighbouring columns of a design. Column j is 1, or
// the number that x is crossed with, where x is above level j. Coefficients are the steps from each level to the next
// one, all of one sign.
type Monotone struct {
	Name    string // mo(x), or mo(x):z; the mean of the steps
	Simplex string // simo_x: the shares of the steps in their sum
	// First and Last are the first column of the design and the one after the last.
	First, Last int
}

// FirstColumns returns the first d columns of a matrix, which share its memory; of none, a column of zeros.
func FirstColumns(x Matrix, d int) Matrix {
	rows, _ := x.Size()
	if d == 0 {
		return NewDense(rows, 1)
	}
	if x, sparse := x.(*Sparse); sparse {
		out := *x
		out.starts = x.starts[:d+1]
		out.index, out.values = x.index[:x.starts[d]], x.values[:x.starts[d]]
		return &out
	}
	dense := *x.(*Dense)
	dense.Cols, dense.Values = d, dense.Values[:rows*d]
	return &dense
}
