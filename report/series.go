package report

import (
	"math"
	"slices"

	"glmbatch/infer/diag"
	"glmbatch/report/html"
)

// Limits of a quantity's series on a page.
const (
	traceDraws = 250 // of a chain, at most
	rankBins   = 20  // classes of ranks
	autoLags   = 31  // lags 0 to 30, or multiples of a stride
	growthSize = 8   // lengths at which effective sample sizes are computed
)

// A reducer makes what a page draws of columns of draws. It keeps a workspace for
// each length, since columns of one shape come one after the other.
type reducer [growthSize]diag.Workspace

// series reduces the draws of one quantity, a slice a chain, all of one length, to the lines of a page. s has its
// name and its diagnostics over all draws, from the ledger; chains of imputations are compared with those of their
// own. Cost: O(S log S) for S draws, growthSize times.
func (r *reducer) series(s html.Series, chains [][]float64) html.Series {
	s.Draws = len(chains[0])
	s.Every = max(1, (s.Draws+traceDraws-1)/traceDraws)
	low, high := rangeOf(chains)
	s.Low, s.High = html.Number(low), html.Number(high)
	for _, c := range chains {
		s.Trace = append(s.Trace, traceOf(c, s.Every, low, high))
	}
	each := max(1, len(chains)/max(1, s.Imputations))
	for from := 0; from < len(chains); from += each {
		s.Ranks = append(s.Ranks, ranksOf(chains[from:min(from+each, len(chains))])...)
	}
	stride := lagStride(s.Draws, len(chains)*s.Draws, float64(s.Bulk))
	for k := range autoLags {
		if lag := k * stride; lag < s.Draws {
			s.Lags = append(s.Lags, lag)
		}
	}
	for _, c := range chains {
		s.Auto = append(s.Auto, autocorrelations(c, s.Lags))
	}
	r.grow(&s, chains)
	return s
}

// rangeOf is the range of the finite draws, zeros if there are none.
func rangeOf(chains [][]float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, c := range chains {
		for _, v := range c {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if low > high {
		return 0, 0
	}
	return low, high
}

// traceOf codes every so manyth draw in a byte, as html.Series.Trace says: an
// error of half a step, 1/508 of the range, is less than what a screen shows.
func traceOf(chain []float64, every int, low, high float64) []byte {
	out := make([]byte, 0, len(chain)/every+1)
	for i := 0; i < len(chain); i += every {
		v := chain[i]
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			out = append(out, 255)
		case high == low:
			out = append(out, 127)
		default:
			out = append(out, byte(math.Round(254*((v-low)/(high-low)))))
		}
	}
	return out
}

// ranksOf counts each chain's draws by class of their rank among the draws of all
// chains; equal draws share their mean rank, so that no chain comes first.
func ranksOf(chains [][]float64) [][]int {
	type place struct {
		value float64
		chain int
	}
	var all []place
	out := make([][]int, len(chains))
	for c, chain := range chains {
		out[c] = make([]int, rankBins)
		for _, v := range chain {
			all = append(all, place{v, c})
		}
	}
	slices.SortFunc(all, func(a, b place) int {
		switch {
		case a.value < b.value || math.IsNaN(a.value) && !math.IsNaN(b.value):
			return -1
		case a.value > b.value || math.IsNaN(b.value) && !math.IsNaN(a.value):
			return 1
		}
		return 0
	})
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && (all[to].value == all[from].value || math.IsNaN(all[to].value) && math.IsNaN(all[from].value)) {
			to++
		}
		// the mean of ranks from … to−1 lies in this class of all
		bin := (from + to - 1) * rankBins / (2 * len(all))
		for _, p := range all[from:to] {
			out[p.chain][bin]++
		}
		from = to
	}
	return out
}

// lagStride is the distance of lags at which autoLags of them reach over some
// three times the draws that one effective draw takes, and over no more than a
// quarter of a chain.
func lagStride(draws, total int, ess float64) int {
	if math.IsNaN(ess) || ess <= 0 {
		return 1
	}
	reach := min(3*float64(total)/ess, float64(draws)/4)
	return max(1, int(math.Ceil(reach/(autoLags-1))))
}

// autocorrelations are those of one chain at these lags, with divisor n; NaN if the chain does not vary.
func autocorrelations(chain []float64, lags []int) []html.Number {
	n := float64(len(chain))
	mean := 0.0
	for _, v := range chain {
		mean += v / n
	}
	variance := 0.0
	for _, v := range chain {
		variance += float64((v-mean)*(v-mean)) / n
	}
	out := make([]html.Number, len(lags))
	for i, lag := range lags {
		sum := 0.0
		for t := lag; t < len(chain); t++ {
			sum += float64((chain[t]-mean)*(chain[t-lag]-mean)) / n
		}
		out[i] = html.Number(math.NaN())
		if variance > 0 {
			out[i] = html.Number(sum / variance)
		}
	}
	return out
}

// grow adds the effective sample sizes of the first eighth of each chain, of the
// first two eighths, and so on.
func (r *reducer) grow(s *html.Series, chains [][]float64) {
	part := make([][]float64, len(chains))
	for k := range r {
		n := s.Draws * (k + 1) / growthSize
		if n < 20 {
			continue
		}
		for c := range chains {
			part[c] = chains[c][:n]
		}
		bulk, tail := s.Bulk, s.Tail
		if n < s.Draws {
			of := r[k].SummarizePooled(part, max(1, s.Imputations)).Summary
			bulk, tail = html.Number(of.ESSBulk), html.Number(of.ESSTail)
		}
		s.Grown, s.GrownBulk, s.GrownTail = append(s.Grown, n*len(chains)), append(s.GrownBulk, bulk),
			append(s.GrownTail, tail)
	}
}
