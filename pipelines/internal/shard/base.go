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
	c := &chooser{spec: spec}
	if err := ledger.Reading(ctx, func() error { return c.read(ctx, ledger, fits) }); err != nil {
		return err
	}
	var taken report.Taken
	for _, f := range fits {
		c.choose(f, &taken)
		p.Known[division.Of(f.Dataset, f.Group, f.Model)]++
	}
	p.Whole = slices.Sorted(slices.Values(taken.Whole))
	return base.Take(ctx, ledger, taken)
}

// chooser decides how much is taken of each fit.
type chooser struct {
	spec     *spec.Pipeline
	newest   map[int64]bool
	lost     map[int64]string // fits whose draws are not there
	assessed map[int64]record.Assessed
	effects  map[int64][]string
}

// read asks the ledger what it has of all fits.
func (c *chooser) read(ctx context.Context, ledger *report.Ledger, fits map[string]report.Stored) (err error) {
	if c.lost, err = ledger.LostDraws(ctx); err != nil {
		return err
	}
	if c.newest, err = ledger.NewestIDs(ctx); err != nil {
		return err
	}
	if c.assessed, err = ledger.Assessed(ctx); err != nil {
		return err
	}
	var ids []int64
	for _, f := range fits {
		ids = append(ids, f.ID)
	}
	c.effects, err = ledger.EffectsOf(ctx, ids)
	return err
}

// choose takes a fit by what the spec may ask of it.
func (c *chooser) choose(f report.Stored, t *report.Taken) {
	for _, ref := range c.spec.Fits() {
		if ref.Dataset.Name != f.Dataset || ref.Model.Name != f.Model || ref.Sampler.Name != f.Sampler {
			continue
		}
		anew := c.recomputes(ref, f)
		judged := f.Gates == nil || ref.Gates.Judge() != *f.Gates
		switch {
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
		return
	}
}

// recomputes reports whether a run would, or could, recompute results of a stored fit.
func (c *chooser) recomputes(ref spec.FitRef, f report.Stored) bool {
	if !slices.Equal(assess.Expressions(ref.Model), f.Derived) {
		return true
	}
	fit := &plan.Fit{Pipeline: c.spec, Unit: &plan.Unit{Dataset: ref.Dataset}, Model: ref.Model, Gates: ref.Gates.Judge()}
	// No plan has read the column of k-fold, and no fingerprint knows it: such a fit lacks its folds.
	beside := assess.Inputs{Checks: c.spec.Run.PPC.Columns()}
	if f.Replicate <= 1 && assess.Missing(fit, beside, c.assessed[f.ID], f.Warnings).Any() {
		return true
	}
	if len(ref.Model.Effects) == 0 || f.Replicate > 1 {
		return false
	}
	return !slices.EqualFunc(ref.Model.Effects, c.effects[f.ID], func(e spec.Effect, name string) bool {
		return e.String() == name
	})
}
