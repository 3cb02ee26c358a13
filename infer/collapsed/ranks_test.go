package collapsed

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/mixture"
	"glmbatch/internal/variate"
)

// joint is the distribution of a mixture by its definition: weights, parameters from their conjugate prior, then
// responses; and the sampler of its posterior under a prior that may be another one. Statistics are those that no
// renumbering moves.
func (e example) joint(t testing.TB, o Options, fitted string) infertest.Joint {
	s := e.setup(t, o)
	half := s.Len() / 2
	out := infertest.Joint{Name: e.name + " " + strconv.Itoa(o.Components)}
	for _, p := range s.Parameters()[:half] {
		out.Statistics = append(out.Statistics, p.Name)
	}
	out.Statistics = append(out.Statistics, "log_lik", "log_prior")
	out.Simulate = func(rng *infer.Stream) ([]float64, infertest.Given, error) {
		k, d := s.Components, len(s.Of)
		logW, theta := make([]float64, k), make([]float64, k*d)
		mixture.DrawWeights(rng, s.opts.Concentration, make([]float64, k), logW)
		for c := range k {
			s.family.draw(rng, make(statistics, s.family.size()), theta[c*d:(c+1)*d])
		}
		labels := make([]int, s.rows)
		for i := range labels {
			labels[i] = mixture.Pick(rng.Float64(), logW, 0)
		}
		own, err := e.respond(rng, labels, theta, d)
		position := make([]float64, s.Len())
		s.Write(position, logW, theta)
		s.probabilities(position)
		at := own.setup(t, o)
		return position, infertest.Given{
			Setup: func() (infer.Setup, error) { return own.believing(fitted).setup(t, o), nil },
			Evaluate: func(position []float64) []float64 {
				lik, prior := density(at, position)
				return append(slices.Clone(position[:half]), lik, prior)
			},
		}, err
	}
	return out
}

// respond draws responses of rows of these components, missing where those of the example are.
func (e example) respond(rng *infer.Stream, labels []int, theta []float64, d int) (example, error) {
	if e.columns == nil {
		data, err := respond(rng, e.family, e.data, labels, theta, d)
		e.data = data
		return e, err
	}
	e.columns = slices.Clone(e.columns)
	at := 0
	for j := range e.columns {
		c := &e.columns[j]
		k := len(c.Categories)
		switch y := slices.Clone(c.Y); {
		case c.Counts != nil:
			of := make([][]float64, k)
			for l := range of {
				of[l] = make([]float64, len(labels))
			}
			for i, label := range labels {
				for _, was := range c.Counts {
					for range int(was[i]) {
						of[mixture.Pick(rng.Float64(), theta[label*d+at:label*d+at+k], 0)][i]++
					}
				}
			}
			c.Counts = of
		case c.Correlated:
			if k = 0; c.Name == "a" {
				k = 5
				e.columns[2].Y = respondTogether(rng, c.Y, labels, theta[at:], d, y)
				c.Y = y
			}
		case k > 0:
			for i, label := range labels {
				if !math.IsNaN(y[i]) {
					y[i] = float64(mixture.Pick(rng.Float64(), theta[label*d+at:label*d+at+k], 0))
				}
			}
			c.Y = y
		default:
			data := ones(y, c.Trials)
			own, err := respond(rng, c.Family, data, labels, theta[at:], d)
			if err != nil {
				return e, err
			}
			for i, was := range y {
				if math.IsNaN(was) {
					own.Y[i] = was
				}
			}
			c.Y = own.Y
			k = 1 + len(c.Family.Dispersions())
		}
		at += k
	}
	return e, nil
}

// respondTogether draws two correlated responses: the first into y, the second is returned.
func respondTogether(rng *infer.Stream, was []float64, labels []int, theta []float64, d int, y []float64) []float64 {
	second := slices.Clone(was)
	for i, label := range labels {
		of := theta[label*d:]
		one, other := variate.Normal(rng), variate.Normal(rng)
		if !math.IsNaN(was[i]) {
			y[i] = of[0] + of[1]*one
			second[i] = of[2] + of[3]*(of[4]*one+math.Sqrt(1-of[4]*of[4])*other)
		}
	}
	return second
}

