package cggibbs

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
	"glmbatch/infer/update"
	"glmbatch/internal/variate"
)

// curved is a law on the line with derivatives.
type curved struct {
	target
	tangent func(x float64) tangent
}

func curvedLaws() []curved {
	byName := map[string]target{}
	for _, law := range targets() {
		byName[law.name] = law
	}
	heavy := byName["t3"]
	heavy.more = 20 // few proposals go where it is not concave
	return []curved{
		{byName["normal, wide"], func(x float64) tangent { return tangent{-x * x / 2, -x, 1} }},
		{byName["log exponential"], func(x float64) tangent { return tangent{x - math.Exp(x), 1 - math.Exp(x), math.Exp(x)} }},
		{heavy, t3},
	}
}

// concave is a log-concave density whose curvature is at least least everywhere, that of a normal prior.
type concave struct {
	curved
	least float64
}

// concaveLaws are normal, log exponential, whose left tail has no curvature and whose
// right one has ever more, and N(0, 3²) cut softly at 0, as a normal prior by one
// bernoulli response.
func concaveLaws() []concave {
	laws := curvedLaws()
	cut := func(x float64) tangent {
		p := 1 / (1 + math.Exp(-x/0.1)) // of the cut
		return tangent{-x*x/18 - math.Log1p(math.Exp(-x/0.1)), -x/9 + 10*(1-p), 1.0/9 + 100*p*(1-p)}
	}
	soft := target{"normal, cut", func(x float64) float64 { return cut(x).value }, func(s variate.Source) float64 {
		for {
			if x := 3 * variate.Normal(s); s.Float64() < 1/(1+math.Exp(-x/0.1)) {
				return x
			}
		}
	}, 1, 20, 0}
	return []concave{{laws[0], 1}, {laws[0], 1e-4}, {laws[1], 0}, {curved{soft, cut}, 1.0 / 9}}
}

// tangentOnce is a slice update within tangents.
func tangentOnce(t *testing.T, src variate.Source, law concave, x float64) float64 {
	s := slicer{Looks: &update.Looks{}, source: src}
	move, _, _, ok := s.updateTangent(from{law.logf, x}, law.tangent(x), law.least, law.width)
	if !ok {
		t.Fatalf("%s: log density %v", law.name, s.Bad)
	}
	return x + move
}

// withinOnce is a slice update of what is left of a law without N(0.5, 3²).
func withinOnce(t *testing.T, src variate.Source, law target, x float64) float64 {
	const centre, curvature = 0.5, 1. / 9
	s := slicer{Looks: &update.Looks{}, source: src}
	rest := func(x float64) float64 { return law.logf(x) + curvature*(x-centre)*(x-centre)/2 }
	move, _, _, ok := s.updateWithin(from{rest, x}, rest(x), curvature*(centre-x), curvature)
	if !ok {
		t.Fatalf("%s: log density %v", law.name, s.Bad)
	}
	return x + move
}

// Slices within tangents hold the whole slice: their ends are outside, at every point and
// level.
func TestTangentsEncloseTheSlice(t *testing.T) {
	src := infer.NewStream(2, "enclosed")
	for _, law := range concaveLaws() {
		for range 20_000 {
			x, drop := law.draw(src), variate.Exponential(src)
			here := law.tangent(x)
			s := slicer{Looks: &update.Looks{}, source: src, level: here.value - drop}
			left, right := s.enclose(from{law.logf, x}, here, law.least, law.width, drop)
			for _, end := range []float64{left, right} {
				if excess := law.logf(x+end) - s.level; excess > 1e-9 || !(left < 0 && right > 0) {
					t.Fatalf("%s: from %v, level %v below, the interval is [%v, %v], and at %v the log density is %v above the level",
						law.name, x, drop, left, right, end, excess)
				}
			}
		}
	}
}

// t3 is not log-concave: its curvature is negative beyond √3.
func t3(x float64) tangent {
	s := 3 + x*x
	return tangent{-2 * math.Log(s), -4 * x / s, 4 * (3 - x*x) / s / s}
}

// matchOnce is basisKernel.match on a law on the line.
func matchOnce(src variate.Source, law func(float64) tangent, x float64) float64 {
	from := law(x)
	step, ok := from.proposal(src)
	threshold := logUniform(src)
	if ok && threshold < logRatio(from, law(x+step), step) {
		return x + step
	}
	return x
}

