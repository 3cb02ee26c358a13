package cggibbs

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// newDirections completes directions beta.
func newDirections(x design.Matrix, betas [][]float64) *directions {
	n, _ := x.Size()
	f := &directions{betas: betas}
	for _, beta := range betas {
		eta := make([]float64, n)
		for j, b := range beta {
			x.Column(j).AddTo(eta, b)
		}
		f.etas = append(f.etas, eta)
	}
	return f
}

// directed gives a coordinate sampler two directions of all coefficients, as slow ones.
func directed(o Options) infertest.Sampler {
	return func(target *glm.Target) (infer.Setup, error) {
		o, err := o.filled()
		if err != nil {
			return nil, err
		}
		made, err := newBasis(target, o)
		if err != nil {
			return nil, err
		}
		betas := make([][]float64, 2)
		for i := range betas {
			for j := range target.Cols() {
				betas[i] = append(betas[i], 0.4*math.Cos(float64(3*i+2*j)))
			}
		}
		made.(*basisSetup).follow(newDirections(target.Data().X, betas))
		return made, nil
	}
}

var directedVariants = []Options{{Update: "stepping_out"}, {Update: "tangent"}, {Update: "matched", RefreshEvery: -1}, {Update: "doubling", Scan: "random"}}

// slowCases are those with normal and flat priors, dense and sparse.
func slowCases() []infertest.Case {
	var out []infertest.Case
	for _, c := range infertest.Cases() {
		sparse, _ := withZeros(&c.Data)
		out = append(out, c)
		c.Name, c.Data = c.Name+"/sparse", *sparse
		out = append(out, c)
	}
	return out
}

func TestSlowConformance(t *testing.T) {
	for i, c := range slowCases() {
		o := directedVariants[i%len(directedVariants)]
		if _, err := o.update(&c.Model); err != nil {
			continue // not log-concave
		}
		t.Run(c.Name+"/"+o.Update, func(t *testing.T) { infertest.Conformance(t, simulated(t, c), directed(o)) })
	}
}

// The cached predictor and v are those of the coefficients after every iteration.
func TestSlowCacheMatchesProduct(t *testing.T) {
	for _, c := range slowCases() {
		target := simulated(t, c)
		s, err := directed(Options{Update: "stepping_out", RefreshEvery: -1})(target)
		must(t, err)
		made, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(3, "slow")})
		must(t, err)
		k, theta, before := made.(*basisKernel), make([]float64, target.Dim()), make([]float64, target.Dim())
		for range 20 {
			k.Position(before)
			k.Turn++
			if !k.moveSlow() {
				t.Fatal(k.Failing)
			}
			copy(theta, k.line.v)
			moved := 0
			for j := range target.Cols() {
				if k.point.Beta(j) != k.line.v[j] {
					t.Fatalf("%s: coefficient %d is %v in the predictor, %v in v", c.Name, j, k.point.Beta(j), k.line.v[j])
				}
				if theta[j] != before[j] {
					moved++
				}
			}
			if moved < target.Cols() {
				t.Fatalf("%s: %d of %d coefficients moved", c.Name, moved, target.Cols())
			}
			k.point.Settle()
			k.arrive()
			got, eta := k.point.Value().LogLik, append([]float64(nil), k.point.Eta()...)
			k.point.Refresh()
			for i, want := range k.point.Eta() {
				if !(math.Abs(eta[i]-want) <= 1e-12*(1+math.Abs(want))) {
					t.Fatalf("%s: row %d is %v, product %v", c.Name, i, eta[i], want)
				}
			}
			if want := k.point.Value().LogLik; !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
				t.Fatalf("%s: log_lik %v, anew %v", c.Name, got, want)
			}
		}
	}
}

// False alarms: at most 1e-6 for each check. Power: a distance of 0.19 between distributions with 460 pairs, of
// 0.029 in full. The quick form takes one pair of case and variant in eight.
func TestSlowInvariance(t *testing.T) {
	seed := infertest.Seed(t)
	for i, c := range slowCases() {
		for k, o := range directedVariants {
			if !infertest.Full() && (i+k)%8 != 3 {
				continue
			}
			if _, err := o.update(&c.Model); err != nil {
				continue // not log-concave
			}
			t.Run(fmt.Sprintf("%s/%s", c.Name, o.Update), func(t *testing.T) {
				infertest.Invariance(t, infertest.Check{Case: c, Sampler: directed(o), Seed: seed, Steps: 2, Pairs: infertest.Scale(460, 20_000)})
			})
		}
	}
}

