package assess

import (
	"iter"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// newDeriving computes quantities from draws of the first parameters, which read gives.
func newDeriving(quantities []Quantity, first, chains, draws int, read drawReader) *Deriving {
	return &Deriving{quantities: quantities, first: first, chains: chains, draws: draws, bytes: ColumnBytes, read: read}
}

// deriving computes a fit's derived quantities from a window of its spool.
func (p *Prepared) deriving(d *Draws, w plan.Window) *Deriving {
	chains := len(d.Spool.Chains)
	return newDeriving(p.Quantities, len(p.Kept), chains, w.Draws(), func(dst []float64, lo, hi int) error {
		return d.Fill(&infer.Columns{First: lo, Params: hi - lo, Chains: chains, Draws: w.Draws(), Values: dst}, w)
	})
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

// Rederived are the derived quantities of a stored fit, computed anew from its draws.
type Rederived struct {
	Parameters []record.Parameter
	Summaries  []diag.Summary
	DrawsOf    iter.Seq2[*infer.Columns, error] // nil where nothing is derived
}

// Rederive computes the derived quantities of a stored fit, and puts them in the place of
// those in its evidence. read reads the draws of parameters [lo, hi) by parameter, chain and draw.
func Rederive(id *plan.Identified, e *judge.Evidence, chains, draws int,
	read func(dst []float64, lo, hi int) error) (*Rederived, error) {
	quantities, err := Bind(id, e.Names)
	if err != nil {
		return nil, err
	}
	d := newDeriving(quantities, len(e.Names), chains, draws, read)
	summaries, err := d.Summarize()
	if err != nil {
		return nil, err
	}
	withoutDerivedMoments(summaries, quantities, e.Names, meanless(e.Summaries))
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
		out.DrawsOf = derivedColumns(values, len(e.Names), chains, draws)
	}
	return out, nil
}
