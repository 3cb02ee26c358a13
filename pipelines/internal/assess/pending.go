package assess

import (
	"iter"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report/record"
)

// WriteExpanded writes draws that a sampler expands to a file of the spool, so that
// FinishedDraws has them without the sampler.
func (d *Drawn) WriteExpanded() error {
	if !d.Draws.Expands() {
		return nil
	}
	return d.Draws.Spool.WriteDraws(func(yield func([]float64, error) bool) {
		for block, err := range d.Draws.Columns(len(d.Kept), d.Window, ColumnBytes) {
			if !yield(block.Values, err) {
				return
			}
		}
	})
}

// FinishedDraws returns the draws of a finished fit, which is loaded without data or
// spec: its chains hold those of parameters, or rows, besides which there is a file of
// them. derived are those of its derived quantities. The caller ends with end.
func FinishedDraws(rec *record.Fit, derived []float64, fit *spool.Fit, m spool.Manifest) (
	draws iter.Seq2[*infer.Columns, error], end func() error, err error) {
	params, w := len(rec.Parameters), plan.Window{From: rec.Warmup, To: rec.Iterations}
	for params > 0 && rec.Parameters[params-1].Kind == record.Derived {
		params--
	}
	if m.Start == 0 {
		draws, end = NewDraws(fit, Numbers{Params: params}, nil).Columns(params, w, ColumnBytes), func() error { return nil }
	} else {
		file, err := fit.OpenDraws(int64(params) * int64(len(fit.Chains)*w.Draws()))
		if err != nil {
			return nil, nil, err
		}
		draws, end = fileColumns(file, params, len(fit.Chains), w.Draws()), file.Close
	}
	return inTurn(draws, derivedColumns(derived, params, rec.Chains, rec.Draws)), end, nil
}

// fileColumns yields the draws in a file, some parameters at a time.
func fileColumns(file *spool.Draws, params, chains, draws int) iter.Seq2[*infer.Columns, error] {
	series := chains * draws
	return func(yield func(*infer.Columns, error) bool) {
		width := max(1, min(params, ColumnBytes/(8*series)))
		values := make([]float64, width*series)
		for lo := 0; lo < params; lo += width {
			block := &infer.Columns{First: lo, Params: min(width, params-lo), Chains: chains, Draws: draws}
			block.Values = values[:block.Params*series]
			err := file.Read(block.Values, int64(lo)*int64(series))
			if !yield(block, err) || err != nil {
				return
			}
		}
	}
}
