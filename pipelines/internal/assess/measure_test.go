package assess

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report/judge"
)

// Targets, to_ess100_… and ess_bulk_… are over every parameter that gates check: intercept, coefficients and sigma
// here, not the local scale that is the last.
func TestEffectiveSampleSizeOfTheTarget(t *testing.T) {
	m := &Measured{logLik: diag.Summary{ESSBulk: 5}, local: []bool{false, false, false, false, true}}
	for _, ess := range []float64{400, 100, 300, 7, 1} {
		m.Parameters = append(m.Parameters, diag.Summary{ESSBulk: ess})
	}
	for over, want := range map[string]float64{"median": 200, "min": 7, "all": 5} {
		if got := m.ESS(over); got != want {
			t.Errorf("%s: %g, want %g", over, got, want)
		}
	}
	even := &Measured{Parameters: []diag.Summary{{ESSBulk: 400}, {ESSBulk: 100}, {ESSBulk: 310}, {ESSBulk: 200}}}
	if got := even.ESS("median"); got != 255 {
		t.Errorf("median of four: %g, want the mean of the two in the middle, 255", got)
	}
	even.Parameters = even.Parameters[:3]
	if got := even.ESS("median"); got != 310 {
		t.Errorf("median of three: %g, want 310", got)
	}
	m.Parameters[1].ESSBulk = math.NaN()
	if got := m.ESS("min"); got != 0 {
		t.Errorf("an ESS that cannot be computed counts as %g, want 0", got)
	}
	still := &Measured{logLik: diag.Summary{ESSBulk: math.NaN()}, still: true, Parameters: []diag.Summary{{ESSBulk: 9}}}
	if got := still.ESS("all"); got != 9 {
		t.Errorf("with a log_lik that never moves: %g, want 9", got)
	}
}

// The worst R-hat is that of all that gates look at: parameters, log_lik and the statistics of a compact row.
func TestWorstRHat(t *testing.T) {
	of := func(parameter, logLik, statistic float64) *Measured {
		return &Measured{Parameters: []diag.Summary{{RHat: parameter}, {RHat: 9}}, local: []bool{false, true},
			logLik: diag.Summary{RHat: logLik}, extra: []judge.Statistic{{Summary: diag.Summary{RHat: 1, ESSBulk: 900}},
				{Summary: diag.Summary{RHat: statistic, ESSBulk: 800}}}}
	}
	nan := math.NaN()
	for _, c := range []struct{ parameter, logLik, statistic, want float64 }{
		{1.4, 1.1, 1.2, 1.4}, {1.1, 1.4, 1.2, 1.4}, {1.1, 1.2, 1.4, 1.4},
		{nan, 1, 1, math.Inf(1)}, {1, nan, 1, math.Inf(1)}, {1, 1, nan, math.Inf(1)},
	} {
		m := of(c.parameter, c.logLik, c.statistic)
		if got := m.WorstRHat(); got != c.want {
			t.Errorf("%+v: %g", c, got)
		}
		if gates := (judge.Gates{RHat: judge.Limits{Fail: judge.At(1.3)}}); m.mixed(gates, nil) {
			t.Errorf("%+v: mixed", c)
		}
	}
	still := of(1.1, nan, 1.2)
	still.still = true
	if got := still.WorstRHat(); got != 1.2 {
		t.Errorf("with a log_lik that never moves: %g, want 1.2", got)
	}
	least := &Measured{Parameters: []diag.Summary{{ESSBulk: 950}}, logLik: diag.Summary{ESSBulk: 990}, extra: still.extra}
	if got := least.ESS("all"); got != 800 {
		t.Errorf("least ESS: %g, want that of the second statistic, 800", got)
	}
}

func TestMixedNeedsEveryRHat(t *testing.T) {
	gate := judge.Gates{RHat: judge.Limits{Fail: judge.At(1.01)}}
	m := &Measured{Parameters: []diag.Summary{{RHat: 1.005}, {RHat: 1.009}}, logLik: diag.Summary{RHat: 1}}
	if !m.mixed(gate, nil) {
		t.Error("every R-hat is below the gate, and yet not mixed")
	}
	m.logLik.RHat = 1.02
	if m.mixed(gate, nil) {
		t.Error("log_lik has not mixed, and yet mixed")
	}
	m.logLik.RHat = math.NaN()
	if m.mixed(gate, nil) {
		t.Error("an R-hat that cannot be computed passes")
	}
	if !m.mixed(judge.Gates{}, nil) {
		t.Error("a gate that is off stops a run")
	}
}

// Diagnostics by blocks of columns equal those of all columns at once, whatever
// the blocks of draws in the spool.
func TestMeasureByBlocks(t *testing.T) {
	const params, draws = 7, 90
	f, err := spool.Disk{}.Open(t.TempDir(), spool.Manifest{Fingerprint: "f", Params: params, Chains: 2})
	must(t, err)
	defer f.Close()
	all := make([][][]float64, params) // [param][chain][draw]
	rng := infer.NewStream(1)
	for p := range all {
		all[p] = [][]float64{make([]float64, draws), make([]float64, draws)}
	}
	for c, chain := range f.Chains {
		must(t, chain.Begin(make([]float64, params), "", []byte("s"), 0))
		for first, size := 0, 1+c; first < draws; size = min(size+3, draws-first) {
			b := infer.NewBlock(c, first, size, params)
			for i := range size {
				theta := make([]float64, params)
				for p := range theta {
					theta[p] = rng.Float64()
					all[p][c][first+i] = theta[p]
				}
				b.Set(i, theta, infer.Info{LogLik: theta[0], LogPrior: theta[1], Divergent: (first+i)%10 == 0})
			}
			must(t, chain.Append(b, []byte("s"), 0))
			first += size
		}
	}
	w := plan.Window{From: 13, To: 83}
	for _, width := range []int{0, 1, 3, 7} {
		checkMeasured(t, f, all, w, width)
	}
}

func checkMeasured(t *testing.T, f *spool.Fit, all [][][]float64, w plan.Window, width int) {
	t.Helper()
	m, err := measure(&Draws{Spool: f, Numbers: Numbers{Params: len(all)}}, w, 1, width*8*2*w.Draws())
	must(t, err)
	for p := range all {
		want := diag.NewWorkspace().Summarize([][]float64{all[p][0][w.From:w.To], all[p][1][w.From:w.To]})
		if m.Parameters[p] != want {
			t.Errorf("%d columns at once: parameter %d: %+v, want %+v", width, p, m.Parameters[p], want)
		}
	}
	if m.logLik != m.Parameters[0] || m.logPrior != m.Parameters[1] {
		t.Error("log_lik or log_prior is not the statistic that was spooled")
	}
	if m.Divergences != 14 {
		t.Errorf("%d divergences in the window, want 14", m.Divergences)
	}
}

// A quantity that is the same in every draw is passed over, unless nothing else moves.
func TestConstantsArePassedOver(t *testing.T) {
	moving, constant := diag.Summary{RHat: 1, SD: 2}, diag.Summary{RHat: math.NaN()}
	m := &Measured{Parameters: []diag.Summary{moving, constant}, logLik: moving}
	m.passOver(false)
	if !m.gated(0) || m.gated(1) {
		t.Errorf("gated: %v, %v, want the first alone", m.gated(0), m.gated(1))
	}
	still := &Measured{Parameters: []diag.Summary{constant, constant}, logLik: constant}
	still.passOver(false)
	if !still.gated(0) || !still.gated(1) {
		t.Error("where nothing moves, everything is gated")
	}
}
