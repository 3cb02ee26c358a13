package plan

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/model"
	"glmbatch/infer/prior"
)

// Joint is the joint distribution of the parameters of a fit and the responses of its rows.
type Joint interface {
	// Parameters describes a position.
	Parameters() []infer.Parameter
	// DrawPrior writes an independent draw of a position from the prior.
	DrawPrior(s prior.Source, theta []float64)
	// Respond returns a random response of each row at a position; nil if a linear predictor is outside the domain of
	// the link.
	Respond(s prior.Source, theta []float64) []float64
	// At returns a function for the use of one chain, see priordraws.Model.
	At() func(theta []float64) (logLik, logPrior float64, inside bool)
	// Setup makes the sampler.
	Setup() (infer.Setup, error)
}

// onePredictor is a Joint of a regression with one linear predictor.
type onePredictor struct {
	*groups.Model
	outcomes *glm.Pointwise
	setup    func(*groups.Model) (infer.Setup, error)
}

// newOnePredictor returns the Joint of a likelihood with its priors on data.
func newOnePredictor(data *glm.Data, of glm.Model, setup func(*groups.Model) (infer.Setup, error)) (Joint, error) {
	out := &onePredictor{setup: setup}
	var err error
	if out.Model, err = groups.NewModel(data, of, nil); err != nil {
		return nil, err
	}
	blank := *data
	blank.Y = nil
	out.outcomes, err = glm.NewPointwise(of.Family, &blank)
	return out, err
}

func (o *onePredictor) Respond(s prior.Source, theta []float64) []float64 {
	p := groups.NewPredictor(o.Model)
	p.SetTheta(theta)
	of := o.Model.Model()
	disp := of.DispersionsAt(theta[o.Data().Cols():])
	y := make([]float64, len(p.Eta()))
	of.Family.Means(p.Eta(), disp, y)
	for _, mean := range y {
		if math.IsNaN(mean) {
			return nil
		}
	}
	for i, eta := range p.Eta() {
		y[i] = o.outcomes.Draw(s, i, eta, disp[:])
	}
	return y
}

func (o *onePredictor) Setup() (infer.Setup, error) { return o.setup(o.Model) }

// severalPredictors is a Joint of a regression with several.
type severalPredictors struct {
	*model.Posterior
	setup func() (infer.Setup, error)
}

func (o severalPredictors) Setup() (infer.Setup, error) { return o.setup() }

// maxRows bounds the rows that a frequency-weighted data set is expanded to.
const maxRows = 10_000_000

// Expanded repeats rows as often as their frequencies count them: equal rows of
// a data set have different simulated responses.
func Expanded(data *glm.Data) (*glm.Data, error) {
	if data.Frequency == nil {
		return data, nil
	}
	var from []int
	for i, w := range data.Frequency {
		if float64(len(from))+w > maxRows {
			return nil, fmt.Errorf("frequency_weights stand for more than %d rows, which is more than a check simulates",
				maxRows)
		}
		for range int(w) {
			from = append(from, i)
		}
	}
	out := data.Taken(from)
	out.Frequency = nil
	return out, nil
}
