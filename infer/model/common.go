package model

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/basis"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/infer/update"
)

// common is the move of all predictors at once, eta_p − X·c for all p: that of the reference class of a categorical
// response. Predictors that move in turn, each given the others, hardly move along it.
//
// The likelihood along c has the form of one predictor. c is 0 before the move and moves along the directions of a
// basis rotated by the curvature at the penalised points.
type common struct {
	frame   *basis.Frame
	like    *glm.Target     // on the frame's design, with c = 0 at an eta of 0
	priors  [][]prior.Prior // of each predictor
	fixed   []float64       // Σ precision of normal priors, of each coefficient
	special []int           // coefficients of which some prior is not normal
}

// commonWidth is the slice width in standard deviations.
const commonWidth = 2.5

// commonDoublings bounds the interval of a slice: 2^10 widths.
const commonDoublings = 10

// newCommon returns the move; nil if the family has none, if the predictors have different designs, or if a prior has
// no curvature.
func (s *setup) newCommon(p *Problem) (*common, error) {
	of := s.several.Predictors(p.Classes)
	if s.joined != nil || len(s.predictors) < len(p.Predictors) || s.predictors[0].hidden > 0 {
		return nil, nil
	}
	x := s.predictors[0].data.X
	c := &common{}
	for k, q := range p.Predictors {
		if !of[k].Common || q.Data.X != p.Predictors[0].Data.X {
			return nil, nil
		}
		for _, law := range s.predictors[k].model.Coefficients {
			if !basis.Rotatable(law.Kind) {
				return nil, nil
			}
		}
		c.priors = append(c.priors, s.predictors[k].model.Coefficients)
	}
	if groups := p.Predictors[0].Data; len(groups.Smooths) > 0 {
		return nil, nil
	}
	n, d := x.Size()
	laws := make([]prior.Prior, d)
	c.fixed = make([]float64, d)
	for j := range laws {
		sum, normal := 0.0, true
		for _, priors := range c.priors {
			law := priors[j]
			sum += 1 / law.Scale / law.Scale
			if law.Kind != prior.Normal {
				normal = false
				continue
			}
			c.fixed[j] += 1 / law.Scale / law.Scale
		}
		if !normal {
			c.special = append(c.special, j)
		}
		laws[j] = prior.Prior{Kind: prior.Normal, Scale: 1 / math.Sqrt(sum)}
	}
	eta, views := make([][]float64, len(s.predictors)), family.NewViews(len(s.predictors), n)
	view := views[len(s.predictors)]
	for k, q := range s.predictors {
		eta[k] = make([]float64, n)
		q.penalised(eta[k])
	}
	s.several.Given(family.Common, &s.rows, eta, view)
	data := &glm.Data{X: x, Intercept: -1, Y: s.several.Response(family.Common, &s.rows), Offset: view.Rest,
		Frequency: p.Frequency}
	if of[0].Of.Support().Trials {
		data.Trials = p.Trials
	}
	return c.rotated(data, glm.Model{Family: of[0].Of, Coefficients: laws})
}

// rotated returns the move along the directions of a basis; nil if there is none.
func (c *common) rotated(data *glm.Data, m glm.Model) (*common, error) {
	target, err := glm.NewTarget(data, m)
	if err != nil {
		return nil, err
	}
	c.frame, err = basis.RotateAt(target, data.X, data.Offset, m.Coefficients, target.Penalised(), basis.NewtonGain)
	if err != nil {
		return nil, nil //nolint:nilerr
	}
	c.like = c.frame.Like.WithOffset(make([]float64, len(data.Y))).Vectorised()
	return c, nil
}

// commonMove is that of one chain.
type commonMove struct {
	*common
	point *glm.Point
	slice *cggibbs.Slicer
	c     []float64
	betas [][]float64 // coefficients of each predictor
	zeros []float64
	step  []float64 // X·c
}

func newCommonMove(c *common, source *infer.Stream, looks *update.Looks) *commonMove {
	n, d := c.frame.Design.Size()
	m := &commonMove{common: c, point: glm.NewPoint(c.like), slice: cggibbs.NewSlicer(source, looks),
		c: make([]float64, d), zeros: make([]float64, d), step: make([]float64, n)}
	m.slice.Stepping = true
	for range c.priors {
		m.betas = append(m.betas, make([]float64, d))
	}
	return m
}

// moveCommon moves all predictors at once. Cost: O(n) for each look, of which a direction takes about four.
func (k *kernel) moveCommon() bool {
	m := k.common
	view := k.views[len(k.chains)]
	k.several.Given(family.Common, &k.rows, k.eta, view)
	m.point.SetUnconstrained(m.zeros)
	m.point.AddRest(view.Rest)
	m.point.Value()
	clear(m.c)
	for i, own := range k.chains {
		own.Beta(m.betas[i])
	}
	before := k.Evaluations
	for j := range m.c {
		if !m.along(j) {
			return k.FailAlong(k.params[j].Name)
		}
	}
	k.Touched += (k.Evaluations - before) * int64(len(k.rest))
	k.logLik = m.point.Value().LogLik + view.Base
	m.point.TakeRest()
	for i, v := range m.point.Eta() {
		m.step[i] = -v
	}
	for j, x := range m.c {
		m.c[j] = -x
	}
	for i, own := range k.chains {
		own.Displace(m.c, m.step)
		k.predictors[i].own(own.Point(), k.stepsOf(i), k.eta[i])
	}
	return true
}

// along moves c along direction j by a slice. It reports false if a log density was not finite.
func (m *commonMove) along(j int) bool {
	first, col := m.frame.Column(j)
	slope, curve := 0.0, 0.0
	for i, x := range col {
		at := first + i
		for k, priors := range m.priors {
			if law := &priors[at]; law.Kind == prior.Normal {
				e := (m.betas[k][at] - m.c[at]) - law.Location
				slope += float64(x*e) / law.Scale / law.Scale
			}
		}
		curve = math.FMA(float64(x*m.fixed[at]), x, curve)
	}
	others := func(x float64) (sum float64) {
		for _, at := range m.special {
			if at < first || at >= first+len(col) {
				continue
			}
			to := math.FMA(x, col[at-first], m.c[at])
			for k, priors := range m.priors {
				if priors[at].Kind != prior.Normal {
					sum += priors[at].LogDensity(m.betas[k][at] - to)
				}
			}
		}
		return sum
	}
	x, v, moved, ok := m.slice.Update(func(x float64) (float64, glm.Value) {
		v := m.point.Along(j, x)
		return v.LogLik + math.FMA(math.FMA(-0.5*curve, x, slope), x, others(x)), v
	}, m.point.Value().LogLik+others(0), commonWidth, commonDoublings)
	if ok && moved {
		m.point.Move(j, x, v)
		for i, t := range col {
			m.c[first+i] = math.FMA(x, t, m.c[first+i])
		}
	}
	return ok
}
