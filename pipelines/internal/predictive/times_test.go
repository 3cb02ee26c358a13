package predictive

import (
	"math"
	"testing"

	"glmbatch/infer/family"
	"glmbatch/infer/glm"
)

// The median of a distribution function is its inverse at a half, however far the search begins.
func TestMedianOf(t *testing.T) {
	f, err := family.Parse("weibull", "")
	must(t, err)
	law := f.Distribution()
	for _, start := range []float64{-40, 0, 3, 60} {
		row := family.Row{Eta: 2, Disp: [2]float64{1.7}}
		got := medianOf(func(y float64) float64 { return law.CDF(y, row) }, start)
		want := math.Exp(2) / math.Gamma(1+1/1.7) * math.Pow(math.Ln2, 1/1.7)
		if math.Abs(got-want) > 1e-10*want {
			t.Errorf("from %v: %v, want %v", start, got, want)
		}
	}
}

// The curve of a few times, 1 1+ 3 4+ 5, and of the same times below bounds, which runs backward.
func TestKaplanMeier(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		data := &glm.Data{}
		for i, y := range []float64{3, 1, 5, 1, 4} {
			data.Y, data.Kind = append(data.Y, sign*y), append(data.Kind, sign*[]float64{0, 0, 0, 1, 1}[i])
		}
		c := newCurves(data, 1)
		for i, y := range data.Y {
			c.add(-1, y, data.Kind[i])
			c.add(0, 2*y, family.Observed)
		}
		for k, want := range []float64{0.8, 0.8 * 2 / 3, 0} {
			if got := c.observed.survival(k); math.Abs(got-want) > 1e-15 {
				t.Errorf("sign %v: %v at time %d, want %v", sign, got, k, want)
			}
		}
		checks := c.checks()
		name := map[float64]string{1: "above[3]", -1: "below[-3]"}[sign]
		if len(checks) != 2 || checks[0].Statistic != name || math.Abs(checks[0].Mean-0.6) > 1e-15 {
			t.Errorf("checks %+v", checks)
		}
	}
	if newCurves(&glm.Data{Y: []float64{1}, Censoring: family.Censoring{Kind: []float64{family.Within}}}, 1) != nil {
		t.Error("intervals have a curve")
	}
}
