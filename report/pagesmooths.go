package report

import (
	"fmt"

	"glmbatch/report/html"
)

// pageCurves is how many curves of smooths a page of a fit shows.
const pageCurves = 12

// smooths reads the curves of smooths.
func (r *pageReader) smooths(f *html.Fit) error {
	var points []struct {
		Smooth, Level string
		X             html.Number
		Of            [5]html.Number
	}
	err := read(r.ctx, r.c, &points, `SELECT smooth, level, x, q025 AS "of", q25, median, q75, q975
		FROM smooth_curve WHERE fit_id = ? ORDER BY rowid`, f.ID)
	curves, left := f.Detail.Curves, ""
	for _, p := range points {
		n := len(curves)
		if n == 0 || curves[n-1].Smooth != p.Smooth || curves[n-1].Level != p.Level {
			if n == pageCurves {
				left = fmt.Sprintf("Only %d curves of smooths are drawn; the ledger's view smooths has every one.", n)
				break
			}
			curves, n = append(curves, html.Curve{Smooth: p.Smooth, Level: p.Level}), n+1
		}
		c := &curves[n-1]
		c.X, c.Of = append(c.X, p.X), append(c.Of, p.Of)
	}
	if left != "" {
		f.Detail.Missing = append(f.Detail.Missing, left)
	}
	f.Detail.Curves = curves
	return err
}
