package plan

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/report/record"
)

// startFrom returns the target with chains that start around the earlier posterior, if
// there is one.
func (r *Regression) startFrom(t *glm.Target, from *Previous) (*glm.Target, error) {
	if from == nil {
		return t, nil
	}
	theta, u := make([]float64, t.Dim()), make([]float64, t.Dim())
	t.Constrain(t.Penalised(), theta)
	r.Record.ToData(theta)
	p := glm.Previous{Mean: make([]float64, t.Dim()), SD: make([]float64, t.Dim()), StepSize: from.step}
	for j := range p.Mean {
		p.Mean[j], p.SD[j] = math.NaN(), math.NaN()
	}
	parameters := t.Parameters()
	for j, name := range r.Data.Names {
		if s := from.coefficient(name); s != nil {
			theta[j] = location(s)
		}
	}
	r.Record.FromData(theta)
	t.Unconstrain(theta, u)
	for j, name := range r.Data.Names {
		s := from.coefficient(name)
		if s == nil {
			continue
		}
		p.Mean[j] = u[j]
		if c := r.Record.Columns[j]; c.Term >= 0 || !r.Record.Shifted() {
			p.SD[j] = positive(scale(s) * c.Scale)
		}
	}
	for j := t.Cols(); j < t.Dim(); j++ {
		if s := from.known[parameters[j]]; s != nil && parameters[j].Kind == infer.Dispersion {
			at := func(x float64) float64 { theta[j] = x; t.Unconstrain(theta, u); return u[j] }
			if m := at(s.Summary.Median); !math.IsNaN(m) && !math.IsInf(m, 0) {
				p.Mean[j], p.SD[j] = m, positive((at(s.Summary.Q75)-at(s.Summary.Q25))/quartiles)
			}
			theta[j] = s.Summary.Median
		}
	}
	return t.From(p)
}

// effect returns the location and scale of a parameter of group-level effects in the earlier fit, in logs if it is a
// standard deviation.
func (p *Previous) effect(of infer.Parameter) (at, spread float64, ok bool) {
	s := p.known[infer.Parameter{Name: of.Name, Kind: of.Kind}]
	if s == nil {
		return 0, 0, false
	}
	m, sd := location(s), scale(s)
	if of.Kind == infer.GroupSD {
		q := &s.Summary
		m, sd = math.Log(q.Median), (math.Log(q.Q75)-math.Log(q.Q25))/quartiles
	}
	return m, sd, !math.IsNaN(m) && !math.IsInf(m, 0) && sd >= 0 && sd <= math.MaxFloat64
}

// quartiles is the distance of a normal distribution's quartiles in standard deviations.
const quartiles = 1.3489795003921634

// location is a summary's mean, or its median where the mean need not exist.
func location(s *record.ParameterSummary) float64 {
	if !math.IsNaN(s.Summary.Mean) {
		return s.Summary.Mean
	}
	return s.Summary.Median
}

// scale is a summary's standard deviation, or that of a normal distribution with its quartiles.
func scale(s *record.ParameterSummary) float64 {
	if !math.IsNaN(s.Summary.SD) {
		return s.Summary.SD
	}
	return (s.Summary.Q75 - s.Summary.Q25) / quartiles
}

// positive is x, or NaN if that cannot be a scale.
func positive(x float64) float64 {
	if x > 0 && x <= math.MaxFloat64 {
		return x
	}
	return math.NaN()
}
