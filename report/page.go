package report

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"glmbatch/internal/words"
	"glmbatch/report/html"
	"glmbatch/report/judge"
)

// PageOptions chooses what a page shows. The zero value is the newest run.
type PageOptions struct {
	Run    string         // name of a run; empty: the newest one with fits
	Latest bool           // the newest fit of each name of all runs, instead of a run's
	Fits   []int64        // numbers of fits, instead of a run's
	Choose func(Key) bool // narrows the fits; nil: all
	// Parameters are globs of those whose draws are shown, instead of the ones
	// that mixed worst.
	Parameters []string
	Pipeline   string // of the newest run; empty: any
}

// What a page holds at most.
const (
	pageSeries    = 12  // quantities of a fit with plots of their draws
	pageAllSeries = 600 // of all fits together, two each at least
	pageNights    = 14  // of drift, and earlier runs
)

// NoFitsError says that nothing in the ledger is what a page was asked for.
type NoFitsError struct{ What string }

func (e *NoFitsError) Error() string {
	return "the ledger has no " + e.What + words.HintLine("`pipeline sql \"SELECT run_id, pipeline, started FROM run\"` lists its runs")
}

// Page reads what a page shows. It reads the draws of the shown quantities alone,
// some milliseconds each. Every part is a function of the ledger, in a fixed order.
//
// It returns a *MissingError without a ledger, and a *NoFitsError where the choice
// names nothing.
func (l *Ledger) Page(ctx context.Context, o PageOptions) (*html.Page, error) {
	p := &html.Page{Ledger: filepath.Base(l.path), Runs: []html.Run{}, Fits: []html.Fit{}, Pairs: []html.Pair{}, LOO: []html.Ranked{}, Drift: []html.Drift{}, Notes: []string{}}
	err := l.readTables(ctx, func(c *sql.Conn) error {
		r := &pageReader{ctx: ctx, c: c, o: o, page: p}
		return r.all()
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// A pageReader fills a page from an open ledger.
type pageReader struct {
	ctx  context.Context
	c    *sql.Conn
	o    PageOptions
	page *html.Page

	reducer reducer
	numbers []int64 // of the parameters, in the order of the coefficients of the fit at hand
}

func (r *pageReader) all() error {
	if err := r.run(); err != nil {
		return err
	}
	for _, part := range []func() error{r.fits, r.details, r.pairs, r.ranked, r.drift, r.made} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// run finds the run that is shown, and its like before it.
func (r *pageReader) run() error {
	p := r.page
	p.Title = "Fits of the ledger"
	switch {
	case len(r.o.Fits) > 0:
		p.Scope = "chosen fits"
		return nil
	case r.o.Latest:
		p.Scope = "the newest fit of each name"
		return nil
	}
	var id, pipeline string
	err := r.c.QueryRowContext(r.ctx, `SELECT run_id, pipeline FROM run WHERE CASE WHEN ?1 <> '' THEN run_id = ?1
		ELSE (?2 = '' OR pipeline = ?2) AND run_id IN (SELECT run_id FROM run_fit) END ORDER BY place DESC, started DESC, run_id DESC LIMIT 1`, r.o.Run, r.o.Pipeline).Scan(&id, &pipeline)
	if errors.Is(err, sql.ErrNoRows) {
		what := "run with fits"
		switch {
		case r.o.Run != "":
			what = fmt.Sprintf("run %q", r.o.Run)
		case r.o.Pipeline != "":
			what += fmt.Sprintf(" of the pipeline %q", r.o.Pipeline)
		}
		return &NoFitsError{what}
	}
	if err != nil {
		return err
	}
	r.o.Run, p.Title, p.Scope = id, pipeline, "one run"
	return r.runs(pipeline)
}

// runs reads the runs of a pipeline up to the shown one.
func (r *pageReader) runs(pipeline string) error {
	return scanRows(r.ctx, r.c, `SELECT r.run_id, r.pipeline, r.started, epoch(r.finished - r.started), r.exit_code, coalesce(r.seed::VARCHAR, ''), coalesce(r.program, ''),
			(SELECT to_json(list(verdict ORDER BY rowid))::VARCHAR FROM run_fit f WHERE f.run_id = r.run_id)
		FROM (SELECT *, row_number() OVER (ORDER BY place DESC, started DESC, run_id DESC) AS nth FROM run WHERE pipeline = ?1) r
		QUALIFY nth >= max(nth) FILTER (run_id = ?2) OVER () ORDER BY nth LIMIT ?3`, func(rows *sql.Rows) error {
		var run html.Run
		var verdicts sql.NullString
		if err := rows.Scan(&run.ID, &run.Pipeline, &run.Started, (*nullable)(&run.Seconds), &run.ExitCode, &run.Seed, &run.Program, &verdicts); err != nil {
			return err
		}
		run.Counts = map[string]int{}
		if verdicts.Valid {
			var list []string
			if err := json.Unmarshal([]byte(verdicts.String), &list); err != nil {
				return err
			}
			for _, v := range list {
				run.Counts[v]++
			}
		}
		if len(r.page.Runs) == 0 {
			shown := run
			r.page.Run = &shown
		}
		r.page.Runs = append(r.page.Runs, run)
		return nil
	}, pipeline, r.o.Run, pageNights)
}

// pageFit names the columns of a fit in the order of scanFit; what follows run_fit
// may be NULL, where nothing was stored.
const pageFit = `coalesce(f.fit_id, 0), dataset, key, model, sampler, coalesce(f.method, ''), coalesce(f.family, ''), coalesce(f.link, ''), coalesce(f.formula, ''),
	coalesce(f.n_rows, 0), coalesce(f.n_columns, 0), coalesce(f.n_parameters, 0), coalesce(f.chains, 0), coalesce(f.warmup, 0), coalesce(f.draws, 0),
	f.setup_seconds, f.warmup_seconds, f.sampling_seconds, f.created,
	(SELECT max(value) FROM diagnostic d WHERE d.fit_id = f.fit_id AND d.name = 'rhat_max'),
	(SELECT max(value) FROM diagnostic d WHERE d.fit_id = f.fit_id AND d.name = 'ess_bulk_min'),
	(SELECT coalesce(max(value), 0)::BIGINT FROM diagnostic d WHERE d.fit_id = f.fit_id AND d.name = 'divergences')`

// fits reads the rows of the overview.
func (r *pageReader) fits() error {
	query, args := `SELECT f.verdict, to_json(f.reasons)::VARCHAR, 'stored', `+pageFit+` FROM fit f WHERE `, []any{}
	switch {
	case len(r.o.Fits) > 0:
		query, args = query+`fit_id IN (SELECT unnest(?::BIGINT[]))`, append(args, r.o.Fits)
	case r.o.Latest:
		query += `replicate = 1 QUALIFY row_number() OVER (PARTITION BY dataset, key, model, sampler ORDER BY place DESC, created DESC, fit_id DESC) = 1`
	default:
		// a run has a note for each replicate, of which the first is shown
		query = `SELECT n.verdict, to_json(n.reasons)::VARCHAR, n.action, ` + pageFit + ` FROM run_fit n
			LEFT JOIN (SELECT * EXCLUDE (dataset, key, model, sampler) FROM fit) f ON f.fit_id = n.fit_id WHERE n.run_id = ? AND coalesce(f.replicate, 1) = 1`
		args = append(args, r.o.Run)
	}
	err := scanRows(r.ctx, r.c, query, r.scanFit, args...)
	if err != nil {
		return err
	}
	if len(r.page.Fits) == 0 && (len(r.o.Fits) > 0 || r.o.Choose != nil) {
		return &NoFitsError{"fits under this choice"}
	}
	order := []string{string(judge.ErrorGrade), string(judge.Fail), "", string(judge.Warn), string(judge.Pass)}
	slices.SortFunc(r.page.Fits, func(a, b html.Fit) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Verdict), slices.Index(order, b.Verdict)), cmp.Compare(a.Dataset, b.Dataset),
			cmp.Compare(a.Key, b.Key), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Sampler, b.Sampler), cmp.Compare(a.ID, b.ID))
	})
	return nil
}

