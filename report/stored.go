package report

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/report/judge"
)

// The beginning of a query that names fits for readFits; the part after FROM follows. Their own verdict counts, and
// no run acted on them.
const chosen = `SELECT f.fit_id, f.run_id, f.pipeline, f.dataset, f.key, f.model, f.sampler, f.verdict, f.reasons,
	f.created AS noted, '' AS action FROM `

// The newest fit of each name of a pipeline (”: of all), complete or an error: what the newest run did, or if nothing
// of that is stored, what it would have replaced.
const newestFits = chosen + `(SELECT f.* REPLACE (a.pipeline AS pipeline) FROM attempt a
	LEFT JOIN newest_fit n ON n.pipeline = a.pipeline AND n.dataset = a.dataset AND n.key = a.key AND n.model = a.model
		AND n.sampler = a.sampler AND n.replicate = 1
	JOIN fit f ON f.fit_id = coalesce(a.fit_id, n.fit_id)) f WHERE ?1 = '' OR f.pipeline = ?1`

// Fits by number. One that several pipelines share is of one that it is the newest fit of, or else of that which drew
// it.
const numberedFits = chosen + `(SELECT f.* REPLACE (coalesce((SELECT min(n.pipeline) FROM newest_fit n
	WHERE n.fit_id = f.fit_id), f.pipeline) AS pipeline) FROM fit f WHERE f.fit_id IN (SELECT unnest(?::BIGINT[]))) f`

// byName is an order of fits.
const byName = `c.dataset, c.key, c.model, c.sampler, coalesce(f.replicate, 1), c.pipeline, coalesce(f.fit_id, 0)`

// storedQuery reads the fits that the query which names, as chosen does, in an order.
func storedQuery(which, order string) string {
	return `WITH chosen AS (` + which + `), quantity AS (
		SELECT fit_id, to_json(list({name: name, expression: expression} ORDER BY parameter_id))::VARCHAR AS derived
		FROM derived WHERE fit_id IN (SELECT fit_id FROM chosen) GROUP BY fit_id
	)
	SELECT f.fit_id, coalesce(f.run_id, c.run_id) AS run, c.pipeline, c.dataset, c.key, c.model, c.sampler,
	       coalesce(f.replicate, 1) AS replicate, f.method, f.family, f.link, f.formula, f.status,
	       coalesce(c.verdict, f.verdict) AS verdict, coalesce(c.reasons, f.reasons, []) AS reasons,
	       coalesce(f.warnings, []) AS warnings, f.error, f.gates::VARCHAR AS gates,
	       f.n_rows AS rows, f.n_columns AS columns, f.n_parameters AS parameters, f.chains, f.warmup, f.draws,
	       f.setup_seconds, f.warmup_seconds, f.sampling_seconds, f.wall_seconds, coalesce(f.created, c.noted) AS created,
	       f.fingerprint, f.data_hash, f.model_hash, f.kept = 'draws' AS kept,
	       coalesce(s.question, f.fingerprint) AS question, s.from_fingerprint AS "from", q.derived,
	       i.record::VARCHAR AS identity, c.action
	FROM chosen c LEFT JOIN fit f ON f.fit_id = c.fit_id LEFT JOIN start s ON s.fit_id = c.fit_id
	LEFT JOIN quantity q ON q.fit_id = c.fit_id LEFT JOIN identity i ON i.fit_id = c.fit_id
	ORDER BY ` + order
}

// readFits calls add with each fit that which names, and what the run that it names them
// by did about it. It reads a row of each table a fit, no draws and no summaries.
func readFits(ctx context.Context, c *sql.Conn, which, order string, add func(f *Stored, action string),
	args ...any) error {
	var all []struct {
		Stored
		Action string
	}
	if err := read(ctx, c, &all, storedQuery(which, order), args...); err != nil {
		return err
	}
	for i := range all {
		f := &all[i].Stored
		if f.Rows < 0 || min(f.Columns, f.Parameters, f.Chains, f.Warmup, f.Draws) < 0 {
			return &countError{f.ID, "it counts less than nothing of something"}
		}
		f.Seconds = Number(f.SetupSeconds + f.WarmupSeconds + f.SamplingSeconds)
		add(f, all[i].Action)
	}
	return nil
}

// countError reports that the record of a fit does not count what the ledger holds.
type countError struct {
	fit  int64
	what string
}

func (e *countError) Error() string {
	return fmt.Sprintf("the record of fit %d is wrong: %s", e.fit, e.what)
}

