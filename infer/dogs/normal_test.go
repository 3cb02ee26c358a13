package dogs

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// precisionOf is XᵀX + ridge·I of random rows that share a part.
func precisionOf(seed uint64, n int, shared, ridge float64) []float64 {
	r := rand.New(rand.NewPCG(seed, 3))
	q := make([]float64, n*n)
	for range 3 * n {
		row, common := normals(r, n, 1), r.NormFloat64()
		for i := range row {
			row[i] += shared * common
			for j := range i + 1 {
				q[i*n+j] += row[i] * row[j]
			}
		}
	}
	for i := range n {
		q[i*n+i] += ridge
		for j := range i {
			q[j*n+i] = q[i*n+j]
		}
	}
	return q
}

func normalOf(t testing.TB, q []float64, n int) *Normal {
	t.Helper()
	p, err := NewNormal(q, n)
	must(t, err)
	return p
}

// gibbsUpdate makes x_i a draw of its conditional with the normal number z.
func gibbsUpdate(q []float64, n, i int, x []float64, z float64) {
	sum := 0.0
	for j := range n {
		if j != i {
			sum += q[i*n+j] * x[j]
		}
	}
	x[i] = -sum/q[i*n+i] + z/math.Sqrt(q[i*n+i])
}

// after applies a scan without noise.
func after(q []float64, n int, scan []int32, x []float64) []float64 {
	x = append([]float64(nil), x...)
	for _, i := range scan {
		gibbsUpdate(q, n, int(i), x, 0)
	}
	return x
}

// matrix returns M of a scan, column by column from the definition.
func matrix(q []float64, n int, scan []int32) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	for j := range n {
		e := make([]float64, n)
		e[j] = 1
		for i, v := range after(q, n, scan, e) {
			m[i][j] = v
		}
	}
	return m
}

// covariance returns Q⁻¹ by elimination.
func covariance(q []float64, n int) [][]float64 {
	a := make([][]float64, n)
	for i := range a {
		a[i] = append(append([]float64(nil), q[i*n:(i+1)*n]...), make([]float64, n)...)
		a[i][n+i] = 1
	}
	for k := range n {
		for i := range n {
			f := a[i][k] / a[k][k]
			for j := range 2 * n {
				if i != k {
					a[i][j] -= f * a[k][j]
				}
			}
		}
	}
	for i := range a {
		for j := range n {
			a[i][n+j] /= a[i][i]
		}
		a[i] = a[i][n:]
	}
	return a
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*(1+math.Abs(b)) }

// Two chains with the same random numbers differ by M·δ, whatever these are. κ is row
// i of M·Q⁻¹·Mᵀ over σ_i², from the definitions; the start δ = Q⁻¹Mᵀe_i reaches its bound, none of 200
// random ones exceeds it.
func TestKept(t *testing.T) {
	const n = 6
	r := rand.New(rand.NewPCG(1, 1))
	for _, shared := range []float64{0, 0.5, 2} {
		q := precisionOf(7, n, shared, 1)
		p, sigma := normalOf(t, q, n), covariance(q, n)
		for range 10 {
			scan := randomScan(r, n, 1+r.IntN(15))
			m := matrix(q, n, scan)
			x, y := normals(r, n, 1), normals(r, n, 1)
			delta := make([]float64, n)
			for i := range delta {
				delta[i] = x[i] - y[i]
			}
			delta = after(q, n, scan, delta)
			for _, i := range scan {
				z := r.NormFloat64()
				gibbsUpdate(q, n, int(i), x, z)
				gibbsUpdate(q, n, int(i), y, z)
			}
			kept, err := p.Kept(scan, All(n))
			must(t, err)
			for i := range n {
				if !near(x[i]-y[i], delta[i], 1e-12) {
					t.Errorf("coupled chains differ by %v in variable %d, not %v", x[i]-y[i], i, delta[i])
				}
				best, want := make([]float64, n), 0.0
				for j := range n {
					for k := range n {
						best[j] += sigma[j][k] * m[i][k]
					}
				}
				for j := range n {
					want += m[i][j] * best[j] / sigma[i][i]
				}
				if !near(kept[i], want, 1e-10) {
					t.Errorf("variable %d keeps %v, by the definition %v", i, kept[i], want)
				}
				checkBound(t, r, p, q, m[i], best, kept[i], i)
			}
		}
	}
}

