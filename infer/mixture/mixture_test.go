package mixture_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/mixture"
	"glmbatch/infer/prior"
)

func normal(m, s float64) prior.Prior { return prior.Prior{Kind: prior.Normal, Location: m, Scale: s} }

// regression is a model with an intercept and a column on n rows.
func regression(family, link string, n int, disp prior.Prior) (*glm.Data, glm.Model) {
	x := design.NewDense(n, 2)
	for i := range n {
		x.Values[i], x.Values[n+i] = 1, float64(i%5)-2
	}
	return &glm.Data{X: x, Names: []string{"(Intercept)", "a"}, Y: make([]float64, n)}, glm.Model{
		Family: glm.Family{Name: family, Link: link}, Dispersion: disp,
		Coefficients: []prior.Prior{normal(0.5, 0.8), normal(0, 0.5)}}
}

var (
	inverse     = prior.Prior{Kind: prior.InverseGamma, Shape: 3, Scale: 2}
	exponential = prior.Prior{Kind: prior.Exponential, Rate: 1}
)

// cases are models of every kind of likelihood, with responses, trials, precisions, frequencies and an offset.
func cases(t *testing.T) map[string]*glm.Target {
	t.Helper()
	out := map[string]*glm.Target{}
	add := func(name, family, link string, disp prior.Prior, y []float64, more func(*glm.Data)) {
		data, model := regression(family, link, len(y), disp)
		data.Y = y
		if more != nil {
			more(data)
		}
		target, err := glm.NewTarget(data, model)
		must(t, err)
		out[name] = target
	}
	add("gaussian", "gaussian", "identity", inverse, []float64{0.1, 2, -1, 3, 0.4, 1, 5}, func(d *glm.Data) {
		d.Offset = []float64{0, 1, 0, 0.5, 0, 0, 2}
		d.Precision = []float64{1, 2, 1, 0.5, 1, 3, 1}
	})
	add("fixed", "gaussian", "identity", prior.Prior{Kind: prior.Constant, Location: 0.7}, []float64{0.1, 2, -1, 3, 0.4}, nil)
	add("binomial", "binomial", "logit", prior.Prior{}, []float64{1, 0, 3, 4, 2}, func(d *glm.Data) {
		d.Trials = []float64{2, 3, 3, 4, 9}
	})
	add("poisson", "poisson", "log", prior.Prior{}, []float64{1, 0, 3, 7, 2}, func(d *glm.Data) {
		d.Frequency = []float64{2, 1, 3, 1, 5}
	})
	add("negative_binomial", "negative_binomial", "log", exponential, []float64{1, 0, 3, 17, 2}, func(d *glm.Data) {
		d.Frequency = []float64{2, 1, 3, 1, 1}
	})
	add("gamma", "gamma", "log", exponential, []float64{1, 0.2, 3, 7, 2}, nil)
	add("probit", "bernoulli", "probit", prior.Prior{}, []float64{1, 0, 1, 1, 0}, nil)
	return out
}

// density is log likelihood and log prior at a position, by the definition of the mixture.
func density(target *glm.Target, l *mixture.Layout, concentration float64, position []float64) (logLik, logPrior float64) {
	data, k, d := target.Data(), l.Components, len(l.Of)
	logW, theta := make([]float64, k), make([]float64, k*d)
	l.Read(position, logW, theta)
	rows, err := glm.NewPointwise(target.Model().Family, data)
	if err != nil {
		panic(err)
	}
	g, _ := math.Lgamma(float64(k) * concentration)
	g1, _ := math.Lgamma(concentration)
	logPrior = g - float64(k)*g1
	at := make([]float64, data.Rows())
	for c := range k {
		logPrior += (concentration-1)*logW[c] + target.LogPrior(theta[c*d:(c+1)*d])
		disp := theta[c*d+data.Cols() : (c+1)*d]
		if len(disp) == 0 && len(target.Model().Family.Dispersions()) > 0 {
			disp = []float64{target.Model().Dispersion.Location}
		}
		for i := range at {
			eta := [1]float64{}
			for j := range data.Cols() {
				eta[0] += data.X.Column(j).Values[i] * theta[c*d+j]
			}
			if data.Offset != nil {
				eta[0] += data.Offset[i]
			}
			rows.LogLik(i, eta[:], disp, eta[:])
			at[i] += math.Exp(logW[c] + eta[0])
		}
	}
	for i, p := range at {
		f := 1.0
		if data.Frequency != nil {
			f = data.Frequency[i]
		}
		logLik += f * math.Log(p)
	}
	return logLik, logPrior
}