// counted returns a *countError if the ledger at path does not hold the draws that the record of one of fits counts:
// callers allocate memory by these numbers. Draws in files next to the ledger are counted if files is true; those of
// lost files are not, since a reader of draws reports the loss. Cost: one pass over the numbers of parameters and of
// pieces, and none over draws.
func counted(ctx context.Context, c *sql.Conn, path string, files bool, fits []Stored) error {
	kept := map[int64]*Stored{}
	for i := range fits {
		if fits[i].Kept {
			kept[fits[i].ID] = &fits[i]
		}
	}
	ids, from := slices.Sorted(maps.Keys(kept)), "main.draw_piece"
	if len(ids) == 0 {
		return nil
	}
	if files {
		var err error
		if from, err = piecesOf(ctx, c, path, ids...); err != nil {
			return nil // the draws of the only fit are lost
		}
	}
	return scanRows(ctx, c, `WITH chosen AS (SELECT unnest(?::BIGINT[]) AS fit_id), parameters AS (
		SELECT fit_id, count(*) AS stored FROM parameter WHERE parameter_id > 0 AND fit_id IN (FROM chosen) GROUP BY fit_id
	), pieces AS (
		SELECT fit_id, count(DISTINCT chain) AS chains, sum(n)::BIGINT AS draws FROM `+from+`
		WHERE parameter_id = 1 AND fit_id IN (FROM chosen) GROUP BY fit_id
	)
	SELECT fit_id, coalesce(stored, 0), coalesce(chains, 0), coalesce(draws, 0),
		chains IS NULL AND fit_id IN (SELECT fit_id FROM draw_outside)
	FROM chosen LEFT JOIN parameters USING (fit_id) LEFT JOIN pieces USING (fit_id) ORDER BY fit_id`,
		func(rows *sql.Rows) error {
			var id, parameters, chains, draws int64
			var outside bool
			if err := rows.Scan(&id, &parameters, &chains, &draws, &outside); err != nil {
				return err
			}
			switch f := kept[id]; {
			case int64(f.Parameters) != parameters:
				return &countError{id, fmt.Sprintf("it counts %d parameters, and %d are stored", f.Parameters, parameters)}
			case !outside && (chains != int64(f.Chains) || draws != chains*int64(f.Draws)):
				return &countError{id, fmt.Sprintf(
					"it counts %d chains of %d draws, and %d chains with %d draws in all are stored",
					f.Chains, f.Draws, chains, draws)}
			}
			return nil
		}, ids)
}

// Stored returns the complete fits with these fingerprints, by fingerprint;
// all of them if fingerprints is nil. Without a ledger file there are none, and
// no error. Records that count wrong are damage; draws in files are counted only if fingerprints are named.
func (l *Ledger) Stored(ctx context.Context, fingerprints []string) (map[string]Stored, error) {
	found := map[string]Stored{}
	if fingerprints != nil && len(fingerprints) == 0 {
		return found, nil
	}
	err := l.readIfThere(ctx, func(c *sql.Conn) (err error) {
		found, err = l.stored(ctx, c, fingerprints)
		return err
	})
	return found, err
}

// stored is Stored of an open file.
func (l *Ledger) stored(ctx context.Context, c *sql.Conn, fingerprints []string) (map[string]Stored, error) {
	found, err := storedFits(ctx, c, fingerprints)
	if err != nil {
		return nil, fmt.Errorf("ledger %q: %w", l.path, err)
	}
	return found, counted(ctx, c, l.path, len(fingerprints) > 0, slices.Collect(maps.Values(found)))
}

// Stored is Ledger.Stored for who has the file open for writing.
func (s *Session) Stored(ctx context.Context, fingerprints []string) (map[string]Stored, error) {
	return storedFits(ctx, s.c, fingerprints)
}

func storedFits(ctx context.Context, c *sql.Conn, fingerprints []string) (map[string]Stored, error) {
	found := map[string]Stored{}
	err := readFits(ctx, c, chosen+"fit f WHERE f.status = 'complete' AND (? OR f.fingerprint IN (SELECT "+
		"unnest(?::VARCHAR[])))", byName,
		func(f *Stored, _ string) { found[f.Fingerprint] = *f }, fingerprints == nil, list(fingerprints))
	return found, err
}

