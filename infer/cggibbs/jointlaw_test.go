package cggibbs

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// Draws and density are of one law: a density at a draw is that at the standard
// normals that the draw was made of, for the draw is R⁻ᵀz + centre; and P = RRᵀ.
func TestJointLawIsItsDensity(t *testing.T) {
	made := 0
	for _, c := range jointCases() {
		s := jointly(t, simulated(t, c), jointVariants[0].Options)
		if s == nil {
			continue
		}
		made++
		l, dim := s.law, len(s.widths)
		plain := &jointLaw{centre: make([]float64, dim), ratio: l.ratio}
		x, y, z := make([]float64, dim), make([]float64, dim), make([]float64, dim)
		for i := range 50 {
			l.draws(infer.NewStream(uint64(i), "law"), x)
			plain.draws(infer.NewStream(uint64(i), "law"), y)
			got, want := l.logDensity(x, z), plain.logDensity(y, make([]float64, dim))
			if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
				t.Errorf("%s: log density %v at a draw, %v at its normals", c.Name, got, want)
			}
			for j := range z {
				if !(math.Abs(z[j]-y[j]) <= 1e-9*(1+math.Abs(y[j]))) {
					t.Fatalf("%s: coordinate %d of z is %v, drawn from %v", c.Name, j, z[j], y[j])
				}
			}
		}
	}
	if made < 6 {
		t.Errorf("joint moves were made for %d cases only", made)
	}
}

// logDensity is that of one point.
func (l *jointLaw) logDensity(x, z []float64) float64 {
	var one [1]float64
	l.logDensities(x, one[:], z)
	return one[0]
}

// Proposals that are made together have the bits of those that are made one number at a time, and so have their
// densities.
func TestJointLawInBatches(t *testing.T) {
	for _, c := range jointCases() {
		s := jointly(t, simulated(t, c), jointVariants[0].Options)
		if s == nil {
			continue
		}
		l, dim := s.law, len(s.widths)
		const count = jointBatch - 1
		x, densities, z := make([]float64, count*dim), make([]float64, count), make([]float64, dim)
		together, one := infer.NewStream(1, "law"), infer.NewStream(1, "law")
		l.draws(together, x)
		l.logDensities(x, densities, z)
		for i := range count {
			want, size := make([]float64, dim), 1.0
			if one.Float64() < heavyShare {
				size = math.Sqrt(0.5 * heavyDF / variate.Gamma(one, 0.5*heavyDF))
			}
			for j := range want {
				want[j] = variate.Normal(one)
			}
			l.place(size, want)
			squares := l.squares(want, z)
			normal, heavy := -0.5*squares, l.ratio-0.5*float64(heavyDF+dim)*vec.Log1p(squares/heavyDF)
			density := max(normal, heavy) + vec.Log1p(vec.Exp(-math.Abs(normal-heavy)))
			if !slices.Equal(x[i*dim:(i+1)*dim], want) || densities[i] != density {
				t.Fatalf("%s, proposal %d: %v of density %v, by itself %v of %v", c.Name, i, x[i*dim:(i+1)*dim], densities[i],
					want, density)
			}
		}
	}
}

// The mixture is a density: in one dimension it sums to 1 with the constant that
// logDensity leaves out, in more the ratio of its parts follows from gamma functions.
func TestJointLawSumsToOne(t *testing.T) {
	l := &jointLaw{centre: []float64{0}, ratio: math.Log(heavyShare/(1-heavyShare)) + peakRatio(1)}
	sum, z := 0.0, make([]float64, 1)
	for x := -400.0; x <= 400; x += 0.01 {
		sum += 0.01 * math.Exp(l.logDensity([]float64{x}, z))
	}
	if got := sum * (1 - heavyShare) / math.Sqrt(2*math.Pi); math.Abs(got-1) > 1e-9 {
		t.Errorf("the mixture sums to %v", got)
	}
	for _, dim := range []int{1, 2, 7, 20, 333} {
		a, _ := math.Lgamma(0.5 * float64(heavyDF+dim))
		b, _ := math.Lgamma(0.5 * heavyDF)
		want := a - b + 0.5*float64(dim)*math.Log(2.0/heavyDF)
		if got := peakRatio(dim); math.Abs(got-want) > 1e-10*(1+math.Abs(want)) {
			t.Errorf("%d dimensions: ratio of the peaks %v, want %v", dim, got, want)
		}
	}
}

// Draws in one dimension have the law whose density the move divides by: a normal, and
// with probability heavyShare a t of heavyDF.
//
// False alarms: 1e-6 (Massart 1990). Power: a million draws put the critical distance
// at 0.0027; a tail that is √2 too wide, or one half as frequent, is 0.008 and 0.003 off.
func TestJointLawDrawsItsDensity(t *testing.T) {
	const n = 1_000_000
	limit := math.Sqrt(math.Log(2/1e-6) / (2 * n))
	l := &jointLaw{centre: []float64{0}}
	stream, x := infer.NewStream(infertest.Seed(t), "joint law"), make([]float64, 1)
	draws := make([]float64, n)
	for i := range draws {
		l.draws(stream, x)
		draws[i] = x[0]
	}
	tail := distuv.StudentsT{Sigma: 1, Nu: heavyDF}
	cdf := func(x float64) float64 { return (1-heavyShare)*distuv.UnitNormal.CDF(x) + heavyShare*tail.CDF(x) }
	if d := distance(draws, cdf); d > limit {
		t.Errorf("off by %.4f, limit %.4f", d, limit)
	}
	for i, v := range draws {
		draws[i] = 1.02 * v
	}
	if d := distance(draws, cdf); d <= limit {
		t.Errorf("draws 2 %% too wide pass: off by %.4f, limit %.4f", d, limit)
	}
}

// The centre is where the gradient vanishes, dispersions included.
func TestJointLawIsAtTheMode(t *testing.T) {
	for _, family := range []string{"gaussian", "bernoulli", "poisson"} {
		s := jointly(t, posterior(t, family, 300, 4, unitNormal), jointVariants[0].Options)
		point := glm.NewPoint(s.target)
		v := make([]float64, s.target.Dim())
		s.frame.Values(s.law.centre[:4], v[:4])
		copy(v[4:], s.law.centre[4:])
		point.SetUnconstrained(v)
		grad, curvature := make([]float64, len(v)), s.target.Hessian(v)
		point.Gradient(grad, make([]float64, 300))
		for j := range 4 { // in conditional standard deviations
			if off := grad[j] / math.Sqrt(curvature[j*4+j]); math.Abs(off) > 0.05 {
				t.Errorf("%s: %.3f standard deviations from the mode in coefficient %d", family, off, j)
			}
		}
		if s.pilot.accepted < 0.8 {
			t.Errorf("%s: %.2f of the proposals accepted at 300 × 4", family, s.pilot.accepted)
		}
	}
}
