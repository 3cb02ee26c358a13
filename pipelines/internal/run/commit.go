package run

import (
	"context"
	"encoding/json"
	"iter"
	"math"
	"slices"
	"time"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
	"glmbatch/report/judge"
)

// commit judges a finished fit, loads it into the ledger and clears its spool.
// Where the ledger is held by another process the fit stays in the spool.
func (r *runner) commit(ctx context.Context, f *fitting, res *Result) error {
	verdict := f.judge(f.gates.Judge(), f.measured)
	f.describe(res, verdict)
	record, err := r.fitRecord(f, verdict)
	if err != nil {
		return err
	}
	gone, err := r.land(ctx, f)
	if err != nil {
		return err
	}
	defer gone()
	res.ID, err = r.ledger.store(ctx, record)
	if err != nil {
		err = r.finish(f, record, err) // pipeline commit loads it without data or spec
	}
	if ctx.Err() != nil && err != nil {
		return ctx.Err()
	}
	if err != nil {
		res.Action, res.Verdict = Uncommitted, ""
		res.Err = diskHint(err)
		res.Reasons = []string{res.Err.Error()}
		return nil
	}
	res.Action = Computed
	res.Verdict, res.Reasons = string(record.Verdict.Grade), record.Verdict.Reasons // drift is judged in the ledger
	if err := f.spool.Remove(); err != nil {                                        // the next run's Sweep removes it
		res.Warnings = append(res.Warnings, "the spool is left: "+diskHint(err).Error())
	}
	return nil
}

// land waits for room among the fits that wait for their commit, and leaves a
// small fit's place in the air to another; a larger one keeps it, so that what
// waits takes little memory. The fit calls gone when it waits no more.
func (r *runner) land(ctx context.Context, f *fitting) (gone func(), err error) {
	if f.unit.bytes() > smallUnit {
		f.descend()
		return func() {}, nil
	}
	files := f.files() // none any more, once the spool is removed
	if err := r.ground.Acquire(ctx, files); err != nil {
		return nil, err
	}
	f.leave()
	return func() { r.ground.Release(files) }, nil
}

// files is the number of files that the fit's spool holds open, at most what may
// wait.
func (f *fitting) files() int64 { return min(groundFiles, int64(len(f.spool.Chains))+1) }

// describe fills a result from a judged fit.
func (f *fitting) describe(res *Result, v judge.Verdict) {
	res.Verdict, res.Reasons, res.Warnings = string(v.Grade), v.Reasons, f.warnings(f.measured)
	res.Chains, res.Warmup, res.Draws = len(f.spool.Chains), f.window.from, f.window.draws()
	t := f.times()
	res.Seconds = t.Setup + t.Warmup + t.Sampling
	res.Times = Times{t.Setup, t.Warmup, t.Sampling, t.Wall}
	res.RHatMax, res.ESSBulkMin = report.Number(f.measured.worstRHat()), report.Number(f.measured.ess("min", f.params))
	res.Divergences = f.measured.divergences
	if f.ungated() {
		none := report.Number(math.NaN())
		res.RHatMax, res.ESSBulkMin, res.Warnings = none, none, f.discreteWarnings()
	}
	for i, p := range f.params {
		res.Parameters = append(res.Parameters, ParameterSummary{p.Name, f.measured.params[i]})
	}
	for i, q := range f.quantities {
		res.Parameters = append(res.Parameters, ParameterSummary{q.Name, f.measured.derived[i]})
	}
}

