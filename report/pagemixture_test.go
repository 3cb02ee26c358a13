package report

import (
	"context"
	"math"
	"reflect"
	"testing"

	"glmbatch/infer"
	"glmbatch/report/html"
	"glmbatch/report/record"
)

// The view allocations and the page have a mixture's components in their order; parameters as they were sampled are not
// among those that mixed worst.
func TestPageMixture(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	f := sampleFit("f")
	f.Parameters[1].Kind, f.Parameters[2].Kind, f.Parameters[4].Kind = infer.MixtureWeight, infer.MixtureWeight, infer.Unsorted
	f.Summaries[4].ESSBulk = 3
	f.Summaries[1].Mean, f.Summaries[1].Q025, f.Summaries[1].Q975 = 0.25, 0.125, 0.5
	f.Allocations = []record.Allocation{{Row: 1, Of: []float64{0.96, 0.04}}, {Row: 3, Of: []float64{0.25, 0.75}},
		{Row: 4, Of: []float64{1, 0}}, {Row: 9, Of: []float64{math.NaN(), math.NaN()}}}
	f.Diagnostics = []Diagnostic{{Name: "label_switches", Chain: 0, Value: 2}, {Name: "label_switches", Chain: 1},
		{Name: "label_switches", Chain: -1, Value: 2}}
	store(t, l, f)
	p, err := l.Page(ctx, PageOptions{Latest: true})
	must(t, err)
	d := p.Fits[0].Detail
	want := &html.Mixture{Rows: 4, Switches: []int64{2, 0}, Components: []html.Component{
		{Weight: html.Interval{0.25, 0.125, 0.5}, Rows: 0.96 + 0.25 + 1}, {Weight: html.Interval{2, 0, 0}, Rows: 0.04 + 0.75}}}
	want.Components[0].Best[9], want.Components[1].Best[7] = 2, 1
	if !reflect.DeepEqual(d.Mixture, want) {
		t.Errorf("components %+v, want %+v", d.Mixture, want)
	}
	for _, s := range d.Series {
		if s.Name == f.Parameters[4].Name {
			t.Error("a parameter as it was sampled is among those that mixed worst")
		}
	}
	wantInt(t, l, 2, "SELECT count(*) FROM allocations WHERE row = 3 AND observation = 2 AND NOT meaningful AND state = 'current'")
	store(t, l, sampleFit("g"))
	if p, err = l.Page(ctx, PageOptions{Latest: true}); err != nil || p.Fits[0].Detail.Mixture != nil {
		t.Errorf("of no mixture: %+v, %v", p.Fits[0].Detail.Mixture, err)
	}
}