// Faults of the updates along directions must be rejected: a prior of another slope
// or centre, and a predictor that moves otherwise than the coefficients.
func TestSlowCatches(t *testing.T) {
	for name, plant := range map[string]func(s *slowDirections, i int){
		"slope of the prior": func(s *slowDirections, i int) {
			for j := range s.weighted[i] {
				s.weighted[i][j] *= -3
			}
		},
		"centre of the prior": func(s *slowDirections, i int) { s.centre[i] += 1.5 },
		"rows": func(s *slowDirections, i int) {
			for r := range s.lines[i].Eta {
				s.lines[i].Eta[r] *= -1
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			faulty := func(target *glm.Target) (infer.Setup, error) {
				made, err := directed(Options{Update: "stepping_out"})(target)
				if err == nil {
					for i := range 2 {
						plant(made.(*basisSetup).slow, i)
					}
				}
				return made, err
			}
			infertest.MustReject(t, func(tb infertest.TB) {
				infertest.Invariance(tb, infertest.Check{Case: infertest.Poisson(8), Sampler: faulty, Seed: 1, Steps: 5, Pairs: infertest.Scale(1000, 20_000)})
			})
		})
	}
}

// In any sweeps one after the other as many as its turns take, each direction is moved along, and none twice in a sweep.
func TestTurns(t *testing.T) {
	for count := 1; count <= 70; count++ {
		for each := 1; each <= count; each++ {
			last := make([]int64, count)
			for sweep := range int64(3 * count) {
				for i := range each {
					at := inTurn(sweep, i, each, count)
					if gap := sweep + 1 - last[at]; last[at] > 0 && gap < 1 || gap > int64((count+each-1)/each) {
						t.Fatalf("%d of %d directions: direction %d in sweep %d, before in %d", each, count, at, sweep, last[at]-1)
					}
					last[at] = sweep + 1
				}
			}
			for at, sweep := range last {
				if gap := int64(3*count) - sweep; gap >= int64((count+each-1)/each) {
					t.Fatalf("%d of %d directions: direction %d not in the last %d sweeps", each, count, at, gap)
				}
			}
		}
	}
}

// Directions after a sweep cost an eighth of it where they are found on word counts, and more of it only where rows are so
// many that some would hardly be moved along.
func TestTurnsByCost(t *testing.T) {
	for _, c := range []struct {
		n, d    int
		entries int64
		slow    int
		want    int
	}{
		{1943, 3290, 95_128, 64, 18}, {1427, 4323, 121_427, 64, 28}, {1993, 4863, 136_246, 64, 24},
		{100_000, 1000, 1_000_000, 62, 8}, {1943, 3290, 95_128, 11, 11}, {100_000, 1000, 1_000_000, 1, 1},
	} {
		made := costs{n: c.n, d: c.d, entries: c.entries, slow: c.slow, sparse: true, matched: true}
		got := made.turn()
		if got != c.want {
			t.Errorf("%+v: %d directions a sweep", c, got)
		}
		share := float64(got) * made.along() / (float64(c.d) * made.single())
		if c.n < 2000 && share > 1./turnShare || c.n > 2000 && got*turnSweeps < c.slow {
			t.Errorf("%+v: %d directions cost %.3f of a sweep", c, got, share)
		}
	}
}

// A chain moves along the directions whose turn it is, and along no other, by the number of its iteration and of
// the sweep in it, so that a resumed chain continues with the next ones.
func TestSlowTakesTurns(t *testing.T) {
	target := posterior(t, "bernoulli", 20, 6, unitNormal)
	for _, moves := range []int{1, 3} {
		o, err := Options{Update: "tangent", Moves: moves}.filled()
		must(t, err)
		made, err := newBasis(target, o)
		must(t, err)
		betas := make([][]float64, 5) // each moves a coefficient of its own
		for i := range betas {
			betas[i] = make([]float64, 6)
			betas[i][i] = 1
		}
		s := made.(*basisSetup)
		s.slow = newSlowDirections(s.frame, newDirections(target.Data().X, betas), 2)
		start, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(3, "turns")})
		must(t, err)
		k := start.(*basisKernel)
		for iteration := range 20 {
			step(t, k)
			if k.Iteration != int64(iteration+1) || k.Turn != moves {
				t.Fatalf("%d sweeps of iteration %d before %d, want %d", k.Turn, iteration, k.Iteration, moves)
			}
			k.Iteration, k.Turn = int64(iteration), moves-1 // the last sweep once more
			sweep := iteration + moves - 1
			before := append([]float64(nil), k.line.v...)
			if !k.moveSlow() {
				t.Fatal(k.Failing)
			}
			for j, v := range k.line.v {
				turn := (j-sweep*2%5+5)%5 < 2 && j < 5
				if (v != before[j]) != turn {
					t.Errorf("sweep %d: coefficient %d went from %v to %v; its turn: %v", sweep, j, before[j], v, turn)
				}
			}
			k.point.Settle()
			k.Iteration++
			k.arrive()
		}
	}
}

