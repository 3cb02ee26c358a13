package assess

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/judge"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// Quantity is a derived quantity of a fit whose parameters are known.
type Quantity struct {
	*spec.Derivation
	*transform.Quantity
}

// Bind looks up what the model derives among the fit's parameters,
// before anything is drawn. The error has the place in the spec.
func Bind(id *plan.Identified, params []infer.Parameter) (out []Quantity, err error) {
	var faults []string
	names := plan.Names(params)
	for _, d := range id.Model.Derive {
		var q *transform.Quantity
		if slices.Contains(names, d.Name) {
			err = errors.New("it has the name of a parameter")
		} else {
			q, err = id.Problem.Bind(d, params)
		}
		if err != nil {
			faults = append(faults, id.Pipeline.DeriveProblem(d, err).String())
			continue
		}
		out = append(out, Quantity{d, q})
	}
	if len(faults) > 0 {
		return nil, errors.New(strings.Join(faults, "\n"))
	}
	return out, nil
}

// Expressions are the derived quantities of a model, in the ledger's form.
func Expressions(m *spec.Model) (out []record.Expression) {
	for _, d := range m.Derive {
		out = append(out, record.Expression{Name: d.Name, Text: d.Expression.String()})
	}
	return out
}

// drawReader reads the draws of parameters [lo, hi) into dst, by parameter,
// chain and draw.
type drawReader func(dst []float64, lo, hi int) error

// Deriving computes derived quantities from the draws of parameters.
type Deriving struct {
	quantities           []Quantity
	problem              plan.Problem
	params               []infer.Parameter // that read can read: all of the fit's
	first, chains, draws int               // first is the number of parameters; derived ones follow
	read                 drawReader
	bytes                int                   // bound of the draws in memory at once
	undefined            []transform.Undefined // by quantity, of what Blocks has yielded
	summing
	within []diag.Pooled // the estimates of the quantities from each imputation, of Summarize; nil if there is one
}

// Blocks yields the draws of the quantities, as many at a time as the bound allows (one at least). It reads only
// the columns of the parameters that the expressions name. The block is reused between yields.
func (d *Deriving) Blocks() iter.Seq2[*infer.Columns, error] {
	return func(yield func(*infer.Columns, error) bool) {
		d.undefined = make([]transform.Undefined, len(d.quantities))
		series := d.chains * d.draws
		var values []float64
		for lo := 0; lo < len(d.quantities); {
			hi, forms := lo, 0
			for hi == lo || hi < len(d.quantities) && 8*series*(forms+len(d.quantities[hi].Forms)+hi-lo+1) <= d.bytes {
				forms += len(d.quantities[hi].Forms)
				hi++
			}
			if need := (hi - lo) * series; cap(values) < need {
				values = make([]float64, need)
			}
			block := &infer.Columns{First: d.first + lo, Params: hi - lo, Chains: d.chains, Draws: d.draws,
				Values: values[:(hi-lo)*series]}
			err := d.fill(block.Values, lo, hi)
			if !yield(block, err) || err != nil {
				return
			}
			lo = hi
		}
	}
}

// fill computes quantities [lo, hi).
func (d *Deriving) fill(dst []float64, lo, hi int) error {
	series := d.chains * d.draws
	var forms []transform.Form
	for _, q := range d.quantities[lo:hi] {
		forms = append(forms, q.Forms...)
	}
	values, err := d.linear(forms)
	if err != nil {
		return err
	}
	for i, q := range d.quantities[lo:hi] {
		own := slices.Clone(values[:len(q.Forms)])
		values = values[len(q.Forms):]
		for _, a := range q.Averages {
			mean, err := d.average(a)
			if err != nil {
				return err
			}
			own = append(own, mean)
		}
		q.Values(own, dst[i*series:(i+1)*series], &d.undefined[lo+i])
	}
	return nil
}