// fitRecord is all that the ledger stores of a fit.
func (r *runner) fitRecord(f *fitting, v judge.Verdict) (*report.Fit, error) {
	if f.field != nil {
		return r.discreteRecord(f, v), nil
	}
	design, err := json.Marshal(f.design.Record)
	if err != nil {
		return nil, err
	}
	rec := &report.Fit{
		Key: f.key(), Replicate: f.replicate, Fingerprint: f.fingerprint, RunID: r.id, Pipeline: r.Pipeline.Name,
		Method: f.method.name, Family: f.model.Family.Name, Link: f.model.Family.Link, Formula: f.model.Formula,
		Rows: int64(f.design.Rows), Columns: f.design.Data.Cols(),
		Chains: len(f.spool.Chains), Warmup: f.window.from, Draws: f.window.draws(), Iterations: f.window.to,
		DataHash: f.design.dataHash, ModelHash: f.modelHash(), AlgorithmVersions: f.versions(),
		Status: report.Complete, Verdict: v, Gates: f.gates.Judge(), Warnings: f.warnings(f.measured),
		Times: f.times(), Created: r.Now(), Place: r.place,
		Parameters: append(f.parameters(), f.measured.deriving.parameters()...), Summaries: slices.Concat(f.measured.params, f.measured.derived),
		Statistics:  f.measured.statistics(),
		Diagnostics: f.diagnostics(), Metrics: f.metrics, Design: design, Identity: r.identity(f).record(), StatsOf: statistics(f.spool, f.window), Events: f.events(r.Now()),
		Assessment: f.assessment, Data: f.dataSummary(), Start: f.start, Certificates: f.certified(),
	}
	if r.keep(f.job) != "summary" {
		rec.DrawsOf = inTurn(f.draws.columns(len(f.params), f.window, columnBytes), f.measured.deriving.blocks())
	}
	for _, c := range f.spool.Chains {
		rec.Starts = append(rec.Starts, c.StartNote)
	}
	return rec, nil
}

func (j *job) key() report.Key {
	return report.Key{Dataset: j.unit.dataset.Name, Group: j.unit.key, Model: j.model.Name, Sampler: j.sampler.Name}
}

// modelHash is equal for the fits of one posterior: the model and its data,
// whatever samples them.
func (f *fitting) modelHash() string {
	id := identity{Data: f.design.dataHash, Model: identifyModel(f.model)}
	if f.method.name == priorMethod { // not the posterior that other samplers have
		id.Sampler = priorMethod
	}
	return id.fingerprint()
}

// parameters describes the columns of the draws.
func (f *fitting) parameters() []report.Parameter {
	record := f.design.Record
	given := f.posterior()
	scales := scalePriors(&given)
	dispersions := f.model.Family.Dispersions()
	out := make([]report.Parameter, len(f.params))
	for i, p := range f.params {
		out[i] = report.Parameter{Name: p.Name, Kind: p.Kind, Scale: 1}
		for k, d := range dispersions {
			if d.Name == p.Name {
				out[i].Prior = given.DispersionPrior(k).String()
			}
		}
		if i < len(record.Columns) {
			out[i].Center, out[i].Scale = record.Columns[i].Centre, record.Columns[i].Scale
			out[i].Prior = given.Coefficients[i].String()
		}
		if p.Kind == infer.Scale || p.Kind == infer.LocalScale {
			out[i].Prior, scales = scales[0], scales[1:]
		}
		for _, c := range f.spool.Chains {
			out[i].Starts = append(out[i].Starts, c.Start[i])
		}
	}
	return out
}

// events are what is worth knowing about how the fit came about.
func (f *fitting) events(at time.Time) []report.Event {
	var out []report.Event
	add := func(message string) {
		if message != "" {
			out = append(out, report.Event{At: at, Level: "info", Message: message})
		}
	}
	add(f.method.reason)
	add(f.explained)
	if f.ungated() {
		add("no gates: " + f.method.discrete.why)
	}
	if f.start != nil {
		add("start: " + f.start.Note)
	}
	for _, n := range f.design.Notes {
		add(n)
	}
	if f.unit.table != nil {
		for _, n := range f.unit.table.Warnings {
			add(n)
		}
	}
	return out
}

// statistics yields the chains' statistics, warm-up included, by blocks.
func statistics(fit *spool.Fit, w window) iter.Seq2[*infer.Iterations, error] {
	return func(yield func(*infer.Iterations, error) bool) {
		for c, chain := range fit.Chains {
			for from := 0; from < w.to; from += blockDraws {
				infos, err := chain.Infos(from, min(from+blockDraws, w.to))
				stats := &infer.Iterations{Chain: c, First: from - w.from + 1, Infos: infos}
				if !yield(stats, err) || err != nil {
					return
				}
			}
		}
	}
}

