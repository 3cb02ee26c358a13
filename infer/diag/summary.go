package diag

import (
	"fmt"
	"math"
	"strings"
)

// Version names the algorithms of this package; it changes whenever their
// results may.
const Version = "diag/2"

// Summary holds the statistics of one column of draws, in the unit of the draws except for RHat and the two ESS. A
// number that cannot be computed is NaN, and Reason says why.
type Summary struct {
	Mean, SD                               float64
	MCSEMean, MCSESD                       float64
	Q025, Q05, Q25, Median, Q75, Q95, Q975 float64 // R's type 7
	MCSEMedian, MCSEQ05, MCSEQ95           float64
	RHat, ESSBulk, ESSTail                 float64
	Reason                                 string // empty if no number is NaN or infinite
}

// Summarize describes one column: chains × iterations, of equal lengths, the
// warm-up left out. It allocates nothing once it has seen a column of this
// shape, save the words of an unusual Reason.
//
// Cost: 50 to 100 ns a draw with vector instructions, more the longer the chains are correlated; O(S)
// to O(S log S) for S draws. It panics if the chains differ in length.
func (w *Workspace) Summarize(chains [][]float64) Summary {
	w.load(chains)
	nan := math.NaN()
	s := Summary{
		Mean: nan, SD: nan, MCSEMean: nan, MCSESD: nan,
		Q025: nan, Q05: nan, Q25: nan, Median: nan, Q75: nan, Q95: nan, Q975: nan,
		MCSEMedian: nan, MCSEQ05: nan, MCSEQ95: nan,
		RHat: nan, ESSBulk: nan, ESSTail: nan,
	}
	if w.ordered() {
		w.summarizeOrder(&s)
		w.summarizeMoments(&s)
	}
	s.Reason = w.reason(&s, chains)
	return s
}

// summarizeOrder fills in what depends on the order of the draws.
func (w *Workspace) summarizeOrder(s *Summary) {
	s.Q025, s.Q05, s.Q25 = w.quantile(0.025), w.quantile(0.05), w.quantile(0.25)
	s.Median = w.quantile(0.5)
	s.Q75, s.Q95, s.Q975 = w.quantile(0.75), w.quantile(0.95), w.quantile(0.975)

	low, mid, high := w.essQuantile(0.05), w.essQuantile(0.5), w.essQuantile(0.95)
	s.ESSTail = math.Min(low, high)
	s.MCSEQ05 = w.mcseQuantile(0.05, low)
	s.MCSEMedian = w.mcseQuantile(0.5, mid)
	s.MCSEQ95 = w.mcseQuantile(0.95, high)

	var bulk float64
	bulk, s.ESSBulk = w.bulk()
	s.RHat = math.Max(bulk, w.foldedRHat())
}

// summarizeMoments fills in what depends on the draws as numbers.
func (w *Workspace) summarizeMoments(s *Summary) {
	if !w.finite() {
		s.Mean = w.lo + w.hi // ±Inf, or NaN if both occur
		return
	}
	u := w.unit()
	m := w.plainMoments(u)
	s.Mean = u.origin + math.Ldexp(m.mean, u.exponent)
	s.SD = math.Ldexp(math.Sqrt(m.squares/float64(w.size()-1)), u.exponent)
	s.MCSEMean = math.Ldexp(w.mcseMean(m), u.exponent)
	s.MCSESD = math.Ldexp(w.mcseSD(w.squareMoments(u, m.mean)), u.exponent)
}

// reason explains why numbers of s are NaN or infinite.
func (w *Workspace) reason(s *Summary, chains [][]float64) string {
	switch {
	case w.size() == 0:
		return "there are no draws"
	case w.nans > 0:
		return where("NaN", math.IsNaN, chains)
	case !w.finite():
		return where("infinite", func(v float64) bool { return math.IsInf(v, 0) }, chains)
	case w.constant():
		return "all draws are equal"
	case w.half < 2:
		return "R-hat needs at least 4 iterations per chain, ESS and MCSE 6"
	case w.half < 3:
		return "ESS and MCSE need at least 6 iterations per chain"
	}
	var buffer [6]string
	reasons := buffer[:0]
	add := func(holds bool, words string) {
		if holds {
			reasons = append(reasons, words)
		}
	}
	add(math.IsNaN(s.RHat), "half of the draws are infinite: no R-hat of the folded draws")
	add(math.IsInf(s.RHat, 1), "no half of a chain varies, but they differ: R-hat is infinite")
	add(math.IsNaN(s.MCSEQ95), "at least 5 % of the draws equal the largest: no ESS and MCSE of the 95 % quantile")
	add(math.IsNaN(s.MCSEMedian), "at least half of the draws equal the largest: no ESS and MCSE of the median")
	add(math.IsNaN(s.MCSEQ05), "at least 95 % of the draws equal the largest: no ESS and MCSE of the 5 % quantile")
	add(math.IsNaN(s.MCSESD), "all draws lie equally far from their mean: no MCSE of the standard deviation")
	return strings.Join(reasons, "; ")
}

// where counts the draws of a kind and points at the first of them.
func where(kind string, is func(float64) bool, chains [][]float64) string {
	count, chain, iteration := 0, 0, 0
	for c, draws := range chains {
		for i, v := range draws {
			if is(v) {
				if count == 0 {
					chain, iteration = c+1, i+1
				}
				count++
			}
		}
	}
	return fmt.Sprintf("%d of %d draws are %s, the first in chain %d at iteration %d",
		count, len(chains)*len(chains[0]), kind, chain, iteration)
}

// ESSBulk returns the effective sample size of the rank-normalised draws of one
// column, chains × iterations of equal lengths (it panics otherwise): the ESSBulk
// of Workspace.Summarize alone, in O(S log S) for S draws and a workspace of its
// own. It is NaN if the draws hold a NaN, are all equal, or are fewer than 6 per chain.
func ESSBulk(chains [][]float64) float64 {
	w := new(Workspace)
	w.load(chains)
	_, ess := w.bulk()
	return ess
}
