package assess

import (
	"math"
	"slices"

	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/progress"
	"glmbatch/report/judge"
)

// Check measures a window of the draws, and reports whether the fit may stop.
//
// Cost: the diagnostics of every number of a draw, about 100 ns a value.
func (p *Prepared) Check(d *Draws, w plan.Window) (*Measured, plan.Checked, error) {
	m, err := measure(d, w, p.Imputations(), ColumnBytes)
	if err != nil {
		return nil, plan.Checked{}, err
	}
	m.withoutMoments(p.Doubts)
	m.local = localScales(p.Kept)
	switch {
	case p.Gating.Off != "":
		m.withoutDiagnostics(p.Gating.Off)
	case p.Gating.Constants:
		m.passOver(p.Gating.Focused)
	}
	m.deriving = p.deriving(d, w)
	m.deriving.summing = m.summing
	if m.Derived, err = m.deriving.Summarize(); err != nil {
		return nil, plan.Checked{}, err
	}
	withoutDerivedMoments(m.Derived, p.Quantities, plan.Names(p.Kept), p.Doubts)
	m.Lost = p.Pipeline.Run.Until.ESS == 0 && p.Gating.Off == "" && p.Gates.Diverged(m.Divergences)
	return m, plan.Checked{Mixed: m.mixed(p.Gates, p.Kept), Reached: p.reached(m)}, nil
}

// reached reports whether the run's target holds.
func (p *Prepared) reached(m *Measured) bool {
	until := p.Pipeline.Run.Until
	if p.Gating.Off != "" {
		return true
	}
	if until.ESS > 0 {
		return m.ESS(until.Over) >= until.ESS
	}
	evidence := p.evidence(m)
	evidence.Derived = slices.DeleteFunc(evidence.Derived, func(s judge.Statistic) bool {
		return math.IsNaN(s.Summary.Mean) // more draws give those no value that have none
	})
	return judge.Judge(p.Gates.Strict(), evidence).Grade != judge.Fail
}

// Progress is the progress of a check, as users see it.
func (p *Prepared) Progress(m *Measured) progress.Check {
	until := p.Pipeline.Run.Until
	if until.ESS > 0 {
		return progress.Check{ESS: m.ESS(until.Over), Target: until.ESS, What: until.Over + " ESS",
			RHat: m.WorstRHat()}
	}
	return progress.Check{ESS: m.ESS("all"), Target: p.Gates.ESSBulk.Strict().At, What: "least ESS",
		RHat: m.WorstRHat()}
}
