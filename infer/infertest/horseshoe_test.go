package infertest_test

import (
	"fmt"
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/nuts"
	"glmbatch/infer/prior"
)

// NUTS keeps its contract on the scales too.
func TestNutsConformsOnHorseshoes(t *testing.T) {
	for _, i := range []int{0, 3} {
		c := infertest.HorseshoeCases()[i]
		_, target, err := c.Simulate(infer.NewStream(5, "nuts", c.Name))
		must(t, err)
		t.Run(c.Name, func(t *testing.T) {
			infertest.Conformance(t, target, warmed(nutsSampler(nuts.Options{MaxDepth: 5}), 60))
		})
	}
}

// False alarms: 1e-6 for each of 5 cases. Power: a distance of 0.19 between distributions with 460 pairs, of 0.029
// in the full form; tau0 four times too large is caught.
func TestNutsInvarianceOnHorseshoes(t *testing.T) {
	s := nutsSampler(nuts.Options{StepSize: 0.2, MaxDepth: 4})
	check := infertest.Check{Pairs: infertest.Scale(460, 20_000), Steps: 2, Seed: infertest.Seed(t)}
	for i, c := range infertest.HorseshoeCases() {
		if i%3 != 0 && !infertest.Full() {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			check.Case, check.Sampler = c, s
			infertest.Invariance(t, check)
		})
	}
	check.Case, check.Sampler = infertest.HorseshoeCases()[0], infertest.WrongPriorScale(s, 4)
	check.Seed, check.Pairs, check.Steps = 1, 1000, 20
	infertest.MustReject(t, func(tb infertest.TB) { infertest.Invariance(tb, check) })
}

// tiny is a gaussian model with sigma = 1 whose posterior is a quadrature away:
// given the scales the coefficients are normal, and their marginal density is a
// normal one of the response.
type tiny struct {
	name   string
	prior  prior.Prior
	xx, xy []float64 // XᵀX by rows; Xᵀy
	cols   int
	target *glm.Target
}

func newTiny(t *testing.T, name string, law prior.Prior, cols int) *tiny {
	x, y := design.NewDense(6, cols), []float64{1.1, -0.4, 2.0, 0.3, -1.2, 1.6}
	names := []string{"a", "b"}[:cols]
	for i := range y {
		for j := range cols {
			x.Col(j)[i] = math.Mod(float64(i+1)*[]float64{0.754877666246693, 0.569840290998053}[j], 1)*2 - 0.6
		}
	}
	f := &tiny{name: name, prior: law, cols: cols}
	for i := range cols {
		for j := range cols {
			dot := 0.0
			for r := range y {
				dot += x.Col(i)[r] * x.Col(j)[r]
			}
			f.xx = append(f.xx, dot)
		}
		dot := 0.0
		for r, v := range y {
			dot += x.Col(i)[r] * v
		}
		f.xy = append(f.xy, dot)
	}
	model := glm.Model{Family: glm.Family{Name: "gaussian", Link: "identity"}, Dispersion: prior.Prior{Kind: prior.Constant, Location: 1}}
	for range cols {
		model.Coefficients = append(model.Coefficients, law)
	}
	var err error
	if f.target, err = glm.NewTarget(&glm.Data{X: x, Y: y, Names: names, Intercept: -1}, model); err != nil {
		t.Fatal(err)
	}
	return f
}

func tinies(t *testing.T) []*tiny {
	return []*tiny{
		newTiny(t, "plain", prior.Prior{Kind: prior.Horseshoe, Scale: 0.5}, 2),
		newTiny(t, "regularised", prior.Prior{Kind: prior.RegularisedHorseshoe, Scale: 0.7, DF: 4, Slab: 0.8}, 1),
	}
}

// given returns the mean and variance of the first coefficient given spreads,
// and the log of the marginal density of y.
func (f *tiny) given(spreads []float64) (mean, variance, logY float64) {
	a := f.xx[0] + 1/spreads[0]/spreads[0]
	if f.cols == 1 {
		mean = f.xy[0] / a
		return mean, 1 / a, 0.5*f.xy[0]*mean - 0.5*math.Log(a) - math.Log(spreads[0])
	}
	b, c := f.xx[1], f.xx[3]+1/spreads[1]/spreads[1]
	det := a*c - b*b
	mean = (c*f.xy[0] - b*f.xy[1]) / det
	second := (a*f.xy[1] - b*f.xy[0]) / det
	return mean, c / det, 0.5*(f.xy[0]*mean+f.xy[1]*second) - 0.5*math.Log(det) - math.Log(spreads[0]*spreads[1])
}

