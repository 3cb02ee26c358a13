package collapsed

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/mixture"
)

// Rows have the log densities at a position that its chain has at its state, and parameters the facts of their items.
func TestClassesOf(t *testing.T) {
	e := examples[6]
	k := e.setup(t, Options{Options: mixture.Options{Components: 2}}).chain(t, 5)
	rows, err := ClassesOf(e.columns)
	if err != nil || rows.Rows() != len(k.labels) {
		t.Fatal(rows.Rows(), err)
	}
	layout := rows.Layout(mixture.Options{Components: 2, Order: "n"})
	if layout.Of[layout.Order].Name != "n" || layout.Len() != k.Len() {
		t.Errorf("order %d of %v", layout.Order, layout.Of)
	}
	position, n := make([]float64, k.Len()), rows.Rows()
	dst, scratch := make([]float64, n), make([]float64, n)
	for range 5 {
		if _, err := k.Step(); err != nil {
			t.Fatal(err)
		}
		k.Position(position)
		for c, theta := range k.Blocks(position)[2:] { // as they were sampled
			rows.LogLik(theta, dst, scratch)
			for i, got := range dst {
				k.ChancesOf(i)
				if want := k.Chances[c] - k.LogW[c]; !(math.Abs(got-want) < 1e-10) {
					t.Fatalf("row %d in component %d: %v, the chain has %v", i+1, c+1, got, want)
				}
			}
		}
	}
	for i, want := range map[int]infer.Parameter{
		2: {Name: "p1_q_a", Kind: infer.Probability, Level: "1", Term: "q", Term2: "a"},
		5: {Name: "mu1_x", Kind: infer.Intercept, Level: "1", Term: "x"},
		6: {Name: "sigma_x1", Kind: infer.Dispersion, Level: "1", Term: "x"},
	} {
		if got := k.Parameters()[i]; got != want {
			t.Errorf("parameter %d is %+v, want %+v", i+1, got, want)
		}
	}
}
