package loo

import (
	"math"
	"slices"

	"glmbatch/internal/vec"
)

// Shape returns the shape of the Pareto distribution of the largest of some log importance ratios, as Row computes
// it for a row's in independent draws; +Inf if none can be fitted. It changes their order, and takes the largest
// from them all.
func Shape(ratios []float64) float64 {
	w := Workspace{ratio: ratios}
	_, k, _ := w.smoothed(1)
	return k
}

// pareto fits the generalised Pareto law to a tail; it holds the scratch.
type pareto struct {
	x            []float64 // exceedances, rising
	theta, logit []float64 // the grid, and its log profile posterior
}

// smooth replaces the log weights of a tail, rising and at most 0, by the
// logarithms of the expected order statistics of a Pareto law beyond cutoff, the
// largest log weight below the tail, and returns the law's shape. Where none can
// be fitted dst keeps the log weights, and the shape is +Inf.
func (p *pareto) smooth(tail []float64, cutoff float64, dst []float64) (k float64) {
	base := vec.Exp(cutoff)
	p.x = p.x[:0]
	for _, t := range tail {
		p.x = append(p.x, vec.Exp(t)-base)
	}
	k, sigma := p.fit()
	if math.IsInf(k, 0) {
		return k
	}
	n := float64(len(tail))
	for i := range dst {
		dst[i] = vec.Log(paretoQuantile((float64(i)+0.5)/n, k, sigma) + base)
	}
	return k
}

// fit returns shape and scale of the generalised Pareto distribution of p.x by the empirical Bayes estimate of
// Zhang and Stephens (2009): the posterior mean of θ = −k/sigma over a grid, under a prior scaled by the first
// quartile. The shape is shrunk toward 0.5 with the weight of 10 exceedances (Vehtari et al. 2024, appendix G); it
// is +Inf where the estimate is undefined.
func (p *pareto) fit() (k, sigma float64) {
	x, n := p.x, float64(len(p.x))
	const prior = 3
	points := 30 + int(math.Floor(math.Sqrt(n)))
	quartile := x[int(math.Floor(n/4+0.5))-1]
	p.theta, p.logit = p.theta[:0], p.logit[:0]
	for j := range points {
		root := math.Sqrt(float64(points) / (float64(j) + 0.5))
		theta := 1/x[len(x)-1] + (1-root)/prior/quartile
		shape := p.shape(theta)
		p.theta = append(p.theta, theta)
		p.logit = append(p.logit, float64(n*(vec.Log(-theta/shape)-shape-1)))
	}
	top := slices.Max(p.logit) // NaN if one is
	total, mean := 0.0, 0.0
	for j, l := range p.logit {
		weight := vec.Exp(l - top)
		total += weight
		mean = math.FMA(p.theta[j], weight, mean)
	}
	mean /= total
	k = p.shape(mean)
	sigma = -k / mean
	k = math.FMA(k, n, 5) / (n + 10)
	if math.IsNaN(k) || math.IsNaN(sigma) {
		return math.Inf(1), sigma
	}
	return k, sigma
}

// shape returns the shape that maximises the likelihood given θ.
func (p *pareto) shape(theta float64) float64 {
	sum := 0.0
	for _, x := range p.x {
		sum += vec.Log1p(float64(-theta * x))
	}
	return sum / float64(len(p.x))
}

// paretoQuantile is the inverse distribution function of the generalised Pareto
// law beyond 0.
func paretoQuantile(p, k, sigma float64) float64 {
	t := -vec.Log1p(-p)
	if k == 0 {
		return float64(sigma * t)
	}
	return float64(sigma / k * expm1(float64(k*t)))
}

// expm1 returns e^x − 1 without cancellation, by Kahan's identity: the rounding
// error of e^x in the difference and in its logarithm is the same.
func expm1(x float64) float64 {
	u := vec.Exp(x)
	switch d := u - 1; {
	case u == 1:
		return x
	case d == -1 || math.IsInf(u, 1):
		return d
	default:
		return float64(d * (x / vec.Log(u)))
	}
}

// sortLast moves the largest count of x to its end, in rising order, and leaves
// the others before them in an order of its own. Expected cost: O(len(x) + count·log count).
func sortLast(x []float64, count int) {
	at := len(x) - count // of the first that must be right
	if at <= 0 {
		slices.Sort(x)
		return
	}
	lo, hi := 0, len(x)
	for hi-lo > 16 {
		a, b, c := x[lo], x[lo+(hi-lo)/2], x[hi-1]
		pivot := math.Max(math.Min(a, b), math.Min(math.Max(a, b), c))
		i, j := lo, hi-1
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case at <= j:
			hi = j + 1
		case at >= i:
			lo = i
		default: // between them all equal the pivot
			lo, hi = at, at
		}
	}
	slices.Sort(x[lo:hi])
	slices.Sort(x[at:])
}
