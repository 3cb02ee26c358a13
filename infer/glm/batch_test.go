package glm_test

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/internal/variate"
)

// A batch gives the log likelihoods of predictors, for every family, weights, trials
// and offsets, over one block of rows and over several; as far as sums in another
// order can.
func TestBatchIsPoint(t *testing.T) {
	stream := infer.NewStream(3, "batch")
	for _, c := range append(append(infertest.Cases(), infertest.FamilyCases()...), infertest.WeightedCases()...) {
		_, small, err := c.Simulate(infer.NewStream(5, "batch", c.Name))
		must(t, err)
		large, err := glm.NewTarget(repeated(small.Data(), 700), *small.Model())
		must(t, err)
		for _, target := range []*glm.Target{small, small.Vectorised(), large.Vectorised()} {
			const points = 5
			dim := target.Dim()
			u, got := make([]float64, points*dim), make([]float64, points)
			for i := range points {
				copy(u[i*dim:], target.Penalised())
				for j := range dim {
					u[i*dim+j] += 0.1 * variate.Normal(stream)
				}
			}
			glm.NewBatch(target, nil).LogLiks(u, got)
			p := glm.NewPoint(target)
			for i := range points {
				p.SetUnconstrained(u[i*dim : (i+1)*dim])
				want := p.Value().LogLik
				if got[i] != want && !(math.Abs(got[i]-want) <= 1e-11*(math.Abs(want)+float64(target.Rows()))) {
					t.Errorf("%s, %d rows, point %d: batch %v, predictor %v", c.Name, target.Rows(), i, got[i], want)
				}
				p.Place(u[i*dim:(i+1)*dim], got[i])
				at := make([]float64, dim)
				p.Unconstrained(at)
				for j, v := range at {
					if v != u[i*dim+j] {
						t.Errorf("%s: placed coordinate %d is %v, want %v", c.Name, j, v, u[i*dim+j])
					}
				}
			}
		}
	}
}

// repeated returns rows of data again and again, n in all.
func repeated(data *glm.Data, n int) *glm.Data {
	again := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		out := make([]float64, n)
		for i := range out {
			out[i] = v[i%len(v)]
		}
		return out
	}
	x := design.NewDense(n, data.Cols())
	out := &glm.Data{X: x, Names: data.Names, Intercept: data.Intercept, Y: again(data.Y), Trials: again(data.Trials),
		Offset: again(data.Offset), Frequency: again(data.Frequency), Precision: again(data.Precision)}
	for j := range data.Cols() {
		copy(x.Col(j), again(data.X.Col(j)))
	}
	return out
}
