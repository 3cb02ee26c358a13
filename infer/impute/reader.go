package impute

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
)

// reader is a chain's point of a model that reads cells: the regression, or the model of a column of two states.
type reader struct {
	*readerSetup
	chain groups.Chain
	point *glm.Point // that of the chain
	x     *design.Dense
	part  *glm.Target // of the rows with missing cells; those without a response have that of another row
	b     []float64   // slope of eta in the state of each column that is affine
	disp  []float64

	levels [][]float64 // the change of eta by each level of a column, if its entries are a table
	choice *choice     // of a model of a column of several levels
	numbers
	rowWork
}

// numbers is the distribution of a column of numbers.
type numbers struct {
	law   *glm.Pointwise // on the rows with missing cells; or nil
	cell  family.Cell
	whole bool // they are counts
}

// rowWork has numbers of one row.
type rowWork struct {
	eta, value, grad, curv [1]float64
	entries                []float64
}

func newChainReader(r *readerSetup, c infer.Chain) (*reader, error) {
	chain, err := r.Start(c)
	if err != nil {
		return nil, err
	}
	out := &reader{readerSetup: r, chain: chain, point: chain.Point(), x: entries(chain.Target()),
		b: make([]float64, len(r.moved)), rowWork: rowWork{entries: make([]float64, r.data.Cols())}}
	at := make([]int, len(r.of))
	for q, i := range r.of {
		at[q] = int(max(i, 0))
	}
	out.part = chain.Target().RowsOf(at)
	out.levels = make([][]float64, len(r.moved))
	for k, table := range r.table {
		if len(table) > 0 {
			out.levels[k] = make([]float64, len(table[0]))
		}
	}
	return out, nil
}

// revalue recomputes the log likelihood after cells have moved.
func (r *reader) revalue() { r.point.Revalue() }

// arrive reads coefficients and dispersions.
func (r *reader) arrive() {
	point := r.point
	r.disp = point.Dispersions()
	for k, moved := range r.moved {
		for level := range r.levels[k] {
			sum := 0.0
			for m, j := range moved {
				sum = math.FMA(point.Beta(j), r.table[k][m][level], sum)
			}
			r.levels[k][level] = sum
		}
		r.b[k] = 0
		if !r.affine[k] {
			continue
		}
		for i, j := range moved {
			r.b[k] = math.FMA(point.Beta(j), r.slope[k][i], r.b[k])
		}
	}
}

// at returns the log likelihood of row q at a linear predictor, up to a constant: 0 of a row without a response,
// −Inf outside the link's domain.
func (r *reader) at(q int, eta float64) float64 {
	if r.of[q] < 0 {
		return 0
	}
	if eta != eta {
		return math.Inf(-1)
	}
	r.eta[0] = eta
	r.part.RowCurves(q, r.eta[:], r.disp, r.value[:], nil, r.grad[:], r.curv[:])
	if r.value[0] != r.value[0] {
		return math.Inf(-1)
	}
	return r.value[0]
}

// step returns what a change of the state of column k by delta adds to eta of row q. states has those of the row before
// it, and is left as it was.
func (r *reader) step(s *setup, q, k int, states []float64, delta float64) float64 {
	switch {
	case r.moved[k] == nil || r.of[q] < 0:
		return 0
	case r.affine[k]:
		return float64(r.b[k] * delta)
	case r.levels[k] != nil:
		return r.levels[k][int(math.Round(states[k]+delta))] - r.levels[k][int(math.Round(states[k]))]
	}
	old := states[k]
	states[k] = old + delta
	cols, to := r.moved[k], r.entries[:len(r.moved[k])]
	r.coder.Code(s.rows[q], states, cols, to)
	states[k] = old
	sum, point := 0.0, r.point
	for i, j := range cols {
		sum = math.FMA(point.Beta(j), to[i]-r.x.Col(j)[r.of[q]], sum)
	}
	return sum
}

// write writes the entries that the states of row q give, in the columns that columns with a cell there move.
func (r *reader) write(s *setup, q int, states []float64) {
	i := r.of[q]
	if i < 0 {
		return
	}
	for k, moved := range r.moved {
		if moved == nil || s.mask[q]>>k&1 == 0 {
			continue
		}
		r.encode(s, q, k, states, r.entries)
		for m, j := range moved {
			r.point.Enter(j, int(i), r.entries[m])
		}
	}
}

// encode writes the entries of row q that column k moves to dst.
func (r *reader) encode(s *setup, q, k int, states, dst []float64) {
	switch table := r.table[k]; {
	case r.affine[k]:
		for m := range r.moved[k] {
			dst[m] = math.FMA(r.slope[k][m], states[k], r.origin[k][m])
		}
	case table != nil:
		for m := range r.moved[k] {
			dst[m] = table[m][int(math.Round(states[k]))]
		}
	default:
		r.coder.Code(s.rows[q], states, r.moved[k], dst[:len(r.moved[k])])
	}
}
