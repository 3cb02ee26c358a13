package run

import (
	"iter"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report/record"
)

// kept is the draws of a finished fit, which is loaded without data or spec.
type kept struct {
	columns iter.Seq2[*infer.Columns, error]
	close   func() error
}

// draws returns the draws of a finished fit: its chains hold those of parameters, or
// rows, besides which there is a file of them.
func (f *finished) draws(fit *spool.Fit, m spool.Manifest, w plan.Window) (*kept, error) {
	rec := &f.Fit
	params := len(rec.Parameters)
	for params > 0 && rec.Parameters[params-1].Kind == record.Derived {
		params--
	}
	out, err := drawsOf(fit, m, params, w)
	if err == nil {
		out.columns = assess.InTurn(out.columns, assess.DerivedColumns(f.Derived, params, rec.Chains, rec.Draws))
	}
	return out, err
}

func drawsOf(fit *spool.Fit, m spool.Manifest, params int, w plan.Window) (*kept, error) {
	if m.Start == 0 {
		d := assess.NewDraws(fit, assess.Numbers{Params: params}, nil)
		return &kept{d.Columns(params, w, assess.ColumnBytes), func() error { return nil }}, nil
	}
	series := len(fit.Chains) * w.Draws()
	file, err := fit.OpenDraws(int64(params) * int64(series))
	if err != nil {
		return nil, err
	}
	columns := func(yield func(*infer.Columns, error) bool) {
		width := max(1, min(params, assess.ColumnBytes/(8*series)))
		values := make([]float64, width*series)
		for lo := 0; lo < params; lo += width {
			block := &infer.Columns{First: lo, Params: min(width, params-lo), Chains: len(fit.Chains), Draws: w.Draws()}
			block.Values = values[:block.Params*series]
			err := file.Read(block.Values, int64(lo)*int64(series))
			if !yield(block, err) || err != nil {
				return
			}
		}
	}
	return &kept{columns, file.Close}, nil
}

// valuesOf yields the values of blocks.
func valuesOf(blocks iter.Seq2[*infer.Columns, error]) iter.Seq2[[]float64, error] {
	return func(yield func([]float64, error) bool) {
		for block, err := range blocks {
			if !yield(block.Values, err) {
				return
			}
		}
	}
}
