package shard

import (
	"context"
	"slices"

	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
	"glmbatch/report/record"
)

// SaveBase copies the parts of a ledger that shards need into the plan's folder: the known fits; the newest of each
// name, from which drift is measured; all that a run may start from; and, with all their draws, those that need a
// recomputation. The plan records their numbers, and the run's position.
func (p *Plan) SaveBase(ctx context.Context, dir string, ledger *report.Ledger, spec *spec.Pipeline) error {
	fits, err := ledger.Stored(ctx, nil)
	if err == nil {
		p.Place, err = ledger.NextPlace(ctx)
	}
	if err != nil {
		return err
	}
	path := baseFile(dir)
	// of a call that was killed
	if err := removeLedger(path); err != nil {
		return err
	}
	base, err := report.Open(path, report.Options{Private: true})
	if err != nil {
		return err
	}
	p.Known = make([]int, p.Shards())
	division, err := p.Division()
	if err != nil {
		return err
	}
	if len(fits) == 0 {
		return base.Write(ctx, func(*report.Session) error { return nil })
	}
	lost, err := ledger.LostDraws(ctx)
	if err != nil {
		return err
	}
	newest, err := ledger.NewestIDs(ctx)
	if err != nil {
		return err
	}
	c := &chooser{ctx: ctx, ledger: ledger, spec: spec, newest: newest, lost: lost}
	var taken report.Taken
	for _, f := range fits {
		if err := c.choose(f, &taken); err != nil {
			return err
		}
		p.Known[division.Of(f.Dataset, f.Group, f.Model)]++
	}
	p.Whole = slices.Sorted(slices.Values(taken.Whole))
	return base.Take(ctx, ledger, taken)
}

// chooser says how much is taken of each fit.
type chooser struct {
	ctx    context.Context
	ledger *report.Ledger
	spec   *spec.Pipeline
	newest map[int64]bool
	lost   map[int64]string // fits whose draws are not there
}

// choose takes a fit by what the spec may ask of it.
func (c *chooser) choose(f report.Stored, t *report.Taken) error {
	for _, ref := range c.spec.Fits() {
		if ref.Dataset.Name != f.Dataset || ref.Model.Name != f.Model || ref.Sampler.Name != f.Sampler {
			continue
		}
		anew, err := c.recomputes(ref, f)
		judged := f.Gates == nil || ref.Gates.Judge() != *f.Gates
		switch {
		case err != nil:
			return err
		case !c.newest[f.ID] && (anew || judged):
			// the night draws it once more, with the same bits, and the ledger keeps what it has
		case anew && c.lost[f.ID] != "":
			// so it does, and the ledger gets it back
		case anew:
			t.Whole = append(t.Whole, f.ID)
		case judged:
			t.Judged = append(t.Judged, f.ID)
		case c.newest[f.ID] || c.spec.Run.Start == plan.StartPrevious:
			t.Light = append(t.Light, f.ID)
		default:
			t.Known = append(t.Known, f.ID)
		}
		return nil
	}
	return nil
}

// recomputes reports whether a run would, or could, recompute results of a stored fit.
func (c *chooser) recomputes(ref spec.FitRef, f report.Stored) (bool, error) {
	if !slices.Equal(assess.Expressions(ref.Model), f.Derived) {
		return true, nil
	}
	fit := &plan.Fit{Pipeline: c.spec, Unit: &plan.Unit{Dataset: ref.Dataset}, Model: ref.Model, Gates: ref.Gates.Judge()}
	// No plan has read the column of k-fold, and no fingerprint knows it: such a fit lacks its folds.
	beside := assess.Inputs{Checks: c.spec.Run.PPC.Columns()}
	if f.Replicate <= 1 && assess.Missing(fit, beside, record.Assessed{}, f.Warnings).Any() {
		has, err := c.ledger.Assessed(c.ctx, f.ID)
		if err != nil || assess.Missing(fit, beside, has, f.Warnings).Any() {
			return true, err
		}
	}
	if len(ref.Model.Effects) == 0 || f.Replicate > 1 {
		return false, nil
	}
	have, err := c.ledger.EffectsOf(c.ctx, []int64{f.ID})
	return !slices.EqualFunc(ref.Model.Effects, have[f.ID], func(e spec.Effect, name string) bool {
		return e.String() == name
	}), err
}
