package impute

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

func normal(x, mean, sd float64) float64 { z := (x - mean) / sd; return -0.5*z*z - math.Log(sd) }

// measuredDensity is the log density of the measurement of row i, if there is one.
func (s *study) measuredDensity(t *truth, i int, u, v float64) float64 {
	switch {
	case s.noisy:
		return normal(t.measured[i], u, t.noise[i])
	case s.noisyV:
		return normal(t.measured[i], v, t.noise[i])
	}
	return 0
}

// exactCells returns the means of u, u², v and u·v of the missing cells of a row given the parameters and offset,
// the rest of the linear predictor, by sums over a grid of 0.04 of u, and of v if it is not a state; and the row's
// density in units of the grid.
func (s *study) exactCells(t *truth, i int, beside float64) (u, squares, v, uv, total float64) {
	grid := func(miss bool, at float64) (out []float64) {
		if !miss {
			return []float64{at}
		}
		for x := -6.0; x <= 6; x += 0.04 {
			out = append(out, x)
		}
		return out
	}
	count := func() (out []float64) {
		for x := 0.0; x < 60; x++ {
			out = append(out, x)
		}
		return out
	}
	missU, missV := slices.Contains(t.missU, i), slices.Contains(t.missV, i)
	us, vs := grid(missU, t.u[i]), grid(missV, t.v[i])
	positive := s.v.Name == "gamma"
	switch {
	case !missV || s.plain:
	case positive: // by its logarithm
		for j, x := range vs {
			vs[j] = math.Exp(x)
		}
	case s.v.Name != "":
		vs = count()
	case s.levels:
		vs = []float64{0, 1, 2}
	default:
		vs = []float64{0, 1}
	}
	rows, err := glm.NewPointwise(s.family, &glm.Data{X: design.NewDense(1, 1), Y: t.y[i : i+1]})
	if err != nil {
		panic(err)
	}
	for _, a := range us {
		for _, b := range vs {
			l := normal(a, t.a[0]+t.a[1]*t.x[i], t.su)
			l += s.measuredDensity(t, i, a, b)
			l += s.vDensity(b, s.vEta(t.b, t.x[i], a), t.sv)
			if positive && missV {
				l += math.Log(b)
			}
			l += normal(t.w[i], sum(t.d[0], t.d[1:], s.entries(b)), t.sw)
			if !slices.Contains(t.unseen, i) {
				e := []float64{sum(t.c[0]+t.c[1]*t.x[i]+t.c[2]*a, t.c[3:], s.entries(b))}
				if s.code != nil {
					e[0] += t.c[len(t.c)-1] * s.code([]float64{a, b})
				}
				e[0] += beside
				rows.LogLik(0, e, []float64{t.disp}, e)
				l += e[0]
			}
			w := math.Exp(l)
			total, u, squares, v, uv = total+w, u+w*a, squares+w*a*a, v+w*b, uv+w*a*b
		}
	}
	return u / total, squares / total, v / total, uv / total, total
}

// cells are the moments of missing cells at a position.
func (s *study) cells(t *truth, theta []float64) (out []float64) {
	per := len(s.numbers(0))
	at := len(theta) - len(t.missU) - per*len(t.missV) - len(t.unseen) - s.count()
	for j, i := range t.missU {
		u := theta[at+j]
		v := t.v[i]
		if q := slices.Index(t.missV, i); q >= 0 {
			v = s.stateV(theta[at+len(t.missU)+per*q:])
		}
		out = append(out, u, u*u, u*v)
	}
	for q := range t.missV {
		out = append(out, s.stateV(theta[at+len(t.missU)+per*q:]))
	}
	return out
}

// exact are the means of cells.
func (s *study) exact(t *truth) (want []float64) {
	for _, i := range t.missU {
		u, squares, _, uv, _ := s.exactCells(t, i, 0)
		want = append(want, u, squares, uv)
	}
	for _, i := range t.missV {
		_, _, v, _, _ := s.exactCells(t, i, 0)
		want = append(want, v)
	}
	return want
}

