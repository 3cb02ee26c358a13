package glm

import (
	"math"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/prior"
)

// With a prior that fixes the mean at e, Pearson's statistic is Σ (y − e)²/e over the degrees of freedom.
func TestPearson(t *testing.T) {
	y := []float64{0, 2, 5, 9}
	x := design.NewDense(4, 1)
	copy(x.Values, []float64{1, 1, 1, 1})
	target, err := NewTarget(&Data{X: x, Y: y, Names: []string{"(Intercept)"}}, Model{
		Family:       Family{Name: "poisson", Link: "log"},
		Coefficients: []prior.Prior{{Kind: prior.Normal, Location: 1, Scale: 1e-8}}})
	must(t, err)
	want := 0.0
	for _, v := range y {
		want += (v - math.E) * (v - math.E) / math.E / 3
	}
	if got := target.Pearson(); math.Abs(got-want) > 1e-6*want {
		t.Errorf("Pearson's statistic is %v, want %v", got, want)
	}
}
