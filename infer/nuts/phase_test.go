package nuts

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"

	"gonum.org/v1/gonum/mat"
)

// posterior simulates a response of a case.
func posterior(t testing.TB, c infertest.Case) *glm.Target {
	t.Helper()
	_, target, err := c.Simulate(infer.NewStream(5, "nuts", c.Name))
	must(t, err)
	return target
}

// slanted is a metric that is neither the identity nor diagonal (if dense).
func slanted(dim int, dense bool) *metric {
	entries := make([]float64, dim)
	for j := range entries {
		entries[j] = 0.3 + 0.4*float64(j)
	}
	if dense {
		full := make([]float64, dim*dim)
		for j := range dim {
			for l := range dim {
				full[j*dim+l] = 0.15
			}
			full[j*dim+j] = entries[j]
		}
		entries = full
	}
	m, err := newMetric(dim, entries, dense)
	if err != nil {
		panic(err)
	}
	return m
}

// begin returns the phase space of a case at a point with momentum.
func begin(t testing.TB, c infertest.Case, dense bool) (*phase, *point) {
	target := posterior(t, c)
	s := newPhase(target, slanted(target.Dim(), dense))
	z := newPoint(target.Dim())
	copy(z.u, target.Penalised())
	s.metric.draw(infer.NewStream(6, c.Name), z.p)
	z.density = s.gradient(z.u, z.grad)
	s.hamiltonian(z)
	s.start = z.energy
	return s, z
}

// each runs a check in every family and form of metric.
func each(t *testing.T, check func(t *testing.T, s *phase, z *point)) {
	for _, c := range infertest.Cases() {
		for _, dense := range []bool{false, true} {
			name := c.Name + "/diagonal"
			if dense {
				name = c.Name + "/dense"
			}
			t.Run(name, func(t *testing.T) {
				s, z := begin(t, c, dense)
				check(t, s, z)
			})
		}
	}
}

// A trajectory has turned when either of its ends moves against the sum of momenta, or at
// a right angle to it.
func TestTurnedAsksBothEnds(t *testing.T) {
	along, across, back := []float64{1, 0}, []float64{0, 1}, []float64{-1, 0.5}
	sum := []float64{2, 0}
	for _, c := range []struct {
		one, other []float64
		want       bool
	}{{along, along, false}, {along, back, true}, {back, along, true}, {along, across, true}, {across, along, true}} {
		if got := new(phase).turned(&point{velocity: c.one}, &point{velocity: c.other}, sum); got != c.want {
			t.Errorf("ends that move by %v and %v, sum %v: turned is %v", c.one, c.other, sum, got)
		}
	}
}

// Leapfrog steps forward and back end where they began, to rounding.
func TestLeapfrogReverses(t *testing.T) {
	each(t, func(t *testing.T, s *phase, z *point) {
		s.step = 0.2
		w := z
		for range 20 {
			w = s.leap(w, true)
		}
		if math.Abs(w.u[0]-z.u[0]) < 1e-3 {
			t.Fatalf("20 steps moved the first coordinate by %v only", w.u[0]-z.u[0])
		}
		for range 20 {
			w = s.leap(w, false)
		}
		for j := range z.u {
			if math.Abs(w.u[j]-z.u[j]) > 1e-10 || math.Abs(w.p[j]-z.p[j]) > 1e-10 {
				t.Errorf("coordinate %d came back to (%v, %v), want (%v, %v)", j, w.u[j], w.p[j], z.u[j], z.p[j])
			}
		}
	})
}

// The error of the energy over a fixed time falls with the square of the step.
func TestLeapfrogIsSecondOrder(t *testing.T) {
	each(t, func(t *testing.T, s *phase, z *point) {
		fault := func(n int) float64 {
			s.step = 0.4 / float64(n)
			w := z
			for range n {
				w = s.leap(w, true)
			}
			return w.energy - z.energy
		}
		if ratio := fault(50) / fault(100); math.Abs(ratio-4) > 0.2 {
			t.Errorf("half the step divides the error of the energy by %v, want 4", ratio)
		}
	})
}

// A leapfrog step keeps volume: its Jacobian has determinant 1. Differences of
// 1e-5 leave an error of about 1e-8.
func TestLeapfrogKeepsVolume(t *testing.T) {
	each(t, func(t *testing.T, s *phase, z *point) {
		s.step = 0.3
		dim := len(z.u)
		out := func(k int, delta float64) []float64 {
			w := newPoint(dim)
			w.take(z)
			if k < dim {
				w.u[k] += delta
			} else {
				w.p[k-dim] += delta
			}
			w.density = s.gradient(w.u, w.grad)
			w = s.leap(w, true)
			return append(append([]float64(nil), w.u...), w.p...)
		}
		jacobian := mat.NewDense(2*dim, 2*dim, nil)
		for k := range 2 * dim {
			up, down := out(k, 1e-5), out(k, -1e-5)
			for i := range up {
				jacobian.Set(i, k, (up[i]-down[i])/2e-5)
			}
		}
		if det := mat.Det(jacobian); math.Abs(det-1) > 1e-6 {
			t.Errorf("determinant %v, want 1", det)
		}
	})
}

// A momentum's distribution is the one that its energy states: with z the standard normal numbers behind p, pᵀMp =
// zᵀz.
func TestMomentumMatchesMetric(t *testing.T) {
	for _, dense := range []bool{false, true} {
		m := slanted(5, dense)
		one := unitMetric(5, false)
		p, z, v := make([]float64, 5), make([]float64, 5), make([]float64, 5)
		for seed := range uint64(20) {
			m.draw(infer.NewStream(seed), p)
			one.draw(infer.NewStream(seed), z)
			m.velocity(p, v)
			energy, want := 0.0, 0.0
			for j := range p {
				energy += p[j] * v[j]
				want += z[j] * z[j]
			}
			if math.Abs(energy-want) > 1e-12*want {
				t.Errorf("dense %v: twice the kinetic energy is %v, the normals have %v", dense, energy, want)
			}
		}
	}
}

func TestMetricRefuses(t *testing.T) {
	for _, bad := range [][]float64{{1, 0}, {1, -1}, {math.NaN(), 1}, {math.Inf(1), 1}} {
		if _, err := newMetric(2, bad, false); err == nil {
			t.Errorf("variances %v were taken", bad)
		}
		if _, err := newMetric(2, []float64{bad[0], 0, 0, bad[1]}, true); err == nil {
			t.Errorf("a matrix with diagonal %v was taken", bad)
		}
	}
}

// Short trajectories allocate nothing once the pool is warm.
func TestPoolServesTransitions(t *testing.T) {
	s, z := begin(t, infertest.Poisson(8), false)
	s.step = 0.1
	allocated := testing.AllocsPerRun(20, func() {
		s.pool.reset()
		w := z
		for range 10 {
			w = s.leap(w, true)
			s.add(w.p, w.p)
		}
	})
	if allocated > 0 {
		t.Errorf("a warm pool allocates %v times", allocated)
	}
	if len(s.pool.allP) != 10 || len(s.pool.allV) != 10 {
		t.Errorf("the pool made %d points and %d vectors, want 10 and 10", len(s.pool.allP), len(s.pool.allV))
	}
}
