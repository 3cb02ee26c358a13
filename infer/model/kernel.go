package model

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/groups"
	"glmbatch/infer/update"
	"glmbatch/internal/state"
)

// listed are moves of which a chain may have several, and what moves by itself.
type listed struct {
	steps  []*stepsMove // of each predictor, or nil
	linked []*linkedMove
	law    *groups.Residuals // of correlated residuals, or nil
}

// kernel is one chain.
type kernel struct {
	*setup
	update.Stepper
	chains []groups.Chain
	eta    [][]float64 // of each predictor, without what the others leave
	rows   family.Rows // with the dispersions of the chain
	views  []*family.View
	rest   []float64   // scratch
	common *commonMove // or nil
	cut    *cutMove    // or nil
	joint  *jointMove  // or nil
	listed
	logLik float64
}

// Kernel returns one chain, each predictor at its dispersed start given the penalised points of the others.
func (s *setup) Kernel(c infer.Chain) (infer.Kernel, error) {
	if c.Stream == nil {
		return nil, fmt.Errorf("model: chain %d has no random stream", c.Index)
	}
	if s.closed != nil {
		return s.newClosedKernel(c), nil
	}
	n := len(s.rows.Y)
	k := &kernel{setup: s, rows: s.chainRows(), views: family.NewViews(len(s.starts), n), rest: make([]float64, n)}
	for _, p := range s.predictors {
		own, err := p.Start(c)
		if err != nil {
			return nil, err
		}
		k.chains, k.Words = append(k.chains, own), own.Start()
	}
	k.Stream, k.eta = c.Stream, s.predictorsOf(n)
	for _, p := range s.predictors {
		k.steps = append(k.steps, k.newStepsMove(p))
	}
	if s.common != nil {
		k.common = newCommonMove(s.common, c.Stream, &k.Looks)
	}
	if s.cuts != nil {
		k.cut = newCutMove(s.cuts, len(k.eta), c.Stream, &k.Looks)
	}
	if s.joint != nil {
		k.joint = newJointMove(s.joint)
	}
	for _, l := range s.links {
		k.linked = append(k.linked, k.newLinkedMove(l))
	}
	if s.residuals != nil {
		k.law = s.residuals.law(c.Stream).Mover(c.Stream, &k.Looks)
	}
	k.Updates = k.schedule()
	k.Saver = state.NewSaver("model", stateVersion, k.list)
	k.arrive()
	return k, nil
}

// schedule lists the moves of an iteration: the predictors in turn, each given the others, then all of them at once if
// the family has such a direction, the thresholds if it has such, and the scales of linked effects.
// Cost: that of a step of each predictor's sampler, and O(n) for what it reads of the others.
func (k *kernel) schedule() update.Schedule {
	var moves update.Moves
	for i := range k.chains {
		moves = append(moves, func() bool { return k.movePredictor(i) })
	}
	if k.common != nil {
		moves = append(moves, k.moveCommon)
	}
	if k.cut != nil {
		moves = append(moves, k.moveCuts, k.carryCuts)
	}
	for _, l := range k.linked {
		moves = append(moves, func() bool { return k.moveLinked(l) })
	}
	if k.law != nil {
		moves = append(moves, k.moveResiduals)
	}
	moves = append(moves, k.sum)
	if k.joint == nil {
		return update.Schedule{First: moves}
	}
	return update.Schedule{First: update.Moves{func() bool {
		if (k.Iteration+1)%k.joint.turns > 0 {
			return k.moveJoint()
		}
		if err := k.follow(); err != nil {
			return k.Take(infer.Info{}, err)
		}
		return moves.Make()
	}}}
}

// movePredictor moves a predictor given the others.
func (k *kernel) movePredictor(i int) bool {
	own := k.chains[i]
	k.lay(i)
	info, err := own.Step()
	if !k.Take(info, err) {
		return false
	}
	k.Proposals++
	k.Accepted += info.Accept
	if !k.moveSteps(i) {
		return false
	}
	k.logLik = own.Point().Value().LogLik + k.views[k.predictors[i].place].Base
	own.Point().TakeRest()
	k.take(i)
	return true
}

