package cggibbs_test

import (
	"fmt"
	"math"
	"syscall"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// wavy simulates n rows of a family whose linear predictor is a sum of curves of covariates in [0, 1], with a column of
// each covariate and its smooth of 8 penalised columns, cos(πlx)/l² for l = 2 … 9, which a second derivative penalises
// alike. The first curve is steep, the second mild, the third nearly none.
func wavy(family, link string, n, smooths int, noise float64) (data glm.Data, model glm.Model) {
	const each = 8
	rng := infer.NewStream(5, "wavy")
	x := design.NewDense(n, 1+smooths*(1+each))
	data = glm.Data{X: x, Intercept: 0, Names: []string{"(Intercept)"}, Y: make([]float64, n)}
	wide := prior.Prior{Kind: prior.Normal, Scale: 10}
	sd := prior.Prior{Kind: prior.HalfStudentT, DF: 3, Scale: 2.5}
	model = glm.Model{Family: glm.Family{Name: family, Link: link}, Coefficients: []prior.Prior{wide}, Dispersion: sd}
	for i := range n {
		x.Col(0)[i] = 1
	}
	eta, at := make([]float64, n), 1
	for k := range smooths {
		data.Names, model.Coefficients = append(data.Names, fmt.Sprint("x", k+1)), append(model.Coefficients, wide)
		s := design.Smooth{Name: fmt.Sprintf("sx%d_1", k+1), Term: fmt.Sprintf("s(x%d)", k+1), First: at + 1, Last: at + 1 + each}
		for i := range n {
			u := rng.Float64()
			x.Col(at)[i] = u - 0.5
			for l := range each {
				x.Col(at + 1 + l)[i] = math.Cos(math.Pi*float64(l+2)*u) * 4 / float64((l+2)*(l+2))
			}
			eta[i] += []float64{math.Sin(7*u*u) * 1.2, 0.5 * math.Cos(4*u), 0.2 * u}[k%3]
		}
		for l := range each {
			data.Names = append(data.Names, fmt.Sprintf("s_%s[%d]", s.Name, l+1))
			model.Coefficients = append(model.Coefficients, prior.Prior{Kind: prior.Penalised})
		}
		data.Smooths, model.Smooths = append(data.Smooths, s), append(model.Smooths, sd)
		at += 1 + each
	}
	outcomes, err := glm.NewPointwise(model.Family, &glm.Data{X: x, Names: data.Names, Intercept: 0})
	if err != nil {
		panic(err)
	}
	for i, e := range eta {
		data.Y[i] = outcomes.Draw(rng, i, e, []float64{noise, 1})
	}
	return data, model
}

// wavyProblems are those of the benchmark.
var wavyProblems = []struct {
	family, link string
	n, smooths   int
	noise        float64
}{
	{"gaussian", "identity", 133, 1, 0.4},
	{"gaussian", "identity", 10_000, 3, 0.4},
	{"gaussian", "identity", 1_000_000, 3, 0.4},
	{"bernoulli", "logit", 300, 1, 0},
	{"bernoulli", "logit", 300, 3, 0},
	{"bernoulli", "logit", 10_000, 3, 0},
	{"poisson", "log", 10_000, 3, 0},
	{"poisson", "log", 200, 3, 0},
	{"negative_binomial", "log", 10_000, 3, 2},
	{"negative_binomial", "log", 200, 1, 1},
	{"gamma", "log", 500, 2, 2},
	{"bernoulli", "logit", 100_000, 3, 0},
	{"bernoulli", "logit", 1_000_000, 3, 0},
}

// spent is the processor time of this process in seconds.
func spent() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + 1e-6*float64(u.Utime.Usec+u.Stime.Usec)
}

// BenchmarkSmooths is the processor time of one chain, set-up and 100 iterations of warm-up in, until every parameter and
// three values of each curve have 100 effective draws, and the least effective draws of an iteration.
func BenchmarkSmooths(b *testing.B) {
	for _, p := range wavyProblems {
		for _, basis := range []string{"auto", "coordinate"} {
			if basis == "coordinate" && p.n > 10_000 {
				continue
			}
			b.Run(fmt.Sprintf("%s/n=%d/smooths=%d/%s", p.family, p.n, p.smooths, basis), func(b *testing.B) {
				data, model := wavy(p.family, p.link, p.n, p.smooths, p.noise)
				for range b.N {
					smoothESS(b, &data, model, basis)
				}
			})
		}
	}
}

// curves are three values of each curve.
func curves(data *glm.Data, theta []float64) (out []float64) {
	for _, s := range data.Smooths {
		for r := range 3 {
			sum := 0.0
			for j := s.First - 1; j < s.Last; j++ {
				sum += data.X.(*design.Dense).Col(j)[r] * theta[j]
			}
			out = append(out, sum)
		}
	}
	return out
}

func smoothESS(b *testing.B, data *glm.Data, model glm.Model, basis string) {
	target, err := glm.NewTarget(data, model)
	if err != nil {
		b.Fatal(err)
	}
	begin := spent()
	setup, err := cggibbs.New(target, cggibbs.Options{Basis: basis})
	if err != nil {
		b.Fatal(err)
	}
	k, err := setup.Kernel(infer.Chain{Count: 1, Warmup: 100, Stream: infer.NewStream(1, "speed")})
	if err != nil {
		b.Fatal(err)
	}
	step := func(n int, each func()) {
		for range n {
			if _, err := k.Step(); err != nil {
				b.Fatal(err)
			}
			each()
		}
	}
	step(100, func() {})
	ready := spent() - begin
	params := setup.Parameters()
	draws, theta := make([][]float64, len(params)+3*len(data.Smooths)), make([]float64, len(params))
	seconds, drawn, least, worst := 0.0, 0, 0.0, 0
	for least < 200 && drawn < 20_000 && seconds < 30 {
		more := max(200, drawn)
		before := spent()
		step(more, func() {
			k.Position(theta)
			for i, v := range theta {
				draws[i] = append(draws[i], v)
			}
			for i, v := range curves(data, theta) {
				draws[len(params)+i] = append(draws[len(params)+i], v)
			}
		})
		seconds += spent() - before
		drawn += more
		least = math.Inf(1)
		for i := range draws {
			if ess := diag.ESSBulk([][]float64{draws[i]}); ess < least {
				least, worst = ess, i
			}
		}
	}
	b.ReportMetric(ready+seconds*100/least, "s/ESS100")
	b.ReportMetric(ready, "s-ready")
	b.ReportMetric(1e3*seconds/float64(drawn), "ms/iter")
	b.ReportMetric(least/float64(drawn), "ess/iter")
	b.ReportMetric(0, "ns/op")
	b.Logf("least is number %d of %d parameters, then curves, by %d draws", worst, len(params), drawn)
}