// exact returns the moments that functions returns the draws of, by the
// trapezoidal rule on the logs of the scales from −16 to 16: the integrand is
// smooth and falls like e^−|x| or faster. Steps of 1/4 and 1/8 agree to 1e-6.
func (f *tiny) exact(step float64) []float64 {
	half := int(16 / step)
	sech := func(x float64) float64 { return -math.Log(math.Cosh(x)) } // C⁺ in log x
	sums, total := make([]float64, 4), 0.0
	regular := f.prior.Kind == prior.RegularisedHorseshoe
	for i := -half; i <= half; i++ {
		logTau := math.Log(f.prior.Scale) + step*float64(i)
		for j := -half; j <= half; j++ {
			l1 := step * float64(j)
			for k := -half; k <= half; k++ {
				third := step * float64(k) // log c, or the second log lambda
				weight := sech(step*float64(i)) + sech(l1)
				spreads := []float64{math.Exp(logTau + l1), 0}
				if regular {
					b := f.prior.DF * f.prior.Slab * f.prior.Slab / 2
					weight += -f.prior.DF*third - b*math.Exp(-2*third)
					c := math.Exp(third)
					spreads[0] = spreads[0] * c / math.Hypot(spreads[0], c)
				} else {
					weight += sech(third)
					spreads[1] = math.Exp(logTau + third)
				}
				mean, variance, logY := f.given(spreads)
				w := math.Exp(weight + logY)
				total += w
				for s, v := range []float64{mean, mean*mean + variance, logTau, third} {
					sums[s] += w * v
				}
			}
		}
	}
	for s := range sums {
		sums[s] /= total
	}
	return sums
}

// functions returns beta, beta², log tau and log c (or the second log lambda) of
// a position.
func (f *tiny) functions(theta []float64) [4]float64 {
	return [4]float64{theta[0], theta[0] * theta[0], math.Log(theta[f.cols]), math.Log(theta[len(theta)-1-boolean(f.cols == 1)])}
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Both samplers find the moments that quadrature gives, for one regularised
// coefficient and for two plain ones.
//
// False alarms: each of 16 means must lie within 6 of its standard errors by 50
// batches, at most 1e-5 in all. Power: the logs print errors and standard errors
// in posterior standard deviations. In the quick form the latter are 0.006 to
// 0.03. In the full form 8 million sweeps of Gibbs came within 0.0008 in all
// moments, at standard errors of 0.0003 to 0.0014, 1 million draws of NUTS
// within 0.005, at 0.0012 to 0.0019.
func TestHorseshoeQuadrature(t *testing.T) {
	for _, f := range tinies(t) {
		exact := f.exact(0.25)
		for name, s := range map[string]infertest.Sampler{
			"cggibbs": gibbs(cggibbs.Options{}),
			"nuts":    warmed(nutsSampler(nuts.Options{TargetAccept: 0.95}), 500),
		} {
			draws := infertest.Scale(20_000, 1_000_000)
			if name == "nuts" {
				draws = infertest.Scale(3000, 200_000)
			}
			t.Run(f.name+"/"+name, func(t *testing.T) { f.compare(t, s, draws, exact) })
		}
	}
}

func (f *tiny) compare(t *testing.T, s infertest.Sampler, draws int, exact []float64) {
	setup, err := s(f.target)
	must(t, err)
	k, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(infertest.Seed(t), "quadrature", f.name)})
	must(t, err)
	const batches = 50
	var means [4][batches]float64
	var total, squares [4]float64
	theta := make([]float64, f.target.Dim())
	for i := range draws + 200 {
		if _, err := k.Step(); err != nil {
			t.Fatal(err)
		}
		if i < 200 {
			continue
		}
		k.Position(theta)
		for q, v := range f.functions(theta) {
			means[q][(i-200)*batches/draws] += v * batches / float64(draws)
			total[q] += v / float64(draws)
			squares[q] += v * v / float64(draws)
		}
	}
	words := ""
	for q := range means {
		spread := 0.0
		for _, m := range means[q] {
			spread += (m - total[q]) * (m - total[q])
		}
		mcse, sd := math.Sqrt(spread/(batches-1)/batches), math.Sqrt(squares[q]-total[q]*total[q])
		if !(math.Abs(total[q]-exact[q]) < 6*mcse) {
			t.Errorf("moment %d is %v ± %v, by quadrature %v", q, total[q], mcse, exact[q])
		}
		words += fmt.Sprintf(" %.5f (±%.5f)", math.Abs(total[q]-exact[q])/sd, mcse/sd)
	}
	t.Logf("errors in posterior standard deviations:%s", words)
}

func TestQuadratureConverges(t *testing.T) {
	if !infertest.Full() {
		t.Skip("10 s; set GLMBATCH_STAT=1")
	}
	for _, f := range tinies(t) {
		coarse, fine := f.exact(0.25), f.exact(0.125)
		for q := range coarse {
			if math.Abs(coarse[q]-fine[q]) > 1e-6 {
				t.Errorf("%s: moment %d is %v by steps of 1/4, %v by 1/8", f.name, q, coarse[q], fine[q])
			}
		}
	}
}
