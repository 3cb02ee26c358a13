package glm

import (
	"errors"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/prior"
)

// everyFamily lists every family with every link.
func everyFamily() []Family {
	var all []Family
	for _, f := range family.OfOne() {
		for _, l := range f.Links {
			all = append(all, Family{Name: f.Name, Link: l.Name})
		}
	}
	return all
}

// familyExample is newExample with any link; where the link needs eta > 0 all
// numbers of the design are positive, and so are the prior locations.
func familyExample(seed uint64, f Family, n, d int) example {
	e := newExample(seed, f.Name, n, d)
	e.model.Family, e.name = f, f.String()
	if f.PositiveEta() {
		for i, v := range design.ToDense(e.data.X).Values {
			design.ToDense(e.data.X).Values[i] = 0.1 + math.Abs(v)
		}
		for i, v := range e.data.Offset {
			e.data.Offset[i] = math.Abs(v)
		}
	}
	return e
}

// oracle returns the log density of a row by the textbook and package math.
func oracle(f Family, y, m, eta float64, disp [2]float64) float64 {
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	mu := map[string]func() float64{
		"identity": func() float64 { return eta }, "log": func() float64 { return math.Exp(eta) },
		"inverse": func() float64 { return 1 / eta }, "sqrt": func() float64 { return eta * eta },
		"1/mu^2": func() float64 { return 1 / math.Sqrt(eta) }, "logit": func() float64 { return 1 / (1 + math.Exp(-eta)) },
		"probit":  func() float64 { return math.Erfc(-eta/math.Sqrt2) / 2 },
		"cloglog": func() float64 { return -math.Expm1(-math.Exp(eta)) }, "cauchit": func() float64 { return 0.5 + math.Atan(eta)/math.Pi },
	}[f.Link]()
	s, nu := disp[0], disp[1]
	switch f.Name {
	case "gaussian":
		return -(y-mu)*(y-mu)/(2*s*s) - math.Log(s) - math.Log(2*math.Pi)/2
	case "student_t":
		z := (y - mu) / s
		return lg((nu+1)/2) - lg(nu/2) - math.Log(nu*math.Pi)/2 - math.Log(s) - (nu+1)/2*math.Log(1+z*z/nu)
	case "bernoulli", "binomial":
		return lg(m+1) - lg(y+1) - lg(m-y+1) + y*math.Log(mu) + (m-y)*math.Log(1-mu)
	case "poisson":
		return y*math.Log(mu) - mu - lg(y+1)
	case "negative_binomial":
		return lg(y+s) - lg(s) - lg(y+1) + s*math.Log(s/(s+mu)) + y*math.Log(mu/(s+mu))
	case "beta_binomial":
		a, b := mu*s, (1-mu)*s
		return lg(m+1) - lg(y+1) - lg(m-y+1) + lg(y+a) + lg(m-y+b) - lg(m+s) + lg(s) - lg(a) - lg(b)
	case "lognormal":
		z := (math.Log(y) - eta) / s
		return -z*z/2 - math.Log(s*y) - math.Log(2*math.Pi)/2
	case "skew_normal":
		d := nu / math.Sqrt(1+nu*nu)
		omega := s / math.Sqrt(1-2*d*d/math.Pi)
		z := (y - mu + omega*d*math.Sqrt(2/math.Pi)) / omega
		return math.Log(2/omega) - z*z/2 - math.Log(2*math.Pi)/2 + math.Log(math.Erfc(-nu*z/math.Sqrt2)/2)
	case "exgaussian": // normal(mu − beta, s) and an exponential of mean beta
		r := y - mu + nu
		return -math.Log(nu) + s*s/(2*nu*nu) - r/nu + math.Log(math.Erfc((s/nu-r/s)/math.Sqrt2)/2)
	case "weibull", "exponential":
		if f.Name == "exponential" {
			s = 1
		}
		scale := mu / math.Gamma(1+1/s)
		return math.Log(s/scale) + (s-1)*math.Log(y/scale) - math.Pow(y/scale, s)
	case "loglogistic":
		return math.Log(s/mu) + (s-1)*math.Log(y/mu) - 2*math.Log1p(math.Pow(y/mu, s))
	case "frechet":
		scale := mu / math.Gamma(1-1/s)
		return math.Log(s/scale) - (1+s)*math.Log(y/scale) - math.Pow(y/scale, -s)
	case "gamma":
		return s*math.Log(s/mu) - lg(s) + (s-1)*math.Log(y) - s*y/mu
	case "inverse_gaussian":
		return 0.5*math.Log(s/(2*math.Pi*y*y*y)) - s*(y-mu)*(y-mu)/(2*mu*mu*y)
	}
	a, b := mu*s, (1-mu)*s
	return lg(s) - lg(a) - lg(b) + (a-1)*math.Log(y) + (b-1)*math.Log(1-y)
}

