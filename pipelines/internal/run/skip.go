package run

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// skip lets a complete fit's stored verdict count, judged again where the
// gates or the derived quantities have changed since.
func (a *attempt) skip(ctx context.Context, id *plan.Identified, stored report.Stored) error {
	res := a.res
	res.Action, res.Verdict, res.Reasons = outcome.Skipped, string(stored.Verdict.Grade), stored.Verdict.Reasons
	res.ID, res.Chains, res.Draws = stored.ID, stored.Chains, stored.Draws
	if !slices.Equal(assess.Expressions(id.Model), stored.Derived) {
		derived, err := a.rederive(ctx, id, stored)
		if err != nil {
			return err
		}
		err = a.ledger.do(ctx, func(ctx context.Context, s *report.Session) error { return s.Derive(ctx, derived) })
		if err != nil {
			res.Action, res.Err, res.Reasons = outcome.Uncommitted, err, []string{err.Error()}
			return ctx.Err()
		}
		res.Verdict, res.Reasons = string(derived.Verdict.Grade), derived.Verdict.Reasons
		stored.Gates, stored.Parameters = &derived.Gates, derived.First+len(derived.Parameters)
	}
	judged, err := a.assessStored(ctx, id, stored)
	if err != nil {
		return err
	}
	if id.Gates != *stored.Gates && !judged && id.Gating().Off == "" {
		if err := a.rejudge(ctx, id); err != nil {
			return err
		}
	}
	a.age(id, stored)
	verdict := judge.Verdict{Grade: judge.Grade(res.Verdict), Reasons: res.Reasons}
	if err := a.Disk.Sweep(a.world.Root, id.Fingerprint); err != nil {
		res.Warnings = append(res.Warnings, "the spool of an earlier run is left: "+spool.Hint(err).Error())
	}
	if stored.RunID == a.id { // by an attempt at this share of the night that did not come to its end, and has noted it
		res.Action = outcome.Computed
		return nil
	}
	a.ledger.note(&report.RunFit{Key: id.Key(), RunID: a.id, Fingerprint: id.Fingerprint, Replicate: id.Replicate,
		Action: record.Skipped, Verdict: verdict, At: a.Now()})
	return nil
}

// age fails a fit that is older than it may be. The verdict is this run's alone: that of the fit is of its draws.
func (a *attempt) age(id *plan.Identified, stored report.Stored) {
	age := a.Now().Sub(stored.Created)
	if id.Age == 0 || age <= id.Age {
		return
	}
	a.res.Verdict = string(judge.Fail)
	why := fmt.Sprintf("gates.age is %s, and the draws are of %s, %s ago: the data have not changed since", hours(id.Age),
		stored.Created.UTC().Format("2006-01-02 15:04 UTC"), hours(age))
	a.res.Reasons = slices.Concat([]string{why}, a.res.Reasons)
}

// hours spells a span, one of a minute or more to the minute: 36h, 50h12m.
func hours(d time.Duration) string {
	if d < time.Minute {
		return d.String()
	}
	return strings.Replace(strings.TrimSuffix(d.Round(time.Minute).String(), "0s"), "h0m", "h", 1)
}

// rejudge recomputes the verdict of a stored fit, by changed gates.
func (a *attempt) rejudge(ctx context.Context, id *plan.Identified) error {
	evidence, err := a.storedEvidence(ctx, id)
	if err != nil {
		return err
	}
	verdict := judge.Judge(id.Gates, evidence)
	a.ledger.later(func(ctx context.Context, s *report.Session) error {
		return s.Rejudge(ctx, id.Fingerprint, id.Gates, verdict, a.Now())
	})
	a.res.Verdict, a.res.Reasons = string(verdict.Grade), verdict.Reasons
	return nil
}

// storedEvidence is the evidence for the verdict of a stored fit.
func (a *attempt) storedEvidence(ctx context.Context, id *plan.Identified) (judge.Evidence, error) {
	e, err := a.ledger.file.Evidence(ctx, id.Fingerprint)
	assess.Gate(id.Gating(), &e)
	return e, err
}

// fewFits is the number of fits up to which a run shows what it skips.
const fewFits = 4

// recall fetches the stored summaries of skipped fits, where a person will read them.
func (r *runner) recall(ctx context.Context, results []*outcome.Result) {
	if len(results) > fewFits || !slices.ContainsFunc(results, recalled) {
		return
	}
	file := r.ledger.file
	_ = file.Reading(ctx, func() error { // its errors are those of the reads in it, or of closing
		for _, res := range results {
			if !recalled(res) {
				continue
			}
			stored, _, err := file.Summaries(ctx, res.Fingerprint)
			if err != nil && ctx.Err() == nil {
				res.Warnings = append(res.Warnings, "the stored summaries cannot be shown: "+err.Error())
			}
			res.Summarize(stored)
		}
		return nil
	})
}

