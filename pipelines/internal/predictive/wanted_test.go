package predictive

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer/glm"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// wantedOf are three levels of a column, one of them with no rows, a number, and two statistics.
func wantedOf(t *testing.T, n int) Wanted {
	by := &transform.AuxColumn{Name: "g", Levels: []string{"a", "b", "none"}}
	over := &transform.AuxColumn{Name: "x"}
	for i := range n {
		by.Of, over.X = append(by.Of, int32(i%2)), append(over.X, float64((7*i)%n))
	}
	by.Of[0], over.X[1] = -1, math.NaN()
	w := Wanted{AuxColumns: []*transform.AuxColumn{by, over}}
	for _, s := range [][2]string{{"positive", "mean(y > 0)"}, {"top", "quantile(y, 0.9)"}} {
		of, err := transform.ParseStatistic(s[1])
		must(t, err)
		w.Statistics = append(w.Statistics, Statistic{Name: s[0], Of: of})
	}
	return w
}

// Statistics of levels, classes and specs are those of the data, and what is asked for changes nothing that every fit
// has.
func TestWanted(t *testing.T) {
	e := newExample(60, 2, 2, 300, 3)
	plain, err := on(t, &e.fit, gaussian, e.data, e.columns).Check(t.Context(), Wanted{}, stream)
	must(t, err)
	got, err := on(t, &e.fit, gaussian, e.data, e.columns).Check(t.Context(), wantedOf(t, 60), stream)
	must(t, err)
	if len(got.Checks) != 6 || fmt.Sprint(got.Checks[:4], got.Bins) != fmt.Sprint(plain.Checks, plain.Bins) {
		t.Errorf("what is asked for changes the checks of every fit: %+v", got.Checks)
	}
	positive, sum, rows := 0.0, 0.0, 0.0
	for i, y := range e.data.Y {
		if y > 0 {
			positive++
		}
		if i%2 == 0 && i > 0 {
			sum, rows = sum+y, rows+1
		}
	}
	if c := got.Checks[4]; c.Statistic != "positive" || math.Abs(c.Observed-positive/60) > 1e-12 || c.Expression != "mean(y > 0)" ||
		c.Replicates != 600 || c.P < 0.001 || c.P > 0.999 {
		t.Errorf("%+v", c)
	}
	if c := got.Checks[5]; math.Abs(c.Observed-transform.SortedQuantile(slices.Sorted(slices.Values(e.data.Y)), 0.9)) > 1e-12 {
		t.Errorf("%+v", c)
	}
	if len(got.Groups) != 4 { // mean and sd of two levels
		t.Fatalf("%+v", got.Groups)
	}
	if g := got.Groups[0]; g.Level != "a" || g.Rows != rows || math.Abs(g.Observed-sum/rows) > 1e-12 || g.Replicates != 600 ||
		math.Abs(g.Expected-0.1) > 0.01 || !(g.Q05 < g.Q25 && g.Q25 < g.Median && g.Median < g.Q75 && g.Q75 < g.Q95) {
		t.Errorf("level a: %+v, its mean is %v of %v", g, sum/rows, rows)
	}
	seen := 0.0
	for i, o := range got.Over {
		seen += o.Rows
		if o.X < o.Low || o.X > o.High || i > 0 && o.Low <= got.Over[i-1].High || o.Outside > o.Rows || o.Y05 >= o.Y95 {
			t.Errorf("class %d: %+v", i, o)
		}
	}
	if seen != 59 {
		t.Errorf("%v of 59 rows are in classes", seen)
	}
	f := e.fit
	f.kept, f.bytes, f.Workers = nil, 1, 16
	again, err := on(t, &f, gaussian, e.data, e.columns).Check(t.Context(), wantedOf(t, 60), stream)
	if err != nil || fmt.Sprint(*again) != fmt.Sprint(*got) {
		t.Errorf("blocks or workers change the checks, %v", err)
	}
}

// Groups that differ from the replicates of a model are reported with the number that chance explains; those that
// agree are not.
func TestGroupWarnings(t *testing.T) {
	e := newExample(120, 2, 2, 300, 3)
	by := &transform.AuxColumn{Name: "g"}
	for i := range 120 {
		by.Of = append(by.Of, int32(i%12))
	}
	for l := range 12 {
		by.Levels = append(by.Levels, fmt.Sprint(l))
	}
	for _, apart := range []float64{0, 5} {
		for i := range e.data.Y {
			e.data.Y[i] += apart * float64(i%3-1)
		}
		got, err := on(t, &e.fit, glm.Family{Name: "gaussian", Link: "identity"}, e.data, e.columns).Check(t.Context(), Wanted{AuxColumns: []*transform.AuxColumn{by}}, stream)
		must(t, err)
		words := strings.Join(GroupWarnings(got), "\n")
		said := strings.Contains(words, "predictive check by g: the mean of the response is outside the 90 % interval of "+
			"replicated data in 9 of 12 levels, and 1.2 are expected")
		if said != (apart > 0) {
			t.Errorf("%v apart: %q", apart, words)
		}
	}
	few := &Checked{Groups: []record.GroupCheck{{Observed: 2, Expected: 0.1}, {Observed: 2, Expected: 0.1}}}
	if words := GroupWarnings(few); words != nil {
		t.Errorf("two of two: %q", words)
	}
}
