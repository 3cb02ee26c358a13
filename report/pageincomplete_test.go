package report

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report/html"
	"glmbatch/report/record"
)

// withGaps gives a fit missing cells of a number x, of g of three levels, of b of two levels and of the response y,
// cells of each. The cells of x are the less certain and the worse mixed the later their row; those of g and b the
// less certain.
func withGaps(f *Fit, cells int) {
	nan := math.NaN()
	add := func(column string, row int, level string, s diag.Summary) {
		f.Undrawn = append(f.Undrawn, Parameter{Name: fmt.Sprintf("Ymi_%s[%d,%s]", column, row, level), Kind: infer.Imputed,
			Scale: 1, Grouping: column, Level: strconv.Itoa(row), Term: level})
		f.UndrawnSummaries = append(f.UndrawnSummaries, s)
	}
	for i := range cells {
		v, row := float64(i), i+2
		add("x", row, "", diag.Summary{Mean: v, SD: 1, Q025: -v, Q25: 1, Median: 2, Q75: 3, Q975: v, RHat: 1 + v/1e6,
			ESSBulk: 1e6 - v})
		for k, level := range []string{"a", "b", "c"} {
			p := []float64{0.25, 0.75 - v/(4*float64(cells)), v / (4 * float64(cells))}[k]
			add("g", row, level, diag.Summary{Mean: p, SD: 0.5, RHat: nan, ESSBulk: 300})
		}
		add("b", row, "", diag.Summary{Mean: v / float64(2*cells), SD: 0.5, RHat: nan, ESSBulk: 200})
		add("y", row, "", diag.Summary{Mean: v, SD: 1, Q025: -1, Q975: 1, RHat: 1, ESSBulk: 100})
	}
	quarters := record.CellBin{Low: nan, High: 2, Observed: 3, Mean: 1.5, Q025: 0, Q25: 1, Median: 2, Q75: 3, Q975: 4}
	f.Incomplete = []record.IncompleteColumn{
		{Variable: "g", Formula: "g ~ z", Family: "multinomial", Observed: 9, Missing: cells, Bins: []record.CellBin{
			{Level: "a", Low: nan, High: nan}, {Level: "b", Low: nan, High: nan}, {Level: "c", Low: nan, High: nan}}},
		{Variable: "b", Formula: "b ~ z + g", Family: "bernoulli", Observed: 8, Missing: cells, Bins: []record.CellBin{
			{Level: "no", Low: nan, High: nan, Observed: 7}, {Level: "yes", Low: nan, High: nan, Observed: 1}}},
		{Variable: "x", Formula: "x ~ z", Family: "gaussian", Observed: 7, Missing: cells, Bins: []record.CellBin{quarters}},
		{Variable: "y", Formula: "y ~ x + g", Family: "poisson", Response: true, Observed: 6, Missing: cells}}
}

// The page has each incomplete column with its model, its classes, and of its cells the least certain and the worst
// mixed; they go with the fit. A fit without such columns has no such part of the page.
func TestPageIncomplete(t *testing.T) {
	l := open(t, Options{})
	f := sampleFit("f")
	withGaps(f, 40)
	store(t, l, f)
	p, err := l.Page(t.Context(), PageOptions{Latest: true})
	must(t, err)
	got := p.Fits[0].Detail.Incomplete
	if len(got) != 4 {
		t.Fatalf("the page has %+v", got)
	}
	g, b, x, y := got[0], got[1], got[2], got[3]
	bins := []html.CellBin{{Low: html.Number(math.NaN()), High: 2, Observed: 3, Mean: 1.5, Quantiles: [5]html.Number{0, 1, 2, 3, 4}}}
	if x.Formula != "x ~ z" || x.Family != "gaussian" || x.Observed != 7 || x.Missing != 40 || x.Response || !y.Response ||
		x.RHat != html.Number(1+39/1e6) || x.Bulk != 1e6-39 || !math.IsNaN(float64(b.RHat)) ||
		fmt.Sprint(x.Bins) != fmt.Sprint(bins) {
		t.Errorf("of x and y the page has %+v and %+v", x, y)
	}
	if len(x.Cells) != pageUnsure || x.Cells[0].Row != 42-pageUnsure || x.Cells[11].Row != 41 ||
		x.Cells[11].Quantiles != [5]html.Number{-39, 1, 2, 3, 39} || x.Cells[11].Level != "" {
		t.Errorf("of x the cells %+v", x.Cells)
	}
	if n := len(g.Cells); n < pageUnsure || n > pageUnsure+pageUnmixed || g.Cells[n-1].Row != 41 ||
		g.Cells[n-1].Level != "b" || g.Cells[n-1].Mean != html.Number(0.75-39.0/160) {
		t.Errorf("of g the cells %+v", g.Cells)
	}
	if n := len(b.Cells); b.Cells[n-1].Row != 41 || b.Cells[n-1].Level != "no" || b.Cells[n-1].Mean != html.Number(1-39.0/80) {
		t.Errorf("of b the cells %+v", b.Cells)
	}
	wantInt(t, l, 4, "SELECT count(*) FROM incomplete_columns WHERE state = 'current' AND observed + missing BETWEEN 46 AND 49")
	f.Incomplete, f.Undrawn, f.UndrawnSummaries = nil, nil, nil
	store(t, l, f)
	if p, err = l.Page(t.Context(), PageOptions{Latest: true}); err != nil || p.Fits[0].Detail.Incomplete != nil {
		t.Errorf("of complete data: %+v, %v", p.Fits[0].Detail.Incomplete, err)
	}
	wantInt(t, l, 0, "SELECT (SELECT count(*) FROM incomplete_column) + (SELECT count(*) FROM imputed_bin)")
}

// Of ten thousand cells, and of many columns, a page has a few, those of the columns that miss most.
func TestPageIncompleteIsBounded(t *testing.T) {
	l := open(t, Options{})
	f := sampleFit("f")
	withGaps(f, 1700)
	for k := range 70 {
		f.Incomplete = append(f.Incomplete, record.IncompleteColumn{Variable: "v" + strconv.Itoa(k), Missing: 3000 + k,
			Bins: f.Incomplete[2].Bins})
	}
	store(t, l, f)
	p, err := l.Page(t.Context(), PageOptions{Latest: true})
	must(t, err)
	d := p.Fits[0].Detail
	drawn := []string{}
	for _, c := range d.Incomplete {
		if c.Bins != nil {
			drawn = append(drawn, c.Variable)
		}
	}
	if len(d.Incomplete) != pageGaps || len(d.Missing) != 1 || !reflect.DeepEqual(drawn, []string{"v62", "v63", "v64", "v65", "v66", "v67", "v68", "v69"}) {
		t.Errorf("%d columns, of which %q are drawn; %q", len(d.Incomplete), drawn, d.Missing)
	}
	f.Incomplete = f.Incomplete[:4]
	store(t, l, f)
	p, err = l.Page(t.Context(), PageOptions{Latest: true})
	must(t, err)
	text, err := json.Marshal(p.Fits[0].Detail.Incomplete)
	must(t, err)
	if cells := len(f.Undrawn); cells < 10_000 || len(text) > 10_000 {
		t.Errorf("%d bytes of %d cells", len(text), cells)
	}
}
