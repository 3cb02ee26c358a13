package glm

import (
	"math"
	"math/rand/v2"
	"testing"

	"glmbatch/infer/family"
)

// The rows' log densities are the textbook's, and add up to the likelihood.
func TestPointwiseLogLik(t *testing.T) {
	eachFamily(t, func(t *testing.T, target *Target, theta []float64) {
		p, err := NewPointwise(target.model.Family, target.data)
		must(t, err)
		disp := pair(theta[3:])
		eta := exactEta(target.data, theta[:3])
		rows := make([]float64, len(eta))
		p.LogLik(0, eta, disp[:], rows)
		sum := 0.0
		for i, got := range rows {
			m := 1.0
			if target.data.Trials != nil {
				m = target.data.Trials[i]
			}
			one := target.atPrecision(i, disp)
			if want := limitedOracle(target, i, m, eta[i], one); !near(got, want, 1e-10) && want-want == 0 {
				t.Errorf("row %d: log density %v, textbook %v", i, got, want)
			}
			sum += target.rows.Count(i) * got
		}
		if want := target.LogLik(theta); !near(sum, want, 1e-11) {
			t.Errorf("the rows add up to %v, the likelihood is %v", sum, want)
		}
		part := append([]float64(nil), eta[3:6]...)
		p.LogLik(3, part, disp[:], part)
		for i, got := range part {
			if got != rows[3+i] {
				t.Errorf("row %d in a part of the rows: %v, want %v", 3+i, got, rows[3+i])
			}
		}
	})
}

// The mean is that of the draws, and the derivative of the log density in eta
// vanishes on average: 20,000 draws of each family and link, six standard errors,
// so false alarms are below 1e-7.
func TestPointwiseDraws(t *testing.T) {
	for _, f := range everyFamily() {
		data := &Data{}
		if f.Name == "binomial" {
			data.Trials = []float64{4, 9} // the second row is drawn
		}
		p, err := NewPointwise(f, data)
		must(t, err)
		disp := []float64{2.5, 5}
		eta, want := []float64{0.8}, []float64{0}
		p.Mean(1, eta, disp, want)
		s := rand.New(rand.NewPCG(4, 4))
		const n = 20_000
		sum, squares := 0.0, 0.0
		for range n {
			y := p.Draw(s, 1, eta[0], disp)
			sum, squares = sum+y, squares+y*y
			if err := family.CheckResponse(f, []float64{y}, data.Trials[min(1, len(data.Trials)):]); err != nil {
				t.Fatalf("%s: %v", f, err)
			}
		}
		mean := sum / n
		if se := math.Sqrt((squares/n - mean*mean) / n); math.Abs(mean-want[0]) > 6*se {
			t.Errorf("%s: the mean of the draws is %v ± %v, Mean says %v", f, mean, se, want[0])
		}
	}
}

func TestPointwiseOutside(t *testing.T) {
	s := rand.New(rand.NewPCG(4, 4))
	for _, f := range everyFamily() {
		p, err := NewPointwise(f, &Data{})
		must(t, err)
		for _, eta := range []float64{-700, -0.5, 700} {
			got := []float64{0}
			p.Mean(0, []float64{eta}, []float64{2, 3}, got)
			y := p.Draw(s, 0, eta, []float64{2, 3})
			if outside := f.PositiveEta() && eta < 0; outside != math.IsNaN(got[0]) || outside != math.IsNaN(y) {
				t.Errorf("%s at eta %v: mean %v, draw %v", f, eta, got[0], y)
			}
			if err := family.CheckResponse(f, []float64{y}, nil); err == nil || f.PositiveEta() || math.Abs(eta) > 100 {
				continue
			}
			t.Errorf("%s at eta %v: the draw %v is no response", f, eta, y)
		}
	}
	if _, err := NewPointwise(Family{Name: "binomial", Link: "logit"}, &Data{Trials: []float64{1.5}}); err == nil {
		t.Error("trials of 1.5 are accepted")
	}
	if _, err := NewPointwise(Family{Name: "poisson", Link: "log"}, &Data{Y: []float64{-1}}); err == nil {
		t.Error("a count of −1 is accepted")
	}
}
