package model

import (
	"fmt"

	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/words"
)

// alone is a family of one linear predictor as a Several: models with monotonic effects have it.
type alone struct {
	family glm.Family
	*glm.Pointwise
}

// newAlone returns the family of a problem on its rows.
func newAlone(p *Problem) (*alone, error) {
	if len(p.Predictors) != 1 || len(p.Predictors[0].Data.Monotone) == 0 {
		return nil, fmt.Errorf("model: family %s has one linear predictor", p.Family)
	}
	if p.Family.PositiveEta() {
		return nil, words.Hint(fmt.Errorf("%s bounds the linear predictor, and mo() is not combined with such a link",
			p.Family), "take the link log")
	}
	return newPointwise(p)
}

// newPointwise returns a family of one linear predictor on the rows of a problem.
func newPointwise(p *Problem) (*alone, error) {
	data := *p.Predictors[0].Data
	data.Y, data.Trials, data.Censoring = p.Y, p.Trials, p.Censoring
	of, err := glm.NewPointwise(p.Family, &data)
	return &alone{p.Family, of}, err
}

func (a *alone) Predictors([]string) []family.Predictor { return []family.Predictor{{Of: a.family}} }

func (a *alone) Prepare(*family.Rows) {}

func (a *alone) Start(*family.Rows, int) []float64 { return []float64{0} }

func (a *alone) Response(_ int, r *family.Rows) []float64 { return r.Y }

func (a *alone) Given(int, *family.Rows, [][]float64, *family.View) {}

func (a *alone) LogLik(r *family.Rows, first int, eta [][]float64, dst []float64) {
	a.Pointwise.LogLik(first, eta[0], r.Disp[:], dst)
}

func (a *alone) Means(eta []float64, disp [2]float64, dst []float64) { a.family.Means(eta, disp, dst) }

func (a *alone) CDF(y float64, eta []float64, disp [2]float64, _ float64) float64 {
	return a.Pointwise.CDF(0, y, eta[0], disp[:])
}

func (a *alone) Draw(s prior.Source, eta []float64, disp [2]float64, _ float64) float64 {
	return a.Pointwise.Draw(s, 0, eta[0], disp[:])
}
