package run

import (
	"slices"

	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
)

// foresee says what a run would do about an identified fit, and why.
func (a *attempt) foresee(id *plan.Identified, stored report.Stored, complete bool) {
	res := a.res
	if complete && !a.Force && !redraws(id.Model, stored) {
		res.Action, res.Verdict, res.Reasons = Skipped, string(stored.Verdict.Grade), stored.Verdict.Reasons
		res.Chains, res.Draws = stored.Chains, stored.Draws
		if id.Gates != *stored.Gates {
			res.Reasons = []string{"changed gates: the verdict would be taken anew"}
		}
		if !slices.Equal(assess.Expressions(id.Model), stored.Derived) {
			res.Reasons = []string{"changed derive: computed anew from the stored draws"}
		}
		return
	}
	res.Action = Planned
	before, known := a.before[id.Key()]
	switch {
	case complete && !a.Force:
		res.Reasons = []string{"changed derive, and the ledger has no draws to compute it from"}
	case complete:
		res.Reasons = []string{"--force"}
	case id.Replicate > 1:
		res.Reasons = []string{"a replicate that is not there"}
	case !known:
		res.Reasons = []string{"new"}
	default:
		res.Reasons = id.Identity.Changes(before)
	}
	if id.Start != nil {
		res.Reasons = append(res.Reasons, "would start "+id.Start.Note)
	}
	if !a.Force && spool.Holds(a.world.Root, id.Fingerprint) {
		res.Reasons = append(res.Reasons, "would go on from what a stopped run has drawn")
	}
	if words := id.Foreseen(); words != "" {
		res.Reasons = append(res.Reasons, words)
	}
}
