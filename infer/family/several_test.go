package family_test

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/internal/simd"
)

// severals lists families of several predictors whose densities are not those of TestVaryingDensities.
func severals() (out []family.Family) {
	for _, l := range family.Table() {
		if f := l.Family(); f.Several() != nil && !f.Support().Classes {
			out = append(out, f)
		}
	}
	out = append(out, withBreaks(family.Named("piecewise_exponential").Family(), pointEnd(49_307), pointEnd(51_099)))
	for _, l := range []string{"gaussian", "student_t", "lognormal", "skew_normal"} {
		f, _ := family.Named(l).Family().WithPredictor("sigma")
		out = append(out, f)
	}
	return out
}

// withBreaks is a hazard with breaks.
func withBreaks(f family.Family, breaks ...float64) family.Family {
	for _, at := range breaks {
		f, _ = f.WithPredictor(family.Break(at))
	}
	return f
}

// density returns the density of a response at predictors.
func density(f family.Family, y float64, eta []float64, disp [2]float64) float64 {
	r := family.Rows{Y: []float64{y}, Trials: []float64{trialsOf(f)}, Total: 1, Disp: disp, Kernels: simd.Vector()}
	f.Several().Prepare(&r)
	out, rows := []float64{0}, [][]float64{}
	for _, e := range eta {
		rows = append(rows, []float64{e})
	}
	f.Several().LogLik(&r, 0, rows, out)
	return math.Exp(out[0])
}

// trialsOf is how many trials a response has here.
func trialsOf(f family.Family) float64 {
	if f.Support().Trials {
		return 9
	}
	return 1
}

// places are predictors with dispersions.
var places = []struct {
	eta  []float64
	disp [2]float64
}{
	{[]float64{0.4, -0.6, 0.5}, [2]float64{0.8, 3}}, {[]float64{1.2, 0.3, -0.2}, [2]float64{2, 8}},
	{[]float64{-1.5, 0.1, 1.5}, [2]float64{0.4, 2.5}}, {[]float64{-0.2, -2, -1}, [2]float64{1.5, -1.2}},
}

// The densities of a response add up to its distribution function and to its mean, and draws have that function.
func TestSeveralAgree(t *testing.T) {
	for _, f := range severals() {
		for _, at := range places {
			if f.Name == "student_t" {
				at.disp[1] = math.Abs(at.disp[1])
			}
			of, support, trials := f.Several(), f.Support(), trialsOf(f)
			at.eta = at.eta[:1+len(f.Further())]
			mean := []float64{0}
			of.Means(at.eta, at.disp, mean)
			sum, first := 0.0, 0.0
			check := func(y float64) {
				if got := of.CDF(y, at.eta, at.disp, trials); math.Abs(got-sum) > 2e-5 {
					t.Errorf("%s%v at %v: distribution function %v, sum of the density %v", f, at.eta, y, got, sum)
				}
			}
			if support.Whole {
				most := 4000.0
				if support.Trials {
					most = trials
				}
				for y := range int(most) + 1 {
					p := density(f, float64(y), at.eta, at.disp)
					sum += p
					first += p * float64(y)
					if y < 6 {
						check(float64(y))
					}
				}
			} else {
				if support.Zero {
					sum = density(f, 0, at.eta, at.disp)
				}
				points(support, func(y, width, end float64, last bool) {
					p := density(f, y, at.eta, at.disp) * width
					if sum += p; p > 0 {
						first += p * y
					}
					if last {
						check(end)
					}
				})
			}
			if support.One {
				p := density(f, 1, at.eta, at.disp)
				sum, first = sum+p, first+p
			}
			if math.Abs(sum-1) > 1e-3 {
				t.Errorf("%s%v: the density adds up to %v", f, at.eta, sum)
			}
			if heavy := f.Name == "student_t"; !heavy && math.Abs(mean[0]*trials-first) > 2e-3*(1+math.Abs(first)) {
				t.Errorf("%s%v: mean %v, that of the density %v", f, at.eta, mean[0], first)
			}
			draws(t, f, at.eta, at.disp)
		}
	}
}

// pointEnd is the end of interval k of points of positive numbers.
func pointEnd(k float64) float64 { return math.Exp(120 * (k/100_000 - 0.5) / 1.2) }

