package run

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
	"glmbatch/transform"
)

// quantity is a derived quantity of a fit whose parameters are known.
type quantity struct {
	*spec.Derivation
	*transform.Quantity
}

// bind looks up what the model derives among the names of the fit's parameters,
// before anything is drawn. The error has the place in the spec.
func (r *runner) bind(f *fitting, names []string) error {
	var faults []string
	for _, d := range f.model.Derive {
		var err error
		var q *transform.Quantity
		if slices.Contains(names, d.Name) {
			err = errors.New("it has the name of a parameter")
		} else {
			q, err = d.Expression.Bind(&transform.Fitted{
				Dataset: f.unit.name(), Names: names, Record: f.design.Record, Family: f.model.Family.Family,
			})
		}
		if err != nil {
			faults = append(faults, r.Pipeline.DeriveProblem(d, err).String())
			continue
		}
		f.quantities = append(f.quantities, quantity{d, q})
	}
	if len(faults) > 0 {
		return errors.New(strings.Join(faults, "\n"))
	}
	return nil
}

// expressions are what a model derives, as the ledger keeps it.
func expressions(m *spec.Model) (out []report.Expression) {
	for _, d := range m.Derive {
		out = append(out, report.Expression{Name: d.Name, Text: d.Expression.String()})
	}
	return out
}

// drawReader reads the draws of parameters [lo, hi) into dst, by parameter,
// chain and draw.
type drawReader func(dst []float64, lo, hi int) error

// deriving computes derived quantities from the draws of parameters.
type deriving struct {
	quantities           []quantity
	first, chains, draws int // first is the number of parameters; derived ones follow
	read                 drawReader
	bytes                int                   // bound of the draws in memory at once
	undefined            []transform.Undefined // by quantity, of what blocks has yielded
}

// blocks yields the draws of the quantities, as many at a time as the bound
// allows (one at least). Of the parameters it reads the columns that the
// expressions name, and no others. The block is reused between yields.
func (d *deriving) blocks() iter.Seq2[*infer.Columns, error] {
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
			block := &infer.Columns{First: d.first + lo, Params: hi - lo, Chains: d.chains, Draws: d.draws, Values: values[:(hi-lo)*series]}
			err := d.fill(block.Values, lo, hi)
			if !yield(block, err) || err != nil {
				return
			}
			lo = hi
		}
	}
}

// fill computes quantities [lo, hi).
func (d *deriving) fill(dst []float64, lo, hi int) error {
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
		q.Values(values[:len(q.Forms)], dst[i*series:(i+1)*series], &d.undefined[lo+i])
		values = values[len(q.Forms):]
	}
	return nil
}

// linear computes linear forms of every draw, over columns in increasing order.
func (d *deriving) linear(forms []transform.Form) ([][]float64, error) {
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

// summarize computes the diagnostics of the quantities, and says of how many
// draws it cannot.
func (d *deriving) summarize() ([]diag.Summary, error) {
	var out []diag.Summary
	work, chains := diag.NewWorkspace(), make([][]float64, d.chains)
	for block, err := range d.blocks() {
		if err != nil {
			return nil, err
		}
		for p := range block.Params {
			for c := range chains {
				at := (p*block.Chains + c) * block.Draws
				chains[c] = block.Values[at : at+block.Draws]
			}
			s := work.Summarize(chains)
			if why := undefined(d.undefined[len(out)], d.chains*d.draws); why != "" {
				s.Reason = why
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// undefined words what of the draws has no finite value; empty if all have.
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

// parameters describes the quantities as columns of the draws.
func (d *deriving) parameters() []report.Parameter {
	var out []report.Parameter
	for i, q := range d.quantities {
		u := d.undefined[i]
		out = append(out, report.Parameter{Name: q.Name, Kind: report.Derived, Scale: 1,
			Derivation: &report.Derivation{Expression: q.Expression.String(), NaN: u.NaN, Infinite: u.Infinite, At: u.At}})
	}
	return out
}
