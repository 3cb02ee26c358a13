package report

import (
	"context"
	"database/sql"
)

// Posterior is what fits of one posterior have in common, whatever drew them.
type Posterior struct {
	ModelHash string
	// Parameters are those that are not derived, in order, without starts.
	Parameters []Parameter
}

// PosteriorOf returns what a complete fit shares with others of its posterior.
func (l *Ledger) PosteriorOf(ctx context.Context, f Stored) (p Posterior, err error) {
	err = l.read(ctx, func(c *sql.Conn) error {
		p.ModelHash = f.ModelHash
		p.Parameters, err = readRows(ctx, c, `SELECT name, kind, coalesce(prior, ''), center, scale FROM parameter
			WHERE fit_id = ? AND kind <> 'derived' ORDER BY parameter_id`, func(q *Parameter) []any {
			return []any{&q.Name, &q.Kind, &q.Prior, (*nullable)(&q.Center), (*nullable)(&q.Scale)}
		}, f.ID)
		return err
	})
	return p, err
}
