package predictive

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// example is a fit with made-up draws: columns with centres and scales, an
// offset, and a dispersion behind the coefficients.
type example struct {
	data    *glm.Data
	columns []transform.Column
	fit     Fit
	beta    [][]float64 // per parameter, at every draw
}

// component describes a component with one predictor, whose coefficients begin at a parameter.
func component(first int, columns []transform.Column, scalars ...record.Scalar) record.Component {
	term := record.Term{First: first}
	for _, c := range columns {
		term.Columns = append(term.Columns, c.Name)
	}
	return record.Component{Predictors: []record.Predictor{{Name: "mu", Link: "identity",
		Terms: []record.Term{term}}}, Scalars: scalars}
}

// described describes a fit of one response.
func described(components ...record.Component) *record.Description {
	return &record.Description{Responses: []record.Response{{Family: "gaussian", Components: components}}}
}

// scalars replaces those of the fit.
func (e *example) scalars(all ...record.Scalar) {
	e.fit.Description.Responses[0].Components[0].Scalars = all
}

func newExample(n, d, chains, draws, width int) *example {
	r := rand.New(rand.NewPCG(1, 2))
	e := &example{data: &glm.Data{X: design.NewDense(n, d), Offset: make([]float64, n), Y: make([]float64, n)}}
	for i := range design.ToDense(e.data.X).Values {
		design.ToDense(e.data.X).Values[i] = r.NormFloat64()
	}
	for i := range n {
		e.data.X.Col(0)[i], e.data.Offset[i], e.data.Y[i] = 1, r.Float64(), r.NormFloat64()
	}
	for j := range d {
		c := transform.Column{Name: fmt.Sprint("x", j), Scale: 1}
		if j > 0 {
			c.Centre, c.Scale = r.NormFloat64(), 0.5+r.Float64()
		}
		e.columns = append(e.columns, c)
	}
	for range d + 1 {
		column := make([]float64, chains*draws)
		for s := range column {
			column[s] = 0.3 * r.NormFloat64()
		}
		e.beta = append(e.beta, column)
	}
	for s, v := range e.beta[d] {
		e.beta[d][s] = math.Exp(v)
	}
	e.fit.Chains, e.fit.Draws, e.fit.Params, e.fit.Workers = chains, draws, d+1, 1
	e.fit.Description = described(component(1, e.columns, record.Scalar{Parameter: d + 1}))
	e.fit.Open = func() iter.Seq2[*infer.Columns, error] { return e.blocks(width) }
	return e
}

// on evaluates rows of data.
func on(t *testing.T, f *Fit, family glm.Family, data *glm.Data, columns []transform.Column) *Evaluator {
	t.Helper()
	for i := range f.Description.Responses {
		r := &f.Description.Responses[i]
		r.Family = family.Name
		for _, c := range r.Components {
			for q := range c.Predictors {
				c.Predictors[q].Link = family.Link
			}
		}
	}
	e, err := f.On(data, Design{data, columns})
	must(t, err)
	return e
}

