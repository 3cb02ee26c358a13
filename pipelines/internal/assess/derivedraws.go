package assess

import (
	"iter"
	"slices"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/plan"
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
