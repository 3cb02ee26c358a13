package glm

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/prior"
)

var (
	plainShoe   = prior.Prior{Kind: prior.Horseshoe, Scale: 0.4}
	slabbedShoe = prior.Prior{Kind: prior.RegularisedHorseshoe, Scale: 0.6, DF: 5, Slab: 1.5}
)

// shoeTargets are posteriors with horseshoe priors: alone, two side by side, and
// with tau0 in units of a free or fixed sigma; and with smooths. They come in the order of their names, so that each
// is given the same random numbers in each run.
func shoeTargets(t *testing.T) iter.Seq2[string, *Target] {
	t.Helper()
	flat := prior.Prior{Kind: prior.Normal, Scale: 3}
	out := map[string]*Target{}
	add := func(name, family string, edit func(*Model)) {
		e := newExample(4, family, 11, 5, flat, plainShoe, slabbedShoe, plainShoe, slabbedShoe)
		edit(&e.model)
		target, err := NewTarget(e.data, e.model)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = target
	}
	for _, f := range []string{"gaussian", "bernoulli", "poisson", "student_t", "gamma"} {
		add(f, f, func(*Model) {})
	}
	add("groups", "gaussian", func(m *Model) { m.Groups = []int{0, 1, 1, 2, 1} })
	add("fixed sigma", "gaussian", func(m *Model) { m.Dispersion = prior.Prior{Kind: prior.Constant, Location: 0.7} })
	for name, e := range smoothExamples() {
		out[name] = mustTarget(t, e)
	}
	return func(yield func(string, *Target) bool) {
		for _, name := range slices.Sorted(maps.Keys(out)) {
			if !yield(name, out[name]) {
				return
			}
		}
	}
}

// wander returns a random point as SetUnconstrained reads it.
func wander(r *rand.Rand, t *Target) []float64 {
	u := make([]float64, t.Dim())
	for i := range u {
		u[i] = r.NormFloat64()
	}
	return u
}

// The gradient in the non-centred form, sigma's part included, is that of finite
// differences.
func TestHorseshoeGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, target := range shoeTargets(t) {
		p := NewPoint(target)
		grad, rows := make([]float64, target.Dim()), make([]float64, target.Rows())
		for range 5 {
			u := wander(r, target)
			p.SetUnconstrained(u)
			p.Gradient(grad, rows)
			for i := range u {
				const h = 1e-5
				at := func(by float64) float64 {
					v := append([]float64(nil), u...)
					v[i] += by
					p.SetUnconstrained(v)
					return p.LogPosterior()
				}
				if want := (at(h) - at(-h)) / (2 * h); math.Abs(grad[i]-want) > 1e-5*(1+math.Abs(want)) {
					t.Errorf("%s: slope %v in coordinate %d (%s), finite differences give %v", name, grad[i], i, target.Parameters()[i].Name, want)
				}
			}
		}
	}
}

// Each univariate density along a scale, a coefficient, sigma, or a stretch is, up to a constant, the joint
// density.
func TestHorseshoeConditionals(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for name, target := range shoeTargets(t) {
		p, q := NewPoint(target), NewPoint(target)
		same := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%s: %s rises by %v, the joint density by %v", name, what, got, want)
			}
		}
		centred := make([]float64, target.Dim())
		joint := func(edit func(u []float64)) float64 { // with respect to the centred coordinates
			u := append([]float64(nil), centred...)
			edit(u)
			q.SetCentred(u)
			sum := q.Value().LogLik + q.LogPrior()
			return sum + centredJacobian(target, u)
		}
		p.SetUnconstrained(wander(r, target))
		p.Centred(centred)
		now := joint(func([]float64) {})
		for i := range target.Scales() {
			at := target.scaleStart() + i
			x := centred[at] + 0.7
			same(target.Parameters()[at].Name, p.AlongScale(i, x)-p.AlongScale(i, centred[at]), joint(func(u []float64) { u[at] = x })-now)
		}
		lik := p.Value().LogLik
		for j := range target.scaleStart() {
			x := centred[j] - 0.6
			moved := joint(func(u []float64) { u[j] = x })
			same(target.Parameters()[j].Name, p.LogPriorAlong(j, x)-p.LogPriorAlong(j, centred[j])+(q.Value().LogLik-lik), moved-now)
		}
		u := make([]float64, target.Dim())
		for g, h := range target.Groups() {
			p.Stretch(g)
			from, _ := p.AlongStretch(0)
			to, v := p.AlongStretch(-0.4)
			p.Unconstrained(u)
			before := p.LogPosterior()
			u[target.scaleStart()+h.Tau] -= 0.4
			if h.Slab >= 0 && h.Second == nil {
				u[target.scaleStart()+h.Slab] -= 0.4
			}
			q.SetUnconstrained(u)
			same(fmt.Sprint("stretch ", g), to-from, q.LogPosterior()-before)
			p.MoveStretch(-0.4, v)
			same("stretched log likelihood", p.Value().LogLik, q.Value().LogLik)
			for j, b := range p.beta {
				same(fmt.Sprint("stretched ", j), b, q.beta[j])
			}
			if h.Second != nil {
				lengthens(t, p, q, g)
			}
		}
	}
}

