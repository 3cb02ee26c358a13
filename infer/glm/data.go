package glm

// Dense is a design matrix stored by column: entry (i, j) stands at
// Values[j*Rows+i], so that one coordinate's pass reads contiguous memory.
type Dense struct {
	Rows, Cols int
	Values     []float64
}

// NewDense returns a zero matrix.
func NewDense(rows, cols int) *Dense {
	return &Dense{Rows: rows, Cols: cols, Values: make([]float64, rows*cols)}
}

// Col returns column j; it aliases the matrix.
func (m *Dense) Col(j int) []float64 { return m.Values[j*m.Rows : (j+1)*m.Rows : (j+1)*m.Rows] }

// Data is one data set as a sampler sees it. It is read-only once made.
type Data struct {
	// X is the design as sampled (scaled, factors coded, the intercept's
	// column of ones included), n × d.
	X *Dense
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
func (d *Data) Rows() int { return d.X.Rows }

// Cols returns d.
func (d *Data) Cols() int { return d.X.Cols }
