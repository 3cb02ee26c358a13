package glm

import (
	"math"
	"slices"
	"strconv"

	"glmbatch/infer"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// scales are the scales of horseshoe priors and smooths at a point.
type scales struct {
	log       []float64 // of tau, c and lambda, in the order of theta
	spread    []float64 // per column: prior standard deviation given the scales
	logSpread []float64

	along  []float64 // X_G·beta_G of the group that Stretch named
	linear float64   // yᵀ·along
	group  int
}

func (t *Target) newScales() scales {
	if t.scaleGroups == nil {
		return scales{}
	}
	return scales{log: make([]float64, t.scaleCount), spread: make([]float64, t.Cols()),
		logSpread: make([]float64, t.Cols())}
}

// logUnit returns the log of the unit of tau0 at given dispersions.
func (t *Target) logUnit(d *dispersions) float64 {
	if t.model.TauBySigma() {
		return d.u[0]
	}
	return 0
}

// spread computes the spreads from the scales. Cost: O(d).
func (p *Point) spread() {
	for g := range p.t.scaleGroups {
		p.spreadGroup(g)
	}
}

func (p *Point) spreadGroup(g int) {
	h, s := &p.t.scaleGroups[g], &p.scale
	for i, j := range h.Columns {
		s.logSpread[j] = h.LogSpread(s.log[h.Tau], h.LogLambda(s.log, i), h.LogC(s.log), i)
		s.spread[j] = vec.Exp(s.logSpread[j])
	}
}

// Spread returns the prior standard deviation of coefficient j given the scales
// of its horseshoe prior.
func (p *Point) Spread(j int) float64 { return p.scale.spread[j] }

// LogScale returns the log of scale i; see prior.Group.
func (p *Point) LogScale(i int) float64 { return p.scale.log[i] }

// SetLogScale sets scale i, with the coefficients held. Cost: O(1) for lambda,
// O(columns of its prior) for tau and c.
func (p *Point) SetLogScale(i int, x float64) {
	p.scale.log[i] = x
	g, local := p.owner(i)
	if local < 0 {
		p.spreadGroup(g)
		return
	}
	h, s := &p.t.scaleGroups[g], &p.scale
	j := h.Columns[local]
	s.logSpread[j] = h.LogSpread(s.log[h.Tau], x, h.LogC(s.log), local)
	s.spread[j] = vec.Exp(s.logSpread[j])
}

// jacobianOf returns the log of the derivative of scale i of a group at x on the whole line.
func jacobianOf(h *prior.Group, i int, x float64) float64 {
	if i == h.Slab {
		return h.SlabJacobian(x)
	}
	return x
}

// seconds visits the groups with a second parameter.
func (t *Target) seconds(visit func(h *prior.Group)) {
	for g := range t.scaleGroups {
		if t.scaleGroups[g].Second != nil {
			visit(&t.scaleGroups[g])
		}
	}
}

// scaleValues writes the scales at their numbers on the whole line. The two may be one slice.
func (t *Target) scaleValues(logs, values []float64) {
	for i, l := range logs {
		values[i] = vec.Exp(l)
	}
	t.seconds(func(h *prior.Group) { values[h.Slab] = h.Second.Value(logs[h.Slab]) })
}

// scaleLogs is the inverse of scaleValues, into another slice.
func (t *Target) scaleLogs(values, logs []float64) {
	for i, x := range values {
		logs[i] = vec.Log(x)
	}
	t.seconds(func(h *prior.Group) { logs[h.Slab] = h.Second.At(values[h.Slab]) })
}

// owner returns the horseshoe of scale i, and where i is a lambda its place
// among the columns, otherwise −1.
func (p *Point) owner(i int) (g, local int) {
	for g, h := range p.t.scaleGroups {
		switch {
		case i == h.Tau || i == h.Slab:
			return g, -1
		case h.Local >= 0 && i >= h.Local && i < h.Local+len(h.Columns):
			return g, i - h.Local
		}
	}
	panic("glm: no such scale")
}

// LogTau0 returns the log of the scale of tau's prior: tau0, in units of sigma
// where Model.TauBySigma.
func (p *Point) LogTau0(g int) float64 {
	return vec.Log(p.t.scaleGroups[g].Prior.Scale) + p.t.logUnit(&p.disp)
}

// logScale returns the log prior density of tau (or c) at e^x, on its own scale.
func (p *Point) logScale(g int, slab bool, x float64) float64 {
	if slab {
		return p.t.scaleGroups[g].LogSlab(x)
	}
	return p.t.scaleGroups[g].LogTau(x, p.LogTau0(g))
}

// AlongScale returns, up to a constant, the log density of the log of scale i at
// x, given the coefficients and the other scales: its prior with the Jacobian,
// and the normal densities, normaliser included, of the coefficients whose
// spread it moves. Cost: O(1) for lambda, O(columns of its prior) for tau and c.
func (p *Point) AlongScale(i int, x float64) float64 {
	g, local := p.owner(i)
	h, logs := &p.t.scaleGroups[g], p.scale.log
	tau, c := logs[h.Tau], h.LogC(logs)
	if local >= 0 {
		sd := h.LogSpread(tau, x, c, local)
		return prior.LogNormal(p.beta[h.Columns[local]]/vec.Exp(sd), sd) + (prior.LogHalfCauchy(x, 0) + x)
	}
	if i == h.Tau {
		tau = x
	} else {
		c = x
	}
	sum := p.logScale(g, i == h.Slab, x) + jacobianOf(h, i, x)
	for k, j := range h.Columns {
		sd := h.LogSpread(tau, h.LogLambda(logs, k), c, k)
		sum += prior.LogNormal(p.beta[j]/vec.Exp(sd), sd)
	}
	return sum
}

// Stretch prepares AlongStretch for group g. Cost: O(n·columns).
func (p *Point) Stretch(g int) {
	s := &p.scale
	if s.along == nil {
		s.along = make([]float64, len(p.eta))
	}
	clear(s.along)
	s.linear, s.group = 0, g
	for _, j := range p.t.scaleGroups[g].Columns {
		p.t.data.X.Column(j).AddToBy(p.t.kernels, s.along, p.beta[j])
		s.linear = math.FMA(p.beta[j], p.t.xty[j], s.linear)
	}
}

// AlongStretch returns, up to a constant, the log posterior density where tau (c
// too, if there is one) and the coefficients of the prepared horseshoe are all
// multiplied by e^delta: in the non-centred form, where beta/spread is held,
// nothing but log tau and log c moves. It writes nothing. Cost: O(n).
func (p *Point) AlongStretch(delta float64) (float64, Value) {
	s := &p.scale
	prior := p.StretchPrior(s.group, delta)
	if math.IsInf(prior, -1) {
		return prior, Value{LogLik: prior}
	}
	factor := vec.Exp(delta) - 1
	v := Value{sum: p.t.sum(p.eta, s.along, factor, p.disp.at)}
	if p.t.form.Linear() {
		v.linear = math.FMA(factor, s.linear, p.value.linear)
	}
	v.LogLik = p.t.logLik(v.sum, v.linear, &p.disp)
	return v.LogLik + prior, v
}

// StretchPrior is the part of AlongStretch that belongs to the prior of tau and c
// of horseshoe g.
func (p *Point) StretchPrior(g int, delta float64) float64 {
	s, h := &p.scale, &p.t.scaleGroups[g]
	x := s.log[h.Tau] + delta
	sum := p.logScale(g, false, x) + x
	if h.Stretches() {
		x = s.log[h.Slab] + delta
		sum += p.logScale(g, true, x) + x
	}
	return sum
}

// MoveStretch makes the move of AlongStretch; v must be what that returned.
// Cost: O(n).
func (p *Point) MoveStretch(delta float64, v Value) {
	s := &p.scale
	h := &p.t.scaleGroups[s.group]
	s.log[h.Tau] += delta
	if h.Stretches() {
		s.log[h.Slab] += delta
	}
	p.spreadGroup(s.group)
	factor := vec.Exp(delta)
	for _, j := range h.Columns {
		p.beta[j] *= factor
	}
	p.t.kernels.Axpy(factor-1, s.along, p.eta)
	p.value = v
	p.moved()
}

// LogPriorAlong returns, up to a constant, the log prior density of coordinate j
// of (beta, log(dispersions − Lower)) at x given all other parameters; for a
// dispersion with its Jacobian. Cost: O(1).
func (p *Point) LogPriorAlong(j int, x float64) float64 {
	t := p.t
	if t.scaleGroups == nil {
		return t.LogPriorAlong(j, x)
	}
	if j < t.Cols() && t.scaleGroupOf[j] >= 0 {
		return prior.LogNormal(x/p.scale.spread[j], p.scale.logSpread[j])
	}
	sum := t.LogPriorAlong(j, x)
	if j == t.Cols() && t.free[0] == 0 && t.model.TauBySigma() { // sigma, the unit of tau0
		for _, h := range t.scaleGroups {
			if !h.Smooth {
				sum += prior.LogHalfCauchy(p.scale.log[h.Tau], vec.Log(h.Prior.Scale)+x)
			}
		}
	}
	return sum
}

// logScalePrior returns the log prior density of the scales, on their own
// scale, and of the coefficients given them. Cost: O(d).
func (p *Point) logScalePrior() float64 {
	s := &p.scale
	sum := 0.0
	for g, h := range p.t.scaleGroups {
		sum += p.logScale(g, false, s.log[h.Tau])
		if h.Slab >= 0 {
			sum += p.logScale(g, true, s.log[h.Slab])
		}
		for i, j := range h.Columns {
			if h.Smooth {
				sum += prior.LogNormal(p.beta[j]/s.spread[j], s.logSpread[j])
				continue
			}
			sum += prior.LogHalfCauchy(s.log[h.Local+i], 0) + prior.LogNormal(p.beta[j]/s.spread[j], s.logSpread[j])
		}
	}
	return sum
}

// logHorseshoePrior is logScalePrior at theta.
func (t *Target) logHorseshoePrior(theta []float64) float64 {
	p := Point{t: t, beta: theta[:t.Cols()], disp: t.newDispersions(), scale: t.newScales()}
	t.setTheta(&p.disp, theta[t.Cols():])
	t.scaleLogs(theta[t.scaleStart():], p.scale.log)
	p.spread()
	return p.logScalePrior()
}

// logScaleJacobian returns log |d theta/du| for u = beta/spread and the logs of
// scales.
func (p *Point) logScaleJacobian() float64 {
	sum := vec.Sum(p.scale.log)
	p.t.seconds(func(h *prior.Group) {
		x := p.scale.log[h.Slab]
		sum += h.SlabJacobian(x) - x
	})
	for _, h := range p.t.scaleGroups {
		for _, j := range h.Columns {
			sum += p.scale.logSpread[j]
		}
	}
	return sum
}

// scaleGradient turns the gradient in the coefficients of horseshoe priors into that in u = beta/spread, adds the
// term of sigma from the prior of tau, and writes the gradient in the logs of scales. Cost: O(d).
//
// For the slopes of log spread see prior.Group.SpreadSlopes.
func (p *Point) scaleGradient(grad []float64) {
	t, s := p.t, &p.scale
	at := grad[t.scaleStart():]
	for g, h := range t.scaleGroups {
		tau, c := s.log[h.Tau], h.LogC(s.log)
		sumTau, sumC := 0.0, 0.0
		for i, j := range h.Columns {
			lambda := h.LogLambda(s.log, i)
			inTau, inC := h.SpreadSlopes(tau, lambda, c, i)
			pull := float64(grad[j] * p.beta[j])
			grad[j] = math.FMA(grad[j], s.spread[j], -p.beta[j]/s.spread[j])
			if !h.Smooth {
				at[h.Local+i] = math.FMA(pull, inTau, prior.LocalSlope(lambda))
			}
			sumTau = math.FMA(pull, inTau, sumTau)
			sumC = math.FMA(pull, inC, sumC)
		}
		slope := h.TauSlope(tau, p.LogTau0(g))
		at[h.Tau] = sumTau + slope
		if t.model.TauBySigma() && !h.Smooth && len(t.free) > 0 && t.free[0] == 0 {
			grad[t.Cols()] -= slope
		}
		if h.Slab >= 0 {
			at[h.Slab] = sumC + h.SlabSlope(c)
		}
	}
}

// constrainScales writes the scales of theta, and the coefficients of horseshoe
// priors times their spreads.
func (t *Target) constrainScales(u, theta []float64) {
	logs := u[t.scaleStart():]
	for _, h := range t.scaleGroups {
		for i, j := range h.Columns {
			theta[j] = u[j] * vec.Exp(h.LogSpread(logs[h.Tau], h.LogLambda(logs, i), h.LogC(logs), i))
		}
	}
	t.scaleValues(logs, theta[t.scaleStart():])
}

// unconstrainScales is the inverse of constrainScales; u has the coefficients.
func (t *Target) unconstrainScales(theta, u []float64) {
	t.scaleLogs(theta[t.scaleStart():], u[t.scaleStart():])
	t.uncentre(u)
}

// drawScales draws the scales of horseshoe priors from their priors.
func (t *Target) drawScales(s prior.Source, u []float64, at *scales) {
	disp := t.newDispersions()
	t.setUnconstrained(&disp, u[t.Cols():])
	for _, h := range t.scaleGroups {
		if h.Smooth {
			at.log[h.Tau] = max(-minSD, vec.Log(h.Prior.Draw(s)))
			if h.Second != nil {
				at.log[h.Slab] = max(-minSD, h.Second.Draw(s))
			}
			continue
		}
		at.log[h.Tau] = vec.Log(variate.HalfCauchy(s)) + vec.Log(h.Prior.Scale) + t.logUnit(&disp)
		if h.Slab >= 0 {
			at.log[h.Slab] = vec.Log(h.Prior.DrawSlab(s))
		}
		for i := range h.Columns {
			at.log[h.Local+i] = vec.Log(variate.HalfCauchy(s))
		}
	}
}

// settleScales moves each lambda to where the coefficient may have been drawn
// from it, and brings u to the form that SetUnconstrained reads.
func (t *Target) settleScales(s prior.Source, u []float64, at *scales) {
	logs := u[t.scaleStart():]
	copy(logs, at.log)
	for _, h := range t.scaleGroups {
		if h.Smooth {
			continue
		}
		for i, j := range h.Columns {
			z := u[j] / vec.Exp(logs[h.Tau])
			logs[h.Local+i] = variate.LocalScale(s, logs[h.Local+i], float64(0.5*z*z))
		}
	}
	t.uncentre(u)
}

// penalisedScales sets each tau to the scale of its prior, c to slab_scale and
// lambda² to ½ + ½(beta/tau)², and brings u to the form that SetUnconstrained reads.
func (t *Target) penalisedScales(u []float64) {
	logs := u[t.scaleStart():]
	for _, h := range t.scaleGroups {
		if h.Smooth {
			if h.Second != nil {
				logs[h.Slab] = h.Second.Start()
			}
			logs[h.Tau] = prior.Inside(h.Prior, logSize(u, &h, logs))
			if h.Second != nil {
				pullIn(u, &h, logs)
			}
			continue
		}
		logs[h.Tau] = vec.Log(h.Prior.Scale) + t.logUnit(&t.pilot.disp)
		if h.Slab >= 0 {
			logs[h.Slab] = vec.Log(h.Prior.Slab)
		}
		for i, j := range h.Columns {
			z := u[j] / vec.Exp(logs[h.Tau])
			logs[h.Local+i] = 0.5 * vec.Log(math.FMA(0.5*z, z, 0.5))
		}
	}
	t.uncentre(u)
}

// uncentre divides the coefficients of horseshoe priors by their spreads.
func (t *Target) uncentre(u []float64) {
	logs := u[t.scaleStart():]
	for _, h := range t.scaleGroups {
		for i, j := range h.Columns {
			u[j] /= vec.Exp(h.LogSpread(logs[h.Tau], h.LogLambda(logs, i), h.LogC(logs), i))
		}
	}
}

// Horseshoes returns the horseshoe priors by their first column: one for each
// prior in each of Model.Groups.
func (m *Model) Horseshoes() []prior.Group { return prior.Groups(m.Coefficients, m.Groups) }

// TauBySigma reports whether the tau0 of horseshoe priors counts in units of
// sigma: where eta has the unit of the response and sigma is its noise.
func (m *Model) TauBySigma() bool {
	return m.Family.Located()
}

// Scales returns the number of scales of horseshoe priors and smooths, the last entries
// of theta.
func (t *Target) Scales() int { return t.scaleCount }

// Groups returns what Model.Horseshoes does, and then the smooths; it must not be changed.
func (t *Target) Groups() []prior.Group { return t.scaleGroups }

// layScales lays the scales out behind the dispersions.
func (t *Target) layScales() {
	t.scaleGroups = t.model.Horseshoes()
	t.addSmooths()
	for g, h := range t.scaleGroups {
		if t.scaleGroupOf == nil {
			t.scaleGroupOf = make([]int, t.Cols())
			for j := range t.scaleGroupOf {
				t.scaleGroupOf[j] = -1
			}
		}
		for _, j := range h.Columns {
			t.scaleGroupOf[j] = g
		}
	}
	for _, h := range t.scaleGroups {
		t.scaleCount = max(t.scaleCount, h.Last())
	}
}

// scaleStart is the place of the first scale in theta.
func (t *Target) scaleStart() int { return t.Cols() + len(t.free) }

// scaleParameters describes the scales: tau and c, from the second prior on with its number, lambda with the name
// of its coefficient. A coefficient's own name wins: the scale with the same name is called prior.tau.
func (t *Target) scaleParameters(coefficients []infer.Parameter) []infer.Parameter {
	out := make([]infer.Parameter, t.scaleCount)
	for g, h := range t.scaleGroups {
		if h.Smooth {
			out[h.Tau] = t.smoothSD(&h)
			if h.Second != nil {
				out[h.Slab] = t.smoothSecond(&h)
			}
			continue
		}
		name := func(s string) string {
			if g > 0 {
				s += strconv.Itoa(g + 1)
			}
			for slices.ContainsFunc(coefficients, func(p infer.Parameter) bool { return p.Name == s }) {
				s = "prior." + s
			}
			return s
		}
		out[h.Tau] = infer.Parameter{Name: name("tau"), Kind: infer.Scale}
		if h.Slab >= 0 {
			out[h.Slab] = infer.Parameter{Name: name("c"), Kind: infer.Scale}
		}
		for i, j := range h.Columns {
			out[h.Local+i] = infer.Parameter{Name: "lambda[" + coefficients[j].Name + "]", Kind: infer.LocalScale}
		}
	}
	return out
}
