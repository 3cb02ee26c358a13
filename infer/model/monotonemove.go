package model

import (
	"math"

	"glmbatch/infer/cggibbs"
	"glmbatch/infer/glm"
)

// stepsMove moves the monotonic effects of a predictor in one chain.
type stepsMove struct {
	c     []float64 // the steps of all effects
	eta   []float64 // at a look
	beta  []float64 // coefficients of the predictor
	delta []float64 // their change
	slice *cggibbs.Slicer
}

// newStepsMove returns the move, with the steps where a chain begins; nil if the predictor has none.
func (k *kernel) newStepsMove(p *predictor) *stepsMove {
	if len(p.mono) == 0 {
		return nil
	}
	cols := p.data.Cols()
	out := &stepsMove{c: make([]float64, p.steps), eta: make([]float64, len(k.rest)), beta: make([]float64, cols),
		delta: make([]float64, cols), slice: cggibbs.NewSlicer(k.Stream, &k.Looks)}
	out.slice.Stepping = true
	for _, m := range p.mono {
		m.begin(k.Stream, out.c[m.at:m.at+m.size()])
	}
	return out
}

// stepsOf returns the steps of predictor i; nil if it has none.
func (k *kernel) stepsOf(i int) []float64 {
	if k.steps[i] == nil {
		return nil
	}
	return k.steps[i].c
}

// logPriorOfSteps returns the log prior density of the steps of predictor i, without that of a coefficient of zeros.
func (k *kernel) logPriorOfSteps(i int) (sum float64) {
	p := k.predictors[i]
	for _, m := range p.mono {
		sum += m.logPrior(k.steps[i].c[m.at : m.at+m.size()])
	}
	if p.hidden > 0 {
		beta := make([]float64, 1)
		k.chains[i].Beta(beta)
		sum -= p.model.Coefficients[0].LogDensity(beta[0])
	}
	return sum
}

// moveSteps moves the monotonic effects of predictor i, which is under work, given all else. Cost: O(n·D) for each
// look, of which an effect with D steps takes about 4·D.
func (k *kernel) moveSteps(i int) bool {
	move := k.steps[i]
	if move == nil {
		return true
	}
	for _, m := range k.predictors[i].mono {
		for j := range m.size() {
			if !k.moveStep(i, move, m, j) {
				return k.FailAlong(m.Name)
			}
		}
	}
	return true
}

// moveStep moves an effect along a direction of the curvature, and the coefficients that lean with it.
func (k *kernel) moveStep(i int, move *stepsMove, m *monotone, j int) bool {
	own, d := k.chains[i], m.size()
	c, point := move.c[m.at:m.at+d], own.Point()
	u, at, to, direction := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	direction[j] = 1
	m.root.SolveUpper(direction)
	m.coordinates(c, u)
	own.Beta(move.beta)
	look := func(x float64) (float64, glm.Value) {
		for a, v := range direction {
			at[a] = math.FMA(x, v, u[a])
		}
		m.steps(at, to)
		copy(move.eta, point.Eta())
		for a, v := range to {
			k.rows.Kernels.Axpy(v-c[a], m.lean.whole[a], move.eta)
		}
		v := point.ValueAt(move.eta)
		return v.LogLik + m.logPriorAt(at) + k.leaning(move, m, c, to), v
	}
	current := point.Value().LogLik + m.logPriorAt(u) + k.leaning(move, m, c, c)
	before := k.Evaluations
	x, _, moved, ok := move.slice.Update(look, current, commonWidth, commonDoublings)
	k.Touched += (k.Evaluations - before) * int64(d*len(k.rest))
	if ok && moved {
		look(x)
		k.takeSteps(i, move, m, to)
	}
	return ok
}

// leaning returns the log prior density of what leans when the steps of an effect go from c to others.
func (k *kernel) leaning(move *stepsMove, m *monotone, c, to []float64) (sum float64) {
	clear(move.delta)
	shift := 0.0
	for a, v := range to {
		v -= c[a]
		for q, j := range m.lean.moved {
			move.delta[j] = math.FMA(v, m.lean.of[a][q], move.delta[j])
		}
		shift = math.FMA(v, m.lean.shift[a], shift)
	}
	for _, j := range m.lean.moved {
		sum += m.lean.priors[j].LogDensity(move.beta[j] + move.delta[j])
	}
	if k.cut != nil {
		for _, at := range k.cut.shifts {
			sum += k.cut.priors[at].LogDensity(k.cut.tau[at] + shift)
		}
	}
	return sum
}

// takeSteps moves to steps where the last look was.
func (k *kernel) takeSteps(i int, move *stepsMove, m *monotone, to []float64) {
	own, p := k.chains[i], k.predictors[i]
	c := move.c[m.at : m.at+len(to)]
	k.leaning(move, m, c, to)
	shift := 0.0
	clear(move.eta) // the change of eta by coefficients
	for a, v := range to {
		v -= c[a]
		shift = math.FMA(v, m.lean.shift[a], shift)
		k.rows.Kernels.Axpy(v, m.lean.whole[a], move.eta)
		k.rows.Kernels.Axpy(-v, m.columns[a], move.eta)
	}
	for i := range move.eta {
		move.eta[i] += shift
	}
	own.Point().TakeRest()
	own.Displace(move.delta, move.eta)
	copy(c, to)
	k.take(i)
	if shift != 0 {
		for _, at := range k.cut.shifts {
			k.cut.tau[at] += shift
		}
		k.takeCuts()
		k.lay(i)
		return
	}
	p.give(own.Point(), k.views[p.place], k.rest, move.c)
}
