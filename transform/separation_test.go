package transform

import "testing"

func TestSeparates(t *testing.T) {
	y := []float64{0, 0, 1, 1}
	for _, c := range []struct {
		name string
		x    []float64
		y    []float64
		want bool
	}{
		{"above", []float64{1, 2, 3, 4}, y, true},
		{"below", []float64{9, 8, 3, 4}, y, true},
		{"touching", []float64{1, 2, 2, 4}, y, false},
		{"overlapping", []float64{1, 3, 2, 4}, y, false},
		{"one response", []float64{1, 2, 3, 4}, []float64{1, 1, 1, 1}, false},
	} {
		if got := separates(c.x, c.y); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