// average is the mean over rows of the mean of the response at every draw.
func (d *Deriving) average(a *transform.Averaged) ([]float64, error) {
	rows, err := d.problem.Description(d.params)
	if err != nil {
		return nil, err
	}
	fit := &predictive.Fit{Chains: d.chains, Draws: d.draws, Description: rows, Workers: 1, Open: d.columns}
	if p := d.problem.Capabilities().Cells; p != nil {
		if fit.Cells, err = p.CellsOf(a, rows); err != nil {
			return nil, errors.New("average() needs the draws of missing cells, of which the ledger keeps none where there " +
				"are so many: --force draws the fit again")
		}
	}
	cells, err := fit.Averages(context.Background(), []predictive.Design{{Data: a.Data, Columns: a.Columns}}, a.Cells,
		a.Weights, 1, "")
	if err != nil {
		return nil, err
	}
	return cells[0], nil
}

// columns yields the draws, as many at a time as the bound allows (one at least).
func (d *Deriving) columns() predictive.Columns {
	series, count := d.chains*d.draws, len(d.params)
	return func(yield func(*infer.Columns, error) bool) {
		values := make([]float64, series*max(1, min(count, d.bytes/(8*series))))
		for lo := 0; lo < count; lo += len(values) / series {
			hi := min(count, lo+len(values)/series)
			block := &infer.Columns{First: lo, Params: hi - lo, Chains: d.chains, Draws: d.draws,
				Values: values[:(hi-lo)*series]}
			err := d.read(block.Values, lo, hi)
			if !yield(block, err) || err != nil {
				return
			}
		}
	}
}

// linear computes linear forms of every draw, over columns in increasing order.
func (d *Deriving) linear(forms []transform.Form) ([][]float64, error) {
	series := d.chains * d.draws
	out := make([][]float64, len(forms))
	next := make([]int, len(forms)) // of each form's columns
	for k := range forms {
		out[k] = slices.Repeat([]float64{forms[k].Constant}, series)
	}
	needed := make([]bool, d.first)
	for k := range forms {
		for _, j := range forms[k].Columns {
			needed[j] = true
		}
	}
	buffer := make([]float64, series*max(1, min(d.first, d.bytes/(8*series))))
	for lo := 0; lo < d.first; {
		hi := lo
		for hi < d.first && needed[hi] && (hi-lo+1)*series <= len(buffer) {
			hi++
		}
		if hi == lo {
			lo++
			continue
		}
		columns := buffer[:(hi-lo)*series]
		if err := d.read(columns, lo, hi); err != nil {
			return nil, err
		}
		for k := range forms {
			for ; next[k] < len(forms[k].Columns) && forms[k].Columns[next[k]] < hi; next[k]++ {
				at := (forms[k].Columns[next[k]] - lo) * series
				addScaled(out[k], forms[k].Weights[next[k]], columns[at:at+series])
			}
		}
		lo = hi
	}
	return out, nil
}

// addScaled adds weight·x to dst.
func addScaled(dst []float64, weight float64, x []float64) {
	for i, v := range x {
		dst[i] = math.FMA(weight, v, dst[i])
	}
}

