package assess

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// Chains that are no Markov chains of the model have no R-hat, no ESS and no Monte Carlo errors, and keep their moments.
func TestWithoutDiagnostics(t *testing.T) {
	full := diag.Summary{Mean: 1, SD: 2, Median: 3, RHat: 1, ESSBulk: 1, ESSTail: 1, MCSEMean: 1, MCSESD: 1, MCSEMedian: 1,
		MCSEQ05: 1, MCSEQ95: 1}
	m := &Measured{Parameters: []diag.Summary{full, full}, logLik: full, logPrior: full}
	m.withoutDiagnostics("herded")
	for i, s := range append(m.Parameters, m.logLik, m.logPrior) {
		for _, v := range []float64{s.RHat, s.ESSBulk, s.ESSTail, s.MCSEMean, s.MCSESD, s.MCSEMedian, s.MCSEQ05, s.MCSEQ95} {
			if !math.IsNaN(v) {
				t.Errorf("summary %d has the diagnostic %v", i, v)
			}
		}
		if s.Mean != 1 || s.SD != 2 || s.Median != 3 || s.Reason != "herded" {
			t.Errorf("summary %d: %+v", i, s)
		}
	}
}

// Gates look at what moves: evidence of draws and of a ledger alike. A log_lik of a scan for some variables is left out.
func TestGatesLookAtWhatMoves(t *testing.T) {
	moving := diag.Summary{RHat: 1, SD: 2, ESSBulk: 300, ESSTail: 200}
	constant := diag.Summary{RHat: math.NaN(), ESSTail: math.NaN()}
	ties := diag.Summary{RHat: 1, SD: 1, ESSBulk: 100, ESSTail: math.NaN()}
	for _, c := range []struct {
		name       string
		parameters []diag.Summary
		logLik     diag.Summary
		focused    bool
		names      []string // of the parameters that are judged
		statistics int
	}{
		{"constants", []diag.Summary{moving, constant, ties}, moving, false, []string{"a", "c"}, 1},
		{"a constant log_lik", []diag.Summary{moving, constant}, constant, false, []string{"a"}, 0},
		{"a scan for some", []diag.Summary{moving, constant}, moving, true, []string{"a"}, 0},
		{"nothing moves", []diag.Summary{constant, constant}, constant, false, []string{"a", "b"}, 1},
		{"log_lik alone moves", []diag.Summary{constant, constant}, ties, false, []string{"log_lik"}, 0},
	} {
		e := judge.Evidence{Names: []string{"a", "b", "c"}[:len(c.parameters)], Summaries: c.parameters,
			Statistics: []judge.Statistic{{Name: "log_lik", Summary: c.logLik}, {Name: "log_prior", Summary: moving}}}
		Gate(plan.Gating{Constants: true, Focused: c.focused}, &e)
		if !slices.Equal(e.Names, c.names) || len(e.Summaries) != len(c.names) || len(e.Statistics) != c.statistics {
			t.Errorf("%s: %v, %d statistics", c.name, e.Names, len(e.Statistics))
		}
		for i, s := range e.Summaries {
			if s.SD == 1 && s.ESSTail != 100 {
				t.Errorf("%s: the tail ESS of %s, which has ties, is %g", c.name, e.Names[i], s.ESSTail)
			}
		}
	}
}

// No gate looks at local scales, at components as they were sampled, at log_prior, or at any statistic of a method whose
// gating is of parameters alone.
func TestNoGateLooksAt(t *testing.T) {
	if got := localScales([]infer.Parameter{{Kind: infer.Coefficient}, {Kind: infer.LocalScale}, {Kind: infer.Unsorted}}); !slices.Equal(got, []bool{false, true, true}) {
		t.Errorf("left out: %v", got)
	}
	all := func() []judge.Statistic {
		return []judge.Statistic{{Name: "log_lik"}, {Name: "log_prior"}, {Name: "z1"}}
	}
	if got := gatedStatistics(plan.Gating{}, all()); len(got) != 2 || got[1].Name != "z1" {
		t.Errorf("gated: %+v", got)
	}
	if got := gatedStatistics(plan.Gating{Parameters: true}, all()); len(got) != 0 {
		t.Errorf("gated of parameters alone: %+v", got)
	}
}

