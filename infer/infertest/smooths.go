package infertest

import (
	"fmt"
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// Smoothed returns a case with smooths between its columns, one for each prior of a standard deviation, of 2, 3, 4, …
// penalised columns: waves of growing frequency along a covariate of its own, from the second smooth on in every other
// row alone, as of s(x, by = f).
func Smoothed(c Case, sds ...prior.Prior) Case {
	old, n := c.Data.X.(*design.Dense), c.Data.Rows()
	at := old.Cols - 1
	columns, priors, names := old.Cols, append([]prior.Prior(nil), c.Model.Coefficients[:at]...), c.Data.Names[:at:at]
	for k := range sds {
		columns += k + 2
	}
	x := design.NewDense(n, columns)
	copy(x.Values, old.Values[:at*n])
	copy(x.Col(columns-1), old.Col(at))
	for k := range sds {
		s := design.Smooth{Name: fmt.Sprintf("sx%d_1", k+1), Term: fmt.Sprintf("s(x%d)", k+1), First: at, Last: at + k + 2}
		for l := range k + 2 {
			for i := range n {
				t := math.Mod(float64(i+1)*(0.618033988749895+0.1*float64(k)), 1)
				if k == 0 || i%2 == 0 {
					x.Col(at)[i] = 2 * math.Cos(math.Pi*float64(l+1)*t) / float64(l+1)
				}
			}
			priors = append(priors, prior.Prior{Kind: prior.Penalised, Scale: 1})
			names = append(names, fmt.Sprintf("s_%s[%d]", s.Name, l+1))
			at++
		}
		c.Data.Smooths = append(c.Data.Smooths, s)
	}
	c.Data.X, c.Data.Names = x, append(names, c.Data.Names[old.Cols-1])
	c.Model.Coefficients = append(priors, c.Model.Coefficients[old.Cols-1])
	c.Model.Smooths = sds
	c.Name += fmt.Sprintf("/%d smooths", len(sds))
	return c
}

// Process makes the last smooth of a case a Gaussian process with waves of growing frequency.
func Process(c Case, length prior.Prior) Case {
	last := len(c.Data.Smooths) - 1
	s := &c.Data.Smooths[last]
	s.Numbers = 1
	for l := range s.Last - s.First {
		s.Frequencies = append(s.Frequencies, 0.5*math.Pi*float64(l+1))
	}
	s.Name = fmt.Sprintf("gpx%d", last+1)
	c.Model.Lengths = make([]prior.Prior, last+1)
	c.Model.Lengths[last] = length
	c.Name += "/process"
	return c
}

// Areas makes the last smooth of a case the effects of areas, of escar or of bym2, whose variances a number between 0
// and 1 divides.
func Areas(c Case, structure string, share prior.Prior) Case {
	last := len(c.Data.Smooths) - 1
	s := &c.Data.Smooths[last]
	s.Name, s.Structure = "car", structure
	for l := range s.Last - s.First {
		s.Shares = append(s.Shares, 1.7*float64(l)) // the first column is the constant of a component
	}
	c.Model.Lengths = make([]prior.Prior, last+1)
	c.Model.Lengths[last] = share
	c.Name += "/" + structure
	return c
}

// SmoothCases returns models with one or two smooths, some also with a horseshoe prior, of several families, with
// standard deviations of every size.
func SmoothCases() []Case {
	half := func(scale float64) prior.Prior { return prior.Prior{Kind: prior.HalfNormal, Scale: scale} }
	shapes := func(family, link string, n int, scale float64) Case {
		return Case{Name: family, Data: newDesign(n), Model: glm.Model{Family: glm.Family{Name: family, Link: link},
			Coefficients: coefficients(scale), Dispersion: prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 3}}}
	}
	shoe := Smoothed(Gaussian(12, half(1)), half(0.7))
	shoe.Model.Coefficients[1] = prior.Prior{Kind: prior.Horseshoe, Scale: 0.7}
	shoe.Name += "/horseshoe"
	tailed := Smoothed(Bernoulli(12), half(0.8))
	tailed.Model.Coefficients[0] = prior.Prior{Kind: prior.StudentT, DF: 4, Scale: 0.6}
	tailed.Model.Coefficients[1] = prior.Prior{Kind: prior.Laplace, Scale: 0.5}
	tailed.Model.Coefficients[4] = prior.Prior{Kind: prior.Uniform, Low: -1, High: 0.8}
	tailed.Name += "/tailed"
	return []Case{
		Smoothed(Gaussian(10, prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 5}), half(0.8)),
		Smoothed(Gaussian(12, half(1.5)), prior.Prior{Kind: prior.Gamma, Shape: 2, Rate: 3}, half(0.05)),
		Smoothed(Bernoulli(14), prior.Prior{Kind: prior.HalfStudentT, DF: 4, Scale: 0.7}, half(0.05)),
		Smoothed(Poisson(9), prior.Prior{Kind: prior.Uniform, Low: 0, High: 1}, half(0.4)),
		Smoothed(shapes("negative_binomial", "log", 10, 0.5), half(0.6)),
		Smoothed(shapes("gamma", "log", 10, 0.5), half(0.6)),
		shoe, tailed,
		Process(Smoothed(Gaussian(10, half(1)), half(0.7), half(0.8)), half(0.7)),
		Process(Smoothed(Poisson(9), half(0.7)), prior.Prior{Kind: prior.Gamma, Shape: 3, Rate: 6}),
		Areas(Smoothed(Poisson(9), half(0.7)), "bym2", prior.Prior{Kind: prior.Uniform, High: 1}),
		Areas(Smoothed(Gaussian(10, half(1)), half(0.7), half(0.8)), "escar",
			prior.Prior{Kind: prior.Beta, Shape: 2, Rate: 1.5}),
	}
}
