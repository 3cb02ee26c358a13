package report

import (
	"context"
	"database/sql"
	"fmt"
	"iter"

	"glmbatch/infer"
)

// Columns yields the stored draws of a complete fit in the units of the data, in
// blocks of whole columns that take at most bytes, one column at least. The
// ledger is held for reading while it is walked. It is an error where draws were
// not kept.
func (l *Ledger) Columns(ctx context.Context, f Stored, bytes int) iter.Seq2[*infer.Columns, error] {
	return func(yield func(*infer.Columns, error) bool) {
		stopped := false
		err := l.read(ctx, func(c *sql.Conn) error {
			size := f.Chains * f.Draws
			width := max(1, min(f.Parameters, bytes/(8*max(1, size))))
			block := &infer.Columns{Chains: f.Chains, Draws: f.Draws}
			for lo := 0; lo < f.Parameters && !stopped; lo += width {
				block.First, block.Params = lo, min(width, f.Parameters-lo)
				if err := loadColumns(ctx, c, block, f.ID); err != nil {
					return err
				}
				stopped = !yield(block, nil)
			}
			return nil
		})
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// loadColumns reads the values of a block's columns.
func loadColumns(ctx context.Context, c *sql.Conn, b *infer.Columns, fit int64) error {
	want := b.Params * b.Chains * b.Draws
	b.Values = b.Values[:0]
	err := scanPieces(ctx, c, func(values []float64) { b.Values = append(b.Values, values...) },
		`SELECT n, v FROM draw_piece WHERE fit_id = ? AND parameter_id BETWEEN ? AND ?
		ORDER BY parameter_id, chain, first`, fit, b.First+1, b.First+b.Params)
	if err == nil && len(b.Values) != want {
		err = fmt.Errorf("fit %d: the ledger holds %d of %d draws of parameters %d to %d", fit, len(b.Values), want,
			b.First+1, b.First+b.Params)
	}
	return err
}

// Assessed reports whether a fit has a leave-one-out result and predictive checks.
func (l *Ledger) Assessed(ctx context.Context, fit int64) (loo, checks bool, err error) {
	err = l.readIfThere(ctx, func(c *sql.Conn) error {
		return c.QueryRowContext(ctx, "SELECT (SELECT count(*) > 0 FROM loo WHERE fit_id = ?), (SELECT count(*) > 0 FROM "+
			"ppc WHERE fit_id = ?)", fit, fit).Scan(&loo, &checks)
	})
	return loo, checks, err
}
