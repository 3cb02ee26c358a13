package infertest_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/nuts"
	"glmbatch/infer/prior"
)

// smoothSamplers are those of models with smooths: the reference, what auto takes, and the baseline.
var smoothSamplers = map[string]infertest.Sampler{
	"coordinate": func(t *glm.Target) (infer.Setup, error) { return cggibbs.New(t, cggibbs.Options{}) },
	"auto":       func(t *glm.Target) (infer.Setup, error) { return cggibbs.New(t, cggibbs.Options{Basis: "auto"}) },
	"nuts":       func(t *glm.Target) (infer.Setup, error) { return nuts.New(t, nuts.Options{}) },
}

// moments compares posterior means of functions of theta with known ones: |z| < 5 of each, with the errors of both
// means, and standard deviations within a tenth, or five of their errors.
func moments(t *testing.T, target *glm.Target, s infertest.Sampler, draws int, of func(theta []float64) []float64, mean, sd, mcse []float64) {
	t.Helper()
	setup, err := s(target)
	must(t, err)
	chains := make([][][]float64, len(mean))
	for c := range 2 {
		k, err := setup.Kernel(infer.Chain{Index: c, Count: 2, Warmup: 500, Stream: infer.NewStream(uint64(c), "moments", t.Name())})
		must(t, err)
		theta := make([]float64, len(setup.Parameters()))
		of1 := make([][]float64, len(mean))
		for i := range 500 + draws {
			if _, err := k.Step(); err != nil {
				t.Fatal(err)
			}
			if k.Position(theta); i >= 500 {
				for j, v := range of(theta) {
					of1[j] = append(of1[j], v)
				}
			}
		}
		for j := range chains {
			chains[j] = append(chains[j], of1[j])
		}
	}
	worst := 0.0
	for j, want := range mean {
		sum, squares, n := 0.0, 0.0, 0.0
		for _, c := range chains[j] {
			for _, v := range c {
				sum, squares, n = sum+v, squares+v*v, n+1
			}
		}
		got := sum / n
		own := math.Sqrt(squares/n - got*got)
		ess := diag.ESSBulk(chains[j])
		z := (got - want) / math.Hypot(own/math.Sqrt(ess), mcse[j])
		worst = max(worst, math.Abs(z))
		if !(math.Abs(z) < 5) || !(math.Abs(own/sd[j]-1) < max(0.1, 5/math.Sqrt(2*ess))) {
			t.Errorf("function %d has mean %v and sd %v, want %v and %v: z = %.1f", j, got, own, want, sd[j], z)
		}
	}
	t.Logf("largest |z| of %d means %.2f", len(mean), worst)
}

// tinySmooth is a gaussian model with one smooth of two columns, small enough to be integrated.
func tinySmooth() (data glm.Data, model glm.Model) {
	c := infertest.Smoothed(infertest.Gaussian(9, prior.Prior{Kind: prior.HalfNormal, Scale: 1}), prior.Prior{Kind: prior.HalfStudentT, DF: 5, Scale: 0.8})
	c.Data.Y = []float64{0.3, -1.1, 0.7, 2.2, 0.1, -0.6, 1.9, 0.4, -0.2}
	return c.Data, c.Model
}