// eachFamily runs f at random points of every family and link, on 150 rows (two
// chunks), on 7, and on 140 with frequencies and, where there are any, precisions;
// on fewer rows of slowTails.
func eachFamily(t *testing.T, check func(t *testing.T, target *Target, theta []float64)) {
	for _, f := range append(everyFamily(), limitedFamilies()...) {
		t.Run(f.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(8, 8))
			sizes := []int{7, 150, 140}
			if slowTails(f) {
				sizes = []int{7, 14}
			}
			for _, n := range sizes {
				e := familyExample(uint64(n), f, n, 3)
				e.limit(uint64(n))
				if n == 140 || n == 14 {
					e.weigh(140)
				}
				target := mustTarget(t, e)
				theta := make([]float64, target.Dim())
				for range 4 {
					for j := range theta {
						theta[j] = 0.4 * r.NormFloat64()
						if j >= 3 || f.PositiveEta() {
							theta[j] = 0.2 + math.Abs(theta[j])
						}
					}
					for i, d := range f.Dispersions() {
						theta[3+i] += d.Lower
						if d.Real && r.IntN(2) == 0 {
							theta[3+i] *= -4
						}
					}
					check(t, target, theta)
				}
			}
		})
	}
}

// atPrecision returns the dispersions of row i: a scale over the root of its precision, or a shape times it.
func (t *Target) atPrecision(i int, disp [2]float64) [2]float64 {
	w := t.rows.Weight(i)
	if t.dispersions != nil && t.dispersions[0].Name == "sigma" {
		disp[0] /= math.Sqrt(w)
	} else {
		disp[0] *= w
	}
	return disp
}

func TestFamilyLikelihood(t *testing.T) {
	eachFamily(t, func(t *testing.T, target *Target, theta []float64) {
		want := 0.0
		for i, eta := range exactEta(target.data, theta[:3]) {
			m := 1.0
			if target.data.Trials != nil {
				m = target.data.Trials[i]
			}
			disp := target.atPrecision(i, pair(theta[3:]))
			want += target.rows.Count(i) * limitedOracle(target, i, m, eta, disp)
		}
		if math.IsNaN(want) || math.IsInf(want, 0) {
			return // a tail below the least float64
		}
		if got := target.LogLik(theta); !near(got, want, 1e-11) {
			t.Errorf("at %v: log likelihood %v, textbook %v", theta, got, want)
		}
	})
}

