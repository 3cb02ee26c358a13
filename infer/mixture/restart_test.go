package mixture_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/collapsed"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/mixture"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
)

// eruptions are 299 simulated responses with ties as in MASS::geyser, in which eruptions in the dark were recorded as 2 or
// 4 minutes. In the main mode of three components, one is for the 53 that are 4.
func eruptions() *glm.Data {
	rng, n := infer.NewStream(8, "eruptions"), 299
	x := design.NewDense(n, 1)
	data := &glm.Data{X: x, Names: []string{"(Intercept)"}, Y: make([]float64, n)}
	for i := range n {
		x.Values[i] = 1
		switch {
		case i < 53:
			data.Y[i] = 4
		case i < 76:
			data.Y[i] = 2
		case i < 150:
			data.Y[i] = math.Round(60*(1.95+0.25*variate.Normal(rng))) / 60
		default:
			data.Y[i] = math.Round(60*(4.35+0.45*variate.Normal(rng))) / 60
		}
	}
	return data
}

// Of 30 chains of three components at most three start in a mode without mass: here none does. With one partition of the
// rows for each chain, 10 chains of mixture do and 1 of collapsed.
func TestStartsHaveMass(t *testing.T) {
	const chains, steps, apart, most = 30, 100, 8, 3
	data := eruptions()
	options := mixture.Options{Components: 3}
	target, err := glm.NewTarget(data, glm.Model{Family: glm.Family{Name: "gaussian", Link: "identity"},
		Dispersion:   prior.Prior{Kind: prior.InverseGamma, Shape: 2, Scale: 0.55},
		Coefficients: []prior.Prior{normal(3.5, 2.8)}})
	must(t, err)
	drawn, err := mixture.New(target, options)
	must(t, err)
	conjugate, err := collapsed.ParsePrior("normal_inverse_gamma(3.5, 0.1, 2, 0.002)")
	must(t, err)
	integrated, err := collapsed.New(glm.Family{Name: "gaussian", Link: "identity"}, data,
		collapsed.Options{Options: options, Prior: conjugate})
	must(t, err)
	for name, setup := range map[string]infer.Setup{"mixture": drawn, "collapsed": integrated} {
		t.Run(name, func(t *testing.T) {
			densities := make([]float64, chains) // means over the second half of the steps
			for c := range densities {
				k, err := setup.Kernel(infer.Chain{Index: c, Count: chains,
					Stream: infer.NewStream(7, name, strconv.Itoa(c))})
				must(t, err)
				for i := range steps {
					info, err := k.Step()
					must(t, err)
					if i >= steps/2 {
						densities[c] += (info.LogLik + info.LogPrior) / (steps / 2)
					}
				}
			}
			greatest, without := slices.Max(densities), 0
			for _, d := range densities {
				if d < greatest-apart {
					without++
				}
			}
			slices.Sort(densities)
			t.Logf("%d of %d: %.1f", without, chains, densities)
			if without > most {
				t.Errorf("%d of %d chains begin in a mode without mass", without, chains)
			}
		})
	}
}

// modes is a chain on independent normal numbers around one of two modes, in turn: the logs of a weight and of
// sigmas, and means. The second mode has other standard deviations of the latter four, and another log density at
// its centre.
type modes struct {
	stream      *infer.Stream
	sd, density [2]float64
	mode, count int
	logW, theta [2]float64
	means       [2]float64
}

func (m *modes) Begin([]float64) error {
	m.mode = m.count % 2
	m.count++
	return nil
}

func (m *modes) Step() (infer.Info, error) {
	sd, density := m.sd[m.mode], m.density[m.mode]
	normal := func() float64 {
		z := variate.Normal(m.stream)
		density -= z * z / 2
		return sd * z
	}
	z := variate.Normal(m.stream)
	density -= z * z / 2
	m.logW[1] = -3 + z/10
	m.logW[0] = math.Log1p(-math.Exp(m.logW[1]))
	for c := range 2 {
		m.means[c], m.theta[c] = float64(100*c)+normal(), math.Exp(normal())
		density -= math.Log(m.theta[c])
	}
	return infer.Info{LogLik: density - m.logW[1]}, nil
}

func (m *modes) State() (logW, theta []float64) {
	return m.logW[:], []float64{m.means[0], m.theta[0], m.means[1], m.theta[1]}
}

func (m *modes) Save() func() {
	mode := m.mode
	return func() { m.mode = mode }
}

// second counts how many of 100 chains start in the second mode, whose standard deviations and density are given.
func second(t *testing.T, sd, density float64) (count int) {
	t.Helper()
	l := &mixture.Layout{Components: 2, Of: []infer.Parameter{{Name: "(Intercept)", Kind: infer.Intercept},
		{Name: "sigma", Kind: infer.Dispersion}}}
	for c := range 100 {
		stream := infer.NewStream(3, "modes", strconv.Itoa(c))
		m := &modes{stream: stream, sd: [2]float64{1, sd}, density: [2]float64{0, density}}
		must(t, l.Restart(stream, m, 8))
		count += m.mode
	}
	return count
}

// A mode with 5 % of the mass is the start of as many chains as one with 95 %, so that chains disagree. False alarms:
// none, with fixed seeds; a binomial of 100 halves is outside 25 to 75 with probability 3e-7.
func TestStartsFindSeveralModes(t *testing.T) {
	if n := second(t, 1, -3); n < 25 || n > 75 {
		t.Errorf("%d of 100 chains start in a mode with 5 %% of the mass", n)
	}
}

// No chain starts in a mode with e^-12 of the mass, whether its density is larger or smaller than that of
// the other.
func TestMassIsThatOfAMode(t *testing.T) {
	for _, c := range []struct{ sd, density float64 }{{math.Exp(-4), 4}, {math.Exp(4), -28}} { // four coordinates
		if n := second(t, c.sd, c.density); n > 0 {
			t.Errorf("%d of 100 chains start in a mode with standard deviations %v and density e^%v", n, c.sd, c.density)
		}
	}
	if n := second(t, math.Exp(-4), 28); n < 100 {
		t.Errorf("%d of 100 chains start in the mode with e^12 of the mass", n)
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