// givenScales returns covariance and mean of the coefficients given sigma and sds, as columns d to 2d of a, with the linear
// part of their log density and the log determinant of their precision.
func givenScales(data *glm.Data, model *glm.Model, sigma, tau float64) (a [][]float64, pull []float64, logDet float64) {
	d, n := data.Cols(), data.Rows()
	a = make([][]float64, d) // precision, then the unit matrix, then the mean
	for i := range a {
		a[i] = make([]float64, 2*d+1)
		p := model.Coefficients[i]
		scale, centre := p.Scale, p.Location
		if i >= data.Smooths[0].First && i < data.Smooths[0].Last {
			scale, centre = tau, 0
		}
		a[i][i], a[i][d+i], a[i][2*d] = 1/(scale*scale), 1, centre/(scale*scale)
		for j := range d {
			for r := range n {
				a[i][j] += data.X.Col(i)[r] * data.X.Col(j)[r] / (sigma * sigma)
			}
		}
		for r := range n {
			a[i][2*d] += data.X.Col(i)[r] * (data.Y[r] - data.Offset[r]) / (sigma * sigma)
		}
	}
	pull = make([]float64, d)
	for i := range a {
		pull[i] = a[i][2*d]
	}
	for i := range a {
		pivot := a[i][i]
		logDet += math.Log(pivot)
		for k := range a[i] {
			a[i][k] /= pivot
		}
		for j := range a {
			if f := a[j][i]; j != i {
				for k := range a[j] {
					a[j][k] -= f * a[i][k]
				}
			}
		}
	}
	return a, pull, logDet
}

// exactSmooth integrates over log sigma and log sds by the trapezoidal rule, and over the coefficients in closed form. It
// returns mean and variance of the coefficients, of log sigma and log sds.
func exactSmooth(data *glm.Data, model *glm.Model, step float64) (mean, sd []float64) {
	d, n := data.Cols(), data.Rows()
	first, second, total := make([]float64, d+2), make([]float64, d+2), 0.0
	for ls := -4.0; ls <= 3; ls += step {
		for lt := -9.0; lt <= 6; lt += step {
			sigma, tau := math.Exp(ls), math.Exp(lt)
			a, pull, logDet := givenScales(data, model, sigma, tau)
			log := -float64(n)*ls - 0.5*logDet - 2*lt + ls + lt // dispersions in logs; the smooth has two columns
			for r := range n {
				e := (data.Y[r] - data.Offset[r]) / sigma
				log -= 0.5 * e * e
			}
			for i := range a {
				log += 0.5 * pull[i] * a[i][2*d]
			}
			log -= 0.5 * sigma * sigma                 // half normal(1)
			log -= 3 * math.Log1p(tau*tau/(5*0.8*0.8)) // half Student's t with 5 degrees of freedom
			w := math.Exp(log)
			total += w
			for i := range a {
				first[i] += w * a[i][2*d]
				second[i] += w * (a[i][2*d]*a[i][2*d] + a[i][d+i])
			}
			for i, v := range []float64{ls, lt} {
				first[d+i] += w * v
				second[d+i] += w * v * v
			}
		}
	}
	for i := range first {
		m := first[i] / total
		mean, sd = append(mean, m), append(sd, math.Sqrt(second[i]/total-m*m))
	}
	return mean, sd
}

// Every sampler has the posterior that numerical integration finds. False alarms: |z| > 5 of 21 means.
func TestSmoothAgainstQuadrature(t *testing.T) {
	data, model := tinySmooth()
	mean, sd := exactSmooth(&data, &model, 0.1)
	finer, _ := exactSmooth(&data, &model, 0.05)
	for i, m := range mean {
		if math.Abs(m-finer[i]) > 1e-4 {
			t.Fatalf("the integral has not settled: mean %d is %v, of half the step %v", i, m, finer[i])
		}
	}
	target, err := glm.NewTarget(&data, model)
	must(t, err)
	for name, s := range smoothSamplers {
		t.Run(name, func(t *testing.T) {
			moments(t, target, s, infertest.Scale(10_000, 200_000), func(theta []float64) []float64 {
				out := append([]float64(nil), theta...)
				for i := data.Cols(); i < len(out); i++ {
					out[i] = math.Log(out[i])
				}
				return out
			}, mean, sd, make([]float64, len(mean)))
		})
	}
}

// NUTS leaves the joint distribution of position and response unchanged.
func TestSmoothNutsInvariance(t *testing.T) {
	for _, c := range append(infertest.SmoothCases()[1:4], infertest.SmoothCases()[8:]...) {
		t.Run(c.Name, func(t *testing.T) {
			infertest.Invariance(t, infertest.Check{Case: c, Sampler: smoothSamplers["nuts"], Seed: infertest.Seed(t), Pairs: infertest.Scale(600, 20_000)})
		})
	}
}