// Earlier returns the complete fits of a pipeline in the order of the newest runs that drew or found them, the newest
// first: those that another may start from. Without a ledger file there are none, and no error.
func (l *Ledger) Earlier(ctx context.Context, pipeline string) (found []Stored, err error) {
	err = l.readIfThere(ctx, func(c *sql.Conn) error {
		return readFits(ctx, c, `SELECT f.fit_id, f.run_id, n.pipeline, f.dataset, f.key, f.model, f.sampler, f.verdict,
			f.reasons, f.created AS noted, '' AS action, n.last FROM fit f JOIN (SELECT pipeline, fit_id,
				max((place, noted, rowid)) AS last FROM run_fit WHERE pipeline = ? AND action IN ('computed', 'skipped')
				GROUP BY pipeline, fit_id) n USING (fit_id) WHERE f.status = 'complete'`, "c.last DESC",
			func(f *Stored, _ string) { found = append(found, *f) }, pipeline)
	})
	return found, err
}

// Predecessors returns the newest complete fit of each name of a pipeline. Without a ledger
// file there are none, and no error.
func (l *Ledger) Predecessors(ctx context.Context, pipeline string) (map[Key]Stored, error) {
	found := map[Key]Stored{}
	err := l.readIfThere(ctx, func(c *sql.Conn) error {
		return readFits(ctx, c, chosen+"latest f WHERE f.pipeline = ?", byName,
			func(f *Stored, _ string) { found[f.Key] = *f }, pipeline)
	})
	return found, err
}

// Evidence returns what the complete fit with this fingerprint was judged by,
// local scales left out, to judge it again by other gates. It is an error if there is none.
func (l *Ledger) Evidence(ctx context.Context, fingerprint string) (e judge.Evidence, err error) {
	err = l.readTables(ctx, func(c *sql.Conn) error {
		e, err = l.evidence(ctx, c, fingerprint)
		return err
	})
	return e, err
}

// evidence is Evidence of an open file.
func (l *Ledger) evidence(ctx context.Context, c *sql.Conn, fingerprint string) (e judge.Evidence, err error) {
	stored, err := l.stored(ctx, c, []string{fingerprint})
	if err != nil {
		return e, err
	}
	f, ok := stored[fingerprint]
	if !ok {
		return e, fmt.Errorf("ledger %q has no complete fit with the fingerprint %s", l.path, fingerprint)
	}
	e.Warnings = f.Warnings
	drift, err := driftOf(ctx, c, f.Pipeline, []int64{f.ID})
	if err != nil {
		return e, err
	}
	e.Drift = drift[f.ID]
	err = c.QueryRowContext(ctx, "SELECT count(*) FROM chain WHERE fit_id = ? AND divergent AND NOT warmup",
		f.ID).Scan(&e.Divergences)
	if err != nil {
		return e, err
	}
	// Empty if the sensitivities to prior and likelihood were not measured.
	err = read(ctx, c, &e.Sensitivity, "SELECT name, prior, likelihood FROM sensitivity WHERE fit_id = ? ORDER BY place",
		f.ID)
	if err != nil {
		return e, err
	}
	parameters, statistics, err := summaries(ctx, c, fingerprint)
	for _, p := range parameters {
		switch p.Kind {
		case Derived:
			e.Derived = append(e.Derived, judge.Statistic{Name: p.Name, Summary: p.Summary})
			continue
		case infer.LocalScale, infer.Unsorted:
			continue
		}
		e.Names, e.Summaries = append(e.Names, p.Name), append(e.Summaries, p.Summary)
		e.Families = append(e.Families, p.Family())
	}
	e.Statistics = statistics
	return e, err
}

// Summaries returns the summaries of the complete fit with this fingerprint, parameters in order, those without
// draws last, then statistics by name. A number that could not be computed is NaN. Without such a fit both are
// empty.
func (l *Ledger) Summaries(ctx context.Context, fingerprint string) (parameters []ParameterSummary,
	statistics []judge.Statistic, err error) {
	err = l.readIfThere(ctx, func(c *sql.Conn) error {
		parameters, statistics, err = summaries(ctx, c, fingerprint)
		return err
	})
	return parameters, statistics, err
}

// summaries is Summaries of an open file.
func summaries(ctx context.Context, c *sql.Conn, fingerprint string) (parameters []ParameterSummary,
	statistics []judge.Statistic, err error) {
	var all []ParameterSummary
	err = read(ctx, c, &all, "SELECT "+columnList(ParameterSummary{})+` FROM summary s LEFT JOIN
		(SELECT fit_id, parameter_id, grouping, term FROM parameter) USING (fit_id, parameter_id)
		WHERE fit_id = (SELECT fit_id FROM fit WHERE fingerprint = ? AND status = 'complete')
		ORDER BY parameter_id < 0, parameter_id NULLS LAST, name`, fingerprint)
	for _, p := range all {
		if p.Kind == statisticKind {
			statistics = append(statistics, judge.Statistic{Name: p.Name, Summary: p.Summary})
		} else {
			parameters = append(parameters, p)
		}
	}
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
