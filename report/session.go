package report

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"glmbatch/report/judge"
)

// Session writes to an open ledger. Each of its methods is one transaction:
// all of it is visible to SQL, or nothing. It lives inside Ledger.Write and is
// not safe for concurrent use.
type Session struct {
	c      *sql.Conn
	db     *sql.DB   // for further connections, which read at the same time as c
	draws  *drawFeed // where the engine takes draws from
	stats  *statsFeed
	engine string
	// threads serve large fits; all else is done by one.
	threads int
	// open are the appenders of fits that are being stored; nil outside.
	open *appenders
}

func newSession(db *sql.DB, c *sql.Conn, threads int) (*Session, error) {
	s := &Session{c: c, db: db, draws: new(drawFeed), stats: new(statsFeed), threads: threads}
	if err := c.QueryRowContext(context.Background(), "SELECT version()").Scan(&s.engine); err != nil {
		return nil, err
	}
	return s, errors.Join(s.draws.register(c), s.stats.register(c))
}

// Run stores a run, replacing what an earlier call stored under its ID.
func (s *Session) Run(ctx context.Context, r *Run) error {
	return inTransaction(ctx, s.c, func() error { return s.run(ctx, r) })
}

// run is Run within a transaction.
func (s *Session) run(ctx context.Context, r *Run) error {
	engine := r.Engine
	if engine == "" {
		engine = "duckdb " + s.engine
	}
	place, err := s.placed(ctx, r.Place, r.ID)
	if err != nil {
		return err
	}
	if _, err := s.c.ExecContext(ctx, "DELETE FROM run WHERE run_id = ?", r.ID); err != nil {
		return err
	}
	row := runRow{RunID: r.ID, Pipeline: r.Pipeline, SpecHash: r.SpecHash, Spec: r.Spec, Vars: r.Vars, Seed: r.Seed,
		Started: r.Started, Program: r.Program, Engine: engine, Host: r.Host, Place: place}
	if !r.Finished.IsZero() {
		row.ended = ended{r.Finished, &r.ExitCode}
	}
	return insert(s, row)
}

// RunOnce stores a run unless the ledger has it already: for fits that were
// drawn while the ledger was held and are loaded later.
func (s *Session) RunOnce(ctx context.Context, r *Run) error {
	return inTransaction(ctx, s.c, func() error { return s.runOnce(ctx, r) })
}

// runOnce is RunOnce within a transaction.
func (s *Session) runOnce(ctx context.Context, r *Run) error {
	var n int
	if err := s.c.QueryRowContext(ctx, "SELECT count(*) FROM run WHERE run_id = ?", r.ID).Scan(&n); err != nil || n > 0 {
		return err
	}
	return s.run(ctx, r)
}

// RunFits notes what a run did about fits without computing them, in one
// transaction. The pipeline and place of each are those of its run, which the ledger has.
func (s *Session) RunFits(ctx context.Context, notes []*RunFit) error {
	return inTransaction(ctx, s.c, func() error {
		of, err := s.runsOf(ctx, notes)
		if err != nil {
			return err
		}
		fingerprints := make([]string, len(notes))
		for i, r := range notes {
			fingerprints[i] = r.Fingerprint
		}
		ids := map[string]int64{}
		err = readMap(ctx, s.c, ids, `SELECT fingerprint, fit_id FROM fit WHERE status = 'complete'
			AND fingerprint IN (SELECT unnest(?::VARCHAR[]))`, fingerprints)
		if err != nil {
			return err
		}
		return s.appending(func() error {
			for _, r := range notes {
				if err := s.insertRunFit(ids[r.Fingerprint], of[r.RunID], r); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// placedRun holds the facts of a run that a note of a fit repeats.
type placedRun struct {
	pipeline string
	place    int
}

// runsOf reads the runs of notes. A run without a row has no pipeline, and the next place.
func (s *Session) runsOf(ctx context.Context, notes []*RunFit) (map[string]placedRun, error) {
	of := map[string]placedRun{}
	for _, n := range notes {
		if _, ok := of[n.RunID]; ok {
			continue
		}
		place, err := s.placed(ctx, 0, n.RunID)
		if err != nil {
			return nil, err
		}
		var pipeline string
		err = s.c.QueryRowContext(ctx, "SELECT coalesce(max(pipeline), '') FROM main.run WHERE run_id = ?",
			n.RunID).Scan(&pipeline)
		if err != nil {
			return nil, err
		}
		of[n.RunID] = placedRun{pipeline, place}
	}
	return of, nil
}

// insertRunFit stores a note of a run about the fit with a number; 0: none.
func (s *Session) insertRunFit(id int64, of placedRun, r *RunFit) error {
	return insert(s, runFitRow{RunID: r.RunID, FitID: id, Dataset: r.Dataset, Key: r.Group, Model: r.Model,
		Sampler: r.Sampler, did: did{r.Action, r.Verdict.Grade, r.Verdict.Reasons, r.At, of.pipeline, max(r.Replicate, 1),
			of.place}})
}

// Rejudge gives the complete fit with this fingerprint the verdict of changed
// gates. It is an error if there is none.
func (s *Session) Rejudge(ctx context.Context, fingerprint string, g judge.Gates, v judge.Verdict, at time.Time) error {
	return inTransaction(ctx, s.c, func() error {
		_, err := s.rejudge(ctx, fingerprint, g, v, at)
		return err
	})
}

func (s *Session) rejudge(ctx context.Context, fingerprint string, g judge.Gates, v judge.Verdict,
	at time.Time) (id int64, err error) {
	gates, err := json.Marshal(g)
	if err != nil {
		return 0, err
	}
	err = s.c.QueryRowContext(ctx, `UPDATE fit SET gates = ?, verdict = ?, reasons = ?, judged = ?
		WHERE fingerprint = ? AND status = 'complete' RETURNING fit_id`,
		string(gates), string(v.Grade), list(v.Reasons), at.UTC(), fingerprint).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("rejudging: no complete fit has the fingerprint %s", fingerprint)
	}
	return id, err
}

func (s *Session) insertEvents(runID string, id int64, events []Event) error {
	return insertEach(s, events, func(_ int, e *Event) eventRow {
		return eventRow{RunID: runID, FitID: id, Event: *e}
	})
}

// fitID returns the number of the complete fit with a fingerprint as an int64,
// or nil if there is none.
func (s *Session) fitID(ctx context.Context, fingerprint string) (any, error) {
	var id int64
	err := s.c.QueryRowContext(ctx, `SELECT fit_id FROM fit WHERE fingerprint = ? AND status = 'complete'`,
		fingerprint).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return id, nil
}

// number is x, or NULL if x is NaN.
func number(x float64) any {
	if math.IsNaN(x) {
		return nil
	}
	return x
}

// list is s for a list column; the engine takes no nil slice.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