// centredJacobian is the log of the derivative of dispersions and scales at centred coordinates.
func centredJacobian(target *Target, u []float64) (sum float64) {
	for _, l := range u[target.Cols():] {
		sum += l
	}
	for _, h := range target.Groups() {
		if h.Second != nil {
			x := u[target.scaleStart()+h.Slab]
			sum += h.Second.LogJacobian(x) - x
		}
	}
	return sum
}

// lengthens moves the length of a Gaussian process with the standardised coefficients held: the density in these
// coordinates is that of AlongLength.
func lengthens(t *testing.T, p, q *Point, g int) {
	t.Helper()
	h, u, eta := &p.t.scaleGroups[g], make([]float64, p.t.Dim()), make([]float64, p.t.Rows())
	here := p.LogScale(h.Slab)
	from, _ := p.AlongLength(g, here, eta)
	to, v := p.AlongLength(g, here+0.3, eta)
	p.Unconstrained(u)
	before := p.LogPosterior()
	u[p.t.scaleStart()+h.Slab] += 0.3
	q.SetUnconstrained(u)
	p.MoveLength(g, here+0.3, eta, v)
	for what, pair := range map[string][2]float64{"density": {to - from, q.LogPosterior() - before}, "likelihood": {v.LogLik, q.Value().LogLik},
		"coefficient": {p.beta[h.Columns[0]], q.beta[h.Columns[0]]}, "spread": {p.Spread(h.Columns[1]), q.Spread(h.Columns[1])}} {
		if math.Abs(pair[0]-pair[1]) > 1e-9*(1+math.Abs(pair[1])) {
			t.Errorf("a longer length: %s %v, want %v", what, pair[0], pair[1])
		}
	}
}

// Constrain, SetUnconstrained, SetTheta and SetCentred name the same point, and
// LogPrior of it is the same. A state restores to the bit.
func TestHorseshoeCoordinates(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for name, target := range shoeTargets(t) {
		dim := target.Dim()
		u, theta, back, centred := wander(r, target), make([]float64, dim), make([]float64, dim), make([]float64, dim)
		p, q := NewPoint(target), NewPoint(target)
		p.SetUnconstrained(u)
		target.Constrain(u, theta)
		target.Unconstrain(theta, back)
		p.Theta(centred)
		for i := range u {
			if math.Abs(back[i]-u[i]) > 1e-12*(1+math.Abs(u[i])) || centred[i] != theta[i] {
				t.Errorf("%s: coordinate %d: %v goes to %v and back to %v; the predictor has %v", name, i, u[i], theta[i], back[i], centred[i])
			}
		}
		q.SetTheta(theta)
		if a, b, c := p.LogPrior(), q.LogPrior(), target.LogPrior(theta); math.Abs(a-b) > 1e-10 || math.Abs(a-c) > 1e-10 {
			t.Errorf("%s: log priors %v, %v and %v at one point", name, a, b, c)
		}
		p.Centred(centred)
		q.SetCentred(centred)
		q.Centred(back)
		for i := range back {
			if back[i] != centred[i] {
				t.Errorf("%s: coordinate %d is restored as %v, was %v", name, i, back[i], centred[i])
			}
		}
		if p.LogPosterior() != q.LogPosterior() {
			t.Errorf("%s: restored log posterior %v, was %v", name, q.LogPosterior(), p.LogPosterior())
		}
	}
}

