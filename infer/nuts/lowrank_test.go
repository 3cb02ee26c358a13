package nuts

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/infertest"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
)

// slantedLow is a metric of low rank that is neither the identity nor diagonal.
func slantedLow(dim int) *metric {
	m := slanted(dim, false)
	u := make([]float64, dim)
	for j := range u {
		u[j] = 1 / math.Sqrt(float64(dim))
	}
	return m.withLowRank([]float64{3}, u)
}

// lowSlanted gives chains that metric.
func lowSlanted(k *kernel) infer.Kernel {
	k.space.metric = slantedLow(k.target.Dim())
	return k
}

// normalPosterior is N(0, Σ) with Σ = S(I + vvᵀ·t)S, S diagonal from 0.01 to 100
// and t = 400, as covariance and precision.
func normalPosterior(dim int, t float64) (cov, precision []float64) {
	v, s := make([]float64, dim), make([]float64, dim)
	for j := range v {
		v[j] = float64(1-2*(j%2)) / math.Sqrt(float64(dim))
		s[j] = math.Pow(10, 4*float64(j)/float64(dim)-2)
	}
	cov, precision = make([]float64, dim*dim), make([]float64, dim*dim)
	for j := range dim {
		for l := range dim {
			one := 0.0
			if j == l {
				one = 1
			}
			cov[j*dim+l] = s[j] * s[l] * (one + t*v[j]*v[l])
			precision[j*dim+l] = (one - t/(1+t)*v[j]*v[l]) / (s[j] * s[l])
		}
	}
	return cov, precision
}

// learnt is the metric from n independent draws of a normal posterior.
func learntFrom(t *testing.T, dim, n int, corr float64) (m *metric, cov, precision []float64) {
	t.Helper()
	cov, precision = normalPosterior(dim, corr)
	root, err := linalg.Cholesky(append([]float64(nil), precision...), dim)
	must(t, err)
	f, rng := newFisher(dim), infer.NewStream(3)
	u, grad := make([]float64, dim), make([]float64, dim)
	for range n {
		for j := range u {
			u[j] = variate.Normal(rng)
		}
		root.SolveUpper(u)
		for j := range grad {
			grad[j] = 0
			for l, x := range u {
				grad[j] -= precision[j*dim+l] * x
			}
		}
		f.add(u, grad)
	}
	if m, err = f.metric(unitMetric(dim, false)); err != nil {
		t.Fatal(err)
	}
	return m, cov, precision
}

// matrix is the metric in full.
func (m *metric) matrix() []float64 {
	out, unit := make([]float64, m.dim*m.dim), make([]float64, m.dim)
	for j := range unit {
		unit[j] = 1
		m.velocity(unit, out[j*m.dim:(j+1)*m.dim])
		unit[j] = 0
	}
	return out
}

// condition is that of M^½ΛM^½, whose eigenvalues are those of LᵀΛL, M = LLᵀ.
func condition(t *testing.T, m *metric, precision []float64) float64 {
	t.Helper()
	dim := m.dim
	full := m.matrix()
	if _, err := linalg.Cholesky(full, dim); err != nil { // L is stored in full
		t.Fatal(err)
	}
	inner := make([]float64, dim*dim)
	for i := range dim {
		for j := range dim {
			for k := i; k < dim; k++ {
				for l := j; l < dim; l++ {
					inner[i*dim+j] += full[k*dim+i] * precision[k*dim+l] * full[l*dim+j]
				}
			}
		}
	}
	values, _, err := linalg.SymEigen(inner, dim)
	must(t, err)
	return values[0] / values[dim-1]
}

// If all directions fit in, the metric of a normal posterior is, up to the regularisation of 1e-5, its covariance,
// from as few positions as three times the dimension: gradients determine the shape, and no sampling error is left.
func TestFisherFindsCovariance(t *testing.T) {
	m, cov, _ := learntFrom(t, 12, 40, 400)
	full := m.matrix()
	for j := range 12 {
		for l := range 12 {
			if size := math.Sqrt(cov[j*13] * cov[l*13]); math.Abs(full[j*12+l]-cov[j*12+l]) > 0.01*size {
				t.Errorf("(%d, %d) is %v, want %v", j, l, full[j*12+l], cov[j*12+l])
			}
		}
	}
}

// A posterior without correlation is found by the diagonal alone, exactly and
// from fewer positions than it has coordinates.
func TestFisherFindsDiagonal(t *testing.T) {
	m, cov, _ := learntFrom(t, 50, 20, 0)
	if n := len(m.low.values); n > 0 {
		t.Errorf("%d directions of a posterior that has none", n)
	}
	for j, v := range m.m {
		if want := cov[j*51]; math.Abs(v-want) > 1e-9*want {
			t.Errorf("variance %d is %v, want %v", j, v, want)
		}
	}
}

// With fewer positions than coordinates the direction that matters is found,
// and what is left of a condition number of 401 is the noise of the diagonal;
// with two for each coordinate next to nothing is left.
func TestFisherFindsLowRank(t *testing.T) {
	for n, limit := range map[int]float64{50: 10, 150: 1.01} {
		m, _, precision := learntFrom(t, 60, n, 400)
		with := condition(t, m, precision)
		m.withLowRank(nil, nil)
		without := condition(t, m, precision)
		if !(with < limit) || !(without > 100) {
			t.Errorf("%d positions: the condition is %v with directions and %v without, want below %v and above 100", n, with, without, limit)
		}
	}
}

// The momentum's distribution is the one that the energy states.
func TestLowRankMomentumMatchesMetric(t *testing.T) {
	m, one := slantedLow(5), unitMetric(5, false)
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
			t.Errorf("twice the kinetic energy is %v, the normals have %v", energy, want)
		}
	}
}

// Rows beyond the limit thin the kept ones evenly.
func TestFisherThins(t *testing.T) {
	f := newFisher(1)
	for i := range 3*f.limit + 1 {
		f.add([]float64{float64(i)}, []float64{-float64(i)})
	}
	if f.stride != 4 || f.kept != 3*f.limit/4+1 {
		t.Fatalf("%d rows, one of %d", f.kept, f.stride)
	}
	for i := range f.kept {
		if want := float64(4 * i); f.u[i] != want || f.g[i] != -want {
			t.Errorf("row %d is %v and %v, want ±%v", i, f.u[i], f.g[i], want)
		}
	}
}

// TestPinnedLowRank pins draws through a warm-up of two windows.
func TestPinnedLowRank(t *testing.T) {
	for name, want := range map[string]string{"bernoulli/n=12": "5d9b24ba0728d153", "poisson/n=8": "c841738ee4c7cd4c"} {
		for _, c := range infertest.Cases() {
			if c.Name != name {
				continue
			}
			target := fixed(t, c)
			s, err := New(target, Options{Metric: "low_rank"})
			must(t, err)
			k, err := s.Kernel(infer.Chain{Count: 1, Warmup: 200, Stream: infer.NewStream(1, c.Name)})
			must(t, err)
			h, theta := sha256.New(), make([]float64, target.Dim())
			for range 220 {
				if _, err := k.Step(); err != nil {
					t.Fatal(err)
				}
				k.Position(theta)
				for _, v := range theta {
					h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
				}
			}
			if got := hex.EncodeToString(h.Sum(nil)[:8]); got != want {
				t.Errorf("%q: %q, want %q", c.Name, got, want)
			}
		}
	}
}
