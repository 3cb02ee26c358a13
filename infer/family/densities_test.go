package family_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/internal/simd"
)

// referenceRow is a log density of R: testdata/densities.R.
type referenceRow struct {
	Family, Link string
	Y, M, Log    float64
	Eta, Disp    []float64
	Counts       []float64
}

// Log densities are those of R to 1e-12, relative beyond 1: of every family with all links. A dispersion with a
// predictor has the same ones.
func TestDensitiesAgainstR(t *testing.T) {
	text, err := os.ReadFile("testdata/densities.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []referenceRow
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range rows {
		f, err := family.Parse(r.Family, r.Link)
		if err != nil {
			t.Fatal(err)
		}
		seen[f.String()] = true
		if f.Name == "piecewise_exponential" && len(r.Eta) > 1 {
			f = withBreaks(f, 0.5, 3)
		}
		r.check(t, f.String(), r.at(t, f))
		for k, d := range f.Dispersions() {
			if with, can := f.WithPredictor(d.Name); can {
				seen[d.Name+" of "+f.String()] = true
				own := r
				own.Eta = append(append([]float64(nil), r.Eta...), d.Coordinate(r.Disp[k]))
				r.check(t, d.Name+" of "+f.String(), own.at(t, with))
			}
		}
	}
	for _, l := range family.Table() {
		for _, link := range l.LinkNames() {
			f, _ := family.Parse(l.Name, link)
			if !seen[f.String()] {
				t.Errorf("%s has no densities of R", f)
			}
			for _, d := range l.Dispersions {
				if _, can := f.WithPredictor(d.Name); can && !seen[d.Name+" of "+f.String()] {
					t.Errorf("%s of %s has no densities of R", d.Name, f)
				}
			}
		}
	}
}

func (r *referenceRow) check(t *testing.T, name string, got float64) {
	t.Helper()
	if !(math.Abs(got-r.Log) <= 1e-12*max(1, math.Abs(r.Log))) {
		t.Errorf("%s, response %v of %v at %v, dispersions %v: log density %.17g, in R %.17g: off by %.1g", name, r.Y, r.M,
			r.Eta, r.Disp, got, r.Log, got-r.Log)
	}
}

// at returns the log density of the family.
func (r *referenceRow) at(t *testing.T, f family.Family) float64 {
	t.Helper()
	var disp [2]float64
	copy(disp[:], r.Disp)
	out := []float64{r.Eta[0]}
	if several := f.Several(); several != nil {
		row := family.Rows{Y: []float64{r.Y}, Trials: []float64{r.M}, Total: 1, Disp: disp, Kernels: simd.Vector()}
		for _, count := range r.Counts {
			row.Counts = append(row.Counts, []float64{count})
		}
		several.Prepare(&row)
		var eta [][]float64
		for _, e := range r.Eta {
			eta = append(eta, []float64{e})
		}
		several.LogLik(&row, 0, eta, out)
		return out[0]
	}
	data := &glm.Data{X: design.NewDense(1, 0), Y: []float64{r.Y}}
	if f.Support().Trials {
		data.Trials = []float64{r.M}
	}
	p, err := glm.NewPointwise(f, data)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", f, err))
	}
	p.LogLik(0, out, disp[:len(f.Dispersions())], out)
	return out[0]
}
