package report

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report/judge"
)

// Derivations are the derived quantities of a stored fit, recomputed from its draws, with the resulting verdict.
type Derivations struct {
	Fingerprint string
	RunID       string
	First       int         // number of the fit's other parameters, which keep their numbers
	Parameters  []Parameter // of kind Derived
	Summaries   []diag.Summary
	// DrawsOf yields their draws as Fit.DrawsOf does, numbered from First. Nil:
	// there are none.
	DrawsOf       iter.Seq2[*infer.Columns, error]
	Chains, Draws int
	Gates         judge.Gates
	Verdict       judge.Verdict
	At            time.Time
}

// Derive replaces the derived quantities of a complete fit and its verdict, in
// one transaction. It is an error if no fit has the fingerprint.
func (s *Session) Derive(ctx context.Context, d *Derivations) error {
	return inTransaction(ctx, s.c, func() error {
		id, err := s.rejudge(ctx, d.Fingerprint, d.Gates, d.Verdict, d.At)
		if err != nil {
			return err
		}
		for _, table := range []string{"draw_piece", "summary", "derived", "parameter"} {
			_, err := s.c.ExecContext(ctx, "DELETE FROM "+table+" WHERE fit_id = ? AND parameter_id > ?", id, d.First)
			if err != nil {
				return err
			}
		}
		if _, err := s.c.ExecContext(ctx, "UPDATE draw_outside SET parameters = least(parameters, ?) WHERE fit_id = ?",
			d.First, id); err != nil {
			return err
		}
		if _, err := s.c.ExecContext(ctx, "UPDATE fit SET n_parameters = ? WHERE fit_id = ?", d.First+len(d.Parameters),
			id); err != nil {
			return err
		}
		var sums []uint32
		if d.DrawsOf != nil {
			in := &incoming{id: id, blocks: d.DrawsOf,
				drawShape: drawShape{d.First, len(d.Parameters), d.Chains, d.Draws}}
			if err := s.insertDraws(ctx, []*incoming{in}); err != nil {
				return fmt.Errorf("storing draws: %w", err)
			}
			sums = in.sums
		}
		if err := s.insertParameters(id, d.First, d.Parameters, d.Summaries, sums); err != nil {
			return err
		}
		return s.insertEvents(d.RunID, id, []Event{{At: d.At, Level: "info",
			Message: "derived quantities were computed anew from the stored draws"}})
	})
}

// ReadDraws reads the draws of a block of columns of a fit into its Values, which
// are made longer where they have too few places.
func (l *Ledger) ReadDraws(ctx context.Context, id int64, block *infer.Columns) error {
	return l.readIfThere(ctx, func(c *sql.Conn) error { return l.loadColumns(ctx, c, block, id) })
}
