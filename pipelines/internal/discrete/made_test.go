package discrete

import (
	"math"
	"slices"
	"testing"

	"glmbatch/discrete/mrf"
	"glmbatch/pipelines/internal/spec"
)

// Weights of a grid's edges are uniform in their range: the largest distance of their distribution from it has a false alarm
// below 1e-6 at 2.7/√n, 0.06 of 1984 edges. They depend on the seed alone, so that images of a picture share them, and the
// model's coupling multiplies them; pairs of states, by tables, have the same.
func TestGridWeights(t *testing.T) {
	grid := spec.Grid{Rows: 32, Columns: 32, Weights: []float64{-0.5, 1.5}, Seed: 7}
	weights := func(g spec.Grid, image int) (out []float64) {
		edges := FromGrid("g", &g, image).joined(0.25)
		for k, e := range mrf.Grid(g.Rows, g.Columns, 1) {
			if edges[k].I != e.I || edges[k].J != e.J {
				t.Fatalf("edge %d joins %d and %d, not %d and %d", k, edges[k].I, edges[k].J, e.I, e.J)
			}
			out = append(out, 4*edges[k].Weight)
		}
		return out
	}
	of := weights(grid, 0)
	sorted, n := slices.Sorted(slices.Values(of)), float64(len(of))
	for k, w := range sorted {
		if far := math.Abs((float64(k)+0.5)/n - (w+0.5)/2); !(far < 2.7/math.Sqrt(n)) {
			t.Fatalf("weight %d of %v is %v: %v from uniform", k, n, w, far)
		}
	}
	noisy := grid
	noisy.Picture, noisy.Noise = "shapes", 1
	if !slices.Equal(weights(noisy, 0), of) || !slices.Equal(weights(noisy, 3), of) {
		t.Error("images of a picture have other weights")
	}
	if grid.Seed = 8; slices.Equal(weights(grid, 0), of) {
		t.Error("another seed gives the same weights")
	}
	half := func(m *spec.Model) { *m.Coupling = 0.5 }
	whole := field(t, FromGrid("g", &grid, 0), model(2, half))
	if want := "32 × 32 grid, coupling 0.5 times weights of edges from -0.499 to 1.5"; whole.Words != want {
		t.Errorf("in words: %s, want %s", whole.Words, want)
	}
	two := whole.Model
	three := field(t, FromGrid("g", &grid, 0), model(3, half)).Model
	lw, x := make([]float64, 3), make([]uint8, two.Variables())
	two.LogWeights(lw, 33, x)
	ising := lw[0] - lw[1]
	three.LogWeights(lw, 33, x)
	if potts := lw[0] - lw[1]; math.Abs(ising-2*potts) > 1e-12 || potts == 0 {
		t.Errorf("an Ising model prefers its neighbours' state by %v, a Potts model by %v", ising, potts)
	}
}
