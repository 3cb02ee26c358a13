package report

import (
	"context"
	"database/sql"
	"reflect"
	"testing"

	"glmbatch/infer/diag"
	"glmbatch/report/html"
	"glmbatch/report/record"
)

// The estimates of parameters from several imputations are in the views, in the order of the fit, on the page of
// the fit and in its look, and are removed with the fit. A statistic with the name of a parameter is not mistaken
// for it.
func TestPooled(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	f := sampleFit("f")
	name, second := f.Parameters[1].Name, f.Parameters[0].Name
	add := func(parameter string, means ...float64) {
		for k, mean := range means {
			f.Imputations = append(f.Imputations, record.Imputation{Parameter: parameter, Imputation: k + 1,
				Name: []string{"a", "b", "c"}[k], Summary: diag.Summary{Mean: mean, SD: 2, Q025: -1, Median: mean, Q975: 5,
					RHat: 1.001, ESSBulk: 400, ESSTail: 300}})
		}
		f.Pooling = append(f.Pooling, record.Pooling{Parameter: parameter, Rubin: diag.PoolRubin(means, []float64{4, 4, 4}, 20),
			Across: 1.2})
	}
	add(name, 1, 2, 3)
	add(second, 5, 7, 9)
	f.Statistics[0].Name = name
	f.Diagnostics = append(f.Diagnostics, record.Diagnostic{Name: record.Imputations, Chain: -1, Value: 3, Note: "they differ"})
	store(t, l, f)
	ask := func(query string) []string {
		var out []string
		must(t, l.readTables(ctx, func(c *sql.Conn) error { return read(ctx, c, &out, query) }))
		return out
	}
	want := []string{"1 a 1.0 2.0 -1.0 5.0 400.0 300.0", "2 b 2.0 2.0 -1.0 5.0 400.0 300.0", "3 c 3.0 2.0 -1.0 5.0 400.0 300.0"}
	if got := ask(`SELECT concat_ws(' ', imputation, source, mean, sd, q025, q975, ess_bulk, ess_tail) FROM imputations
		WHERE parameter = 'glu'`); !reflect.DeepEqual(got, want) {
		t.Errorf("imputations has %q", got)
	}
	if got := ask(`SELECT concat_ws(' ', parameter, round(sd_rubin, 6), within, between, round(riv, 6), imputations, rhat_across)
		FROM pooled`); len(got) != 2 || got[0] != name+" 2.309401 4.0 1.0 0.333333 3 1.2" ||
		got[1] != second+" 3.05505 4.0 4.0 1.333333 3 1.2" {
		t.Errorf("pooled has %q", got)
	}
	p, err := l.Page(ctx, PageOptions{Latest: true})
	must(t, err)
	d := p.Fits[0].Detail.Pooled
	if d == nil || d.Words != "they differ" || len(d.Rows) != 2 || d.Rows[0].Name != name || d.Rows[0].Within != 2 ||
		d.Rows[0].Between != 1 || d.Rows[0].Across != html.Number(1.2) {
		t.Errorf("the page has %+v", d)
	}
	if d.Count != 3 || !reflect.DeepEqual(d.Imputations, []string{"a", "b", "c"}) || float64(d.Rows[0].RIV) != 1.0/3 ||
		d.Rows[0].RHat != 1 || !reflect.DeepEqual(d.Rows[1].Each, [][3]html.Number{{-1, 5, 5}, {-1, 7, 5}, {-1, 9, 5}}) {
		t.Errorf("of each imputation the page has %+v", d)
	}
	looks, err := l.Look(ctx, 1)
	must(t, err)
	if looks[0].Imputations != "they differ" {
		t.Errorf("a look says %q", looks[0].Imputations)
	}
	f.Imputations, f.Pooling, f.Diagnostics = nil, nil, nil
	store(t, l, f)
	if got := ask("SELECT concat((SELECT count(*) FROM imputation), ' ', (SELECT count(*) FROM pooling))"); got[0] != "0 0" {
		t.Errorf("after the fit was replaced there are %s rows", got[0])
	}
}
