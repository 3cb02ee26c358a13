package model

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/basis"
	"glmbatch/infer/family"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// joint proposes all parameters at once, from a mixture of a normal and a t₇ distribution at the mode of the posterior
// with its curvature. On many rows and few parameters most proposals are accepted, at the cost of one look at the
// likelihood; a sweep of slices takes about four looks for each parameter. A sweep is made in one of some
// iterations, so that a chain leaves places that proposals do not reach.
type joint struct {
	*Target
	mode   []float64
	root   *linalg.Chol // of the curvature
	accept float64      // in the pilot
	turns  int64        // iterations from one sweep to the next

	sum func(r *family.Rows, eta [][]float64) float64 // see family.Likelihood
}

// Conditions of joint. Its curvature is that of at most jointRows rows, which stand for all.
const (
	minJointRows  = 64 // rows, each as often as it counts, and as many for each parameter as here:
	jointRowsEach = 10
	maxJoint      = 200 // parameters
	jointRows     = 10_000
	jointPilot    = 16 // proposals
	minAcceptance = 0.8
	jointTurns    = 128
	fewTurns      = 16 // of fewRows rows or fewer
	fewRows       = 2000
	manyTurns     = 512 // of more than jointRows rows
)

// newJoint returns the proposals; nil if they do not serve the problem. Few is nil, or has rows that stand for all.
func (s *setup) newJoint(p *Problem, few *setup, by infer.Parallel) (*joint, error) {
	d := len(s.params)
	if s.rows.Total < float64(max(minJointRows, jointRowsEach*d)) || d > maxJoint || !s.rotatable() {
		return nil, nil
	}
	whole, err := s.newTarget(by, "")
	if err != nil || whole.Dim() != d { // thresholds at equal distances follow from two numbers
		return nil, err
	}
	j := &joint{Target: whole, turns: jointTurns}
	if s.joined == nil {
		j.sum = p.Family.Likelihood().Sum
	}
	part := whole
	switch {
	case s.rows.Total <= fewRows:
		j.turns = fewTurns
	case len(s.rows.Y) > jointRows:
		if j.turns = manyTurns; few == nil {
			return nil, nil
		}
		if part, err = few.newTarget(by, ""); err != nil {
			return nil, err
		}
	}
	j.mode = part.Penalised()
	density := part.Densities()
	for far, round := true, 0; far && round < 3; round++ { // the curvature at the start of the search, then where it leads
		if j.root = curvature(density, j.mode); j.root == nil {
			return nil, nil
		}
		far = j.climb(density, 12) > 1
	}
	if j.climb(whole.Densities(), 4); !j.pilot() {
		return nil, nil
	}
	return j, nil
}

// rotatable reports whether all priors have a curvature, and no predictor has parameters besides coefficients and
// dispersions.
func (s *setup) rotatable() bool {
	if s.residuals != nil {
		return false
	}
	for _, p := range s.predictors {
		if p.data.Effects != nil || len(p.data.Smooths) > 0 || len(p.mono) > 0 {
			return false
		}
		for _, law := range p.model.Coefficients {
			if !basis.Rotatable(law.Kind) {
				return false
			}
		}
	}
	return true
}

// thinned returns the problem with one row in each few, which counts for these.
func (p *Problem) thinned() *Problem {
	if p.Responses != nil {
		out := *p
		out.Responses = nil
		for _, own := range p.Responses {
			out.Responses = append(out.Responses, own.thinned())
		}
		return &out
	}
	stride := 1 + (len(p.Y)-1)/jointRows
	var rows []int
	for i := 0; i < len(p.Y); i += stride {
		rows = append(rows, i)
	}
	out := p.taken(rows)
	out.Frequency = make([]float64, len(rows))
	for k, i := range rows {
		if out.Frequency[k] = float64(stride); p.Frequency != nil {
			out.Frequency[k] *= p.Frequency[i]
		}
	}
	return out
}

// curvature returns the factor of the negative second derivatives of a log density, by differences of its gradient; nil
// if they are not positive.
func curvature(density func(u, grad []float64) (float64, float64, float64), at []float64) *linalg.Chol {
	const step = 1e-4
	d := len(at)
	h, up, down := make([]float64, d*d), make([]float64, d), make([]float64, d)
	u := append([]float64(nil), at...)
	for j, x := range at {
		u[j] = x + step
		density(u, up)
		u[j] = x - step
		density(u, down)
		u[j] = x
		for i := range d {
			h[i*d+j] += 0.5 * (down[i] - up[i]) / (2 * step)
			h[j*d+i] += 0.5 * (down[i] - up[i]) / (2 * step)
		}
	}
	root, err := linalg.Cholesky(h, d)
	if err != nil {
		return nil
	}
	return root
}