func TestHorseshoeLayout(t *testing.T) {
	targets := maps.Collect(shoeTargets(t))
	names := func(target *Target) string {
		var list []string
		for _, p := range target.Parameters()[target.scaleStart():] {
			list = append(list, p.Name+":"+string(p.Kind))
		}
		return strings.Join(list, " ")
	}
	if got, want := names(targets["bernoulli"]), "tau:scale tau2:scale c2:scale lambda[x1]:local_scale lambda[x3]:local_scale "+
		"lambda[x2]:local_scale lambda[x4]:local_scale"; got != want {
		t.Errorf("scales %s, want %s", got, want)
	}
	if got, want := names(targets["groups"]), "tau:scale tau2:scale c2:scale tau3:scale lambda[x1]:local_scale "+
		"lambda[x2]:local_scale lambda[x4]:local_scale lambda[x3]:local_scale"; got != want {
		t.Errorf("scales %s, want %s", got, want)
	}
	e := newExample(4, "bernoulli", 11, 3, plainShoe)
	if _, err := NewTarget(e.data, e.model); err == nil || !strings.Contains(err.Error(), "cannot be that of the intercept") {
		t.Errorf("a horseshoe on the intercept: %v", err)
	}
	e.model.Coefficients[0] = prior.Prior{Kind: prior.Flat}
	e.data.Names[1] = "tau"
	target, err := NewTarget(e.data, e.model)
	must(t, err)
	if got := names(target); got != "prior.tau:scale lambda[tau]:local_scale lambda[x2]:local_scale" {
		t.Errorf("beside a column tau: %s", got)
	}
	e.model.Groups = []int{1}
	if _, err := NewTarget(e.data, e.model); err == nil {
		t.Error("1 group for 3 columns was taken")
	}
}

// Starts are finite, and near a point that each coefficient could have been drawn
// from: |beta/spread| is not large.
func TestHorseshoeStarts(t *testing.T) {
	for name, target := range shoeTargets(t) {
		p := NewPoint(target)
		for c := range 8 {
			u, words := target.Start(infer.Chain{Index: c, Count: 8, Stream: infer.NewStream(uint64(c), name)})
			p.SetUnconstrained(u)
			if v := p.LogPosterior(); math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: start %d (%s) has the log posterior %v", name, c, words, v)
			}
			for _, h := range target.Groups() {
				for _, j := range h.Columns {
					if math.Abs(u[j]) > 50 {
						t.Errorf("%s: start %d (%s): coefficient %d is %v spreads", name, c, words, j, u[j])
					}
				}
			}
		}
		p.SetUnconstrained(target.Penalised())
		if v := p.LogPosterior(); math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%s: the penalised point has the log posterior %v", name, v)
		}
	}
}

// A mean is in doubt under complete separation or a column of zeros, for the
// plain form only, and not for more columns than rows of a gaussian response.
func TestHorseshoeMeans(t *testing.T) {
	for _, c := range []struct {
		name, family string
		rows         int
		prior        prior.Prior
		edit         func(*example)
		want         int
	}{
		{"overlap", "bernoulli", 40, plainShoe, func(*example) {}, 0},
		{"separated", "bernoulli", 40, plainShoe, separateX1, 2},
		{"separated, slab", "bernoulli", 40, slabbedShoe, separateX1, 0},
		{"wide bernoulli", "bernoulli", 2, plainShoe, func(e *example) { e.data.Y[0], e.data.Y[1] = 0, 1 }, 2},
		{"wide gaussian", "gaussian", 2, plainShoe, func(*example) {}, 0},
		{"zeros", "gaussian", 20, plainShoe, func(e *example) { clear(e.data.X.Col(2)) }, 2},
	} {
		e := newExample(8, c.family, c.rows, 3, prior.Prior{Kind: prior.Normal, Scale: 2}, c.prior, c.prior)
		c.edit(&e)
		cols, words := mustTarget(t, e).horseshoeMeans()
		if len(cols) != c.want || (words != "") != (c.want > 0) {
			t.Errorf("%s: columns %v, %q; want %d", c.name, cols, words, c.want)
		}
	}
}

// separateX1 makes column 1 separate the responses.
func separateX1(e *example) {
	for i, y := range e.data.Y {
		e.data.X.Col(1)[i] = (2*y - 1) * (1 + math.Abs(e.data.X.Col(1)[i]))
	}
}
