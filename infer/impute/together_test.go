package impute

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/infertest"
)

// mostlyMissing are studies whose columns move together with their coefficients, by the distribution of v.
func mostlyMissing() map[string]study {
	return map[string]study{
		"two states":        {family: gaussian, mostly: true, unseen: true},
		"levels":            {family: bernoulli, levels: true, mostly: true},
		"levels, product":   {family: poisson, levels: true, code: product, mostly: true},
		"normal":            {family: gaussian, plain: true, mostly: true, unseen: true},
		"normal, bernoulli": {family: bernoulli, plain: true, code: square, mostly: true},
		"counts":            {family: gaussian, v: poisson, mostly: true, unseen: true},
		"counts, product":   {family: bernoulli, v: negative, code: product, mostly: true},
		"positive":          {family: gaussian, v: gamma, mostly: true},
		"shares":            {family: bernoulli, v: beta, mostly: true},
		"levels, offset":    {family: poisson, levels: true, mostly: true, unseen: true, offset: true},
		"levels, groups": {family: poisson, levels: true, mostly: true, unseen: true,
			groups: []grouped{{levels: 4, slope: true, every: 1}}},
		"counts, groups": {family: bernoulli, v: poisson, mostly: true, groups: []grouped{{levels: 4, every: 1}, {levels: 3, every: 2}}},
	}
}

// The moves of coefficients and cells together leave the posterior as it is, without the others. False alarms and power:
// those of TestInvariance.
func TestMovesTogetherAreInvariant(t *testing.T) {
	for name, s := range mostlyMissing() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.n = 10
			largest, limit := s.invariance(t, infertest.Scale(500, 5000), 20261126, func(k *kernel) error {
				for range 8 {
					k.moveFollowed()
					k.moveCounts()
					k.moveSummed()
					k.Iteration++
				}
				return nil
			})
			if !(largest < limit) {
				t.Errorf("distance %.4f, limit %.4f", largest, limit)
			} else {
				t.Logf("distance %.4f, limit %.4f", largest, limit)
			}
		})
	}
}

// joint returns the log density of everything at a position, up to a constant, from the definitions.
func (s *study) joint(t *truth, theta []float64) float64 {
	logLik, logPrior := s.density(t)(theta)
	pu, pv, pw, py := s.priors()
	at := len(py) + len(s.family.Dispersions())
	_, scales := s.readEffects(theta[at:], theta[len(theta)-s.count():])
	at += scales
	take := func(n int) []float64 { at += n; return theta[at-n : at] }
	a, su := take(len(pu)), take(1)[0]
	b := take(len(pv))
	sv := 1.0
	if len(s.vFamily().Dispersions()) > 0 {
		sv = take(1)[0]
	}
	d, sw := take(len(pw)), take(1)[0]
	u, v := slices.Clone(t.u), slices.Clone(t.v)
	for _, i := range t.missU {
		u[i] = take(1)[0]
	}
	for _, i := range t.missV {
		v[i] = s.stateV(take(len(s.numbers(0))))
	}
	normal := func(x, mean, sd float64) float64 { z := (x - mean) / sd; return -0.5*z*z - math.Log(sd) }
	total := logLik + logPrior
	for i, x := range t.x {
		total += normal(u[i], a[0]+a[1]*x, su) + s.vDensity(v[i], s.vEta(b, x, u[i]), sv) +
			normal(t.w[i], sum(d[0], d[1:], s.entries(v[i])), sw)
	}
	return total
}

// chainOf is a chain of a study after some iterations.
func (s *study) chainOf(t *testing.T, name string) (*truth, *kernel) {
	t.Helper()
	s.n = 12
	r := s.draw(infer.NewStream(31, "together", name))
	k := s.kernel(t, r, 7, name)
	must(t, k.SetPosition(s.theta(r)))
	return r, k
}

// The density with cells summed out is the sum of the joint one over their states, and its slope that of finite
// differences.
func TestSummedDensity(t *testing.T) {
	for name, s := range mostlyMissing() {
		r, k := s.chainOf(t, name)
		for _, c := range k.sums {
			c.arrive()
		}
		for _, c := range k.sums {
			if c.reads == 0 && c.own < 0 {
				continue
			}
			c.gatherOthers(len(k.sums))
			s.sumsAgree(t, r, k, c, func() float64 { return s.overStates(r, k) }, name)
		}
		for _, c := range k.sums {
			if c.follows && k.problem.Columns[c.column].whole() {
				w := k.newWindows(c)
				s.sumsAgree(t, r, k, w.summedChain, func() float64 { return s.overCounts(r, k) }, name+", counts")
			}
		}
	}
}

