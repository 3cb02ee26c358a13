package run

import (
	"context"
	"fmt"
	"slices"

	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/draw"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
)

// preview finds what a run would do about an identified fit, and why. Its error is the one that would end the fit
// before its first draw.
func (a *attempt) preview(ctx context.Context, id *plan.Identified, stored report.Stored, complete bool) error {
	res := a.res
	if complete && !a.Force && !redraws(id.Model, stored) {
		return a.previewStored(ctx, id, stored)
	}
	if err := draw.Preview(ctx, id, a.world, a.watch); err != nil {
		return err
	}
	a.reasons(id, complete)
	res.Size = size(id)
	if preview := id.Capabilities().Preview; preview != nil {
		res.Reasons = slices.DeleteFunc(append(res.Reasons, preview()), func(words string) bool { return words == "" })
	}
	return nil
}

// previewStored finds what a run would do about a complete fit.
func (a *attempt) previewStored(ctx context.Context, id *plan.Identified, stored report.Stored) error {
	res := a.res
	res.Action, res.Verdict, res.Reasons = outcome.Skipped, string(stored.Verdict.Grade), stored.Verdict.Reasons
	res.Chains, res.Draws = stored.Chains, stored.Draws
	if id.Gates != *stored.Gates {
		res.Reasons = []string{"changed gates: the verdict would be computed again"}
	}
	if slices.Equal(assess.Expressions(id.Model), stored.Derived) {
		return nil
	}
	res.Reasons = []string{"changed derive: computed again from the stored draws"}
	params, err := a.storedParameters(ctx, stored)
	if err == nil {
		_, err = assess.Bind(id, params)
	}
	return err
}

// reasons notes why a fit would be drawn.
func (a *attempt) reasons(id *plan.Identified, complete bool) {
	res := a.res
	res.Action = outcome.Planned
	before, known := a.before[id.Key()]
	switch {
	case complete && !a.Force:
		res.Reasons = []string{"changed derive, and the ledger has no draws to compute it from"}
	case complete:
		res.Reasons = []string{"--force"}
	case id.Replicate > 1:
		res.Reasons = []string{"a replicate that does not exist"}
	case !known:
		res.Reasons = []string{"new"}
	default:
		res.Reasons = id.Identity.Changes(before)
	}
	if id.Start != nil {
		res.Reasons = append(res.Reasons, "would start "+id.Start.Note)
	}
	if !a.Force && spool.Holds(a.world.Root, id.Fingerprint) {
		res.Reasons = append(res.Reasons, "would resume from the draws of a stopped run")
	}
}

// size says how much would be drawn, of what.
func size(id *plan.Identified) string {
	facts, r := id.Facts(), &id.Pipeline.Run
	of := fmt.Sprintf(id.Kind().Size, facts.Rows, facts.Columns)
	switch {
	case !id.Method().Chains:
		return of + ", computed without draws"
	case r.Fixed():
		return fmt.Sprintf("%s: %d chains of %d draws", of, id.Chains(), r.Draws)
	}
	return fmt.Sprintf("%s: %d chains that grow until their target holds, to %d iterations at most", of, id.Chains(),
		r.MaxIterations)
}
