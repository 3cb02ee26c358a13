package diag

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// near fails where two numbers differ by more than a relative tolerance.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Max(math.Abs(want), 1e-3)) {
		t.Errorf("%s is %.10g, want %.10g", what, got, want)
	}
}

// swept is the mean of a sweep from x, by the conditional means one after the other.
func swept(a, x []float64, n int, order func(i int) int) {
	for i := range n {
		j, sum := order(i), 0.0
		for k := range n {
			if k != j {
				sum += a[j*n+k] * x[k]
			}
		}
		x[j] = -sum / a[j*n+j]
	}
}

// meanOf returns B of what an iteration makes of x, by its images of unit vectors, by rows.
func meanOf(n int, iterate func(x []float64)) []float64 {
	b := make([]float64, n*n)
	for j := range n {
		x := make([]float64, n)
		x[j] = 1
		iterate(x)
		for i := range n {
			b[i*n+j] = x[i]
		}
	}
	return b
}

func inverse(t *testing.T, a []float64, n int) []float64 {
	t.Helper()
	m, err := NewDefinite(a, n)
	must(t, err)
	return meanOf(n, func(x []float64) { m.Solve(append([]float64(nil), x...), x) })
}

// total returns the sum of fᵀBᵏΣf over lags of both signs, by adding them one after the other.
func total(b, sigma, f []float64, n int) (sum, variance float64) {
	x := make([]float64, n)
	for i := range n {
		for j := range n {
			x[i] += sigma[i*n+j] * f[j]
		}
	}
	for lag := range 200_000 {
		c := 0.0
		for i := range n {
			c += f[i] * x[i]
		}
		if lag == 0 {
			variance, sum = c, c
		} else {
			sum += 2 * c
		}
		if next := x; lag > 100 && math.Abs(c) < 1e-14*variance {
			size := 0.0
			for _, v := range next {
				size = math.Max(size, math.Abs(v))
			}
			if size < 1e-13 {
				break
			}
		}
		y := make([]float64, n)
		for i := range n {
			for j := range n {
				y[i] += b[i*n+j] * x[j]
			}
		}
		x = y
	}
	return sum, variance
}

// Two variables of correlation r keep r² in a sweep; a coefficient has (1 − r²)/(1 + r²)
// draws of it and their worst function 1 − |r|.
func TestSweepOfAPair(t *testing.T) {
	for _, r := range []float64{0.3, -0.9, 0.999} {
		got, err := SweepRates([]float64{4, 2 * r * 3, 2 * r * 3, 9}, 2, Sweep{})
		must(t, err)
		near(t, "kept", got.Kept, r*r, 1e-9)
		near(t, "least", got.Least, 1-math.Abs(r), 1e-9)
		for _, v := range got.Each {
			near(t, "draws of a coefficient", v, (1-r*r)/(1+r*r), 1e-9)
		}
		near(t, "condition", got.Condition, 1/(1-math.Abs(r)), 1e-9)
		near(t, "bound", got.Bound, math.Exp(-(1-math.Abs(r))/2), 1e-9)
	}
}

// Closed forms agree with autocovariances that are added one by one, of a mean that is
// made of single updates; a function keeps its power at every lag.
func TestSweepAgainstAutocovariances(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for _, n := range []int{2, 3, 5, 9} {
		for _, times := range []int{1, 2, 5} {
			a := wishart(r, n)
			for i := range n { // scales that differ
				for j := range n {
					a[i*n+j] *= math.Pow(3, float64(i+j)-float64(n))
				}
			}
			t.Run(fmt.Sprintf("n=%d/times=%d", n, times), func(t *testing.T) {
				got, err := SweepRates(a, n, Sweep{Times: times})
				must(t, err)
				sigma := inverse(t, a, n)
				b := meanOf(n, func(x []float64) {
					for range times {
						swept(a, x, n, func(i int) int { return i })
					}
				})
				for j := range n {
					f := make([]float64, n)
					f[j] = 1
					sum, variance := total(b, sigma, f, n)
					near(t, fmt.Sprintf("draws of coefficient %d", j), got.Each[j], variance/sum, 1e-6)
				}
				sum, variance := total(b, sigma, got.Along, n)
				near(t, "least along its function", got.Least, variance/sum, 1e-6)
				for range 50 { // and none has fewer
					f := make([]float64, n)
					for j := range f {
						f[j] = r.NormFloat64() * math.Sqrt(a[j*n+j])
					}
					if sum, variance := total(b, sigma, f, n); variance/sum < got.Least*(1-1e-6) {
						t.Fatalf("a function has %v draws, less than the least, %v", variance/sum, got.Least)
					}
				}
				checkSlowest(t, got, b, n)
			})
		}
	}
}