// stanSmooth is a file of testdata/smooths.
type stanSmooth struct {
	Formula, Family    string
	Scale, SDs, Sigma  float64
	Columns, Penalised [][]float64
	Of                 []int
	Y                  []float64
	Posterior          map[string]struct{ Mean, SD, MCSE float64 }
}

// model lays out data and model.
func (f *stanSmooth) model() (data glm.Data, model glm.Model) {
	columns := append(append([][]float64(nil), f.Columns...), f.Penalised...)
	x := design.NewDense(len(f.Y), len(columns))
	for j, c := range columns {
		copy(x.Col(j), c)
		model.Coefficients = append(model.Coefficients, prior.Prior{Kind: prior.Normal, Scale: f.Scale})
	}
	data = glm.Data{X: x, Y: f.Y, Intercept: 0}
	for j, k := range f.Of {
		at := len(f.Columns) + j
		if k > len(data.Smooths) {
			data.Smooths = append(data.Smooths, design.Smooth{First: at})
			model.Smooths = append(model.Smooths, prior.Prior{Kind: prior.HalfStudentT, DF: 3, Scale: f.SDs})
		}
		data.Smooths[k-1].Last = at + 1
	}
	link := map[string]string{"gaussian": "identity", "bernoulli": "logit", "poisson": "log"}[f.Family]
	model.Family = glm.Family{Name: f.Family, Link: link}
	model.Dispersion = prior.Prior{Kind: prior.Exponential, Rate: f.Sigma}
	return data, model
}

// Posteriors of models with smooths are Stan's. False alarms: |z| > 5 of some hundred means; Power: a mean that is off by
// a tenth of a standard deviation.
func TestSmoothsAgainstStan(t *testing.T) {
	infertest.Study(t)
	files, err := filepath.Glob("../../testdata/smooths/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no references")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		var f stanSmooth
		must(t, json.Unmarshal(text, &f))
		data, model := f.model()
		target, err := glm.NewTarget(&data, model)
		must(t, err)
		var mean, sd, mcse []float64
		rows := []int{}
		names := stanNames(target, &f)
		for i := range f.Y {
			if name := "eta[" + strconv.Itoa(i+1) + "]"; f.Posterior[name].SD > 0 {
				rows, names = append(rows, i), append(names, name)
			}
		}
		for _, name := range names {
			p := f.Posterior[name]
			if !(p.SD > 0) {
				t.Fatalf("%s: no %s", file, name)
			}
			mean, sd, mcse = append(mean, p.Mean), append(sd, p.SD), append(mcse, p.MCSE)
		}
		k, d := len(f.Columns), data.Cols()
		for name, s := range smoothSamplers {
			if name == "nuts" && testing.Short() {
				continue
			}
			t.Run(strings.TrimSuffix(filepath.Base(file), ".json")+"/"+name, func(t *testing.T) {
				moments(t, target, s, infertest.Scale(4000, 50_000), func(theta []float64) []float64 {
					out := append(append([]float64(nil), theta[:k]...), theta[d:]...)
					for _, i := range rows {
						eta := 0.0
						for j := range d {
							eta += data.X.Col(j)[i] * theta[j]
						}
						out = append(out, eta)
					}
					return out
				}, mean, sd, mcse)
			})
		}
	}
}

// stanNames are Stan's names of the columns' coefficients, of sigma and of the standard deviations.
func stanNames(target *glm.Target, f *stanSmooth) (names []string) {
	for j := range f.Columns {
		names = append(names, "b["+strconv.Itoa(j+1)+"]")
	}
	if target.Dim()-target.Cols() > len(target.Data().Smooths) {
		names = append(names, "sigma[1]")
	}
	for k := range target.Data().Smooths {
		names = append(names, "sds["+strconv.Itoa(k+1)+"]")
	}
	return names
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
