package assess

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/report/record"
)

// Extras holds the further results that a run requests besides summaries, with its warnings.
type Extras struct {
	record.Assessment
	Curves []record.Curve
	// Allocations are those of the rows of a mixture.
	Allocations []record.Allocation
	// Incomplete are the columns of which missing cells were drawn.
	Incomplete []record.IncompleteColumn
	// Diagnostics are condition numbers and forecasts of a regression, switches of labels of a mixture.
	Diagnostics []record.Diagnostic
	Metrics     []record.Metric
	Warnings    []string
	Notes       []string // for the events of the fit
}

// Extras computes what the run asks for; nothing of replicates, and nothing of discrete systems, whose specs ask for
// nothing.
func (d *Drawn) Extras(ctx context.Context) (*Extras, error) {
	source, out, err := &Source{
		Parameters: d.Kept, Chains: len(d.Draws.Spool.Chains), Draws: d.Window.Draws(),
		Open:      func() iter.Seq2[*infer.Columns, error] { return d.Draws.Columns(len(d.Kept), d.Window, ColumnBytes) },
		Densities: d.densities,
	}, &Extras{}, error(nil)
	can, first := d.Capabilities(), d.Replicate <= 1
	if can.Rows != nil && first {
		out, err = Assess(ctx, d.Fit, can.Rows, Asked(d.Fit), source)
	}
	if err == nil && can.Labels != nil {
		err = d.labels(can.Labels, out)
	}
	if err == nil && can.Labels != nil && first {
		err = out.allocate(ctx, d.Fit, can.Labels, source)
	}
	if err == nil && can.Cells != nil && first {
		out.Incomplete, err = incomplete(can.Cells, source)
	}
	if err == nil && can.Smooths != nil && first {
		out.Curves, err = d.curves(can.Smooths)
		d.lengths(can.Smooths, out)
	}
	if err == nil && can.Regression != nil && first && d.Pipeline.Run.Condition {
		out.Diagnostics, out.Metrics, err = d.conditions(ctx, can.Regression)
	}
	if err == nil {
		err = d.forecasts(out)
	}
	return out, err
}

// Source is draws of a fit, of the spool or of a ledger.
type Source struct {
	Parameters    []infer.Parameter
	Chains, Draws int
	Open          func() iter.Seq2[*infer.Columns, error] // starts again at each call
	// Densities are the log prior and log likelihood of each draw, chain after chain.
	Densities func() (prior, lik []float64, err error)
}

// fit is a fit without what locates the numbers that its rows need.
func (s *Source) fit() *predictive.Fit {
	return &predictive.Fit{Chains: s.Chains, Draws: s.Draws, Params: len(s.Parameters), Workers: 1,
		Open: func() predictive.Columns { return s.Open() }}
}

// Parts are the parts of an assessment, present or still to be computed.
type Parts struct{ LOO, Checks, KFold, Sensitivity bool }

// Any reports whether there is one.
func (p Parts) Any() bool { return p != Parts{} }

// OfDraws reports whether one is computed from the fit's own draws. Those of k-fold are of fits without some rows.
func (p Parts) OfDraws() bool { return p.LOO || p.Checks || p.Sensitivity }

// Asked says what a fit's run asks for. Draws from the prior are made for their checks.
func Asked(f *plan.Fit) Parts {
	run := &f.Pipeline.Run
	out := Parts{Sensitivity: asksSensitivity(f)}
	if !f.Unit.Factored() { // else there are no rows: a spec that asks is refused, but one that draws from the prior
		out.LOO, out.Checks, out.KFold = run.LOO.On, run.PPC.On || run.Prior(), run.KFold.String() != ""
	}
	return out
}

// Inputs are the columns of the data that an assessment reads.
type Inputs struct {
	Checks []string    // that predictive checks are made by or over, as "by g", "over x"
	Folds  *plan.Folds // nil: dealt at random
}

// InputsOf are those of rows of a design.
func InputsOf(of plan.Observed) Inputs {
	out := Inputs{Folds: of.Folds}
	for _, b := range of.AuxColumns {
		out.Checks = append(out.Checks, b.Role())
	}
	return out
}

// Missing returns what a run asks for that a stored fit, with these warnings, does not have and could.
func Missing(f *plan.Fit, b Inputs, has record.Assessed, warnings []string) (out Parts) {
	out = Asked(f)
	for _, c := range b.Checks {
		has.Checks = has.Checks && slices.Contains(has.Columns, c)
	}
	for _, s := range f.Pipeline.Run.PPC.Statistics {
		for _, m := range f.Model.Parts() {
			asked := record.Expression{Name: s.Name, Text: s.Expression.String()}
			if m.Response.Name != "" {
				asked.Name = predictive.StatisticOf(s.Name, m.Response.Name)
			}
			has.Checks = has.Checks && slices.Contains(has.Statistics, asked)
		}
	}
	out.LOO = out.LOO && has.LOO != looVersion(f)
	out.Checks = out.Checks && !has.Checks
	out.KFold = out.KFold && has.KFold != kfoldAsked(f, b.Folds)
	out.Sensitivity = out.Sensitivity && !has.Sensitivity && !slices.Contains(warnings, unmeasured)
	return out
}