// slowPinned are hashes of the draws of what auto takes on a sparse design, per number of coefficients. A change means another
// SlowVersion, or AutoVersion.
var slowPinned = []struct {
	rows, coefficients int
	want               string
}{{300, 304, "b8cae3704eea36bb"}, {1200, 500, "72855d94f47dddfa"}}

func TestSlowPinned(t *testing.T) {
	for _, c := range slowPinned {
		for _, kernels := range []string{"scalar", "vector"} {
			s, err := New(words(t, c.rows, c.coefficients), Options{Basis: "auto", Kernels: kernels})
			must(t, err)
			b, ok := s.(*basisSetup)
			if !ok || b.slow == nil || b.slow.each == len(b.slow.lines) {
				t.Fatalf("%d coefficients: %s", c.coefficients, s.(infer.Explainer).Explain())
			}
			k, err := s.Kernel(infer.Chain{Count: 1, Warmup: 2, Stream: infer.NewStream(5, "pinned")})
			must(t, err)
			h, theta := sha256.New(), make([]float64, c.coefficients)
			for range 8 {
				info := step(t, k)
				k.Position(theta)
				for _, v := range append(theta, info.LogLik, float64(info.Evaluations), float64(info.Touched)) {
					h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
				}
			}
			if got := hex.EncodeToString(h.Sum(nil))[:16]; got != c.want {
				t.Errorf("%d coefficients, %s: the draws have changed: hash %s, pinned %s", c.coefficients, kernels, got, c.want)
			}
		}
	}
}

// Where there are no slow directions the sampler does without, and says why.
func TestNoSlowDirections(t *testing.T) {
	for _, c := range []struct {
		target *glm.Target
		want   string
	}{
		{posterior(t, "bernoulli", 10, 3, unitNormal), "there are too few coefficients, fewer than 128"},
		{posterior(t, "bernoulli", 10, 3, prior.Prior{Kind: prior.Laplace, Scale: 1}), "these want normal or flat priors"},
	} {
		s, err := New(c.target, Options{Slow: "on"})
		must(t, err)
		if got := s.(infer.Explainer).Explain(); !strings.Contains(got, "; no slow directions: ") || !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for _, o := range []Options{{Slow: "yes"}, {Slow: "on", Basis: "reduced"}, {Slow: "on", Uncached: true}} {
		if _, err := New(posterior(t, "bernoulli", 10, 3, unitNormal), o); err == nil || !strings.Contains(err.Error(), "option slow") {
			t.Errorf("%+v: error %v", o, err)
		}
	}
}

// Auto takes slow directions where they save operations on a sparse design, and the
// reduced basis where rows are few; what it takes has the draws of its options.
func TestAutoOfSparse(t *testing.T) {
	for _, c := range []struct {
		n, d int
		want Options
		says string
	}{
		{300, 304, Options{Update: "tangent", Slow: "on"}, "coordinate: each of 304 coefficients by itself, then 9 directions"},
		{30, 900, Options{Basis: "reduced"}, "reduced: the likelihood sees 30 directions"},
	} {
		target := words(t, c.n, c.d)
		var infos []infer.Info
		for _, o := range []Options{{Basis: "auto"}, c.want} {
			s, err := New(target, o)
			must(t, err)
			if got := s.(infer.Explainer).Explain(); !strings.HasPrefix(got, c.says) {
				t.Errorf("%d × %d: %q, want %q", c.n, c.d, got, c.says)
			}
			k, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "chain")})
			must(t, err)
			infos = append(infos, step(t, k))
		}
		if infos[0] != infos[1] {
			t.Errorf("%d × %d: auto has other draws", c.n, c.d)
		}
	}
}
