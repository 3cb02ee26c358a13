package cggibbs

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
)

// pilotProposals is the number of proposals that tell how many would be accepted.
const pilotProposals = 64

// leastAcceptance is what joint moves must have to be chosen: where more than half
// of the proposals are refused, the few of the pilot do not tell how long a chain may
// be stuck.
const leastAcceptance = 0.5

// moved returns the sampler with joint moves if they are asked for and can be made,
// or if they are to be chosen and need fewer operations than sweeps; else the basis
// as it is. update is the one that was asked for.
func (s *basisSetup) moved(update string) infer.Setup {
	j, err := s.joined(update)
	if err != nil {
		s.words += "; no joint moves: " + err.Error()
		return s
	}
	if s.opts.Joint == "auto" {
		c := costsOf(s.target)
		if words, ok := c.joins(j.accepted, c.of("rotated")); !ok {
			s.words += "; no joint moves: " + words
			return s
		}
	}
	j.words += fmt.Sprintf("; all of them proposed at once, %.2f of the proposals accepted in a pilot, "+
		"with %d updates by themselves between %d proposals", j.accepted, guardSize(len(j.widths)), jointBatch)
	return j
}

// joined returns the sampler with joint moves.
func (s *basisSetup) joined(update string) (*jointSetup, error) {
	law, err := newJointLaw(s.frame, s.target.Penalised()[s.target.Cols():])
	if err != nil {
		return nil, err
	}
	out := *s
	if update == "" {
		out.opts.Update = "stepping_out"
	}
	j := &jointSetup{basisSetup: &out, law: law}
	j.accepted = j.acceptance()
	return j, nil
}

// acceptance estimates the share of proposals that a chain would accept, from the
// importance weights w of 64 that a fixed stream proposes: the mean of
// min(1, w(y)/w(x)) over x by weight and y as they come. Cost: 64·n·(k + 1).
func (j *jointSetup) acceptance() float64 {
	stream, dim := infer.NewStream(0, "cggibbs", "joint"), len(j.widths)
	u, z, v := make([]float64, pilotProposals*dim), make([]float64, dim), make([]float64, j.frame.Like.Cols())
	weights := make([]float64, pilotProposals)
	for i := range weights {
		j.law.draw(stream, u[i*dim:(i+1)*dim])
	}
	glm.NewBatch(j.frame.Like).LogLiks(u, weights)
	largest := math.Inf(-1)
	for i := range weights {
		x := u[i*dim : (i+1)*dim]
		j.frame.Values(x[:len(v)], v)
		weights[i] = j.weight(x, v, z, weights[i])
		if math.IsNaN(weights[i]) {
			return 0
		}
		largest = max(largest, weights[i])
	}
	if math.IsInf(largest, 0) {
		return 0
	}
	total, accepted := 0.0, 0.0
	for i, w := range weights {
		weights[i] = vec.Exp(w - largest)
		total += weights[i]
	}
	for _, x := range weights {
		for _, y := range weights {
			accepted += min(x, y) // x·min(1, y/x)
		}
	}
	return accepted / total / pilotProposals
}

// joint counts the operations of joint moves of which a share is accepted, set-up
// and draws: a chain that accepts a share a forgets as (2 − a)/a independent draws.
func (c costs) joint(accepted float64) float64 {
	n, k := float64(c.n), float64(c.d)
	proposal := float64(n*math.FMA(product, k, 1)) + fixedCost + float64(k*priorDensity) + float64(product*k*k)
	guard := float64(float64(guardSize(c.d)*steppingPasses)*(n+fixedCost)) + float64(product*n*k)
	products := float64(n*k*k) + float64(k*k*k/3)
	draws := float64(float64(autoDraws*(2-accepted)/accepted) * (proposal + guard/jointBatch))
	return float64(product*products) + float64(pilotProposals*proposal) + draws
}

// joins reports whether joint moves of which a share is accepted need fewer operations
// than another way, and if not, why not.
func (c costs) joins(accepted, other float64) (words string, ok bool) {
	switch {
	case !(accepted >= leastAcceptance):
		return fmt.Sprintf("%.2f of the proposals are accepted in a pilot, fewer than %v", accepted, leastAcceptance), false
	case !(c.joint(accepted) < other):
		return inBillions(c.joint(accepted)) + " billion operations", false
	}
	return "", true
}

// tall reports whether joint moves may serve: the more observations to a coefficient,
// the nearer is the posterior to normal.
func (c costs) tall(target *glm.Target, other float64) bool {
	return target.Scales() == 0 && c.possible("rotated") && target.Observations() >= 4*float64(c.d) && c.joint(1) < other
}
