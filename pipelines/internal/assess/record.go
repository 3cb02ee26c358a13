package assess

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report/record"
)

// newRecord is the record of any fit, whether it has draws or not.
func newRecord(id *plan.Identified, s Stamp, explained string) *record.Fit {
	facts, m := id.Facts(), id.Method()
	return &record.Fit{
		Key: id.Key(), Replicate: id.Replicate, Fingerprint: id.Fingerprint, RunID: s.RunID, Pipeline: id.Pipeline.Name,
		Method: m.Name, Family: facts.Family, Link: facts.Link, Formula: facts.Formula,
		Rows: int64(facts.Rows), Columns: facts.Columns,
		DataHash: facts.DataHash, ModelHash: id.ModelHash(), AlgorithmVersions: id.Identity.Versions,
		Status: record.Complete, Gates: id.Gates, Created: s.Now(), Place: s.Place,
		Identity: id.Identity.Record(), Start: id.Start, Events: events(id, explained, s.Now()),
	}
}

// events are the remarkable events of a fit.
func events(id *plan.Identified, explained string, at time.Time) []record.Event {
	var out []record.Event
	add := func(message string) {
		if message != "" {
			out = append(out, record.Event{At: at, Level: "info", Message: message})
		}
	}
	add(id.Method().Reason)
	add(explained)
	if why := id.Gating().Off; why != "" {
		add("no gates: " + why)
	}
	if id.Start != nil {
		add("start: " + id.Start.Note)
	}
	for _, n := range id.Facts().Notes {
		add(n)
	}
	return out
}

// record is all that a ledger keeps of a drawn fit but its verdict.
func (d *Drawn) record(s Stamp, extras *Extras) (*record.Fit, error) {
	rec, m, file := newRecord(d.Identified, s, d.Explained), d.Measured, d.Draws.Spool
	rec.Chains, rec.Warmup, rec.Draws, rec.Iterations = len(file.Chains), d.Window.From, d.Window.Draws(), d.Window.To
	rec.Times = d.times(s)
	for i, p := range d.Kept {
		out := record.ParameterOf(p)
		for _, c := range file.Chains {
			out.Starts = append(out.Starts, c.Start[i])
		}
		rec.Parameters = append(rec.Parameters, out)
	}
	if err := d.Describe(rec, d.Kept); err != nil {
		return nil, err
	}
	var err error
	if rec.Description, err = d.Description(d.Kept[:d.Stored]); err != nil {
		return nil, err
	}
	rec.Undrawn, rec.UndrawnSummaries = rec.Parameters[d.Stored:], m.Parameters[d.Stored:]
	rec.Parameters = slices.Concat(rec.Parameters[:d.Stored], m.deriving.Parameters())
	rec.Summaries, rec.Statistics = slices.Concat(m.Parameters[:d.Stored], m.Derived), m.statistics()
	if d.Gating.NoPrior {
		rec.Statistics = rec.Statistics[:1]
	}
	if d.Gating.Off == "" {
		rec.Diagnostics = d.diagnostics(extras.Diagnostics)
	}
	rec.Metrics, rec.Assessment, rec.Certificates = extras.Metrics, extras.Assessment, d.Proved
	rec.Curves, rec.Allocations, rec.Incomplete = extras.Curves, extras.Allocations, extras.Incomplete
	for _, n := range extras.Notes {
		rec.Events = append(rec.Events, record.Event{At: s.Now(), Level: "info", Message: n})
	}
	if p := d.Capabilities().Imputations; p != nil {
		d.pooling(p, rec)
	}
	d.Collected.Describe(rec)
	rec.StatsOf = Statistics(file, d.Window)
	if d.Keep() != plan.KeepSummary {
		rec.DrawsOf = inTurn(d.Draws.Columns(d.Stored, d.Window, ColumnBytes), m.deriving.Blocks())
	}
	for _, c := range file.Chains {
		rec.Starts = append(rec.Starts, c.StartNote)
	}
	return rec, nil
}

// DerivedDraws are the draws of the derived quantities, by quantity, chain and draw.
func (d *Drawn) DerivedDraws() ([]float64, error) { return d.Measured.deriving.All() }