// Given the parameters, which priors fix, the cells of a row have a distribution of their own, whose moments are
// sums over a grid. False alarms: below 1e-6 a case: 6 standard errors of 40 means of batches. Power: 6,400
// iterations put these errors at some 0.02 of a standard deviation.
func TestCellsAgainstEnumeration(t *testing.T) {
	for name, s := range map[string]study{
		"gaussian": {family: gaussian}, "gaussian, both normal": {family: gaussian, plain: true, unseen: true},
		"gaussian, cells take turns": {family: gaussian, plain: true, turns: true},
		"bernoulli":                  {family: bernoulli, unseen: true}, "bernoulli, both normal": {family: bernoulli, plain: true},
		"poisson": {family: poisson}, "poisson, both normal": {family: poisson, plain: true}, "gamma": {family: gamma},
		"gaussian, product": {family: gaussian, code: product},
		"bernoulli, square": {family: bernoulli, plain: true, code: square},
		"gaussian, levels":  {family: gaussian, levels: true, unseen: true}, "bernoulli, levels": {family: bernoulli, levels: true},
		"poisson, levels, product": {family: poisson, levels: true, code: product},
		"gaussian, single levels":  {family: gaussian, levels: true, single: true},
		"bernoulli, single levels": {family: bernoulli, levels: true, code: product, single: true},
		"gaussian, single states":  {family: gaussian, single: true},
		"gaussian, counts":         {family: gaussian, v: poisson}, "bernoulli, counts": {family: bernoulli, v: negative},
		"poisson, positive": {family: poisson, v: gamma, unseen: true}, "gaussian, positive, product": {family: gaussian,
			v: gamma, code: product},
		"gaussian, measured":        {family: gaussian, noisy: true, unseen: true},
		"gaussian, measured, both":  {family: gaussian, noisy: true, plain: true, mostly: true},
		"bernoulli, measured":       {family: bernoulli, noisy: true, levels: true},
		"poisson, measured, square": {family: poisson, noisy: true, code: square},
		"gaussian, v measured":      {family: gaussian, noisyV: true, plain: true, mostly: true},
		"gamma, measured":           {family: gamma, noisy: true, v: poisson},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.n, s.tight = 20, true
			r := s.draw(infer.NewStream(5, "cells", name))
			r.disp = 0.8
			k := s.kernel(t, r, 6, name)
			s.compare(t, k, s.exact(r), func(theta []float64) []float64 { return s.cells(r, theta) })
		})
	}
}

// After each iteration the cached linear predictors, the design and its products with the responses are what the cells
// give.
func TestCachesAreThoseOfTheCells(t *testing.T) {
	for name, s := range map[string]study{
		"bernoulli": {family: bernoulli, code: product, n: 40, unseen: true}, "poisson": {family: poisson, n: 40},
		"gaussian": {family: gaussian, plain: true, n: 40},
		"gaussian, groups": {family: gaussian, n: 40, unseen: true,
			groups: []grouped{{levels: 5, slope: true, every: 1}, {levels: 9, every: 5}}},
		"bernoulli, groups": {family: bernoulli, n: 40, groups: []grouped{{levels: 5, slope: true, every: 1}}},
	} {
		r := s.draw(infer.NewStream(8, "caches", name))
		k := s.kernel(t, r, 9, name)
		for range 60 {
			if _, err := k.Step(); err != nil {
				t.Fatal(err)
			}
			for _, reader := range k.readers {
				x, point := reader.x, reader.chain.Point()
				if err := point.Check(); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				eta := make([]float64, x.Rows)
				for j := range x.Cols {
					x.Column(j).AddTo(eta, point.Beta(j))
				}
				if reader.own < 0 {
					theta := make([]float64, len(k.params))
					k.Position(theta)
					effects, _ := s.readEffects(theta, theta[len(theta)-s.count():])
					for q, i := range k.problem.Of {
						eta[q] += s.offsetOf(effects, i, r.x[i])
					}
				}
				for i, e := range point.Eta() {
					if math.Abs(e-eta[i]) > 1e-9 {
						t.Fatalf("%s: eta of row %d is %v, its entries give %v", name, i, e, eta[i])
					}
				}
				for j := range x.Cols {
					if a, b := point.Along(j, 0.3).LogLik, point.AlongUncached(j, 0.3).LogLik; math.Abs(a-b) > 1e-8 {
						t.Fatalf("%s: log likelihood along %d is %v, without a cache %v", name, j, a, b)
					}
				}
				for q := range k.rows {
					k.statesOf(q)
					if i := reader.of[q]; i >= 0 && reader.own < 0 {
						if a := x.Col(2)[i]; math.Abs(a-k.states[0]) > 1e-12 {
							t.Fatalf("%s: entry %v of a cell %v", name, a, k.states[0])
						}
					}
				}
			}
		}
	}
}

// density returns log likelihood and log prior of a position from the definitions.
func (s *study) density(t *truth) func(theta []float64) (logLik, logPrior float64) {
	return func(theta []float64) (logLik, logPrior float64) {
		pu, pv, pw, py := s.priors()
		at := 0
		add := func(ps []prior.Prior) (out []float64) {
			for _, p := range ps {
				logPrior += p.LogDensity(theta[at])
				out = append(out, theta[at])
				at++
			}
			return out
		}
		c := add(py)
		disp := []float64{1}
		if len(s.family.Dispersions()) > 0 {
			disp = add([]prior.Prior{s.sigma()})
		}
		effects, heads := s.readEffects(theta[at:], theta[len(theta)-s.count():])
		at += heads
		logPrior += s.logEffects(effects)
		add(append(pu, s.sigma()))
		add(pv)
		if len(s.vFamily().Dispersions()) > 0 {
			add([]prior.Prior{s.sigma()})
		}
		add(append(pw, s.sigma()))
		u, v := slices.Clone(t.u), slices.Clone(t.v)
		for _, i := range t.missU {
			u[i] = theta[at]
			at++
		}
		for _, i := range t.missV {
			v[i] = s.stateV(theta[at:])
			at += len(s.numbers(0))
		}
		for i := range t.x {
			if slices.Contains(t.unseen, i) {
				continue
			}
			e := []float64{sum(c[0]+c[1]*t.x[i]+c[2]*u[i], c[3:], s.entries(v[i]))}
			if s.code != nil {
				e[0] += c[len(c)-1] * s.code([]float64{u[i], v[i]})
			}
			e[0] += s.offsetOf(effects, i, t.x[i])
			rows, _ := glm.NewPointwise(s.family, &glm.Data{X: design.NewDense(1, 1), Y: t.y[i : i+1]})
			rows.LogLik(0, e, disp, e)
			logLik += e[0]
		}
		return logLik, logPrior
	}
}