// climb moves mode up by steps of the curvature, each halved until the density grows, and returns the gain.
func (j *joint) climb(density func(u, grad []float64) (float64, float64, float64), most int) (gain float64) {
	d := len(j.mode)
	grad, next, at := make([]float64, d), make([]float64, d), make([]float64, d)
	value, _, _ := density(j.mode, grad)
	for range most {
		step := append([]float64(nil), grad...)
		j.root.Solve(step)
		if vec.Dot(step, grad) < 1e-4 {
			return gain
		}
		for size := 1.0; ; size *= 0.5 {
			if size < 1e-3 {
				return gain
			}
			for i, v := range step {
				at[i] = math.FMA(size, v, j.mode[i])
			}
			if v, _, _ := density(at, next); v > value {
				gain, value = gain+(v-value), v
				copy(j.mode, at)
				copy(grad, next)
				break
			}
		}
	}
	return gain
}

// pilot measures the acceptance of proposals against each other, and reports whether it is enough.
func (j *joint) pilot() bool {
	stream, look := infer.NewStream(1, "joint"), j.newLook()
	d := len(j.mode)
	u, logLik := make([]float64, jointPilot*d), make([]float64, jointPilot)
	var weights []float64
	for i := range logLik {
		at := u[i*d : (i+1)*d]
		square := j.propose(stream, at)
		prior, _ := look.prior(at)
		weights = append(weights, prior-j.logProposal(square))
	}
	look.likelihoods(u, logLik)
	for i, v := range logLik {
		weights[i] += v
	}
	for _, from := range weights {
		for _, to := range weights {
			j.accept += float64(vec.Exp(min(0, to-from)) / jointPilot / jointPilot)
		}
	}
	return j.accept >= minAcceptance
}

// heavy is the share of t₇, whose degrees of freedom are heavyDF.
const heavy, heavyDF = 0.1, 7

// propose writes a proposal, and returns the square of its distance from the mode in standard deviations.
func (j *joint) propose(s variate.Source, u []float64) (square float64) {
	scale := 1.0
	if s.Float64() < heavy {
		half := variate.Gamma(s, heavyDF/2.0)
		scale = math.Sqrt(0.5 * heavyDF / half)
	}
	for i := range u {
		u[i] = float64(scale * variate.Normal(s))
	}
	square = vec.SumSquares(u)
	j.root.SolveUpper(u)
	for i, m := range j.mode {
		u[i] += m
	}
	return square
}

// logProposal returns the log density of proposals at a distance, without a constant.
func (j *joint) logProposal(square float64) float64 {
	d := float64(len(j.mode))
	normal := math.FMA(-0.5, square, vec.Log(1-heavy))
	student := vec.Log(heavy) + vec.LogGamma((heavyDF+d)/2) - vec.LogGamma(heavyDF/2.0) -
		float64(0.5*d*vec.Log(heavyDF/2.0)) - float64(0.5*(heavyDF+d)*vec.Log1p(square/heavyDF))
	return vec.LogAdd(normal, student)
}

// look evaluates the posterior at coordinates, for the use of one chain.
type look struct {
	*Target
	eta, part [][]float64 // of the rows of a piece, and what they have there
	sum       func(r *family.Rows, eta [][]float64) float64
	rest      []float64
}

// pieceRows is the number of rows that a look reads at a time: their columns stay in the processor for all points.
const pieceRows = 1024

func (j *joint) newLook() *look {
	l := &look{Target: j.Target, part: make([][]float64, len(j.setup.starts)), sum: j.sum,
		rest: make([]float64, pieceRows)}
	for range l.part {
		l.eta = append(l.eta, make([]float64, pieceRows))
	}
	return l
}

// prior returns the log prior density over u, and that of the parameters. Cost: O(len(u)).
func (l *look) prior(u []float64) (inU, own float64) {
	s, slope := l.setup, 0.0
	for k, p := range s.predictors {
		at := u[l.at[k]:l.at[k+1]]
		for i, law := range p.model.Coefficients {
			own += law.LogDensity(at[i])
		}
		_, logPrior, logSlope := p.dispersions(at[len(p.model.Coefficients):])
		own += logPrior
		slope += logSlope
	}
	if c := s.cuts; c != nil {
		z, tau := u[l.cuts:], make([]float64, len(c.priors))
		c.tau(z, tau)
		own += c.logPrior(tau)
		slope += c.logJacobian(z)
	}
	return own + slope, own
}

// likelihoods writes the log likelihoods at points u, one after the other; −Inf where one is not a number. Cost: one
// pass over each design, of which the points share the reading.
func (l *look) likelihoods(u, dst []float64) {
	s, n, d := l.setup, len(l.setup.rows.Y), l.Dim()
	all := s.chainRows()
	clear(dst)
	for first := 0; first < n; first += pieceRows {
		rows := all.Part(first, min(first+pieceRows, n))
		for i := range dst {
			l.piece(u[i*d:(i+1)*d], first, &rows)
			if l.sum != nil && rows.Frequency == nil {
				dst[i] += l.sum(&rows, l.part)
				continue
			}
			s.several.LogLik(&rows, 0, l.part, l.rest[:len(rows.Y)])
			rows.CountRows(l.rest[:len(rows.Y)])
			dst[i] += rows.Kernels.Sum(l.rest[:len(rows.Y)])
		}
	}
	for i, v := range dst {
		if math.IsNaN(v) {
			dst[i] = math.Inf(-1)
		}
	}
}

