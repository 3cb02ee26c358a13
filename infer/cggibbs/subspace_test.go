package cggibbs

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	laws "glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// paired gives a sampler a block of its first two coefficients.
func paired(o Options) infertest.Sampler {
	return func(target *glm.Target) (infer.Setup, error) {
		p, o := target.Parameters(), o
		o.Blocks = [][]string{{p[1].Name, p[0].Name}}
		return New(target, o)
	}
}

// spanned gives a coordinate sampler two directions of all coefficients that it moves along by NUTS.
func spanned(o Options) infertest.Sampler {
	return func(target *glm.Target) (infer.Setup, error) {
		o, err := o.filled()
		if err != nil {
			return nil, err
		}
		made, err := newBasis(target, o)
		if err != nil {
			return nil, err
		}
		s, betas := made.(*basisSetup), make([][]float64, 2)
		for i := range betas {
			for j := range target.Cols() {
				betas[i] = append(betas[i], 0.4*math.Cos(float64(3*i+2*j)))
			}
		}
		s.laySlow(betas)
		return s, s.tune()
	}
}

var jointlyVariants = []struct {
	name    string
	sampler infertest.Sampler
	Options
}{
	{"block", paired(Options{}), Options{}},
	{"block/tangent", paired(Options{Update: "tangent", RefreshEvery: -1}), Options{Update: "tangent"}},
	{"block/random", paired(Options{Update: "stepping_out", Scan: "random"}), Options{Update: "stepping_out"}},
	{"span", spanned(Options{}), Options{}},
	{"span/matched", spanned(Options{Update: "matched"}), Options{Update: "matched"}},
}

// jointlyCases have every family, weights, sparse designs and other priors than normal ones.
func jointlyCases() []infertest.Case {
	out := append(slowCases(), basisCases()...)
	return append(append(out, infertest.FamilyCases()...), infertest.WeightedCases()...)
}

// refuses reports whether a case is not log-concave, and an update needs that.
func refuses(o Options, c *infertest.Case) bool {
	_, err := o.update(&c.Model)
	return err != nil
}

// The quick form takes one pair of case and variant in seven.
func TestSubspaceConform(t *testing.T) {
	for i, c := range jointlyCases() {
		for k, v := range jointlyVariants {
			if !infertest.Full() && (2*i+k)%7 != 0 || refuses(v.Options, &c) {
				continue
			}
			t.Run(c.Name+"/"+v.name, func(t *testing.T) { infertest.Conformance(t, simulated(t, c), v.sampler) })
		}
	}
}

// False alarms: at most 1e-6 for each check. Power: a distance of 0.19 between distributions with 460 pairs, of
// 0.029 in full. The quick form takes one pair of case and variant in twenty.
func TestSubspaceInvariance(t *testing.T) {
	seed := infertest.Seed(t)
	for i, c := range jointlyCases() {
		for k, v := range jointlyVariants {
			if !infertest.Full() && (3*i+k)%20 != 0 || refuses(v.Options, &c) {
				continue
			}
			t.Run(c.Name+"/"+v.name, func(t *testing.T) {
				infertest.Invariance(t, infertest.Check{Case: c, Sampler: v.sampler, Seed: seed, Steps: 2,
					Pairs: infertest.Scale(460, 20_000)})
			})
		}
	}
}

