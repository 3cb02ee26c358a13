package assess

import (
	"slices"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/judge"
)

// evidence is what the fit's verdict rests on: its parameters but local scales,
// its derived quantities and the gated ones of its statistics.
func (p *Prepared) evidence(m *Measured) judge.Evidence {
	e := judge.Evidence{
		Statistics:  gatedStatistics(p.Gating, m.statistics()),
		Divergences: m.Divergences,
		Warnings:    p.warnings(m),
	}
	names := Names(p.Kept)
	for i, s := range m.Parameters {
		if m.gated(i) {
			e.Summaries = append(e.Summaries, s)
			e.Names = append(e.Names, names[min(i, len(names)):min(i+1, len(names))]...)
		}
	}
	if p.Gating.Constants {
		tied(&e, m.still)
	}
	for i, q := range p.Quantities {
		e.Derived = append(e.Derived, judge.Statistic{Name: q.Name, Summary: m.Derived[i]})
	}
	return e
}

// Gate leaves of evidence that a ledger holds what gates look at.
func Gate(g plan.Gating, e *judge.Evidence) {
	e.Statistics = gatedStatistics(g, e.Statistics)
	if g.Constants {
		withoutConstants(e, g.Focused)
	}
}

// gatedStatistics keeps the statistics that a verdict rests on. log_prior is recorded but
// not gated: it is constant under flat priors.
func gatedStatistics(g plan.Gating, all []judge.Statistic) []judge.Statistic {
	return slices.DeleteFunc(all, func(s judge.Statistic) bool { return s.Name == "log_prior" || g.Parameters })
}

// statistics are the summaries of a draw's log densities and of what is gated
// besides its parameters.
func (m *Measured) statistics() []judge.Statistic {
	return append([]judge.Statistic{{Name: "log_lik", Summary: m.logLik}, {Name: "log_prior", Summary: m.logPrior}},
		m.extra...)
}

// warnings are those of the design, of priors that speak of no column, of
// posterior means that may not exist, and of the sampler.
func (p *Prepared) warnings(m *Measured) []string {
	out := append([]string(nil), p.Facts().Warnings...)
	out = append(out, p.Cautions...)
	return append(out, m.hamiltonian.warnings(p.Method(), m.Divergences)...)
}

// Names are those of parameters.
func Names(params []infer.Parameter) []string {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	return names
}
