package report

import (
	"math"
	"reflect"
	"testing"
)

// Effects are replaced as a whole, are found again by fit, appear in the view and the page, and are removed with
// their fit.
func TestEffectsOfFits(t *testing.T) {
	l := open(t, Options{})
	store(t, l, sampleFit("f1"), func() *Fit { f := sampleFit("f2"); f.Model = "other"; return f }())
	row := func(id int, name string, x float64) Effect {
		return Effect{ID: id, Effect: name, Kind: "prediction", Variable: "age", Level: "1", X: x, Given: "sex = f", Mean: 2,
			SD: 1, Q025: 0.5, Median: 2, Q975: 4, Direction: math.NaN()}
	}
	put := func(fit int64, rows ...Effect) {
		must(t, l.Write(t.Context(), func(s *Session) error { return s.Effects(t.Context(), &FitEffects{Fit: fit, Rows: rows}) }))
	}
	put(1, row(1, "old", 1))
	put(2, row(1, "age", 1))
	put(1, row(1, "b", 1), row(1, "b", math.NaN()), row(2, "a", 3))
	found, err := l.EffectsOf(t.Context(), []int64{1, 2, 3})
	must(t, err)
	if want := map[int64][]string{1: {"b", "a"}, 2: {"age"}}; !reflect.DeepEqual(found, want) {
		t.Errorf("fits have %v, want %v", found, want)
	}
	wantInt(t, l, 3, "SELECT count(*) FROM effects WHERE model = 'diabetes' AND mean = 2 AND p_direction IS NULL AND given = 'sex = f'")
	wantInt(t, l, 1, "SELECT count(*) FROM effects WHERE model = 'diabetes' AND x IS NULL")
	p, err := l.Page(t.Context(), PageOptions{Latest: true})
	must(t, err)
	shown := 0
	for _, f := range p.Fits {
		for _, e := range f.Detail.Effects {
			if e.Q025 != 0.5 || e.Variable != "age" {
				t.Errorf("the page has %+v", e)
			}
			shown++
		}
	}
	if shown != 4 {
		t.Errorf("the page has %d rows of 4", shown)
	}
	store(t, l, sampleFit("f1")) // instead of the first
	wantInt(t, l, 1, "SELECT count(*) FROM effect")
}