// checkSlowest holds the slowest direction to fᵀB = ±Kept·fᵀ, and Kept to a long product.
func checkSlowest(t *testing.T, got *Rates, b []float64, n int) {
	t.Helper()
	x, grown := make([]float64, n), 0.0
	for j := range x {
		x[j] = 1 / float64(j+1)
	}
	const long = 4000
	for range long {
		y, size := make([]float64, n), 0.0
		for i := range n {
			for j := range n {
				y[i] += b[i*n+j] * x[j]
			}
			size = math.Max(size, math.Abs(y[i]))
		}
		for i := range y {
			y[i] /= size
		}
		x, grown = y, grown+math.Log(size)
	}
	if math.Abs(math.Log(got.Kept)-grown/long) > 5e-3*math.Abs(grown/long)+2e-3 { // a constant over 4000 is left
		t.Errorf("kept is %v, a long product says %v", got.Kept, math.Exp(grown/long))
	}
	if got.Slowest == nil {
		return
	}
	for j := range n {
		image, size := 0.0, 1e-9
		for i := range n {
			image += got.Slowest[i] * b[i*n+j]
			size = math.Max(size, math.Abs(got.Slowest[i]*b[i*n+j]))
		}
		if math.Abs(math.Abs(image)-got.Kept*math.Abs(got.Slowest[j])) > 1e-5*size {
			t.Errorf("entry %d: the direction keeps %v of %v, want the share %v", j, image, got.Slowest[j], got.Kept)
		}
	}
}

// For a random scan the mean is the average over single updates, to the power of their number.
func TestRandomScanAgainstAutocovariances(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	for _, n := range []int{2, 4, 7} {
		for _, times := range []int{1, 3} {
			a, others := wishart(r, n), times-1
			got, err := SweepRates(a, n, Sweep{Random: true, Others: others, Times: times})
			must(t, err)
			b := meanOf(n, func(x []float64) {
				for range (n + others) * times {
					y := make([]float64, n)
					for i := range n { // the others leave these where they are
						y[i] = x[i] * float64(others) / float64(n+others)
					}
					for j := range n {
						one := append([]float64(nil), x...)
						swept(a, one, n, func(int) int { return j })
						for i := range n {
							y[i] += one[i] / float64(n+others)
						}
					}
					copy(x, y)
				}
			})
			sigma := inverse(t, a, n)
			for j := range n {
				f := make([]float64, n)
				f[j] = 1
				sum, variance := total(b, sigma, f, n)
				near(t, "draws of a coefficient", got.Each[j], variance/sum, 1e-6)
			}
			sum, variance := total(b, sigma, got.Along, n)
			near(t, "least along its function", got.Least, variance/sum, 1e-6)
			near(t, "least of a reversible chain", got.Least, (1-got.Kept)/(1+got.Kept), 1e-9)
			checkSlowest(t, got, b, n)
			if got.Kept > got.Bound {
				t.Errorf("n=%d: a sweep keeps %v, above its bound %v", n, got.Kept, got.Bound)
			}
		}
	}
}

// Gibbs sampling does not see the units of the coordinates.
func TestRatesDoNotDependOnScales(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 3))
	for range 20 {
		n := 2 + r.IntN(8)
		a, s := wishart(r, n), make([]float64, n)
		for j := range s {
			s[j] = math.Exp(3 * r.NormFloat64())
		}
		for _, random := range []bool{false, true} {
			one, err := SweepRates(a, n, Sweep{Random: random})
			must(t, err)
			two, err := SweepRates(scaled(a, s, n), n, Sweep{Random: random})
			must(t, err)
			near(t, "kept", two.Kept, one.Kept, 1e-6)
			near(t, "least", two.Least, one.Least, 1e-6)
			near(t, "bound", two.Bound, one.Bound, 1e-6)
			for j := range n {
				near(t, "draws of a coefficient", two.Each[j], one.Each[j], 1e-6)
			}
		}
	}
}

