package diag

import "math"

// Summary is what is told of one column of draws. A number that cannot be
// computed is NaN, and Reason says why.
type Summary struct {
	Mean, SD                         float64
	MCSEMean, MCSESD                 float64
	Q025, Q05, Q25, Median, Q75, Q95 float64
	Q975                             float64
	MCSEMedian, MCSEQ05, MCSEQ95     float64
	RHat, ESSBulk, ESSTail           float64
	Reason                           string
}

// Workspace holds buffers for Summarize. It is not safe for concurrent use.
type Workspace struct{}

// NewWorkspace returns an empty workspace.
func NewWorkspace() *Workspace { return new(Workspace) }

// Summarize describes one column: chains × iterations, of equal lengths.
func (w *Workspace) Summarize(chains [][]float64) Summary {
	var s Summary
	for _, c := range chains {
		for _, v := range c {
			if math.IsNaN(v) {
				nan := math.NaN()
				return Summary{nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, "some draws are NaN"}
			}
		}
	}
	flat := refFlat(chains)
	s.Mean, s.SD = refMean(flat), math.Sqrt(refVar(flat))
	s.MCSEMean, s.MCSESD = MCSEMean(chains), MCSESD(chains)
	q := func(p float64) float64 { return refQuantile(chains, p) }
	s.Q025, s.Q05, s.Q25, s.Median, s.Q75, s.Q95, s.Q975 = q(0.025), q(0.05), q(0.25), q(0.5), q(0.75), q(0.95), q(0.975)
	s.MCSEMedian, s.MCSEQ05, s.MCSEQ95 = MCSEQuantile(chains, 0.5), MCSEQuantile(chains, 0.05), MCSEQuantile(chains, 0.95)
	s.RHat, s.ESSBulk, s.ESSTail = RHat(chains), ESSBulk(chains), ESSTail(chains)
	if math.IsNaN(s.RHat + s.ESSBulk + s.ESSTail) {
		s.Reason = "the draws do not vary or are too few"
	}
	return s
}

// PerfectRHat returns the largest R-hat that perfect mixing would give over
// params independent parameters; level is its quantile.
func PerfectRHat(params, chains, draws int, level float64) float64 {
	m, n := float64(2*chains), float64(draws/2)
	p := 1 - exp(ln(level)/float64(2*params))
	a, b := m*(n-1)/2, (m-1)/2
	y := betaQuantile(p, a, b)
	f := (1 - y) / y * a / b
	return math.Sqrt((f + n - 1) / n)
}
