package cggibbs

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/infer/update"
	"glmbatch/internal/vec"
)

// SmoothsVersion names the moves of models with smooths.
const SmoothsVersion = "smooths/1"

// smoothSetup samples models with smooths. With a quadratic form instead of the likelihood, the distribution of the
// smooths' standard deviations with all coefficients integrated out is known, and that of the coefficients given
// them is normal. So an iteration moves each standard deviation by a slice under the first, draws all coefficients
// from the second, and accepts both at once by the ratio of what the form leaves out. For gaussian(identity) it
// leaves out nothing.
//
// The form has slope and information of the likelihood at the mode of the coefficients given the standard deviations
// that are the most likely ones there; it is fixed for all chains. Since it may lie below the posterior somewhere,
// whence a chain would be long in leaving, sweeps of the coordinate sampler come between, in iterations that their
// number alone decides.
//
// Source: Rue (2001), Fast sampling of Gaussian Markov random fields, doi:10.1111/1467-9868.00288, section 3, of
// drawing scales and field at once; Liu (2001), Monte Carlo Strategies in Scientific Computing, section 9.4.3, of
// accepting moves under a surrogate.
type smoothSetup struct {
	*setup
	form       *quadratic
	disp       float64 // the first dispersion that the form belongs to
	smooths    []prior.Group
	horseshoes []int // places among the groups of horseshoes
	others     []int // coefficients whose priors are not normal given scales
	smoothMode
	every    int64   // iterations from one sweep to the next; 0 for none
	accepted float64 // in the pilot
	why      string
}

// smoothMode is the point that the form is expanded at.
type smoothMode struct {
	start     *normals // given scales
	scales    []smoothScales
	mode, eta []float64 // coefficients and linear predictor
}

// maxJoint is the largest number of coefficients that are drawn at once; of fewer than sweptFirst iterations each
// has a sweep.
const maxJoint, sweptFirst = 512, 8

// Proposals of the pilot, and how many iterations it leaves between sweeps: the last number of those whose share of
// accepted proposals it has reached.
const smoothPilot = 32

var smoothSweeps = []struct {
	accepted float64
	every    int64
}{{0, 1}, {0.25, 4}, {0.6, 16}, {0.9, 64}}

// smooth reports whether a target has standard deviations of smooths among its parameters.
func smooth(t *glm.Target) bool {
	groups := t.Groups()
	return len(groups) > 0 && groups[len(groups)-1].Smooth
}

// newSmooths returns the sampler of a model with smooths that auto takes.
func newSmooths(target *glm.Target, opts Options) (infer.Setup, error) {
	target, condensed := target.Condensed()
	if condensed != "" {
		condensed = "; " + condensed
	}
	opts.Basis, opts.Joint, opts.Update = "coordinate", "off", ""
	plain := newSetup(target, opts)
	why := ""
	switch {
	case target.Cols() > maxJoint:
		why = fmt.Sprintf("%d coefficients, more than %d, cannot be drawn at once", target.Cols(), maxJoint)
	case opts.Uncached:
		why = "no moves but those of the plain sampler were asked for"
	}
	if why != "" {
		plain.words = "coordinate: " + why + condensed
		return plain, nil
	}
	s := approximate(plain)
	if s == nil {
		plain.words = "coordinate: no mode was found to draw all coefficients around" + condensed
		return plain, nil
	}
	s.why = condensed
	if !s.exact() {
		s.pilot()
	}
	if !target.LogConcave() {
		c := countsOf(target)
		d := float64(c.d)
		s.every = min(s.every, c.plainEvery(target, float64(product*(float64(2*c.entries)+d*d*d/3))))
	}
	return s, nil
}

// previewSmooths is Auto of a target with smooths.
func previewSmooths(target *glm.Target, opts Options) (basis, reason string) {
	opts, err := opts.filled()
	if err != nil {
		return "coordinate", err.Error()
	}
	s, _ := newSmooths(target.Vectorised(), opts)
	if _, ok := s.(*smoothSetup); ok {
		basis = "smooths"
	} else {
		basis = "coordinate"
	}
	return basis, s.(infer.Explainer).Explain()
}

