package diag

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSort checks order and positions over shapes that use the radix sort
// alone, its repair, and the comparison sort.
func TestSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260101, 13))
	w := NewWorkspace()
	for name, shape := range inOrder {
		for range 20 {
			x := shape(rng, 1+rng.IntN(4), 1+rng.IntN(300))
			w.load(x)
			want := refFlat(x)
			slices.Sort(want)
			seen := map[uint32]bool{}
			for i, v := range w.sorted.values {
				pos := w.sorted.positions[i]
				if v != want[i] || v != w.x[pos] || seen[pos] {
					t.Fatalf("%s: value %d is %v, want %v; position %d holds %v, seen before: %t",
						name, i, v, want[i], pos, w.x[pos], seen[pos])
				}
				seen[pos] = true
			}
		}
	}
}

// TestSortFallsBack: "outlier" must reach the comparison sort, or that stays
// untested.
func TestSortFallsBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260101, 14))
	w := NewWorkspace()
	w.load(shapesOfDraws["outlier"](rng, 4, 500))
	keys := map[uint64]bool{}
	for _, item := range w.radix.items {
		keys[item>>32] = true
	}
	if len(keys) > 10 {
		t.Errorf("the leading bits tell %d of 2000 draws apart", len(keys))
	}
}

func TestOrderedBits(t *testing.T) {
	values := []float64{math.Inf(-1), -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, 0,
		math.SmallestNonzeroFloat64, 1, math.MaxFloat64, math.Inf(1)}
	for i := 1; i < len(values); i++ {
		if orderedBits(values[i-1]) >= orderedBits(values[i]) {
			t.Errorf("%v and %v are out of order", values[i-1], values[i])
		}
	}
	if orderedBits(math.Copysign(0, -1)) != orderedBits(0) {
		t.Error("the zeros differ")
	}
}

// TestFold compares with the distances themselves, ties included.
func TestFold(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260101, 15))
	w := NewWorkspace()
	for name, shape := range inOrder {
		for range 20 {
			x := shape(rng, 1+rng.IntN(4), 4+rng.IntN(60))
			w.load(x)
			if !w.fold() {
				t.Fatalf("%s: no finite median", name)
			}
			want := refFlat(refSplit(refFold(x)))
			slices.Sort(want)
			if !slices.Equal(w.folded.values, want) {
				t.Fatalf("%s: folded draws %v, want %v", name, w.folded.values, want)
			}
			for i, pos := range w.folded.positions {
				if math.Abs(w.x[pos]-w.median()) != w.folded.values[i] {
					t.Fatalf("%s: position %d does not hold folded draw %d", name, pos, i)
				}
			}
		}
	}
}

// TestScores: scores are antisymmetric, and tied draws have the score of their
// average rank.
func TestScores(t *testing.T) {
	scores := make([]float64, 7)
	fillScores(scores)
	for i := range scores {
		if scores[i] != -scores[6-i] {
			t.Errorf("scores of ranks %d and %d: %g, %g", i+1, 7-i, scores[i], scores[6-i])
		}
	}
	w := NewWorkspace()
	w.load([][]float64{{3, 1, 1, 2, 2, 2}})
	w.rankNormalize(w.ranked)
	for pos, rank := range map[int]float64{0: 6, 1: 1.5, 2: 1.5, w.stride: 4, w.stride + 1: 4, w.stride + 2: 4} {
		if got, want := w.y[pos], normalScore(rank, 6); math.Abs(got-want) > 1e-15 {
			t.Errorf("position %d: score %g, want %g", pos, got, want)
		}
	}
}
