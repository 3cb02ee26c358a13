package glm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"glmbatch/infer/design"
)

// The distribution function of counts rises by the probability of each, that of other responses with the slope of the
// density (central differences, 1e-6 relative); and at random responses its values are uniform, by Kolmogorov's distance
// of 20,000: false alarms are below 1e-7 a family.
func TestPointwiseCDF(t *testing.T) {
	for _, f := range everyFamily() {
		data := &Data{X: design.NewDense(2, 0), Y: []float64{0.3, 0.6}}
		whole := f.Support().Whole
		if whole {
			data.Y = []float64{0, 1}
		}
		if f.Support().Trials {
			data.Trials = []float64{4, 9}
		}
		if f.TakesPrecision() {
			data.Precision = []float64{1, 2.5}
		}
		p, err := NewPointwise(f, data)
		must(t, err)
		disp := []float64{2.5, 5}
		eta, logLik := 0.8, []float64{0.8}
		p.LogLik(1, []float64{eta}, disp, logLik)
		y, h := data.Y[1], 1e-5
		slope := (p.CDF(1, y+h, eta, disp) - p.CDF(1, y-h, eta, disp)) / (2 * h)
		if whole {
			slope = p.CDF(1, y, eta, disp) - p.CDF(1, y-1, eta, disp)
		}
		if want := math.Exp(logLik[0]); !near(slope, want, 1e-6) {
			t.Errorf("%s: the distribution function rises by %v, the density is %v", f, slope, want)
		}
		values, rng := make([]float64, 20_000), rand.New(rand.NewPCG(1, 2))
		for i := range values {
			y := p.Draw(rng, 1, eta, disp)
			values[i] = p.CDF(1, y, eta, disp)
			if whole {
				below := 0.0
				if y > 0 {
					below = p.CDF(1, y-1, eta, disp)
				}
				values[i] = below + rng.Float64()*(values[i]-below)
			}
		}
		slices.Sort(values)
		worst := 0.0
		for i, v := range values {
			worst = math.Max(worst, math.Abs(v-(float64(i)+0.5)/float64(len(values))))
		}
		if !(worst < 0.0205) {
			t.Errorf("%s: values at random responses lie %v from uniform ones", f, worst)
		}
	}
}
