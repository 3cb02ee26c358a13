package nuts

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/internal/variate"
)

// ends returns the iterations that close a window.
func ends(planned int64) (out []int64) {
	w := newWindows(planned)
	for i := range planned {
		if w.closes(i) {
			out = append(out, i)
		}
	}
	return out
}

// The windows of Stan 2.3x, counted from 0, worked out by hand from
// windowed_adaptation.hpp.
func TestWindowsAreStans(t *testing.T) {
	for planned, want := range map[int64][]int64{
		0: nil, 19: nil,
		20:   {17},                     // 3 + 15 + 2
		100:  {89},                     // 15 + 75 + 10
		149:  {134},                    // 22 + 113 + 14
		150:  {99},                     // 75 + 25 + 50: one window, no doubling
		200:  {99, 149},                // the second takes what is left
		250:  {99, 199},                // 50 would leave no room for 100
		299:  {99, 248},                // 149 + 100 reaches 249, the end
		300:  {99, 149, 249},           // 149 + 100 is still below 250
		499:  {99, 149, 448},           // 249 + 200 reaches 449, the end
		500:  {99, 149, 249, 449},      // 249 + 200 is still below 450
		1000: {99, 149, 249, 449, 949}, // the default of Stan
		2000: {99, 149, 249, 449, 849, 1949},
	} {
		if got := ends(planned); !slices.Equal(got, want) {
			t.Errorf("%d iterations: windows end at %v, want %v", planned, got, want)
		}
	}
	w := newWindows(1000)
	if w.learns(74) || !w.learns(75) || !w.learns(949) || w.learns(950) {
		t.Errorf("the metric learns from [%d, %d), want [75, 950)", w.begin, w.end)
	}
}

// Moments against their textbook formulas, and the regularisation: Stan's
// where the variance is above 10⁻³, toward the variance itself below.
func TestMomentsMatchFormulas(t *testing.T) {
	const n, dim = 40, 4
	rng := infer.NewStream(2)
	draws := make([][]float64, n)
	diagonal, dense := newMoments(dim, false), newMoments(dim, true)
	for i := range draws {
		draws[i] = []float64{1e6 + variate.Normal(rng), variate.Normal(rng), 0, 1e-4 * variate.Normal(rng)}
		draws[i][2] = draws[i][1] + 0.1*variate.Normal(rng)
		diagonal.add(draws[i])
		dense.add(draws[i])
	}
	full, err := dense.metric()
	must(t, err)
	marginal, err := diagonal.metric()
	must(t, err)
	for j := range dim {
		for l := range dim {
			var mj, ml, s float64
			for _, u := range draws {
				mj, ml = mj+u[j]/n, ml+u[l]/n
			}
			for _, u := range draws {
				s += (u[j] - mj) * (u[l] - ml)
			}
			want := s / (n - 1) * n / (n + 5)
			if j == l {
				want += min(1e-3, s/(n-1)) * 5 / (n + 5)
				if math.Abs(marginal.m[j]-want) > 1e-8*want {
					t.Errorf("variance %d is %v, want %v", j, marginal.m[j], want)
				}
			}
			if math.Abs(full.m[j*dim+l]-want) > 1e-8*max(want, 1e-5) {
				t.Errorf("covariance (%d, %d) is %v, want %v", j, l, full.m[j*dim+l], want)
			}
		}
	}
}

// Dual averaging against its recursion as the paper writes it, and against what
// it is for: the acceptance e^−step reaches the target.
func TestDualAveraging(t *testing.T) {
	var a dual
	a.restart(0.5)
	mu, h, bar := math.Log(5), 0.0, 0.0
	step := 0.5
	for m := 1; m <= 2000; m++ {
		accept := math.Exp(-step)
		step = a.learn(accept, 0.8)
		f := float64(m)
		h = (1-1/(f+10))*h + (0.8-accept)/(f+10)
		x := mu - math.Sqrt(f)/0.05*h
		bar = math.Pow(f, -0.75)*x + (1-math.Pow(f, -0.75))*bar
		if math.Abs(math.Log(step)-x) > 1e-9*(1+math.Abs(x)) || math.Abs(a.average-bar) > 1e-9*(1+math.Abs(bar)) {
			t.Fatalf("update %d: log step %v averaged to %v, want %v and %v", m, math.Log(step), a.average, x, bar)
		}
	}
	if got, want := math.Exp(-a.final()), 0.8; math.Abs(got-want) > 0.01 {
		t.Errorf("the acceptance settles at %v, want %v", got, want)
	}
}

// A coordinate that has not moved in a window keeps a positive variance.
func TestMomentsOfStuckCoordinate(t *testing.T) {
	for _, dense := range []bool{false, true} {
		m := newMoments(2, dense)
		for i := range 30 {
			m.add([]float64{3, float64(i % 5)})
		}
		got, err := m.metric()
		if err != nil {
			t.Fatalf("dense %v: %v", dense, err)
		}
		if want := 1e-3 * 5 / 35; math.Abs(got.m[0]-want) > 1e-15 {
			t.Errorf("dense %v: variance %v, want %v", dense, got.m[0], want)
		}
	}
}
