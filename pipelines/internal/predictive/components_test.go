package predictive

import (
	"iter"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"glmbatch/infer"
	"glmbatch/infer/collapsed"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/mixture"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// newMixture is a fit with made-up draws of a mixture of two regressions on two columns: weights, then coefficients
// and sigma of each component. Its components are in this order, or the other way round.
func newMixture(draws, width int, reversed bool) *example {
	e := newExample(9, 2, 1, draws, width) // a column of ones and one with a centre, offsets, one dispersion
	one, two := e.beta, newExample(9, 2, 1, draws+3, width).beta
	w, rest := make([]float64, draws), make([]float64, draws)
	for s := range w {
		w[s] = float64(s+1) / float64(draws+1)
		rest[s] = 1 - w[s]
	}
	e.beta = [][]float64{w, rest, one[0], one[1], one[2]}
	for _, column := range two {
		e.beta = append(e.beta, column[3:])
	}
	e.fit.Params = len(e.beta)
	d := described(component(3, e.columns, record.Scalar{Parameter: 5}), component(6, e.columns, record.Scalar{Parameter: 8}))
	d.Weights = []record.Scalar{{Parameter: 1}, {Parameter: 2}}
	if e.fit.Description = d; reversed {
		slices.Reverse(d.Weights)
		slices.Reverse(d.Responses[0].Components)
	}
	e.fit.Open = func() iter.Seq2[*infer.Columns, error] { return e.blocks(width) }
	return e
}

// normalLaw is the density and the distribution function of a normal distribution.
func normalLaw(y, mu, sigma float64) (density, upTo float64) {
	z := (y - mu) / sigma
	return math.Exp(-z*z/2) / sigma / math.Sqrt(2*math.Pi), math.Erfc(-z/math.Sqrt2) / 2
}

// Rows of a mixture have the densities, means and distribution functions of its definition, whatever blocks of rows,
// draws and workers there are, and the order of the components changes nothing.
func TestMixtureRows(t *testing.T) {
	const draws = 7
	for _, width := range []int{1, 3, 8} {
		for _, reversed := range []bool{false, true} {
			e := newMixture(draws, width, reversed)
			e.fit.bytes, e.fit.Workers = 8*draws*2*4, 2 // four rows a block
			rows := 0
			for b, err := range rowBlocks(t, on(t, &e.fit, gaussian, e.data, e.columns)) {
				must(t, err)
				lik, means := make([]float64, b.Rows), make([]float64, b.Rows)
				for s := range draws {
					b.logLik(s, 0, b.Rows, lik)
					b.means(s, 0, b.Rows, 0, means)
					for i := range b.Rows {
						row, y := b.First+i, e.data.Y[b.First+i]
						var density, mean, upTo float64
						for c := range 2 {
							theta := []float64{e.beta[2+3*c][s], e.beta[3+3*c][s], e.beta[4+3*c][s]}
							column := e.columns[1]
							x := column.Centre + column.Scale*e.data.X.(*design.Dense).Col(1)[row]
							mu := e.data.Offset[row] + theta[0] + theta[1]*x
							d, p := normalLaw(y, mu, theta[2])
							density += e.beta[c][s] * d
							mean += e.beta[c][s] * mu
							upTo += e.beta[c][s] * p
						}
						for _, of := range []struct {
							what      string
							got, want float64
						}{{"log density", lik[i], math.Log(density)}, {"mean", means[i], mean},
							{"distribution function", b.cdf(s, i, y), upTo}} {
							if !(math.Abs(of.got-of.want) < 1e-12*(1+math.Abs(of.want))) {
								t.Fatalf("row %d, draw %d: %s %v, want %v", row, s, of.what, of.got, of.want)
							}
						}
						rows++
					}
				}
			}
			if rows != 9*draws {
				t.Fatalf("%d rows and draws", rows)
			}
		}
	}
}

// A response of a mixture is of one of its components, as often as its weight says, and then of that one's law.
//
// False alarms: 1e-6 for each of 7 draws; a weight that is off by 0.06 is seen at 20,000 responses.
func TestMixtureResponses(t *testing.T) {
	e := newMixture(7, 8, false)
	for s := range 7 { // far apart, so that a response determines its component
		e.beta[2][s], e.beta[5][s] = -1e4, 1e4
	}
	for b, err := range rowBlocks(t, on(t, &e.fit, gaussian, e.data, e.columns)) {
		must(t, err)
		random := infer.NewStream(3, "responses")
		for s := range 7 {
			const n = 20_000
			low := 0.0
			for range n {
				if b.draw(random, s, 2) < 0 {
					low++
				}
			}
			w := e.beta[0][s]
			if z := (low - n*w) / math.Sqrt(n*w*(1-w)); !(math.Abs(z) < 4.9) {
				t.Errorf("draw %d: %v of %d responses are of the first component, which weighs %v", s, low, n, w)
			}
		}
	}
}

// counted is a mixture of two poisson distributions with its exact posterior, and draws of it.
type counted struct {
	y           []float64
	shape, rate float64
	family      glm.Family
}

// data are those of y ~ 1 without row left, of all rows where left is negative.
func (c counted) data(left int) *glm.Data {
	var y []float64
	for i, v := range c.y {
		if i != left {
			y = append(y, v)
		}
	}
	x := design.NewDense(len(y), 1)
	for i := range x.Values {
		x.Values[i] = 1
	}
	return &glm.Data{X: x, Names: []string{"(Intercept)"}, Y: y}
}

// labellings calls visit with each labelling of data by two components, its probability times that of the data
// (without the factorials of the responses), and the gamma distributions of the components' means: shapes and
// rates.
func (c counted) labellings(data *glm.Data, visit func(of []int, p float64, shape, rate [2]float64)) {
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	of := make([]int, len(data.Y))
	for state := range 1 << len(of) {
		shape, rate := [2]float64{c.shape, c.shape}, [2]float64{c.rate, c.rate}
		for i := range of {
			of[i] = state >> i & 1
			shape[of[i]] += data.Y[i]
			rate[of[i]]++
		}
		p := -lg(2 + float64(len(of)))
		for k := range 2 {
			p += lg(1+rate[k]-c.rate) + c.shape*math.Log(c.rate) - lg(c.shape) + lg(shape[k]) - shape[k]*math.Log(rate[k])
		}
		visit(of, math.Exp(p), shape, rate)
	}
}

// evidence is the probability of data, without the factorials of the responses.
func (c counted) evidence(left int) (sum float64) {
	c.labellings(c.data(left), func(_ []int, p float64, _, _ [2]float64) { sum += p })
	return sum
}

var ones = []transform.Column{{Scale: 1}}

// fit draws from the posterior, four chains.
func (c counted) fit(t *testing.T, draws int) *Fit {
	t.Helper()
	setup, err := collapsed.New(c.family, c.data(-1), collapsed.Options{Options: mixture.Options{Components: 2},
		Prior: collapsed.Prior{Law: "gamma", Numbers: []float64{c.shape, c.rate}}})
	must(t, err)
	n := len(setup.Parameters())
	e := &example{beta: make([][]float64, n)}
	theta := make([]float64, n)
	for chain := range 4 {
		k, err := setup.Kernel(infer.Chain{Index: chain, Count: 4, Stream: infer.NewStream(11, "exact", string(rune('a'+chain)))})
		must(t, err)
		for i := range draws + 50 {
			if _, err := k.Step(); err != nil {
				t.Fatal(err)
			}
			if i < 50 {
				continue
			}
			k.Position(theta)
			for j, v := range theta {
				e.beta[j] = append(e.beta[j], v)
			}
		}
	}
	d := described(component(3, ones), component(4, ones))
	d.Weights = []record.Scalar{{Parameter: 1}, {Parameter: 2}}
	e.fit = Fit{Chains: 4, Draws: draws, Params: n, Description: d, Workers: 1,
		Open: func() iter.Seq2[*infer.Columns, error] { return e.blocks(2) }}
	return &e.fit
}

// Leave-one-out and allocations of a mixture agree with sums over all labellings: the density of a row given the
// others is a ratio of evidences, and a row is of the component with the smaller mean as often as in the gamma
// distributions of each labelling.
//
// Limits: 5 Monte Carlo standard errors of each density; 0.01 of each probability, six of its errors or more at 16,000
// draws. A weight left out, or the probabilities of the other component, are a tenth or more.
func TestMixtureByEnumeration(t *testing.T) {
	c := counted{y: []float64{0, 1, 6, 7, 3, 9}, shape: 1.5, rate: 0.4, family: glm.Family{Name: "poisson", Link: "log"}}
	f, data := c.fit(t, 4000), c.data(-1)
	loo, err := on(t, f, c.family, data, ones).LeaveOneOut(t.Context(), stream)
	must(t, err)
	all := c.evidence(-1)
	for i, r := range loo.Rows {
		factorial, _ := math.Lgamma(c.y[i] + 1)
		want := math.Log(all/c.evidence(i)) - factorial
		if !(math.Abs(r.ELPD-want) < 5*r.MCSE) || !(r.MCSE < 0.05) || !(r.K < 0.7) {
			t.Errorf("row %d: elpd %.4f ± %.4f (k %.2f), enumerated %.4f", i+1, r.ELPD, r.MCSE, r.K, want)
		}
	}
	want := make([]float64, len(c.y))
	c.labellings(data, func(of []int, p float64, shape, rate [2]float64) {
		first := mathext.RegIncBeta(shape[0], shape[1], rate[0]/(rate[0]+rate[1])) // component 0 has the smaller mean
		for i, k := range of {
			want[i] += p / all * math.Abs(float64(k)-first)
		}
	})
	got, err := on(t, f, c.family, data, ones).Allocations(t.Context())
	must(t, err)
	for i, p := range got {
		if !(math.Abs(p[0]-want[i]) < 0.01) || math.Abs(p[0]+p[1]-1) > 1e-12 {
			t.Errorf("row %d is of the first component with probabilities %.4f, enumerated %.4f", i+1, p, want[i])
		}
	}
}

// The component is the one on whose share of (0, 1) the number falls; one that weighs nothing is never picked.
func TestPick(t *testing.T) {
	b := &Block{}
	for _, w := range []float64{0.2, 0, 0.3, 0.5, 0} {
		b.Of = append(b.Of, &Block{LogW: []float64{math.NaN(), math.Log(w)}})
	}
	for u, want := range map[float64]int{0.01: 0, 0.19: 0, 0.21: 2, 0.49: 2, 0.51: 3, 1: 3} {
		if got := b.pick(u, 1); got != b.Of[want] {
			t.Errorf("%v falls on another component than %d", u, want)
		}
	}
}
