package report

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/report/judge"
)

// StoredFit is what the ledger knows about a complete fit without its draws.
type StoredFit struct {
	ID int64
	Key
	Fingerprint string
	Verdict     judge.Verdict
	Gates       judge.Gates // that Verdict was judged by
	Warnings    []string    // of the fit, without the reasons of the verdict
	Method      string
	Rows        int64
	Columns     int
	Chains      int
	Draws       int // per chain
	Parameters  int
	Kept        bool         // whether the draws were kept
	Derived     []Expression // its derived quantities, in order
}

// Stored returns the complete fits with these fingerprints, by fingerprint;
// all of them if fingerprints is nil. Without a ledger file there are none, and
// no error. It reads one row per fit, no draws.
func (l *Ledger) Stored(ctx context.Context, fingerprints []string) (map[string]StoredFit, error) {
	found := map[string]StoredFit{}
	if fingerprints != nil && len(fingerprints) == 0 {
		return found, nil
	}
	err := l.readIfThere(ctx, func(c *sql.Conn) error {
		var err error
		if found, err = storedFits(ctx, c, fingerprints); err != nil {
			return fmt.Errorf("ledger %q: %w", l.path, err)
		}
		return nil
	})
	return found, err
}

// Stored is Ledger.Stored for who has the file open for writing.
func (s *Session) Stored(ctx context.Context, fingerprints []string) (map[string]StoredFit, error) {
	return storedFits(ctx, s.c, fingerprints)
}

func storedFits(ctx context.Context, c *sql.Conn, fingerprints []string) (map[string]StoredFit, error) {
	found := map[string]StoredFit{}
	err := scanRows(ctx, c, `
		SELECT fit_id, fingerprint, dataset, key, model, sampler, verdict, to_json(reasons)::VARCHAR, gates::VARCHAR, to_json(warnings)::VARCHAR,
		       coalesce(method, ''), n_rows, n_columns, chains, draws, n_parameters, kept = 'draws', `+derivedRows+`
		FROM fit WHERE status = 'complete' AND (? OR fingerprint IN (SELECT unnest(?::VARCHAR[])))`, func(rows *sql.Rows) error {
		var f StoredFit
		var reasons, gates, warnings, derived string
		if err := rows.Scan(&f.ID, &f.Fingerprint, &f.Dataset, &f.Group, &f.Model, &f.Sampler,
			&f.Verdict.Grade, &reasons, &gates, &warnings,
			&f.Method, &f.Rows, &f.Columns, &f.Chains, &f.Draws, &f.Parameters, &f.Kept, &derived); err != nil {
			return err
		}
		for _, part := range []struct {
			from string
			to   any
		}{{reasons, &f.Verdict.Reasons}, {gates, &f.Gates}, {warnings, &f.Warnings}, {derived, &f.Derived}} {
			if err := json.Unmarshal([]byte(part.from), part.to); err != nil {
				return fmt.Errorf("fit %d: %w", f.ID, err)
			}
		}
		found[f.Fingerprint] = f
		return nil
	}, fingerprints == nil, list(fingerprints))
	return found, err
}

// Evidence returns what the complete fit with this fingerprint was judged by,
// local scales left out, to judge it again by other gates. It is an error if there is none.
func (l *Ledger) Evidence(ctx context.Context, fingerprint string) (judge.Evidence, error) {
	stored, err := l.Stored(ctx, []string{fingerprint})
	if err != nil {
		return judge.Evidence{}, err
	}
	f, ok := stored[fingerprint]
	if !ok {
		return judge.Evidence{}, fmt.Errorf("ledger %q has no complete fit with the fingerprint %s", l.path, fingerprint)
	}
	e := judge.Evidence{Warnings: f.Warnings}
	if e.Drift, err = l.drift(ctx, f.ID); err != nil {
		return judge.Evidence{}, err
	}
	if e.Divergences, err = l.divergences(ctx, f.ID); err != nil {
		return judge.Evidence{}, err
	}
	parameters, statistics, err := l.Summaries(ctx, fingerprint)
	for _, p := range parameters {
		switch p.Kind {
		case Derived:
			e.Derived = append(e.Derived, judge.Statistic{Name: p.Name, Summary: p.Summary})
			continue
		case infer.LocalScale:
			continue
		}
		e.Names, e.Summaries = append(e.Names, p.Name), append(e.Summaries, p.Summary)
	}
	e.Statistics = statistics
	return e, err
}

// divergences counts a fit's divergent transitions after warm-up.
func (l *Ledger) divergences(ctx context.Context, id int64) (n int, err error) {
	err = l.readIfThere(ctx, func(c *sql.Conn) error {
		return c.QueryRowContext(ctx, `SELECT count(*) FROM chain WHERE fit_id = ? AND divergent AND NOT warmup`, id).Scan(&n)
	})
	return n, err
}

// Summaries returns the summaries of the complete fit with this fingerprint,
// parameters in order, then statistics by name. What could not be computed is
// NaN. Without such a fit both are empty.
func (l *Ledger) Summaries(ctx context.Context, fingerprint string) ([]ParameterSummary, []judge.Statistic, error) {
	var parameters []ParameterSummary
	var statistics []judge.Statistic
	err := l.readIfThere(ctx, func(c *sql.Conn) error {
		rows, err := c.QueryContext(ctx, `SELECT name, kind, coalesce(reason, ''), `+summaryColumns+` FROM summary
			WHERE fit_id = (SELECT fit_id FROM fit WHERE fingerprint = ? AND status = 'complete') ORDER BY parameter_id NULLS LAST, name`, fingerprint)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var p ParameterSummary
			fields := summaryFields(&p.Summary)
			into := []any{&p.Name, &p.Kind, &p.Summary.Reason}
			for _, f := range fields {
				into = append(into, (*nullable)(f))
			}
			if err := rows.Scan(into...); err != nil {
				return err
			}
			if p.Kind == statisticKind {
				statistics = append(statistics, judge.Statistic{Name: p.Name, Summary: p.Summary})
			} else {
				parameters = append(parameters, p)
			}
		}
		return rows.Err()
	})
	return parameters, statistics, err
}

// nullable scans a number, NULL as NaN.
type nullable float64

// Scan makes *nullable an sql.Scanner.
func (n *nullable) Scan(src any) error {
	switch x := src.(type) {
	case nil:
		*n = nullable(math.NaN())
	case float64:
		*n = nullable(x)
	default:
		return fmt.Errorf("a number is stored as %T", src)
	}
	return nil
}
