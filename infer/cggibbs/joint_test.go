package cggibbs

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// jointVariants are the ways of a chain with joint moves.
var jointVariants = []struct {
	name string
	Options
}{
	{"joint", Options{Basis: "rotated", Joint: "on"}},
	{"joint/doubling", Options{Basis: "rotated", Joint: "on", Update: "doubling", Scan: "random"}},
	{"joint/matched", Options{Basis: "rotated", Joint: "on", Update: "matched"}},
	{"joint/swept", Options{Basis: "rotated", Joint: "swept", Moves: 3}},
}

// jointly returns the set-up with joint moves, nil if they cannot be made.
func jointly(t testing.TB, target *glm.Target, o Options) *jointSetup {
	t.Helper()
	s, err := New(target, o)
	must(t, err)
	j, ok := s.(*jointSetup)
	if !ok && !strings.Contains(s.(infer.Explainer).Explain(), "no joint moves: ") {
		t.Fatalf("%T: %s", s, s.(infer.Explainer).Explain())
	}
	return j
}

// Posteriors with one dispersion, two and none.
func jointCases() []infertest.Case {
	out := infertest.Cases()
	for _, c := range infertest.FamilyCases() {
		switch c.Model.Family.Name {
		case "student_t", "negative_binomial", "gamma", "beta":
			out = append(out, c)
		}
	}
	return out
}

func TestJointConformance(t *testing.T) {
	for _, c := range jointCases() {
		for _, v := range jointVariants {
			target := simulated(t, c)
			if _, err := v.update(&c.Model); err != nil || jointly(t, target, v.Options) == nil {
				continue
			}
			t.Run(c.Name+"/"+v.name, func(t *testing.T) { infertest.Conformance(t, target, sampler(v.Options)) })
		}
	}
}

// A state without its queue is refused, and one whose queue was changed continues with other draws: waiting
// proposals are part of the state. It does not grow with the rows.
func TestJointQueueIsState(t *testing.T) {
	target := posterior(t, "bernoulli", 40, 3, unitNormal)
	s := jointly(t, target, jointVariants[0].Options)
	fresh := func() *jointKernel {
		k, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "chain")})
		must(t, err)
		return k.(*jointKernel)
	}
	k, other := fresh(), fresh()
	for range 5 {
		step(t, k)
	}
	state, err := k.MarshalBinary()
	must(t, err)
	waiting := 8 * (jointBatch - 5)
	if err := other.UnmarshalBinary(state[:len(state)-waiting]); err == nil {
		t.Error("a state without weights in its queue was taken")
	}
	lost := bytes.Clone(state)
	copy(lost[len(lost)-waiting:], make([]byte, waiting)) // weights of 0
	must(t, other.UnmarshalBinary(lost))
	same := true
	for range jointBatch - 5 {
		same = same && step(t, k) == step(t, other)
	}
	if same {
		t.Error("a changed queue gave the same draws")
	}
	if state, err := k.MarshalBinary(); err != nil || len(state) > 600 {
		t.Errorf("a state of %d bytes before a guard, error %v", len(state), err)
	}
}

// Every coordinate is updated by itself once in guardShare·jointBatch iterations, of tall data in dim·jointBatch,
// the dispersion included.
func TestGuardsComeRound(t *testing.T) {
	for _, dim := range []int{1, 7, 8, 9, 21, 200} {
		for rows, cycles := range map[int]int{1000: guardShare, 1_000_000: dim} {
			size, seen := guardSize(rows, dim), make([]int, dim)
			for cycle := range cycles {
				for i := range size {
					seen[guarded(1_000_000+jointBatch*int64(cycle), i, size, dim)]++
				}
			}
			for j, n := range seen {
				if n == 0 {
					t.Errorf("%d rows, %d coordinates: number %d has no guard in %d cycles", rows, dim, j, cycles)
				}
			}
		}
	}
}

// A chain whose proposals are all refused moves by its guards: each coordinate within
// guardShare·jointBatch iterations.
func TestGuardsMoveWithoutProposals(t *testing.T) {
	s := jointly(t, posterior(t, "bernoulli", 40, 9, unitNormal), jointVariants[0].Options)
	s.law.centre[0] += 1e6
	made, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "chain")})
	must(t, err)
	k := made.(*jointKernel)
	before := slices.Clone(k.u)
	for range guardShare * jointBatch {
		if info := step(t, k); info.Accept > 0 {
			t.Fatalf("a proposal a million standard deviations off was accepted at %v", info.Accept)
		}
	}
	for j, u := range k.u {
		if u == before[j] {
			t.Errorf("coordinate %d stands still", j)
		}
	}
}

// way is how a faulty kernel steps: what is done before each decision, and the log of
// the ratio by which it decides.
type way struct {
	before func(k *jointKernel)
	ratio  func(k *jointKernel, at int) float64
}

// faultyJoint is jointKernel with another way to step.
type faultyJoint struct {
	*jointKernel
	way
}