// approximate finds the mode and the form there; nil if there is none.
func approximate(plain *setup) *smoothSetup {
	s := &smoothSetup{setup: plain}
	for g, h := range plain.target.Groups() {
		if h.Smooth {
			s.smooths = append(s.smooths, h)
		} else {
			s.horseshoes = append(s.horseshoes, g)
		}
	}
	if !s.settle() {
		return nil
	}
	return s
}

// exact reports whether the form leaves nothing out.
func (s *smoothSetup) exact() bool { return s.target.ClosedGaussian() && len(s.others) == 0 }

// scale is the factor of the form at a dispersion, if the information of all rows is proportional to a power of it.
func (s *smoothSetup) scale(disp []float64) float64 {
	switch s.target.Model().Family.First().Power {
	case -2:
		ratio := s.disp / disp[0]
		return float64(ratio * ratio)
	case 1:
		return disp[0] / s.disp
	}
	return 1
}

// lay writes the normal priors of coefficients given the scales of groups. Other ones, whose places it returns, get a
// normal prior of twice their scale.
func (p *normals) lay(priors []prior.Prior, spread func(j int) float64) (others []int) {
	for j, law := range priors {
		p.centre[j] = law.Location
		switch {
		case law.Kind == prior.Flat:
		case law.Kind.Shrinks():
			p.precision[j] = 1 / spread(j) / spread(j)
		case law.Kind == prior.Normal:
			p.precision[j] = 1 / law.Scale / law.Scale
		case law.Kind == prior.Uniform:
			width := law.High - law.Low
			p.precision[j], p.centre[j] = 12/width/width, 0.5*(law.High+law.Low)
			others = append(others, j)
		default:
			p.precision[j] = 0.25 / law.Scale / law.Scale
			others = append(others, j)
		}
	}
	return others
}

// Newton's steps to the mode: at most maxSteps, each halved at most maxHalvings times; they end where one gains less
// than enoughGain in log density.
const maxSteps, maxHalvings, enoughGain = 30, 20, 1e-3

// settle finds the mode and expands the likelihood there. It reports false if it finds none.
func (s *smoothSetup) settle() bool {
	t := s.target
	point, d := glm.NewPoint(t), t.Cols()
	point.SetUnconstrained(t.Penalised())
	disp := point.Dispersions()
	if len(disp) > 0 {
		s.disp = disp[0]
	}
	s.start, s.mode, s.scales = newNormals(d), make([]float64, d), make([]smoothScales, len(s.smooths))
	for i, h := range s.smooths {
		s.scales[i] = scalesAt(point, &h)
	}
	s.others = s.start.lay(t.Model().Coefficients, point.Spread)
	for j := range s.mode {
		s.mode[j] = point.Beta(j)
	}
	eta, next := append([]float64(nil), point.Eta()...), make([]float64, t.Rows())
	for step := range maxSteps {
		s.form, s.eta = expand(t, s.mode, eta, disp), eta
		for i := range s.smooths {
			h := &s.smooths[i]
			if m := s.form.marginal(h, s.start, 1); m != nil {
				s.scales[i] = m.peak(s.scales[i])
				s.start.spreadBy(h, s.scales[i])
			}
		}
		factor, to := s.form.conditional(s.start, 1)
		if factor == nil {
			return false
		}
		value := point.ValueAt(eta).LogLik + s.start.logDensity(s.mode)
		from, gain := s.mode, 0.0
		for halvings := 0; ; halvings++ {
			gain = s.lookAt(point, to, next) - value
			if gain >= 0 || halvings == maxHalvings {
				break
			}
			for j := range to {
				to[j] = 0.5 * (to[j] + from[j])
			}
		}
		if !(gain >= 0) {
			return step > 0
		}
		s.mode, eta, next = to, next, eta
		if gain < enoughGain && step >= 3 {
			break
		}
	}
	s.form, s.eta = expand(t, s.mode, eta, disp), eta
	return true
}