func TestConformance(t *testing.T) {
	for name, s := range map[string]study{
		"bernoulli": {family: bernoulli, code: product, n: 9, unseen: true},
		"gaussian":  {family: gaussian, plain: true, n: 9},
		"levels":    {family: bernoulli, levels: true, n: 9, code: product}, "counts": {family: gaussian, v: negative, n: 9, code: product},
		"groups": {family: bernoulli, n: 12, code: product, unseen: true,
			groups: []grouped{{levels: 4, slope: true, every: 1}, {levels: 3, every: 4}}},
		"nested": {family: gaussian, n: 12, code: product, groups: []grouped{{levels: 3, every: 4}, {levels: 7, every: 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := s.draw(infer.NewStream(15, "conformance", name))
			setup, err := New(s.problem(r), nil)
			must(t, err)
			s2 := s
			s2.code = nil
			other, err := New(s2.problem(r), nil)
			must(t, err)
			infertest.Conforms(t, setup, infertest.Posterior{Parameters: setup.Parameters(), LogDensity: s.density(r),
				Other: func() ([]byte, error) {
					if s.code == nil {
						other, _ = New((&study{family: gaussian, plain: true, n: 9, code: square}).problem(r), nil)
					}
					k, err := other.Kernel(infer.Chain{Count: 3, Index: 2, Stream: infer.NewStream(1, "other")})
					if err != nil {
						return nil, err
					}
					return k.MarshalBinary()
				}})
		})
	}
}

// With its coefficients fixed, the sigma of a column's model has a law whose moments are sums over a grid. False
// alarms: below 1e-8: 6 standard errors. Power: 0.01 of log sigma, where one row more or less moves it by 0.03.
func TestSigmaOfAColumn(t *testing.T) {
	s := study{family: gaussian, plain: true, n: 16}
	r := s.draw(infer.NewStream(3, "sigma"))
	r.missU, r.missV = nil, nil
	p := s.problem(r)
	for j := range p.Columns[0].Model.Coefficients {
		p.Columns[0].Model.Coefficients[j].Scale = 1e-7
	}
	law := p.Columns[0].Model.Coefficients
	setup, err := New(p, nil)
	must(t, err)
	made, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(4, "sigma")})
	must(t, err)
	k := made.(*kernel)
	total, want := 0.0, 0.0
	for x := -4.0; x < 4; x += 0.001 {
		l := s.sigma().LogDensity(math.Exp(x)) + x
		for i, u := range r.u {
			z := (u - law[0].Location - law[1].Location*r.x[i]) / math.Exp(x)
			l -= 0.5*z*z + x
		}
		total, want = total+math.Exp(l), want+math.Exp(l)*x
	}
	want /= total
	const draws = 40_000
	mean, second := 0.0, 0.0
	for range draws {
		if !k.drawModels() {
			t.Fatal("a log density was not finite")
		}
		x := k.fits[0].logSigma
		mean, second = mean+x/draws, second+x*x/draws
	}
	se := 2 * math.Sqrt((second-mean*mean)/draws) // slices repeat themselves a little
	if math.Abs(mean-want) > 6*se {
		t.Errorf("log sigma has mean %.4f ± %.4f, want %.4f", mean, se, want)
	}
}

// A column that is modelled by its logarithm has the draws of that model, its cells in their own unit.
func TestCellsOfLogarithms(t *testing.T) {
	s := study{family: gaussian, n: 20}
	r := s.draw(infer.NewStream(21, "logarithms"))
	var draws [2][]float64
	for logged := range draws {
		p := s.problem(r)
		p.Columns[0].Log = logged == 1
		setup, err := New(p, nil)
		must(t, err)
		k, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(4, "logarithms")})
		must(t, err)
		theta := make([]float64, len(setup.Parameters()))
		for range 5 {
			if _, err := k.Step(); err != nil {
				t.Fatal(err)
			}
		}
		k.Position(theta)
		draws[logged] = theta
		must(t, k.(*kernel).SetPosition(theta))
		again := make([]float64, len(theta))
		k.Position(again)
		for j, x := range again {
			if math.Abs(x-theta[j]) > 1e-12*(1+math.Abs(x)) {
				t.Errorf("%s is %v, set to %v", setup.Parameters()[j].Name, x, theta[j])
			}
		}
	}
	first := len(draws[0]) - len(r.missU) - len(r.missV)
	for j, x := range draws[0] {
		if j >= first && j < first+len(r.missU) {
			x = math.Exp(x)
		}
		if got := draws[1][j]; math.Abs(got-x) > 1e-12*(1+math.Abs(x)) {
			t.Errorf("parameter %d is %v, want %v", j, got, x)
		}
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
