package diag

import (
	"math"
	"math/rand/v2"
	"testing"
)

// pool() of mice 3.15.0 for lm(chl ~ age + bmi) on five imputations of nhanes (seed 1): the coefficients of age.
func TestRubinAgainstMice(t *testing.T) {
	means := []float64{23.9807193332113577, 35.5286380558803145, 41.840689999645605, 31.4473714578122028, 21.5712142509187075}
	variances := []float64{58.2881456312950021, 74.1366878898576402, 81.9199253360507527, 76.7951074657534747, 79.5011747450038797}
	got := PoolRubin(means, variances, 22)
	want := Rubin{Mean: 30.87372661949364, Within: 74.12820821359215, Between: 69.08046011973936, Total: 157.02476035727938,
		Increase: 1.11828619821526, Lambda: 0.527920258913768, DF: 5.73613682457585, FMI: 0.635995430025606}
	for name, pair := range map[string][2]float64{
		"mean": {got.Mean, want.Mean}, "within": {got.Within, want.Within}, "between": {got.Between, want.Between},
		"total": {got.Total, want.Total}, "increase": {got.Increase, want.Increase}, "lambda": {got.Lambda, want.Lambda},
		"df": {got.DF, want.DF}, "fmi": {got.FMI, want.FMI},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-12*math.Abs(pair[1]) {
			t.Errorf("%s is %v, mice has %v", name, pair[0], pair[1])
		}
	}
	// Large samples have Rubin's own degrees of freedom; without a difference there are those of complete data.
	if got := PoolRubin(means, variances, math.Inf(1)).DF; math.Abs(got-4/(want.Lambda*want.Lambda)) > 1e-9 {
		t.Errorf("df of a large sample %v", got)
	}
	if got := PoolRubin([]float64{1, 1}, []float64{2, 2}, 22); got.Lambda != 0 || math.Abs(got.DF-22*23.0/25) > 1e-12 {
		t.Errorf("equal imputations have lambda %v and df %v", got.Lambda, got.DF)
	}
}

// fourPosteriors are two chains on each of four normal posteriors, 1000 independent draws each, with means shift·m.
func fourPosteriors(shift float64) [][]float64 {
	rng, chains := rand.New(rand.NewPCG(1, 2)), make([][]float64, 8)
	for c := range chains {
		for range 1000 {
			chains[c] = append(chains[c], rng.NormFloat64()+shift*float64(c/2))
		}
	}
	return chains
}

// Posteriors that differ are no alarm; a chain that differs from the other of its posterior is one.
func TestSummarizePooled(t *testing.T) {
	w := NewWorkspace()
	apart := fourPosteriors(0.7)
	got := w.SummarizePooled(apart, 4)
	if got.Across < 1.2 || got.RHat > 1.01 {
		t.Errorf("R-hat across %.3f, within %.3f", got.Across, got.RHat)
	}
	if got.ESSBulk < 6000 || got.ESSTail < 5000 {
		t.Errorf("ESS %.0f and %.0f of 8000 independent draws", got.ESSBulk, got.ESSTail)
	}
	// 8000 draws of sd 1 around four fixed means; sd = sqrt(1 + 0.49·1.25). The error of the sd is by first order, and
	// each within a tenth.
	if math.Abs(got.MCSEMean-1/math.Sqrt(8000)) > 0.1/math.Sqrt(8000) {
		t.Errorf("MCSE of the mean %.5f", got.MCSEMean)
	}
	between := 0.49 * 1.25
	want := math.Sqrt((0.5+between)/8000) / math.Sqrt(1+between)
	if math.Abs(got.MCSESD-want) > 0.1*want || math.Abs(got.SD-math.Sqrt(1+between)) > 0.05 {
		t.Errorf("SD %.4f, its MCSE %.5f, want %.5f", got.SD, got.MCSESD, want)
	}
	for i := range apart[5] {
		apart[5][i] += 1.5
	}
	if stuck := w.SummarizePooled(apart, 4); stuck.RHat < 1.1 || stuck.ESSBulk > 100 || stuck.RHat != stuck.Each[2].RHat {
		t.Errorf("one chain apart: R-hat %.3f, ESS %.0f", stuck.RHat, stuck.ESSBulk)
	}
	// One posterior is an ordinary column.
	plain := fourPosteriors(0)
	if a, b := w.SummarizePooled(plain, 1), w.Summarize(plain); a.RHat != b.RHat || a.Mean != b.Mean ||
		math.Abs(a.ESSBulk-b.ESSBulk) > 1e-9*b.ESSBulk || a.Across != b.RHat {
		t.Errorf("one posterior: %+v, want %+v", a.Summary, b)
	}
	// A statistic that is unknown for one imputation is unknown for all.
	for i := range plain[2] {
		plain[2][i], plain[3][i] = 0, 0
	}
	if got := w.SummarizePooled(plain, 4); !math.IsNaN(got.RHat) || !math.IsNaN(got.ESSBulk) ||
		got.Reason != "in imputation 2 all draws are equal" {
		t.Errorf("R-hat %v, ESS %v, reason %q", got.RHat, got.ESSBulk, got.Reason)
	}
}
