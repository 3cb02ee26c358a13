package glm

import "glmbatch/infer/design"

// Data is one data set as a sampler sees it. It is read-only once made.
type Data struct {
	// X is the design as sampled (scaled, factors coded, the intercept's
	// column of ones included), n × d: *Dense or *Sparse.
	X design.Matrix
	// Names are the columns' names in R's spelling, "(Intercept)" included; len d.
	Names []string
	// Intercept is the index of the column of ones, or -1.
	Intercept int
	// Y is the response; for binomial the number of successes. Len n.
	Y []float64
	// Trials are the binomial totals; nil means 1 each.
	Trials []float64
	// Offset is added to X·beta; nil means 0.
	Offset []float64
	// Frequency counts each row as so many equal ones: whole numbers from 1; nil
	// means 1 each. Rows that count 0 times are left out by who makes the data.
	Frequency []float64
	// Precision multiplies the precision of each row's response, numbers above
	// 0; nil means 1 each. Which families have one says TakesPrecision.
	Precision []float64
}

// Rows returns n.
func (d *Data) Rows() int {
	n, _ := d.X.Size()
	return n
}

// Cols returns d.
func (d *Data) Cols() int {
	_, cols := d.X.Size()
	return cols
}
