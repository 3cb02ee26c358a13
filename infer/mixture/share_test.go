package mixture

import (
	"math"
	"testing"

	"glmbatch/infer"
)

// near reports whether the mean of n numbers with these sums is within 6 standard errors of want: a false alarm has
// probability 2e-9.
func near(sum, squares, n, want float64) bool {
	mean := sum / n
	return math.Abs(mean-want) <= 6*math.Sqrt((squares/n-mean*mean)/n)
}

// The shares of the observations of a row are multinomial: their means and squares.
func TestShare(t *testing.T) {
	k := &kernel{setup: &setup{Layout: Layout{Components: 3}}}
	k.Stream, k.Counts, k.Chances = infer.NewStream(2), make([]float64, 3), []float64{math.Log(0.5), math.Log(0.2), math.Log(0.3)}
	const many, draws = 40, 20_000
	var sums, squares, fourths [3]float64
	for range draws {
		clear(k.Counts)
		k.share(many, 0, func(c int, n float64) { k.Counts[c] += n })
		total := 0.0
		for c, n := range k.Counts {
			sums[c] += n
			squares[c] += n * n
			fourths[c] += n * n * n * n
			total += n
		}
		if total != many {
			t.Fatalf("%v observations of %v", total, many)
		}
	}
	for c, p := range []float64{0.5, 0.2, 0.3} {
		if !near(sums[c], squares[c], draws, many*p) {
			t.Errorf("mean share %d is %v, want %v", c, sums[c]/draws, many*p)
		}
		if want := many*p*(1-p) + many*p*many*p; !near(squares[c], fourths[c], draws, want) {
			t.Errorf("mean square of share %d is %v, want %v", c, squares[c]/draws, want)
		}
	}
}
