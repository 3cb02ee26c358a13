package infertest

import (
	"math"
	"sort"
)

// twoSample returns the Kolmogorov–Smirnov distance of two samples, which it
// sorts.
func twoSample(a, b []float64) (distance float64) {
	sort.Float64s(a)
	sort.Float64s(b)
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x := min(a[i], b[j])
		for i < len(a) && a[i] == x {
			i++
		}
		for j < len(b) && b[j] == x {
			j++
		}
		distance = max(distance, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return distance
}

// twoSampleLimit returns the distance of two samples of n that is exceeded
// with probability at most alpha: 2·exp(−n·D²) bounds it for n ≥ 458.
//
// Source: Wei and Dudley (2012), Two-sample Dvoretzky–Kiefer–Wolfowitz
// inequalities, doi:10.1016/j.spl.2011.11.012.
func twoSampleLimit(n int, alpha float64) float64 {
	return math.Sqrt(math.Log(2/alpha) / float64(n))
}

// uniform returns the Kolmogorov–Smirnov distance of u, which it sorts, from
// the uniform law on (0, 1).
func uniform(u []float64) (distance float64) {
	sort.Float64s(u)
	n := float64(len(u))
	for i, v := range u {
		distance = max(distance, v-float64(i)/n, float64(i+1)/n-v)
	}
	return distance
}

// uniformLimit returns the distance that n uniform numbers exceed with
// probability at most alpha, for every n.
//
// Source: Massart (1990), doi:10.1214/aop/1176990746.
func uniformLimit(n int, alpha float64) float64 {
	return math.Sqrt(math.Log(2/alpha) / (2 * float64(n)))
}
