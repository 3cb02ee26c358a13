package mixture_test

import (
	"math"
	"slices"
	"strings"
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

// Known weights are those of a position, to the bit. Components keep their numbers, except those of equal weights.
func TestKnownWeights(t *testing.T) {
	of := []infer.Parameter{{Name: "(Intercept)", Kind: infer.Intercept}}
	l := &mixture.Layout{Components: 4, Of: of, Known: []float64{0.3, 0.1, 0.3, 0.3}}
	position, logW := make([]float64, l.Len()), make([]float64, 4)
	for c, w := range l.Known {
		logW[c] = math.Log(w)
	}
	l.Write(position, logW, []float64{5, 9, 2, 3})
	if want := []float64{0.3, 0.1, 0.3, 0.3, 2, 9, 3, 5}; !slices.Equal(position[:8], want) {
		t.Errorf("position %v, want %v", position[:8], want)
	}
	for _, known := range [][]float64{{0.5}, {0.5, 0.6}, {1, 0}, {1.5, -0.5}, {math.NaN(), 0.5}} {
		_, err := mixture.Options{Components: 2, Known: known}.Filled(of)
		if err == nil || !strings.Contains(err.Error(), "positive and sum to 1") {
			t.Errorf("known weights %v: %v", known, err)
		}
	}
}

// Weights of a Dirichlet process given counts: those with rows and the sum of all others have the means of
// Dirichlet(n_1, …, a), and the first without rows has the share 1/(1 + a) of that sum. 20,000 draws detect an error of
// 4 % of a standard deviation.
func TestDrawProcess(t *testing.T) {
	const a, draws = 2.5, 20_000
	counts, logs := []float64{3, 0, 1, 0, 0}, make([]float64, 5)
	want := []float64{3 / 6.5, a / 6.5 / (1 + a), 1 / 6.5}
	s := infer.NewStream(7, "process")
	sums, squares := make([]float64, 3), make([]float64, 3)
	for range draws {
		mixture.DrawProcess(s, a, counts, logs)
		if total := mixture.LogSum(logs); math.Abs(total) > 1e-12 {
			t.Fatalf("the weights sum to e^%v", total)
		}
		for c := range sums {
			w := math.Exp(logs[c])
			sums[c] += w
			squares[c] += w * w
		}
	}
	for c, w := range want {
		if !hasMean(sums[c], squares[c], draws, w) {
			t.Errorf("component %d has weight %.4f, want %.4f", c+1, sums[c]/draws, w)
		}
	}
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