// sumsAgree compares the results of look at points near the chain's with sums of the joint density.
func (s *study) sumsAgree(t *testing.T, r *truth, k *kernel, c *summedChain, whole func() float64, name string) {
	t.Helper()
	from := c.coefficients(nil)
	at := func(j int, delta float64) (float64, []float64) {
		u := summedPoint{theta: slices.Clone(from)}
		if j >= 0 {
			u.theta[j] += delta
		}
		slope := make([]float64, len(from))
		if !c.look(&u, slope, nil) {
			t.Fatalf("%s: no density", name)
		}
		return u.total, slope
	}
	base, slope := at(-1, 0)
	want := whole()
	for j := range from {
		moved := slices.Clone(from)
		moved[j] += 0.3
		c.settle(moved)
		k.arriveAll()
		other := whole()
		c.settle(from)
		k.arriveAll()
		if got, _ := at(j, 0.3); math.Abs((got-base)-(other-want)) > 1e-7 {
			t.Errorf("%s, model %d, coefficient %d: the log density moves by %.9f, want %.9f", name, c.column, j, got-base,
				other-want)
		}
		up, _ := at(j, 1e-5)
		down, _ := at(j, -1e-5)
		if d := (up - down) / 2e-5; math.Abs(d-slope[j]) > 1e-5*(1+math.Abs(d)) {
			t.Errorf("%s, model %d, coefficient %d: slope %.7f, want %.7f", name, c.column, j, slope[j], d)
		}
	}
}

// overStates is the logarithm of the sum of the joint density over the states of the missing cells of v.
func (s *study) overStates(r *truth, k *kernel) float64 {
	states := []float64{0, 1}
	if s.levels {
		states = []float64{0, 1, 2}
	}
	return s.overRows(r, k, states)
}

// overCounts is that over counts.
func (s *study) overCounts(r *truth, k *kernel) float64 {
	var states []float64
	for x := 0.0; x < 150; x++ {
		states = append(states, x)
	}
	return s.overRows(r, k, states)
}

// overRows sums over states of each cell of v by itself, since rows are independent: Σ over rows of the logarithm of what
// the cell's states add, relative to the state that it has.
func (s *study) overRows(r *truth, k *kernel, states []float64) float64 {
	theta := make([]float64, len(k.params))
	k.Position(theta)
	per := len(s.numbers(0))
	first := len(theta) - s.count() - len(r.unseen) - per*len(r.missV)
	base := s.joint(r, theta)
	total := base
	for i := range r.missV {
		cell := theta[first+per*i : first+per*(i+1)]
		old := slices.Clone(cell)
		sum := 0.0
		for _, x := range states {
			copy(cell, s.numbers(x))
			sum += math.Exp(s.joint(r, theta) - base)
		}
		copy(cell, old)
		total += math.Log(sum)
	}
	return total
}

// Cells that are summed out are drawn from their distribution given all else, whose means are sums of the joint
// density. False alarms: below 1e-6, 6 standard errors of 20,000 independent draws. Power: 0.04 of a standard
// deviation.
func TestSummedCellsAreDrawn(t *testing.T) {
	for _, name := range []string{"two states", "levels, product", "counts", "counts, product", "levels, groups",
		"counts, groups", "levels, offset"} {
		s := mostlyMissing()[name]
		r, k := s.chainOf(t, name)
		states := []float64{0, 1}
		switch {
		case s.levels:
			states = []float64{0, 1, 2}
		case s.v.Name != "":
			states = nil
			for x := 0.0; x < 150; x++ {
				states = append(states, x)
			}
		}
		theta := make([]float64, len(k.params))
		k.Position(theta)
		means, sds := s.lawsOf(r, theta, states)
		draw := k.drawSummed
		for _, c := range k.sums {
			c.arrive()
			if c.follows && s.v.Name != "" && c.column == 1 {
				draw = k.newWindows(c).draw
			}
		}
		const draws = 20_000
		got := make([]float64, len(means))
		first := len(theta) - s.count() - len(r.unseen) - len(s.numbers(0))*len(r.missV)
		for range draws {
			draw()
			k.Position(theta)
			for i := range got {
				got[i] += s.stateV(theta[first+len(s.numbers(0))*i:]) / draws
			}
		}
		for i, m := range means {
			if se := sds[i] / math.Sqrt(draws); math.Abs(got[i]-m) > 6*se+1e-9 {
				t.Errorf("%s, cell %d: mean %.4f ± %.4f, want %.4f", name, i, got[i], se, m)
			}
		}
	}
}

// lawsOf are means and standard deviations of the missing cells of v given all else.
func (s *study) lawsOf(r *truth, theta, states []float64) (means, sds []float64) {
	theta = slices.Clone(theta)
	per := len(s.numbers(0))
	first := len(theta) - s.count() - len(r.unseen) - per*len(r.missV)
	for i := range r.missV {
		cell := theta[first+per*i : first+per*(i+1)]
		old := slices.Clone(cell)
		base := s.joint(r, theta)
		total, mean, second := 0.0, 0.0, 0.0
		for _, x := range states {
			copy(cell, s.numbers(x))
			w := math.Exp(s.joint(r, theta) - base)
			total, mean, second = total+w, mean+w*x, second+w*x*x
		}
		copy(cell, old)
		mean /= total
		means, sds = append(means, mean), append(sds, math.Sqrt(max(second/total-mean*mean, 0)))
	}
	return means, sds
}