// rowBlocks yields the blocks of rows, and then the error.
func rowBlocks(t *testing.T, e *Evaluator) iter.Seq2[*Block, error] {
	return func(yield func(*Block, error) bool) {
		err := e.Blocks(t.Context(), func(b *Block) error {
			if !yield(b, nil) {
				return context.Canceled
			}
			return nil
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			yield(nil, err)
		}
	}
}

// blocks yields the draws width columns at a time, in one slice that is used
// again.
func (e *example) blocks(width int) iter.Seq2[*infer.Columns, error] {
	return func(yield func(*infer.Columns, error) bool) {
		var buf []float64
		for lo := 0; lo < len(e.beta); lo += width {
			hi := min(lo+width, len(e.beta))
			buf = buf[:0]
			for _, column := range e.beta[lo:hi] {
				buf = append(buf, column...)
			}
			if !yield(&infer.Columns{First: lo, Params: hi - lo, Chains: e.fit.Chains, Draws: e.fit.Draws, Values: buf}, nil) {
				return
			}
		}
	}
}

// The linear predictor of every row at every draw is offset + β₀ + Σ β·x with x in
// the units of the data.
func TestBlocksAreTheProduct(t *testing.T) {
	e := newExample(23, 4, 3, 10, 2)
	rows := 0
	row := make([]float64, e.fit.Size())
	e.fit.bytes = 8 * e.fit.Size() * 5
	for b, err := range rowBlocks(t, on(t, &e.fit, gaussian, e.data, e.columns)) {
		must(t, err)
		for i := range b.Rows {
			b.Row(0, i, row)
			for s, got := range row {
				want := e.data.Offset[b.First+i] + e.beta[0][s]
				for j := 1; j < 4; j++ {
					c := e.columns[j]
					want += e.beta[j][s] * (e.data.X.Col(j)[b.First+i]*c.Scale + c.Centre)
				}
				if math.Abs(got-want) > 1e-13 || b.Disp[s][0] != e.beta[4][s] || b.at(0, s)[i] != got {
					t.Fatalf("row %d, draw %d: eta %v, want %v; dispersion %v", b.First+i, s, got, want, b.Disp[s][0])
				}
			}
		}
		rows += b.Rows
	}
	if rows != 23 {
		t.Errorf("%d of 23 rows", rows)
	}
}

var gaussian = glm.Family{Name: "gaussian", Link: "identity"}

// Neither the blocks of rows and columns nor the workers change a bit, and draws
// that are too many to keep are read again with the same result.
func TestBlocksAndWorkersChangeNothing(t *testing.T) {
	e := newExample(60, 5, 2, 40, 3)
	want, err := on(t, &e.fit, gaussian, e.data, e.columns).LeaveOneOut(t.Context(), stream)
	must(t, err)
	for _, workers := range []int{1, 2, 16} {
		for _, bytes := range []int{1, 8 * 80 * 5, blockBytes} {
			for _, width := range []int{1, 2, 6} {
				f := e.fit
				f.kept, f.Workers, f.bytes = nil, workers, bytes
				f.Open = func() iter.Seq2[*infer.Columns, error] { return e.blocks(width) }
				got, err := on(t, &f, gaussian, e.data, e.columns).LeaveOneOut(t.Context(), stream)
				if err != nil || fmt.Sprint(*got) != fmt.Sprint(*want) { // with NaN
					t.Fatalf("%d workers, blocks of %d bytes and %d columns: %v", workers, bytes, width, err)
				}
				if kept := f.kept != nil; kept != (bytes == blockBytes) {
					t.Errorf("blocks of %d bytes: draws are kept: %v", bytes, kept)
				}
			}
		}
	}
}

// Errors of the draws, draws without a dispersion, and panics on a worker, come back as errors.
func TestBlocksFail(t *testing.T) {
	e := newExample(4, 2, 1, 10, 3)
	broken := errors.New("the disk is gone")
	e.fit.Open = func() iter.Seq2[*infer.Columns, error] {
		return func(yield func(*infer.Columns, error) bool) { yield(nil, broken) }
	}
	for _, bytes := range []int{1, blockBytes} {
		e.fit.bytes = bytes
		if _, err := on(t, &e.fit, gaussian, e.data, e.columns).LeaveOneOut(t.Context(), stream); !errors.Is(err, broken) {
			t.Errorf("blocks of %d bytes: %v", bytes, err)
		}
	}
	lacking := newExample(4, 2, 1, 10, 3)
	lacking.scalars(record.Scalar{Parameter: 10})
	if _, err := on(t, &lacking.fit, gaussian, lacking.data, lacking.columns).LeaveOneOut(t.Context(), stream); err == nil ||
		!strings.Contains(err.Error(), "number 10 is missing") {
		t.Errorf("draws without a dispersion give %v", err)
	}
	if err := e.fit.each(3, func(_, i int) { panic("a slip") }); err == nil || !strings.Contains(err.Error(), "a slip") {
		t.Errorf("a panic gives %v", err)
	}
}

// A fixed dispersion has its value at every draw; a row whose density is 0 at a
// draw has no result, and says so.
func TestLeaveOneOutOfTheImpossible(t *testing.T) {
	e := newExample(6, 2, 2, 20, 3)
	e.scalars(record.Scalar{Parameter: 3}, record.Scalar{Value: 4})
	for b, err := range rowBlocks(t, on(t, &e.fit, glm.Family{Name: "student_t", Link: "identity"}, e.data, e.columns)) {
		if err != nil || b.Disp[7] != [2]float64{e.beta[2][7], 4} {
			t.Errorf("dispersions %v, %v", b.Disp[7], err)
		}
	}
	e.scalars()
	for i := range e.data.Y {
		e.data.Y[i] = float64(i)
	}
	copy(e.data.Offset, []float64{20, 20, 20, -20, 20, -20}) // counts whose mean is not positive
	l, err := on(t, &e.fit, glm.Family{Name: "poisson", Link: "sqrt"}, e.data, e.columns).LeaveOneOut(t.Context(), stream)
	must(t, err)
	words := LOOWarnings(l)
	if !math.IsNaN(l.ELPD.Value) || len(words) != 1 || !strings.Contains(words[0], "row 4 of the design: ") ||
		!strings.Contains(words[0], "not finite at some draw") {
		t.Errorf("elpd %v, %q", l.ELPD, words)
	}
}

// A row that stands for three observations counts as three.
func TestLeaveOneOutCountsFrequencies(t *testing.T) {
	e := newExample(2, 2, 2, 40, 3)
	thrice := newExample(6, 2, 2, 40, 3)
	thrice.fit, thrice.beta, thrice.columns = e.fit, e.beta, e.columns
	for i := range 6 {
		thrice.data.Y[i], thrice.data.Offset[i] = e.data.Y[i/3], e.data.Offset[i/3]
		for j := range 2 {
			thrice.data.X.Col(j)[i] = e.data.X.Col(j)[i/3]
		}
	}
	want, err := on(t, &thrice.fit, gaussian, thrice.data, thrice.columns).LeaveOneOut(t.Context(), stream)
	must(t, err)
	e.data.Frequency = []float64{3, 3}
	got, err := on(t, &e.fit, gaussian, e.data, e.columns).LeaveOneOut(t.Context(), stream)
	must(t, err)
	if math.Abs(got.ELPD.Value-want.ELPD.Value) > 1e-12 || math.Abs(got.ELPD.SE-want.ELPD.SE) > 1e-12 || got.Observations != 6 || got.Outcomes == want.Outcomes {
		t.Errorf("%+v of %v, want %+v", got.ELPD, got.Observations, want.ELPD)
	}
}

// The worst row is named as users count, from 1, wherever it is.
func TestLeaveOneOutNamesTheWorstRow(t *testing.T) {
	l := &record.LOO{Rows: make([]record.Pointwise, 5), Threshold: 0.7}
	for i := range l.Rows {
		l.Rows[i].K = 0.1
	}
	l.Rows[1].K, l.Rows[3].K = 0.8, 1.2
	total(l, nil)
	words := LOOWarnings(l)
	if len(words) != 1 || !strings.Contains(words[0], "2 of 5 rows is above 0.7 (row 4 of the design: 1.2)") {
		t.Errorf("%q", words)
	}
}

// Estimates are compared where the outcomes are the same: any change of a response,
// of its trials or of its frequency is another set.
func TestOutcomesHash(t *testing.T) {
	of := func(y, trials, frequency []float64) *glm.Data {
		return &glm.Data{Y: y, Trials: trials, Frequency: frequency}
	}
	seen := map[string]int{}
	for i, d := range []*glm.Data{
		of([]float64{1, 2}, nil, nil), of([]float64{2, 1}, nil, nil), of([]float64{1}, nil, nil),
		of([]float64{1, 2}, []float64{3, 4}, nil), of([]float64{1, 2}, []float64{4, 3}, nil),
		of([]float64{1, 2}, nil, []float64{3, 4}), of([]float64{1, 2}, nil, []float64{4, 3}),
		of([]float64{1, 2}, []float64{3, 4}, []float64{3, 4}),
	} {
		h := outcomesHash(d)
		if j, twice := seen[h]; twice {
			t.Errorf("outcomes %d and %d have one hash", j, i)
		}
		seen[h] = i
		d.X = design.NewDense(2, 1)
		if outcomesHash(d) != h {
			t.Errorf("outcomes %d: the hash moves with the design", i)
		}
	}
}

// Group-level effects are added to the rows of their levels, whatever the blocks of rows and of columns.
func TestBlocksHaveEffects(t *testing.T) {
	e := newExample(23, 2, 3, 10, 2)
	r := rand.New(rand.NewPCG(3, 4))
	x, g, h := make([]float64, 23), make([]int32, 23), make([]int32, 23)
	for i := range x {
		x[i], g[i], h[i] = r.NormFloat64(), int32(i%4), int32(i/12)
	}
	e.data.Effects = []*design.Effects{
		{Group: "g", Grouping: design.NewGrouping(g, 5), Terms: []string{"Intercept", "x"}, Columns: [][]float64{nil, x}}, // level 4 has no rows
		{Group: "h", Grouping: design.NewGrouping(h, 2), Terms: []string{"Intercept"}, Columns: [][]float64{nil}},
	}
	e.fit.Description.Groups = []record.Group{{Grouping: "g", Levels: 5}, {Grouping: "h", Levels: 2}}
	mu := &e.fit.Description.Responses[0].Components[0].Predictors[0]
	mu.Terms = append(mu.Terms, record.Term{Columns: []string{"Intercept", "x"}, First: 5, Group: 1},
		record.Term{Columns: []string{"Intercept"}, First: 15, Group: 2})
	for range 1 + 10 + 2 {
		column := make([]float64, e.fit.Size())
		for s := range column {
			column[s] = r.NormFloat64()
		}
		e.beta = append(e.beta, column)
	}
	e.fit.Params = len(e.beta)
	for _, width := range []int{1, 3, 20} {
		for _, rows := range []int{5, 23} {
			f := e.fit
			f.kept, f.bytes = nil, 8*f.Size()*rows
			f.Open = func() iter.Seq2[*infer.Columns, error] { return e.blocks(width) }
			for b, err := range rowBlocks(t, on(t, &f, gaussian, e.data, e.columns)) {
				must(t, err)
				for s := range f.Size() {
					for i, got := range b.at(0, s) {
						row, c := b.First+i, e.columns[1]
						beta := func(p int) float64 { return e.beta[p][s] }
						want := e.data.Offset[row] + beta(0) + beta(1)*(e.data.X.Col(1)[row]*c.Scale+c.Centre) +
							beta(4+int(g[row])) + x[row]*beta(4+5+int(g[row])) + beta(4+10+int(h[row]))
						if math.Abs(got-want) > 1e-13 {
							t.Fatalf("width %d, blocks of %d rows, row %d, draw %d: %v, want %v", width, rows, row, s, got, want)
						}
					}
				}
			}
		}
	}
	e.refuses(t, mu)
}

// refuses changes the description so that it does not go with the rows.
func (e *example) refuses(t *testing.T, mu *record.Predictor) {
	t.Helper()
	mu.Terms[2].First = 0
	var lacking *LackingError
	if _, err := e.fit.On(e.data, Design{e.data, e.columns}); !errors.As(err, &lacking) || *lacking != (LackingError{10, 12}) {
		t.Errorf("effects without draws: %v", err)
	}
	mu.Terms = mu.Terms[:2]
	if _, err := e.fit.On(e.data, Design{e.data, e.columns}); err == nil || !strings.Contains(err.Error(), "no effects of h") {
		t.Errorf("effects that are not described: %v", err)
	}
	e.fit.Description.Groups[0].Levels = 6
	if _, err := e.fit.On(e.data, Design{e.data, e.columns}); err == nil || !strings.Contains(err.Error(), "has 6 levels of g") {
		t.Errorf("more levels than the design has: %v", err)
	}
	e.data.Effects, e.fit.Description.Responses[0].Components[0].Scalars = nil, make([]record.Scalar, 3)
	if _, err := e.fit.On(e.data, Design{e.data, e.columns}); err == nil || !strings.Contains(err.Error(), "has 3 scalars") {
		t.Errorf("more scalars than the family has: %v", err)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