// checkBound holds |row·δ| ≤ √κ·σ·√(δᵀQδ), with equality at the start best.
func checkBound(t *testing.T, r *rand.Rand, p *Normal, q, row, best []float64, kept float64, i int) {
	n := len(row)
	ratio := func(delta []float64) float64 {
		moved, size := 0.0, 0.0
		for j := range n {
			moved += row[j] * delta[j]
			for k := range n {
				size += delta[j] * q[j*n+k] * delta[k]
			}
		}
		return math.Abs(moved) / p.sd[i] / math.Sqrt(size)
	}
	if reached := ratio(best); kept > 1e-20 && !near(reached, math.Sqrt(kept), 1e-9) {
		t.Errorf("variable %d: the worst start gives %v, the bound is %v", i, reached, math.Sqrt(kept))
	}
	for range 20 {
		if v := ratio(normals(r, n, 1)); v > math.Sqrt(kept)*(1+1e-9) {
			t.Errorf("variable %d: a start gives %v, above the bound %v", i, v, math.Sqrt(kept))
		}
	}
}

// Dobrushin variations bound what coupled chains differ by, path by path, from every
// start within one standard deviation; and starts that agree in sign with the influences
// of a matrix without positive off-diagonal entries reach them, so that a scan one step short breaks
// certificates. Rescaling does not bring a norm below one where the spectral radius is not.
func TestNormalInfluence(t *testing.T) {
	const n = 5
	r := rand.New(rand.NewPCG(2, 2))
	q := precisionOf(3, n, 0, 2)
	for i := range n {
		for j := range n {
			if i != j {
				q[i*n+j] = -math.Abs(q[i*n+j]) / 2 // reached by differences of one sign
			}
		}
	}
	p := normalOf(t, q, n)
	c := p.Influence()
	if norm := c.Norms().Spectral; !(norm < 1) {
		t.Fatalf("the influences do not contract: %v", norm)
	}
	broken := 0
	for _, d := range targets(n) {
		for length := 1; length < 3*n; length++ {
			cert, err := c.Optimise(randomScan(r, n, length), d, Options{Rounds: 3})
			must(t, err)
			differ := func(scan []int32, delta []float64) (sum float64) {
				end := after(q, n, scan, delta)
				for _, i := range d.Variables {
					sum += math.Abs(end[i]) / p.sd[i]
				}
				return sum
			}
			for range 20 {
				delta := make([]float64, n)
				for i := range delta {
					delta[i] = p.sd[i] * (2*r.Float64() - 1)
				}
				if v := differ(cert.Scan, delta); v > cert.Variation*(1+1e-12) {
					t.Errorf("%d updates: chains differ by %v, certified %v", length, v, cert.Variation)
				}
			}
			if v := differ(cert.Scan, p.sd); !near(v, cert.Variation, 1e-12) {
				t.Errorf("%d updates: the worst start gives %v, certified %v", length, v, cert.Variation)
			}
			if k := len(cert.Scan); k > 0 && differ(cert.Scan[:k-1], p.sd) > cert.Variation*(1+1e-9) {
				broken++
			}
		}
	}
	if broken == 0 {
		t.Error("no scan that is one step short breaks its certificate")
	}
	var refused *NormError
	strong := normalOf(t, precisionOf(5, n, 2, 0.1), n).Influence()
	if _, err := strong.Optimise(Systematic(n, n), All(n), Options{}); !errors.As(err, &refused) {
		t.Errorf("influences of norm %v were taken: %v", strong.Norms(), err)
	}
}

// Improve is never worse than its input, and where it ends no change of one update
// gains: every one of them is tried.
func TestImprove(t *testing.T) {
	const n = 5
	r := rand.New(rand.NewPCG(3, 3))
	better := 0
	for k, shared := range []float64{0, 0.5, 1.5} {
		p := normalOf(t, precisionOf(uint64(k), n, shared, 1), n)
		for _, d := range append(targets(n), Target{Variables: []int32{3, 0}, Weights: []float64{0.2, 3}}) {
			for length := 1; length < 9; length++ {
				input := randomScan(r, n, length)
				before, _ := p.kept(input, d)
				scan, err := p.Improve(input, d, 50)
				must(t, err)
				v, _ := p.kept(scan, d)
				if v > before || len(scan) > length {
					t.Errorf("%d updates keep %v, the input %v", len(scan), v, before)
				}
				if v < before {
					better++
				}
				for at := range scan {
					for i := range int32(n) {
						other := append([]int32(nil), scan...)
						other[at] = i
						if w, _ := p.kept(other, d); w < v-1e-6 {
							t.Errorf("%v keeps %v, with %d for update %d only %v", scan, v, i, at, w)
						}
					}
				}
			}
		}
	}
	if better < 60 {
		t.Errorf("only %d of 96 random scans were improved", better)
	}
}

