package report

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"glmbatch/infer"
)

// Fitted is a complete fit with what predictions need of it.
type Fitted struct {
	StoredFit
	Family, Link, Formula string
	DataHash              string
	Created               string                     // as the engine writes a time
	Design                []byte                     // the design record
	Identity              map[string]json.RawMessage // what decided the draws, by part; nil if it is not known
	Names                 []infer.Parameter          // of the columns of draws
}

// Newest returns the newest complete fits whose name choose accepts, in the order
// of their names. It is a *MissingError if there is no ledger.
func (l *Ledger) Newest(ctx context.Context, choose func(Key) bool) (found []Fitted, err error) {
	err = l.readTables(ctx, func(c *sql.Conn) error {
		err := scanRows(ctx, c, `SELECT fit_id, fingerprint, dataset, key, model, sampler, coalesce(method, ''), n_rows, n_columns, chains, draws, n_parameters,
				kept = 'draws', coalesce(family, ''), coalesce(link, ''), coalesce(formula, ''), coalesce(data_hash, ''), created::VARCHAR
			FROM latest ORDER BY dataset, key, model, sampler`, func(rows *sql.Rows) error {
			var f Fitted
			err := rows.Scan(&f.ID, &f.Fingerprint, &f.Dataset, &f.Group, &f.Model, &f.Sampler, &f.Method, &f.Rows, &f.StoredFit.Columns, &f.Chains, &f.Draws,
				&f.Parameters, &f.Kept, &f.Family, &f.Link, &f.Formula, &f.DataHash, &f.Created)
			if err == nil && choose(f.Key) {
				found = append(found, f)
			}
			return err
		})
		for i := range found {
			if err == nil {
				err = found[i].complete(ctx, c)
			}
		}
		return err
	})
	return found, err
}

// complete reads what stands in tables of its own.
func (f *Fitted) complete(ctx context.Context, c *sql.Conn) error {
	first := func(query string) (text string, err error) {
		err = scanRows(ctx, c, query, func(rows *sql.Rows) error { return rows.Scan(&text) }, f.ID)
		return text, err
	}
	design, err := first("SELECT record::VARCHAR FROM design WHERE fit_id = ?")
	if err != nil {
		return err
	}
	f.Design = []byte(design)
	if f.Identity, err = identityOf(ctx, c, f.ID); err != nil {
		return fmt.Errorf("identity of fit %d: %w", f.ID, err)
	}
	return scanRows(ctx, c, "SELECT name, kind FROM parameter WHERE fit_id = ? ORDER BY parameter_id", func(rows *sql.Rows) error {
		var p infer.Parameter
		err := rows.Scan(&p.Name, &p.Kind)
		f.Names = append(f.Names, p)
		return err
	}, f.ID)
}
