package report

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
)

// Among the few missing cells of a page, and among the plots, are those that mixed worst, not those that never
// moved.
func TestPageCells(t *testing.T) {
	l := open(t, Options{})
	f := sampleFit("f")
	f.Parameters[1].Kind, f.Parameters[2].Kind = infer.Imputed, infer.Imputed
	f.Summaries[1].SD, f.Summaries[1].RHat, f.Summaries[1].ESSBulk = 0, math.NaN(), math.NaN()
	f.Summaries[2].ESSBulk = 7
	store(t, l, f)
	p, err := l.Page(t.Context(), PageOptions{Latest: true})
	must(t, err)
	d := p.Fits[0].Detail
	if d.Series[1].Name != f.Parameters[2].Name {
		t.Errorf("the first plot is of %s, want %s", d.Series[1].Name, f.Parameters[2].Name)
	}
	for _, s := range d.Series {
		if s.Name == f.Parameters[1].Name {
			t.Errorf("%s never moved, and has plots", s.Name)
		}
	}
	for i := range pageEffects + 1 {
		still := f.Parameters[1]
		still.Name = string(rune('a' + i))
		f.Undrawn, f.UndrawnSummaries = append(f.Undrawn, still), append(f.UndrawnSummaries, f.Summaries[1])
	}
	f.Fingerprint, f.Model = "g", "g"
	store(t, l, f)
	p, err = l.Page(t.Context(), PageOptions{Latest: true})
	must(t, err)
	for _, of := range p.Fits {
		if of.Model == "g" && !slices.Contains(of.Detail.Coefficients.Name, f.Parameters[2].Name) {
			t.Errorf("the worst cell is not among %q", of.Detail.Coefficients.Name)
		}
	}
}