// points passes the middles of small intervals with their widths and ends: of positive numbers on the scale of logarithms, of
// shares on that of logits. last marks ten of them.
func points(of *family.Support, do func(y, width, end float64, last bool)) {
	n := 100_000.0
	if of.Share() {
		n = 10_000
	}
	for k := range int(n) {
		x := 120 * ((float64(k)+0.5)/n - 0.5)
		y, slope, end := x*x*x, 3*x*x, math.Pow(math.Abs(x+60.0/n), 3)
		end = math.Copysign(end, x+60.0/n)
		switch {
		case of.Share():
			share := func(x float64) float64 { return 1 / (1 + math.Exp(-x/0.3)) }
			y, end = share(x), share(x+60.0/n)
			slope = y * share(-x) / 0.3
		case of.Low == 0:
			y, slope, end = math.Exp(x/1.2), math.Exp(x/1.2)/1.2, math.Exp((x+60.0/n)/1.2)
		}
		if y < of.High {
			do(y, slope*120/n, end, k%(int(n)/10) == int(n)/10-1 && end < of.High)
		}
	}
}

// draws compares the distribution function at draws with the share of draws up to them: a Kolmogorov–Smirnov distance
// above the bound has a probability below 1e-6.
func draws(t *testing.T, f family.Family, eta []float64, disp [2]float64) {
	t.Helper()
	const n = 20_000
	rng, of, all, trials := infer.NewStream(7, f.String()), f.Several(), make([]float64, n), trialsOf(f)
	for i := range all {
		all[i] = of.Draw(rng, eta, disp, trials)
	}
	slices.Sort(all)
	for i := 0; i < n; i += 499 {
		up := i
		for up < n && all[up] == all[i] {
			up++
		}
		share := float64(up) / n
		if got := of.CDF(all[i], eta, disp, trials); math.Abs(got-share) > 2.75/math.Sqrt(n) {
			t.Errorf("%s%v: %v of draws up to %v, distribution function %v", f, eta, share, all[i], got)
		}
	}
}

// A time after an entry has the density of one without it, given that it is longer than the entry.
func TestPiecesAfterEntry(t *testing.T) {
	f := withBreaks(family.Named("piecewise_exponential").Family(), 0.5, 3)
	eta := []float64{0.4, -0.6, 0.5}
	for _, at := range []struct{ y, entry float64 }{{0.4, 0.1}, {2, 0.1}, {2, 1}, {4, 0.7}, {4, 3.5}} {
		r := family.Rows{Y: []float64{at.y}, Total: 1, Kernels: simd.Vector()}
		r.Bounds = []family.Bound{{Low: at.entry, High: math.Inf(1)}}
		got := []float64{0}
		f.Several().LogLik(&r, 0, [][]float64{eta[:1], eta[1:2], eta[2:]}, got)
		want := math.Log(density(f, at.y, eta, [2]float64{}) / (1 - f.Several().CDF(at.entry, eta, [2]float64{}, 1)))
		if math.Abs(got[0]-want) > 1e-12 {
			t.Errorf("time %v after %v: log density %v, want %v", at.y, at.entry, got[0], want)
		}
	}
}

// A hurdle is passed by draws if nearly all counts of the base are 0.
func TestLowHurdles(t *testing.T) {
	f := family.Named("hurdle_negative_binomial").Family()
	for _, at := range []struct{ eta, shape float64 }{{-30, 1}, {22, 0.001}, {3, 0.05}} {
		rng, of, eta, trials := infer.NewStream(1, "hurdle"), f.Several(), []float64{at.eta, -40}, 1.0
		disp, shares := [2]float64{at.shape}, map[float64]float64{1: 0, 9: 0, 17: 0}
		const n = 40_000
		for range n {
			y := of.Draw(rng, eta, disp, trials)
			if y < 1 || y != math.Floor(y) {
				t.Fatalf("a count of %v", y)
			}
			for most := range shares {
				if y <= most {
					shares[most] += 1.0 / n
				}
			}
		}
		for most, share := range shares {
			want := of.CDF(most, eta, disp, trials)
			if math.Abs(share-want) > 5*math.Sqrt(want*(1-want)/n)+1e-9 {
				t.Errorf("at %v: a share %v of counts up to %v, want %v", at, share, most, want)
			}
		}
	}
}
