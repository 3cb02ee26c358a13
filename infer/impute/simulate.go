package impute

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

const (
	// simulateTries bounds the draws from the prior until each row with a response has a mean.
	simulateTries = 10_000
	// maxState bounds simulated states and responses: beyond it sums lose what a row adds.
	maxState = 1e12
)

// Simulate draws the parameters of all models from the prior, then every incomplete column in the order of their
// models, then the responses. The simulated data lack the same cells and responses as the setup's own.
//
// It returns an error if a state or a response has no value that a chain could hold. For a missing cell this is a
// condition on the position, and not on the data: it changes ranks by at most the share of such draws.
func (s *setup) Simulate(stream *infer.Stream) (out infer.Simulation, err error) {
	regression, err := groups.NewModel(s.problem.Data, s.problem.Model, nil)
	if err != nil {
		return out, err
	}
	for range simulateTries {
		t := &simulated{setup: s, stream: stream, theta: make([]float64, len(regression.Parameters()))}
		regression.DrawPrior(stream, t.theta)
		if err := t.drawColumns(); err != nil {
			return out, err
		}
		if inside, err := t.respond(); err != nil {
			return out, err
		} else if inside {
			return t.simulation()
		}
	}
	return out, errors.New("impute: the prior hardly ever leaves the linear predictor inside the domain of the link")
}

// simulated is a data set without missing cells, with the parameters that it was drawn by.
type simulated struct {
	*setup
	stream *infer.Stream
	theta  []float64   // parameters of the regression, in the order of groups.Model
	of     [][]float64 // parameters of each column's model, in the order of a position
	states [][]float64 // of each column, in all rows

	answers, unseen []float64 // responses of the rows that keep theirs, and of the others
	logLik          float64   // of answers
}

// drawColumns draws the models of columns, and the states of all rows.
func (t *simulated) drawColumns() error {
	for range t.problem.Columns {
		t.states = append(t.states, make([]float64, t.problem.Rows))
	}
	for k := range t.problem.Columns {
		c := &t.problem.Columns[k]
		t.of = append(t.of, t.drawModel(k))
		x := t.rewritten(c.Data, c.Coder, nil, t.states)
		if err := t.drawStates(k, x); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
	}
	return nil
}

// drawModel draws the parameters of a column's model.
func (t *simulated) drawModel(k int) (theta []float64) {
	c := &t.problem.Columns[k]
	if !c.linear() {
		for _, i := range t.models[k] {
			of := t.readers[i].Target
			own := make([]float64, of.Dim())
			of.DrawPrior(t.stream, own)
			theta = append(theta, own...)
		}
		return theta
	}
	for _, p := range c.Model.Coefficients {
		theta = append(theta, p.Draw(t.stream))
	}
	return append(theta, c.Model.Dispersion.Draw(t.stream))
}

// drawStates draws the states of a column with the design of its model.
func (t *simulated) drawStates(k int, x *design.Dense) error {
	c, theta, d := &t.problem.Columns[k], t.of[k], x.Cols
	etas := make([][]float64, c.models())
	for m := range etas {
		etas[m] = make([]float64, x.Rows)
		design.Multiplied(x, theta[m*d:(m+1)*d], etas[m])
	}
	rows, err := glm.NewPointwise(c.Model.Family, &glm.Data{X: x, Names: c.Data.Names})
	if err != nil {
		return err
	}
	disp := c.Model.DispersionsAt(theta[c.models()*d:])
	weights := make([]float64, max(2, len(c.Levels)))
	for i := range x.Rows {
		u := 0.0
		if c.Levels == nil {
			u = rows.Draw(t.stream, i, etas[0][i], disp[:])
		} else {
			weights[0] = 0
			for m := range etas {
				weights[m+1] = etas[m][i]
			}
			u = float64(pick(t.stream, weights))
		}
		if !(math.Abs(u) <= maxState) || !c.inside(u) || c.Log && !(vec.Exp(math.Abs(u)) <= maxState) {
			return fmt.Errorf("row %d has a simulated state of %.3g", i+1, u)
		}
		t.states[k][i] = u
	}
	return nil
}

// rewritten returns the design of data with the entries of states. Rows are those of its rows; nil means all.
func (s *setup) rewritten(data *glm.Data, coder Coder, rows []int, states [][]float64) *design.Dense {
	n, d := data.X.Size()
	out := design.NewDense(n, d)
	for j := range d {
		data.X.Read(j, 0, out.Col(j))
	}
	at := make([]float64, len(states))
	var entries [1]float64
	for i := range n {
		row := i
		if rows != nil {
			row = rows[i]
		}
		for k := range states {
			at[k] = states[k][row]
		}
		for k := range states {
			for _, j := range coder.Moved(k) {
				coder.Code(row, at, []int{j}, entries[:])
				out.Col(j)[i] = entries[0]
			}
		}
	}
	return out
}

