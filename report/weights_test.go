package report

import (
	"context"
	"math"
	"slices"
	"testing"

	"glmbatch/infer/loo"
)

// Models of the same responses are weighed together, those that --only leaves out are not among them, and rows count as
// often as they stand for observations.
func TestWeights(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	b := []float64{-1.5, -0.8, -1.2, -3.3, -9}
	unknown := looFit("d", "y", []float64{math.NaN(), -1, -1, -1, -1}, 2)
	unknown.LOO.ELPD.Value = math.NaN()
	store(t, l, looFit("a", "y", modelA, 2), looFit("b", "y", b, 2), looFit("c", "other", b[:4], 1), unknown)
	all := func(string, string, string, string) bool { return true }
	got, err := l.Weights(ctx, "", false, all)
	must(t, err)
	want := loo.Stacking([][]float64{modelA, b}, []float64{2, 2, 2, 2, 2})
	models, stacked := []string{}, map[string]float64{}
	for _, w := range got {
		models, stacked[w.Model] = append(models, w.Model), w.Stacking
		if w.Model == "c" && math.Abs(w.PseudoBMA-1) > 1e-9 {
			t.Errorf("the only model of its responses has %v", w.PseudoBMA)
		}
	}
	slices.Sort(models)
	if !slices.Equal(models, []string{"a", "b", "c"}) || stacked["a"] != want[0] || stacked["b"] != want[1] || stacked["c"] != 1 {
		t.Errorf("weights %v of %v, want %v of a and b", stacked, models, want)
	}
	got, err = l.Weights(ctx, "", false, func(_, _, model, _ string) bool { return model == "b" })
	must(t, err)
	if len(got) != 1 || got[0].Stacking != 1 {
		t.Errorf("b alone: %+v", got)
	}
}
