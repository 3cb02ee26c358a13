package predictive

import (
	"math"
	"testing"

	"glmbatch/infer/glm"
)

// Whole numbers have classes of whole width; the largest response is in the last class within, and what no data have
// lies outside.
func TestClasses(t *testing.T) {
	poisson := classesOf(glm.Family{Name: "poisson"}, []float64{2, 0, 7})
	wide := classesOf(glm.Family{Name: "poisson"}, []float64{0, 85})
	third := classesOf(gaussian, []float64{0, 0.1, 0.3, 0.7, 1.0 / 3, 0.3, 0.2, 0.9, 0.31})
	flat := classesOf(gaussian, []float64{4, 4})
	for _, c := range []struct {
		name  string
		in    classes
		y     float64
		class int
	}{
		{"count", poisson, 0, 1}, {"count", poisson, 7, 8}, {"count", poisson, 8, 9}, {"wide count", wide, 2, 1},
		{"wide count", wide, 3, 2}, {"wide count", wide, 85, 29}, {"wide count", wide, 86, 29}, {"wide count", wide, 87, 30},
		{"real", third, 0, 1}, {"real", third, 0.9, 5}, {"real", third, math.Nextafter(0.9, 1), 6}, {"real", third, -1e-9, 0},
		{"real", third, 0.3, 2}, {"real", third, 1e300, 6}, {"one value", flat, 4, 1}, {"one value", flat, 5, 2},
	} {
		if got := c.in.of(c.y); got != c.class {
			t.Errorf("%s %v has class %d of %d, want %d", c.name, c.y, got, c.in.n, c.class)
		}
	}
}

// Every observation, as often as it counts, has one class, and so has every response of a replicate.
func TestBins(t *testing.T) {
	e := newExample(40, 2, 2, 300, 3)
	_, bins, err := checked(t, e, gaussian)
	must(t, err)
	total, inside := 0.0, 0
	for i, b := range bins {
		total += b.Observed
		if b.Q025 <= b.Observed && b.Observed <= b.Q975 {
			inside++
		}
		if b.Q025 > b.Q25 || b.Q25 > b.Median || b.Median > b.Q75 || b.Q75 > b.Q975 {
			t.Errorf("class %d: %+v", i, b)
		}
		if i > 0 && bins[i-1].High != b.Low {
			t.Errorf("class %d begins at %v, the one before ends at %v", i, b.Low, bins[i-1].High)
		}
	}
	if total != 40 || inside < len(bins)-1 {
		t.Errorf("%v observations in %d classes, %d of them as replicates have: %+v", total, len(bins), inside, bins)
	}
	e.data.Y, e.data.Frequency = e.data.Y[:40], make([]float64, 40)
	for i := range e.data.Frequency {
		e.data.Frequency[i] = 3
	}
	_, bins, err = checked(t, e, gaussian)
	total = 0
	for _, b := range bins {
		total += b.Observed
	}
	if err != nil || total != 120 {
		t.Errorf("40 rows that count three times are %v observations, %v", total, err)
	}
}
