package run

import (
	"math"
	"strings"

	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/discrete"
	"glmbatch/report"
	"glmbatch/report/judge"
)

// judge takes the verdict of a fit: gates look at draws of Markov chains; where there
// are none, what there is to know makes the verdict a warning.
func (f *fitting) judge(g judge.Gates, m *measured) judge.Verdict {
	if f.field == nil || f.method.discrete.gated {
		return judge.Judge(g, f.evidence(m))
	}
	if warnings := f.discreteWarnings(); len(warnings) > 0 {
		return judge.Verdict{Grade: judge.Warn, Reasons: warnings}
	}
	return judge.Verdict{Grade: judge.Pass}
}

// ungated tells that no gate looks at the fit, so that its verdict is not one of gates.
func (f *fitting) ungated() bool { return f.field != nil && !f.method.discrete.gated }

// discreteWarnings are those of the data and of the method, each once.
func (f *fitting) discreteWarnings() (out []string) {
	all := append([]string(nil), f.design.Warnings...)
	all = append(all, f.cautions...)
	if f.found != nil {
		all = append(all, f.found.Warnings...)
	}
	seen := map[string]bool{}
	for _, w := range all {
		if !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}

// withoutDiagnostics takes away what means nothing of chains that are no Markov chains
// of the model.
func (m *measured) withoutDiagnostics(why string) {
	none := math.NaN()
	strip := func(s *diag.Summary) {
		s.RHat, s.ESSBulk, s.ESSTail, s.Reason = none, none, none, why
		s.MCSEMean, s.MCSESD, s.MCSEMedian, s.MCSEQ05, s.MCSEQ95 = none, none, none, none, none
	}
	for i := range m.params {
		strip(&m.params[i])
	}
	strip(&m.logLik)
	strip(&m.logPrior)
}

// passOver takes quantities that never moved in any chain out of the sight of gates: a
// discrete functional may be constant for good. Where nothing moved at all they stay,
// for then the chains may be frozen, and so does log_lik unless others move without it.
// Of a scan for some variables log_lik tells nothing: it counts what is never drawn.
func (m *measured) passOver(focused bool) {
	m.local = make([]bool, len(m.params))
	moved := false
	for i := range m.params {
		m.local[i] = constant(&m.params[i])
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
	m := &measured{params: e.Summaries}
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

// discreteRecord is all that the ledger stores of a fit of discrete variables.
func (r *runner) discreteRecord(f *fitting, v judge.Verdict) *report.Fit {
	rec := &report.Fit{
		Key: f.key(), Replicate: f.replicate, Fingerprint: f.fingerprint, RunID: r.id, Pipeline: r.Pipeline.Name,
		Method: f.method.name, Family: "mrf", Link: f.field.Interaction(), Formula: f.field.Words,
		Rows: int64(f.field.N), Columns: f.field.Edges(),
		DataHash: f.design.dataHash, ModelHash: f.modelHash(), AlgorithmVersions: f.versions(),
		Status: report.Complete, Verdict: v, Gates: f.gates.Judge(), Warnings: f.discreteWarnings(), Created: r.Now(), Place: r.place,
		Identity: r.identity(f).record(), Events: f.events(r.Now()), Discrete: f.discreteParts(),
	}
	for i, p := range f.params {
		rec.Parameters = append(rec.Parameters, report.Parameter{Name: p.Name, Kind: p.Kind, Scale: 1})
		if f.spool != nil {
			for _, c := range f.spool.Chains {
				rec.Parameters[i].Starts = append(rec.Parameters[i].Starts, c.Start[i])
			}
		}
	}
	if f.spool == nil {
		rec.Times = report.Times{Setup: f.setupTime.Seconds(), Wall: f.wall.Seconds(), ToESS100Median: math.NaN(), ToESS100Min: math.NaN(), ToESS100LogLik: math.NaN()}
		if means := f.found.Means; means != nil {
			n := len(f.params)
			rec.Summaries, rec.Statistics = means[:n], []judge.Statistic{{Name: "log_lik", Summary: means[n]}}
		}
		return rec
	}
	rec.Chains, rec.Warmup, rec.Draws, rec.Iterations = len(f.spool.Chains), f.window.from, f.window.draws(), f.window.to
	rec.Times, rec.Summaries, rec.Statistics = f.times(), f.measured.params, f.measured.statistics()[:1]
	rec.StatsOf = statistics(f.spool, f.window)
	if f.method.discrete.gated {
		rec.Diagnostics = f.diagnostics()
	}
	if r.keep(f.job) != "summary" {
		rec.DrawsOf = f.draws.columns(len(f.params), f.window, columnBytes)
	}
	for _, c := range f.spool.Chains {
		rec.Starts = append(rec.Starts, c.StartNote)
	}
	return rec
}

// discreteParts are variables, marginals and certificates as the ledger keeps them.
func (f *fitting) discreteParts() *report.Discrete {
	field, found := f.field, f.found
	out := &report.Discrete{
		Variables: field.N, Edges: field.Edges(), Labels: field.Labels, Rows: field.Rows, Columns: field.Columns, Interaction: field.Interaction(),
		LogZ: found.LogZ, BestLogLik: found.BestU, BestChain: found.BestChain, Gated: f.method.discrete.gated, ModelBytes: int64(field.Model.Bytes()),
		IDs: make([]string, field.N), Observation: field.Observation, Truth: field.Truth, Best: found.Best, MCSE: found.MCSE,
	}
	for i := range out.IDs {
		out.IDs[i] = field.ID(i)
	}
	if f.discreteSetup != nil {
		out.ChainBytes = f.discreteSetup.ChainBytes()
	}
	if found.Marginals != nil {
		out.Probability = make([]float64, 0, field.N*field.States)
		for i := range field.N {
			out.Probability = append(out.Probability, found.Marginals.At(i)...)
		}
	}
	if out.Probability == nil {
		out.MCSE = nil
	}
	for _, c := range found.Certificates {
		out.Certificates = append(out.Certificates, certificate(c))
	}
	return out
}

func certificate(c discrete.Certificate) report.Certificate {
	return report.Certificate{Method: c.Method, Bounded: c.Of, IDs: c.IDs, Variables: c.Count, Updates: c.Updates, Bound: c.Bound, Note: strings.TrimSpace(c.Reason)}
}
