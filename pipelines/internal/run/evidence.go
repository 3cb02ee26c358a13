package run

import (
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report"
	"glmbatch/report/judge"
)

// evidence is what the fit's verdict rests on: its parameters but local scales,
// its derived quantities and the gated ones of its statistics.
func (f *fitting) evidence(m *measured) judge.Evidence {
	e := judge.Evidence{
		Statistics:  f.gated(m.statistics()),
		Divergences: m.divergences,
		Warnings:    f.warnings(m),
	}
	names := parameterNames(f.params)
	for i, s := range m.params {
		if m.gated(i) {
			e.Summaries = append(e.Summaries, s)
			e.Names = append(e.Names, names[min(i, len(names)):min(i+1, len(names))]...)
		}
	}
	if f.field != nil {
		tied(&e, m.still)
	}
	for i, q := range f.quantities {
		e.Derived = append(e.Derived, judge.Statistic{Name: q.Name, Summary: m.derived[i]})
	}
	return e
}

// statistics are the summaries of a draw's log densities and of what is gated
// besides its parameters.
func (m *measured) statistics() []judge.Statistic {
	return append([]judge.Statistic{{Name: "log_lik", Summary: m.logLik}, {Name: "log_prior", Summary: m.logPrior}}, m.extra...)
}

// gated keeps the statistics that a verdict rests on. log_prior is recorded but
// not gated: it is constant under flat priors. Where the prior is drawn from none
// is: log_lik has no part in the draws and may be infinite.
func (f *fitting) gated(all []judge.Statistic) []judge.Statistic {
	return slices.DeleteFunc(all, func(s judge.Statistic) bool { return s.Name == "log_prior" || f.method.name == priorMethod })
}

func parameterNames(params []infer.Parameter) []string {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	return names
}

// warnings are those of the design, of priors that speak of no column, of
// posterior means that may not exist, of the sampler, and of what was computed
// from the draws.
func (f *fitting) warnings(m *measured) []string {
	out := append([]string(nil), f.design.Warnings...)
	if f.method.name == priorMethod {
		out = append(out, "drawn from the prior, not from a posterior: the response had no part in it")
	}
	for _, pattern := range unused(f.model, f.design.Data) {
		out = append(out, "prior.by_name "+pattern+" decides the prior of no column")
	}
	out = append(out, f.cautions...)
	return append(append(out, m.hamiltonian.warnings(f.method, m.divergences)...), f.assessed...)
}

// times shares the elapsed times of the chains out over set-up, warm-up and
// sampling, as one core would have needed them, and scales sampling to an ESS
// of 100. Sampling counts the making of each kept draw once, where a sampler's rows are
// expanded while the fit is checked. An ESS below 100 gives NaN: the run has not shown that time.
func (f *fitting) times() report.Times {
	t := report.Times{Setup: f.setupTime.Seconds(), Wall: f.wall.Seconds()}
	for _, c := range f.spool.Chains {
		t.Setup += c.SetupElapsed.Seconds()
		t.Warmup += c.Elapsed(0, f.window.from).Seconds()
		t.Sampling += c.Elapsed(f.window.from, f.window.to).Seconds()
	}
	t.Sampling += f.measured.expanding.Seconds()
	until := func(ess float64) float64 {
		if !(ess >= 100) {
			return math.NaN()
		}
		return t.Setup + t.Warmup + t.Sampling*(100/ess)
	}
	t.ToESS100Median = until(f.measured.ess("median", f.params))
	t.ToESS100Min = until(f.measured.ess("min", f.params))
	t.ToESS100LogLik = until(f.measured.logLik.ESSBulk)
	return t
}

// diagnostics are the numbers about the whole fit.
func (f *fitting) diagnostics() []report.Diagnostic {
	m := f.measured
	n := 1 + len(m.extra) // log_lik is gated too
	for i := range m.params {
		if m.gated(i) {
			n++
		}
	}
	out := []report.Diagnostic{
		{Name: "rhat_max", Chain: -1, Value: m.worstRHat()},
		{Name: "rhat_max_if_mixed", Chain: -1, Value: diag.PerfectRHat(n, len(f.spool.Chains), f.window.draws(), PerfectLevel)},
		{Name: "ess_bulk_median", Chain: -1, Value: m.ess("median", f.params)},
		{Name: "ess_bulk_min", Chain: -1, Value: m.ess("min", f.params)},
		{Name: "divergences", Chain: -1, Value: float64(m.divergences)},
	}
	if w := f.design.Data.Frequency; w != nil {
		total := 0.0
		for _, count := range w {
			total += count
		}
		out = append(out, report.Diagnostic{Name: "observations", Chain: -1, Value: total})
	}
	out = append(out, f.condition...)
	return append(out, m.hamiltonian.diagnostics(f.method)...)
}

// PerfectLevel is the probability with which the largest R-hat of perfectly
// mixed chains stays below the figure that is reported beside it.
const PerfectLevel = 0.9
