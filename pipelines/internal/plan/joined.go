package plan

import (
	"errors"
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/model"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// Joined is a regression of several responses of the rows of one table, each with predictors of its own.
type Joined struct {
	fit       *Fit
	responses []*Several
}

// kindJoined has several responses.
var kindJoined = Kind{
	of:      func(_ *Unit, m *spec.Model) bool { return m.Responses != nil },
	problem: func(f *Fit) (Problem, error) { return newJoined(f) },
	method:  func(s *spec.Sampler, m *spec.Model) string { return severalMethod(s, m).Name },
	survey: func(s *Survey, p *spec.Pipeline, u *Unit, m *spec.Model) {
		for _, own := range m.Responses {
			surveyRows(s, p, u, own)
		}
	},
	Words: func(m *spec.Model) string {
		var b strings.Builder
		for _, own := range m.Responses {
			b.WriteString(rowsWords(own))
		}
		return b.String()
	},
	Size: rowsSize,
}

// newJoined resolves the sampler and codes the designs, which have the same rows.
func newJoined(f *Fit) (*Joined, error) {
	if err := f.refused(); err != nil {
		return nil, err
	}
	defer f.Unit.spent(f.Model)
	j := &Joined{fit: f}
	for _, m := range f.Model.Responses {
		own := *f
		own.Model = m
		s, err := newSeveral(&own)
		if err != nil {
			return nil, err
		}
		s.laws() // by_name has names without the response
		s.Design = f.Unit.of(m).whole
		s.response, s.predictors = m.Response.Name, slices.Clone(s.predictors)
		for k := range s.predictors {
			s.predictors[k] = s.predictors[k].OfResponse(s.response)
		}
		if f.Model.CorrelatedResiduals() {
			s.predictors[0].Elsewhere[0] = true // sigma is of the residuals of all responses
		}
		j.responses = append(j.responses, s)
	}
	for _, s := range j.responses {
		s.all = j.responses
	}
	return j, nil
}

// first is the first response.
func (j *Joined) first() *Several { return j.responses[0] }

// Facts returns the facts of the first design, with the columns of all designs.
func (j *Joined) Facts() Facts {
	out := j.first().facts(j.fit)
	var families []string
	columns := 0
	for _, s := range j.responses {
		own := s.Facts()
		families = append(families, s.Family().String())
		columns += own.Columns
		for _, more := range s.further() {
			columns += more.Data.Cols()
		}
		for _, list := range []struct{ to, from *[]string }{{&out.Warnings, &own.Warnings}, {&out.Notes, &own.Notes}} {
			for _, text := range *list.from {
				if !slices.Contains(*list.to, text) {
					*list.to = append(slices.Clip(*list.to), s.response+": "+text)
				}
			}
		}
	}
	out.Family, out.Link, out.Columns, out.Rows = strings.Join(families, ", "), "", columns, j.counted()
	if out.Observations > 0 {
		out.Observations = float64(out.Rows)
	}
	return out
}

// counted is how many rows of the data have a response.
func (j *Joined) counted() int {
	for _, s := range j.responses {
		if !slices.Contains(s.Data.Frequency, 0) {
			return s.Counted
		}
	}
	total := 0.0
	for _, n := range j.frequency() {
		total += n
	}
	return int(total)
}

// frequency is how often each row counts: as in its responses that are not missing; nil for once each.
func (j *Joined) frequency() []float64 {
	out := make([]float64, j.first().Rows)
	for _, s := range j.responses {
		if s.Data.Frequency == nil {
			return nil
		}
		for i, n := range s.Data.Frequency {
			out[i] = max(out[i], n)
		}
	}
	return out
}

// Method is the resolved sampler.
func (j *Joined) Method() *Method { return j.first().Method() }

// Lengths is the run's own schedule.
func (j *Joined) Lengths(of Schedule, _ *spec.Run) Schedule { return of }

// Need adds what the responses take.
func (j *Joined) Need(chains, workers int) Need {
	out := j.first().Need(chains, workers)
	for _, s := range j.responses[1:] {
		out.Bytes += s.Need(chains, workers).Bytes
	}
	return out
}

// Identify adds the hash of the data, and the models of the responses.
func (j *Joined) Identify(id *Identity) {
	for _, s := range slices.Backward(j.responses) {
		s.Identify(id)
	}
	whole := identifyModel(j.fit.Model)
	for _, s := range j.responses {
		whole.Responses = append(whole.Responses, identifyModel(s.fit.Model))
	}
	id.Model = whole
}

// problem is the posterior on the data of the responses, or on some of their rows.
func (j *Joined) problem(data []*glm.Data) *model.Problem {
	out := &model.Problem{}
	if m := j.fit.Model; m.CorrelatedResiduals() {
		out.Rescor = m.Prior.RescorLKJ().Shape
	}
	for k, s := range j.responses {
		own := s.problem(data[k])
		own.Name = s.response
		out.Responses = append(out.Responses, own)
	}
	return out
}

// data returns the data of each response.
func (j *Joined) data() (out []*glm.Data) {
	for _, s := range j.responses {
		out = append(out, s.Data)
	}
	return out
}

func (j *Joined) setup(data []*glm.Data, by infer.Parallel) (infer.Setup, error) {
	return j.first().sampler.several(j.problem(data), data[0].Rows(), by)
}

// Setup makes the sampler. No chain starts from an earlier posterior.
func (j *Joined) Setup(by infer.Parallel, _ Schedule, _ *Previous) (*Setup, error) {
	out := &Setup{Gating: j.Gating()}
	if j.first().sampler.Prior {
		out.Cautions = append(out.Cautions, fromPrior)
	}
	var err error
	out.Sampler, err = j.setup(j.data(), by)
	return out, j.fit.Explain(err)
}

// Refit sets the sampler up on some of the rows.
func (j *Joined) Refit(rows []int) (infer.Setup, error) {
	var data []*glm.Data
	for _, own := range j.data() {
		data = append(data, own.Taken(rows))
	}
	return j.setup(data, nil)
}

// Gating applies to the parameters of all responses.
func (j *Joined) Gating() Gating { return j.first().Gating() }

// ToData takes the coefficients of each response to the units of the data.
func (j *Joined) ToData(theta []float64) {
	for _, s := range j.responses {
		theta = theta[s.toData(theta):]
	}
}

// Description describes the responses of a row.
func (j *Joined) Description(params []infer.Parameter) (*record.Description, error) {
	d := &describing{params: params, links: map[linkID]*linkTerms{},
		out: &record.Description{Version: record.DescriptionVersion, Kind: record.KindResponses}}
	for _, s := range j.responses {
		d.take(s.Record, s.Family().Link)
		d.response, d.fixed = s.response, s.fixed
		if err := d.addResponse([]string{""}); err != nil {
			return nil, err
		}
	}
	for i, p := range params {
		if p.Kind == infer.ResidualCorrelation {
			d.out.Rescor = append(d.out.Rescor, i+1)
		}
	}
	return d.out, nil
}

// Bind looks up what a derived quantity names among parameters.
func (j *Joined) Bind(d *spec.Derivation, params []infer.Parameter) (*transform.Quantity, error) {
	if len(d.Expression.Averages()) > 0 {
		return nil, words.Hint(errors.New("average() is of a model with one response"),
			"take pipeline effects, which averages means of each response")
	}
	return d.Expression.Bind(&transform.Fitted{Dataset: j.fit.Unit.Name(), Names: Names(params)})
}

// Describe adds the records of the designs, and the prior and scaling of each parameter.
func (j *Joined) Describe(rec *record.Fit, params []infer.Parameter) (err error) {
	whole, first := *j.first().Record, j.first()
	for _, s := range j.responses[1:] {
		whole.Others = append(whole.Others, s.Record)
	}
	if err := first.record(j.fit, rec); err != nil {
		return err
	}
	if rec.Data != nil {
		rec.Data.Missing += int64(first.Counted - j.counted())
	}
	for i, p := range params {
		if p.Kind == infer.ResidualCorrelation {
			rec.Parameters[i].Prior = j.fit.Model.Prior.RescorLKJ().String()
		}
	}
	for _, s := range j.responses {
		s.describe(rec, params)
		if s != first && rec.Data != nil {
			for _, c := range summary(s.Design).Columns {
				c.Name = s.response + "_" + c.Name
				rec.Data.Columns = append(rec.Data.Columns, c)
			}
		}
	}
	rec.Design, err = j.fit.Unit.marshalDesign(&whole)
	return err
}

// Capabilities returns what rows answer.
func (j *Joined) Capabilities() Capabilities {
	out := Capabilities{Rows: j, Anew: "its linear predictors move each given the others"}
	if j.fit.Keep() != KeepSummary && !j.keepsEffects() {
		for _, s := range j.responses {
			out.Undrawn += s.levels()
		}
	}
	return out
}

// keepsEffects reports whether the ledger has draws of the effects of levels: of all responses, or of none.
func (j *Joined) keepsEffects() bool {
	return !slices.ContainsFunc(j.responses, func(s *Several) bool { return !s.KeepsEffects() })
}

// Observed returns the rows, with the data of each response.
func (j *Joined) Observed() Observed {
	out := j.first().Observed()
	data := *out.Data
	data.Frequency = j.frequency()
	out.Data, out.Drawn = &data, j.keepsEffects()
	for _, s := range j.responses {
		own := s.Observed()
		own.Name = s.response
		out.Responses = append(out.Responses, own)
	}
	return out
}

// inCase puts the response of each design into the counts of the data, and the designs of further responses after
// the further predictors, so that all responses are simulated like one.
func (j *Joined) inCase(c *Case) error {
	first := j.first()
	design, data := *first.Design, *first.Data
	data.Further, data.Counts = slices.Clip(data.Further), nil
	for k, s := range j.responses {
		own := &Case{Key: c.Key, Name: "response " + s.response, Spec: s.fit.Model, Method: *j.Method()}
		if err := s.inCase(own); err != nil {
			return err
		}
		own.Predictor, own.Design = s.predictors[0], j.fit.Unit.of(s.fit.Model).Design
		c.Responses, data.Counts = append(c.Responses, own), append(data.Counts, s.Data.Y)
		if k > 0 {
			data.Further = append(data.Further, s.Data)
		}
	}
	design.Data, design.Counted = &data, j.counted()
	c.Design, c.Posterior, c.On = &design, first.Posterior(), j.on
	return nil
}

// on is the model on data of a Case.
func (j *Joined) on(data *glm.Data) (Joint, error) {
	first, further := *data, len(j.first().Data.Further)
	first.Further, first.Counts = data.Further[:further], nil
	all := []*glm.Data{&first}
	for k, own := range data.Further[further:] {
		if y := data.Counts[k+1]; &y[0] != &own.Y[0] {
			own = own.Responding(y)
		}
		all = append(all, own)
	}
	of, err := model.NewPosterior(j.problem(all), nil)
	return severalPredictors{of, func() (infer.Setup, error) { return j.setup(all, nil) }}, err
}
