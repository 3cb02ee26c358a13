package run

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/predict"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
	"glmbatch/report/judge"
	"glmbatch/transform"
)

// assess computes what the run asks for besides the summaries of a drawn fit,
// on one worker.
func (r *runner) assess(ctx context.Context, f *fitting) error {
	if !r.assesses() || f.replicate > 1 {
		return nil
	}
	if err := r.workers.acquire(ctx); err != nil {
		return err
	}
	defer r.workers.release()
	defer f.clock.run()()
	rows := rowsOf(f.model, f.params, f.design.Record.Columns)
	rows.Chains, rows.Draws = len(f.spool.Chains), f.window.draws()
	rows.Open = columnsOf(f)
	var err error
	f.assessment, f.assessed, err = r.assessment(ctx, f, rows)
	return err
}

// assesses says whether the run asks for anything that assess computes.
func (r *runner) assesses() bool { return r.Pipeline.Run.LOO || r.checks() }

// checks says whether the run asks for predictive checks; draws from the prior
// are made for them.
func (r *runner) checks() bool { return r.Pipeline.Run.PPC || r.Pipeline.Run.Prior() }

// assessment computes what the run asks for, with its warnings.
func (r *runner) assessment(ctx context.Context, f *fitting, rows *predict.Fit) (a report.Assessment, warnings []string, err error) {
	if r.Pipeline.Run.LOO {
		if a.LOO, err = rows.LeaveOneOut(ctx, f.model.Family.Family, f.design.Data); err != nil {
			return a, nil, f.explain(err)
		}
		warnings = append(warnings, predict.LOOWarnings(a.LOO)...)
	}
	if r.checks() {
		stream := func(row int) *infer.Stream {
			return infer.NewStream(r.Pipeline.Seed, "check", f.unit.dataset.Name, f.unit.key, f.model.Name, f.sampler.Name, strconv.Itoa(row))
		}
		if a.Checks, err = rows.Check(ctx, f.model.Family.Family, f.design.Data, stream); err != nil {
			return a, nil, f.explain(err)
		}
		if !r.Pipeline.Run.Prior() { // a wide prior is no fault
			warnings = append(warnings, predict.CheckWarnings(a.Checks)...)
		}
	}
	return a, warnings, nil
}

// rowsOf is a fit as package predict sees it, without its draws.
func rowsOf(model *spec.Model, params []infer.Parameter, columns []transform.Column) *predict.Fit {
	out := &predict.Fit{Params: len(params), Columns: columns, Workers: 1}
	for _, d := range model.Family.Dispersions() {
		at := slices.IndexFunc(params, func(p infer.Parameter) bool { return p.Kind == infer.Dispersion && p.Name == d.Name })
		out.Dispersions = append(out.Dispersions, predict.Dispersion{Param: at, Fixed: model.Prior.Dispersion(d.Name).Location})
	}
	return out
}

// columnsOf yields the spooled draws of a fit, anew at each call.
func columnsOf(f *fitting) func() iter.Seq2[*infer.Columns, error] {
	return func() iter.Seq2[*infer.Columns, error] {
		return f.draws.columns(len(f.params), f.window, columnBytes)
	}
}

// assessStored computes what the run asks for and a complete fit does not have,
// from its kept draws, and stores it with a new verdict. It says whether it did.
func (r *runner) assessStored(ctx context.Context, f *fitting, stored report.Stored, res *Result) (judged bool, err error) {
	if f.replicate > 1 { // its draws are not kept, and the fit itself has it
		return false, nil
	}
	missing, err := r.missing(ctx, stored)
	if err != nil || !missing {
		return false, err
	}
	if !stored.Kept {
		res.Reasons = append(res.Reasons, "leave-one-out or predictive checks were not computed: the stored fit kept no draws (--force draws it again)")
		return false, nil
	}
	if err := r.workers.acquire(ctx); err != nil {
		return false, err
	}
	defer r.workers.release()
	parameters, _, err := r.ledger.file.Summaries(ctx, f.fingerprint)
	if err != nil {
		return false, err
	}
	f.params = nil
	for _, p := range parameters {
		f.params = append(f.params, infer.Parameter{Name: p.Name, Kind: p.Kind})
	}
	rows := rowsOf(f.model, f.params, f.design.Record.Columns)
	rows.Chains, rows.Draws = stored.Chains, stored.Draws
	rows.Open = func() iter.Seq2[*infer.Columns, error] { return r.ledger.file.Columns(ctx, stored, columnBytes) }
	a, warnings, err := r.assessment(ctx, f, rows)
	if err != nil {
		return false, err
	}
	evidence, err := r.storedEvidence(ctx, f)
	if err != nil {
		return false, err
	}
	for _, w := range warnings {
		if !slices.Contains(evidence.Warnings, w) {
			evidence.Warnings = append(evidence.Warnings, w)
		}
	}
	g := f.gates.Judge()
	verdict := judge.Judge(g, evidence)
	err = r.ledger.do(ctx, func(ctx context.Context, s *report.Session) error {
		return s.Assess(ctx, f.fingerprint, &a, evidence.Warnings, g, verdict, r.Now())
	})
	if err != nil {
		return false, err
	}
	res.Verdict, res.Reasons, res.Warnings = string(verdict.Grade), verdict.Reasons, evidence.Warnings
	return true, nil
}

// missing says whether a stored fit lacks what the run asks for.
func (r *runner) missing(ctx context.Context, stored report.Stored) (bool, error) {
	if !r.assesses() {
		return false, nil
	}
	loo, checks, err := r.ledger.file.Assessed(ctx, stored.ID)
	return r.Pipeline.Run.LOO && !loo || r.checks() && !checks, err
}

// storedEvidence is what a stored fit is judged by.
func (r *runner) storedEvidence(ctx context.Context, f *fitting) (judge.Evidence, error) {
	e, err := r.ledger.file.Evidence(ctx, f.fingerprint)
	e.Statistics = f.gated(e.Statistics)
	if f.field != nil {
		withoutConstants(&e, len(f.sampler.Scan.For) > 0)
	}
	return e, err
}
