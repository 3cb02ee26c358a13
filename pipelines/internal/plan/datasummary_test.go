package plan

import (
	"math"
	"testing"

	matrix "glmbatch/infer/design"
)

// A column has the same moments with its zeros stored and without, and rows with counts have those of repeated
// rows.
func TestMoments(t *testing.T) {
	x := []float64{0, 3, 0, -1, 0, 4}
	mean, sd := moments(x, nil)
	if math.Abs(mean-1) > 1e-15 || math.Abs(sd-math.Sqrt(20.0/6)) > 1e-15 {
		t.Errorf("mean %v, sd %v", mean, sd)
	}
	for name, c := range map[string]matrix.Column{
		"dense": {Values: x}, "sparse": {Rows: []int32{1, 3, 5}, Values: []float64{3, -1, 4}},
	} {
		if m, s := columnMoments(c, len(x), nil); math.Abs(m-mean) > 1e-15 || math.Abs(s-sd) > 1e-15 {
			t.Errorf("%s: mean %v, sd %v", name, m, s)
		}
	}
	once := matrix.Column{Rows: []int32{1, 2, 3}, Values: []float64{3, -1, 4}}
	if m, s := columnMoments(once, 4, []float64{3, 1, 1, 1}); math.Abs(m-mean) > 1e-15 || math.Abs(s-sd) > 1e-15 {
		t.Errorf("counted: mean %v, sd %v", m, s)
	}
	if m, s := moments([]float64{0, 3, -1, 4}, []float64{3, 1, 1, 1}); math.Abs(m-mean) > 1e-15 || math.Abs(s-sd) > 1e-15 {
		t.Errorf("weighted: mean %v, sd %v", m, s)
	}
}