// diagnostics are the numbers about the whole fit.
func (d *Drawn) diagnostics(more []record.Diagnostic) []record.Diagnostic {
	m := d.Measured
	n := 1 + len(m.extra) // log_lik is gated too
	for i := range m.Parameters {
		if m.gated(i) {
			n++
		}
	}
	each := d.Imputations() // of which R-hat is the largest
	mixed := diag.PerfectRHat(n*each, len(d.Draws.Spool.Chains)/each, d.Window.Draws(), PerfectLevel)
	out := []record.Diagnostic{
		{Name: "rhat_max", Chain: -1, Value: m.WorstRHat()},
		{Name: "rhat_max_if_mixed", Chain: -1, Value: mixed},
		{Name: "ess_bulk_median", Chain: -1, Value: m.ESS("median")},
		{Name: "ess_bulk_min", Chain: -1, Value: m.ESS("min")},
		{Name: "divergences", Chain: -1, Value: float64(m.Divergences)},
	}
	if total := d.Facts().Observations; total > 0 {
		out = append(out, record.Diagnostic{Name: "observations", Chain: -1, Value: total})
	}
	out = append(append(out, more...), d.rates()...)
	return append(out, m.hamiltonian.diagnostics(d.Method())...)
}

// rates are those that are predicted for Gibbs samplers of group-level effects, with those of this one.
func (d *Drawn) rates() []record.Diagnostic {
	r := d.Capabilities().Regression
	if r == nil {
		return nil
	}
	draws := float64(d.Window.Draws() * len(d.Draws.Spool.Chains))
	intercept, least := math.NaN(), math.Inf(1)
	means := map[string]float64{}
	for i, p := range d.Kept {
		s := &d.Measured.Parameters[i]
		switch p.Kind {
		case infer.Intercept:
			intercept = s.ESSBulk / draws
		case infer.GroupEffect:
			least = min(least, s.ESSBulk/draws)
		case infer.GroupSD, infer.Dispersion:
			means[p.Name] = s.Mean
		}
	}
	rates, ok := r.GibbsRates(func(name string) float64 { return means[name] })
	if !ok {
		return nil
	}
	note := func(rate float64) string {
		return fmt.Sprintf("%.2f effective draws an iteration; these chains have %.2f of the intercept, %.2f of the least "+
			"effect", (1-rate)/(1+rate), intercept, least)
	}
	return []record.Diagnostic{
		{Name: "gibbs_rate_plain", Chain: -1, Value: rates.Plain, Note: note(rates.Plain)},
		{Name: "gibbs_rate_collapsed", Chain: -1, Value: rates.Collapsed, Note: note(rates.Collapsed)}}
}

// PerfectLevel is the probability with which the largest R-hat of perfectly mixed chains stays below the figure
// that is reported with it.
const PerfectLevel = 0.9

// infosAtOnce is how many iterations' statistics are read at once.
const infosAtOnce = 1024

// Statistics yields the chains' statistics, warm-up included, by blocks.
func Statistics(file *spool.Fit, w plan.Window) iter.Seq2[*infer.Iterations, error] {
	return func(yield func(*infer.Iterations, error) bool) {
		for c, chain := range file.Chains {
			for from := 0; from < w.To; from += infosAtOnce {
				infos, err := chain.Infos(from, min(from+infosAtOnce, w.To))
				stats := &infer.Iterations{Chain: c, First: from - w.From + 1, Infos: infos}
				if !yield(stats, err) || err != nil {
					return
				}
			}
		}
	}
}

// times shares the elapsed times of the chains out over set-up, warm-up and
// sampling, as one core would have needed them, and scales sampling to an ESS
// of 100. Sampling counts the making of each kept draw once, where a sampler's rows are
// expanded while the fit is checked. An ESS below 100 gives NaN: the run has not shown that time.
func (d *Drawn) times(s Stamp) record.Times {
	t := record.Times{Setup: d.Took.Seconds(), Wall: s.Now().Sub(s.Began).Seconds()}
	for _, c := range d.Draws.Spool.Chains {
		t.Setup += c.SetupElapsed.Seconds()
		t.Warmup += c.Elapsed(0, d.Window.From).Seconds()
		t.Sampling += c.Elapsed(d.Window.From, d.Window.To).Seconds()
	}
	t.Sampling += d.Measured.expanding.Seconds()
	until := func(ess float64) float64 {
		if !(ess >= 100) {
			return math.NaN()
		}
		return t.Setup + t.Warmup + t.Sampling*(100/ess)
	}
	t.ToESS100Median = until(d.Measured.ESS("median"))
	t.ToESS100Min = until(d.Measured.ESS("min"))
	t.ToESS100LogLik = until(d.Measured.logLik.ESSBulk)
	return t
}