// lookAt writes the linear predictor at b to eta and returns the log density there, without the terms of the
// smooths' standard deviations.
func (s *smoothSetup) lookAt(point *glm.Point, b, eta []float64) float64 {
	s.predict(b, eta)
	return point.ValueAt(eta).LogLik + s.start.logDensity(b)
}

// predict writes offset + X·b to eta.
func (s *setup) predict(b, eta []float64) {
	clear(eta)
	copy(eta, s.target.Data().Offset)
	s.target.Data().X.AddProduct(kernels, b, eta)
}

// logDensity returns −½ Σ precision·(b − centre)².
func (p *normals) logDensity(b []float64) float64 {
	sum := 0.0
	for j, x := range b {
		e := x - p.centre[j]
		sum = math.FMA(float64(p.precision[j]*e), e, sum)
	}
	return float64(-0.5 * sum)
}

// pilot counts accepted proposals of a chain from the mode, and so chooses how often there are sweeps.
func (s *smoothSetup) pilot() {
	k := s.wrap(s.fresh(infer.NewStream(0, "cggibbs", "smooths"), s.setup.scan))
	u := s.target.Penalised()
	copy(u, s.mode)
	for i, h := range s.smooths {
		u[s.swept+h.Tau] = -0.5 * vec.Log(s.start.precision[h.Columns[0]])
		if h.Second != nil {
			u[s.swept+h.Tau], u[s.swept+h.Slab] = s.scales[i].sd, s.scales[i].length
		}
	}
	k.point.SetCentred(u)
	for range smoothPilot {
		k.moveSmooths()
	}
	s.accepted = k.Info().Accept
	for _, c := range smoothSweeps {
		if s.accepted >= c.accepted {
			s.every = c.every
		}
	}
}

// Explain says how smooths are sampled.
func (s *smoothSetup) Explain() string {
	words := fmt.Sprintf("smooths: %d coefficients drawn at once with the standard deviations of %d smooths, these given "+
		"the data alone", s.target.Cols(), len(s.smooths))
	if !s.exact() {
		words += fmt.Sprintf(", by a normal approximation of which a pilot accepted %.2f, with a sweep over "+
			"coefficients in %s", s.accepted, everyOf("iteration", int(s.every)))
	}
	return words + s.why
}

// Kernel returns one chain at its dispersed start.
func (s *smoothSetup) Kernel(c infer.Chain) (infer.Kernel, error) {
	k, err := s.setup.Kernel(c)
	if err != nil {
		return nil, err
	}
	return s.wrap(k.(*kernel)), nil
}

// wrap lets a chain of the coordinate sampler move smooths.
func (s *smoothSetup) wrap(k *kernel) *smoothKernel {
	d := s.target.Cols()
	out := &smoothKernel{kernel: k, smooth: s, priors: newNormals(d), beta: make([]float64, d),
		eta: make([]float64, s.target.Rows()), logs: make([]smoothScales, len(s.smooths))}
	k.Updates = update.Schedule{First: update.Moves{k.refreshWhenDue}, Each: update.Moves{out.moveSmooths, out.moveRest},
		Last: update.Moves{k.settle}}
	return out
}

// smoothKernel is one chain: the coordinate sampler's with another way to move coefficients and the standard
// deviations of smooths, and its state. An iteration moves these at once, then dispersions and the scales of
// horseshoes; in some iterations a sweep of the coordinate sampler follows. Cost: O(n·d + d³) besides sweeps.
type smoothKernel struct {
	*kernel
	smooth *smoothSetup

	priors    *normals
	beta, eta []float64 // coefficients; a proposal's linear predictor
	logs      []smoothScales
}

// moveRest moves what smooths leave: everything in a sweep when it is due, else dispersions and the scales of
// horseshoes.
func (k *smoothKernel) moveRest() bool {
	from, s := k.target.Cols(), k.smooth
	early := k.Iteration < sweptFirst && !glm.Tall(len(k.eta))
	swept := s.every > 0 && (early || k.Iteration%s.every == 0)
	if swept {
		from = 0
	}
	if !k.sweepAll(from) {
		return false
	}
	if swept {
		return k.moveScales()
	}
	for _, g := range s.horseshoes {
		for _, move := range k.blocks[g] {
			if !move(k.kernel, g) {
				return false
			}
		}
	}
	return true
}