// skip lets a complete fit's stored verdict count, judged again where the
// gates or the derived quantities have changed since.
func (r *runner) skip(ctx context.Context, f *fitting, stored report.Stored, res *Result) error {
	res.Action, res.Verdict, res.Reasons = Skipped, string(stored.Verdict.Grade), stored.Verdict.Reasons
	res.ID, res.Chains, res.Draws = stored.ID, stored.Chains, stored.Draws
	if !slices.Equal(expressions(f.model), stored.Derived) {
		derived, err := r.rederive(ctx, f, stored)
		if err != nil {
			return err
		}
		err = r.ledger.do(ctx, func(ctx context.Context, s *report.Session) error { return s.Derive(ctx, derived) })
		if err != nil {
			res.Action, res.Err, res.Reasons = Uncommitted, err, []string{err.Error()}
			return ctx.Err()
		}
		res.Verdict, res.Reasons = string(derived.Verdict.Grade), derived.Verdict.Reasons
		stored.Gates, stored.Parameters = &derived.Gates, derived.First+len(derived.Parameters)
	}
	judged, err := r.assessStored(ctx, f, stored, res)
	if err != nil {
		return err
	}
	verdict := judge.Verdict{Grade: judge.Grade(res.Verdict), Reasons: res.Reasons}
	if g := f.gates.Judge(); g != *stored.Gates && !judged && !f.ungated() {
		evidence, err := r.storedEvidence(ctx, f)
		if err != nil {
			return err
		}
		verdict = judge.Judge(g, evidence)
		r.ledger.later(func(ctx context.Context, s *report.Session) error {
			return s.Rejudge(ctx, f.fingerprint, g, verdict, r.Now())
		})
		res.Verdict, res.Reasons = string(verdict.Grade), verdict.Reasons
	}
	if err := r.recall(ctx, f, res); err != nil {
		return err
	}
	if err := r.Disk.Sweep(spool.Root(r.Database), f.fingerprint); err != nil {
		res.Warnings = append(res.Warnings, "the spool of an earlier run is left: "+diskHint(err).Error())
	}
	note := &report.RunFit{Key: f.key(), RunID: r.id, Fingerprint: f.fingerprint, Action: report.Skipped, Verdict: verdict, At: r.Now()}
	r.ledger.note(note)
	return nil
}

// fewFits is the number of fits up to which a run shows what it skips.
const fewFits = 4

// recall fetches the stored summaries of a skipped fit, where a person will
// read them.
func (r *runner) recall(ctx context.Context, f *fitting, res *Result) error {
	if len(r.Pipeline.Fits()) > fewFits || res.Columns > 100 || r.recalled.Add(1) > fewFits {
		return nil
	}
	stored, _, err := r.ledger.file.Summaries(ctx, f.fingerprint)
	for _, p := range stored {
		res.Parameters = append(res.Parameters, ParameterSummary{p.Name, p.Summary})
	}
	return err
}

// erred notes a fit that could not be computed.
func (r *runner) erred(f *fitting, res *Result) {
	fit := &report.Fit{
		Key: f.key(), Replicate: f.replicate, Fingerprint: f.fingerprint, RunID: r.id, Pipeline: r.Pipeline.Name, Method: f.method.name,
		Family: f.model.Family.Name, Link: f.model.Family.Link, Formula: f.model.Formula,
		Chains: r.Pipeline.Run.Chains, Status: report.Erred, Error: res.Err.Error(),
		Verdict: judge.Verdict{Grade: judge.ErrorGrade, Reasons: res.Reasons}, Gates: f.gates.Judge(), Created: r.Now(), Place: r.place,
	}
	r.ledger.later(func(ctx context.Context, s *report.Session) error {
		_, err := s.Fit(ctx, fit)
		return err
	})
}
