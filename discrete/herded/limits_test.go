package herded

import (
	"math"
	"testing"

	"glmbatch/discrete/mrf"
	"glmbatch/infer"
)

// Where herded Gibbs does not converge: three variables in a row, couplings log 2, the one in the middle leaning by
// ½ log 2, so that all conditional probabilities are rational. The ends agree with probability 0.68. Every conditional is
// matched; but the ends agree in 0.839 of sweeps, whatever T is, the marginal of the middle stays 0.0155 off, those of
// the ends 0.0093, and the joint distribution 0.179. Gibbs sampling has no such limit. Given its neighbours a variable has the
// right distribution on average. No weight makes it independent of the rest, given these.
//
// Deterministic except for Gibbs, whose error of 0.68 has a standard error of 0.003: no false alarms on the fixed seed.
func TestDoesNotConverge(t *testing.T) {
	m, err := mrf.NewBinary([]float64{0, math.Ln2 / 2, 0}, []mrf.Edge{{I: 0, J: 1, Weight: math.Ln2},
		{I: 1, J: 2, Weight: math.Ln2}})
	if err != nil {
		t.Fatal(err)
	}
	ex, err := mrf.Enumerate(m)
	if err != nil {
		t.Fatal(err)
	}
	agreeing := func(p []float64) float64 { return p[0] + p[2] + p[5] + p[7] }
	if a := agreeing(ex.P); math.Abs(a-0.68) > 1e-12 {
		t.Fatalf("the ends agree with probability %v", a)
	}
	k := begin(t, m, Options{Start: Zero}, "row")
	law, share := newEmpirical(m, 8), make([]float64, 8)
	for n := 1; n <= 1<<17; n++ {
		_, _ = k.Step()
		law.add(k.x)
		if n&(n-1) != 0 || n < 1<<10 {
			continue
		}
		for s, c := range law.count {
			share[s] = c / law.n
		}
		d, a := law.distance(ex.P), agreeing(share)
		t.Logf("%d sweeps: the ends agree in %.4f, distance of the joint law %.4f", n, a, d)
		for i, bit := range []int{4, 2, 1} {
			one := 0.0
			for s, v := range share {
				if s&bit != 0 {
					one += v
				}
			}
			off := math.Abs(one - ex.Marginals.At(i)[1])
			if want := []float64{0.0093, 0.0155, 0.0093}[i]; math.Abs(off-want) > 5/law.n+1e-4 {
				t.Errorf("after %d sweeps the marginal of variable %d is off by %v, want %v", n, i, off, want)
			}
		}
		if math.Abs(a-0.839) > 0.006 || math.Abs(d-0.179) > 0.002 {
			t.Errorf("after %d sweeps the ends agree in %v, and the joint law is %v away", n, a, d)
		}
	}
	if w := k.Warnings(); len(w) != 1 || k.Bound().Of != OfNothing {
		t.Errorf("no warning: %v", w)
	}
	if a := gibbsAgreement(t, m, 1<<17); math.Abs(a-0.68) > 0.02 {
		t.Errorf("by Gibbs sampling the ends agree in %v", a)
	}
}

// gibbsAgreement is how often the first and the last of three variables agree in a Gibbs chain.
func gibbsAgreement(t *testing.T, m mrf.Model, n int) float64 {
	t.Helper()
	s, err := mrf.NewGibbs(m, mrf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1, "agreement")})
	if err != nil {
		t.Fatal(err)
	}
	agree := 0.0
	for range n {
		_, _ = k.Step()
		if x := k.(mrf.Sampler).State(); x[0] == x[2] {
			agree++
		}
	}
	return agree / float64(n)
}

// Parallel updates sample another distribution. If two variables nearly always agree, each marginal is right, but the
// two agree in half of the sweeps: each follows the other's last state, as two chains in one. With three variables,
// marginals are wrong too. Updates in turn are right in both cases.
//
// Deterministic: no false alarms.
func TestParallelSamplesAnotherLaw(t *testing.T) {
	three, err := mrf.NewBinary([]float64{0.5, -0.3, 0.1}, []mrf.Edge{{I: 0, J: 1, Weight: 0.8}, {I: 0, J: 2, Weight: 0.8},
		{I: 1, J: 2, Weight: -0.8}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		m        mrf.Model
		updates  Updates
		marginal [2]float64 // least and most of the largest error of a marginal
		joint    [2]float64 // of the distance of the joint distribution
	}{
		{twoVariables(t, 0.05), InTurn, [2]float64{0, 1e-3}, [2]float64{0, 1e-3}},
		{twoVariables(t, 0.05), Parallel, [2]float64{0, 1e-3}, [2]float64{0.35, 0.45}},
		{three, InTurn, [2]float64{0, 1e-3}, [2]float64{0, 2e-3}},
		{three, Parallel, [2]float64{0.1, 0.13}, [2]float64{0.65, 0.75}},
	} {
		ex, _ := mrf.Enumerate(c.m)
		k := begin(t, c.m, Options{Start: Offset, Updates: c.updates}, "parallel")
		law, ones := newEmpirical(c.m, len(ex.P)), make([]float64, c.m.Variables())
		const n = 1 << 15
		for range n {
			_, _ = k.Step()
			law.add(k.x)
			for i, a := range k.x {
				ones[i] += float64(a) / n
			}
			if u := mrf.LogDensity(c.m, k.x); math.Abs(u-k.U()) > 1e-9 {
				t.Fatalf("%s: U is %v, told %v", c.updates, u, k.U())
			}
		}
		worst, d := 0.0, law.distance(ex.P)
		for i, p := range ones {
			worst = max(worst, math.Abs(p-ex.Marginals.At(i)[1]))
		}
		t.Logf("%d variables, %s: a marginal is off by %.4f, the joint law by %.4f", len(ones), c.updates, worst, d)
		if worst < c.marginal[0] || worst > c.marginal[1] || d < c.joint[0] || d > c.joint[1] {
			t.Errorf("%d variables, %s: a marginal is off by %v, the joint law by %v", len(ones), c.updates, worst, d)
		}
		if b := k.Bound(); c.updates == Parallel && b.Of != OfNothing {
			t.Errorf("a bound of parallel updates: %+v", b)
		}
	}
}

// One weight a variable follows the mean of the conditionals that were met, and no more.
func TestOneWeightFollowsTheConditionals(t *testing.T) {
	m := models(t)["complete"]
	k := begin(t, m, Options{Sharing: All, Start: Zero}, "all")
	if len(k.w) != m.Variables() {
		t.Fatalf("%d weights for %d variables", len(k.w), m.Variables())
	}
	lw, p, off := make([]float64, 2), make([]float64, 2), make([]float64, m.Variables())
	for n := range 5000 {
		x := append([]uint8(nil), k.x...)
		_, _ = k.Step()
		for i := range x {
			m.LogWeights(lw, i, x)
			mrf.Conditional(p, lw, 1)
			x[i] = k.x[i]
			if off[i] += p[1] - float64(x[i]); math.Abs(off[i]) > 1+1e-9 {
				t.Fatalf("after %d sweeps the states of variable %d are %v behind their probabilities", n+1, i, off[i])
			}
		}
	}
}