// κ* ≤ κ_r ≤ κ_cor ≤ d·κ_r (van der Sluis 1969, doi:10.1007/BF02165096), and κ_r ≤ κ: of matrices of all kinds of
// scales and dependence.
func TestConditionNumbersAreOrdered(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 4))
	most := 0.0
	for range 60 {
		n := 2 + r.IntN(7)
		a, s := wishart(r, n), make([]float64, n)
		for j := range s {
			s[j] = math.Exp(float64(r.IntN(4)) * r.NormFloat64())
		}
		a = scaled(a, s, n)
		c, err := ConditionNumbers(a, n)
		must(t, err)
		rates, err := SweepRates(a, n, Sweep{})
		must(t, err)
		const rounding = 1 + 1e-9
		if rates.Condition > c.ResidualLow*rounding && rates.Condition > c.Residual*rounding ||
			c.ResidualLow > c.Correlation*rounding || c.Residual > c.Raw*rounding ||
			c.Correlation > float64(n)*c.Residual*rounding {
			t.Errorf("n=%d: κ* %v, %+v", n, rates.Condition, c)
		}
		most = math.Max(most, c.Correlation/c.Residual)
	}
	if most < 1.05 {
		t.Errorf("κ_cor is never above %v κ_r: the order was not tested", most)
	}
}

// oscillated is the mean of an iteration in the metric M of variances, cos(t·√(M⁻¹A)) by its power series, averaged over lengths.
func oscillated(a, sigma []float64, n int, trajectory *Trajectory) []float64 {
	m := make([]float64, n*n)
	for i := range n {
		for j := range n {
			m[i*n+j] = sigma[i*n+i] * a[i*n+j]
		}
	}
	return meanOf(n, func(x []float64) {
		sum := make([]float64, n)
		const points = 2000
		for p := range points {
			length := trajectory.Length * (1 + trajectory.Jitter*(2*(float64(p)+0.5)/points-1))
			term := append([]float64(nil), x...)
			for k := 0; k < 60; k++ {
				next := make([]float64, n)
				for i := range n {
					sum[i] += term[i] / points
					for j := range n {
						next[i] -= m[i*n+j] * term[j] * length * length / float64((2*k+1)*(2*k+2))
					}
				}
				term = next
			}
		}
		for i := range x {
			x[i] = 0.2*x[i] + 0.8*sum[i]
		}
	})
}

// Exact trajectories of a harmonic oscillator, averaged over lengths by a sum.
func TestTrajectoryRates(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 5))
	n := 4
	a := wishart(r, n)
	sigma := inverse(t, a, n)
	trajectory := &Trajectory{Length: 1.1, Jitter: 0.4, Accept: 0.8}
	got, err := TrajectoryRates(a, n, Variances, trajectory)
	must(t, err)
	b := oscillated(a, sigma, n, trajectory)
	for j := range n {
		f := make([]float64, n)
		f[j] = 1
		sum, variance := total(b, sigma, f, n)
		near(t, "draws of a coefficient", got.Each[j], variance/sum, 1e-5)
	}
	sum, variance := total(b, sigma, got.Along, n)
	near(t, "least along its function", got.Least, variance/sum, 1e-5)
	checkSlowest(t, got, b, n)
	near(t, "bound", got.Bound, 1-1/(16*got.Condition), 1e-12)
	if got.Condition < 2 {
		t.Errorf("κ is %v: too round a target", got.Condition)
	}
	corr, err := ConditionNumbers(sigma, n)
	must(t, err)
	near(t, "κ in the metric", got.Condition, corr.Correlation, 1e-9)

	// In its own covariance every normal target is round; a quarter of its period decorrelates it.
	round, err := TrajectoryRates(a, n, Covariance, &Trajectory{Length: math.Pi / 2, Accept: 0.8})
	must(t, err)
	near(t, "kept in its covariance", round.Kept, 0.2, 1e-9)
	near(t, "κ in its covariance", round.Condition, 1, 1e-12)
	if free, err := TrajectoryRates(a, n, Variances, nil); err != nil || !math.IsNaN(free.Kept) || free.Along == nil {
		t.Errorf("without a law of lengths: %+v, %v", free, err)
	}
}

