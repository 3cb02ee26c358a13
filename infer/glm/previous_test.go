package glm

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/prior"
)

// A start around an earlier posterior is the usual one, moved to its mean and stretched where it is wider: to the
// last bit of the usual one's distance. Parameters that the earlier posterior does not have, and the chain from the
// prior, are as usual.
func TestStartsAroundAnEarlierPosterior(t *testing.T) {
	target := previousTarget(t)
	mean, sd := []float64{0.4, math.NaN(), 0.02, -1}, []float64{1e-3, math.NaN(), 0.3, 1e-3}
	warm, err := target.From(Previous{Mean: mean, SD: sd})
	must(t, err)
	stretch := warm.before.stretch
	if stretch[0] != 1 || stretch[1] != 1 || stretch[3] != 1 || !(stretch[2] > 2) {
		t.Fatalf("stretched by %v, want wider starts in the third coefficient alone", stretch)
	}
	peak := target.Penalised()
	for c := range 4 {
		usual, _ := target.Start(infer.Chain{Index: c, Count: 4, Stream: infer.NewStream(1, "start")})
		moved, words := warm.Start(infer.Chain{Index: c, Count: 4, Stream: infer.NewStream(1, "start")})
		for j := range usual {
			want := usual[j]
			if c < 3 && !math.IsNaN(mean[j]) {
				want = math.FMA(stretch[j], usual[j]-peak[j], mean[j])
			}
			if moved[j] != want {
				t.Errorf("chain %d starts %q at %v in coordinate %d, want %v", c+1, words, moved[j], j+1, want)
			}
		}
	}
	if target.Before() != nil || warm.Before().Mean[0] != 0.4 {
		t.Error("the target itself knows the earlier posterior, or the new one does not")
	}
}

// previousTarget is a regression of 12 rows on an intercept and two columns.
func previousTarget(t *testing.T) *Target {
	t.Helper()
	x, y := design.NewDense(12, 3), make([]float64, 12)
	for i := range y {
		x.Col(0)[i], x.Col(1)[i], x.Col(2)[i] = 1, float64(i%5)-2, float64(i*i%7)-3
		y[i] = 0.3*float64(i%5) + 0.1*float64(i%3)
	}
	law := prior.Prior{Kind: prior.Normal, Scale: 5}
	model := Model{Family: Family{Name: "gaussian", Link: "identity"}, Coefficients: []prior.Prior{law, law, law}, Dispersion: prior.Prior{Kind: prior.Exponential, Rate: 1}}
	target, err := NewTarget(&Data{X: x, Y: y, Intercept: 0}, model)
	must(t, err)
	return target
}

// A value that cannot be a scale, or is of another shape, is refused.
func TestEarlierPosteriorIsChecked(t *testing.T) {
	target := previousTarget(t)
	for name, p := range map[string]Previous{
		"short":    {Mean: make([]float64, 3), SD: []float64{1, 1, 1}},
		"zero":     {Mean: make([]float64, 4), SD: []float64{1, 0, 1, 1}},
		"infinite": {Mean: []float64{0, math.Inf(1), 0, 0}, SD: []float64{1, 1, 1, 1}},
	} {
		if _, err := target.From(p); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
