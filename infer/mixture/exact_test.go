package mixture_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/mixture"
	"glmbatch/infer/prior"
)

// joint is the distribution of a mixture of K components and responses of it, on the rows of a model.
func joint(data *glm.Data, model glm.Model, o mixture.Options, faulty func(infer.Setup) infer.Setup) infertest.Joint {
	for i := range data.Y {
		data.Y[i] = float64(i % 2) // for a target of parameters alone
	}
	first, err := glm.NewTarget(data, model)
	if err != nil {
		panic(err)
	}
	of := first.Parameters()
	l := &mixture.Layout{Components: o.Components, Of: of, Order: mixture.OrderOf(of, o.Order), Known: o.Known}
	out := infertest.Joint{Name: model.Family.Name + " " + strconv.Itoa(o.Components)}
	for _, p := range l.Parameters() {
		out.Statistics = append(out.Statistics, p.Name)
	}
	out.Statistics = append(out.Statistics, "log_lik", "log_prior", "sum of y − mean of the first")
	d, k := len(of), o.Components
	out.Simulate = func(rng *infer.Stream) ([]float64, infertest.Given, error) {
		logs, theta := make([]float64, k), make([]float64, k*d)
		mixture.DrawWeights(rng, o.Concentration, make([]float64, k), logs)
		for c, w := range o.Known {
			logs[c] = math.Log(w)
		}
		for c := range k {
			first.DrawPrior(rng, theta[c*d:(c+1)*d])
		}
		own := *data
		own.Y = make([]float64, data.Rows())
		rows, err := glm.NewPointwise(model.Family, data)
		if err != nil {
			return nil, infertest.Given{}, err
		}
		for i := range own.Y {
			c := mixture.Pick(rng.Float64(), logs, 0)
			eta := 0.0
			for j := range data.Cols() {
				eta += data.X.Column(j).Values[i] * theta[c*d+j]
			}
			own.Y[i] = rows.Draw(rng, i, eta, theta[c*d+data.Cols():(c+1)*d])
		}
		position := make([]float64, l.Len())
		l.Write(position, logs, theta)
		target, err := glm.NewTarget(&own, model)
		return position, infertest.Given{
			Setup: func() (infer.Setup, error) {
				setup, err := mixture.New(target, o)
				if err == nil && faulty != nil {
					setup = faulty(setup)
				}
				return setup, err
			},
			Evaluate: func(position []float64) []float64 {
				lik, prior := density(target, l, o.Concentration, position)
				rest := 0.0
				for _, y := range own.Y {
					rest += y - position[k]
				}
				return append(append([]float64(nil), position...), lik, prior, rest)
			},
		}, err
	}
	return out
}

// False alarms: 1e-6 for each case, split over some 20 statistics. Power: 600 pairs put the critical distance of laws
// at 0.17, 20,000 (GLMBATCH_STAT=1) at 0.030.
func TestInvariance(t *testing.T) {
	for _, c := range []struct {
		family, link string
		disp         prior.Prior
		o            mixture.Options
	}{
		{"gaussian", "identity", inverse, mixture.Options{Components: 2, Concentration: 0.7, Starts: 1}},
		{"poisson", "log", prior.Prior{}, mixture.Options{Components: 3, Concentration: 2, Order: "a", Starts: 1}},
		{"bernoulli", "probit", prior.Prior{}, mixture.Options{Components: 2, Concentration: 1, Order: mixture.ByWeight, Starts: 1}},
		{"poisson", "log", prior.Prior{}, mixture.Options{Components: 2, Concentration: 1, Known: []float64{0.8, 0.2}, Starts: 1}},
	} {
		t.Run(c.family, func(t *testing.T) {
			data, model := regression(c.family, c.link, 6, c.disp)
			infertest.InvarianceOf(t, joint(data, model, c.o, nil),
				infertest.Check{Seed: infertest.Seed(t), Pairs: infertest.Scale(600, 20_000)})
		})
	}
}

// numbered is the distribution of quantities that no renumbering of the components changes: half of a position,
// log_lik, log_prior and the last statistic.
func numbered(law infertest.Joint) infertest.Joint {
	half := (len(law.Statistics) - 3) / 2
	names, simulate := law.Statistics, law.Simulate
	law.Statistics = slices.Concat(names[:half], names[2*half:])
	law.Simulate = func(rng *infer.Stream) ([]float64, infertest.Given, error) {
		position, given, err := simulate(rng)
		all := given.Evaluate
		given.Evaluate = func(position []float64) []float64 {
			values := all(position)
			return slices.Concat(values[:half], values[2*half:])
		}
		return position, given, err
	}
	return law
}

// Simulation-based calibration: ranks of numbered parameters among posterior draws are uniform.
//
// False alarms: 1e-6, split over 11 statistics. Power: a distance of 0.13 from uniform ranks at 500 pairs, 0.021 at
// 20,000 (GLMBATCH_STAT=1); Steps let the least effective draws of a chain be nearly independent.
func TestRanks(t *testing.T) {
	data, model := regression("gaussian", "identity", 6, inverse)
	o := mixture.Options{Components: 2, Concentration: 0.7, Starts: 1}
	infertest.RanksOf(t, numbered(joint(data, model, o, nil)),
		infertest.Check{Seed: infertest.Seed(t), Pairs: infertest.Scale(500, 20_000), Steps: 40})
}

