package impute

import (
	"math"

	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
)

// Version names the algorithm: draws of different versions may differ in bits.
const Version = "impute/2"

// Problem is a regression on incomplete data. Rows are counted from 0 over all rows, those without a response too.
type Problem struct {
	Rows    int
	Columns []Column // in the order of their models
	// Data and Model are the regression, on the rows that have a response; its entries have start values where
	// cells are missing. Of has the row of each of its rows; nil means that it has all rows.
	Data  *glm.Data
	Model glm.Model
	Coder Coder
	Of    []int
	// Unseen has the rows without a response, and UnseenOf which rows they are; nil: there are none. Its Y is not read.
	Unseen   *glm.Data
	UnseenOf []int
	// Response names the response, and Row a row, in the names of parameters.
	Response string
	Row      func(row int) string
}

// Column is an incomplete column. Its state is the number that its model explains: the value, its logarithm, 0 and 1,
// or the number of a level.
type Column struct {
	Name    string
	Missing []int // rows, in increasing order
	// Data has the design of its model over all rows; Y has the states, with start values where cells are missing.
	Data  *glm.Data
	Model glm.Model
	Coder Coder
	// Log reports whether the state is the logarithm of the value.
	Log bool
	// Levels names the states 0, 1, … of a column of more than two. Its model is a multinomial logit: Model, of family
	// bernoulli(logit), has the priors of the log odds of each level against the first. nil of other columns.
	Levels []string
	// Noise has the standard deviation of the measurement of each row, and Data.Y the measurements, normal around the
	// states: all cells are in Missing. nil of a column without errors of measurement.
	Noise []float64
}

// measured returns the slope of the log density of the measurement of a row at state u, and its precision; 0 of a
// column without errors of measurement.
func (c *Column) measured(row int, u float64) (slope, precision float64) {
	if c.Noise == nil {
		return 0, 0
	}
	precision = 1 / c.Noise[row] / c.Noise[row]
	return float64(precision * (c.Data.Y[row] - u)), precision
}

// binary reports whether the column has two states.
func (c *Column) binary() bool { return c.Model.Family.Support().Probability() && c.Levels == nil }

// linear reports whether the model of the column is gaussian(identity).
func (c *Column) linear() bool { return c.Model.Family.Is(family.Squares) }

// whole reports whether the states are counts, positive whether they are measurements above 0.
func (c *Column) whole() bool    { return c.Model.Family.Support().Counts() }
func (c *Column) positive() bool { return c.Model.Family.Support().Positive() }

// inside reports whether a number is a state of the column, of which levels are not asked for.
func (c *Column) inside(u float64) bool {
	s := c.Model.Family.Support()
	return s.Whole || u > s.Low && u < s.High
}

// cellNumbers is how many parameters a missing cell has: of a column of levels one for each, which is 1 where the cell
// has that level, else 0.
func (c *Column) cellNumbers() int { return max(1, len(c.Levels)) }

// write writes the numbers of a cell with a state to dst, in the units of the data, and returns how many they are.
func (c *Column) write(u float64, dst []float64) int {
	switch {
	case c.Log:
		u = vec.Exp(u)
	case c.binary() || c.whole():
		u = math.Round(u)
	case c.Levels != nil:
		for level := range c.Levels {
			dst[level] = indicator(math.Round(u), level)
		}
		return len(c.Levels)
	}
	dst[0] = u
	return 1
}

// models is how many sets of coefficients the model has.
func (c *Column) models() int { return max(1, len(c.Levels)-1) }

// Coder says how the states of incomplete columns become entries of a design. It is read-only.
type Coder interface {
	// Moved lists the columns of the design that cells of incomplete column k move, in increasing order; nil for none.
	Moved(k int) []int
	// Affine returns, for each of Moved, slope and origin of entry = slope·state + origin, which hold in every row
	// whatever the states of other columns are; ok is false if an entry is not such a function.
	Affine(k int) (slope, origin []float64, ok bool)
	// Table returns, for each of Moved, the entries of the levels of a column with several states, which hold in
	// every row whatever the states of other columns are; ok is false if an entry is not such a function, and for
	// other columns.
	Table(k int) (entries [][]float64, ok bool)
	// Code writes the entries of some columns of the design at a row to dst, given the states of all incomplete
	// columns there: NaN if a function has no value.
	Code(row int, states []float64, columns []int, dst []float64)
}