func (r *pageReader) scanFit(rows *sql.Rows) error {
	var f html.Fit
	var reasons sql.NullString
	var created sql.NullTime
	err := rows.Scan(&f.Verdict, &reasons, &f.Action, &f.ID, &f.Dataset, &f.Key, &f.Model, &f.Sampler, &f.Method, &f.Family, &f.Link, &f.Formula,
		&f.Rows, &f.Columns, &f.Parameters, &f.Chains, &f.Warmup, &f.Draws, (*nullable)(&f.Setup), (*nullable)(&f.WarmupTime), (*nullable)(&f.Sampling), &created,
		(*nullable)(&f.RHatMax), (*nullable)(&f.ESSMin), &f.Divergences)
	if err != nil || r.o.Choose != nil && !r.o.Choose(Key{Dataset: f.Dataset, Group: f.Key, Model: f.Model, Sampler: f.Sampler}) {
		return err
	}
	f.Seconds, f.Created = f.Setup+f.WarmupTime+f.Sampling, created.Time
	if f.Draws == 0 {
		f.Seconds = html.Number(math.NaN()) // nothing was drawn
	}
	if reasons.Valid {
		if err := json.Unmarshal([]byte(reasons.String), &f.Reasons); err != nil {
			return err
		}
	}
	if f.Reasons == nil {
		f.Reasons = []string{}
	}
	f.Advice = judge.Advice(f.Reasons)
	r.page.Fits = append(r.page.Fits, f)
	return nil
}

// made is the time of the newest fact.
func (r *pageReader) made() error {
	at := time.Time{}
	later := func(t time.Time) {
		if t.After(at) {
			at = t
		}
	}
	if run := r.page.Run; run != nil {
		later(run.Started)
		err := scanRows(r.ctx, r.c, "SELECT finished FROM run WHERE run_id = ? AND finished IS NOT NULL", func(rows *sql.Rows) error {
			var t time.Time
			err := rows.Scan(&t)
			later(t)
			return err
		}, run.ID)
		if err != nil {
			return err
		}
	}
	for i := range r.page.Fits {
		later(r.page.Fits[i].Created)
	}
	r.page.Made = at
	return nil
}
