package report

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report/html"
)

// groupedFit has an intercept for each of n levels without draws: level i has the mean i − n/2, and its effect the sd 1
// where that of the standard deviation among levels is 2 ± 0.
func groupedFit(fingerprint string, n int) *Fit {
	f := sampleFit(fingerprint)
	f.Dataset, f.DrawsOf = fmt.Sprint("levels-", n), nil
	p := &f.Parameters[1]
	p.Name, p.Kind, p.Grouping, p.Term = "sd_g__Intercept", infer.GroupSD, "g", "Intercept"
	f.Summaries[1] = diag.Summary{Mean: 2, SD: 0, Q025: 1, Q25: 1.5, Median: 2, Q75: 2.5, Q975: 3}
	for i := range n {
		level := fmt.Sprintf("l%d", (7*i)%n) // not in the order of their sizes
		mean := float64((7*i)%n) - float64(n)/2
		f.Undrawn = append(f.Undrawn, Parameter{Name: "r_g[" + level + ",Intercept]", Kind: infer.GroupEffect, Grouping: "g",
			Level: level, Term: "Intercept"})
		f.UndrawnSummaries = append(f.UndrawnSummaries, diag.Summary{Mean: mean, SD: 1, Q025: mean - 2, Q25: mean - 1,
			Median: mean, Q75: mean + 1, Q975: mean + 2, RHat: 1, ESSBulk: 100, ESSTail: 100})
	}
	f.Columns = len(f.Parameters)
	return f
}

// Of few levels a page has all in the order of their means, of many both ends and even ranks between.
func TestPageGroups(t *testing.T) {
	l := open(t, Options{})
	store(t, l, groupedFit("few", 6), groupedFit("many", 1000))
	p, err := l.Page(context.Background(), PageOptions{Latest: true})
	must(t, err)
	few, many := p.Fits[1].Detail.Terms, p.Fits[0].Detail.Terms
	if len(few) != 1 || len(many) != 1 {
		t.Fatalf("%d and %d terms, want one each", len(few), len(many))
	}
	if want := []string{"l0", "l1", "l2", "l3", "l4", "l5"}; !reflect.DeepEqual(few[0].Effects.Level, want) {
		t.Errorf("levels are %q, want %q", few[0].Effects.Level, want)
	}
	e := many[0].Effects
	if many[0].Levels != 1000 || many[0].Quantiles != [5]html.Number{1, 1.5, 2, 2.5, 3} || many[0].Term != "Intercept" {
		t.Errorf("the term is %+v", many[0])
	}
	n := len(e.Rank)
	if n < 2*pageEnds+40 || n > 2*pageEnds+pageStrip || e.Level[0] != "l0" || e.Level[n-1] != "l999" ||
		e.Level[pageEnds-1] != "l11" || e.Level[n-pageEnds] != "l988" {
		t.Errorf("%d levels are shown, from %s to %s; rank %d is %s", n, e.Level[0], e.Level[n-1], pageEnds, e.Level[pageEnds-1])
	}
	for i, rank := range e.Rank {
		mean := html.Number(float64(rank-1) - 500)
		if e.Mean[i] != mean || e.Q025[i] != mean-2 || e.Q75[i] != mean+1 || e.Told[i] != 0.75 {
			t.Errorf("rank %d: mean %v, 2.5 %% %v, told %v", rank, e.Mean[i], e.Q025[i], e.Told[i])
		}
	}
}

// The share of a level's rows is 1 − sd²/E sd², between 0 and 1, and missing if it is not known.
func TestTold(t *testing.T) {
	for _, c := range []struct{ mean, sd, effect, want float64 }{
		{2, 0, 1, 0.75}, {1, 1, 1, 0.5}, {1, 0, 3, 0}, {1, 0, 0, 1}, {0, 0, 0, math.NaN()}, {1, 0, math.NaN(), math.NaN()},
	} {
		got := float64(ownShare(&html.Term{Mean: html.Number(c.mean), SD: html.Number(c.sd)}, c.effect))
		if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("an effect of sd %v among %v ± %v is told to %v, want %v", c.effect, c.mean, c.sd, got, c.want)
		}
	}
}
