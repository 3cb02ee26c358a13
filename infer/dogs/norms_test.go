package dogs

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// Norms against dense algebra: the spectral radius of a grid without fields is
// tanh θ·(2·cos(π/(r+1)) + 2·cos(π/(c+1))).
func TestNorms(t *testing.T) {
	n := lattice(4, 6, 0.3).Norms()
	c := math.Tanh(0.3)
	rho := c * (2*math.Cos(math.Pi/5) + 2*math.Cos(math.Pi/7))
	if math.Abs(n.Rows-4*c) > 1e-15 || math.Abs(n.Columns-4*c) > 1e-15 || n.Spectral < rho-1e-12 || n.Spectral > rho*1.02 || n.Least() != n.Spectral {
		t.Errorf("norms %+v, want %v, %v and a little over %v", n, 4*c, 4*c, rho)
	}
	star := symmetric(4, []pair{{0, 1, 0.2}, {0, 2, 0.3}, {0, 3, 0.4}})
	s := star.Norms()
	const want = 0.2 + 0.3 + 0.4
	if math.Abs(s.Rows-want) > 1e-15 || s.Most != 0 || math.Abs(s.Columns-want) > 1e-15 {
		t.Errorf("norms of a star: %+v, want %v", s, want)
	}
	skewed := uneven(3, 6, 0.5)
	columns := make([]float64, 6)
	for i := range 6 {
		near, value := skewed.Row(i)
		for k, j := range near {
			columns[j] += value[k]
		}
	}
	if got := skewed.Norms(); got.Columns != slices.Max(columns) || got.Columns == got.Rows {
		t.Errorf("norms %+v, want columns of %v", got, slices.Max(columns))
	}
	loose := star.Scaled(1.5).Norms()
	if math.Abs(loose.Rows-1.5*want) > 1e-15 {
		t.Errorf("scaled: %+v", loose)
	}
}

// Strong influences are refused, with the norms and what to do; so are impossible targets and scans.
func TestRefusals(t *testing.T) {
	hot, cold := lattice(10, 10, 0.6), lattice(3, 3, 0.2)
	var norm *NormError
	if _, err := hot.Search(All(100), Options{Below: 0.1}); !errors.As(err, &norm) || norm.Norms.Rows < 1 || !strings.Contains(err.Error(), "none below 1; ") {
		t.Errorf("Search: %v", err)
	}
	if _, err := hot.Optimise(Systematic(100, 200), All(100), Options{}); !errors.As(err, &norm) {
		t.Errorf("Optimise: %v", err)
	}
	if _, err := hot.Variation(Systematic(100, 200), All(100)); err != nil {
		t.Errorf("Variation needs no norm: %v", err)
	}
	for want, f := range map[string]func() error{
		"has no variables":          func() error { _, err := cold.Variation(nil, Target{}); return err },
		"target variable 9":         func() error { _, err := cold.Variation(nil, Target{Variables: []int32{9}}); return err },
		"named twice":               func() error { _, err := cold.Variation(nil, Target{Variables: []int32{1, 1}}); return err },
		"2 weights for 1":           func() error { _, err := cold.Variation(nil, Target{[]int32{1}, []float64{1, 2}}); return err },
		"weight NaN":                func() error { _, err := cold.Variation(nil, Target{[]int32{1}, []float64{math.NaN()}}); return err },
		"update 1 of the scan":      func() error { _, err := cold.Variation([]int32{0, -1}, All(9)); return err },
		"scan is of variable 9":     func() error { _, err := cold.Optimise([]int32{9}, All(9), Options{}); return err },
		"the variation to reach is": func() error { _, err := cold.Search(All(9), Options{}); return err },
		"scans of 20 updates reach": func() error { _, err := cold.Search(All(9), Options{Below: 1e-9, MaxLength: 20}); return err },
		"2 probabilities of sum 1":  func() error { _, err := cold.RandomVariation([]float64{0.5, 0.5}, 3, All(9)); return err },
		"9 probabilities of sum NaN": func() error {
			_, err := cold.RandomVariation([]float64{2, -1, 0, 0, 0, 0, 0, 0, 0}, 3, All(9))
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "; ") {
			t.Errorf("want %q and what to do, got %v", want, err)
		}
	}
}
