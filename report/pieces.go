package report

import (
	"context"
	"database/sql"
	"fmt"
)

// scanPieces calls add with each piece of draws that a query of the columns n and v gives.
func scanPieces(ctx context.Context, c *sql.Conn, add func(values []float64), query string, args ...any) error {
	var n int
	var boxed any
	values := make([]float64, pieceDraws)
	return scanRows(ctx, c, query, func(rows *sql.Rows) error {
		if err := rows.Scan(&n, &boxed); err != nil {
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
		add(values[:n])
		return nil
	}, args...)
}
