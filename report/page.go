package report

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"glmbatch/internal/outfile"
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
	Pipeline   string // of the newest run, or of the newest fits; empty: any
}

// Limits of a page.
const (
	pageSeries    = 12  // quantities of a fit with plots of their draws
	pageAllSeries = 600 // of all fits together, two each at least; half as many if there are more than pageAll fits
	pageNights    = 14  // of drift, and earlier runs
)

// NoFitsError says that nothing in the ledger is what a page was asked for.
type NoFitsError struct{ What string }

func (e *NoFitsError) Error() string {
	return "the ledger has no " + e.What + words.HintLine("pipeline runs lists its runs, pipeline show '*' its fits")
}

// Page reads what a page shows. It reads the draws of the shown quantities alone,
// some milliseconds each. Every part is a function of the ledger, in a fixed order.
//
// It returns a *MissingError without a ledger, and a *NoFitsError where the choice
// names nothing.
func (l *Ledger) Page(ctx context.Context, o PageOptions) (*html.Page, error) {
	p := &html.Page{Ledger: filepath.Base(l.path), Runs: []html.Run{}, Fits: []html.Fit{}, Pairs: []html.Pair{},
		LOO: []html.Ranked{}, Said: []html.Said{}, Results: []html.Result{}, Drift: []html.Drift{}, Notes: []string{}}
	err := l.readTables(ctx, func(c *sql.Conn) error {
		r := &pageReader{ctx: ctx, c: c, ledger: l.path, o: o, page: p}
		return r.all()
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// A pageReader fills a page from an open ledger.
type pageReader struct {
	ctx    context.Context
	c      *sql.Conn
	ledger string // its path
	o      PageOptions
	page   *html.Page

	reducer reducer
	shares  map[termKey]html.Interval // intraclass correlations
	numbers []int64                   // of the parameters, in the order of the coefficients of the fit at hand
}

// ids are the numbers of the shown fits.
func (r *pageReader) ids() (out []int64) {
	for i := range r.page.Fits {
		out = append(out, r.page.Fits[i].ID)
	}
	return out
}

func (r *pageReader) all() error {
	if err := r.run(); err != nil {
		return err
	}
	for _, part := range []func() error{r.fits, r.said, r.details, r.results, r.pairs, r.ranked, r.drift, r.shorten,
		r.courses, r.made} {
		if err := part(); err != nil {
			return err
		}
	}
	r.hidePipelines()
	return nil
}

// hidePipelines leaves out the pipeline of every row if all are of one.
func (r *pageReader) hidePipelines() {
	p := r.page
	if slices.ContainsFunc(p.Fits, func(f html.Fit) bool { return f.Pipeline != p.Fits[0].Pipeline }) {
		return
	}
	for i := range p.Fits {
		p.Fits[i].Pipeline = ""
	}
	for i := range p.Pairs {
		p.Pairs[i].Pipeline = ""
	}
	for i := range p.LOO {
		p.LOO[i].Pipeline = ""
	}
	for i := range p.Drift {
		p.Drift[i].Pipeline = ""
	}
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
		ELSE (?2 = '' OR pipeline = ?2) AND run_id IN (SELECT run_id FROM run_fit) END ORDER BY place DESC, started DESC,
		run_id DESC LIMIT 1`, r.o.Run, r.o.Pipeline).Scan(&id, &pipeline)
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
	var all []struct {
		html.Run
		Verdicts []string
	}
	err := read(r.ctx, r.c, &all, `SELECT r.run_id AS id, r.pipeline, r.started, epoch(r.finished - r.started) AS seconds,
		r.exit_code, r.seed::VARCHAR AS seed, r.program,
			(SELECT list(verdict ORDER BY rowid) FROM run_fit f WHERE f.run_id = r.run_id) AS verdicts
		FROM (SELECT *, row_number() OVER (ORDER BY place DESC, started DESC, run_id DESC) AS nth FROM run
		WHERE pipeline = ?1) r
		QUALIFY nth >= max(nth) FILTER (run_id = ?2) OVER () ORDER BY nth LIMIT ?3`, pipeline, r.o.Run, pageNights)
	for _, run := range all {
		run.Counts = map[string]int{}
		for _, v := range run.Verdicts {
			run.Counts[v]++
		}
		if len(r.page.Runs) == 0 {
			shown := run.Run
			r.page.Run = &shown
		}
		r.page.Runs = append(r.page.Runs, run.Run)
	}
	return err
}

// fits reads the rows of the overview.
func (r *pageReader) fits() error {
	which, args := newestFits, []any{r.o.Pipeline}
	switch {
	case len(r.o.Fits) > 0:
		which, args = numberedFits, []any{r.o.Fits}
	case !r.o.Latest:
		// a run has a note for each replicate, of which the first is shown
		which, args = "SELECT * FROM run_fit WHERE run_id = ? AND replicate = 1", []any{r.o.Run}
	}
	var ids, found []int64
	var fits []Stored
	standing, err := standings(r.ctx, r.c)
	if err != nil {
		return err
	}
	err = readFits(r.ctx, r.c, which, byName, func(f *Stored, action string) {
		if found = append(found, f.ID); r.o.Choose == nil || r.o.Choose(f.Key) {
			row, stands := pageFit(f, cmp.Or(action, "stored")), standing[name{f.Pipeline, f.Key}]
			if why := stands.Words(f.ID); why != "" && (f.Status == Erred || stands.Stale(f.ID)) {
				row.Reasons, row.Stale = slices.Insert(slices.Clone(f.Reasons), 0, why), stands.Stale(f.ID)
			}
			r.page.Fits, ids, fits = append(r.page.Fits, row), append(ids, f.ID), append(fits, *f)
		}
	}, args...)
	if err == nil {
		err = counted(r.ctx, r.c, r.ledger, true, fits)
	}
	if err == nil {
		err = r.advise(ids)
	}
	if err == nil {
		err = r.diagnostics(ids)
	}
	if err != nil {
		return err
	}
	for _, id := range r.o.Fits {
		if !slices.Contains(found, id) {
			return &NoFitsError{fmt.Sprintf("fit %d", id)}
		}
	}
	if len(r.page.Fits) == 0 && (len(r.o.Fits) > 0 || r.o.Choose != nil) {
		return &NoFitsError{"fits under this choice"}
	}
	rank := func(f *html.Fit) int {
		if f.Stale {
			return 0
		}
		return slices.Index(verdictOrder, f.Verdict)
	}
	slices.SortFunc(r.page.Fits, func(a, b html.Fit) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)),
			cmp.Compare(a.Dataset, b.Dataset),
			cmp.Compare(a.Key, b.Key), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Sampler, b.Sampler),
			cmp.Compare(a.Pipeline, b.Pipeline), cmp.Compare(a.ID, b.ID))
	})
	return nil
}

// verdictOrder is the order in which a page shows fits; those that a newer attempt failed to replace are among
// the first.
var verdictOrder = []string{string(judge.ErrorGrade), string(judge.Fail), "", string(judge.Warn), string(judge.Pass)}

// pageFit is the page's row of a fit. The page has a type of its own: its form is
// that of the page's script, and what it shows of a fit besides hangs on it.
func pageFit(f *Stored, action string) html.Fit {
	none := html.Number(math.NaN())
	out := html.Fit{
		ID: f.ID, Pipeline: f.Pipeline, Dataset: f.Dataset, Key: f.Group, Model: f.Model, Sampler: f.Sampler, Action: action,
		Verdict: string(f.Grade), Reasons: f.Reasons, Why: []string{},
		Method: f.Method, Family: f.Family, Link: f.Link, Formula: f.Formula,
		Rows: f.Rows, Columns: f.Columns, Parameters: f.Parameters, Chains: f.Chains, Warmup: f.Warmup, Draws: f.Draws,
		RHatMax: none, ESSMin: none, Seconds: html.Number(f.Seconds),
		Setup: html.Number(f.SetupSeconds), WarmupTime: html.Number(f.WarmupSeconds),
		Sampling: html.Number(f.SamplingSeconds),
	}
	if f.ID != 0 {
		out.Created = f.Created
	}
	if f.Draws == 0 {
		out.Seconds = none // nothing was drawn
	}
	return out
}

// advise says of each fit what to do about its verdict.
func (r *pageReader) advise(ids []int64) error {
	auto := map[int64]bool{}
	err := readMap(r.ctx, r.c, auto, "SELECT fit_id, true FROM identity WHERE record->>'$.sampler.Options.Basis' = "+
		"'auto' AND fit_id IN (SELECT unnest(?::BIGINT[]))", ids)
	for i := range r.page.Fits {
		f := &r.page.Fits[i]
		f.Advice = judge.Advice(f.Reasons, auto[f.ID])
	}
	return err
}

// diagnostics reads what was noted of whole fits when they were judged.
func (r *pageReader) diagnostics(ids []int64) error {
	at := map[int64]int{}
	for i := range r.page.Fits {
		at[r.page.Fits[i].ID] = i
	}
	var all []struct {
		FitID       int64       `db:"fit_id"`
		RHat        html.Number `db:"rhat"`
		ESS         html.Number
		Divergences int
	}
	err := read(r.ctx, r.c, &all, `SELECT fit_id, max(value) FILTER (name = 'rhat_max') AS rhat,
		max(value) FILTER (name = 'ess_bulk_min') AS ess, (max(value) FILTER (name = 'divergences'))::BIGINT AS divergences
		FROM diagnostic WHERE fit_id IN (SELECT unnest(?::BIGINT[])) GROUP BY fit_id`, ids)
	for _, d := range all {
		f := &r.page.Fits[at[d.FitID]]
		f.RHatMax, f.ESSMin, f.Divergences = d.RHat, d.ESS, d.Divergences
	}
	return err
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
		var ends []time.Time
		err := read(r.ctx, r.c, &ends, "SELECT finished FROM run WHERE run_id = ? AND finished IS NOT NULL", run.ID)
		if err != nil {
			return err
		}
		for _, t := range ends {
			later(t)
		}
	}
	for i := range r.page.Fits {
		later(r.page.Fits[i].Created)
	}
	r.page.Made = at
	return nil
}

// WritePage writes the page that o chooses to w. Its errors are those of Page and of w.
func (l *Ledger) WritePage(ctx context.Context, w io.Writer, o PageOptions) error {
	p, err := l.Page(ctx, o)
	if err != nil {
		return err
	}
	return html.Write(w, p)
}

// SavePage puts the page that o chooses at the path to, replacing a file there, so that a reader finds the old page
// or the new one, whole. Its errors are those of Page, or a *PutError.
func (l *Ledger) SavePage(ctx context.Context, to string, o PageOptions) error {
	p, err := l.Page(ctx, o)
	if err != nil {
		return err
	}
	if leads, _, err := outfile.Target(to); err == nil && leads == l.path {
		return &PutError{"report", to, words.Hint(errors.New("it is the ledger itself"), "name another file")}
	}
	err = outfile.Write(to, 0o644, func(f *os.File) error { return html.Write(f, p) })
	if err != nil {
		return &PutError{"report", to, words.Hint(err, putHint("report", err))}
	}
	return nil
}
