package cggibbs

import (
	"cmp"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/loo"
	"glmbatch/internal/vec"
)

// A pilot makes as many joint proposals as these operations pay for, within limits.
const (
	pilotOperations            = 4_000_000
	minProposals, maxProposals = 64, 256
)

// minAcceptance is the acceptance from which joint moves are chosen without a sweep in each iteration: if more
// than half of the proposals are refused, the few of the pilot do not show how long a chain may be stuck. With a
// sweep in every eighth, chains under student_t priors and a response of ones, where 0.15 were accepted, had 600
// independent draws of 64,000.
const minAcceptance = 0.5

// finiteVariance is the shape of the largest weights from which on they have no variance: joint moves are then chosen
// with a sweep in each iteration only, since a chain may stay in a tail for longer than any pilot shows.
const finiteVariance = 0.5

// tailShare is the share of the posterior that a tail is, as in the tail ESS.
const tailShare = 0.05

// jointPilot holds statistics of proposals and their importance weights.
type jointPilot struct {
	proposals int
	accepted  float64 // share that a chain would accept
	shape     float64 // of the Pareto distribution of the largest weights, which has moments below 1/shape
	largest   int     // the proposal of the largest weight
	// refused is the share of proposals that a chain at each proposal would refuse, and squares the weighted
	// squares there, summing to 1, of what draws are for: each parameter and its two tails, less their means.
	refused []float64
	squares [][]float64
}

// perfectPilot is that of proposals from the posterior.
var perfectPilot = jointPilot{accepted: 1}

// limit is the largest shape with which the weights of as many proposals may be trusted.
func (p jointPilot) limit() float64 { return loo.Threshold(p.proposals) }

// worth returns how many independent draws a draw after some moves is worth, of the parameter or tail for which it
// is worth least. A sweep follows them every every draws; kept is the share of the state that it keeps, 1 without.
//
// A chain of independence steps leaves a point with the share of proposals that it would accept there, and then
// does not depend on it (Liu 1996, Metropolized independent sampling, doi:10.1007/BF00162521): its share of a
// function's variance there lasts as long as refusals and sweeps let it, see lasting. Where no sweep helps, places
// of larger weights than the pilot has seen count too, as the Pareto law foretells them: 1/(1 − 2·shape) times what
// the largest counts, for 1 − r falls as the weight rises; without end from 1/2 on.
func (p jointPilot) worth(moves, every int, kept float64) float64 {
	draws := make([]float64, len(p.refused))
	for i, r := range p.refused {
		draws[i] = lasting(power(r, moves), every, kept)
	}
	if kept == 1 && len(draws) > 0 {
		draws[p.largest] *= 1 + 1/max(0, 1-2*p.shape)
	}
	longest := 1.0
	for _, s := range p.squares {
		longest = max(longest, kernels.Dot(s, draws))
	}
	return 1 / longest
}

// lasting sums the autocorrelations, on either side, of a state that stays from one draw to the next with
// probability same and of which a sweep keeps a share, one in every draws. Of draws that are i < every apart the
// share 1 − i/every has no sweep between them; as many more draws apart have one sweep more.
func lasting(same float64, every int, kept float64) float64 {
	sum, stays := 0.0, 1.0
	for i := range every {
		sum += float64(stays * (1 - (1-kept)*float64(i)/float64(every)))
		stays *= same
	}
	return 2*sum/(1-float64(stays*kept)) - 1
}

// try makes the proposals of a fixed stream. The share that a chain would accept is the
// mean of min(1, w(y)/w(x)) over x by weight and y as they come. Cost: n·(k + 1) for each
// of at most 256 proposals.
func (j *jointSetup) try() jointPilot {
	dim := len(j.widths)
	size := int(pilotOperations / costs{n: j.frame.Like.Rows(), d: dim}.proposal())
	size = max(minProposals, min(maxProposals, size))
	out := jointPilot{proposals: size, shape: math.Inf(1)}
	points, weights := j.weighted(size)
	if weights == nil {
		return out
	}
	out.shape = loo.Shape(slices.Clone(weights))
	total := 0.0
	for i, w := range weights {
		weights[i] = vec.Exp(w)
		total += weights[i]
	}
	out.refused = make([]float64, size)
	for i, x := range weights {
		accepted := 0.0
		for _, y := range weights {
			accepted += min(x, y) // x·min(1, y/x)
		}
		out.accepted += accepted / total / float64(size)
		if x == 1 {
			out.largest = i
		}
		if x > 0 {
			out.refused[i] = max(0, 1-accepted/x/float64(size))
		}
	}
	for i := range weights {
		weights[i] /= total
	}
	for c := range dim {
		out.add(points[c*size:(c+1)*size], weights)
	}
	return out
}

// weighted returns proposals, one parameter after the other, with the logs of their weights over the largest; nil
// if one is not a number.
func (j *jointSetup) weighted(size int) (points, weights []float64) {
	stream, dim := infer.NewStream(0, "cggibbs", "joint"), len(j.widths)
	u, z, v := make([]float64, size*dim), make([]float64, dim), make([]float64, j.frame.Like.Cols())
	logLik := make([]float64, size)
	points, weights = make([]float64, size*dim), make([]float64, size)
	for i := 0; i < size; i += jointBatch {
		j.law.draws(stream, u[i*dim:min(size, i+jointBatch)*dim])
	}
	glm.NewBatch(j.frame.Like, j.target.Parallel()).LogLiks(u, logLik)
	for i := 0; i < size; i += jointBatch {
		to := min(size, i+jointBatch)
		j.weights(u[i*dim:], logLik[i:to], weights[i:to], v, z)
	}
	largest := math.Inf(-1)
	for i := range weights {
		x := u[i*dim : (i+1)*dim]
		j.frame.Values(x[:len(v)], v)
		if math.IsNaN(weights[i]) {
			return nil, nil
		}
		largest = max(largest, weights[i])
		for c := range dim {
			points[c*size+i] = x[c]
			if c < len(v) {
				points[c*size+i] = v[c]
			}
		}
	}
	if math.IsInf(largest, 0) {
		return nil, nil
	}
	for i := range weights {
		weights[i] -= largest
	}
	return points, weights
}

// add takes a parameter's values, with weights that sum to 1.
func (p *jointPilot) add(values, weights []float64) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(values[a], values[b]), a-b) })
	low, high := make([]float64, len(values)), make([]float64, len(values))
	below := 0.0
	for _, i := range order {
		if below < tailShare {
			low[i] = 1
		}
		if below += weights[i]; below > 1-tailShare {
			high[i] = 1
		}
	}
	for _, f := range [][]float64{values, low, high} {
		mean, sum := kernels.Dot(f, weights), 0.0
		squares := make([]float64, len(f))
		for i, x := range f {
			squares[i] = float64(weights[i] * float64((x-mean)*(x-mean)))
			sum += squares[i]
		}
		if sum > 0 {
			for i := range squares {
				squares[i] /= sum
			}
			p.squares = append(p.squares, squares)
		}
	}
}
