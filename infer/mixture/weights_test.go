package mixture_test

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/mixture"
)

// hasMean reports whether the mean of n numbers with these sums is within 6 standard errors of want: a false alarm has
// probability 2e-9.
func hasMean(sum, squares, n, want float64) bool {
	mean := sum / n
	return math.Abs(mean-want) <= 6*math.Sqrt((squares/n-mean*mean)/n)
}

// Weights given counts have the moments of Dirichlet(a + counts), for shapes below 1 too. 20,000 draws detect an
// error of 3 % of a standard deviation.
func TestDrawWeights(t *testing.T) {
	const a, draws = 0.3, 20_000
	counts := []float64{0, 1, 4}
	s, logs := infer.NewStream(1), make([]float64, 3)
	var sums, squares, fourths [3]float64
	for range draws {
		mixture.DrawWeights(s, a, counts, logs)
		for c, l := range logs {
			w := math.Exp(l)
			sums[c] += w
			squares[c] += w * w
			fourths[c] += w * w * w * w
		}
	}
	total := 3*a + 5
	for c, n := range counts {
		if want := (a + n) / total; !hasMean(sums[c], squares[c], draws, want) {
			t.Errorf("mean of weight %d is %v, want %v", c, sums[c]/draws, want)
		}
		if want := (a + n) * (a + n + 1) / total / (total + 1); !hasMean(squares[c], fourths[c], draws, want) {
			t.Errorf("mean square of weight %d is %v, want %v", c, squares[c]/draws, want)
		}
	}
}

func TestPick(t *testing.T) {
	logs := []float64{math.Log(0.25), math.Inf(-1), math.Log(0.25), math.Log(0.5)}
	for u, want := range map[float64]int{0.1: 0, 0.249: 0, 0.251: 2, 0.499: 2, 0.501: 3, 0.999999: 3, 1: 3} {
		if got := mixture.Pick(u, logs, 0); got != want {
			t.Errorf("%v falls on %d, want %d", u, got, want)
		}
	}
}
