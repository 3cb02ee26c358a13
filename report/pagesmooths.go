package report

import (
	"fmt"

	"glmbatch/report/html"
)

// pageCurves is how many curves of smooths a page of a fit shows.
const pageCurves = 12

// smooths reads the curves of smooths.
func (r *pageReader) smooths(f *html.Fit) error {
	type point struct {
		smooth, level string
		x             html.Number
		q             [5]html.Number
	}
	points, err := readRows(r.ctx, r.c, `SELECT smooth, coalesce(level, ''), x, q025, q25, median, q75, q975
		FROM smooth_curve WHERE fit_id = ? ORDER BY rowid`, func(p *point) []any {
		into := []any{&p.smooth, &p.level, (*nullable)(&p.x)}
		for i := range p.q {
			into = append(into, (*nullable)(&p.q[i]))
		}
		return into
	}, f.ID)
	curves, left := f.Detail.Curves, ""
	for _, p := range points {
		n := len(curves)
		if n == 0 || curves[n-1].Smooth != p.smooth || curves[n-1].Level != p.level {
			if n == pageCurves {
				left = fmt.Sprintf("Only %d curves of smooths are drawn; the ledger's view smooths has every one.", n)
				break
			}
			curves, n = append(curves, html.Curve{Smooth: p.smooth, Level: p.level}), n+1
		}
		c := &curves[n-1]
		c.X, c.Of = append(c.X, p.x), append(c.Of, p.q)
	}
	if left != "" {
		f.Detail.Missing = append(f.Detail.Missing, left)
	}
	f.Detail.Curves = curves
	return err
}