// respond draws responses of a family of package glm, whose parameters are the first of each component.
func respond(rng *infer.Stream, f glm.Family, data *glm.Data, labels []int, theta []float64, d int) (*glm.Data, error) {
	own := *data
	own.Y = make([]float64, data.Rows())
	rows, err := glm.NewPointwise(f, &glm.Data{X: data.X, Trials: data.Trials})
	if err != nil {
		return nil, err
	}
	for i, c := range labels {
		of := theta[c*d : c*d+1+len(f.Dispersions())]
		own.Y[i] = rows.Draw(rng, i, of[0], of[1:])
	}
	return &own, nil
}

// believing is the example under another prior; of several columns that of the first.
func (e example) believing(prior string) example {
	if e.columns == nil {
		e.prior = prior
		return e
	}
	if prior != "" {
		e.columns = slices.Clone(e.columns)
		if e.columns[0].Prior = categoriesPrior(3, 1, 1); e.columns[0].Correlated {
			e.columns[0].Prior = priorOf("normal_inverse_gamma", 3, 0.5, 2.5, 3)
		}
	}
	return e
}

// Simulation-based calibration of both samplers: ranks of numbered parameters among posterior draws are uniform.
//
// The quick form takes every third example, and the first for the plain sampler, which TestEqualsEnumeration compares with
// all.
// False alarms: 1e-6 for each case, split over 6 to 8 statistics. Power: a distance of 0.13 from uniform ranks at 500
// pairs, 0.021 at 20,000 (GLMBATCH_STAT=1).
func TestRanks(t *testing.T) {
	for i, e := range examples {
		for plain, steps := range map[bool]int{false: 15, true: 60} {
			if !infertest.Full() && (i%3 != 0 && e.name != "correlated" || plain && i > 0) {
				continue
			}
			o := Options{Options: mixture.Options{Components: 2 + i%2, Concentration: 0.8, Starts: 1}, Plain: plain}
			t.Run(e.name+map[bool]string{true: " plain", false: ""}[plain], func(t *testing.T) {
				infertest.RanksOf(t, e.joint(t, o, e.prior), infertest.Check{Seed: infertest.Seed(t),
					Pairs: infertest.Scale(500, 20_000), Steps: steps})
			})
		}
	}
}

// The ranks see a prior that is not the one of the simulation: of a mean that is 1.5 times as large, and of a
// probability that is larger.
func TestRanksCatch(t *testing.T) {
	for i, prior := range map[int]string{0: "normal_inverse_gamma(2.5, 0.5, 1.5, 2)", 1: "gamma(1.3, 0.2)", 3: "beta(3, 1)",
		4: Dirichlet, 5: Dirichlet, 6: Dirichlet, 8: Dirichlet} {
		e := examples[i]
		t.Run(e.name, func(t *testing.T) {
			infertest.MustReject(t, func(tb infertest.TB) {
				o := Options{Options: mixture.Options{Components: 2, Concentration: 0.8, Starts: 1}}
				infertest.RanksOf(tb, e.joint(t, o, prior), infertest.Check{Seed: 1, Pairs: 700, Steps: 10})
			})
		})
	}
}

// A position keeps a weight that underflows at 0, and a chain that is put there has it at −Inf.
func TestUnderflow(t *testing.T) {
	s := examples[1].setup(t, Options{Options: mixture.Options{Components: 2}})
	position := make([]float64, s.Len())
	s.Write(position, []float64{-1e4, 0}, []float64{2, 1})
	logW, theta := make([]float64, 2), make([]float64, 2)
	s.Read(position, logW, theta)
	if !math.IsInf(logW[0], -1) || logW[1] != 0 || position[0] != 1 || position[1] != 0 {
		t.Errorf("position %v, read as %v", position, logW)
	}
}
