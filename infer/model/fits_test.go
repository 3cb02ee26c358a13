package model_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/model"
	"glmbatch/infer/prior"
)

// fitOfR is a maximum likelihood fit of R: testdata/fits.R.
type fitOfR struct {
	Name, By, Family, Link, Predicted string
	Classes                           int
	Y, M, Kind, Theta                 []float64
	Designs                           [][][]float64
	Cuts                              [][]float64 // columns of thresholds, ones first; none: ones alone
	Equal                             bool        // whether thresholds are equidistant
	family.Counted
	Log float64
}

// At the maximum likelihood fits of pscl, nnet, ordinal, survival, glmmTMB and glm the log likelihood is theirs, and its slope along each
// parameter is 0 within 0.002 standard errors: they are the modes under flat priors.
func TestModesAgainstR(t *testing.T) {
	text, err := os.ReadFile("testdata/fits.json")
	must(t, err)
	var fits []fitOfR
	must(t, json.Unmarshal(text, &fits))
	for _, f := range fits {
		name := f.By + " of " + f.Family + " " + f.Link
		at, err := f.logLik()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		most := at(f.Theta)
		if math.Abs(most-f.Log) > 1e-6*math.Abs(f.Log) {
			t.Errorf("%s: log likelihood %v, in R %v", name, most, f.Log)
		}
		for j, x := range f.Theta {
			if first := len(f.Designs[0]); f.Equal && j > first && j < len(f.Theta)-1 {
				continue // thresholds that follow from the first one and the distance
			}
			theta := append([]float64(nil), f.Theta...)
			h := 1e-4 * max(0.1, math.Abs(x))
			theta[j] = x + h
			up := at(theta)
			theta[j] = x - h
			down := at(theta)
			slope, curvature := (up-down)/(2*h), (2*most-up-down)/(h*h)
			if se := 1 / math.Sqrt(curvature); !(math.Abs(slope)*se < 2e-3) {
				t.Errorf("%s: along parameter %d the log likelihood has the slope %v, and the curvature %v", name, j, slope,
					curvature)
			}
		}
	}
}

// logLik returns the log likelihood of parameters, in the order of the program.
func (f *fitOfR) logLik() (func(theta []float64) float64, error) {
	of, err := family.Parse(f.Family, f.Link)
	if err != nil {
		return nil, err
	}
	for _, name := range strings.FieldsFunc(f.Predicted, func(c rune) bool { return c == ',' }) {
		of, _ = of.WithPredictor(name)
	}
	if f.Kind != nil {
		if of, err = of.WithLimits(family.Censored); err != nil {
			return nil, err
		}
	}
	wide := prior.Prior{Kind: prior.Normal, Scale: 1e6}
	predictor := func(columns [][]float64) model.Predictor {
		q := model.Predictor{Data: &glm.Data{X: design.NewDense(len(f.Y), len(columns)), Y: f.Y, Trials: f.M, Intercept: -1},
			Model: glm.Model{Family: of, Dispersion: prior.Prior{Kind: prior.HalfCauchy, Scale: 1e6}}}
		for j, column := range columns {
			copy(q.Data.X.Col(j), column)
			q.Data.Names = append(q.Data.Names, fmt.Sprint("x", j))
			q.Model.Coefficients = append(q.Model.Coefficients, wide)
		}
		return q
	}
	if of.Several() == nil {
		q := predictor(f.Designs[0])
		target, err := glm.NewTarget(q.Data, q.Model)
		if err != nil {
			return nil, err
		}
		return target.LogLik, nil
	}
	p := &model.Problem{Family: of, Y: f.Y, Trials: f.M, Censoring: family.Censoring{Kind: f.Kind}, Counted: f.Counted}
	for k := range f.Classes {
		p.Classes = append(p.Classes, string(rune('a'+k)))
	}
	for k := range of.Several().Predictors(p.Classes) {
		switch cuts := f.Cuts; {
		case k < len(f.Designs):
			p.Predictors = append(p.Predictors, predictor(f.Designs[k]))
		case len(cuts) == 0:
			cuts = [][]float64{slices.Repeat([]float64{1}, len(f.Y))}
			fallthrough
		default:
			p.Predictors = append(p.Predictors, predictor(cuts))
		}
	}
	if f.Equal {
		p.Distance = &wide
	}
	posterior, err := model.NewPosterior(p, nil)
	if err != nil {
		return nil, err
	}
	at := posterior.At()
	return func(theta []float64) float64 {
		logLik, _, _ := at(theta)
		return logLik
	}, nil
}
