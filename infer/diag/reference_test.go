package diag

import (
	"math"
	"slices"

	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// refSplit cuts every chain in two halves; the middle draw of an odd chain
// belongs to neither. A chain of one draw stays whole.
func refSplit(chains [][]float64) [][]float64 {
	n := len(chains[0])
	if n == 1 {
		return chains
	}
	var out [][]float64
	for _, c := range chains {
		out = append(out, c[:n/2])
	}
	for _, c := range chains {
		out = append(out, c[(n+1)/2:])
	}
	return out
}

func refFlat(chains [][]float64) []float64 { return slices.Concat(chains...) }

func refMap(chains [][]float64, f func(float64) float64) [][]float64 {
	out := make([][]float64, len(chains))
	for c := range chains {
		out[c] = make([]float64, len(chains[c]))
		for i, v := range chains[c] {
			out[c][i] = f(v)
		}
	}
	return out
}

// refDegenerate reports whether posterior returns NA: a value that is not
// finite, or all values equal.
func refDegenerate(chains [][]float64) bool {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, c := range chains {
		for _, v := range c {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return true
			}
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
	}
	return lo == hi
}

// refZ replaces draws by the normal quantiles of their average ranks.
func refZ(chains [][]float64) [][]float64 {
	flat := refFlat(chains)
	slices.Sort(flat)
	s := float64(len(flat))
	return refMap(chains, func(v float64) float64 {
		if math.IsNaN(v) {
			return v
		}
		first, _ := slices.BinarySearch(flat, v)
		last := first
		for last < len(flat) && flat[last] == v {
			last++
		}
		rank := float64(first+1+last) / 2
		return variate.Quantile((rank - 0.375) / (s + 0.25))
	})
}

func refMean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v - x[0]
	}
	return x[0] + sum/float64(len(x))
}

func refVar(x []float64) float64 {
	m, sum := refMean(x), 0.0
	for _, v := range x {
		sum += float64((v - m) * (v - m))
	}
	return sum / float64(len(x)-1)
}

// refMedian is the mean of the two middle draws, as R's median takes it; the
// 50 % quantile by weights rounds twice where draws are subnormal.
func refMedian(chains [][]float64) float64 {
	x := refFlat(chains)
	slices.Sort(x)
	a, b := x[(len(x)-1)/2], x[len(x)/2]
	if a == b {
		return a
	}
	if m := (a + b) / 2; !math.IsInf(m, 0) {
		return m
	}
	return a/2 + b/2
}

func refQuantile(chains [][]float64, p float64) float64 {
	x := refFlat(chains)
	slices.Sort(x)
	index := float64(float64(len(x)-1) * p)
	lo := math.Floor(index)
	q := x[int(lo)]
	if hi := x[int(math.Ceil(index))]; index > lo && hi != q {
		h := index - lo
		q = float64((1-h)*q) + float64(h*hi)
	}
	return q
}

func refBasicRHat(chains [][]float64) float64 {
	if refDegenerate(chains) || len(chains[0]) < 2 {
		return math.NaN()
	}
	n := float64(len(chains[0]))
	var means, vars []float64
	for _, c := range chains {
		means, vars = append(means, refMean(c)), append(vars, refVar(c))
	}
	return math.Sqrt((float64(n*refVar(means))/refMean(vars) + n - 1) / n)
}

func refFold(chains [][]float64) [][]float64 {
	for _, c := range chains {
		if slices.ContainsFunc(c, math.IsNaN) {
			return refMap(chains, func(float64) float64 { return math.NaN() })
		}
	}
	m := refMedian(chains)
	return refMap(chains, func(v float64) float64 { return math.Abs(v - m) })
}

// refRHat is posterior's R-hat, apart from the difference that expected states: draws that all lie equally far from
// their median have the R-hat of the draws as they are.
func refRHat(chains [][]float64) float64 {
	bulk := refBasicRHat(refZ(refSplit(chains)))
	folded := refSplit(refFold(chains))
	first := folded[0][0]
	if first > 0 && !slices.ContainsFunc(refFlat(folded), func(v float64) bool { return v != first }) {
		return bulk
	}
	return math.Max(bulk, refBasicRHat(refZ(folded)))
}

// refESS is the effective sample size of already split chains, by Geyer's
// initial monotone sequence.
func refESS(chains [][]float64) float64 {
	n := len(chains[0])
	if n < 3 || refDegenerate(chains) {
		return math.NaN()
	}
	acov := make([]float64, n)
	var means []float64
	for _, c := range chains {
		m := refMean(c)
		means = append(means, m)
		for k := range n {
			sum := 0.0
			for i := k; i < n; i++ {
				sum += float64((c[i] - m) * (c[i-k] - m))
			}
			acov[k] += sum / float64(n) / float64(len(chains))
		}
	}
	between := 0.0
	if len(chains) > 1 {
		between = refVar(means)
	}
	return refGeyer(acov, between, len(chains))
}

func refGeyer(acov []float64, between float64, m int) float64 {
	n := len(acov)
	meanVar := acov[0] * float64(n) / float64(n-1)
	varPlus := acov[0] + between
	at := func(k int) float64 { return 1 - (meanVar-acov[k])/varPlus }
	rho := make([]float64, n)
	even, odd := 1.0, at(1)
	rho[0], rho[1] = even, odd
	t := 0
	for t < n-5 && even+odd > 0 {
		t += 2
		even, odd = at(t), at(t+1)
		if even+odd >= 0 {
			rho[t], rho[t+1] = even, odd
		}
	}
	maxT := t
	if even > 0 {
		rho[maxT] = even
	}
	for t = 2; t <= maxT-2; t += 2 {
		if rho[t]+rho[t+1] > rho[t-2]+rho[t-1] {
			rho[t] = (rho[t-2] + rho[t-1]) / 2
			rho[t+1] = rho[t]
		}
	}
	sum := 0.0
	for _, r := range rho[:max(maxT, 1)] {
		sum += r
	}
	total := float64(m * n)
	tau := -1 + 2*sum + rho[maxT]
	return total / math.Max(tau, math.Ln10/vec.Log(total))
}

func refESSMean(chains [][]float64) float64 { return refESS(refSplit(chains)) }

func refESSQuantile(chains [][]float64, p float64) float64 {
	if refDegenerate(chains) {
		return math.NaN()
	}
	if p == 1 {
		s := float64(len(chains) * len(chains[0]))
		p = (s - 0.5) / s
	}
	q := refQuantile(chains, p)
	return refESSMean(refMap(chains, func(v float64) float64 {
		if v <= q {
			return 1
		}
		return 0
	}))
}

func refMCSESD(chains [][]float64) float64 {
	m := refMean(refFlat(chains))
	square := refMap(chains, func(v float64) float64 { return float64((v - m) * (v - m)) })
	flat := refFlat(square)
	mean := refMean(flat)
	varvar := refVar(flat) * float64(len(flat)-1) / float64(len(flat))
	return math.Sqrt(varvar / refESSMean(square) / mean / 4)
}

func refMCSEQuantile(chains [][]float64, p float64) float64 {
	ess := refESSQuantile(chains, p)
	if math.IsNaN(ess) {
		return ess
	}
	a, b := float64(ess*p)+1, float64(ess*(1-p))+1
	x := refFlat(chains)
	slices.Sort(x)
	s := float64(len(x))
	lo := max(math.Floor(betaQuantile(0.1586553, a, b)*s), 1)
	hi := min(math.Ceil(betaQuantile(0.8413447, a, b)*s), s)
	return (x[int(hi)-1] - x[int(lo)-1]) / 2
}
