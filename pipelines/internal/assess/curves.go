package assess

import (
	"fmt"
	"slices"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// curvePoints is how many points the curve of a smooth has.
const curvePoints = 100

// lengths warns of Gaussian processes whose length scale is shorter than what their functions represent.
func (d *Drawn) lengths(design *transform.Record, out *Extras) {
	for _, w := range design.Waves() {
		i := slices.IndexFunc(d.Kept, func(p infer.Parameter) bool { return p.Name == "lscale_"+w.Name })
		if i < 0 {
			continue
		}
		if median := d.Measured.Parameters[i].Median; median < w.Shortest() {
			remedy := "gp() has not so many; add a term for what varies within short distances"
			if k, can := w.Enough(median); can {
				remedy = fmt.Sprintf("write k = %d", k)
			}
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s: the median %.3g of its length scale is below %.3g, the "+
				"shortest that %d functions represent, so that the curve may be too smooth: %s", w.Text, median,
				w.Shortest(), w.Functions, remedy))
		}
	}
}

// curves sums up the smooths of a fit on their grids. Cost: for each, its columns of the draws are read once, and the
// values at each point sorted.
func (d *Drawn) curves(design *transform.Record) (out []record.Curve, err error) {
	draws := d.deriving(d.Draws, d.Window)
	for _, c := range design.Curves(curvePoints) {
		forms := make([]transform.Form, len(c.X))
		for i := range forms {
			for p, column := range c.Columns {
				forms[i].Columns = append(forms[i].Columns, c.Fixed+p)
				forms[i].Weights = append(forms[i].Weights, column[i])
			}
		}
		values, err := draws.linear(forms)
		if err != nil {
			return nil, err
		}
		curve := record.Curve{Smooth: c.Text, Level: c.Level, Name: c.Name, X: c.X}
		for _, v := range values {
			s := predictive.Summarize(v)
			curve.Points = append(curve.Points, record.CurvePoint{Mean: s.Mean, SD: s.SD, Q025: s.Q025, Q25: s.Q25,
				Median: s.Median, Q75: s.Q75, Q975: s.Q975})
		}
		out = append(out, curve)
	}
	return out, nil
}
