package assess

import (
	"context"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/judge"
	"glmbatch/report/record"
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

// passOver removes quantities that never moved in any chain from the gates: a discrete functional may be constant
// in all draws. Where nothing moved at all they stay, for then the chains may be frozen, and so does log_lik unless
// others move without it. For a scan for some variables log_lik is not informative: it counts variables that are
// never drawn.
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
	e.Names, e.Summaries, e.Families = nil, nil, nil // discrete systems have no families
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

// localScales marks the parameters that no gate looks at: given its coefficient a lambda has a heavy tail (no
// variance in the plain form, no mean in the regularised one), and nothing but its coefficient depends on it. A
// mixture's component as it was sampled may be another one in each draw.
func localScales(params []infer.Parameter) []bool {
	out := make([]bool, len(params))
	for i, p := range params {
		out[i] = p.Kind == infer.LocalScale || p.Kind == infer.Unsorted
	}
	return out
}

// evidence holds the measures for the fit's verdict: its parameters but local scales, its derived quantities and
// the gated ones of its statistics.
func (p *Prepared) evidence(m *Measured) judge.Evidence {
	e := judge.Evidence{
		Statistics:  gatedStatistics(p.Gating, m.statistics()),
		Divergences: m.Divergences,
		Warnings:    p.warnings(m),
	}
	m.addParameters(&e, p.Kept)
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

// warnings are those of the design, of priors that apply to no column, of posterior means that may not exist, and
// of the sampler.
func (p *Prepared) warnings(m *Measured) []string {
	out := append([]string(nil), p.Facts().Warnings...)
	out = append(out, p.Cautions...)
	return append(out, m.hamiltonian.warnings(p.Method(), m.Divergences)...)
}

// Judge computes what the run asks for besides summaries and takes the verdict. Its error is of what was asked for,
// or of the spool.
func Judge(ctx context.Context, d *Drawn, s Stamp) (*Judged, error) {
	extras, err := d.Extras(ctx)
	if err != nil {
		return nil, err
	}
	warnings := unique(d.warnings(d.Measured), extras.Warnings)
	rec, err := d.record(s, extras)
	if err != nil {
		return nil, err
	}
	rec.Warnings = warnings
	out := &Judged{Identified: d.Identified, Record: rec, RHatMax: math.NaN(), ESSBulkMin: math.NaN(),
		Divergences: d.Measured.Divergences}
	if d.Gating.Off != "" {
		rec.Verdict = ungated(warnings)
	} else {
		evidence := d.evidence(d.Measured)
		evidence.Warnings, evidence.Sensitivity = warnings, extras.Sensitivity
		rec.Verdict = judge.Judge(d.Gates, evidence)
		out.RHatMax, out.ESSBulkMin = d.Measured.WorstRHat(), d.Measured.ESS("min")
	}
	for i, p := range rec.Parameters {
		out.Parameters = append(out.Parameters,
			record.ParameterSummary{Name: p.Name, Kind: p.Kind, Summary: rec.Summaries[i]})
	}
	for i, p := range rec.Undrawn {
		out.Parameters = append(out.Parameters,
			record.ParameterSummary{Name: p.Name, Kind: p.Kind, Summary: rec.UndrawnSummaries[i]})
	}
	return out, nil
}

// Answer is Judge of a method without chains.
func Answer(id *plan.Identified, a *plan.Solution, s Stamp) (*Judged, error) {
	rec := newRecord(id, s, a.Explained)
	rec.Warnings = unique(id.Facts().Warnings, a.Warnings())
	rec.Verdict = ungated(rec.Warnings)
	none := math.NaN()
	rec.Times = record.Times{Setup: a.Took.Seconds(), Wall: s.Now().Sub(s.Began).Seconds(), ToESS100Median: none,
		ToESS100Min: none, ToESS100LogLik: none}
	for _, p := range a.Parameters {
		rec.Parameters = append(rec.Parameters, record.ParameterOf(p))
	}
	out := &Judged{Identified: id, Record: rec, RHatMax: none, ESSBulkMin: none}
	if a.Means != nil {
		rec.Summaries, rec.Statistics = a.Means, []judge.Statistic{{Name: "log_lik", Summary: *a.LogLik}}
		for i, p := range a.Parameters {
			out.Parameters = append(out.Parameters, record.ParameterSummary{Name: p.Name, Kind: p.Kind, Summary: a.Means[i]})
		}
	}
	a.Describe(rec)
	var err error
	if rec.Description, err = id.Description(a.Parameters); err == nil {
		err = id.Describe(rec, a.Parameters)
	}
	return out, err
}

// ungated is the verdict of a fit that no gate looks at: what there is to know makes it a warning.
func ungated(warnings []string) judge.Verdict {
	if len(warnings) > 0 {
		return judge.Verdict{Grade: judge.Warn, Reasons: warnings}
	}
	return judge.Verdict{Grade: judge.Pass}
}

// unique joins lists, each text once.
func unique(lists ...[]string) (out []string) {
	seen := map[string]bool{}
	for _, list := range lists {
		for _, s := range list {
			if !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	return out
}
