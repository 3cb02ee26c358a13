package collapsed

import (
	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/mixture"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// positive: y ~ gamma of known shape k, mean ~ inverse gamma(a, b). Statistics: n, Σ y. theta is the log of the
// mean.
type positive struct {
	regression
	y       []float64
	k, a, b float64
}

func newPositive(r regression, data *glm.Data, p Prior) family {
	return &positive{regression: r, y: data.Y, k: p.Numbers[0], a: p.Numbers[1], b: p.Numbers[2]}
}

func (f *positive) parameters() []infer.Parameter { return interceptOnly }

func (f *positive) size() int { return 2 }

func (f *positive) add(s statistics, i int, sign float64) {
	s[0] += sign
	s[1] += float64(sign * f.y[i])
}

// given returns the numbers of the posterior of the mean given rows.
func (f *positive) given(s statistics) (a, b float64) {
	return f.a + float64(f.k*s[0]), f.b + float64(f.k*max(0, s[1]))
}

// predictive is a beta prime density.
func (f *positive) predictive(s statistics, i int) float64 {
	a, b := f.given(s)
	return vec.LogGamma(a+f.k) - vec.LogGamma(a) + float64(a*vec.Log(b)) - float64((a+f.k)*vec.Log(b+float64(f.k*f.y[i])))
}

func (f *positive) draw(from variate.Source, s statistics, theta []float64) {
	a, b := f.given(s)
	theta[0] = vec.Log(b) - mixture.LogGamma(from, a)
}

func (f *positive) logLik(theta, dst, scratch []float64) {
	f.regression.logLik([]float64{theta[0], f.k}, dst, scratch)
}

func (f *positive) logPrior(theta []float64) float64 {
	return float64(f.a*(vec.Log(f.b)-theta[0])) - vec.LogGamma(f.a) - float64(f.b*vec.Exp(-theta[0]))
}

func (f *positive) simulate(from variate.Source, theta [][]float64) (family, error) {
	own := make([][]float64, len(theta))
	for i, of := range theta {
		own[i] = []float64{of[0], f.k}
	}
	y, err := f.responses(from, own)
	if err != nil {
		return nil, err
	}
	r, err := f.again(y, nil)
	return newPositive(r, &glm.Data{Y: y}, Prior{Numbers: []float64{f.k, f.a, f.b}}), err
}