func TestConformance(t *testing.T) {
	for name, target := range cases(t) {
		t.Run(name, func(t *testing.T) {
			l := &mixture.Layout{Components: 3, Of: target.Parameters()}
			of := func(k int) func() (infer.Setup, error) {
				return func() (infer.Setup, error) {
					return mixture.New(target, mixture.Options{Components: k, Concentration: 1.5})
				}
			}
			setup, err := of(3)()
			must(t, err)
			infertest.Conforms(t, setup, infertest.Posterior{Parameters: l.Parameters(),
				LogDensity: func(position []float64) (float64, float64) { return density(target, l, 1.5, position) },
				Other: func() ([]byte, error) {
					two, err := of(2)()
					if err != nil {
						return nil, err
					}
					k, err := two.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1)})
					if err != nil {
						return nil, err
					}
					return k.MarshalBinary()
				}})
		})
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-15 }

func TestNames(t *testing.T) {
	target := cases(t)["gaussian"]
	l := &mixture.Layout{Components: 2, Of: target.Parameters(), Order: 0}
	var names []string
	for _, p := range l.Parameters() {
		names = append(names, p.Name)
	}
	want := "theta1 theta2 mu1_Intercept mu1_a sigma1 mu2_Intercept mu2_a sigma2 unsorted_theta1 unsorted_theta2 " +
		"unsorted_mu1_Intercept unsorted_mu1_a unsorted_sigma1 unsorted_mu2_Intercept unsorted_mu2_a unsorted_sigma2"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("parameters %s, want %s", got, want)
	}
	position := make([]float64, l.Len())
	l.Write(position, []float64{math.Log(0.7), math.Log(0.3)}, []float64{5, 1, 2, 4, 3, 1})
	if want := []float64{0.3, 0.7, 4, 3, 1, 5, 1, 2, 0.7, 0.3, 5, 1, 2, 4, 3, 1}; !slices.EqualFunc(position, want, near) {
		t.Errorf("position %v, want %v", position, want)
	}
	if blocks := l.Blocks(position); len(blocks) != 4 || blocks[2][0] != 5 || blocks[1][0] != 5 || len(blocks[0]) != 3 {
		t.Errorf("blocks %v", blocks)
	}
	if keys := l.Keys(); position[keys[0]] != 5 || position[keys[1]] != 4 {
		t.Errorf("keys %v", keys)
	}
	l.Order = mixture.OrderOf(l.Of, mixture.ByWeight)
	l.Write(position, []float64{math.Log(0.7), math.Log(0.3)}, []float64{5, 1, 2, 4, 3, 1})
	if !near(position[0], 0.3) || !near(position[l.Keys()[1]], 0.3) {
		t.Errorf("by weight the position is %v", position)
	}
}

func TestSwitches(t *testing.T) {
	got := mixture.Switches([][]float64{{1, 1, 3, 3, 1, 3, 3}, {2, 2, 2, 2, 2, 2, 2}})
	if got.Switches != 3 || !slices.Equal(got.Commonest, []int{1, 0}) {
		t.Errorf("%+v, want 3 switches, and in most draws the second component first", got)
	}
}

// A mixture that cannot be sampled is refused with the remedy.
func TestRefused(t *testing.T) {
	data, model := regression("poisson", "log", 4, prior.Prior{})
	data.Y = []float64{1, 2, 0, 1}
	refused := func(want string, o mixture.Options, change func(*glm.Model)) {
		t.Helper()
		m := model
		m.Coefficients = slices.Clone(model.Coefficients)
		if change != nil {
			change(&m)
		}
		target, err := glm.NewTarget(data, m)
		must(t, err)
		if _, err = mixture.New(target, o); err == nil || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	two := mixture.Options{Components: 2}
	refused("a has a flat one", two, func(m *glm.Model) { m.Coefficients[1] = prior.Prior{Kind: prior.Flat} })
	refused("no horseshoe priors", two, func(m *glm.Model) {
		m.Coefficients[1] = prior.Prior{Kind: prior.Horseshoe, Scale: 1}
	})
	model.Family, model.Dispersion = glm.Family{Name: "gaussian", Link: "identity"}, exponential
	refused("sigma", two, nil)
	model.Family, model.Dispersion = glm.Family{Name: "gamma", Link: "log"}, inverse
	data.Y = []float64{1, 2, 3, 1}
	refused("shape", two, nil)
	model.Family, data.Y = glm.Family{Name: "poisson", Link: "log"}, []float64{1, 2, 0, 1}
	refused("1 components", mixture.Options{Components: 1}, nil)
	refused("concentration -1", mixture.Options{Components: 2, Concentration: -1}, nil)
	refused(`no parameter "b"`, mixture.Options{Components: 2, Order: "b"}, nil)
}
