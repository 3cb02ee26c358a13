package report

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// Fit stores a fit in one transaction, with everything that belongs to it and the note of its run. An earlier
// complete fit with the same fingerprint is replaced. It returns the number of the fit. Gates of drift are checked
// against the fit's predecessor in the ledger, and f.Verdict becomes the verdict with their reasons.
//
// On any error (of an iterator, of the engine, of ctx) nothing of the fit is
// visible and what it would have replaced is still there; a *ShapeError says
// that the parts of f contradict each other. Cost: some 50 ns of
// processor time a draw value, and a few ms. Memory does not grow with the number of draws.
func (s *Session) Fit(ctx context.Context, f *Fit) (id int64, err error) {
	if err := check(f); err != nil {
		return 0, err
	}
	err = inTransaction(ctx, s.c, func() error {
		ids, err := s.store(ctx, []*Fit{f})
		if err == nil {
			id = ids[0]
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("fit %s: %w", f.Key, err)
	}
	return id, nil
}

// Fits stores several fits, all in one transaction if all can be stored, else each as Fit does: in either case each
// is whole or absent. It returns the number and the error of each, nil if it is stored. It is for small fits, which
// it spares most of the fixed costs.
func (s *Session) Fits(ctx context.Context, fits []*Fit) (ids []int64, errs []error) {
	errs = make([]error, len(fits))
	if len(fits) > 1 {
		if ids, err := s.together(ctx, fits); err == nil {
			return ids, errs
		}
	}
	ids = make([]int64, len(fits))
	for i, f := range fits {
		ids[i], errs[i] = s.Fit(ctx, f)
	}
	return ids, errs
}

// together stores all fits or none.
func (s *Session) together(ctx context.Context, fits []*Fit) (ids []int64, err error) {
	seen := map[string]bool{}
	for _, f := range fits {
		if err := check(f); err != nil {
			return nil, err
		}
		if f.Fingerprint != "" && seen[f.Fingerprint] {
			return nil, &ShapeError{"two fits with one fingerprint"}
		}
		seen[f.Fingerprint] = true
	}
	err = inTransaction(ctx, s.c, func() (err error) {
		ids, err = s.store(ctx, fits)
		return err
	})
	return ids, err
}

// store writes fits within a transaction, and returns their numbers. Rows of
// the tables that are not draws pass through one appender a table.
func (s *Session) store(ctx context.Context, fits []*Fit) (ids []int64, err error) {
	if ids, err = s.numbers(ctx, len(fits)); err != nil {
		return nil, err
	}
	var by replacing
	for i, f := range fits {
		by.add(f.Fingerprint, ids[i], f.Status)
	}
	if err := s.remove(ctx, &by); err != nil {
		return nil, err
	}
	places, err := s.placedFits(ctx, fits)
	if err != nil {
		return nil, err
	}
	sums, err := s.insertAllDraws(ctx, ids, fits)
	if err != nil {
		return nil, err
	}
	if err := s.insertStats(ctx, ids, fits); err != nil {
		return nil, err
	}
	given, done := verdicts(fits), false
	defer func() {
		for i, f := range fits {
			if !done { // what drift added is of another try
				f.Verdict = given[i]
			}
		}
	}()
	err = s.appending(func() error {
		for i, f := range fits {
			if err := s.insertAll(ctx, ids[i], places[i], sums[i], f); err != nil {
				return err
			}
			note := &RunFit{Key: f.Key, RunID: f.RunID, Replicate: f.Replicate, Action: actionOf(f), Verdict: f.Verdict,
				At: f.Created}
			if err := s.insertRunFit(ids[i], placedRun{f.Pipeline, places[i]}, note); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = s.judgeDrift(ctx, ids, fits)
	done = err == nil
	return ids, err
}

// insertAllDraws stores the draws of those fits that have any, and returns their checksums.
func (s *Session) insertAllDraws(ctx context.Context, ids []int64, fits []*Fit) ([][]uint32, error) {
	sums := make([][]uint32, len(fits))
	var all []*incoming
	for i, f := range fits {
		if f.DrawsOf != nil {
			all = append(all, &incoming{id: ids[i], blocks: f.DrawsOf,
				drawShape: drawShape{0, len(f.Parameters), f.Chains, f.Draws}})
		}
	}
	if err := s.insertDraws(ctx, all); err != nil {
		return nil, fmt.Errorf("storing draws: %w", err)
	}
	for i, f := range fits {
		if f.DrawsOf != nil {
			sums[i], all = all[0].sums, all[1:]
		}
	}
	return sums, nil
}

// verdicts are those of fits.
func verdicts(fits []*Fit) []judge.Verdict {
	out := make([]judge.Verdict, len(fits))
	for i, f := range fits {
		out[i] = f.Verdict
	}
	return out
}

// numbers takes the next numbers of fits. Builds before this one began again at 1 when they migrated a ledger or put
// its views right: numbers that fits have are passed over.
func (s *Session) numbers(ctx context.Context, n int) (ids []int64, err error) {
	const next = "SELECT nextval('fit_number') FROM range(?)"
	err = read(ctx, s.c, &ids, next, n)
	if err != nil || n == 0 {
		return ids, err
	}
	var last int64
	err = s.c.QueryRowContext(ctx, "SELECT coalesce(max(fit_id), 0) FROM fit").Scan(&last)
	if err != nil || slices.Min(ids) > last {
		return ids, err
	}
	if err = read(ctx, s.c, &ids, next, last-slices.Max(ids)); err != nil {
		return nil, err
	}
	ids = nil
	return ids, read(ctx, s.c, &ids, next, n)
}

// insertAll stores one fit, without its draws, whose checksums are sums, and the note of its run.
func (s *Session) insertAll(ctx context.Context, id int64, place int, sums []uint32,
	f *Fit) error {
	for _, part := range []func() error{
		func() error { return storing("the fit", s.insertFit(id, place, f)) },
		func() error { return s.insertParts(id, f, sums) },
		func() error { return s.insertData(id, f) },
		func() error { return s.insertStart(id, f.Start) },
		func() error { return s.insertAssessment(ctx, id, &f.Assessment) },
		func() error { return s.insertCurves(id, f.Curves) },
		func() error { return s.insertAllocations(id, f.Allocations) },
		func() error { return s.insertIncomplete(id, f.Incomplete) },
		func() error { return s.insertPooled(id, f) },
		func() error { return s.insertDiscrete(ctx, id, f.Discrete) },
		func() error { return storing("certificates", s.insertCertificates(id, f.Certificates)) },
		func() error { return s.insertEvents(f.RunID, id, f.Events) },
	} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// actionOf is the action of a run for a fit.
func actionOf(f *Fit) Action {
	switch {
	case f.Action != "":
		return f.Action
	case f.Status == Erred:
		return Failed
	}
	return Computed
}

// check finds contradictions that need no look at the draws.
func check(f *Fit) error {
	switch {
	case f.Status != Complete && f.Status != Erred:
		return &ShapeError{fmt.Sprintf("status %q", f.Status)}
	case f.Status == Erred && f.DrawsOf != nil:
		return &ShapeError{"an erred fit with draws"}
	case f.Status == Complete && f.Fingerprint == "":
		return &ShapeError{"a complete fit without fingerprint"}
	case f.Summaries != nil && len(f.Summaries) != len(f.Parameters):
		return &ShapeError{fmt.Sprintf("%d summaries of %d parameters", len(f.Summaries), len(f.Parameters))}
	case len(f.UndrawnSummaries) != len(f.Undrawn):
		return &ShapeError{fmt.Sprintf("%d summaries of %d parameters without draws", len(f.UndrawnSummaries),
			len(f.Undrawn))}
	case f.DrawsOf != nil && (f.Chains < 1 || f.Draws < 1 || len(f.Parameters) == 0):
		return &ShapeError{fmt.Sprintf("draws of %d parameters, %d chains × %d", len(f.Parameters), f.Chains, f.Draws)}
	case f.Discrete != nil:
		return checkDiscrete(f.Discrete)
	}
	return nil
}

// replacing are fits that are stored, complete ones with their new numbers. The empty fingerprint matches no fit.
type replacing struct {
	complete, erred []string
	ids             []int64 // of complete
}

func (r *replacing) add(fingerprint string, id int64, status record.Status) {
	if status == record.Erred {
		r.erred = append(r.erred, fingerprint)
	} else {
		r.complete, r.ids = append(r.complete, fingerprint), append(r.ids, id)
	}
}

// remove deletes the fits that others replace: all with the fingerprint of a complete one, and those with the
// fingerprint of an erred one that are not complete, so that nothing that was drawn is lost to an error. The
// actions of runs for them are history and stay: a result has the same draws under its new number, an error has
// none.
func (s *Session) remove(ctx context.Context, by *replacing) error {
	const of = " WHERE fingerprint <> '' AND (fingerprint IN (SELECT unnest(?1::VARCHAR[])) OR " +
		"fingerprint IN (SELECT unnest(?2::VARCHAR[])) AND status <> 'complete')"
	complete, erred := list(by.complete), list(by.erred)
	var n int
	err := s.c.QueryRowContext(ctx, "SELECT count(*) FROM fit"+of, complete, erred).Scan(&n)
	if err != nil || n == 0 {
		return err
	}
	for _, table := range fitTables {
		_, err := s.c.ExecContext(ctx, "DELETE FROM "+table+" WHERE fit_id IN (SELECT fit_id FROM fit"+of+")", complete,
			erred)
		if err != nil {
			return err
		}
	}
	_, err = s.c.ExecContext(ctx, "UPDATE run_fit SET fit_id = CASE WHEN action IN ('computed', 'skipped') THEN r.id END "+
		"FROM (SELECT f.fit_id AS was, n.id FROM (SELECT fit_id, fingerprint FROM fit"+of+") f LEFT JOIN "+
		"(SELECT unnest(?1::VARCHAR[]) AS fingerprint, unnest(?3::BIGINT[]) AS id) n USING (fingerprint)) r "+
		"WHERE run_fit.fit_id = r.was", complete, erred, append([]int64{}, by.ids...))
	if err == nil {
		_, err = s.c.ExecContext(ctx, "DELETE FROM fit"+of, complete, erred)
	}
	return err
}

func (s *Session) insertFit(id int64, place int, f *Fit) error {
	kept := "summary"
	if f.DrawsOf != nil {
		kept = "draws"
	}
	err := insert(s, fitRow{FitID: id, Fingerprint: f.Fingerprint,
		fitName:  fitName{f.RunID, f.Pipeline, f.Dataset, f.Group, f.Model, f.Sampler},
		fitModel: fitModel{f.Method, f.Family, f.Link, f.Formula},
		fitCounts: fitCounts{f.Rows, f.Columns, len(f.Parameters), f.Chains, f.Warmup, f.Draws,
			f.Iterations, kept},
		fitOrigin:  fitOrigin{f.DataHash, f.ModelHash, f.AlgorithmVersions, f.Starts},
		fitVerdict: fitVerdict{f.Status, f.Verdict.Grade, f.Verdict.Reasons, f.Gates, f.Warnings, f.Error},
		fitTimes:   fitTimes(f.Times),
		fitPlace:   fitPlace{f.Created, f.Created, max(f.Replicate, 1), place}})
	if err == nil && f.Design != nil {
		err = insert(s, designRow{ofFit: ofFit{id}, Record: f.Design})
	}
	if err == nil && f.Description != nil {
		var text []byte
		if text, err = json.Marshal(f.Description); err == nil {
			err = insert(s, descriptionRow{ofFit: ofFit{id}, Record: text})
		}
	}
	if err == nil && f.Identity != nil {
		err = insert(s, identityRow{ofFit: ofFit{id}, Record: f.Identity})
	}
	return err
}

// insertParts stores what has one row a parameter or a diagnostic.
func (s *Session) insertParts(id int64, f *Fit, sums []uint32) error {
	if err := s.insertParameters(id, 0, f.Parameters, f.Summaries, sums); err != nil {
		return err
	}
	err := s.insertParameters(id, -len(f.Undrawn)-1, f.Undrawn, f.UndrawnSummaries, nil) // numbers below 0
	if err != nil {
		return err
	}
	err = insertEach(s, f.Statistics, func(_ int, st *judge.Statistic) summaryRow {
		return summaryRow{ofFit: ofFit{id}, Name: st.Name, Kind: statisticKind, summaryNumbers: summaryNumbers(st.Summary)}
	})
	if err != nil {
		return storing("summaries", err)
	}
	err = insertEach(s, f.Diagnostics, func(_ int, d *Diagnostic) diagnosticRow {
		return diagnosticRow{ofFit: ofFit{id}, Diagnostic: *d}
	})
	if err != nil {
		return storing("diagnostics", err)
	}
	return storing("metrics", insertEach(s, f.Metrics, func(_ int, m *Metric) metricRow {
		return metricRow{ofFit: ofFit{id}, Metric: *m}
	}))
}

// insertParameters stores parameters from the 0-based number first on, the checksums of their draws, if any, how
// derived ones are computed, and their summaries where there are any.
func (s *Session) insertParameters(id int64, first int, parameters []Parameter, summaries []diag.Summary,
	sums []uint32) error {
	err := insertEach(s, parameters, func(i int, p *Parameter) parameterRow {
		row := parameterRow{ofFit: ofFit{id}, ParameterID: first + i + 1, Name: p.Name, Kind: string(p.Kind), Prior: p.Prior,
			Center: p.Center, Scale: p.Scale, Starts: p.Starts, facts: facts{Grouping: p.Grouping, Term: p.Term,
				Beside: p.Term2, Predictor: p.Predictor, Response: p.Response}}
		if sums != nil {
			row.Checksum = &sums[i]
		}
		if p.Level != "" || p.Kind == infer.GroupEffect {
			row.Level = &p.Level // that of a group effect may be empty
		}
		return row
	})
	if err != nil {
		return storing("parameters", err)
	}
	err = insertRows(s, func(add func(derivedRow) error) error {
		for i, p := range parameters {
			if d := p.Derivation; d != nil {
				err := add(derivedRow{ofFit: ofFit{id}, ParameterID: first + i + 1, Name: p.Name, Derivation: *d})
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return storing("derived parameters", err)
	}
	return storing("summaries", insertEach(s, summaries, func(i int, of *diag.Summary) summaryRow {
		p := &parameters[i]
		return summaryRow{ofFit: ofFit{id}, ParameterID: first + i + 1, Name: p.Name, Kind: string(p.Kind),
			summaryNumbers: summaryNumbers(*of)}
	}))
}
