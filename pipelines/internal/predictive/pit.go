package predictive

import (
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/loo"
	"glmbatch/report/record"
)

// Distribution functions are evaluated at maxPIT draws that are evenly spaced over all of them, at fewer where they
// would be more than pitValues, but never at fewer than fewestPIT, or than there are draws.
const (
	maxPIT    = 1000
	pitValues = 20_000_000
	fewestPIT = 250
)

// pit computes leave-one-out probability integral transforms: for each row the probability of a response up to its own
// under the draws, weighted as leave-one-out weighs them.
type pit struct {
	data   *glm.Data
	stream func(row int) *infer.Stream // nil: none is computed
	mass   func(y float64) bool        // reports whether a response has a probability of its own
	every  int                         // of which draws one counts
	values [][]float64                 // of each row's observations
}

func newPIT(e *Evaluator, stream func(row int) *infer.Stream) *pit {
	most := max(fewestPIT, min(maxPIT, pitValues/max(1, e.rows())))
	return &pit{data: e.data, stream: stream, mass: e.family.Support().Mass, values: make([][]float64, e.rows()),
		every: (e.Size() + most - 1) / most}
}

// row evaluates row i of a block: logLik are its log likelihoods, weight has room for as many numbers. A whole number
// and an interval have a range of probabilities, and each observation is at random in it.
func (p *pit) row(w *loo.Workspace, b *Block, i int, logLik, weight []float64) {
	weight = weight[:(len(logLik)+p.every-1)/p.every]
	w.Weights(logLik, p.every, weight)
	row := b.First + i
	upTo, at := 0.0, 0.0
	low, high := p.data.Seen(row)
	whole := low == high && p.mass(high)
	for k, v := range weight {
		s := k * p.every
		cdf := b.cdf(s, i, high)
		upTo = math.FMA(v, cdf, upTo)
		if low < high {
			at = math.FMA(v, cdf-b.cdf(s, i, low), at)
		}
		if whole {
			at = math.FMA(v, math.Exp(logLik[s]), at)
		}
	}
	var random *infer.Stream
	if whole || low < high {
		random = p.stream(row)
	}
	for range times(p.data, row) {
		v := upTo
		if random != nil {
			v = math.FMA(-at, random.Float64(), upTo)
		}
		p.values[row] = append(p.values[row], math.Min(1, math.Max(0, v)))
	}
}

// pitPoints is the number of places at which the shares of transforms are compared with a band.
const pitPoints = 40

// ecdf are the shares of values up to evenly spaced points, with the band.
func (p *pit) ecdf() (out []record.PITPoint) {
	all := slices.Concat(p.values...)
	if len(all) == 0 || slices.ContainsFunc(all, math.IsNaN) {
		return nil
	}
	slices.Sort(all)
	n, points := len(all), min(pitPoints, max(2, len(all)))
	gamma := bandLevel(min(n, bandMost), points, 0.95)
	for k := 1; k < points; k++ {
		z := float64(k) / float64(points)
		upTo, _ := slices.BinarySearchFunc(all, z, func(v, z float64) int {
			if v <= z {
				return -1
			}
			return 1
		})
		low, high := binomialRange(n, z, gamma)
		out = append(out, record.PITPoint{Z: z, ECDF: float64(upTo) / float64(n), Low: float64(low) / float64(n),
			High: float64(high) / float64(n)})
	}
	return out
}

// bandMost is the largest sample whose band is computed; larger ones have its level, which hardly depends on the size.
const bandMost = 1000

// bandLevel is the level of pointwise intervals at evenly spaced points within which the shares of n uniform values
// stay at all of them with a probability of cover at least.
//
// Source: Säilynoja, Bürkner and Vehtari (2022), Graphical test for discrete uniformity and its applications in
// goodness-of-fit evaluation and multiple sample comparison, doi:10.1007/s11222-022-10090-6, section 2.2.
func bandLevel(n, points int, cover float64) float64 {
	low, high := 0.0, 1-cover // a level within which they stay, one within which they do not
	for range 14 {
		middle := (low + high) / 2
		if staysWithin(n, points, middle) >= cover {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// staysWithin is the probability that the counts of n uniform values stay within pointwise intervals of a level: by
// the binomial distribution of each count given the one before.
func staysWithin(n, points int, gamma float64) float64 {
	at, before := []float64{1}, 0 // probabilities of counts from before on
	for k := 1; k < points; k++ {
		z, last := float64(k)/float64(points), float64(k-1)/float64(points)
		low, high := binomialRange(n, z, gamma)
		next := make([]float64, high-low+1)
		p := (z - last) / (1 - last)
		for i, mass := range at {
			from := before + i
			if mass == 0 || from > high {
				continue
			}
			first := max(from, low)
			term := mass * math.Exp(logBinomial(n-from, first-from, p))
			for to := first; to <= high && to <= n; to++ {
				next[to-low] += term
				term *= float64(n-to) / float64(to-from+1) * p / (1 - p)
			}
		}
		at, before = next, low
	}
	total := 0.0
	for _, mass := range at {
		total += mass
	}
	return total
}

// logBinomial is the log probability of k successes in n trials.
func logBinomial(n, k int, p float64) float64 {
	lf := func(k int) float64 { v, _ := math.Lgamma(float64(k) + 1); return v }
	return lf(n) - lf(k) - lf(n-k) + float64(float64(k)*math.Log(p)) + float64(float64(n-k)*math.Log1p(-p))
}

// binomialRange are the quantiles at gamma/2 and 1 − gamma/2 of the successes in n trials.
func binomialRange(n int, p, gamma float64) (low, high int) {
	mean, sd := float64(n)*p, math.Sqrt(float64(n)*p*(1-p))
	first := max(0, int(mean-float64(10*sd))-10)
	mass, below := math.Exp(logBinomial(n, first, p)), 0.0
	low = -1
	for k := first; k <= n; k++ {
		below += mass
		mass *= float64(n-k) / float64(k+1) * p / (1 - p)
		if low < 0 && below >= gamma/2 {
			low = k
		}
		if below >= 1-gamma/2 || k == n {
			return max(low, 0), k
		}
	}
	return low, n
}
