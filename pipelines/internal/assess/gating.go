package assess

import (
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/judge"
)

// withoutDiagnostics takes away what means nothing of chains that are no Markov chains
// of the model.
func (m *Measured) withoutDiagnostics(why string) {
	none := math.NaN()
	strip := func(s *diag.Summary) {
		s.RHat, s.ESSBulk, s.ESSTail, s.Reason = none, none, none, why
		s.MCSEMean, s.MCSESD, s.MCSEMedian, s.MCSEQ05, s.MCSEQ95 = none, none, none, none, none
	}
	for i := range m.Parameters {
		strip(&m.Parameters[i])
	}
	strip(&m.logLik)
	strip(&m.logPrior)
}

// passOver takes quantities that never moved in any chain out of the sight of gates: a
// discrete functional may be constant for good. Where nothing moved at all they stay,
// for then the chains may be frozen, and so does log_lik unless others move without it.
// Of a scan for some variables log_lik tells nothing: it counts what is never drawn.
func (m *Measured) passOver(focused bool) {
	m.local = make([]bool, len(m.Parameters))
	moved := false
	for i := range m.Parameters {
		m.local[i] = constant(&m.Parameters[i])
		moved = moved || !m.local[i]
	}
	m.still = (constant(&m.logLik) || focused) && moved
	if !moved && constant(&m.logLik) {
		clear(m.local)
	}
}

func constant(s *diag.Summary) bool { return math.IsNaN(s.RHat) && s.SD == 0 }

// withoutConstants does for evidence from the ledger what passOver and tied do.
func withoutConstants(e *judge.Evidence, focused bool) {
	m := &Measured{Parameters: e.Summaries}
	if len(e.Statistics) > 0 {
		m.logLik = e.Statistics[0].Summary
	}
	m.passOver(focused)
	names, summaries := e.Names, e.Summaries
	e.Names, e.Summaries = nil, nil
	for i, s := range summaries {
		if m.gated(i) {
			e.Names, e.Summaries = append(e.Names, names[i]), append(e.Summaries, s)
		}
	}
	tied(e, m.still)
}

// tied judges quantities by their bulk ESS where ties leave the tail's undefined: many draws
// of a discrete functional equal its largest value. A log_lik that is still is left out.
func tied(e *judge.Evidence, still bool) {
	bulk := func(s *diag.Summary) {
		if math.IsNaN(s.ESSTail) && !math.IsNaN(s.RHat) {
			s.ESSTail = s.ESSBulk
		}
	}
	for i := range e.Summaries {
		bulk(&e.Summaries[i])
	}
	if still {
		e.Statistics = nil
	}
	for i := range e.Statistics {
		bulk(&e.Statistics[i].Summary)
	}
	if len(e.Summaries) == 0 && len(e.Statistics) > 0 {
		e.Summaries, e.Names, e.Statistics = []diag.Summary{e.Statistics[0].Summary}, []string{e.Statistics[0].Name}, nil
	}
}

// localScales marks the parameters that no gate looks at: given its coefficient a
// lambda has a heavy tail (no variance in the plain form, no mean in the
// regularised one), and nothing but its coefficient depends on it.
func localScales(params []infer.Parameter) []bool {
	out := make([]bool, len(params))
	for i, p := range params {
		out[i] = p.Kind == infer.LocalScale
	}
	return out
}

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
