package glm

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"glmbatch/infer/prior"
)

var (
	flat   = prior.Prior{Kind: prior.Flat}
	normal = prior.Prior{Kind: prior.Normal, Scale: 2}
)

// TestImproper holds the cases for which propriety is known by theory, on both sides of each border. want is empty
// if the posterior is proper.
func TestImproper(t *testing.T) {
	binary := func(rule func(x []float64) bool) func(e *example) {
		return func(e *example) {
			for i := range e.data.Y {
				e.data.Y[i] = 0
				if rule([]float64{1, e.data.X.Col(min(1, e.data.Cols()-1))[i]}) {
					e.data.Y[i] = 1
				}
			}
		}
	}
	copyColumn := func(e *example) {
		for i, v := range e.data.X.Col(1) {
			e.data.X.Col(2)[i] = 3 - v/7
		}
	}
	flatSigma := func(e *example) { e.model.Dispersion = flat }
	perfect := func(e *example) {
		copy(e.data.Y, exactEta(e.data, []float64{1, 2, 0.3}))
	}
	separable := binary(func(x []float64) bool { return x[1] > 0.2 })
	// one group of a factor has successes only: the others overlap
	quasi := func(e *example) {
		for i := range e.data.Y {
			e.data.X.Col(1)[i] = 0
			if i%4 == 0 {
				e.data.X.Col(1)[i], e.data.Y[i] = 1, 1
			}
		}
	}
	cases := []struct {
		name, family string
		n, d         int
		priors       []prior.Prior
		harm         func(e *example)
		want         string
	}{
		{"normal priors, d > n", "bernoulli", 5, 9, []prior.Prior{normal}, nil, ""},
		{"flat priors", "bernoulli", 60, 3, []prior.Prior{flat}, nil, ""},
		{"flat priors, d > n", "bernoulli", 5, 9, []prior.Prior{flat}, nil, "9 coefficients have flat priors and there are only 5 rows"},
		{"dependent, flat", "poisson", 60, 3, []prior.Prior{flat}, copyColumn, `column "x2" is a linear combination`},
		{"dependent, normal", "poisson", 60, 3, []prior.Prior{normal}, copyColumn, ""},
		{"dependent, one normal", "poisson", 60, 3, []prior.Prior{flat, flat, normal}, copyColumn, ""},
		{"separated, flat", "bernoulli", 60, 3, []prior.Prior{flat}, separable, "separate the responses"},
		{"separated, normal", "bernoulli", 60, 3, []prior.Prior{normal}, separable, ""},
		{"separated along a normal prior", "bernoulli", 60, 3, []prior.Prior{flat, normal, flat}, separable, ""},
		{"almost separated", "bernoulli", 60, 3, []prior.Prior{flat}, func(e *example) {
			separable(e)
			for i, v := range e.data.X.Col(1) {
				if v > 1 { // one failure deep among the successes
					e.data.Y[i] = 0
					break
				}
			}
		}, ""},
		{"one success in 20,000", "bernoulli", 20_000, 1, []prior.Prior{flat}, func(e *example) {
			clear(e.data.Y)
			e.data.Y[0] = 1 // Newton takes more steps than it takes to look for a direction
		}, ""},
		{"quasi-separated", "bernoulli", 60, 3, []prior.Prior{flat}, quasi, "separate the responses"},
		{"all successes", "bernoulli", 30, 1, []prior.Prior{flat}, binary(func([]float64) bool { return true }), "separate the responses"},
		{"all failures", "binomial", 30, 1, []prior.Prior{flat}, binary(func([]float64) bool { return false }), "separate the responses"},
		{"saturated binomial inside", "binomial", 2, 2, []prior.Prior{flat}, func(e *example) {
			e.data.Y, e.data.Trials = []float64{1, 2}, []float64{3, 3}
		}, ""},
		{"saturated binomial at an end", "binomial", 2, 2, []prior.Prior{flat}, func(e *example) {
			e.data.Y, e.data.Trials = []float64{0, 2}, []float64{3, 3}
		}, "separate the responses"},
		{"poisson, all zero", "poisson", 30, 1, []prior.Prior{flat}, func(e *example) { clear(e.data.Y) }, "counts are all 0"},
		{"poisson, a group of zeros", "poisson", 60, 3, []prior.Prior{flat}, func(e *example) {
			quasi(e)
			for i := range e.data.Y {
				if i%4 == 0 {
					e.data.Y[i] = 0
				}
			}
		}, "counts are all 0"},
		{"poisson, large counts", "poisson", 60, 2, []prior.Prior{flat}, func(e *example) {
			for i := range e.data.Y {
				e.data.Y[i] = 1e9 + float64(i)
			}
		}, ""},
		{"rare events", "bernoulli", 3000, 2, []prior.Prior{flat}, binary(func(x []float64) bool { return x[1] > 3 || x[1] < -2.9 }), ""},
		{"separated, many rows", "bernoulli", 3000, 2, []prior.Prior{flat}, separable, "separate the responses"},

		{"gaussian, flat", "gaussian", 20, 3, []prior.Prior{flat}, flatSigma, ""},
		{"gaussian, 2 rows left", "gaussian", 5, 3, []prior.Prior{flat}, flatSigma, ""},
		{"gaussian, 1 row left", "gaussian", 4, 3, []prior.Prior{flat}, flatSigma, "sigma has a flat prior, and 4 rows leave fewer than 2 beyond the 3"},
		{"gaussian, 1 row left, proper sigma", "gaussian", 4, 3, []prior.Prior{flat}, nil, ""},
		{"gaussian, d > n, normal", "gaussian", 4, 9, []prior.Prior{normal}, flatSigma, ""},
		{"gaussian, saturated by flat priors", "gaussian", 3, 3, []prior.Prior{flat}, nil, ""},
		{"perfect fit", "gaussian", 20, 3, []prior.Prior{normal}, perfect, "fits the gaussian response perfectly"},
		{"perfect fit, many rows", "gaussian", 300, 3, []prior.Prior{normal}, perfect, "fits the gaussian response perfectly"},
		{"perfect fit of early rows only", "gaussian", 300, 3, []prior.Prior{normal}, func(e *example) { perfect(e); e.data.Y[250]++ }, ""},
		{"noise on a large mean", "gaussian", 20, 1, []prior.Prior{normal}, func(e *example) {
			e.data.Offset = nil
			for i := range e.data.Y {
				e.data.Y[i] += 3e12
			}
		}, ""},
		{"constant response", "gaussian", 20, 1, []prior.Prior{normal}, func(e *example) {
			e.data.Offset = nil
			for i := range e.data.Y {
				e.data.Y[i] = 3.7
			}
		}, "the same in every row"},
	}
	for _, c := range cases {
		e := newExample(11, c.family, c.n, c.d, c.priors...)
		if c.harm != nil {
			c.harm(&e)
		}
		_, err := NewTarget(e.data, e.model)
		var improper *ImproperError
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (!errors.As(err, &improper) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// Random small designs against the definition: a direction that separates is
// sought among a fine fan of directions in the plane.
func TestSeparationAgainstFan(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	verdicts := map[bool]int{}
	for range 300 {
		n := 6 + r.IntN(8)
		e := newExample(r.Uint64(), "bernoulli", n, 2, flat)
		e.data.Offset = nil
		for i := range n { // a coarse grid makes ties and quasi-separation common
			e.data.X.Col(1)[i] = float64(r.IntN(5))
		}
		span := map[float64]bool{}
		for _, v := range e.data.X.Col(1) {
			span[v] = true
		}
		if len(span) < 2 {
			continue
		}
		want := fanSeparates(e.data)
		_, err := NewTarget(e.data, e.model)
		if got := err != nil; got != want {
			t.Errorf("x = %v, y = %v: separation %v, by the fan %v", e.data.X.Col(1), e.data.Y, got, want)
		}
		verdicts[want]++
	}
	if verdicts[true] < 20 || verdicts[false] < 20 {
		t.Errorf("the sample is one-sided: %v", verdicts)
	}
}

// fanSeparates tries the only candidates for one covariate on a grid of 0 … 4
// besides the constant: thresholds at the grid's points and half-points, the
// constant alone, in both signs.
func fanSeparates(d *Data) bool {
	directions := [][2]float64{{1, 0}, {-1, 0}}
	for c := -0.5; c <= 4.5; c += 0.5 {
		directions = append(directions, [2]float64{-c, 1}, [2]float64{c, -1})
	}
	for _, b := range directions {
		ok, moves := true, false
		for i, y := range d.Y {
			v := b[0] + b[1]*d.X.Col(1)[i]
			moves = moves || v != 0
			if y == 0 {
				v = -v
			}
			ok = ok && v >= 0
		}
		if ok && moves {
			return true
		}
	}
	return false
}