// The cached value along a column, and of a dispersion, is the value there.
func TestFamilyPoint(t *testing.T) {
	eachFamily(t, func(t *testing.T, target *Target, theta []float64) {
		p := NewPoint(target)
		p.SetTheta(theta)
		v := p.Along(1, 0.03)
		if u := p.AlongUncached(1, 0.03); !near(u.LogLik, v.LogLik, 1e-11) {
			t.Errorf("%v along a column, uncached %v", v.LogLik, u.LogLik)
		}
		p.Move(1, 0.03, v)
		moved := append([]float64(nil), theta...)
		moved[1] += 0.03
		for i := range target.free {
			u := p.LogDispersion(i) + 0.2
			v = p.AlongDispersion(i, u)
			p.MoveDispersion(i, u, v)
			k := target.free[i]
			moved[3+i] = target.dispersions[k].At(u)
			if p.LogDispersion(i) != u {
				t.Errorf("log dispersion %v after a move to %v", p.LogDispersion(i), u)
			}
		}
		if want := target.LogLik(moved); !near(v.LogLik, want, 1e-11) || !near(p.Value().LogLik, want, 1e-11) {
			t.Errorf("cached log likelihood %v after moves, fresh %v", v.LogLik, want)
		}
		at := make([]float64, target.Dim())
		p.Theta(at)
		for j := range at {
			if !near(at[j], moved[j], 1e-14) {
				t.Errorf("theta[%d] = %v after moves, want %v", j, at[j], moved[j])
			}
		}
	})
}

// differences is the five-point derivative, off by h⁴ and rounding/h.
func differences(f func(x float64) float64, x, h float64) float64 {
	return (8*(f(x+h)-f(x-h)) - (f(x+2*h) - f(x-2*h))) / (12 * h)
}

func TestFamilyGradient(t *testing.T) {
	eachFamily(t, func(t *testing.T, target *Target, theta []float64) {
		p := NewPoint(target)
		p.SetTheta(theta)
		u, grad := make([]float64, target.Dim()), make([]float64, target.Dim())
		p.Unconstrained(u)
		p.Gradient(grad, make([]float64, target.Rows()))
		for j := range u {
			at := append([]float64(nil), u...)
			want := differences(func(x float64) float64 {
				at[j] = x
				p.SetUnconstrained(at)
				return p.LogPosterior()
			}, u[j], 1e-3)
			if math.Abs(grad[j]-want) > 1e-6*(1+math.Abs(want)+math.Abs(p.Value().LogLik)) {
				t.Errorf("coordinate %d at %v: gradient %v, differences %v", j, u, grad[j], want)
			}
		}
	})
}

// Curvature is the derivative of the row gradients; the information is its
// expectation where that is easy: canonical links, where both agree.
func TestFamilyCurvature(t *testing.T) {
	canonical := map[Family]bool{{Name: "gaussian", Link: "identity"}: true, {Name: "bernoulli", Link: "logit"}: true, {Name: "binomial", Link: "logit"}: true,
		{Name: "poisson", Link: "log"}: true, {Name: "gamma", Link: "inverse"}: true, {Name: "inverse_gaussian", Link: "1/mu^2"}: true}
	eachFamily(t, func(t *testing.T, target *Target, theta []float64) {
		eta := exactEta(target.data, theta[:3])
		n := len(eta)
		curv, info, grad := make([]float64, n), make([]float64, n), make([]float64, n)
		target.RowCurvature(eta, theta[3:], curv)
		target.RowInformation(eta, theta[3:], info)
		for i, e := range eta {
			h := 1e-4 * math.Min(1, math.Abs(e))
			if target.model.Family.Limits != family.NoLimits {
				h = 1e-4
			}
			want := -differences(func(x float64) float64 {
				at := append([]float64(nil), eta...)
				at[i] = x
				target.RowGradient(at, theta[3:], grad)
				return grad[i]
			}, e, h)
			if math.Abs(curv[i]-want) > 1e-6*(1+math.Abs(want)+math.Abs(info[i])) { // rows with weights are larger, not less exact
				t.Fatalf("row %d, eta %v: curvature %v, differences %v", i, e, curv[i], want)
			}
			if !(info[i] >= 0) {
				t.Fatalf("row %d: information %v", i, info[i])
			}
			if canonical[target.model.Family] && !near(info[i], curv[i], 1e-9) {
				t.Fatalf("row %d: information %v, curvature %v of a canonical link", i, info[i], curv[i])
			}
		}
	})
}