// Replaces reports whether a warning is of a result that this one takes the place of.
func (e *Extras) Replaces(warning string) bool {
	return e.LOO != nil && predictive.SaidOfLOO(warning) || e.KFold != nil && predictive.SaidOfKFold(warning)
}

// Assess computes parts of an assessment: cross-validation, predictive checks and sensitivities.
func Assess(ctx context.Context, f *plan.Fit, p plan.Rowwise, want Parts, draws *Source) (*Extras, error) {
	out := &Extras{}
	if want.Sensitivity {
		if err := out.sensitivity(draws); err != nil {
			return nil, f.Explain(err)
		}
	}
	var rows *predictive.Evaluator
	var err error
	if want.LOO || want.Checks {
		rows, err = evaluate(p, draws)
	}
	if err != nil {
		return nil, f.Explain(err)
	}
	of := p.Observed()
	stream := func(of string) func(row int) *infer.Stream {
		return func(row int) *infer.Stream {
			return infer.NewStream(f.Pipeline.Seed, of, f.Unit.Dataset.Name, f.Unit.Key, f.Model.Name, f.Sampler.Name,
				strconv.Itoa(row))
		}
	}
	if want.LOO {
		if out.LOO, err = rows.LeaveOneOut(ctx, stream("pit")); err != nil {
			return nil, f.Explain(err)
		}
		if r := p.Capabilities().Regression; r != nil { // specs ask for moment matching of nothing else
			err = out.match(ctx, f, r, rows)
		}
		if err != nil {
			return nil, f.Explain(err)
		}
		out.Warnings = append(out.Warnings, predictive.LOOWarnings(out.LOO)...)
	}
	if want.KFold {
		err = out.kfold(ctx, f, p, draws)
	}
	if err != nil {
		return nil, f.Explain(err)
	}
	if !want.Checks {
		return out, nil
	}
	by := predictive.Wanted{AuxColumns: of.AuxColumns}
	for _, s := range f.Pipeline.Run.PPC.Statistics {
		by.Statistics = append(by.Statistics, predictive.Statistic{Name: s.Name, Of: s.Expression})
	}
	got, err := rows.Check(ctx, by, stream("check"))
	if err != nil {
		return nil, f.Explain(err)
	}
	out.Checks, out.Bins, out.Groups, out.Over = got.Checks, got.Bins, got.Groups, got.Over
	if !f.Pipeline.Run.Prior() { // a wide prior is not a fault
		// data that the model does not make weigh more than rows that leave-one-out cannot judge
		out.Warnings = slices.Concat(predictive.CheckWarnings(out.Checks), predictive.GroupWarnings(got), of.Unread,
			out.Warnings)
	}
	return out, nil
}

// match estimates rows with a high Pareto k from moved draws, where the run asks for that.
func (e *Extras) match(ctx context.Context, f *plan.Fit, r *plan.Regression, rows *predictive.Evaluator) error {
	if e.LOO.Version = looVersion(f); !f.Pipeline.Run.LOO.MomentMatch || e.LOO.High == 0 {
		return nil
	}
	target, err := r.Coordinates()
	if err != nil {
		return err
	}
	why, err := rows.Match(ctx, e.LOO, target, r.Record.FromData)
	if why != "" {
		e.Warnings = append(e.Warnings, "moment matching cannot move the draws: "+why)
	}
	return err
}

// looVersion names how leave-one-out is computed for a fit.
func looVersion(f *plan.Fit) string {
	return predictive.LOOVersion(f.Pipeline.Run.LOO.MomentMatch, f.Model.Mixed())
}

// evaluate returns what evaluates the rows of a fit.
func evaluate(p plan.Rowwise, draws *Source) (*predictive.Evaluator, error) {
	of, out := p.Observed(), draws.fit()
	if of.Responses != nil {
		return evaluateResponses(p, of.Responses, draws)
	}
	out.Items = of.Items
	var err error
	if out.Description, err = p.Description(draws.Parameters); err == nil && of.Cells != nil {
		out.Cells, err = of.Cells(out.Description)
	}
	if err != nil {
		return nil, err
	}
	return out.On(of.Data, append([]predictive.Design{{Data: of.Data, Columns: of.Columns}}, of.Further...)...)
}

// evaluateResponses returns what evaluates the rows of a fit of several responses.
func evaluateResponses(p plan.Rowwise, of []plan.Observed, draws *Source) (*predictive.Evaluator, error) {
	all, err := p.Description(draws.Parameters)
	if err != nil {
		return nil, err
	}
	var each []*predictive.Evaluator
	for k, own := range of {
		fit := draws.fit()
		fit.Description = all.OfResponse(k)
		designs := append([]predictive.Design{{Data: own.Data, Columns: own.Columns}}, own.Further...)
		one, err := fit.On(own.Data, designs...)
		if err != nil {
			return nil, err
		}
		each = append(each, one)
	}
	return predictive.Together(each, all.Rescor), nil
}