// respond draws the responses. It reports false if a row that keeps its response has no mean.
func (t *simulated) respond() (inside bool, err error) {
	p := t.problem
	data := *p.Data
	data.X = t.rewritten(p.Data, p.Coder, p.Of, t.states)
	at, err := t.predictor(&data)
	if at == nil || err != nil {
		return false, err
	}
	disp := p.Model.DispersionsAt(t.theta[data.Cols():])
	means := make([]float64, data.Rows())
	p.Model.Family.Means(at.Eta(), disp, means)
	if slices.ContainsFunc(means, math.IsNaN) {
		return false, nil
	}
	if t.answers, err = draw(t.stream, &p.Model, &data, at.Eta(), disp[:]); err != nil {
		return false, err
	}
	rows, err := glm.NewPointwise(p.Model.Family, data.Responding(t.answers))
	if err != nil {
		return false, err
	}
	rows.LogLik(0, at.Eta(), disp[:], means)
	t.logLik = vec.Sum(means)
	if p.Unseen == nil {
		return true, nil
	}
	data = *p.Unseen
	data.X = t.rewritten(p.Unseen, p.Coder, p.UnseenOf, t.states)
	eta := make([]float64, len(p.UnseenOf))
	design.Multiplied(data.X, t.theta[:data.Cols()], eta)
	for i, o := range data.Offset {
		eta[i] += o
	}
	at.AddTerms(data.Effects, eta)
	data.Effects = nil
	t.unseen, err = draw(t.stream, &p.Model, &data, eta, disp[:])
	return true, err
}

// predictor is the linear predictor of the regression at its parameters; nil if an entry of the design is not finite.
func (t *simulated) predictor(data *glm.Data) (*groups.Predictor, error) {
	for _, x := range data.X.(*design.Dense).Values {
		if !(math.Abs(x) <= math.MaxFloat64) {
			return nil, nil
		}
	}
	model, err := groups.NewModel(data, t.problem.Model, nil)
	if err != nil {
		return nil, err
	}
	at := groups.NewPredictor(model)
	at.SetTheta(t.theta)
	return at, nil
}

// draw draws responses of rows with these linear predictors.
func draw(stream *infer.Stream, model *glm.Model, data *glm.Data, eta, disp []float64) ([]float64, error) {
	own := *data
	own.Y, own.Effects = nil, nil
	rows, err := glm.NewPointwise(model.Family, &own)
	if err != nil {
		return nil, err
	}
	y := make([]float64, len(eta))
	for i, e := range eta {
		if y[i] = rows.Draw(stream, i, e, disp); !(math.Abs(y[i]) <= maxState) {
			return nil, fmt.Errorf("row %d has a simulated response of %.3g", i+1, y[i])
		}
	}
	return y, nil
}

// simulation returns the posterior of the data without the missing cells and responses, and the position of the truth.
func (t *simulated) simulation() (out infer.Simulation, err error) {
	p := *t.problem
	started := make([][]float64, len(p.Columns))
	for k := range p.Columns {
		started[k] = t.started(k)
	}
	p.Columns = slices.Clone(p.Columns)
	for k := range p.Columns {
		c := &p.Columns[k]
		data := *c.Data
		data.X, data.Y = t.rewritten(c.Data, c.Coder, nil, started), started[k]
		c.Data = &data
	}
	p.Data = p.Data.Responding(t.answers)
	p.Data.X = t.rewritten(p.Data, p.Coder, p.Of, started)
	if p.Unseen != nil {
		unseen := *p.Unseen
		unseen.X = t.rewritten(p.Unseen, p.Coder, p.UnseenOf, started)
		p.Unseen = &unseen
	}
	if out.Posterior, err = New(&p, nil); err != nil {
		return out, err
	}
	first := t.readers[t.main].First()
	out.Position = slices.Clone(t.theta[:first])
	for k := range t.of {
		out.Position = append(out.Position, t.of[k]...)
	}
	for k := range p.Columns {
		for _, i := range p.Columns[k].Missing {
			at := len(out.Position)
			out.Position = append(out.Position, make([]float64, p.Columns[k].cellNumbers())...)
			p.Columns[k].write(t.states[k][i], out.Position[at:])
		}
	}
	out.Position = append(append(out.Position, t.unseen...), t.theta[first:]...)
	out.LogLik = t.logLik
	return out, nil
}

// started returns the states of a column with start values instead of missing ones, or with measurements.
func (t *simulated) started(k int) []float64 {
	c := &t.problem.Columns[k]
	if c.Noise == nil {
		return filled(t.states[k], c.Missing)
	}
	out := slices.Clone(t.states[k])
	for i, sd := range c.Noise {
		out[i] = math.FMA(sd, variate.Normal(t.stream), out[i])
	}
	return out
}

// filled returns the states with observed ones, at even steps of their order, instead of those that are missing.
func filled(states []float64, missing []int) []float64 {
	var there []float64
	for i, u := range states {
		if _, gap := slices.BinarySearch(missing, i); !gap {
			there = append(there, u)
		}
	}
	slices.Sort(there)
	out := slices.Clone(states)
	for m, i := range missing {
		out[i] = there[(2*m+1)*len(there)/(2*len(missing))]
	}
	return out
}