// Fisher's information is the variance of the score: summed over the responses
// of discrete families, integrated on a fine grid for continuous ones.
func TestInformation(t *testing.T) {
	for _, f := range everyFamily() {
		e := familyExample(3, f, 1, 1)
		if e.data.Offset = nil; e.data.Trials != nil {
			e.data.Trials, e.data.Y[0] = nil, 1
		}
		disp := []float64{1.7, 5}
		for _, eta := range []float64{0.3, 1.1} {
			step, grid := 1.0, 400
			first := 0.0
			switch s := f.Support(); {
			case s.Low < 0:
				step, grid, first = 0.03, 26_000, -0.03*13_000
			case s.Positive():
				step, grid = 0.01, 24_000
			case s.Share():
				step, grid, disp[0] = 1.0/20_000, 20_000, 8
			}
			if f.Distribution().Mean != nil && f.First().Scale() { // heavy tails
				disp[0] = 0.7
			}
			target := mustTarget(t, e)
			variance, mass := 0.0, 0.0
			row := make([]float64, 1)
			for k := range grid {
				y := first + step*float64(k)
				if step < 1 {
					y += step / 2
				} else if f.Support().Probability() && k > 1 {
					break
				}
				one := *target
				data := *target.data
				data.Y = []float64{y}
				one.data = &data
				one.rowData()
				one.RowGradient([]float64{eta}, disp, row)
				p := math.Exp(oracle(f, y, 1, eta, pair(disp))) * step
				mass, variance = mass+p, variance+p*row[0]*row[0]
			}
			target.RowInformation([]float64{eta}, disp, row)
			if math.Abs(mass-1) > 2e-3 || math.Abs(row[0]/variance-1) > 1e-2 {
				t.Errorf("%s at eta %v: information %v, variance of the score %v (mass %v)", f, eta, row[0], variance, mass)
			}
		}
	}
}

// At |eta| = 700 nothing is NaN, and values that are finite in logs stay finite; at the boundary of a link's domain
// the log likelihood is −Inf.
func TestFamiliesFarOut(t *testing.T) {
	for _, f := range append(everyFamily(), limitedFamilies()...) {
		e := familyExample(2, f, 9, 1)
		e.limit(3)
		for i := range 9 {
			e.data.X.Col(0)[i], e.data.Offset[i] = 1, 0
		}
		target := mustTarget(t, e)
		theta := make([]float64, target.Dim())
		for k := range target.free {
			theta[1+k] = 1.5
		}
		for _, eta := range []float64{-700, -40, -5, 0, 5, 40, 700} {
			theta[0] = eta
			got := target.LogLik(theta)
			wall := f.PositiveEta() && eta <= 0
			// e^700 squared is beyond float64 for these two, as is y²e^1400
			vast := (f == Family{Name: "gaussian", Link: "log"}) && eta == 700 || (f == Family{Name: "inverse_gaussian", Link: "log"}) && eta == -700 ||
				f.Name == "weibull" && eta == -700 || f.Name == "frechet" && eta == 700
			switch {
			case math.IsNaN(got) || math.IsInf(got, 1):
				t.Errorf("%s: log likelihood %v at eta %v", f, got, eta)
			case wall != math.IsInf(got, -1) && !vast:
				t.Errorf("%s: log likelihood %v at eta %v", f, got, eta)
			}
			if wall || vast {
				continue
			}
			etas, rows := exactEta(target.data, theta[:1]), make([]float64, 9)
			for name, of := range map[string]func(eta, disp, dst []float64){"gradient": target.RowGradient, "curvature": target.RowCurvature, "information": target.RowInformation} {
				of(etas, theta[1:], rows)
				for i, v := range rows {
					if math.IsNaN(v) || math.IsInf(v, 0) && eta != -700 && eta != 700 {
						t.Errorf("%s: %s %v of row %d at eta %v", f, name, v, i, eta)
					}
				}
			}
		}
	}
}

