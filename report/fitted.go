package report

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"glmbatch/infer"
	"glmbatch/internal/words"
)

// Fitted is a complete fit with what predictions need of it, which is a record and a
// row a parameter: too much to read of every fit.
type Fitted struct {
	Stored
	Design      []byte            // the design record
	Description []byte            // a record.Description; nil of a fit that an earlier program stored
	Names       []infer.Parameter // of the columns of draws
	// Program, Seed and Spec, its text, are those of the run that drew it; empty if they are not known.
	Program, Seed, Spec string
}

// PipelinesError reports that fits of one name belong to several pipelines, of which none was named.
type PipelinesError struct {
	Key       Key
	Pipelines []string
}

func (e *PipelinesError) Error() string {
	return words.Hint(fmt.Errorf("fits of the name %s belong to %d pipelines: %s", e.Key, len(e.Pipelines),
		strings.Join(e.Pipelines, ", ")), "name the spec of one, or --pipeline "+e.Pipelines[0]).Error()
}

// Newest returns the newest complete fits of a pipeline (empty: of all) whose name choose accepts, in the order
// of their names. It is a *PipelinesError if pipeline is empty and two pipelines have different fits of one name, and
// a *MissingError if there is no ledger.
func (l *Ledger) Newest(ctx context.Context, pipeline string, choose func(Key) bool) (found []Fitted, err error) {
	err = l.readTables(ctx, func(c *sql.Conn) error {
		var several *PipelinesError
		err := readFits(ctx, c, chosen+"latest f WHERE ?1 = '' OR f.pipeline = ?1", byName, func(f *Stored, _ string) {
			if !choose(f.Key) {
				return
			}
			last := len(found) - 1
			switch {
			case last < 0 || found[last].Key != f.Key:
				found = append(found, Fitted{Stored: *f})
			case several == nil && found[last].ID != f.ID:
				several = &PipelinesError{f.Key, []string{found[last].Pipeline, f.Pipeline}}
			case several != nil && several.Key == f.Key:
				several.Pipelines = append(several.Pipelines, f.Pipeline)
			}
		}, pipeline)
		if err == nil && several != nil {
			return several
		}
		for i := range found {
			if err == nil {
				err = found[i].complete(ctx, c)
			}
			if err == nil {
				err = counted(ctx, c, l.path, true, []Stored{found[i].Stored})
			}
		}
		return err
	})
	return found, err
}

// complete reads the parts in tables of their own.
func (f *Fitted) complete(ctx context.Context, c *sql.Conn) error {
	err := scanRows(ctx, c, `SELECT d.record::VARCHAR, m.record::VARCHAR FROM (SELECT ? AS fit_id) f
		LEFT JOIN design d USING (fit_id) LEFT JOIN description m USING (fit_id)`, func(rows *sql.Rows) error {
		return rows.Scan(&f.Design, &f.Description)
	}, f.ID)
	if err != nil {
		return err
	}
	err = scanRows(ctx, c,
		"SELECT coalesce(program, ''), coalesce(seed::VARCHAR, ''), coalesce(spec, '') FROM run WHERE run_id = ?",
		func(rows *sql.Rows) error { return rows.Scan(&f.Program, &f.Seed, &f.Spec) }, f.RunID)
	if err != nil {
		return err
	}
	return read(ctx, c, &f.Names, `SELECT name, kind, grouping, level, term, beside AS term2, predictor, response
		FROM parameter WHERE fit_id = ? AND parameter_id > 0 ORDER BY parameter_id`, f.ID)
}

// Posterior holds the common facts of fits of one posterior, whatever drew them.
type Posterior struct {
	ModelHash string
	// Parameters are those that are not derived, in order, without starts.
	Parameters []Parameter
}

// PosteriorOf returns what a complete fit shares with others of its posterior.
func (l *Ledger) PosteriorOf(ctx context.Context, f Stored) (p Posterior, err error) {
	err = l.read(ctx, func(c *sql.Conn) error {
		p.ModelHash = f.ModelHash
		return read(ctx, c, &p.Parameters, `SELECT name, kind, prior, center, scale, grouping, level, term, beside AS term2,
			predictor, response FROM parameter WHERE fit_id = ? AND kind <> 'derived' AND parameter_id > 0
			ORDER BY parameter_id`, f.ID)
	})
	return p, err
}
