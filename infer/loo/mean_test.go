package loo

import (
	"math"
	"testing"
)

// The mean of numbers that come one by one is that of all at once, whatever their order, and where some are 0, all
// are, or one is not known.
func TestMeanExp(t *testing.T) {
	zero, unknown := math.Inf(-1), math.NaN()
	for _, logs := range [][]float64{{-3}, {-1, -2, -700}, {-700, -2, -1}, {zero, -4, zero, -3}, {-4, zero}, {zero, zero},
		{900, 901, -900}, {-1, unknown, -2}, {unknown, -1}, {zero, unknown}} {
		var m MeanExp
		for _, l := range logs {
			m.Add(l)
		}
		got, want := m.Log(), LogMeanExp(logs)
		if got != want && !(math.Abs(got-want) < 1e-14*math.Abs(want)) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%v: %v, want %v", logs, got, want)
		}
	}
}
