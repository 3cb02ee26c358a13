package diag

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"testing"
)

// TestReasons: each case lacks numbers, and the reason has to say why.
func TestReasons(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ramp := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64((i * 7) % n)
		}
		return x
	}
	repeat := func(n int, v ...float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = v[i%len(v)]
		}
		return x
	}
	for _, c := range []struct {
		name   string
		draws  [][]float64
		reason string
		nan    func(s Summary) []float64 // these must be NaN
	}{
		{"no chains", nil, "there are no draws", func(s Summary) []float64 { return []float64{s.Mean, s.Median, s.RHat} }},
		{"no draws", [][]float64{{}, {}}, "there are no draws", func(s Summary) []float64 { return []float64{s.Mean, s.RHat} }},
		{"NaN", [][]float64{ramp(9), {1, 2, nan, 4, 5, nan, 7, 8, 9}},
			"2 of 18 draws are NaN, the first in chain 2 at iteration 3",
			func(s Summary) []float64 { _, v := fields(s); return v }},
		{"infinite", [][]float64{{1, 2, 3, 4, inf, 6}},
			"1 of 6 draws are infinite, the first in chain 1 at iteration 5",
			func(s Summary) []float64 { return []float64{s.SD, s.MCSEMean, s.ESSTail, s.MCSEMedian} }},
		{"equal", [][]float64{repeat(10, 0.1), repeat(10, 0.1)}, "all draws are equal",
			func(s Summary) []float64 { return []float64{s.RHat, s.ESSBulk, s.ESSTail, s.MCSEMean, s.MCSEQ05} }},
		{"three", [][]float64{ramp(3)}, "R-hat needs at least 4 iterations per chain",
			func(s Summary) []float64 { return []float64{s.RHat, s.ESSBulk} }},
		{"five", [][]float64{ramp(5)}, "ESS and MCSE need at least 6 iterations per chain",
			func(s Summary) []float64 { return []float64{s.ESSBulk, s.MCSEMean} }},
		{"two values, sd", [][]float64{repeat(20, 1, 2), repeat(20, 2, 1)}, "all draws lie equally far from their mean",
			func(s Summary) []float64 { return []float64{s.MCSESD} }},
		{"ties at the top", [][]float64{repeat(20, 1, 2, 3, 4, 5, 5, 5)}, "at least 5 % of the draws equal the largest",
			func(s Summary) []float64 { return []float64{s.ESSTail, s.MCSEQ95} }},
		{"half at the top", [][]float64{repeat(20, 1, 2, 5, 5, 5)}, "at least half of the draws equal the largest",
			func(s Summary) []float64 { return []float64{s.MCSEMedian} }},
		{"all but one at the top", [][]float64{append(repeat(39, 5), 1)}, "at least 95 % of the draws equal the largest",
			func(s Summary) []float64 { return []float64{s.MCSEQ05} }},
	} {
		s := NewWorkspace().Summarize(c.draws)
		if !strings.Contains(s.Reason, c.reason) {
			t.Errorf("%s: reason %q, want %q", c.name, s.Reason, c.reason)
		}
		for i, v := range c.nan(s) {
			if !math.IsNaN(v) {
				t.Errorf("%s: number %d is %v, want NaN", c.name, i, v)
			}
		}
	}
}

// TestTwoValues: the distances of two values from their mean differ by rounding
// alone, which must not be taken for variation.
func TestTwoValues(t *testing.T) {
	for half := 3; half < 40; half++ {
		x := make([]float64, 2*half)
		for i := range x {
			x[i] = []float64{0.1, 0.7}[i%2]
		}
		if v := NewWorkspace().Summarize([][]float64{x}).MCSESD; !math.IsNaN(v) {
			t.Errorf("%d draws: MCSESD is %g", 2*half, v)
		}
	}
}

func TestStuckChainsAreInfinitelyFarApart(t *testing.T) {
	s := NewWorkspace().Summarize([][]float64{{1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2}, {4, 4, 4, 4, 4, 4}})
	if !math.IsInf(s.RHat, 1) || !strings.Contains(s.Reason, "R-hat is infinite") {
		t.Errorf("R-hat %v, reason %q", s.RHat, s.Reason)
	}
}

// TestGoodDrawsNeedNoReason over the golden cases whose numbers all exist.
func TestGoodDrawsNeedNoReason(t *testing.T) {
	for _, name := range []string{"iid", "cauchy", "one_chain_odd", "short_2x10", "sticky", "offset"} {
		if s := NewWorkspace().Summarize(readDraws(t, name)); s.Reason != "" {
			t.Errorf("%s: reason %q", name, s.Reason)
		}
	}
}

func TestUnequalChainsPanic(t *testing.T) {
	defer func() {
		if r := recover(); r != "diag: chain 2 has 1 draws, chain 1 has 2" {
			t.Errorf("recovered %v", r)
		}
	}()
	NewWorkspace().Summarize([][]float64{{1, 2}, {1}})
}

// TestBits pins the bits of four columns: they have to be the same on every
// processor. A change here is a change of Version.
func TestBits(t *testing.T) {
	h := sha256.New()
	for _, name := range []string{"iid", "ar_0.99", "poisson", "lognormal_wide"} {
		_, v := fields(NewWorkspace().Summarize(readDraws(t, name)))
		v = append(v, PerfectRHat(100, 4, 1000, 0.5))
		must(t, binary.Write(h, binary.LittleEndian, v))
	}
	const want = "c686e846dc24b70f1286f4696fe3ac883cbd2f0297c628c5490bcfd936cf6487"
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("%s: the bits are %s, were %s", Version, got, want)
	}
}