// sum adds the log prior densities of all predictors.
func (k *kernel) sum() bool {
	logPrior := 0.0
	for i, own := range k.chains {
		logPrior += own.LogPrior() + k.logPriorOfSteps(i)
	}
	if k.cut != nil {
		logPrior += k.cut.logPrior(k.cut.tau)
	}
	for _, l := range k.linked {
		logPrior += l.LogPrior()
	}
	if k.law != nil {
		logPrior += k.law.LogPrior()
	}
	return k.Arrive(k.logLik, logPrior)
}

// lay brings predictor i under work: its point gets what the others leave.
func (k *kernel) lay(i int) {
	p := k.predictors[i]
	for _, l := range k.linked {
		l.lean(i)
	}
	k.several.Given(p.place, &k.rows, k.eta, k.views[p.place])
	p.give(k.chains[i].Point(), k.views[p.place], k.rest, k.stepsOf(i))
}

// take takes a predictor, and the dispersions of the first one, from its point.
func (k *kernel) take(i int) {
	point := k.chains[i].Point()
	p := k.predictors[i]
	p.own(point, k.stepsOf(i), k.eta[p.place])
	k.takeDisp(&k.rows, p, point.Dispersions())
}

// arrive takes the predictors from their points, and computes the log likelihood.
func (k *kernel) arrive() {
	for i := range k.chains {
		k.take(i)
	}
	if k.cut != nil {
		k.takeCuts()
	}
	if k.law != nil {
		k.law.Precision(k.rows.Residuals)
	}
	k.several.LogLik(&k.rows, 0, k.eta, k.rest)
	k.rows.CountRows(k.rest)
	k.logLik = k.rows.Kernels.Sum(k.rest)
}

// Position writes the parameters in their order.
func (k *kernel) Position(dst []float64) {
	if k.joint != nil && k.joint.ahead {
		copy(dst, k.joint.theta)
		return
	}
	tau, correlations := k.split(dst, func(i int, head, effects, steps []float64) {
		k.predictors[i].Read(k.chains[i], head, effects)
		copy(steps, k.stepsOf(i))
	})
	if k.law != nil {
		correlations = correlations[k.law.Write(correlations):]
	}
	for _, l := range k.linked {
		correlations = correlations[l.Correlations(correlations):]
	}
	if k.cut != nil {
		k.cut.position(k.cut.tau, tau)
	}
	k.writeShares(dst)
}

// SetPosition moves the chain to a position, as Position writes it, its caches fresh and its stream and iteration as
// they are.
func (k *kernel) SetPosition(position []float64) (err error) {
	if len(position) != len(k.params) {
		return fmt.Errorf("model: a position of %d numbers for %d parameters", len(position), len(k.params))
	}
	if k.joint != nil {
		k.joint.ahead = false
	}
	tau, correlations := k.split(position, func(i int, head, effects, steps []float64) {
		copy(k.stepsOf(i), steps)
		if err == nil {
			err = k.chains[i].SetPosition(append(append([]float64(nil), head...), effects...))
		}
	})
	if k.cut != nil {
		k.cut.read(tau, k.cut.tau)
	}
	if k.law != nil {
		correlations = correlations[k.law.Read(correlations):]
	}
	for _, l := range k.linked {
		correlations = correlations[l.SetCorrelations(correlations):]
	}
	k.arrive()
	return err
}

// Check compares the caches of every predictor with its values, for tests.
func (k *kernel) Check() error {
	for i, own := range k.chains {
		if err := own.Point().Check(); err != nil {
			return err
		}
		for j, e := range own.Point().Eta() {
			p, steps := k.predictors[i], 0.0
			for _, m := range p.mono {
				for s, column := range m.columns {
					steps = math.FMA(k.steps[i].c[m.at+s], column[j], steps)
				}
			}
			if at := k.eta[p.place][j]; !(math.Abs(e-p.at[j]+steps-at) <= 1e-9*(1+math.Abs(e))) {
				return fmt.Errorf("model: predictor %s of row %d is %v, that of its point %v", p.name, j, at, e)
			}
		}
	}
	return nil
}