// Faults of a subspace must be rejected: a prior that is missing, of another slope or centre, rows that move otherwise than
// the coefficients, and in an exact draw another curvature.
func TestSubspaceCatch(t *testing.T) {
	poisson, gaussian := infertest.Poisson(8), infertest.Cases()[0]
	for _, f := range []struct {
		name  string
		of    infertest.Case
		plant func(d *subspace)
	}{
		{"no prior", poisson, func(d *subspace) { clear(d.weighted); clear(d.quadratic) }},
		{"slope of the prior", poisson, func(d *subspace) { scaleAll(d.weighted, -3) }},
		{"curvature of the prior", poisson, func(d *subspace) { scaleAll(d.quadratic, 0.1) }},
		{"rows", poisson, func(d *subspace) { scaleAll(d.columns().Values, -1) }},
		{"exact: no prior", gaussian, func(d *subspace) { clear(d.weighted); clear(d.quadratic) }},
		{"exact: curvature", gaussian, func(d *subspace) { scaleAll(d.gram, 0.1) }},
		{"exact: rows", gaussian, func(d *subspace) { scaleAll(d.columns().Values, -1) }},
	} {
		t.Run(f.name, func(t *testing.T) {
			faulty := func(target *glm.Target) (infer.Setup, error) {
				made, err := paired(Options{})(target)
				if err == nil {
					f.plant(made.(*basisSetup).subspaces[0])
				}
				return made, err
			}
			infertest.MustReject(t, func(tb infertest.TB) {
				infertest.Invariance(tb, infertest.Check{Case: f.of, Sampler: faulty, Seed: 1, Steps: 5, Pairs: infertest.Scale(1000, 20_000)})
			})
		})
	}
}

func scaleAll(v []float64, by float64) {
	for i := range v {
		v[i] *= by
	}
}

// The cached predictor and v are those of the coefficients after each joint draw, which moves all that it should.
func TestSubspaceKeepTheCache(t *testing.T) {
	for _, c := range slowCases() {
		for _, v := range jointlyVariants {
			if refuses(v.Options, &c) {
				continue
			}
			target := simulated(t, c)
			s, err := v.sampler(target)
			must(t, err)
			made, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(3, "blocks")})
			must(t, err)
			k := made.(*basisKernel)
			step(t, k)
			for range 20 {
				before := append([]float64(nil), k.line.v...)
				if !k.moveJointly() {
					t.Fatal(k.Failing)
				}
				for j, beta := range k.line.v {
					if k.point.Beta(j) != beta {
						t.Fatalf("%s: coefficient %d is %v in the predictor, %v in v", c.Name, j, k.point.Beta(j), beta)
					}
					if mine := s.(*basisSetup).inBlock == nil || s.(*basisSetup).inBlock[j]; !mine && before[j] != beta {
						t.Fatalf("%s/%s: coefficient %d is in no block, and moved", c.Name, v.name, j)
					}
				}
				k.point.Settle()
				k.arrive()
				got, eta := k.point.Value().LogLik, append([]float64(nil), k.point.Eta()...)
				k.point.Refresh()
				for i, want := range k.point.Eta() {
					if !(math.Abs(eta[i]-want) <= 1e-12*(1+math.Abs(want))) {
						t.Fatalf("%s/%s: row %d is %v, product %v", c.Name, v.name, i, eta[i], want)
					}
				}
				if want := k.point.Value().LogLik; !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
					t.Fatalf("%s/%s: log_lik %v, anew %v", c.Name, v.name, got, want)
				}
			}
		}
	}
}

// twins is a posterior of two nearly equal columns, b and c, and a constant one, a.
func twins(t testing.TB, family string, law prior.Prior) *glm.Target {
	t.Helper()
	const n = 40
	x, y := design.NewDense(n, 3), make([]float64, n)
	for i := range n {
		a := math.Mod(float64(i)*0.618033988749895, 1)*4 - 2
		b := math.Mod(float64(i)*0.754877666246693, 1)*2 - 1
		x.Col(0)[i], x.Col(1)[i], x.Col(2)[i] = 1, a, a+0.1*b
		if a+3*b > 0.3 {
			y[i] = 1
		}
	}
	f, err := laws.Parse(family, "")
	must(t, err)
	target, err := glm.NewTarget(&glm.Data{X: x, Y: y, Intercept: -1, Names: []string{"a", "b", "c"}},
		glm.Model{Family: f, Dispersion: prior.Prior{Kind: prior.HalfNormal, Scale: 1}, Coefficients: []prior.Prior{law, law, law}})
	must(t, err)
	return target
}