// warned is a problem with a warning of its design.
type warned struct{ quiet }

func (warned) Facts() plan.Facts { return plan.Facts{Warnings: []string{"design"}} }

// Evidence has the warnings of the design and of priors, every derived quantity, and no log_prior.
func TestEvidence(t *testing.T) {
	f := &plan.Fit{Pipeline: new(spec.Pipeline), Model: new(spec.Model), Gates: judge.Defaults()}
	p := &Prepared{Identified: &plan.Identified{Fit: f, Problem: warned{}}, Setup: &plan.Setup{Cautions: []string{"prior"}},
		Quantities: derivedOf(t, "a", "b")}
	m := &Measured{Parameters: []diag.Summary{{Mean: 1}}, Derived: []diag.Summary{{Mean: 2}, {Mean: 3}}, Divergences: 4}
	e := p.evidence(m)
	if !slices.Equal(e.Warnings, []string{"design", "prior"}) || e.Divergences != 4 {
		t.Errorf("warnings %q, %d divergences", e.Warnings, e.Divergences)
	}
	if len(e.Derived) != 2 || e.Derived[0].Summary.Mean != 2 || e.Derived[1].Summary.Mean != 3 {
		t.Errorf("derived: %+v", e.Derived)
	}
	if got := unique([]string{"a", "b"}, []string{"b", "c"}, nil); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("unique: %q", got)
	}
	if v := ungated([]string{"x"}); v.Grade != judge.Warn || !slices.Equal(v.Reasons, []string{"x"}) || ungated(nil).Grade != judge.Pass {
		t.Errorf("a fit without gates: %+v, %+v", v, ungated(nil))
	}
}

// A summary that has a reason keeps it in front of that of its doubt; a stored summary without a median is no doubt.
func TestReasonsOfDoubts(t *testing.T) {
	m := &Measured{Parameters: []diag.Summary{{Mean: 1, Reason: "ties"}}}
	m.withoutMoments([]glm.Doubt{{Parameters: []int{0}, Reason: "no mean"}})
	if got := m.Parameters[0].Reason; got != "ties; no mean" {
		t.Errorf("reason %q", got)
	}
	none := math.NaN()
	if got := meanless([]diag.Summary{{Mean: none, Median: none}, {Mean: none, Median: 1, Reason: "r"}}); len(got) != 1 ||
		got[0].Parameters[0] != 1 {
		t.Errorf("doubts %+v", got)
	}
}

// Words on imputations name the parameter whose draws differ most, if they differ, and that of the greatest FMI.
func TestPoolingWords(t *testing.T) {
	all := []record.Pooling{{Parameter: "a", Across: 1.004}, {Parameter: "b", Across: 1.2}}
	all[0].FMI, all[1].FMI = 0.25, 0.1
	const within = "R-hat and effective sample sizes are taken within each of the 5 imputations"
	if got := poolingWords(all, 5, 0, 1); got != within+"; over all draws R-hat is 1.20, at b, because imputations differ, "+
		"which is no fault of the chains; the largest fraction of missing information is 0.25, of a" {
		t.Error(got)
	}
	if got := poolingWords(all, 5, -1, 0); got != within {
		t.Error(got)
	}
}

// More than a target asks for is not lost to divergences; a fit whose gates decide is.
func TestMixedMedianTarget(t *testing.T) {
	f := &plan.Fit{Pipeline: new(spec.Pipeline), Model: new(spec.Model), Gates: judge.Defaults()}
	f.Pipeline.Run.Until.ESS, f.Pipeline.Run.Until.Over = 100, "median"
	p := &Prepared{Identified: &plan.Identified{Fit: f, Problem: quiet{}}, Setup: new(plan.Setup)}
	m := &Measured{Parameters: []diag.Summary{{ESSBulk: 10}, {ESSBulk: 150}, {ESSBulk: 400}}}
	if !p.reached(m) {
		t.Error("the median ESS is 150, and a target of 100 is not reached")
	}
	if f.Pipeline.Run.Until.Over = "min"; p.reached(m) {
		t.Error("the least ESS is 10, and a target of 100 is reached")
	}
}
