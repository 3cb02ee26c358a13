package glm

import (
	"math"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/prior"
)

// Each family is told from the next one by values at its edge.
func TestLikely(t *testing.T) {
	for _, c := range []struct {
		want   string
		values []float64
	}{
		{"bernoulli", []float64{3, 7, 7, math.NaN(), 3}},
		{"poisson", []float64{29, 30, 45}}, {"gaussian", []float64{30, 31, 45}},
		{"gaussian", []float64{-1, 2, 3}}, {"gaussian", []float64{1, 2, 3.5}},
		{"beta", []float64{0.1, 0.5, 0.9}}, {"gaussian", []float64{0, 0.5, 0.9}}, {"gaussian", []float64{0.1, 0.5, 1}},
		{"gamma", []float64{1.5, 2, 3, 4, 60}}, {"gaussian", []float64{-1.5, 2, 3, 4, 60}},
		{"gaussian", []float64{40.5, 41, 42, 43, 44}}, {"gaussian", nil},
	} {
		if got := Likely(c.values); got != c.want {
			t.Errorf("%v looks like %s, want %s", c.values, got, c.want)
		}
	}
}

// With a prior that fixes the mean at e, Pearson's statistic is Σ (y − e)²/e over the degrees of freedom.
func TestPearson(t *testing.T) {
	y := []float64{0, 2, 5, 9}
	x := design.NewDense(4, 1)
	copy(x.Values, []float64{1, 1, 1, 1})
	target, err := NewTarget(&Data{X: x, Y: y, Names: []string{"(Intercept)"}}, Model{
		Family:       Family{Name: "poisson", Link: "log"},
		Coefficients: []prior.Prior{{Kind: prior.Normal, Location: 1, Scale: 1e-8}}})
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for _, v := range y {
		want += (v - math.E) * (v - math.E) / math.E / 3
	}
	if got := target.Pearson(); math.Abs(got-want) > 1e-6*want {
		t.Errorf("Pearson's statistic is %v, want %v", got, want)
	}
}
