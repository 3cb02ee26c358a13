package report

import (
	"context"
	"database/sql"
	"fmt"
	"iter"

	"glmbatch/infer"
	"glmbatch/report/record"
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
				if err := l.loadColumns(ctx, c, block, f.ID); err != nil {
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
func (l *Ledger) loadColumns(ctx context.Context, c *sql.Conn, b *infer.Columns, fit int64) error {
	want := b.Params * b.Chains * b.Draws
	b.Values = b.Values[:0]
	from, err := piecesOf(ctx, c, l.path, fit)
	if err != nil {
		return err
	}
	err = scanPieces(ctx, c, func(_ int64, values []float64) { b.Values = append(b.Values, values...) },
		"SELECT fit_id, n, v FROM "+from+" WHERE fit_id = ? AND parameter_id BETWEEN ? AND ? "+
			"ORDER BY parameter_id, chain, first", fit, b.First+1, b.First+b.Params)
	if err == nil && len(b.Values) != want {
		err = fmt.Errorf("fit %d: the ledger holds %d of %d draws of parameters %d to %d", fit, len(b.Values), want,
			b.First+1, b.First+b.Params)
	}
	return err
}

// Assessed returns the parts of an assessment that each fit has; fits without any are left out.
func (l *Ledger) Assessed(ctx context.Context) (map[int64]record.Assessed, error) {
	out := map[int64]record.Assessed{}
	err := l.readIfThere(ctx, func(c *sql.Conn) error {
		var parts []struct {
			FitID                  int64
			Part, Name, Expression string
		}
		err := read(ctx, c, &parts, `SELECT fit_id, 'loo' AS part, version AS name, '' AS expression FROM loo
			UNION SELECT fit_id, 'kfold', asked, '' FROM kfold
			UNION SELECT fit_id, 'sensitivity', '', '' FROM sensitivity
			UNION SELECT fit_id, 'check', statistic, coalesce(expression, '') FROM ppc
			UNION SELECT fit_id, 'column', 'by ' || variable, '' FROM ppc_group
			UNION SELECT fit_id, 'column', 'over ' || variable, '' FROM ppc_over`)
		for _, p := range parts {
			has := out[p.FitID]
			switch p.Part {
			case "loo":
				has.LOO = max(has.LOO, p.Name)
			case "kfold":
				has.KFold = max(has.KFold, p.Name)
			case "sensitivity":
				has.Sensitivity = true
			case "check":
				has.Checks = true
				if p.Expression != "" {
					has.Statistics = append(has.Statistics, record.Expression{Name: p.Name, Text: p.Expression})
				}
			case "column":
				has.Columns = append(has.Columns, p.Name)
			}
			out[p.FitID] = has
		}
		return err
	})
	return out, err
}

// ChainDraws reads the kept draws of one chain, 0-based, in the units of the data: draw i of parameter p, counted
// from 0, is dst[p*Draws+i], and dst has Parameters*Draws entries. It is an error where draws were not kept.
func (l *Ledger) ChainDraws(ctx context.Context, f Stored, chain int, dst []float64) error {
	n := 0
	err := l.read(ctx, func(c *sql.Conn) error {
		from, err := piecesOf(ctx, c, l.path, f.ID)
		if err != nil {
			return err
		}
		return scanPieces(ctx, c, func(_ int64, values []float64) {
			copy(dst[min(n, len(dst)):], values)
			n += len(values)
		}, "SELECT fit_id, n, v FROM "+from+" WHERE fit_id = ? AND chain = ? ORDER BY parameter_id, first", f.ID, chain+1)
	})
	if err == nil && n != len(dst) {
		err = fmt.Errorf("fit %s: the ledger holds %d of %d draws of chain %d", f.Key, n, len(dst), chain+1)
	}
	return err
}

// ChainStats reads the statistics of the kept iterations of one chain, 0-based; none if the ledger has none.
func (l *Ledger) ChainStats(ctx context.Context, f Stored, chain int) (out []infer.Info, err error) {
	err = l.read(ctx, func(c *sql.Conn) error {
		return read(ctx, c, &out, `SELECT log_lik, log_prior, accept, step_size, energy, depth, leapfrogs, divergent
			FROM chain WHERE fit_id = ? AND chain = ? AND NOT warmup ORDER BY iteration`, f.ID, chain+1)
	})
	return out, err
}

// scanPieces calls add with each piece of draws that a query of the columns fit_id, n and v gives.
func scanPieces(ctx context.Context, c *sql.Conn, add func(fit int64, values []float64), query string,
	args ...any) error {
	var fit int64
	var n int
	var boxed any
	values := make([]float64, pieceDraws)
	return scanRows(ctx, c, query, func(rows *sql.Rows) error {
		if err := rows.Scan(&fit, &n, &boxed); err != nil {
			return err
		}
		v, ok := boxed.([]any)
		if !ok || n < 0 || n > len(v) || n > pieceDraws {
			return fmt.Errorf("a piece of %d draws is stored as %T of %d", n, boxed, len(v))
		}
		for i, x := range v[:n] {
			if values[i], ok = x.(float64); !ok {
				return fmt.Errorf("a draw is stored as %T", x)
			}
		}
		add(fit, values[:n])
		return nil
	}, args...)
}