// moveSmooths moves the standard deviations of smooths in turn, from the first or from the last on by the toss of a
// coin, so that the move is its own reverse; then it draws the coefficients, and accepts all or nothing.
func (k *smoothKernel) moveSmooths() bool {
	s := k.smooth
	scale := s.scale(k.point.Dispersions())
	k.lay()
	before := k.beyond(k.beta, k.point.Value().LogLik, scale)
	backward := k.Stream.Float64() < 0.5
	for i := range s.smooths {
		if backward {
			i = len(s.smooths) - 1 - i
		}
		if !k.moveSD(i, scale) {
			return false
		}
	}
	b := s.form.draw(k.Stream, k.priors, scale)
	threshold := logUniform(k.Stream)
	if b == nil {
		k.Tally(0)
		return true
	}
	s.predict(b, k.eta)
	v := k.point.ValueAt(k.eta)
	k.Touched += k.entries() + int64(k.target.Rows())
	ratio := 0.0
	if !s.exact() {
		ratio = k.beyond(b, v.LogLik, scale) - before
	}
	if math.IsNaN(ratio) {
		k.coord = 0
		return k.Fail("", v.LogLik)
	}
	k.Tally(vec.Exp(min(0, ratio)))
	if threshold < ratio || s.exact() {
		k.point.SetCoefficients(b)
		k.point.MoveTo(k.eta, v)
		for i, h := range s.smooths {
			setScales(k.point, &h, k.logs[i])
		}
	}
	return true
}

// lay reads the point: coefficients, logs of standard deviations, and priors.
func (k *smoothKernel) lay() {
	s := k.smooth
	for j := range k.beta {
		k.beta[j] = k.point.Beta(j)
	}
	copy(k.priors.centre, s.start.centre)
	copy(k.priors.precision, s.start.precision)
	groups := k.target.Groups()
	for _, g := range s.horseshoes {
		for _, j := range groups[g].Columns {
			k.priors.spread([]int{j}, vec.Log(k.point.Spread(j)))
		}
	}
	for i, h := range s.smooths {
		k.logs[i] = scalesAt(k.point, &h)
		k.priors.spreadBy(&h, k.logs[i])
	}
}

// setScales moves the scales of a smooth, with the coefficients held.
func setScales(p *glm.Point, h *prior.Group, to smoothScales) {
	p.SetLogScale(h.Tau, to.sd)
	if h.Second != nil {
		p.SetLogScale(h.Slab, to.length)
	}
}

// scalesAt returns the logs of the scales of a smooth.
func scalesAt(p *glm.Point, h *prior.Group) smoothScales {
	at := smoothScales{sd: p.LogScale(h.Tau)}
	if h.Second != nil {
		at.length = p.LogScale(h.Slab)
	}
	return at
}

// beyond returns the part of the log posterior at b that form and normal priors leave out.
func (k *smoothKernel) beyond(b []float64, logLik, scale float64) float64 {
	s := k.smooth
	sum := logLik - s.form.value(b, scale)
	for _, j := range s.others {
		e := b[j] - k.priors.centre[j]
		sum = math.FMA(float64(0.5*k.priors.precision[j]*e), e, sum+k.target.LogPriorAlong(j, b[j]))
	}
	return sum
}

// moveSD moves the standard deviation of smooth i by a slice of its log under the form, with all coefficients
// integrated out.
func (k *smoothKernel) moveSD(i int, scale float64) bool {
	h := &k.smooth.smooths[i]
	m := k.smooth.form.marginal(h, k.priors, scale)
	if m == nil {
		return true
	}
	k.coord = k.swept + h.Tau
	to, ok := m.move(&k.slice, k.logs[i])
	if ok {
		k.logs[i] = to
		k.priors.spreadBy(h, to)
	}
	return ok
}