func (f *faultyJoint) Step() (infer.Info, error) {
	k, at := f.jointKernel, f.queued(0)
	if at == 0 {
		if !k.guard(0) {
			return infer.Info{}, errors.New("a log density is not finite")
		}
		k.propose()
	}
	if f.before != nil {
		f.before(k)
	}
	if logUniform(k.Stream) < f.ratio(k, at) {
		k.point.Place(k.proposed(at), k.queue.logLik[at])
	}
	k.Iteration++
	k.arrive()
	return infer.Info{LogLik: k.point.Value().LogLik, LogPrior: k.LogPrior()}, nil
}

// rightly is the ratio of jointKernel.decide.
func rightly(k *jointKernel, at int) float64 {
	k.weigh()
	return k.queue.weights[at] - k.weight
}

// proposed returns proposal number at.
func (k *jointKernel) proposed(at int) []float64 {
	dim := len(k.widths)
	return k.queue.u[at*dim : (at+1)*dim]
}

// jacobian sums the logs of dispersions.
func (k *jointKernel) jacobian(x []float64) (sum float64) {
	for _, l := range x[len(k.v):] {
		sum += l
	}
	return sum
}

// forgetsReverse leaves the proposals' densities out; forgetsJacobian takes the
// density of sigma for that of its logarithm.
func forgetsReverse(k *jointKernel, at int) float64 {
	return rightly(k, at) + k.setup.law.logDensity(k.proposed(at), k.z) - k.setup.law.logDensity(k.u, k.z)
}

func forgetsJacobian(k *jointKernel, at int) float64 {
	return rightly(k, at) - (k.jacobian(k.proposed(at)) - k.jacobian(k.u))
}

// faultySetup has chains whose proposals are a standard deviation off the mode, which a correct step corrects.
type faultySetup struct {
	*jointSetup
	way
}

func (f *faultySetup) Kernel(c infer.Chain) (infer.Kernel, error) {
	law := *f.law // one chain's own, which may learn
	law.centre = append([]float64(nil), law.centre...)
	law.centre[0]++
	k, err := (&jointSetup{basisSetup: f.basisSetup, law: &law}).Kernel(c)
	if err != nil {
		return nil, err
	}
	return &faultyJoint{k.(*jointKernel), f.way}, nil
}

// A decision compares the posteriors of two points, as a predictor of the
// coefficients has them, with the densities of proposing them: what comes in by one
// way goes back by the other.
func TestJointRatio(t *testing.T) {
	for _, c := range jointCases() {
		s := jointly(t, simulated(t, c), jointVariants[0].Options)
		if s == nil {
			continue
		}
		made, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "chain")})
		must(t, err)
		k, point := made.(*jointKernel), glm.NewPoint(s.target)
		posterior := func(x []float64) float64 {
			at := append([]float64(nil), x...)
			s.frame.Values(x[:len(k.v)], at[:len(k.v)])
			point.SetUnconstrained(at)
			return point.LogPosterior()
		}
		step(t, k)
		for at := range jointBatch {
			y := k.proposed(at)
			want := posterior(y) - s.law.logDensity(y, k.z) - posterior(k.u) + s.law.logDensity(k.u, k.z)
			if got := rightly(k, at); !(math.Abs(got-want) <= 1e-8*(1+math.Abs(posterior(y)))) {
				t.Errorf("%s, proposal %d: log ratio %v, want %v", c.Name, at, got, want)
			}
			if slices.Equal(y, k.u) {
				continue // where it is already
			}
			for name, faulty := range map[string]float64{"reverse": forgetsReverse(k, at), "jacobian": forgetsJacobian(k, at)} {
				if name == "jacobian" && len(y) == len(k.v) || math.IsInf(want, -1) {
					continue // no dispersion; impossible
				}
				if math.Abs(faulty-want) <= 1e-8*(1+math.Abs(posterior(y))) {
					t.Errorf("%s: a ratio without the %s is not told apart", c.Name, name)
				}
			}
		}
	}
}

// Joint moves leave the posterior as it is, for every family with one, two or no
// dispersions, whatever updates guard them.
//
// False alarms: at most 1e-6 for each check. Power: a distance of 0.19 between distributions with 460 pairs, of
// 0.029 in full.
func TestJointInvariance(t *testing.T) {
	seed := infertest.Seed(t)
	for i, c := range append(append(basisCases(), infertest.FamilyCases()...), infertest.WeightedCases()...) {
		for k, v := range jointVariants {
			if !infertest.Full() && (2*i+k)%22 != 0 {
				continue
			}
			if _, err := v.update(&c.Model); err != nil {
				continue // not log-concave
			}
			t.Run(c.Name+"/"+v.name, func(t *testing.T) {
				infertest.Invariance(t, infertest.Check{Case: c, Sampler: sampler(v.Options), Seed: seed,
					Steps: 3, Pairs: infertest.Scale(460, 20_000)})
			})
		}
	}
}

