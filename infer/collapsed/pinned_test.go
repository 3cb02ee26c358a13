package collapsed_test

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/collapsed"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/mixture"
)

var (
	normal   = glm.Family{Name: "gaussian", Link: "identity"}
	counts   = glm.Family{Name: "poisson", Link: "log"}
	coins    = glm.Family{Name: "bernoulli", Link: "logit"}
	trialsOf = glm.Family{Name: "binomial", Link: "logit"}
	abc      = []string{"a", "b", "c"}
)

// ones returns data of the model y ~ 1.
func ones(y, trials []float64) *glm.Data {
	x := design.NewDense(len(y), 1)
	for i := range x.Values {
		x.Values[i] = 1
	}
	return &glm.Data{X: x, Names: []string{"(Intercept)"}, Y: y, Trials: trials}
}

func priorOf(law string, numbers ...float64) collapsed.Prior {
	return collapsed.Prior{Law: law, Numbers: numbers}
}

// TestPinned pins the draws of Version: of each family and of several columns, by both samplers. They are equal on every
// processor. If they must change, raise Version.
func TestPinned(t *testing.T) {
	const version = "collapsed/2"
	of := func(f glm.Family, data *glm.Data, p collapsed.Prior) func(collapsed.Options) (infer.Setup, error) {
		return func(o collapsed.Options) (infer.Setup, error) {
			o.Prior = p
			return collapsed.New(f, data, o)
		}
	}
	classes := func(columns ...collapsed.Column) func(collapsed.Options) (infer.Setup, error) {
		return func(o collapsed.Options) (infer.Setup, error) { return collapsed.NewClasses(columns, o) }
	}
	nan := math.NaN()
	dirichlet := priorOf(collapsed.Dirichlet, 0.7, 1.2, 0.9)
	for _, c := range []struct {
		name, want string
		setup      func(collapsed.Options) (infer.Setup, error)
	}{
		{"gaussian", "51f660803fdb2ff9ec84649edd1a9774",
			of(normal, ones([]float64{0.3, 1.5, 4, 4.5, -2}, nil), priorOf("normal_inverse_gamma", 1, 0.5, 1.5, 2))},
		{"poisson", "4e5b5e94f2c17c4a213bca612dd293b1",
			of(counts, ones([]float64{0, 1, 5, 7, 3}, nil), priorOf("gamma", 1.3, 0.4))},
		{"bernoulli", "0b7b2762b9d8008d9d7c013644ffa07b",
			of(coins, ones([]float64{0, 1, 1, 0, 1}, nil), priorOf("beta", 0.7, 1.2))},
		{"binomial", "8d7cd791ade0e97bc210f181081fbe8e",
			of(trialsOf, ones([]float64{0, 3, 7, 7, 2}, []float64{4, 4, 8, 9, 3}), priorOf("beta", 1.5, 1))},
		{"categorical", "509cfaad8e02bb032d51fadda08186d6",
			classes(collapsed.Column{Name: "q", Categories: abc, Y: []float64{0, 2, 1, 0, 2}, Prior: dirichlet})},
		{"multinomial", "74b8d5fc8c1653b00b1d1a00de64fe6a",
			classes(collapsed.Column{Name: "q", Categories: abc, Prior: dirichlet,
				Counts: [][]float64{{4, 0, 0, 3, 0}, {0, 2, 0, 1, 1}, {1, 3, 0, 0, 2}}})},
		{"classes", "b93ad078bd04e9d6fdf644586906566f",
			classes(
				collapsed.Column{Name: "q", Categories: abc, Y: []float64{0, 2, nan, 0, 2}, Prior: priorOf(collapsed.Dirichlet, 0.8)},
				collapsed.Column{Name: "x", Family: normal, Y: []float64{0.3, nan, 4, 1, 3.5},
					Prior: priorOf("normal_inverse_gamma", 1, 0.5, 2.5, 3)},
				collapsed.Column{Name: "n", Family: counts, Y: []float64{0, 4, 5, nan, 6}, Prior: priorOf("gamma", 1.3, 0.4)},
				collapsed.Column{Name: "s", Family: trialsOf, Y: []float64{0, 3, nan, 1, 2}, Trials: []float64{4, 4, 3, 2, 3},
					Prior: priorOf("beta", 1.5, 1)})},
	} {
		got := ""
		for _, plain := range []bool{false, true} {
			setup, err := c.setup(collapsed.Options{Options: mixture.Options{Components: 3, Concentration: 1.5}, Plain: plain})
			if err != nil {
				t.Fatal(err)
			}
			got += infertest.Bits(t, setup)
		}
		if got != c.want || collapsed.Version != version {
			t.Errorf("%s: %s draws bits with hash %s, pinned are %s with %s", c.name, collapsed.Version, got, c.want,
				version)
		}
	}
}
