package report

import (
	"context"
	"database/sql"
	"time"
)

// RunInfo describes one run from the ledger: when, how long, what it did about how many fits, and how it ended.
type RunInfo struct {
	ID       string `json:"run"`
	Pipeline string `json:"pipeline"`
	SpecHash string `json:"spec_hash,omitempty"`
	// SpecChanged reports whether the pipeline's previous run had another spec.
	SpecChanged bool       `json:"spec_changed"`
	Seed        string     `json:"seed,omitempty"` // a whole number below 2^64
	Started     time.Time  `json:"started"`
	Finished    *time.Time `json:"finished"`  // nil while running, and after a kill
	ExitCode    *int       `json:"exit_code"` // nil as Finished
	Program     string     `json:"program,omitempty"`
	Host        string     `json:"host,omitempty"`
	// Fits are those that the run has recorded, by action: drawn now, skipped since a stored one is equal, erred,
	// or drawn and not committed.
	Fits        int `json:"fits"`
	New         int `json:"new"`
	Skipped     int `json:"skipped"`
	Erred       int `json:"erred"`
	Uncommitted int `json:"uncommitted"`
	// The verdicts of those that are complete, skipped ones included.
	Passed  int    `json:"passed"`
	Warned  int    `json:"warned"`
	Failed  int    `json:"failed"`
	Seconds Number `json:"seconds"` // processor time of what was drawn
}

// The query of Nights, around the table of runs.
const nightsQuery = `WITH told AS (
			SELECT *, spec_hash IS DISTINCT FROM lag(spec_hash, 1, spec_hash) OVER (PARTITION BY pipeline ORDER BY place,
			started, run_id) AS changed FROM run
		), chosen AS (
			SELECT * FROM told WHERE started >= ? ORDER BY place DESC, started DESC, run_id DESC LIMIT ?
		), counted AS (
			SELECT r.run_id, count(*) AS fits, count(*) FILTER (r.action = 'computed') AS new,
			count(*) FILTER (r.action = 'skipped') AS skipped,
			       count(*) FILTER (r.action = 'error') AS erred, count(*) FILTER (r.action = 'uncommitted') AS uncommitted,
			       count(*) FILTER (r.verdict = 'pass') AS passed, count(*) FILTER (r.verdict = 'warn') AS warned,
			       count(*) FILTER (r.verdict = 'fail') AS failed,
			       sum(f.setup_seconds + f.warmup_seconds + f.sampling_seconds) FILTER (r.action = 'computed') AS seconds
			FROM run_fit r LEFT JOIN fit f ON f.fit_id = r.fit_id WHERE r.run_id IN (SELECT run_id FROM chosen) GROUP BY r.run_id
		)
		SELECT run_id AS run, pipeline, spec_hash, changed AS spec_changed, seed::VARCHAR AS seed, started, finished,
		       exit_code, program, host->>'name' AS host, fits, new, skipped, erred, uncommitted, passed, warned, failed,
		       seconds
		FROM chosen LEFT JOIN counted USING (run_id) ORDER BY place DESC, started DESC, run_id DESC`

// Nights returns the runs of a ledger that started at since or later, the newest
// by their places first, at most limit (0: all). It reads one row a run and one a fit of these.
func (l *Ledger) Nights(ctx context.Context, since time.Time, limit int) (out []RunInfo, err error) {
	if limit <= 0 {
		limit = 1 << 30
	}
	err = l.readTables(ctx, func(c *sql.Conn) error {
		return read(ctx, c, &out, nightsQuery, since.UTC(), limit)
	})
	return out, err
}

// nextPlace asks for the place behind all runs and fits of the ledger.
const nextPlace = "SELECT 1 + greatest((SELECT coalesce(max(place), 0) FROM main.run), (SELECT coalesce(max(place), " +
	"0) FROM main.fit))"

// NextPlace returns the place of a run that begins now, for Run.Place and Fit.Place: it is behind every run that
// the ledger has, whatever the clock says. Two runs share one if neither was recorded in the ledger when the other
// began; then the clock decides which is newer. Without a ledger file it is 1.
func (l *Ledger) NextPlace(ctx context.Context) (int, error) {
	place := 1
	err := l.readIfThere(ctx, func(c *sql.Conn) error {
		return c.QueryRowContext(ctx, nextPlace).Scan(&place)
	})
	return place, err
}

// placedFits are the places of fits; one question a run.
func (s *Session) placedFits(ctx context.Context, fits []*Fit) (places []int, err error) {
	known := map[string]int{}
	for _, f := range fits {
		place := f.Place
		if place <= 0 {
			place = known[f.RunID]
		}
		if place <= 0 {
			if place, err = s.placed(ctx, 0, f.RunID); err != nil {
				return nil, err
			}
			known[f.RunID] = place
		}
		places = append(places, place)
	}
	return places, nil
}

// placed is a run's or fit's own place; where it has none, that of the run with this ID, or
// else the next one.
func (s *Session) placed(ctx context.Context, own int, run string) (int, error) {
	if own > 0 {
		return own, nil
	}
	err := s.c.QueryRowContext(ctx, "SELECT coalesce((SELECT max(place) FROM main.run WHERE run_id = ? AND place > 0), ("+
		nextPlace+"))", run).Scan(&own)
	return own, err
}