// Each fault of a joint move must be rejected; the same way to step without one is
// not.
func TestJointFaults(t *testing.T) {
	learns := func(k *jointKernel) {
		copy(k.setup.law.centre, k.u)
		k.propose()
	}
	byPlace := func(k *jointKernel, at int) float64 {
		if k.u[0] < 0 {
			return math.Inf(-1)
		}
		return rightly(k, at)
	}
	sigma := infertest.Gaussian(6, prior.Prior{Kind: prior.HalfNormal, Scale: 1.5})
	for _, f := range []struct {
		name string
		infertest.Case
		way
	}{
		{"none", infertest.Bernoulli(12), way{nil, rightly}},
		{"forgets the reverse density", infertest.Bernoulli(12), way{nil, forgetsReverse}},
		{"forgets the Jacobian of log sigma", sigma, way{nil, forgetsJacobian}},
		{"adapts for ever", infertest.Bernoulli(12), way{learns, rightly}},
		{"made or not by where it is", infertest.Bernoulli(12), way{nil, byPlace}},
	} {
		t.Run(f.name, func(t *testing.T) {
			pairs := 2000
			if f.Case.Name == sigma.Name {
				pairs = 4000 // a distance of 0.07
			}
			check := infertest.Check{Case: f.Case, Seed: 2, Steps: 12, Pairs: infertest.Scale(pairs, 20_000),
				Sampler: func(target *glm.Target) (infer.Setup, error) {
					s, err := New(target, jointVariants[0].Options)
					if j, ok := s.(*jointSetup); ok && err == nil {
						return &faultySetup{j, f.way}, nil
					}
					return s, err
				}}
			if f.name == "none" {
				infertest.Invariance(t, check)
				return
			}
			infertest.MustReject(t, func(tb infertest.TB) { infertest.Invariance(tb, check) })
		})
	}
}

// Ranks begin at the sampler's own starts. False alarms: at most 1e-6. Power: a
// distance of 0.14 from uniform ranks with 460 pairs, of 0.03 with 10,000.
func TestJointRanks(t *testing.T) {
	infertest.Ranks(t, infertest.Check{Case: infertest.Poisson(8), Sampler: sampler(jointVariants[0].Options), Seed: infertest.Seed(t),
		Pairs: infertest.Scale(460, 10_000), Steps: infertest.Scale(5, 15), Draws: infertest.Scale(7, 15)})
}

// The share that a pilot expects is the share that a chain accepts, if there are rows enough, and reveals when
// joint moves are of no use.
func TestPilotForetellsAcceptance(t *testing.T) {
	for _, c := range []struct {
		n, d        int
		least, most float64
	}{{2000, 5, 0.85, 1}, {120, 30, 0, 0.45}} {
		s := jointly(t, posterior(t, "bernoulli", c.n, c.d, unitNormal), jointVariants[0].Options)
		k, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "chain")})
		must(t, err)
		sum := 0.0
		const draws = 640
		for range draws {
			sum += step(t, k).Accept / draws
		}
		t.Logf("%d × %d: the pilot foretold %.3f, the chain accepted %.3f", c.n, c.d, s.pilot.accepted, sum)
		if s.pilot.accepted < c.least || s.pilot.accepted > c.most || math.Abs(s.pilot.accepted-sum) > 0.15 {
			t.Errorf("%d × %d: the pilot foretold %.3f, the chain accepted %.3f", c.n, c.d, s.pilot.accepted, sum)
		}
	}
}

// A value that is not finite ends the chain with the iteration's number, not in a panic.
func TestJointNotFinite(t *testing.T) {
	s := jointly(t, posterior(t, "bernoulli", 40, 3, unitNormal), jointVariants[0].Options)
	s.law.ratio = math.NaN()
	k, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "chain")})
	must(t, err)
	if _, err := k.Step(); err == nil || !strings.Contains(err.Error(), "all parameters at once") {
		t.Errorf("error %v", err)
	}
}

// The first slice of a chain that starts at a draw from the prior of tall data finds its way in few passes, whatever
// moves the chain makes: the prior lies some 10⁴ widths away.
func TestTallComesFromThePrior(t *testing.T) {
	target := posterior(t, "bernoulli", 1<<14, 3, prior.Prior{Kind: prior.Normal, Scale: 3000})
	for _, o := range []Options{{Basis: "rotated", Joint: "on"}, {Basis: "rotated", Update: "stepping_out"}} {
		made, err := New(target, o)
		must(t, err)
		far := 0.0
		for seed := range uint64(3) {
			k, err := made.Kernel(infer.Chain{Index: 3, Count: 4, Warmup: 100, Stream: infer.NewStream(seed, "prior")})
			must(t, err)
			theta := make([]float64, target.Dim())
			k.Position(theta)
			far = math.Max(far, target.LogLik(target.Penalised())-target.LogLik(theta))
			if info := step(t, k); info.Evaluations > 400 {
				t.Errorf("%+v: the first iteration took %d evaluations", o, info.Evaluations)
			}
		}
		if far < 1e5 {
			t.Errorf("%+v: no chain started further than %v below the penalised point", o, far)
		}
	}
}