// With counts of 1e9 and shapes up to 1e12 the negative binomial keeps its
// digits, and tends to poisson.
func TestNegativeBinomialLimits(t *testing.T) {
	e := newExample(1, "negative_binomial", 12, 1)
	for i := range 12 {
		e.data.Y[i], e.data.Offset[i] = 1e9+float64(i), 0
	}
	eta := math.Log(1e9)
	nb := mustTarget(t, e).LogLik([]float64{eta, 1e18})
	e.model.Family = Family{Name: "poisson", Link: "log"}
	if want := mustTarget(t, e).LogLik([]float64{eta}); math.Abs(nb-want) > 1e-4 {
		t.Errorf("negative binomial of shape 1e18: %v, poisson %v", nb, want)
	}
}

func TestFixedDispersion(t *testing.T) {
	e := newExample(4, "student_t", 20, 2)
	e.model.Nu = prior.Prior{Kind: prior.Constant, Location: 4}
	fixed := mustTarget(t, e)
	if got := fixed.Parameters(); len(got) != 3 || got[2].Name != "sigma" || fixed.Dim() != 3 {
		t.Fatalf("parameters %+v", got)
	}
	e.model.Nu = prior.Prior{Kind: prior.Gamma, Shape: 2, Rate: 0.1}
	if a, b := fixed.LogLik([]float64{0.1, 0.2, 1.5}), mustTarget(t, e).LogLik([]float64{0.1, 0.2, 1.5, 4}); !near(a, b, 1e-13) {
		t.Errorf("log likelihood %v with nu fixed at 4, %v at nu = 4", a, b)
	}
	e.model.Nu = prior.Prior{Kind: prior.Constant, Location: 1}
	if _, err := NewTarget(e.data, e.model); err == nil || !strings.Contains(err.Error(), "nothing above 1, where nu begins") {
		t.Errorf("nu = 1: error %v", err)
	}
	// gaussian with a known sigma
	g := newExample(4, "gaussian", 20, 2)
	free := mustTarget(t, g).LogLik([]float64{0.3, 0.4, 2.5})
	g.model.Dispersion = prior.Prior{Kind: prior.Constant, Location: 2.5}
	if got := mustTarget(t, g).LogLik([]float64{0.3, 0.4}); !near(got, free, 1e-13) {
		t.Errorf("log likelihood %v with sigma fixed at 2.5, %v at sigma = 2.5", got, free)
	}
}

// Flat priors that no data make proper are refused, with the reason.
func TestFamiliesRefuse(t *testing.T) {
	flat := prior.Prior{Kind: prior.Flat}
	for _, c := range []struct {
		family Family
		harm   func(e *example)
		want   string // empty: proper
	}{
		{Family{Name: "bernoulli", Link: "cauchit"}, func(e *example) { e.model.Coefficients[0] = flat }, "cauchit link falls so slowly"},
		{Family{Name: "bernoulli", Link: "probit"}, func(e *example) { e.model.Coefficients[0] = flat }, ""},
		{Family{Name: "bernoulli", Link: "probit"}, separate, "separate the responses perfectly"},
		{Family{Name: "bernoulli", Link: "cloglog"}, separate, "separate the responses perfectly"},
		{Family{Name: "inverse_gaussian", Link: "log"}, func(e *example) { e.model.Coefficients[0] = flat }, "does not vanish as its mean grows"},
		{Family{Name: "gaussian", Link: "log"}, func(e *example) { e.model.Coefficients[0] = flat }, "as the means go to 0"},
		{Family{Name: "negative_binomial", Link: "log"}, func(e *example) { e.model.Dispersion = flat }, "as the shape grows"},
		{Family{Name: "negative_binomial", Link: "log"}, func(e *example) { e.model.Coefficients[0] = flat; clear(e.data.Y) }, "against a shape near 0"},
		{Family{Name: "student_t", Link: "identity"}, func(e *example) { e.model.Nu = flat }, "as nu grows"},
		{Family{Name: "gamma", Link: "log"}, func(e *example) { e.model.Dispersion = flat }, ""},
		{Family{Name: "gamma", Link: "log"}, func(e *example) {
			for i := range e.data.Y {
				e.data.Y[i], e.data.Offset[i] = 2, 0
			}
		}, "the gamma response is the same in every row"},
		{Family{Name: "beta", Link: "logit"}, func(e *example) { e.model.Coefficients[1] = flat }, ""},
		{Family{Name: "skew_normal", Link: "identity"}, func(e *example) { e.model.Nu = flat }, "as alpha grows"},
		{Family{Name: "exgaussian", Link: "identity"}, func(e *example) { e.model.Nu = flat }, "is not checked"},
		{Family{Name: "exgaussian", Link: "identity"}, func(e *example) { fill(e.data.Y, 2); fill(e.data.Offset, 0) }, "the same in every row"},
		{Family{Name: "lognormal", Link: "identity"}, func(e *example) { fill(e.data.Y, 2); fill(e.data.Offset, 0) }, "the same in every row"},
		{Family{Name: "lognormal", Link: "identity"}, func(e *example) { e.model.Coefficients[0], e.model.Dispersion = flat, flat }, ""},
	} {
		e := familyExample(6, c.family, 30, 2)
		c.harm(&e)
		_, err := NewTarget(e.data, e.model)
		var improper *ImproperError
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &improper) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.family, err, c.want)
		}
	}
}

