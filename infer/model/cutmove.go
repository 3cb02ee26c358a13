package model

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/update"
)

// cutMove moves the thresholds of one chain.
type cutMove struct {
	*cuts
	slice       *cggibbs.Slicer
	tau         []float64
	z, at       []float64   // at the point, and at a look
	beta, moved []float64   // coefficients that the shear moves, and their change
	step        []float64   // that this makes in eta
	of          [][]float64 // predictors of a part of the rows: those before the thresholds, then these
	main        []float64   // the first predictor at a look
}

// cutRows is how many rows a look computes at a time.
const cutRows = 8 * family.ChunkRows

func newCutMove(c *cuts, predictors int, source *infer.Stream, looks *update.Looks) *cutMove {
	m := len(c.priors)
	out := &cutMove{cuts: c, slice: cggibbs.NewSlicer(source, looks), tau: make([]float64, m), z: make([]float64, m),
		at: make([]float64, m), of: make([][]float64, predictors), main: make([]float64, cutRows)}
	if c.shear.of != nil {
		d := len(c.shear.priors)
		out.beta, out.moved, out.step = make([]float64, d), make([]float64, d), make([]float64, len(c.shear.steps[0]))
	}
	out.slice.Stepping = true
	for k := range c.first {
		out.of[predictors-len(c.first)+k] = make([]float64, cutRows)
	}
	c.begin(source, out.tau)
	return out
}

// moveCuts moves the thresholds, and the coefficients that the shear moves along, given all else. Cost: O(n) for each
// look, of which a direction takes about four.
func (k *kernel) moveCuts() bool {
	c := k.cut
	m := len(c.tau)
	c.cuts.z(c.tau, c.z)
	if c.beta != nil {
		k.chains[0].Beta(c.beta)
	}
	tau := make([]float64, m)
	for j := range m {
		direction := c.direction(j)
		look := func(x float64) (float64, float64) {
			for i, d := range direction {
				c.at[i] = math.FMA(x, d, c.z[i])
			}
			if c.cuts.tau(c.at, tau); tau[m-1] > math.MaxFloat64 {
				return math.Inf(-1), 0
			}
			lik := k.likelihood(tau, j, x)
			return lik + c.logPrior(tau) + c.logJacobian(c.at) + c.priorAlong(j, x), lik
		}
		current := k.logLik + c.logPrior(c.tau) + c.logJacobian(c.z) + c.priorAlong(j, 0)
		x, _, moved, ok := c.slice.Update(func(x float64) (float64, glm.Value) {
			v, _ := look(x)
			return v, glm.Value{}
		}, current, commonWidth, commonDoublings)
		if !ok {
			return k.FailAlong(c.params[j].Name)
		}
		if !moved {
			continue
		}
		_, k.logLik = look(x)
		copy(c.z, c.at)
		copy(c.tau, tau)
		k.leanOver(j, x)
	}
	k.takeCuts()
	return true
}

// priorAlong returns the log prior density of the coefficients that move along direction j.
func (c *cutMove) priorAlong(j int, x float64) (sum float64) {
	if c.beta == nil {
		return 0
	}
	for _, i := range c.shear.columns {
		sum += c.shear.priors[i].LogDensity(math.FMA(x, c.shear.delta[j][i], c.beta[i]))
	}
	return sum
}

// leanOver moves the coefficients along direction j.
func (k *kernel) leanOver(j int, x float64) {
	c := k.cut
	if c.beta == nil {
		return
	}
	for i, d := range c.shear.delta[j] {
		c.moved[i] = float64(x * d)
		c.beta[i] += c.moved[i]
	}
	for i, d := range c.shear.steps[j] {
		c.step[i] = float64(x * d)
	}
	k.chains[0].Displace(c.moved, c.step)
	k.take(0)
}

// likelihood returns the log likelihood at thresholds, with the first predictor x along direction j of the shear.
func (k *kernel) likelihood(tau []float64, j int, x float64) float64 {
	c, before := k.cut, len(k.eta)-len(k.cut.first)
	for first := 0; first < len(k.rest); first += cutRows {
		last := min(first+cutRows, len(k.rest))
		for p := before; p < len(c.of); p++ {
			c.of[p] = c.of[p][:last-first]
		}
		c.write(tau, first, c.of[before:])
		for p := range before {
			c.of[p] = k.eta[p][first:last]
		}
		if c.beta != nil {
			c.of[0] = c.main[:copy(c.main, c.of[0])]
			k.rows.Kernels.Axpy(x, c.shear.steps[j][first:last], c.of[0])
		}
		k.several.LogLik(&k.rows, first, c.of, k.rest[first:last])
	}
	k.rows.CountRows(k.rest)
	return k.rows.Kernels.Sum(k.rest)
}

// takeCuts writes the thresholds as predictors.
func (k *kernel) takeCuts() {
	k.cut.write(k.cut.tau, 0, k.eta[len(k.eta)-len(k.cut.first):])
}

// carryCuts moves effects of levels of the first predictor, all of a grouping and all thresholds by the same number:
// the likelihood stays, and priors alone decide. Cost: O(n), without a look at the likelihood.
func (k *kernel) carryCuts() bool {
	c := k.cut
	if len(k.chains) == 0 || k.predictors[0].place > 0 {
		return true
	}
	delta, ok := k.predictors[0].Carry(k.chains[0], func(delta float64) (sum float64) {
		for _, at := range c.shifts {
			sum += c.priors[at].LogDensity(c.tau[at] + delta)
		}
		return sum
	})
	if !ok {
		return k.FailAlong(c.params[0].Name)
	}
	for _, at := range c.shifts {
		c.tau[at] += delta
	}
	k.take(0)
	k.takeCuts()
	return true
}
