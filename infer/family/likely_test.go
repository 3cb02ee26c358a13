package family

import (
	"math"
	"testing"
)

// Values at the edge of each family distinguish it from the next one.
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
		if got := Likely(c.values).Name; got != c.want {
			t.Errorf("%v looks like %s, want %s", c.values, got, c.want)
		}
	}
}