// recalled reports whether the stored summaries of a fit are shown.
func recalled(res *outcome.Result) bool { return res.Action == outcome.Skipped && res.Columns <= 100 }

// assessStored computes what the run asks for and a complete fit does not have, as far as it can without drawing it
// again, and reports whether there was such a thing.
func (a *attempt) assessStored(ctx context.Context, id *plan.Identified,
	stored report.Stored) (judged bool, err error) {
	rowwise := id.Capabilities().Rows
	if rowwise == nil || id.Replicate > 1 { // the draws of replicates are not kept, and the fit itself has it
		return false, nil
	}
	lacks, err := a.lacks(ctx, id.Fit, rowwise, stored)
	if err != nil || !lacks.Any() {
		return false, err
	}
	if lacks.OfDraws() && (!stored.Kept || !rowwise.Observed().Drawn) {
		defer func() {
			a.res.Reasons = append(a.res.Reasons,
				"leave-one-out or predictive checks were not computed: the stored fit kept no draws, or none of group-level "+
					"effects or missing cells (--force draws it again)")
		}()
		lacks = assess.Parts{KFold: lacks.KFold}
	}
	if !lacks.Any() {
		return false, nil
	}
	return true, a.assess(ctx, id, rowwise, lacks, stored)
}

// assess computes parts of an assessment of a complete fit, and stores them with a new verdict.
func (a *attempt) assess(ctx context.Context, id *plan.Identified, rowwise plan.Rowwise, lacks assess.Parts,
	stored report.Stored) error {
	var extras *assess.Extras
	err := a.world.Workers.Work(ctx, a.watch, func() (err error) {
		extras, err = a.extras(ctx, id, rowwise, lacks, stored)
		return err
	})
	if err != nil {
		return err
	}
	evidence, err := a.storedEvidence(ctx, id)
	if err != nil {
		return err
	}
	if extras.Sensitivity != nil {
		evidence.Sensitivity = extras.Sensitivity
	}
	evidence.Warnings = slices.DeleteFunc(evidence.Warnings, extras.Replaces)
	for _, w := range extras.Warnings {
		if !slices.Contains(evidence.Warnings, w) {
			evidence.Warnings = append(evidence.Warnings, w)
		}
	}
	verdict := judge.Judge(id.Gates, evidence)
	err = a.ledger.do(ctx, func(ctx context.Context, s *report.Session) error {
		return s.Assess(ctx, id.Fingerprint, &extras.Assessment, evidence.Warnings, id.Gates, verdict, a.Now())
	})
	if err != nil {
		return err
	}
	a.res.Verdict, a.res.Reasons, a.res.Warnings = string(verdict.Grade), verdict.Reasons, evidence.Warnings
	return nil
}

// storedParameters are those of a stored fit, without derived ones.
func (a *attempt) storedParameters(ctx context.Context, f report.Stored) (out []infer.Parameter, err error) {
	posterior, err := a.ledger.file.PosteriorOf(ctx, f)
	for i := range posterior.Parameters {
		out = append(out, posterior.Parameters[i].Facts())
	}
	return out, err
}

// extras computes parts of an assessment, from the draws in the ledger.
func (a *attempt) extras(ctx context.Context, id *plan.Identified, r plan.Rowwise, want assess.Parts,
	stored report.Stored) (*assess.Extras, error) {
	params, err := a.storedParameters(ctx, stored)
	if err != nil {
		return nil, err
	}
	from := &assess.Source{Parameters: params, Chains: stored.Chains, Draws: stored.Draws}
	from.Densities = func() (prior, lik []float64, err error) {
		for c := range stored.Chains {
			infos, err := a.ledger.file.ChainStats(ctx, stored, c)
			if err != nil {
				return nil, nil, err
			}
			prior, lik = assess.AppendDensities(prior, lik, infos)
		}
		return prior, lik, nil
	}
	from.Open = func() iter.Seq2[*infer.Columns, error] {
		return firstColumns(a.ledger.file.Columns(ctx, stored, assess.ColumnBytes), len(from.Parameters))
	}
	return assess.Assess(ctx, id.Fit, r, want, from)
}

// firstColumns yields the first n columns, without those of derived quantities behind them.
func firstColumns(all iter.Seq2[*infer.Columns, error], n int) iter.Seq2[*infer.Columns, error] {
	return func(yield func(*infer.Columns, error) bool) {
		for c, err := range all {
			if err == nil && c.First+c.Params > n {
				part := *c
				part.Params = n - c.First
				part.Values = c.Values[:part.Params*c.Chains*c.Draws]
				c = &part
			}
			if c == nil || c.Params > 0 {
				if !yield(c, err) {
					return
				}
			}
			if err != nil || c.First+c.Params >= n {
				return
			}
		}
	}
}

