package glm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/prior"
)

// solvers returns every solver for one pilot, whatever its shape.
func solvers(p *pilot) map[string]solver {
	return map[string]solver{"primal": newPrimal(p), "dual": newDual(p), "krylov": newKrylov(p)}
}

// curvatureMatrix returns H = XᵀWX + ridge, full.
func curvatureMatrix(p *pilot) [][]float64 {
	d := p.t.Cols()
	h := make([][]float64, d)
	for a := range h {
		h[a] = make([]float64, d)
		for b := range h[a] {
			for i, w := range p.curv {
				h[a][b] += p.t.data.X.Col(a)[i] * w * p.t.data.X.Col(b)[i]
			}
		}
		h[a][a] += p.ridge[a]
	}
	return h
}

// H times every solver's step is the gradient that it was given.
func TestSolversSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, shape := range [][2]int{{30, 6}, {9, 14}, {8, 8}} {
		for _, f := range familyNames {
			p := mustTarget(t, newExample(3, f, shape[0], shape[1])).pilot
			h := curvatureMatrix(p)
			g, dst := make([]float64, shape[1]), make([]float64, shape[1])
			for j := range g {
				g[j] = r.NormFloat64()
			}
			for name, s := range solvers(p) {
				tol := 1e-11
				if name == "krylov" {
					tol = 20 * newtonResidual
				}
				s.prepare(p.curv)
				s.step(append([]float64(nil), g...), dst)
				for a := range h {
					sum := 0.0
					for b, v := range h[a] {
						sum += v * dst[b]
					}
					if math.Abs(sum-g[a]) > tol {
						t.Errorf("%s, %v, %s: (H·step)[%d] = %v, want %v", f, shape, name, a, sum, g[a])
					}
				}
			}
		}
	}
}

// unitSource gives uniforms whose normal quantiles are 0, except one that is 1.
type unitSource struct{ at, count int }

func (s *unitSource) Float64() float64 {
	s.count++
	if s.count-1 == s.at {
		return 0.8413447460685429486 // Φ(1)
	}
	return 0.5
}

// A draw is linear in its normals, M·z; exactly, MMᵀ must be H⁻¹.
func TestDrawsHaveInverseCurvature(t *testing.T) {
	for _, shape := range [][2]int{{30, 6}, {9, 14}} {
		p := mustTarget(t, newExample(3, "binomial", shape[0], shape[1])).pilot
		d := shape[1]
		h := curvatureMatrix(p)
		for name, s := range solvers(p) {
			s.prepare(p.curv)
			cov := make([]float64, d*d)
			for k := range shape[0] + d {
				column := make([]float64, d)
				s.draw(&unitSource{at: k}, column)
				for a, u := range column {
					for b, v := range column {
						cov[a*d+b] += u * v
					}
				}
			}
			tol := 1e-11
			if name == "krylov" {
				tol = 50 * drawResidual
			}
			for a := range d { // H·cov is the identity
				for b := range d {
					sum, want := 0.0, 0.0
					for k := range d {
						sum += h[a][k] * cov[k*d+b]
					}
					if a == b {
						want = 1
					}
					if math.Abs(sum-want) > tol {
						t.Errorf("%v, %s: (H·cov)(%d, %d) = %v", shape, name, a, b, sum)
					}
				}
			}
		}
	}
}

// At the penalised point the gradient of the penalised likelihood is 0.
func TestPenalisedPoint(t *testing.T) {
	for _, f := range familyNames {
		for _, shape := range [][2]int{{50, 4}, {12, 30}, {410, 405}, {405, 800}} {
			if shape[0] > 400 && testing.Short() {
				continue
			}
			e := newExample(8, f, shape[0], shape[1], prior.Prior{Kind: prior.Normal, Location: 0.2, Scale: 0.5})
			p := mustTarget(t, e).pilot
			_, inexact := p.solver.(*krylov)
			if large := min(shape[0], shape[1]) > denseLimit; inexact != large {
				t.Errorf("%v is solved by %T", shape, p.solver)
			}
			rows, g := make([]float64, shape[0]), make([]float64, shape[1])
			p.t.RowGradient(p.eta, p.disp.at[:], rows)
			design.Transposed(p.t.data.X, rows, g)
			worst := 0.0
			for j := range g {
				g[j] += p.ridge[j] * (p.centre[j] - p.beta[j])
				scale := 1 / p.conditionalScale(j)
				worst = max(worst, math.Abs(g[j])/scale)
			}
			if limit := map[bool]float64{false: 1e-4, true: 1e-1}[inexact]; !(worst < limit) {
				t.Errorf("%s, %v: gradient %v conditional scales from 0", f, shape, worst)
			}
			eta := exactEta(e.data, p.beta)
			for i := range eta {
				if !near(eta[i], p.eta[i], 1e-9) {
					t.Fatalf("%s, %v: eta[%d] = %v, want %v", f, shape, i, p.eta[i], eta[i])
				}
			}
		}
	}
}

// The pilot sigma of a tall regression is the residual standard deviation.
func TestPilotSigma(t *testing.T) {
	e := newExample(2, "gaussian", 4000, 3)
	p := mustTarget(t, e).pilot
	if s := math.Exp(p.disp.u[0]); math.Abs(s-2) > 0.15 { // 2.1 % standard error
		t.Errorf("pilot sigma %v, made with 2", s)
	}
}