// The ranks see intercepts that are 0.5 too high, and weights that are halfway to the middle.
func TestRanksCatch(t *testing.T) {
	data, model := regression("gaussian", "identity", 6, inverse)
	o := mixture.Options{Components: 2, Concentration: 0.7, Starts: 1}
	for name, by := range map[string]func(p []float64){
		"weights":    func(p []float64) { p[8], p[9] = 0.5*p[8]+0.25, 0.5*p[9]+0.25 },
		"intercepts": func(p []float64) { p[10] += 0.5; p[13] += 0.5 },
	} {
		t.Run(name, func(t *testing.T) {
			infertest.MustReject(t, func(tb infertest.TB) {
				law := joint(data, model, o, func(s infer.Setup) infer.Setup { return moving{s, by} })
				infertest.RanksOf(tb, numbered(law), infertest.Check{Seed: 1, Pairs: 1000, Steps: 10})
			})
		})
	}
}

// moving is a sampler whose position is changed after each step.
type moving struct {
	infer.Setup
	by func(l []float64)
}

type movingKernel struct {
	infer.Kernel
	by func(l []float64)
	at []float64
}

func (m moving) Kernel(c infer.Chain) (infer.Kernel, error) {
	k, err := m.Setup.Kernel(c)
	return &movingKernel{k, m.by, make([]float64, len(m.Parameters()))}, err
}

func (m *movingKernel) SetPosition(p []float64) error {
	return m.Kernel.(infertest.Placer).SetPosition(p)
}

func (m *movingKernel) Step() (infer.Info, error) {
	info, err := m.Kernel.Step()
	m.Position(m.at)
	m.by(m.at)
	_ = m.SetPosition(m.at)
	return info, err
}

// Invariance sees weights that are drawn to the middle by a tenth, and intercepts that are 0.15 too high.
func TestInvarianceCatches(t *testing.T) {
	data, model := regression("gaussian", "identity", 6, inverse)
	o := mixture.Options{Components: 2, Concentration: 0.7, Starts: 1}
	for name, by := range map[string]func(p []float64){
		"weights":    func(p []float64) { p[8], p[9] = 0.9*p[8]+0.05, 0.9*p[9]+0.05 },
		"intercepts": func(p []float64) { p[10] += 0.15; p[13] += 0.15 },
	} {
		t.Run(name, func(t *testing.T) {
			infertest.MustReject(t, func(tb infertest.TB) {
				infertest.InvarianceOf(tb, joint(data, model, o, func(s infer.Setup) infer.Setup { return moving{s, by} }),
					infertest.Check{Seed: 1, Pairs: 4000})
			})
		})
	}
}

// Posterior means of a mixture of two Poisson laws equal those of a sum over a grid of weight and both intercepts, rows
// with a frequency among them.
//
// False alarms: |z| ≤ 5 for 6 means, from 60 batches of 500 iterations: 3e-5 by Student's t. Power: an error of 5
// Monte Carlo standard errors, 0.01 to 0.05 here, is seen.
func TestEqualsGrid(t *testing.T) {
	x := design.NewDense(4, 1)
	copy(x.Values, []float64{1, 1, 1, 1})
	data := &glm.Data{X: x, Names: []string{"(Intercept)"}, Y: []float64{0, 2, 6, 9}, Frequency: []float64{2, 1, 1, 2}}
	model := glm.Model{Family: glm.Family{Name: "poisson", Link: "log"}, Coefficients: []prior.Prior{normal(1, 1)}}
	target, err := glm.NewTarget(data, model)
	must(t, err)
	o := mixture.Options{Components: 2, Concentration: 1.5}
	l := &mixture.Layout{Components: 2, Of: target.Parameters()}
	want, position := grid(target, l, o), make([]float64, l.Len())
	setup, err := mixture.New(target, o)
	must(t, err)
	k, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(5, "grid")})
	must(t, err)
	const batches, length = 60, 500
	sums, squares := make([]float64, 6), make([]float64, 6)
	for range batches {
		batch := make([]float64, 6)
		for range length {
			info, err := k.Step()
			must(t, err)
			k.Position(position)
			for i, v := range summary(position, info.LogLik) {
				batch[i] += v / length
			}
		}
		for i, v := range batch {
			sums[i] += v
			squares[i] += v * v
		}
	}
	for i := range sums {
		mean := sums[i] / batches
		se := math.Sqrt((squares[i]/batches - mean*mean) / (batches - 1))
		if z := (mean - want[i]) / se; !(math.Abs(z) <= 5) {
			t.Errorf("mean %d is %.4f ± %.4f, the grid has %.4f", i, mean, se, want[i])
		}
	}
}

// summary has the ordered weights' and intercepts' part, their square, and the log likelihood.
func summary(p []float64, lik float64) []float64 {
	return []float64{p[0], p[2], p[3], p[2] * p[2], p[0] * p[3], lik}
}

// grid returns the posterior means of summary by a sum over 60³ cells.
func grid(target *glm.Target, l *mixture.Layout, o mixture.Options) []float64 {
	means, mass := make([]float64, 6), 0.0
	position := make([]float64, l.Len())
	const cells, wide = 60, 4.5
	for a := range cells {
		for b := range cells {
			for c := range cells {
				w := (float64(a) + 0.5) / cells
				theta := []float64{1 + wide*(2*(float64(b)+0.5)/cells-1), 1 + wide*(2*(float64(c)+0.5)/cells-1)}
				l.Write(position, []float64{math.Log(w), math.Log1p(-w)}, theta)
				lik, prior := density(target, l, o.Concentration, position)
				p := math.Exp(lik + prior)
				mass += p
				for i, v := range summary(position, lik) {
					means[i] += p * v
				}
			}
		}
	}
	for i := range means {
		means[i] /= mass
	}
	return means
}