// separate plants a flat column that separates the responses.
func separate(e *example) {
	e.model.Coefficients[1] = prior.Prior{Kind: prior.Flat}
	for i, y := range e.data.Y {
		e.data.X.Col(1)[i] = (2*y - 1) * (1 + math.Abs(e.data.X.Col(1)[i]))
	}
}

func TestMeanMayNotExist(t *testing.T) {
	for _, c := range []struct {
		prior    prior.Prior
		separate bool
		want     int
	}{
		{prior.Prior{Kind: prior.Cauchy, Scale: 2.5}, false, 0}, {prior.Prior{Kind: prior.Cauchy, Scale: 2.5}, true, 1},
		{prior.Prior{Kind: prior.StudentT, DF: 1, Scale: 2.5}, true, 1}, {prior.Prior{Kind: prior.StudentT, DF: 3, Scale: 2.5}, true, 0},
		{prior.Prior{Kind: prior.Normal, Scale: 2.5}, true, 0},
	} {
		e := newExample(6, "bernoulli", 40, 2)
		if c.separate {
			separate(&e)
		}
		e.model.Coefficients[1] = c.prior
		doubts := mustTarget(t, e).MeanMayNotExist()
		if len(doubts) != c.want {
			t.Errorf("%v, separated %v: %+v", c.prior, c.separate, doubts)
		}
	}
}

// A chain starts inside the domain, or the fit is refused by name.
func TestFeasibleStart(t *testing.T) {
	e := familyExample(5, Family{Name: "poisson", Link: "identity"}, 40, 3)
	for i := range e.model.Coefficients { // far outside
		e.model.Coefficients[i] = prior.Prior{Kind: prior.Normal, Location: -50, Scale: 100}
	}
	target := mustTarget(t, e)
	if v := target.LogLik(target.Penalised()); math.IsInf(v, 0) || math.IsNaN(v) {
		t.Errorf("log likelihood %v at the penalised point", v)
	}
	e.data.Intercept = -1
	for i, v := range design.ToDense(e.data.X).Values { // every column of both signs: no positive combination
		design.ToDense(e.data.X).Values[i] = v * float64(1-2*(i%2))
	}
	for i := range e.data.Offset {
		e.data.Offset[i] = -1e3
	}
	_, err := NewTarget(e.data, e.model)
	if err == nil || !regexp.MustCompile(`none was found: row [0-9]+ has -`).MatchString(err.Error()) {
		t.Errorf("error %v", err)
	}
}
