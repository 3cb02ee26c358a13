package glm_test

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// extreme is a row of testdata/extremes.csv.
type extreme struct {
	family, link                     string
	y, trials, eta, dispersion, nu   float64
	value, slope, curvature          float64
	scaleValue, scaleSlope, scaleCur float64
}

func extremes(t *testing.T) (out []extreme) {
	t.Helper()
	file, err := os.Open("testdata/extremes.csv")
	must(t, err)
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	must(t, err)
	for _, line := range lines[1:] {
		e := extreme{family: line[0], link: line[1]}
		for i, to := range []*float64{&e.y, &e.trials, &e.eta, &e.dispersion, &e.nu,
			&e.value, &e.slope, &e.curvature, &e.scaleValue, &e.scaleSlope, &e.scaleCur} {
			v, err := strconv.ParseFloat(line[2+i], 64) // ±Inf beyond the range
			if err != nil && !math.IsInf(v, 0) {
				t.Fatal(err)
			}
			*to = v
		}
		out = append(out, e)
	}
	return out
}

// target returns the posterior of one row whose linear predictor is the
// coefficient.
func (e extreme) target(t *testing.T) *glm.Target {
	t.Helper()
	data := &glm.Data{X: design.NewDense(1, 1), Intercept: -1, Y: []float64{e.y}}
	design.ToDense(data.X).Values[0] = 1
	if e.family == "binomial" {
		data.Trials = []float64{e.trials}
	}
	family := glm.Family{Name: e.family, Link: e.link}
	model := glm.Model{Family: family, Coefficients: []prior.Prior{{Kind: prior.Normal, Scale: 10}}}
	if family.PositiveEta() {
		model.Coefficients[0].Location = 10
	}
	if family.HasDispersion() {
		model.Dispersion = prior.Prior{Kind: prior.Constant, Location: e.dispersion}
		model.Nu = prior.Prior{Kind: prior.Constant, Location: e.nu}
	}
	target, err := glm.NewTarget(data, model)
	if err != nil {
		t.Fatalf("%+v: %v", e, err)
	}
	return target
}

// hazards are the magnitudes of terms that the program subtracts and the density does not: yη and mη of canonical
// links; y from the mean of a negative binomial; λ(λ + η) of probit; parts of a curvature that are one term there;
// and the curvature by λ = log mu of links with a bounded domain, a difference of terms of the size of slope/eta.
func (e extreme) hazards() (value, slope, curvature float64) {
	switch {
	case e.family != "beta" && e.link == "logit" || e.family == "poisson" && e.link == "log":
		value, slope = e.trials*math.Abs(e.eta), e.trials
	case e.family == "negative_binomial":
		slope = e.y
	case e.family == "beta":
		curvature = 1 // shapes times trigamma and digamma of them
	case e.family == "gaussian" && e.link == "log":
		curvature = e.scaleSlope // mu² − (y − mu)·mu
	case e.link == "probit":
		curvature = e.trials * e.eta * e.eta
	case glm.Family{Name: e.family, Link: e.link}.PositiveEta():
		curvature = e.scaleSlope / e.eta
	}
	return value, slope, curvature
}

// Log densities, slopes and curvatures at the ends of what doubles hold, eta =
// ±700, counts of 1e9, responses next to 0 and 1, agree with 3000 bits, up to
// 128 + 2·|eta| (or |log eta|) roundings of the terms' magnitudes: e^eta amplifies
// the rounding of its argument. Where the log density is beyond the range of doubles
// it is −Inf or close to it, and slopes are not asked for.
func TestExtremes(t *testing.T) {
	for _, e := range extremes(t) {
		target := e.target(t)
		p := glm.NewPoint(target)
		p.SetTheta([]float64{e.eta})
		got := p.Value().LogLik
		if e.value < -1e300 {
			if !(got < -1e300) {
				t.Errorf("%+v: log density %v", e, got)
			}
			continue
		}
		inValue, inSlope, inCurvature := e.hazards()
		eta, slope, curvature := []float64{e.eta}, make([]float64, 1), make([]float64, 1)
		disp := []float64{e.dispersion, e.nu}
		target.RowGradient(eta, disp, slope)
		target.RowCurvature(eta, disp, curvature)
		roundings := 128 + 2*max(min(math.Abs(e.eta), 700), math.Abs(math.Log(math.Abs(e.eta))))
		for _, c := range []struct {
			what             string
			got, want, scale float64
		}{
			{"log density", got, e.value, e.scaleValue + inValue},
			{"slope", slope[0], e.slope, e.scaleSlope + inSlope},
			{"curvature", curvature[0], e.curvature, e.scaleCur + inCurvature},
		} {
			if c.got != c.want && !(math.Abs(c.got-c.want) <= math.FMA(roundings*0x1p-53, c.scale, 1e-300)) {
				t.Errorf("%s(%s) y %v of %v, eta %v, dispersion %v: %s %v, want %v (terms of %.3g)",
					e.family, e.link, e.y, e.trials, e.eta, e.dispersion, c.what, c.got, c.want, c.scale)
			}
		}
	}
}