// quadrature returns mean and standard deviation of b, b + c and (b + c)² given all else, on a grid.
func quadrature(target *glm.Target, theta []float64) (means, sds [3]float64) {
	at := append([]float64(nil), theta...)
	const wide, fine = 160, 160
	logs, fs, top := []float64{}, [][3]float64{}, math.Inf(-1)
	for i := range wide + 1 { // b − c
		for j := range fine + 1 { // b + c
			apart, sum := 24*(float64(i)/wide-0.5), 8*(float64(j)/fine-0.5)
			at[1], at[2] = 0.5*(sum+apart), 0.5*(sum-apart)
			l := target.LogLik(at) + target.LogPrior(at)
			logs, fs, top = append(logs, l), append(fs, [3]float64{at[1], sum, sum * sum}), max(top, l)
		}
	}
	var total float64
	var sums, squares [3]float64
	for i, l := range logs {
		w := math.Exp(l - top)
		total += w
		for s, f := range fs[i] {
			sums[s] += w * f
			squares[s] += w * f * f
		}
	}
	for s := range sums {
		means[s] = sums[s] / total
		sds[s] = math.Sqrt(squares[s]/total - means[s]*means[s])
	}
	return means, sds
}

// Joint draws of two coefficients that are correlated by −0.99 or so, all else held, have the means of quadrature.
//
// False alarms: 36 comparisons of batch means with 99 degrees of freedom, 5.5 errors each: 1e-5. Power: a shift of 0.06 standard
// deviations; draws are near independent.
func TestSubspaceAgainstQuadrature(t *testing.T) {
	for _, family := range []string{"gaussian", "bernoulli", "poisson"} {
		for _, law := range []prior.Prior{{Kind: prior.Normal, Location: 0.3, Scale: 1.5}, {Kind: prior.Laplace, Location: 0.3, Scale: 1},
			{Kind: prior.StudentT, DF: 5, Location: -0.2, Scale: 1}} {
			target := twins(t, family, law)
			s, err := New(target, Options{Blocks: [][]string{{"b", "c"}}})
			must(t, err)
			made, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(9, "quadrature")})
			must(t, err)
			k, theta := made.(*basisKernel), make([]float64, target.Dim())
			for range 20 {
				step(t, k)
			}
			k.Position(theta)
			means, sds := quadrature(target, theta)
			const batches, length = 100, 100
			var batch [3][]float64
			for range batches {
				var sums [3]float64
				for range length {
					if !k.moveJointly() {
						t.Fatal("a log density is not finite")
					}
					k.arrive()
					b, sum := k.line.v[1], k.line.v[1]+k.line.v[2]
					for s, f := range [3]float64{b, sum, sum * sum} {
						sums[s] += f / length
					}
				}
				for s := range sums {
					batch[s] = append(batch[s], sums[s])
				}
			}
			for s, name := range [3]string{"b", "b + c", "(b + c)²"} {
				mean, square := 0.0, 0.0
				for _, v := range batch[s] {
					mean += v / batches
					square += v * v / batches
				}
				mcse := math.Sqrt((square - mean*mean) / (batches - 1))
				if !(math.Abs(mean-means[s]) <= 5.5*mcse) {
					t.Errorf("%s, %s: mean of %s is %v ± %v, by quadrature %v", family, law.Kind, name, mean, mcse, means[s])
				}
				if !(mcse <= 0.025*sds[s]) {
					t.Errorf("%s, %s: the error of the mean of %s is %v of a standard deviation %v: draws depend on each other",
						family, law.Kind, name, mcse, sds[s])
				}
			}
		}
	}
}

