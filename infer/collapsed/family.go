package collapsed

import (
	"cmp"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/mixture"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// family is a conjugate family on some rows.
type family interface {
	// parameters describes theta: the intercept, on the scale of the link, and sigma; or logs of probabilities.
	parameters() []infer.Parameter
	// size is the length of statistics.
	size() int
	// add adds row i to statistics, or takes it away with sign −1.
	add(s statistics, i int, sign float64)
	// predictive returns the log density of row i given rows with these statistics, up to a constant of the row.
	predictive(s statistics, i int) float64
	// draw writes a draw of theta given rows with these statistics.
	draw(from variate.Source, s statistics, theta []float64)
	// logPrior is the log prior density at theta.
	logPrior(theta []float64) float64
	// logLik writes the log densities of all rows at theta, with their constants, to dst. scratch is as long.
	logLik(theta, dst, scratch []float64)
	// simulate is the family on responses that are drawn with each row's own theta.
	simulate(from variate.Source, theta [][]float64) (family, error)
	// far is a distance of the responses of two rows, from 0 to 1.
	far(i, j int) float64
}

// statistics are sums over the rows of a component: the number of rows (of trials that failed, for binomial), Σ and
// Σ of squares, as far as the family has them; counts of categories.
type statistics []float64

// regression holds the rows of a family of package glm.
type regression struct {
	family glm.Family
	data   *glm.Data
	rows   *glm.Pointwise
	ranks  []int
}

func (r *regression) logLik(theta, dst, _ []float64) {
	for i := range dst {
		dst[i] = theta[0]
	}
	r.rows.LogLik(0, dst, theta[1:], dst)
}

func (r *regression) far(i, j int) float64 {
	d := r.ranks[i] - r.ranks[j]
	return float64(max(d, -d)) / float64(len(r.ranks))
}

// newRegression orders the rows by their responses, of trials by the share of successes.
func newRegression(f glm.Family, rows *glm.Pointwise, data *glm.Data) regression {
	return regression{f, data, rows, ranksOf(data.Rows(), func(i int) float64 {
		if m := data.Trials; m != nil && m[i] > 0 {
			return data.Y[i] / m[i]
		}
		return data.Y[i]
	})}
}

// ranksOf returns the ranks of n values, those of equal ones by their order.
func ranksOf(n int, value func(i int) float64) []int {
	order, ranks := make([]int, n), make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(value(a), value(b)) })
	for r, i := range order {
		ranks[i] = r
	}
	return ranks
}

const halfLog2Pi = 0.91893853320467274178

// newFamily is the family of data whose prior serves it.
func newFamily(f glm.Family, p Prior, data *glm.Data) (family, error) {
	rows, err := glm.NewPointwise(f, data)
	if err != nil {
		return nil, err
	}
	return lawOf(f).family(newRegression(f, rows, data), data, p), nil
}

func newGaussian(r regression, data *glm.Data, p Prior) family {
	return &gaussian{r, data.Y, p.Numbers[0], p.Numbers[1], p.Numbers[2], p.Numbers[3]}
}

func newPoisson(r regression, data *glm.Data, p Prior) family {
	return &poisson{r, data.Y, p.Numbers[0], p.Numbers[1]}
}

func newBinomial(r regression, data *glm.Data, p Prior) family {
	return &binomial{r, data.Y, data.Trials, p.Numbers[0], p.Numbers[1]}
}

var interceptOnly = []infer.Parameter{{Name: "(Intercept)", Kind: infer.Intercept}}

// gaussian: sigma² ~ inverse gamma(shape, scale), mu ~ N(mean, sigma²/rows). Statistics: n, Σ(y − mean), Σ(y − mean)².
// theta is mu, sigma.
type gaussian struct {
	regression
	y                        []float64
	mean, rows, shape, scale float64
}

func (g *gaussian) parameters() []infer.Parameter {
	return append(interceptOnly[:1:1], infer.Parameter{Name: "sigma", Kind: infer.Dispersion})
}

func (g *gaussian) size() int { return 3 }

func (g *gaussian) add(s statistics, i int, sign float64) {
	r := g.y[i] - g.mean
	s[0] += sign
	s[1] = math.FMA(sign, r, s[1])
	s[2] = math.FMA(sign*r, r, s[2])
}