func TestCosine(t *testing.T) {
	for x := -400.0; x < 400; x += 0.37 {
		if got := cosine(x); math.Abs(got-math.Cos(x)) > 1e-11 {
			t.Errorf("cosine(%v) is %v, want %v", x, got, math.Cos(x))
		}
	}
}

// Independent coordinates mix fully in a sweep; a matrix that is not definite has no rates.
func TestRatesAtTheEdges(t *testing.T) {
	got, err := SweepRates([]float64{2, 0, 0, 5}, 2, Sweep{})
	if err != nil || got.Kept != 0 || got.Slowest != nil || math.Abs(got.Least-1) > 1e-12 || math.Abs(got.Each[1]-1) > 1e-12 {
		t.Errorf("independent: %+v, %v", got, err)
	}
	if got, err = SweepRates([]float64{3}, 1, Sweep{Times: 4}); err != nil || got.Kept != 0 || math.Abs(got.Least-1) > 1e-12 {
		t.Errorf("one coordinate: %+v, %v", got, err)
	}
	if got, err = SweepRates([]float64{3}, 1, Sweep{Random: true}); err != nil || got.Kept > 1e-100 {
		t.Errorf("one coordinate at random: %+v, %v", got, err)
	}
	for _, a := range [][]float64{{1, 1, 1, 1}, {1, 2, 2, 1}, {0, 0, 0, 1}, {math.NaN(), 0, 0, 1}, {1, 0}} {
		if _, err := SweepRates(a, 2, Sweep{}); !errors.Is(err, ErrNotDefinite) {
			t.Errorf("%v: %v", a, err)
		}
		if _, err := TrajectoryRates(a, 2, Variances, nil); !errors.Is(err, ErrNotDefinite) {
			t.Errorf("%v: %v", a, err)
		}
	}
}

// An autoregression of 40,000 steps has its coefficient at lag 1, within five standard errors √((1 − r²)/N).
func TestLagOne(t *testing.T) {
	s := rand.New(rand.NewPCG(7, 6))
	for _, r := range []float64{-0.5, 0, 0.9} {
		chains := make([][]float64, 4)
		for c := range chains {
			x := s.NormFloat64() / math.Sqrt(1-r*r)
			for range 10_000 {
				chains[c] = append(chains[c], 7+x)
				x = r*x + s.NormFloat64()
			}
		}
		if got := LagOne(chains); math.Abs(got-r) > 5*math.Sqrt((1-r*r)/40_000) {
			t.Errorf("lag 1 of %v is %v", r, got)
		}
	}
	if !math.IsNaN(LagOne([][]float64{{1, 1, 1}})) || !math.IsNaN(LagOne(nil)) || !math.IsNaN(LagOne([][]float64{{1}, {2}})) {
		t.Error("a constant, nothing, and single draws have a lag")
	}
}

func BenchmarkSweepRates(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{7, 48, 256} {
		a := wishart(r, n)
		b.Run(fmt.Sprintf("d=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := SweepRates(a, n, Sweep{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Theorem 4.1 and proposition 4.3 hold where no entry of the precision off its diagonal is positive, and Positive
// counts the pairs that break this. Seen red: pairs below 0 counted; exp(−5/κ) instead of the bound.
func TestPaperBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for trial := range 200 {
		n := 2 + trial%5
		a := make([]float64, n*n)
		for i := range n {
			for j := range i {
				v := -rng.Float64()
				a[i*n+j], a[j*n+i] = v, v
				a[i*n+i] -= v
				a[j*n+j] -= v
			}
		}
		for i := range n {
			a[i*n+i] += 0.01 + 0.3*rng.Float64()
		}
		got, err := SweepRates(a, n, Sweep{})
		must(t, err)
		values, _, _ := eigenOf(a, n)
		if bound := PaperBound(values[0]/values[n-1], 1); got.Positive != 0 || got.Kept > bound+1e-9 {
			t.Errorf("%d positive pairs; a sweep keeps %v, more than %v", got.Positive, got.Kept, bound)
		}
	}
	got, err := SweepRates([]float64{2, 1, -1, 1, 2, 1, -1, 1, 2.1}, 3, Sweep{})
	if err != nil || got.Positive != 2 {
		t.Errorf("%d pairs with a positive entry, want 2: %v", got.Positive, err)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
