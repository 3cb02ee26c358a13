package glm

// batchRows is the number of rows that a Batch works on together: of 20 columns they
// are 40 kB, which stay in a core's cache while many points pass over them. It is a
// multiple of chunkRows.
const batchRows = 256

// Batch evaluates the log likelihood at many points in one reading of X. It belongs
// to one chain.
type Batch struct {
	t      *Target
	part   Target // the rows of t under work
	data   Data
	offset float64 // linear part of the offset
	block  []float64
	eta    []float64
	disp   []dispersions
	values []Value
}

// NewBatch returns the evaluator of a target without horseshoe priors. Memory:
// 256 rows.
func NewBatch(t *Target) *Batch {
	m := min(t.Rows(), batchRows)
	b := &Batch{t: t, block: make([]float64, m*t.Cols()), eta: make([]float64, m)}
	if t.kind.linear() && t.data.Offset != nil {
		b.offset = t.linearOf(t.data.Offset)
	}
	return b
}

// LogLiks writes the log likelihood at as many points as dst is long: point i is
// u[i·Dim : (i+1)·Dim], coefficients and then logs of dispersions, as
// Predictor.SetUnconstrained reads them. They are those of a predictor there up to
// the rounding of its sums, which are taken over 256 rows at a time.
//
// Cost: X is read once; n·(d + 1) for each point, besides what the norm of a law with
// dispersions costs.
func (b *Batch) LogLiks(u []float64, dst []float64) {
	t, d, dim := b.t, b.t.Cols(), b.t.Dim()
	b.disp, b.values = b.disp[:0], b.values[:0]
	for i := range dst {
		disp, v := t.newDispersions(), Value{}
		t.setUnconstrained(&disp, u[i*dim+d:(i+1)*dim])
		if t.kind.linear() {
			v.linear = b.offset + t.kernels.Dot(t.xty, u[i*dim:i*dim+d])
		}
		b.disp, b.values = append(b.disp, disp), append(b.values, v)
	}
	for first := 0; first < t.Rows(); first += batchRows {
		last := min(first+batchRows, t.Rows())
		b.load(first, last)
		eta := b.eta[:last-first]
		for i := range dst {
			if t.data.Offset != nil {
				copy(eta, t.data.Offset[first:last])
			} else {
				clear(eta)
			}
			t.kernels.AxpyColumns(u[i*dim:i*dim+d], b.block[:d*len(eta)], eta)
			b.values[i].sum += b.part.sum(eta, eta, 0, b.disp[i].at)
		}
	}
	for i, v := range b.values {
		dst[i] = t.logLik(v.sum, v.linear, &b.disp[i])
	}
}

// load puts rows first to last−1 under work.
func (b *Batch) load(first, last int) {
	t, m := b.t, last-first
	for j := range t.Cols() {
		t.data.X.Read(j, first, b.block[j*m:(j+1)*m])
	}
	b.part, b.data = *t, Data{Y: t.data.Y[first:last]}
	b.part.data = &b.data
	if t.weights != nil {
		b.part.weights = t.weights[first:last]
	}
	b.part.rows = t.rows.part(first, last)
}

// Place moves to u, where a Batch gave the log likelihood, and leaves the cached
// predictor behind: Refresh must come before anything else looks at rows.
func (p *Predictor) Place(u []float64, logLik float64) {
	p.setCentred(u)
	p.value = Value{LogLik: logLik}
}
