package report

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report/judge"
)

// Look is what people want to know of a fit at a glance: what it is, its
// verdict, and the worst of its diagnostics. It holds no draws.
type Look struct {
	ID        int64       `json:"fit_id"` // 0 where a run left nothing in the ledger
	RunID     string      `json:"run"`
	Pipeline  string      `json:"pipeline"`
	Dataset   string      `json:"dataset"`
	Group     string      `json:"key,omitempty"`
	Model     string      `json:"model"`
	Sampler   string      `json:"sampler"`
	Replicate int         `json:"replicate"`
	Method    string      `json:"method,omitempty"`
	Family    string      `json:"family,omitempty"`
	Link      string      `json:"link,omitempty"`
	Formula   string      `json:"formula,omitempty"`
	Status    Status      `json:"status,omitempty"`
	Verdict   judge.Grade `json:"verdict,omitempty"`
	Reasons   []string    `json:"reasons"`
	Warnings  []string    `json:"warnings"`
	Error     string      `json:"error,omitempty"`
	// Gates are those that Verdict was judged by; nil where nothing is stored.
	Gates       *judge.Gates `json:"gates,omitempty"`
	Rows        int64        `json:"rows"`
	Columns     int          `json:"columns"`
	Parameters  int          `json:"parameters"`
	Chains      int          `json:"chains"`
	Warmup      int          `json:"warmup"`
	Draws       int          `json:"draws"`   // per chain
	Seconds     Number       `json:"seconds"` // processor time: set-up, warm-up and sampling
	Wall        Number       `json:"wall_seconds"`
	Created     time.Time    `json:"created"`
	Divergences int          `json:"divergences"` // after warm-up
	// The worst diagnostics over what gates look at, and the quantities that have
	// them; NaN and empty where there are none.
	RHat      Number `json:"rhat_max"`
	RHatOf    string `json:"rhat_max_of,omitempty"`
	ESSBulk   Number `json:"ess_bulk_min"`
	ESSBulkOf string `json:"ess_bulk_min_of,omitempty"`
	ESSTail   Number `json:"ess_tail_min"`
	ESSTailOf string `json:"ess_tail_min_of,omitempty"`
	// Action is what the run did about the fit; empty where no run was asked for.
	Action string `json:"action,omitempty"`
	// Earlier is the newest complete fit of the same name, where this one erred.
	Earlier int64 `json:"earlier_fit_id,omitempty"`
}

// Key is the fit's name.
func (k *Look) Key() Key {
	return Key{Dataset: k.Dataset, Group: k.Group, Model: k.Model, Sampler: k.Sampler}
}

// Line is a parameter of one fit with its summary, or a statistic of its draws.
type Line struct {
	Name          string              `json:"name"`
	Kind          infer.ParameterKind `json:"kind"`
	Prior         string              `json:"prior,omitempty"`
	Center, Scale float64             `json:"-"` // of its column under standardize
	// ColumnSD is the standard deviation of the coefficient's column in the units
	// of the data: NaN where there is none.
	ColumnSD Number       `json:"column_sd"`
	Summary  diag.Summary `json:"-"`
}

// lookQuery reads fits with the worst of their diagnostics. What local scales of a
// prior do is no gate's matter, nor is it ours.
func lookQuery(which string) string {
	return `WITH chosen AS (` + which + `), worst AS (
		SELECT fit_id, max(rhat) AS rhat, arg_max(name, rhat) AS rhat_of, min(ess_bulk) AS bulk, arg_min(name, ess_bulk) AS bulk_of,
		       min(ess_tail) AS tail, arg_min(name, ess_tail) AS tail_of
		FROM summary WHERE kind <> 'local_scale' AND fit_id IN (SELECT fit_id FROM chosen) GROUP BY fit_id
	), diverged AS (
		SELECT fit_id, count(*) AS n FROM chain WHERE divergent AND NOT warmup AND fit_id IN (SELECT fit_id FROM chosen) GROUP BY fit_id
	)
	SELECT coalesce(f.fit_id, 0), coalesce(f.run_id, c.run_id), coalesce(f.pipeline, ''), c.dataset, c.key, c.model, c.sampler, coalesce(f.replicate, 1),
	       coalesce(f.method, ''), coalesce(f.family, ''), coalesce(f.link, ''), coalesce(f.formula, ''), coalesce(f.status, ''),
	       coalesce(c.verdict, f.verdict, ''), coalesce(to_json(coalesce(c.reasons, f.reasons))::VARCHAR, '[]'), coalesce(to_json(f.warnings)::VARCHAR, '[]'),
	       coalesce(f.error, ''), coalesce(f.gates::VARCHAR, 'null'), coalesce(f.n_rows, 0), coalesce(f.n_columns, 0), coalesce(f.n_parameters, 0),
	       coalesce(f.chains, 0), coalesce(f.warmup, 0), coalesce(f.draws, 0),
	       f.setup_seconds + f.warmup_seconds + f.sampling_seconds, f.wall_seconds, coalesce(f.created, c.noted), coalesce(d.n, 0),
	       w.rhat, coalesce(w.rhat_of, ''), w.bulk, coalesce(w.bulk_of, ''), w.tail, coalesce(w.tail_of, ''), c.action,
	       CASE WHEN f.status = 'error' THEN coalesce((SELECT max(e.fit_id) FROM latest e WHERE e.dataset = c.dataset AND e.key = c.key
	            AND e.model = c.model AND e.sampler = c.sampler), 0) ELSE 0 END
	FROM chosen c LEFT JOIN fit f ON f.fit_id = c.fit_id LEFT JOIN worst w ON w.fit_id = c.fit_id LEFT JOIN diverged d ON d.fit_id = c.fit_id
	ORDER BY c.dataset, c.key, c.model, c.sampler, 8, coalesce(f.fit_id, 0)`
}