// Cost is the integrated autocorrelation time of the definition, summed lag by lag
// over each phase of the cycle; of independent variables it is the number of updates.
func TestCost(t *testing.T) {
	const n = 5
	for k, shared := range []float64{0, 0.5, 1.5} {
		q := precisionOf(uint64(k), n, shared, 1)
		p, sigma := normalOf(t, q, n), covariance(q, n)
		for _, c := range []Cycle{{nil, 1}, {[]int32{2}, 2}, {[]int32{1, 2, 0}, 5}, {[]int32{4, 4}, 12}} {
			d := Target{Variables: []int32{2, 0}}
			got, err := p.Cost(c, d)
			must(t, err)
			worst := 0.0
			for _, i := range d.Variables {
				worst = max(worst, slowly(q, n, c, int(i), sigma))
			}
			if want := c.updates(n) * worst; !near(got, want, 1e-3) {
				t.Errorf("shared %v, %+v: %v updates a draw, by lags %v", shared, c, got, want)
			}
		}
	}
	free := make([]float64, n*n)
	for i := range n {
		free[i*n+i] = float64(1 + i)
	}
	if v, _ := normalOf(t, free, n).Cost(Cycle{[]int32{3}, 4}, Target{Variables: []int32{3}}); v != (5.0+3)/4 {
		t.Errorf("independent variables cost %v updates a draw, not 2", v)
	}
}

// slowly returns the autocorrelation time of variable i lag by lag.
func slowly(q []float64, n int, c Cycle, i int, sigma [][]float64) float64 {
	sum := 0.0
	for phase := range c.Every {
		x := make([]float64, n)
		for j := range x {
			x[j] = sigma[j][i] // Cov(x, x_i)
		}
		for lag := range 4000 {
			scan := c.List
			if (phase+lag)%c.Every == 0 {
				scan = Systematic(n, n)
			}
			x = after(q, n, scan, x)
			sum += x[i] / sigma[i][i]
		}
	}
	return 1 + 2*sum/float64(c.Every)
}

// A plan costs no more than the systematic scan, nor, up to digits, than short lists between every second sweep.
// With independent variables it updates the target alone, with the rarest sweeps.
func TestPlanCycle(t *testing.T) {
	const n = 9
	for k, shared := range []float64{0, 0.5, 2} {
		p := normalOf(t, precisionOf(uint64(k), n, shared, 1), n)
		for _, d := range targets(n) {
			plan, err := p.PlanCycle(d, 0)
			must(t, err)
			if plan.Cost > plan.Systematic || plan.Every < 1 || plan.Every > 64 || !(plan.Kept >= 0 && plan.Kept < 1) {
				t.Errorf("shared %v, %v: %+v", shared, d.Variables, plan)
			}
			for m := 1; m <= 2; m++ { // those that it always looks at
				list, _ := p.Improve(p.Towards(d, m*len(d.Variables)), d, 3)
				if v, _ := p.Cost(Cycle{list, 2}, d); len(d.Variables) < n/2 && plan.Cost > 1.02*v {
					t.Errorf("shared %v, %v: %v costs %v updates a draw, the plan %+v", shared, d.Variables, list, v, plan)
				}
			}
			if fixed, err := p.PlanCycle(d, 5); err != nil || fixed.Every != 1 && fixed.Every != 5 {
				t.Errorf("a sweep in every 5 iterations became %+v, %v", fixed, err)
			}
		}
	}
	free := make([]float64, n*n)
	for i := range n {
		free[i*n+i] = 1
	}
	plan, err := normalOf(t, free, n).PlanCycle(Target{Variables: []int32{4}}, 0)
	if err != nil || len(plan.List) != 1 || plan.List[0] != 4 || plan.Every != 64 || plan.Cost != (9.0+63)/64 || plan.Kept != 0 || plan.Variation != 0 {
		t.Errorf("of independent variables: %+v, %v", plan, err)
	}
}

func TestNormalRefuses(t *testing.T) {
	if _, err := NewNormal([]float64{1, 0, 0, 0}, 2); err == nil {
		t.Error("a singular precision was taken")
	}
	if _, err := NewNormal([]float64{1}, 2); err == nil {
		t.Error("a precision of one number was taken for two variables")
	}
	p := normalOf(t, []float64{1, 0, 0, 1}, 2)
	for name, err := range map[string]error{
		"no target":  second(p.PlanCycle(Target{}, 0)),
		"variable 2": second(p.Kept([]int32{2}, All(2))),
		"every 0":    second(p.Cost(Cycle{}, All(2))),
		"list of 7":  second(p.Cost(Cycle{[]int32{7}, 2}, All(2))),
		"target 9":   second(p.Improve([]int32{0}, Target{Variables: []int32{9}}, 1)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// BenchmarkPlanCycle measures a scan for three of n coefficients, once a fit.
func BenchmarkPlanCycle(b *testing.B) {
	for _, n := range []int{50, 500} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			p := normalOf(b, precisionOf(1, n, 0.3, 1), n)
			for b.Loop() {
				if _, err := p.PlanCycle(Target{Variables: []int32{1, 20, 30}}, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
