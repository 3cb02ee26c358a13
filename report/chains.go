package report

import (
	"context"
	"database/sql"
	"fmt"

	"glmbatch/infer"
)

// ChainDraws reads the kept draws of one chain, 0-based, in the units of the
// data: draw i of parameter p, counted from 0, stands at dst[p*Draws+i], and dst
// has Parameters*Draws entries. It is an error where draws were not kept.
func (l *Ledger) ChainDraws(ctx context.Context, f Stored, chain int, dst []float64) error {
	n := 0
	err := l.read(ctx, func(c *sql.Conn) error {
		return scanPieces(ctx, c, func(values []float64) {
			copy(dst[min(n, len(dst)):], values)
			n += len(values)
		}, "SELECT n, v FROM draw_piece WHERE fit_id = ? AND chain = ? ORDER BY parameter_id, first", f.ID, chain+1)
	})
	if err == nil && n != len(dst) {
		err = fmt.Errorf("fit %s: the ledger holds %d of %d draws of chain %d", f.Key, n, len(dst), chain+1)
	}
	return err
}

// ChainStats reads the statistics of the kept iterations of one chain, 0-based;
// none where the ledger has none.
func (l *Ledger) ChainStats(ctx context.Context, f Stored, chain int) (out []infer.Info, err error) {
	err = l.read(ctx, func(c *sql.Conn) error {
		out, err = readRows(ctx, c, `SELECT log_lik, log_prior, accept, step_size, energy, depth, leapfrogs, divergent
			FROM chain WHERE fit_id = ? AND chain = ? AND NOT warmup ORDER BY iteration`, func(i *infer.Info) []any {
			return []any{(*nullable)(&i.LogLik), (*nullable)(&i.LogPrior), (*nullable)(&i.Accept), (*nullable)(&i.StepSize),
				(*nullable)(&i.Energy), &i.Depth, &i.Leapfrogs, &i.Divergent}
		}, f.ID, chain+1)
		return err
	})
	return out, err
}