// The descriptions of blocks, and which blocks are refused.
func TestSubspaceAreSaidAndRefused(t *testing.T) {
	flat := prior.Prior{Kind: prior.Flat}
	for _, c := range []struct {
		family string
		law    prior.Prior
		want   string
	}{
		{"gaussian", flat, "coordinate: each of 1 coefficients by itself, those of blocks in warm-up and in every 16th iteration, then (b, c) jointly " +
			"and exactly; updates: doubling"},
		{"bernoulli", unitNormal, "then (b, c) jointly by NUTS (steps of "},
	} {
		s, err := New(twins(t, c.family, c.law), Options{Blocks: [][]string{{"b", "c"}}})
		must(t, err)
		if got := s.(infer.Explainer).Explain(); !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for _, c := range []struct {
		law    prior.Prior
		blocks [][]string
		want   string
	}{
		{unitNormal, [][]string{{"b"}}, "block (b): 2 to 200 coefficients can be drawn jointly, and it has 1"},
		{unitNormal, [][]string{{"b", "x"}}, "block (b, x): there is no coefficient x"},
		{unitNormal, [][]string{{"a", "b"}, {"c", "a"}}, "block (c, a): a stands twice in blocks"},
		{prior.Prior{Kind: prior.Uniform, Low: -3, High: 3}, [][]string{{"a", "b"}}, "block (a, b): a has the prior uniform(-3, 3)"},
		{prior.Prior{Kind: prior.Horseshoe, Scale: 1}, [][]string{{"a", "b"}}, "block (a, b): a has the prior horseshoe(1)"},
	} {
		_, err := New(twins(t, "bernoulli", c.law), Options{Blocks: c.blocks})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("blocks %v: error %v, want %q", c.blocks, err, c.want)
		}
	}
	for _, o := range []Options{{Basis: "rotated"}, {Uncached: true}, {Focus: []string{"a"}}} {
		o.Blocks = [][]string{{"b", "c"}}
		var wrong *OptionError
		if _, err := New(twins(t, "bernoulli", unitNormal), o); !errors.As(err, &wrong) || wrong.Option != "blocks" {
			t.Errorf("%+v: error %v", o, err)
		}
	}
}

// Slow directions are drawn jointly where that is asked for.
func TestSlowByNuts(t *testing.T) {
	s, err := New(words(t, 300, 304), Options{Slow: "nuts", Update: "tangent"})
	must(t, err)
	if got, want := s.(infer.Explainer).Explain(), "then 9 slow directions jointly by NUTS (steps of "; !strings.Contains(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	k, err := s.Kernel(infer.Chain{Count: 1, Warmup: 4, Stream: infer.NewStream(1, "chain")})
	must(t, err)
	for range 8 {
		if info := step(t, k); info.Gradients < 2 {
			t.Errorf("%d gradients in an iteration", info.Gradients)
		}
	}
}

// subspacePinned are hashes of draws with blocks. A change means another SubspaceVersion.
var subspacePinned = map[string]string{
	"gaussian":  "573703190f073903",
	"bernoulli": "42eb2893626ced45",
	"binomial":  "124626ad39f5d255",
	"poisson":   "9c160b86ecbb976c",
}

func TestSubspacePinned(t *testing.T) {
	for _, f := range familyNames {
		for _, kernels := range []string{"scalar", "vector"} {
			target, h := streamPosterior(t, f), sha256.New()
			s, err := New(target, Options{Kernels: kernels, Blocks: [][]string{{"x2", "x4"}, {"x3", "x5"}}})
			must(t, err)
			k, err := s.Kernel(infer.Chain{Count: 2, Warmup: 5, Stream: infer.NewStream(1, f)})
			must(t, err)
			theta := make([]float64, target.Dim())
			for range 40 {
				info := step(t, k)
				k.Position(theta)
				for _, v := range append(theta, info.LogLik, info.LogPrior, float64(info.Evaluations), float64(info.Touched)) {
					h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
				}
			}
			if got := hex.EncodeToString(h.Sum(nil))[:16]; got != subspacePinned[f] {
				t.Errorf("%s, %s: the draws have changed: hash %s, pinned %s", f, kernels, got, subspacePinned[f])
			}
		}
	}
}