// The ratio of a proposal which cells follow is that of the joint densities, times the Jacobian of the cells, over
// that of the distribution that proposals are reversible about.
func TestFollowedRatio(t *testing.T) {
	for _, name := range []string{"two states", "levels, product", "normal", "normal, bernoulli", "positive", "shares"} {
		s := mostlyMissing()[name]
		r, k := s.chainOf(t, name)
		tried := 0
		for _, c := range k.sums {
			for round := 0; c.follows && round < 3; round++ {
				k.Iteration++
				tried++
				from, to := make([]float64, len(k.params)), make([]float64, len(k.params))
				k.Position(from)
				before := normalAbout(c)
				f := c.propose(0.8)
				f.weighSeen()
				for i, q := range k.cells[c.column] {
					f.followRow(i, int(q))
				}
				f.accept()
				k.Position(to)
				copy(to[len(to)-len(r.unseen):], from[len(from)-len(r.unseen):])
				want := s.joint(r, to) - s.joint(r, from) + s.logJacobian(r, from, to) + before - normalAbout(c)
				if math.Abs(f.ratio-want) > 1e-7*(1+math.Abs(want)) {
					t.Errorf("%s, column %d: log ratio %.9f, want %.9f", name, c.column, f.ratio, want)
				}
			}
		}
		if tried == 0 {
			t.Errorf("%s: no cells follow", name)
		}
	}
}

// normalAbout is the log density, up to a constant, of the law about the first fit.
func normalAbout(c *summedChain) float64 {
	d := c.coefficients(nil)
	for j := range d {
		d[j] = (d[j] - c.centre[j]) / followSpread
	}
	c.factor.MulUpper(d)
	sum := 0.0
	for _, x := range d {
		sum -= 0.5 * x * x
	}
	if c.linear >= 0 {
		seen := c.k.problem.Rows - len(c.k.cells[c.column])
		z := (c.k.fits[c.linear].logSigma - math.Log(c.sigma)) / followSpread * math.Sqrt(2*float64(seen))
		sum -= 0.5 * z * z
	}
	return sum
}

// logJacobian is that of the map of numbers that follow, sigmas by their logarithms.
func (s *study) logJacobian(r *truth, from, to []float64) (total float64) {
	_, pv, _, py := s.priors()
	su := len(py) + len(s.family.Dispersions()) + 2
	sv := su + 1 + len(pv)
	logU := math.Log(to[su] / from[su])
	total = logU * float64(1+len(r.missU))
	cells := len(from) - len(r.unseen) - len(s.numbers(0))*len(r.missV)
	for i := range r.missV {
		x, y := from[cells+i], to[cells+i]
		switch {
		case s.plain:
			total += math.Log(to[sv] / from[sv])
		case s.v.Name == "gamma":
			total += math.Log(y / x)
		case s.v.Name == "beta":
			total += math.Log(y*(1-y)) - math.Log(x*(1-x))
		}
	}
	if s.plain {
		total += math.Log(to[sv] / from[sv])
	}
	return total
}

// A trajectory whose momentum is turned round at its end leads back, and the two ratios are each other's inverse.
func TestTrajectoriesAreReversible(t *testing.T) {
	for name, s := range mostlyMissing() {
		_, k := s.chainOf(t, name)
		for _, c := range k.sums {
			c.arrive()
		}
		for i, c := range k.sums {
			c.gatherOthers(len(k.sums))
			start := slices.Clone(c.here.theta)
			p := make([]float64, len(start))
			for j := range p {
				p[j] = 0.3 + 0.2*float64((i+j)%4)
			}
			before := slices.Clone(p)
			there, forth := c.trajectory(p, 0.4)
			if math.IsInf(forth, -1) || math.Abs(there.theta[0]-start[0]) < 1e-6 {
				t.Fatalf("%s, model %d: no trajectory", name, c.column)
			}
			c.here = *there
			for j := range p {
				p[j] = -p[j]
			}
			back, again := c.trajectory(p, 0.4)
			if math.Abs(forth+again) > 1e-8 {
				t.Errorf("%s, model %d: log ratios %.9f and %.9f", name, c.column, forth, again)
			}
			for j := range p {
				if math.Abs(back.theta[j]-start[j]) > 1e-8 || math.Abs(p[j]+before[j]) > 1e-8 {
					t.Errorf("%s, model %d, coefficient %d: back at %.9f, from %.9f", name, c.column, j, back.theta[j], start[j])
				}
			}
		}
	}
}