// steppingOnce is a slice update with stepping out.
func steppingOnce(t *testing.T, src variate.Source, law target, x float64) float64 {
	s := slicer{Looks: &update.Looks{}, source: src, limit: law.limit}
	move, _, _, ok := s.updateStepping(from{law.logf, x}, law.logf(x), law.width)
	if !ok {
		t.Fatalf("%s: log density %v", law.name, s.Bad)
	}
	return x + move
}

// False alarms and power as TestSliceIsInvariant, with a distance of 0.041 in the
// quick form; on t3 the share beyond √3 is
// 0.182.
func TestUpdatesAreInvariant(t *testing.T) {
	pairs := infertest.Scale(10_000, 500_000)
	seed := infertest.Seed(t)
	limit := math.Sqrt(math.Log(2*15/1e-6) / float64(pairs))
	check := func(name string, law target, update func(src variate.Source, x float64) float64) {
		if d := invariance(law, pairs, seed, update); d > limit {
			t.Errorf("%s: %s is not invariant: distance %.4f, limit %.4f", law.name, name, d, limit)
		}
	}
	for _, law := range targets() {
		check("stepping out", law, func(src variate.Source, x float64) float64 { return steppingOnce(t, src, law, x) })
	}
	for _, law := range concaveLaws() {
		check("within tangents", law.target, func(src variate.Source, x float64) float64 { return tangentOnce(t, src, law, x) })
	}
	for _, law := range append(targets(), concaveLaws()[3].target) {
		check("within a normal law", law, func(src variate.Source, x float64) float64 { return withinOnce(t, src, law, x) })
	}
	for _, law := range curvedLaws() {
		law.width = min(law.width, 3)
		check("matched", law.target, func(src variate.Source, x float64) float64 {
			if sliced(src) {
				return steppingOnce(t, src, law.target, x)
			}
			return matchOnce(src, law.tangent, x)
		})
	}
}

// The faults of choosing an update by the position, of going where the way back has no density, and of leaving out
// the way back, are rejected; the first on t3, where it never leaves the middle.
func TestUpdateFaults(t *testing.T) {
	laws, reject := curvedLaws(), rejects(t)
	bySign := func(src variate.Source, x float64) float64 {
		if !(t3(x).curvature > 0) {
			return steppingOnce(t, src, laws[2].target, x)
		}
		return matchOnce(src, t3, x)
	}
	reject("chosen by the sign of the curvature", laws[2], bySign)
	src, beyond, x := infer.NewStream(5, "t3"), 0, 0.0
	for range 50_000 {
		if x = bySign(src, x); math.Abs(x) > math.Sqrt(3) {
			beyond++
		}
	}
	if share := float64(beyond) / 50_000; share > 0.01 {
		t.Errorf("chosen by sign: %.3f of the chain is beyond √3; expected none of 0.182", share)
	}
	reject("a way back that no law has", laws[2], func(src variate.Source, x float64) float64 {
		if sliced(src) {
			return steppingOnce(t, src, laws[2].target, x)
		}
		from := t3(x)
		step, ok := from.proposal(src)
		to := t3(x + step)
		ratio := logRatio(from, to, step)
		if !(to.curvature > 0) {
			ratio = to.value - from.value
		}
		if threshold := logUniform(src); ok && threshold < ratio {
			return x + step
		}
		return x
	})
	reject("no way back", laws[1], func(src variate.Source, x float64) float64 {
		from := laws[1].tangent(x)
		step, _ := from.proposal(src)
		if logUniform(src) < laws[1].tangent(x+step).value-from.value {
			return x + step
		}
		return x
	})
}

// In a logistic tail no matched proposal is ever accepted: the slices between them bring the
// chain back. False alarms: (7/8)²⁰⁰ = 3e-12 where the seed is fresh.
func TestMatchedLeavesTails(t *testing.T) {
	target := posterior(t, "bernoulli", 60, 1, prior.Prior{Kind: prior.Normal, Scale: 1e4})
	for _, o := range []Options{{Update: "matched"}, {Basis: "rotated", Update: "matched"}} {
		k, _ := based(t, target, o)
		at := []float64{300}
		must(t, k.SetPosition(at))
		accepted := 0.0
		for i := 0; i < 200 && math.Abs(at[0]) > 20; i++ {
			accepted = step(t, k).Accept
			k.Position(at)
		}
		if math.Abs(at[0]) > 20 {
			t.Errorf("%+v: still at %v after 200 iterations, accepting %v", o, at[0], accepted)
		}
	}
}

