package check

import (
	"math"
	"sort"
)

// uniformity tests ranks 0 to draws of independent simulations for uniformity.
// It keeps what tests of one size share, and is not safe for concurrent use.
type uniformity struct {
	n, draws int
	logFact  []float64
	known    map[float64]float64 // p by the observed deviation
}

func newUniformity(n, draws int) *uniformity {
	u := &uniformity{n: n, draws: draws, logFact: make([]float64, n+1), known: map[float64]float64{}}
	for i := 2; i <= n; i++ {
		u.logFact[i] = u.logFact[i-1] + math.Log(float64(i))
	}
	return u
}

// p returns the exact p-value of the simultaneous envelope. With R_k the number
// of ranks below k, binomial(n, k/(draws + 1)) if they are uniform, the deviation
// is the least tail probability of any R_k, k = 1 … draws, and p the probability
// that it is as small or smaller.
//
// Cost: O(draws·w²) for envelopes w counts wide, about 6·√n.
//
// Source: Säilynoja, Bürkner and Vehtari (2022), equations 12 to 15,
// doi:10.1007/s11222-022-10090-6; the probability of staying inside by the
// recursion over k of Simpson (1951) as there.
func (u *uniformity) p(ranks []int) float64 {
	below := make([]int, u.draws+2)
	for _, r := range ranks {
		below[r+1]++
	}
	least := 1.0
	sum := 0
	for k := 1; k <= u.draws; k++ {
		sum += below[k]
		lower, upper := u.tails(k)
		least = min(least, lower[sum], upper[sum])
	}
	if p, ok := u.known[least]; ok {
		return p
	}
	p := 1 - u.inside(least*(1+1e-9))
	u.known[least] = math.Min(math.Max(p, least), 1)
	return u.known[least]
}

// tails returns P(R ≤ r) and P(R ≥ r) for r = 0 … n, R binomial of the ranks
// below k.
func (u *uniformity) tails(k int) (lower, upper []float64) {
	z := float64(k) / float64(u.draws+1)
	lower, upper = make([]float64, u.n+1), make([]float64, u.n+1)
	sum := 0.0
	for r := range lower {
		sum += u.binomial(r, u.n, z)
		lower[r] = sum
	}
	sum = 0
	for r := u.n; r >= 0; r-- {
		sum += u.binomial(r, u.n, z)
		upper[r] = sum
	}
	return lower, upper
}

// inside returns the probability that every R_k has both tails above level.
func (u *uniformity) inside(level float64) float64 {
	at := make([]float64, u.n+1) // P(R_k = r, inside so far)
	at[0] = 1
	lo, hi := 0, 0
	for k := 1; k <= u.draws; k++ {
		lower, upper := u.tails(k)
		newLo, newHi := u.n+1, -1
		for r := range lower {
			if lower[r] > level && upper[r] > level {
				newLo, newHi = min(newLo, r), max(newHi, r)
			}
		}
		step := 1 / float64(u.draws+2-k) // of what is left above (k−1)/(draws+1)
		next := make([]float64, u.n+1)
		for to := newLo; to <= newHi; to++ {
			for from := lo; from <= min(hi, to); from++ {
				next[to] += at[from] * u.binomial(to-from, u.n-from, step)
			}
		}
		at, lo, hi = next, newLo, newHi
	}
	total := 0.0
	for r := max(lo, 0); r <= hi; r++ {
		total += at[r]
	}
	return total
}

// binomial returns the probability of r among n at p.
func (u *uniformity) binomial(r, n int, p float64) float64 {
	if p >= 1 {
		if r == n {
			return 1
		}
		return 0
	}
	return math.Exp(u.logFact[n] - u.logFact[r] - u.logFact[n-r] + float64(r)*math.Log(p) + float64(n-r)*math.Log1p(-p))
}

// holm reports which p-values Holm's procedure rejects at family-wise level alpha.
//
// Source: Holm (1979), https://www.jstor.org/stable/4615733.
func holm(p []float64, alpha float64) (rejected []bool) {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return p[order[a]] < p[order[b]] })
	rejected = make([]bool, len(p))
	for rank, i := range order {
		if !(p[i] <= alpha/float64(len(p)-rank)) {
			break
		}
		rejected[i] = true
	}
	return rejected
}
