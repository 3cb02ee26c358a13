package report

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"glmbatch/report/html"
)

// The curves of a fit come in their order, a level after the other, as many as a page has room for.
func TestPageSmooths(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	store(t, l, sampleFit("f"))
	add := func(smooth, level string) {
		must(t, l.Write(ctx, func(s *Session) error {
			_, err := s.c.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS smooth_curve (fit_id BIGINT, smooth VARCHAR,
				level VARCHAR, name VARCHAR, x DOUBLE, mean DOUBLE, sd DOUBLE, q025 DOUBLE, q25 DOUBLE, median DOUBLE,
				q75 DOUBLE, q975 DOUBLE)`)
			if err != nil {
				return err
			}
			_, err = s.c.ExecContext(ctx, `INSERT INTO smooth_curve SELECT (SELECT min(fit_id) FROM fit), ?, nullif(?, ''), 'n',
				x, 0, 1, x - 2, x - 1, x, x + 1, x + 2 FROM range(3) t(x)`, smooth, level)
			return err
		}))
	}
	curves := func() *html.Detail {
		p, err := l.Page(ctx, PageOptions{Latest: true})
		must(t, err)
		return p.Fits[0].Detail
	}
	if d := curves(); len(d.Curves) != 0 {
		t.Errorf("without smooths: %+v", d.Curves)
	}
	add("s(x)", "")
	add("s(z, by = f)", "b")
	add("s(z, by = f)", "a")
	got := curves().Curves
	want := html.Curve{Smooth: "s(z, by = f)", Level: "a", X: []html.Number{0, 1, 2},
		Of: [][5]html.Number{{-2, -1, 0, 1, 2}, {-1, 0, 1, 2, 3}, {0, 1, 2, 3, 4}}}
	if len(got) != 3 || got[0].Smooth != "s(x)" || got[0].Level != "" || !reflect.DeepEqual(got[2], want) {
		t.Errorf("curves are %+v", got)
	}
	for i := range 12 {
		add("s(w, by = g)", fmt.Sprint(i))
	}
	if d := curves(); len(d.Curves) != pageCurves || !strings.Contains(strings.Join(d.Missing, " "), "view smooths") {
		t.Errorf("%d curves, and it says %q", len(d.Curves), d.Missing)
	}
}
