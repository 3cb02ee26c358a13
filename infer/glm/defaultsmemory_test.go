package glm_test

import (
	"math"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
)

// Default priors look at each column without a copy of it. Before, each column cost one: 800 MB of 1e7 × 11, at the
// end of a run once more.
func TestDefaultsCopyNoColumn(t *testing.T) {
	const n, d = 1000, 50
	data := &glm.Data{X: design.NewDense(n, d), Y: make([]float64, n), Intercept: -1}
	for j := range d {
		for i := range n {
			data.X.Col(j)[i] = math.Sin(float64(i * (j + 1)))
		}
	}
	data.Y[3] = 1
	if made := testing.AllocsPerRun(1, func() { glm.Defaults(glm.Family{Name: "bernoulli", Link: "logit"}, data) }); made > d/2 {
		t.Errorf("%v allocations for %d columns", made, d)
	}
}
