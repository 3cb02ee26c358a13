package transform

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"glmbatch/infer/design"
)

// A design whose cells are mostly 0 is stored by its non-zeros (design.Sparse), if
// nothing is centred: centring would fill the zeros.
const (
	// sparseDensity is the largest share of non-zeros, the intercept's column not
	// counted, that Spec.Sparse auto stores so: an entry costs half as much memory
	// again as a dense one, and is gathered before it is computed with.
	sparseDensity = 0.15
	// sparseCells is the number of cells below which a design stays dense.
	sparseCells = 100_000
)

// storage collects the columns of a design, each filled in a column of its own.
type storage struct {
	rows, cols int
	dense      *design.Dense // nil while sparse
	sparse     *design.Sparse
	column     []float64 // of the sparse one
	most       int64     // non-zeros beyond which it becomes dense
}

// begins reports whether a design of columns columns begins sparse, and beyond how many non-zeros it becomes dense.
func (b *builder) begins(columns int) (sparse bool, most int64, err error) {
	cells, encoded, centred := float64(b.n)*float64(columns), b.encoded(), b.centred()
	mode := b.spec.Sparse
	if centred && (mode == "true" || mode == "auto" && encoded && !b.known) {
		return false, 0, b.tableError("a sparse design cannot be centred: every 0 would become another number",
			"write standardize: max_abs, or none with intercept: {prior: …, at: zero}; sparse: false makes the design dense")
	}
	switch {
	case mode == "true" || mode == "auto" && encoded && !centred:
		return true, int64(cells) + 1, nil
	case mode == "auto" && !centred && cells >= sparseCells:
		return true, int64(sparseDensity*cells) + int64(b.n), nil
	}
	return false, 0, nil
}

// newStorage chooses how the design begins.
func (b *builder) newStorage() (*storage, error) {
	s := &storage{rows: b.n, cols: len(b.plan)}
	sparse, most, err := b.begins(s.cols)
	switch {
	case err != nil:
		return nil, err
	case !sparse:
		return s, s.densify(0, b)
	}
	s.most = most
	s.sparse, s.column = design.NewSparse(s.rows, s.cols, s.rows), make([]float64, s.rows)
	return s, nil
}

// next is the memory of column j.
func (s *storage) next(j int) []float64 {
	if s.dense != nil {
		return s.dense.Col(j)
	}
	return s.column
}

// filled keeps column j, which next gave.
func (s *storage) filled(j int, b *builder) error {
	if s.dense != nil {
		return nil
	}
	s.sparse.AppendDense(s.column)
	if s.sparse.Entries() > s.most {
		return s.densify(j+1, b)
	}
	return b.reserve(s.cols, s.sparse.Entries())
}

// densify continues with a dense design, into which it copies the columns so far.
func (s *storage) densify(columns int, b *builder) error {
	if err := b.reserve(s.cols, int64(s.rows)*int64(s.cols)); err != nil {
		return err
	}
	var err error
	if s.dense, err = b.place(s.rows, s.cols); err != nil {
		return err
	}
	for j := range columns {
		s.sparse.Read(j, 0, s.dense.Col(j))
	}
	s.sparse = nil
	return nil
}

// place makes the matrix of a dense design.
func (b *builder) place(rows, cols int) (*design.Dense, error) {
	if b.spec.Place == nil {
		return design.NewDense(rows, cols), nil
	}
	x, err := b.spec.Place(rows, cols)
	if err != nil {
		return nil, b.tableError("there is no memory for its design: "+err.Error(), "")
	}
	return x, nil
}

// matrix returns the design.
func (s *storage) matrix() design.Matrix {
	if s.dense != nil {
		return s.dense
	}
	return s.sparse
}

// encoded reports whether a used column came as runs of equal values, as ingest
// makes them of triplets.
func (b *builder) encoded() bool {
	for _, c := range b.used {
		if c.typ.ID() == arrow.RUN_END_ENCODED {
			return true
		}
	}
	return false
}

// centred reports whether any column will have something subtracted.
func (b *builder) centred() bool {
	if !b.known {
		return b.chosen.intercept && !b.spec.bare && len(b.chosen.terms) > 0 &&
			(b.spec.Standardize == "center_scale" || b.spec.InterceptAt == "means")
	}
	for _, c := range b.record.Columns {
		if c.Centre != 0 {
			return true
		}
	}
	return false
}

// noteSparse says how the design is stored, where that is not the plain way.
func (b *builder) noteSparse() {
	x, sparse := b.out.Data.X.(*design.Sparse)
	if !sparse {
		return
	}
	predictors := len(b.plan) - (b.out.Data.Intercept + 1)
	entries := x.Entries() - int64(b.n*(b.out.Data.Intercept+1))
	b.note("the design is sparse: %d entries of %d × %d columns are not 0, %.3g %%", entries, b.n, predictors,
		100*float64(entries)/(float64(b.n)*float64(max(1, predictors))))
}

// values returns column j of the design with its zeros, valid until the next call.
func (b *builder) values(j int) []float64 {
	if dense, ok := b.out.Data.X.(*design.Dense); ok {
		return dense.Col(j)
	}
	if b.scratch == nil {
		b.scratch = make([]float64, b.n)
	}
	b.out.Data.X.Read(j, 0, b.scratch)
	return b.scratch
}

// rescaled brings what is stored of column j to the scale of the design.
func (b *builder) rescaled(j int, u unit) { u.apply(b.out.Data.X.Column(j).Values) }

// runs calls visit for each run of equal values, with its first row and the row
// after its last.
func runs(a *array.RunEndEncoded, visit func(run, first, last int)) {
	offset, end := a.Offset(), a.Offset()+a.Len()
	ends := a.RunEndsArr()
	at := func(i int) int {
		switch e := ends.(type) {
		case *array.Int16:
			return int(e.Value(i))
		case *array.Int32:
			return int(e.Value(i))
		}
		return int(ends.(*array.Int64).Value(i))
	}
	for run := a.GetPhysicalOffset(); offset < end; run++ {
		last := min(at(run), end)
		visit(run, offset-a.Offset(), last-a.Offset())
		offset = last
	}
}

// fillRuns is fill of runs.
func fillRuns(dst []float64, a *array.RunEndEncoded, keep []bool) int {
	values := make([]float64, a.Values().Len())
	fill(values, a.Values(), nil)
	k := 0
	runs(a, func(run, first, last int) {
		for row := first; row < last; row++ {
			if keep == nil || keep[row] {
				dst[k] = values[run]
				k++
			}
		}
	})
	return k
}

// runFaults is faults of runs.
func runFaults(a *array.RunEndEncoded, first int, visit func(int, fault)) {
	bad := make(map[int]fault)
	values := column{chunks: []arrow.Array{a.Values()}}
	values.faults(func(run int, f fault) { bad[run] = f })
	if len(bad) == 0 {
		return
	}
	runs(a, func(run, from, to int) {
		if f, found := bad[run]; found {
			for row := from; row < to; row++ {
				visit(first+row, f)
			}
		}
	})
}