// piece makes the predictors of rows from one on at u, and their dispersions.
func (l *look) piece(u []float64, first int, rows *family.Rows) {
	s, size := l.setup, len(rows.Y)
	for k := range l.part {
		if l.part[k] = l.eta[k][:size]; s.offsets[k] != nil {
			copy(l.part[k], s.offsets[k][first:])
		}
	}
	for k, p := range s.predictors {
		own, eta := u[l.at[k]:l.at[k+1]], l.part[p.place]
		if clear(eta); p.offset != nil {
			copy(eta, p.offset[first:])
		}
		p.data.X.AddRows(rows.Kernels, own[:len(p.model.Coefficients)], eta, first)
		disp, _, _ := p.dispersions(own[len(p.model.Coefficients):])
		s.takeDisp(rows, p, disp[:])
	}
	if c := s.cuts; c != nil {
		tau := make([]float64, len(c.priors))
		c.tau(u[l.cuts:], tau)
		c.write(tau, first, l.part[len(l.part)-len(c.first):])
	}
}

// dispersions returns the dispersions of coordinates, the log prior density of these, and that of their slope in u.
func (p *predictor) dispersions(u []float64) (disp [2]float64, logPrior, logSlope float64) {
	at := 0
	for d, of := range p.model.Family.Dispersions() {
		law := p.model.DispersionPrior(d)
		if disp[d] = law.Location; law.Kind != prior.Constant {
			disp[d] = of.At(u[at])
			logPrior += law.LogDensity(disp[d])
			logSlope += of.LogSlope(u[at])
			at++
		}
	}
	return disp, logPrior, logSlope
}

// jointBatch is the number of proposals whose likelihoods are found in one reading of the data: they do not depend on
// where the chain is.
const jointBatch = 8

// jointMove is that of one chain. Between sweeps theta is where the chain is if ahead is set: the chains of the
// predictors follow at the next sweep.
type jointMove struct {
	*joint
	*look
	u, theta []float64
	ahead    bool
	batch
}

// batch has proposals, the squares of their distances, and their log likelihoods.
type batch struct{ to, squares, logLiks []float64 }

func newJointMove(j *joint) *jointMove {
	d := len(j.mode)
	return &jointMove{j, j.newLook(), make([]float64, d), make([]float64, d), false,
		batch{make([]float64, jointBatch*d), make([]float64, jointBatch), make([]float64, jointBatch)}}
}

// next returns the proposal of an iteration, with the square of its distance and its log likelihood.
func (m *jointMove) next(k *kernel) (to []float64, square, logLik float64) {
	d, turn := len(m.u), k.Iteration%m.turns
	at := int(turn % jointBatch)
	if at == 0 {
		count := int(min(jointBatch, m.turns-1-turn))
		for i := range count {
			m.squares[i] = m.propose(k.Stream, m.to[i*d:(i+1)*d])
		}
		m.likelihoods(m.to[:count*d], m.logLiks[:count])
		for i, v := range m.logLiks {
			m.logLiks[i] = max(v, -math.MaxFloat64) // a state has finite numbers
		}
		k.Touched += int64(count*d) * int64(len(k.rest))
	}
	return m.to[at*d : (at+1)*d], m.squares[at], m.logLiks[at]
}

// moveJoint proposes all parameters at once.
func (k *kernel) moveJoint() bool {
	m := k.joint
	k.Position(m.theta)
	m.joint.Unconstrain(m.theta, m.u)
	distance := append([]float64(nil), m.u...)
	for i, v := range m.mode {
		distance[i] -= v
	}
	m.root.MulUpper(distance)
	to, square, logLik := m.next(k)
	before, own := m.prior(m.u)
	after, next := m.prior(to)
	odds := after + logLik - before - k.logLik
	odds += m.logProposal(vec.SumSquares(distance)) - m.logProposal(square)
	accept := vec.Exp(min(0, odds))
	k.Tally(accept)
	if k.Stream.Float64() < accept {
		m.joint.Constrain(to, m.theta)
		m.ahead, k.logLik, own = true, logLik, next
	}
	return k.Arrive(k.logLik, own)
}

// follow brings the chains of the predictors to where the chain is.
func (k *kernel) follow() error {
	if k.joint == nil || !k.joint.ahead {
		return nil
	}
	logLik := k.logLik
	err := k.SetPosition(k.joint.theta)
	k.logLik = logLik
	for _, own := range k.chains {
		own.Point().RowsRead() // are those of the looks
	}
	return err
}

// words describes the proposals.
func (j *joint) words() string {
	return fmt.Sprintf("all parameters at once, proposed by the curvature at the mode (%.2f accepted in a pilot), and in "+
		"one of %d iterations a sweep: ", j.accept, j.turns)
}