// Summarize computes the diagnostics of the quantities, and says of how many
// draws it cannot.
func (d *Deriving) Summarize() ([]diag.Summary, error) {
	var out []diag.Summary
	d.within = nil
	work, chains := diag.NewWorkspace(), make([][]float64, d.chains)
	for block, err := range d.Blocks() {
		if err != nil {
			return nil, err
		}
		for p := range block.Params {
			found := d.sum(work, chainsOf(block, p, chains))
			s := found.Summary
			if d.pooled() {
				d.within = append(d.within, found)
			}
			if why := undefined(d.undefined[len(out)], d.chains*d.draws); why != "" {
				s.Reason = why
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// chainsOf puts the draws of a block's number p into chains, and returns these.
func chainsOf(block *infer.Columns, p int, chains [][]float64) [][]float64 {
	for c := range chains {
		at := (p*block.Chains + c) * block.Draws
		chains[c] = block.Values[at : at+block.Draws]
	}
	return chains
}

// undefined describes the draws without a finite value; empty if all have one.
func undefined(u transform.Undefined, draws int) string {
	var parts []string
	if u.NaN > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d draws have no value", u.NaN, draws))
	}
	if u.Infinite > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d draws are infinite", u.Infinite, draws))
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, ", ") + ", first in " + u.At
}

// Parameters describes the quantities as columns of the draws.
func (d *Deriving) Parameters() []record.Parameter {
	var out []record.Parameter
	for i, q := range d.quantities {
		u := d.undefined[i]
		out = append(out, record.Parameter{Name: q.Name, Kind: record.Derived, Scale: 1,
			Derivation: &record.Derivation{Expression: q.Expression.String(), NaN: u.NaN, Infinite: u.Infinite, At: u.At}})
	}
	return out
}

// newDeriving computes quantities of a problem from draws of its first parameters, which read gives.
func newDeriving(p plan.Problem, quantities []Quantity, params []infer.Parameter, first, chains, draws int,
	read drawReader) *Deriving {
	return &Deriving{problem: p, quantities: quantities, params: params, first: first, chains: chains, draws: draws,
		bytes: ColumnBytes, read: read}
}

// deriving computes a fit's derived quantities from a window of its spool.
func (p *Prepared) deriving(d *Draws, w plan.Window) *Deriving {
	chains := len(d.Spool.Chains)
	read := func(dst []float64, lo, hi int) error {
		return d.Fill(&infer.Columns{First: lo, Params: hi - lo, Chains: chains, Draws: w.Draws(), Values: dst}, w)
	}
	return newDeriving(p.Problem, p.Quantities, p.Kept, p.Stored, chains, w.Draws(), read)
}

// All returns the draws of all quantities, by quantity, chain and draw.
func (d *Deriving) All() (values []float64, err error) {
	for block, err := range d.Blocks() {
		if err != nil {
			return nil, err
		}
		values = append(values, block.Values...)
	}
	return values, nil
}

// derivedColumns yields what All has returned, one quantity at a time.
func derivedColumns(values []float64, first, chains, draws int) iter.Seq2[*infer.Columns, error] {
	return func(yield func(*infer.Columns, error) bool) {
		for i, block := range slices.Collect(slices.Chunk(values, max(1, chains*draws))) {
			if !yield(&infer.Columns{First: first + i, Params: 1, Chains: chains, Draws: draws, Values: block}, nil) {
				return
			}
		}
	}
}

// inTurn yields the blocks of one sequence and then those of the other.
func inTurn(a, b iter.Seq2[*infer.Columns, error]) iter.Seq2[*infer.Columns, error] {
	return func(yield func(*infer.Columns, error) bool) {
		for _, seq := range []iter.Seq2[*infer.Columns, error]{a, b} {
			for block, err := range seq {
				if !yield(block, err) {
					return
				}
			}
		}
	}
}

// Rederived are the derived quantities of a stored fit, recomputed from its draws.
type Rederived struct {
	Parameters []record.Parameter
	Summaries  []diag.Summary
	DrawsOf    iter.Seq2[*infer.Columns, error] // nil if nothing is derived
}

// Rederive computes the derived quantities of a stored fit, and replaces those in its evidence. read reads the
// draws of parameters [lo, hi), of params, by parameter, chain and draw.
func Rederive(id *plan.Identified, e *judge.Evidence, params []infer.Parameter, chains, draws int,
	read func(dst []float64, lo, hi int) error) (*Rederived, error) {
	quantities, err := Bind(id, params)
	if err != nil {
		return nil, err
	}
	first := len(params)
	names := e.Names[:min(first, len(e.Names))]
	d := newDeriving(id.Problem, quantities, params, first, chains, draws, read)
	summaries, err := d.Summarize()
	if err != nil {
		return nil, err
	}
	withoutDerivedMoments(summaries, quantities, names, meanless(e.Summaries))
	e.Derived = nil
	for i, q := range quantities {
		e.Derived = append(e.Derived, judge.Statistic{Name: q.Name, Summary: summaries[i]})
	}
	out := &Rederived{Parameters: d.Parameters(), Summaries: summaries}
	if len(quantities) > 0 {
		values, err := d.All() // the ledger cannot be read while it is written
		if err != nil {
			return nil, err
		}
		out.DrawsOf = derivedColumns(values, first, chains, draws)
	}
	return out, nil
}
