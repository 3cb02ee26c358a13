package mixture_test

import (
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/mixture"
	"glmbatch/infer/prior"
)

// TestPinned pins the draws of Version. They are equal on every processor. If they must change, raise Version.
func TestPinned(t *testing.T) {
	const version = "mixture/2 cggibbs/1"
	const n = 24
	small := func(i int) float64 { return float64(i * i % 5) }
	for _, c := range []struct {
		name, want, family, link string
		y                        func(i int) float64
		options                  mixture.Options
		change                   func(d *glm.Data)
	}{
		{"gaussian", "ee88f64903cf243d", "gaussian", "identity", small, mixture.Options{Components: 2}, nil},
		{"poisson", "f647facdbb14af35", "poisson", "log", small, mixture.Options{Components: 3, Concentration: 0.5}, func(d *glm.Data) {
			d.Offset = make([]float64, n)
			for i := range n {
				d.Offset[i] = float64(i%3) / 4
			}
		}},
		{"weighted", "67db203d37601339", "poisson", "log", small, mixture.Options{Components: 2}, func(d *glm.Data) {
			for i := range n {
				d.Frequency = append(d.Frequency, float64(1+i%3))
			}
		}},
		{"binomial", "186558c3123c4ab9", "binomial", "logit", small, mixture.Options{Components: 2, Order: "x"}, func(d *glm.Data) {
			for i := range n {
				d.Trials = append(d.Trials, float64(4+i%2))
			}
		}},
		{"gamma", "e5447010566bfece", "gamma", "log", func(i int) float64 { return 0.5 + small(i) }, mixture.Options{Components: 2}, nil},
		{"student", "9bd75e10cb6d175b", "student_t", "identity", small, mixture.Options{Components: 2, Order: "sigma"}, nil},
		{"skewed", "767345ff931037d8", "skew_normal", "identity", small, mixture.Options{Components: 2}, nil},
	} {
		x := design.NewDense(n, 2)
		data := &glm.Data{X: x, Names: []string{"(Intercept)", "x"}}
		for i := range n {
			x.Col(0)[i], x.Col(1)[i] = 1, float64(i*7%8-4)/4
			data.Y = append(data.Y, c.y(i))
		}
		if c.change != nil {
			c.change(data)
		}
		normal := prior.Prior{Kind: prior.Normal, Scale: 2}
		dispersion := prior.Prior{Kind: prior.InverseGamma, Shape: 2, Scale: 1}
		nu := prior.Prior{Kind: prior.Gamma, Shape: 2, Rate: 0.125}
		switch c.family {
		case "skew_normal":
			nu = normal // of its skewness, which a saved chain has negative
		case "gamma":
			dispersion = prior.Prior{Kind: prior.Gamma, Shape: 2, Rate: 1}
		}
		target, err := glm.NewTarget(data, glm.Model{Family: glm.Family{Name: c.family, Link: c.link},
			Coefficients: []prior.Prior{normal, normal}, Dispersion: dispersion, Nu: nu})
		must(t, err)
		setup, err := mixture.New(target, c.options)
		must(t, err)
		if got := infertest.Bits(t, setup); got != c.want || mixture.Version != version {
			t.Errorf("%s: %s draws bits with hash %s, pinned are %s with %s", c.name, mixture.Version, got, c.want, version)
		}
	}
}