// lacks says what the run asks for that a stored fit does not have.
func (a *attempt) lacks(ctx context.Context, f *plan.Fit, r plan.Rowwise, stored report.Stored) (assess.Parts, error) {
	beside := assess.InputsOf(r.Observed())
	lacks := assess.Missing(f, beside, record.Assessed{}, stored.Warnings)
	if !lacks.Any() {
		return lacks, nil
	}
	has, err := a.known.has(ctx, a.ledger.file, stored.ID)
	return assess.Missing(f, beside, has, stored.Warnings), err
}

// redraws reports whether a complete fit must be drawn again because its derived
// quantities have changed and the ledger has no draws to compute them from.
func redraws(m *spec.Model, stored report.Stored) bool {
	return !stored.Kept && !slices.Equal(assess.Expressions(m), stored.Derived)
}

// rederive computes the derived quantities of a complete fit from the draws in the ledger, and then the verdict.
func (a *attempt) rederive(ctx context.Context, id *plan.Identified,
	stored report.Stored) (out *report.Derivations, err error) {
	err = a.world.Workers.Work(ctx, a.watch, func() error {
		out, err = a.derivations(ctx, id, stored)
		return err
	})
	return out, err
}

func (a *attempt) derivations(ctx context.Context, id *plan.Identified,
	stored report.Stored) (*report.Derivations, error) {
	evidence, err := a.storedEvidence(ctx, id)
	if err != nil {
		return nil, err
	}
	params, err := a.storedParameters(ctx, stored)
	if err != nil {
		return nil, err
	}
	first, chains, draws := len(params), stored.Chains, stored.Draws
	d, err := assess.Rederive(id, &evidence, params, chains, draws, func(dst []float64, lo, hi int) error {
		block := &infer.Columns{First: lo, Params: hi - lo, Chains: chains, Draws: draws, Values: dst}
		return a.ledger.file.ReadDraws(ctx, stored.ID, block)
	})
	if err != nil {
		return nil, err
	}
	return &report.Derivations{
		Fingerprint: id.Fingerprint, RunID: a.id, First: first, Parameters: d.Parameters, Summaries: d.Summaries,
		DrawsOf: d.DrawsOf, Chains: chains, Draws: draws, Gates: id.Gates, Verdict: judge.Judge(id.Gates, evidence),
		At: a.Now(),
	}, nil
}

// look selects the fits of one pass over the data: the fits that are chosen and, in a second pass, of these the
// named ones.
type look struct {
	plan.Choice
	names map[string]bool // nil of the first pass
}

func (l look) first() bool { return l.names == nil }

// fits lists the unit's fits.
func (l look) fits(p *spec.Pipeline, u *plan.Unit) []*plan.Fit {
	return slices.DeleteFunc(plan.Fits(p, l.Choice, u), func(f *plan.Fit) bool { return !l.first() && !l.names[f.Name()] })
}

// secondLook takes those of the results that were left to another run, unless it still works on them.
func secondLook(first plan.Choice, results []*outcome.Result, busy func(fingerprint string) bool) look {
	l := look{plan.Choice{Selector: first.Selector, Keys: []record.Key{}, Share: first.Share}, map[string]bool{}}
	for _, res := range results {
		if res.LeftToOther() && !busy(res.Fingerprint) {
			l.names[res.Name()] = true
			l.Keys = append(l.Keys, record.Key{Dataset: res.Dataset, Group: res.Key, Model: res.Model, Sampler: res.Sampler})
		}
	}
	return l
}

// again looks once more at the fits that another run worked on when this one came to them:
// what the other has stored since counts by its verdict, and what it has let go of is
// drawn. So of several runs of one spec the last to end finds every fit stored. A fit
// that is still worked on is left alone.
func (r *runner) again(ctx context.Context, results []*outcome.Result) error {
	if !slices.ContainsFunc(results, (*outcome.Result).LeftToOther) {
		return nil
	}
	_ = r.known.read(ctx, r.ledger.file) // where the ledger cannot be read now, it is what was known last
	seen, err := r.all(ctx, secondLook(r.choice, results, func(fingerprint string) bool {
		_, stored := r.known.fit(fingerprint)
		return !stored && r.Disk.Busy(r.world.Root, fingerprint)
	}))
	found := map[string]*outcome.Result{}
	for _, res := range seen {
		found[res.Name()] = res
	}
	for i, res := range results {
		switch now := found[res.Name()]; {
		case now != nil:
			results[i] = now
		case res.LeftToOther():
			r.Tracker.Expect(1)
			r.ended(nil, res.Method, nil, res)
		}
	}
	return err
}