// rejects returns a check that an update is not invariant.
func rejects(t *testing.T) func(name string, law curved, update func(src variate.Source, x float64) float64) {
	const pairs = 20_000
	limit := math.Sqrt(math.Log(2*11/1e-6) / pairs)
	return func(name string, law curved, update func(src variate.Source, x float64) float64) {
		t.Helper()
		d := invariance(law.target, pairs, 1, update)
		t.Logf("%s: distance %.4f on %q, limit %.4f", name, d, law.name, limit)
		if d <= limit {
			t.Errorf("%s: not rejected", name)
		}
	}
}

// Tangents of a density that is not log-concave, and ends nearer than those of the tangent, are rejected.
func TestTangentFaults(t *testing.T) {
	laws, reject := curvedLaws(), rejects(t)
	reject("within tangents of a law that is not log-concave", laws[2], func(src variate.Source, x float64) float64 {
		return tangentOnce(t, src, concave{laws[2], 0}, x)
	})
	reject("ends where the guess has them", laws[1], func(src variate.Source, x float64) float64 {
		here, drop := laws[1].tangent(x), variate.Exponential(src)
		s := slicer{Looks: &update.Looks{}, source: src, level: here.value - drop}
		left, right := parabola(here.slope, here.curvature, drop)
		move, _, _, _ := s.shrink(from{laws[1].logf, x}, left, right, false)
		return x + move
	})
}

// priorTarget returns a posterior without information: binomial responses of no trials.
// In the reduced basis z of r directions is then N(0, I_r).
func priorTarget(t *testing.T, r int) *glm.Target {
	t.Helper()
	x := design.NewDense(r, r+2)
	for j := range x.Cols {
		for i := range r {
			x.Col(j)[i] = math.Mod(float64(i+1)*math.Sqrt(float64(3*j+2)), 1)*2 - 1
		}
	}
	m := glm.Model{Family: glm.Family{Name: "binomial", Link: "logit"}}
	for range x.Cols {
		m.Coefficients = append(m.Coefficients, unitNormal)
	}
	target, err := glm.NewTarget(&glm.Data{X: x, Y: make([]float64, r), Trials: make([]float64, r), Intercept: -1}, m)
	must(t, err)
	return target
}

// The scale move leaves ‖z‖ ~ χ_r. False alarms: 1e-6 over both. Power: with r − 1 instead of r it is rejected.
//
// Chains start at exact draws; the moved ones are compared with others.
func TestScaleMove(t *testing.T) {
	pairs := infertest.Scale(5_000, 100_000)
	limit := math.Sqrt(math.Log(2*2/1e-6) / float64(pairs))
	for _, r := range []int{1, 2} {
		for _, fault := range []float64{0, 1} {
			k, _ := based(t, priorTarget(t, r), Options{Basis: "reduced"})
			k.scale.power -= fault
			before, after := make([]float64, pairs), make([]float64, pairs)
			for i := range pairs {
				before[i] = drawZ(k)
				drawZ(k)
				for range 4 {
					if !k.scale.update(k) {
						t.Fatal("not finite")
					}
					k.arrive()
				}
				after[i] = norm(k.z())
			}
			d := twoSample(before, after)
			t.Logf("r = %d, power %v: distance %.3f, limit %.3f", r, k.scale.power, d, limit)
			if d > limit != (fault > 0) {
				t.Errorf("r = %d, power %v: distance %.3f, limit %.3f", r, k.scale.power, d, limit)
			}
		}
	}
}

// drawZ moves a chain of prior to an exact draw and returns ‖z‖.
func drawZ(k *basisKernel) float64 {
	v := make([]float64, len(k.line.v))
	for i := range v {
		v[i] = variate.Normal(k.Stream)
	}
	k.frame.Coordinates(v, k.u)
	k.point.SetUnconstrained(k.u)
	k.arrive()
	return norm(k.z())
}

func norm(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return math.Sqrt(sum)
}
