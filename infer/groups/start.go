package groups

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/state"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// startRange is the largest distance of log sd from that of the pilot at a start from the prior.
const startRange = 2

// Kernel returns one chain at its dispersed start: coefficients and dispersions where glm.Target.Start has them, around
// the penalised point in the last chain too; sds drawn from their priors in the last of several chains, if all are
// proper, and cut off at startRange, else spread around a pilot; correlations of 0; effects at a tenth of noise of the
// pilot's size, halved until the likelihood is positive.
//
// Coefficients far out take the effects with them, and both come back slowly: from draws of wide priors a chain needed
// up to thousands of iterations.
func (s *setup) Kernel(c infer.Chain) (infer.Kernel, error) {
	k, err := s.newKernel(c)
	if err != nil {
		return nil, err
	}
	return k, nil
}

func (s *setup) newKernel(c infer.Chain) (*kernel, error) {
	if c.Stream == nil {
		return nil, fmt.Errorf("groups: chain %d has no random stream", c.Index)
	}
	near := c
	near.Count = 0 // no chain starts at a draw from the prior
	fixed, err := s.fixed.Kernel(near)
	if err != nil {
		return nil, err
	}
	k := &kernel{setup: s, fixed: fixed, point: fixed.Point(), rest: make([]float64, s.target.Rows())}
	k.Stream, k.slice = c.Stream, cggibbs.NewSlicer(c.Stream, &k.Looks)
	k.beta, k.delta = make([]float64, s.target.Cols()), make([]float64, s.target.Cols())
	fromPrior := c.Count > 1 && c.Index == c.Count-1 && s.proper
	size := s.pilotSize()
	k.Words = fixed.Start() + "; sds spread around a pilot, effects near 0"
	if fromPrior {
		k.Words = fixed.Start() + "; sds from their priors, not far from a pilot, effects near 0"
	}
	for _, m := range s.nests {
		k.trees = append(k.trees, newTree(m))
	}
	for _, b := range s.blocks {
		g := newGroup(b)
		k.groups = append(k.groups, g)
		k.point.Attach(g.effects)
		for t, p := range b.prior.SD {
			pilot := size / b.meanSquare(t)
			u := logSD(p, pilot, fromPrior, c.Stream)
			for l := range b.levels {
				g.to[l*b.q+t] = float64(0.1 * pilot * variate.Normal(c.Stream))
			}
			g.startSD(t, u)
		}
		g.settle()
	}
	if s.options.Earlier != nil && !fromPrior {
		k.Words = fixed.Start() + "; sds spread around earlier ones, effects around those of levels that were known"
		k.startAround(s.options.Earlier)
	}
	k.settleStart()
	k.Updates, k.Saver = k.schedule(), state.NewSaver("groups", stateVersion, k.list)
	return k, nil
}

// logSD draws the log of an sd around a pilot, or from its prior and not far from the pilot.
func logSD(p prior.Prior, pilot float64, fromPrior bool, stream *infer.Stream) float64 {
	u := vec.Log(pilot) + variate.Normal(stream)
	if draw := p.Draw(stream); fromPrior {
		u = max(vec.Log(pilot)-startRange, min(vec.Log(pilot)+startRange, vec.Log(draw)))
	}
	return u
}

// startSD sets a free sd to e^u, or to what its prior allows.
func (s *scales) startSD(t int, u float64) {
	p := &s.laws.SD[t]
	if p.Kind == prior.Uniform && !(vec.Exp(u) > p.Low && vec.Exp(u) < p.High) {
		u = vec.Log(0.5 * (p.Low + p.High))
	}
	if p.Kind != prior.Constant {
		s.logSD[t] = max(-30, min(30, u))
	}
}

// settleStart halves effects until the likelihood is positive.
func (k *kernel) settleStart() {
	for range 60 {
		for _, g := range k.groups {
			k.point.Assign(g.effects, g.to)
		}
		k.point.Refresh()
		if k.point.Value().LogLik > math.Inf(-1) {
			return
		}
		for _, g := range k.groups {
			for i := range g.to {
				g.to[i] /= 2
			}
		}
	}
}

// pilotSize is a guess of the size of group-level effects of a column of ones: half a residual sd of a gaussian, half a
// unit of a log or logit scale, a tenth of the linear predictor on others.
func (s *setup) pilotSize() float64 {
	model := s.target.Model()
	p := glm.NewPoint(s.target)
	p.SetUnconstrained(s.target.Penalised())
	switch {
	case s.target.ClosedGaussian():
		return max(1e-10, 0.5*p.Dispersions()[0])
	case !model.Family.Of().Unit():
		return 0.5
	}
	sum := 0.0
	for _, e := range p.Eta() {
		sum += math.Abs(e)
	}
	return max(1e-10, 0.1*sum/float64(len(p.Eta())))
}

// meanSquare returns the root of the mean square of term t.
func (b *block) meanSquare(t int) float64 {
	c := b.Columns[t]
	if c == nil {
		return 1
	}
	return max(1e-100, math.Sqrt(vec.SumSquares(c)/float64(len(c))))
}
