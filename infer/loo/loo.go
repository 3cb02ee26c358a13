package loo

import (
	"math"

	"glmbatch/internal/vec"
)

// Version numbers the algorithm; it is stored with the results.
const Version = "2"

// negligible is the range of a row's log likelihoods below which leaving the row out changes nothing: its importance
// weights differ by less than that, whatever their tail, so that no Pareto shape is needed.
const negligible = 0x1p-26

// Row holds the statistics of one observation, computed from the draws. Logarithms are natural.
type Row struct {
	ELPD float64 // log predictive density given all other rows
	P    float64 // effective number of parameters that the row accounts for
	K    float64 // shape of the Pareto distribution; +Inf if none can be fitted, NaN if the likelihood does not vary
	// WAIC is the other estimate of ELPD (on its scale, not times −2), and PWAIC
	// its effective number of parameters.
	WAIC, PWAIC float64
	// Efficiency is the effective over the actual number of draws for the mean
	// of the row's likelihood.
	Efficiency float64
	// MCSE is the Monte Carlo standard error of ELPD: what other draws of the same posterior would change about it.
	MCSE float64
	// Reason says why the numbers are NaN; empty if they are not.
	Reason string
}

// Threshold returns the K from which a row's ELPD cannot be relied on with that
// many draws: min(1 − 1/log10(draws), 0.7), Vehtari et al. (2024).
func Threshold(draws int) float64 {
	return math.Min(1-1/(vec.Log(float64(draws))/vec.Log(10)), 0.7)
}

// Workspace holds the scratch of Row, so that many rows allocate once. It is
// not safe for concurrent use. The zero value is ready.
type Workspace struct {
	like  []float64 // likelihoods over their largest, chain after chain
	ratio []float64 // log importance ratios
	tail  []float64 // smoothed log weights of the largest ratios
	logs  []float64 // of scores around 1
	top   float64   // the largest ratio
	fit   pareto
	ess   efficiency
}

// Row evaluates one observation from its log likelihood at each draw, chains ×
// draws of equal lengths. Cost: O(S log S) for S draws, about 0.2 µs a draw.
// Every number is NaN, with a reason, if a log likelihood is not finite or there
// are fewer than 2 draws.
func (w *Workspace) Row(chains [][]float64) Row {
	nan := math.NaN()
	none := Row{ELPD: nan, P: nan, K: nan, WAIC: nan, PWAIC: nan, Efficiency: nan, MCSE: nan}
	w.like, w.ratio = w.like[:0], w.ratio[:0]
	most, least := math.Inf(-1), math.Inf(1)
	for _, chain := range chains {
		for _, l := range chain {
			if !(math.Abs(l) <= math.MaxFloat64) {
				none.Reason = "the log likelihood is not finite at some draw"
				return none
			}
			w.ratio = append(w.ratio, -l)
			most, least = math.Max(most, l), math.Min(least, l)
		}
	}
	size := len(w.ratio)
	if size < 2 {
		none.Reason = "there are fewer than 2 draws"
		return none
	}
	for _, r := range w.ratio {
		w.like = append(w.like, vec.Exp(-r-most))
	}
	out := Row{Efficiency: 1}
	if e := w.ess.relative(w.like, len(chains)); e > 0 {
		out.Efficiency = e
	}
	lpd := most + (vec.Log(vec.Sum(w.like)) - vec.Log(float64(size)))
	out.PWAIC = w.variance()
	out.WAIC = lpd - out.PWAIC
	out.ELPD, out.K, out.MCSE = w.smoothed(out.Efficiency)
	out.P = lpd - out.ELPD
	if most-least < negligible {
		out.K = math.NaN()
	}
	return out
}

// variance returns that of the log likelihoods, with divisor S − 1.
func (w *Workspace) variance() float64 {
	mean := vec.Sum(w.ratio) / float64(len(w.ratio))
	return sumSquares(w.ratio, mean) / float64(len(w.ratio)-1)
}

// sumSquares returns Σ (x − mean)², in order.
func sumSquares(x []float64, mean float64) float64 {
	sum := 0.0
	for _, v := range x {
		d := v - mean
		sum = math.FMA(d, d, sum)
	}
	return sum
}

// smoothed returns the log predictive density without the row, the shape of the Pareto law and the Monte Carlo error
// of the density. The order of w.ratio is lost.
//
// With weights v and likelihoods l it is log Σ v·l − log Σ v. A weight that is not
// smoothed is 1/l, so that its term of the first sum is 1.
func (w *Workspace) smoothed(efficiency float64) (elpd, k, mcse float64) {
	size := len(w.ratio)
	count := tailLength(size, efficiency)
	k = math.Inf(1)
	sortLast(w.ratio, count+1)
	top := w.ratio[size-1]
	w.top = top
	for i := range w.ratio {
		w.ratio[i] -= top
	}
	rest, tail := w.ratio[:size-count], w.ratio[size-count:]
	w.tail = append(w.tail[:0], tail...)
	if count >= minTail && tail[count-1]-tail[0] >= 0x1p-52/100 {
		k = w.fit.smooth(tail, rest[len(rest)-1], w.tail)
	}
	over, under := float64(len(rest)), 0.0
	for i, r := range rest {
		rest[i] = vec.Exp(r)
		under += rest[i]
	}
	for i, r := range w.tail {
		r = math.Min(r, 0) // no weight above the largest raw one
		over += vec.Exp(r - tail[i])
		under += vec.Exp(r)
	}
	elpd = vec.Log(over) - (vec.Log(under) + top)
	// v·(l/E − 1): 1/E of a weight that is 1/l, less the weight
	variance, mean := 0.0, vec.Exp(-top-elpd)
	for _, v := range rest {
		d := (mean - v) / under
		variance = math.FMA(d, d, variance)
	}
	for i, r := range w.tail {
		r = math.Min(r, 0)
		d := (vec.Exp(r-tail[i]-top-elpd) - vec.Exp(r)) / under
		variance = math.FMA(d, d, variance)
	}
	return elpd, k, w.mcse(variance, efficiency)
}

// minTail is the shortest tail that a Pareto distribution is fitted to.
const minTail = 5

// tailLength is the number of largest ratios that are smoothed.
func tailLength(size int, efficiency float64) int {
	s := float64(size)
	return int(math.Ceil(math.Min(0.2*s, 3*math.Sqrt(s/efficiency))))
}

// Sum returns Σ values and its standard error √(n·variance), as loo adds up the
// rows of one model, or the differences between two. A value counts as often as
// frequency says; nil means once each. The error of fewer than 2 is NaN.
func Sum(values, frequency []float64) (total, se float64) {
	n := float64(len(values))
	if frequency != nil {
		n, total = vec.Sum(frequency), vec.Dot(values, frequency)
	} else {
		total = vec.Sum(values)
	}
	if n < 2 {
		return total, math.NaN()
	}
	if frequency == nil {
		return total, math.Sqrt(n * (sumSquares(values, total/n) / (n - 1)))
	}
	squares := 0.0
	for i, v := range values {
		d := v - total/n
		squares = math.FMA(float64(frequency[i]*d), d, squares)
	}
	return total, math.Sqrt(n * (squares / (n - 1)))
}