// columns of chosen, for fits that are named otherwise than by a run.
const chosenFit = `f.fit_id, f.run_id, f.dataset, f.key, f.model, f.sampler, f.verdict, f.reasons, f.created AS noted, '' AS action FROM fit f`

// Look returns the fit with a number; none where there is no such fit.
func (l *Ledger) Look(ctx context.Context, id int64) ([]Look, error) {
	return l.looks(ctx, "SELECT "+chosenFit+" WHERE f.fit_id = ?", nil, id)
}

// LookNewest returns the newest fit of each name, complete or not, that choose
// accepts, replicates left out.
func (l *Ledger) LookNewest(ctx context.Context, choose func(Key) bool) ([]Look, error) {
	return l.looks(ctx, "SELECT "+chosenFit+` WHERE f.replicate = 1 QUALIFY row_number() OVER
		(PARTITION BY f.dataset, f.key, f.model, f.sampler ORDER BY f.place DESC, f.created DESC, f.fit_id DESC) = 1`, choose)
}

// LookRun returns what one run did about each of its fits. Their verdicts are those
// that the run took; a fit that a later one replaced is named without numbers.
func (l *Ledger) LookRun(ctx context.Context, runID string) ([]Look, error) {
	return l.looks(ctx, "SELECT fit_id, run_id, dataset, key, model, sampler, verdict, reasons, noted, action FROM run_fit WHERE run_id = ?", nil, runID)
}

// looks reads the fits that a query names. Cost: one pass over summary and chain of
// these.
func (l *Ledger) looks(ctx context.Context, which string, choose func(Key) bool, args ...any) (out []Look, err error) {
	err = l.readTables(ctx, func(c *sql.Conn) error {
		return scanRows(ctx, c, lookQuery(which), func(rows *sql.Rows) error {
			var k Look
			if err := k.scan(rows); err != nil {
				return err
			}
			if choose == nil || choose(k.Key()) {
				out = append(out, k)
			}
			return nil
		}, args...)
	})
	return out, err
}

func (k *Look) scan(rows *sql.Rows) error {
	var reasons, warnings, gates string
	err := rows.Scan(&k.ID, &k.RunID, &k.Pipeline, &k.Dataset, &k.Group, &k.Model, &k.Sampler, &k.Replicate,
		&k.Method, &k.Family, &k.Link, &k.Formula, &k.Status, &k.Verdict, &reasons, &warnings,
		&k.Error, &gates, &k.Rows, &k.Columns, &k.Parameters, &k.Chains, &k.Warmup, &k.Draws,
		(*nullable)(&k.Seconds), (*nullable)(&k.Wall), &k.Created, &k.Divergences,
		(*nullable)(&k.RHat), &k.RHatOf, (*nullable)(&k.ESSBulk), &k.ESSBulkOf, (*nullable)(&k.ESSTail), &k.ESSTailOf, &k.Action, &k.Earlier)
	if err != nil {
		return err
	}
	for _, part := range []struct {
		from string
		to   any
	}{{reasons, &k.Reasons}, {warnings, &k.Warnings}, {gates, &k.Gates}} {
		if err := json.Unmarshal([]byte(part.from), part.to); err != nil {
			return fmt.Errorf("fit %d: %w", k.ID, err)
		}
	}
	return nil
}

// lineQuery reads the summaries of a fit with what is known of their parameters and columns.
const lineQuery = `SELECT name, kind, coalesce(prior, ''), center, scale, column_sd, coalesce(reason, ''), ` + summaryColumns + `
	FROM (SELECT * FROM summary WHERE fit_id = ?1) s
	LEFT JOIN (SELECT parameter_id AS parameter, prior, center, scale FROM parameter WHERE fit_id = ?1) p ON parameter = parameter_id
	LEFT JOIN (SELECT column_id, sd AS column_sd FROM column_summary WHERE fit_id = ?1) c
		ON column_id = parameter_id AND kind IN ('coefficient', 'intercept')
	ORDER BY parameter_id NULLS LAST, name`

// Lines returns the parameters of a fit with their summaries, in order, then
// the statistics of its draws by name. What could not be computed is NaN.
func (l *Ledger) Lines(ctx context.Context, id int64) (out []Line, err error) {
	err = l.readTables(ctx, func(c *sql.Conn) error {
		return scanRows(ctx, c, lineQuery, func(rows *sql.Rows) error {
			var line Line
			into := []any{&line.Name, &line.Kind, &line.Prior, (*nullable)(&line.Center), (*nullable)(&line.Scale), (*nullable)(&line.ColumnSD), &line.Summary.Reason}
			for _, f := range summaryFields(&line.Summary) {
				into = append(into, (*nullable)(f))
			}
			if err := rows.Scan(into...); err != nil {
				return err
			}
			out = append(out, line)
			return nil
		}, id)
	})
	return out, err
}

// Names returns the names of all fits, in their order. Cost: one pass over the table of
// fits, no summaries.
func (l *Ledger) Names(ctx context.Context) (out []Key, err error) {
	err = l.readTables(ctx, func(c *sql.Conn) error {
		return scanRows(ctx, c, "SELECT DISTINCT dataset, key, model, sampler FROM fit ORDER BY ALL", func(rows *sql.Rows) error {
			var k Key
			err := rows.Scan(&k.Dataset, &k.Group, &k.Model, &k.Sampler)
			out = append(out, k)
			return err
		})
	})
	return out, err
}