// given returns the numbers of the posterior given rows. Source: Gelman et al. (2013), Bayesian Data Analysis, 3.3.
func (g *gaussian) given(s statistics) (mean, rows, shape, scale float64) {
	rows = g.rows + s[0]
	shift := s[1] / rows
	return g.mean + shift, rows, math.FMA(0.5, s[0], g.shape),
		max(g.scale, math.FMA(0.5, math.FMA(-shift, s[1], s[2]), g.scale))
}

// predictive is Student's t with 2·shape degrees of freedom.
func (g *gaussian) predictive(s statistics, i int) float64 {
	mean, rows, shape, scale := g.given(s)
	z := g.y[i] - mean
	wide := 2 * scale * ((rows + 1) / rows)
	return vec.LogGamma(shape+0.5) - vec.LogGamma(shape) -
		math.FMA(0.5, vec.Log(float64(math.Pi*wide)), float64((shape+0.5)*vec.Log1p(float64(z/wide*z))))
}

func (g *gaussian) draw(from variate.Source, s statistics, theta []float64) {
	mean, rows, shape, scale := g.given(s)
	sigma := math.Sqrt(scale / variate.Gamma(from, shape))
	theta[0], theta[1] = math.FMA(sigma/math.Sqrt(rows), variate.Normal(from), mean), sigma
}

func (g *gaussian) logPrior(theta []float64) float64 {
	mu, sigma := theta[0], theta[1]
	logSigma := vec.Log(sigma)
	z := (mu - g.mean) / sigma
	square := math.Ln2 + float64(g.shape*vec.Log(g.scale)) - vec.LogGamma(g.shape) -
		math.FMA(2*g.shape+1, logSigma, g.scale/sigma/sigma) // of sigma, not of its square
	return square + float64(0.5*vec.Log(g.rows)) - logSigma - halfLog2Pi - float64(0.5*g.rows*z*z)
}

// poisson: mean ~ gamma(shape, rate). Statistics: n, Σ y. theta is the log of the mean.
type poisson struct {
	regression
	y           []float64
	shape, rate float64
}

func (p *poisson) parameters() []infer.Parameter { return interceptOnly }

func (p *poisson) size() int { return 2 }

func (p *poisson) add(s statistics, i int, sign float64) {
	s[0] += sign
	s[1] = math.FMA(sign, p.y[i], s[1])
}

// predictive is negative binomial.
func (p *poisson) predictive(s statistics, i int) float64 {
	shape, rate, y := p.shape+s[1], p.rate+s[0], p.y[i]
	return vec.LogGamma(shape+y) - vec.LogGamma(shape) + float64(shape*vec.Log(rate)) - float64((shape+y)*vec.Log(rate+1))
}

func (p *poisson) draw(from variate.Source, s statistics, theta []float64) {
	theta[0] = mixture.LogGamma(from, p.shape+s[1]) - vec.Log(p.rate+s[0])
}

func (p *poisson) logPrior(theta []float64) float64 {
	return float64(p.shape*(vec.Log(p.rate)+theta[0])) - vec.LogGamma(p.shape) - float64(p.rate*vec.Exp(theta[0]))
}

// binomial: probability ~ beta(a, b). Statistics: failures, successes. theta is the logit of the probability.
type binomial struct {
	regression
	y, trials []float64 // nil for 1 each
	a, b      float64
}

func (b *binomial) parameters() []infer.Parameter { return interceptOnly }

func (b *binomial) size() int { return 2 }

func (b *binomial) row(i int) (successes, failures float64) {
	if b.trials == nil {
		return b.y[i], 1 - b.y[i]
	}
	return b.y[i], b.trials[i] - b.y[i]
}

func (b *binomial) add(s statistics, i int, sign float64) {
	successes, failures := b.row(i)
	s[0] = math.FMA(sign, failures, s[0])
	s[1] = math.FMA(sign, successes, s[1])
}

// predictive is beta-binomial.
func (b *binomial) predictive(s statistics, i int) float64 {
	successes, failures := b.row(i)
	return logBeta(b.a+s[1]+successes, b.b+s[0]+failures) - logBeta(b.a+s[1], b.b+s[0])
}

func (b *binomial) draw(from variate.Source, s statistics, theta []float64) {
	theta[0] = mixture.LogGamma(from, b.a+s[1]) - mixture.LogGamma(from, b.b+s[0])
}

func (b *binomial) logPrior(theta []float64) float64 {
	return float64(b.a*theta[0]) - float64((b.a+b.b)*vec.Log1pExp(theta[0])) - logBeta(b.a, b.b)
}

func logBeta(a, b float64) float64 { return vec.LogGamma(a) + vec.LogGamma(b) - vec.LogGamma(a+b) }