func TestStarts(t *testing.T) {
	start := func(target *Target, index, count int) ([]float64, string) {
		return target.Start(infer.Chain{Index: index, Count: count, Stream: infer.NewStream(7, "start", fmt.Sprint(index))})
	}
	for _, f := range familyNames {
		target := mustTarget(t, newExample(3, f, 40, 3))
		var seen []float64
		for c := range 4 {
			u, words := start(target, c, 4)
			again, _ := start(target, c, 4)
			for j := range u {
				if u[j] != again[j] {
					t.Errorf("%s: chain %d starts at %v and %v", f, c, u, again)
				}
			}
			if want := c == 3; strings.HasPrefix(words, "prior") != want {
				t.Errorf("%s: chain %d of 4 starts by %q", f, c, words)
			}
			seen = append(seen, u[0])
		}
		if seen[0] == seen[1] || seen[1] == seen[2] {
			t.Errorf("%s: starts are not dispersed: %v", f, seen)
		}
		if _, words := start(target, 0, 1); strings.HasPrefix(words, "prior") {
			t.Errorf("%s: a single chain starts by %q", f, words)
		}
	}
	target := mustTarget(t, newExample(3, "gaussian", 40, 3, flat))
	if _, words := start(target, 3, 4); strings.HasPrefix(words, "prior") {
		t.Errorf("with flat priors the last chain starts by %q", words)
	}
}

// A prior draw whose Poisson means overflow is brought back, and says so.
func TestStartIsHalved(t *testing.T) {
	target := mustTarget(t, newExample(3, "poisson", 40, 3, prior.Prior{Kind: prior.Normal, Scale: 1e4}))
	u, words := target.Start(infer.Chain{Index: 3, Count: 4, Stream: infer.NewStream(7)})
	if !strings.Contains(words, "halved") {
		t.Errorf("start %v by %q", u, words)
	}
	if v := target.LogLik(u); !(v > target.pilot.logLik-1000*40) {
		t.Errorf("start %v by %q has log likelihood %v", u, words, v)
	}
}

// False alarms: at most 1e-6 over 4 coordinates (Dvoretzky–Kiefer–Wolfowitz).
// 4000 starts put the limit at 0.045; half the scale (a distance of 0.13 for a
// t₃) is caught.
func TestStartsAreT3(t *testing.T) {
	const n = 4000
	limit := math.Sqrt(math.Log(2/(1e-6/4)) / (2 * n))
	target := mustTarget(t, newExample(3, "gaussian", 200, 3))
	p := target.pilot
	sd := make([]float64, 4) // of N(0, H⁻¹), by unit draws
	for k := range 3 {
		column := make([]float64, 3)
		p.solver.draw(&unitSource{at: k}, column)
		for j, v := range column {
			sd[j] = math.Hypot(sd[j], v)
		}
	}
	sd[3] = p.dispScale[0]
	centre := target.Penalised()
	samples := make([][]float64, 4)
	stream := infer.NewStream(5, "t3")
	for range n {
		u, _ := target.Start(infer.Chain{Index: 0, Count: 4, Stream: stream})
		for j, v := range u {
			samples[j] = append(samples[j], (v-centre[j])/sd[j])
		}
	}
	for j, sample := range samples {
		if d := t3Distance(sample, 2); d > limit {
			t.Errorf("coordinate %d: distance %.3f from 2·t₃, limit %.3f", j, d, limit)
		}
		if d := t3Distance(sample, 1); d <= limit {
			t.Errorf("coordinate %d: a scale of 1 is not caught: distance %.3f", j, d)
		}
	}
}

// t3Distance returns the Kolmogorov distance of a sample from scale·t₃.
func t3Distance(sample []float64, scale float64) float64 {
	n, d := float64(len(sample)), 0.0
	for _, x := range sample {
		below := 0.0
		for _, y := range sample {
			if y <= x {
				below++
			}
		}
		u := x / scale / math.Sqrt(3)
		f := 0.5 + (math.Atan(u)+u/(1+u*u))/math.Pi
		d = max(d, math.Abs(f-below/n), math.Abs(f-(below-1)/n))
	}
	return d
}

func BenchmarkNewTarget(b *testing.B) {
	for _, shape := range []struct {
		family string
		n, d   int
	}{
		{"bernoulli", 72, 7130}, {"bernoulli", 62, 2001}, {"bernoulli", 2600, 501}, {"gaussian", 2600, 501},
		{"poisson", 2600, 501}, {"bernoulli", 10_000, 20}, {"bernoulli", 2000, 4862},
	} {
		for _, prior := range []prior.Prior{{Kind: prior.Normal, Scale: 10}, flat} {
			if prior == flat && 10*shape.d > shape.n {
				continue
			}
			e := newExample(1, shape.family, shape.n, shape.d, prior)
			b.Run(fmt.Sprintf("family=%s/n=%d/d=%d/prior=%s", shape.family, shape.n, shape.d, prior.Kind), func(b *testing.B) {
				for b.Loop() {
					if _, err := NewTarget(e.data, e.model); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(time.Duration(b.Elapsed().Nanoseconds()/int64(b.N)).Seconds(), "s/target")
			})
		}
	}
}
