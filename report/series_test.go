package report

import (
	"math"
	"reflect"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report/html"
)

// measured is a series whose diagnostics are computed here.
func measured(chains [][]float64) html.Series {
	s := diag.NewWorkspace().Summarize(chains)
	return new(reducer).series(html.Series{Name: "x", Bulk: html.Number(s.ESSBulk), Tail: html.Number(s.ESSTail)}, chains)
}

// wave is a column of draws that depends on the past.
func wave(name string, chains, draws int) [][]float64 {
	out := make([][]float64, chains)
	for c := range out {
		rng := infer.NewStream(7, name, string(rune(48+c)))
		x := 0.0
		for range draws {
			x = float64(0.8*x) + rng.Float64()
			out[c] = append(out[c], x)
		}
	}
	return out
}

// A trace is exact to half a step of 254, and a draw without a value is marked.
func TestTraceIsNearTheDraws(t *testing.T) {
	chains := wave("trace", 4, 1001)
	chains[1][8] = math.Inf(1)
	s := measured(chains)
	if s.Every != 5 || len(s.Trace[0]) != 201 {
		t.Fatalf("every %d. draw, %d of them", s.Every, len(s.Trace[0]))
	}
	s = measured([][]float64{chains[0][:200], chains[1][:200]})
	step := float64(s.High-s.Low) / 254
	for c, trace := range s.Trace {
		for i, code := range trace {
			v := chains[c][i]
			if math.IsInf(v, 0) {
				if code != 255 {
					t.Errorf("an infinite draw has the code %d", code)
				}
			} else if got := float64(s.Low) + float64(float64(code)*step); code == 255 || math.Abs(got-v) > 0.501*step {
				t.Errorf("draw %d of chain %d is %v, shown as %v", i, c, v, got)
			}
		}
	}
	flat := traceOf([]float64{3, 3}, 1, 3, 3)
	if !reflect.DeepEqual(flat, []byte{127, 127}) {
		t.Errorf("draws that are all equal have the codes %v", flat)
	}
}

// Ranks by hand: of 0 … 39 in two chains each class of 20 holds two draws, and
// equal draws of both chains fall into one class.
func TestRanks(t *testing.T) {
	var low, high, even, odd []float64
	for i := range 20 {
		low, high = append(low, float64(i)), append(high, float64(20+i))
		even, odd = append(even, float64(2*i)), append(odd, float64(2*i+1))
	}
	got := ranksOf([][]float64{low, high})
	for b := range rankBins {
		if want := 2 * btoi(b < 10); got[0][b] != want || got[1][b] != 2-want {
			t.Errorf("class %d holds %d and %d draws", b, got[0][b], got[1][b])
		}
	}
	for b, n := range ranksOf([][]float64{even, odd})[0] {
		if n != 1 {
			t.Errorf("class %d holds %d draws of the even chain, want 1", b, n)
		}
	}
	tied := ranksOf([][]float64{{1, 1, 1}, {1, 1, 1}})
	if tied[0][8] != 3 && tied[0][9] != 3 || !reflect.DeepEqual(tied[0], tied[1]) {
		t.Errorf("equal draws have the classes %v", tied)
	}
}

// Of 1, 2, 3, 4 the variance is 1.25 and the sum of products at lag 1 is 1.25.
func TestAutocorrelations(t *testing.T) {
	got := autocorrelations([]float64{1, 2, 3, 4}, []int{0, 1, 3})
	if !reflect.DeepEqual(got, []html.Number{1, 0.25, -0.45}) {
		t.Errorf("autocorrelations are %v", got)
	}
	if flat := autocorrelations([]float64{2, 2}, []int{0}); !math.IsNaN(float64(flat[0])) {
		t.Errorf("a constant chain has %v", flat)
	}
	if n := lagStride(100_000, 400_000, 400); n != 100 {
		t.Errorf("lags of a slow chain are %d apart, want 3·1000/30", n)
	}
	if n := lagStride(200, 800, math.NaN()); n != 1 {
		t.Errorf("without an effective sample size lags are %d apart", n)
	}
}

// The last point of growth is the fit's own effective sample size, and each is
// that of the first draws.
func TestGrowth(t *testing.T) {
	chains := wave("growth", 4, 500)
	s := measured(chains)
	last := len(s.Grown) - 1
	if s.Grown[last] != 2000 || s.GrownBulk[last] != s.Bulk || s.GrownTail[last] != s.Tail {
		t.Errorf("at %d draws bulk ESS %v, tail ESS %v; the column has %v and %v", s.Grown[last], s.GrownBulk[last],
			s.GrownTail[last], s.Bulk, s.Tail)
	}
	half := make([][]float64, 4)
	for c := range half {
		half[c] = chains[c][:250]
	}
	if s.Grown[3] != 1000 || float64(s.GrownBulk[3]) != diag.ESSBulk(half) ||
		float64(s.GrownTail[3]) != diag.NewWorkspace().Summarize(half).ESSTail {
		t.Errorf("at %d draws bulk ESS %v, want %v", s.Grown[3], s.GrownBulk[3], diag.ESSBulk(half))
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Chains of imputations are compared with those of their own: imputations that lie apart leave ranks even, and
// effective sizes are pooled at every length.
func TestSeriesOfImputations(t *testing.T) {
	chains := wave("imputations", 6, 400)
	for c := 2; c < 6; c++ {
		for i := range chains[c] {
			chains[c][i] += 100 * float64(c/2)
		}
	}
	work := diag.NewWorkspace()
	whole := work.SummarizePooled(chains, 3)
	s := new(reducer).series(html.Series{Imputations: 3, Bulk: html.Number(whole.ESSBulk), Tail: html.Number(whole.ESSTail)},
		chains)
	for c, ranks := range s.Ranks {
		want := ranksOf(chains[c/2*2 : c/2*2+2])[c%2]
		if !reflect.DeepEqual(ranks, want) || ranks[0] == 0 || ranks[19] == 0 {
			t.Errorf("chain %d has ranks %v, want %v", c, ranks, want)
		}
	}
	half := make([][]float64, 6)
	for c := range chains {
		half[c] = chains[c][:200]
	}
	if of := work.SummarizePooled(half, 3); float64(s.GrownBulk[3]) != of.ESSBulk || float64(s.GrownTail[3]) != of.ESSTail ||
		s.Grown[3] != 1200 {
		t.Errorf("half of the draws have %v and %v effective ones, want %v and %v", s.GrownBulk[3], s.GrownTail[3], of.ESSBulk,
			of.ESSTail)
	}
}
