package cggibbs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/update"
	"glmbatch/internal/variate"
)

// flaw is a fault planted in the textbook's slice sampler.
type flaw string

const (
	sound      flaw = ""
	skipAccept flaw = "no acceptance test after doubling"
	shrinkLeft flaw = "shrinks toward the interval's left end"
	noSlice    flaw = "level is the current density"
	oneSided   flaw = "doubles to the right only"
)

// textbook makes one update from x as figures 4, 5 and 6 of Neal (2003) are printed: every log density is
// recomputed, ends are real numbers.
func textbook(src variate.Source, logf func(float64) float64, x, w float64, limit int, fault flaw) float64 {
	y := logf(x) - variate.Exponential(src)
	if fault == noSlice {
		y = logf(x) - 1e-3
	}
	left := x - w*src.Float64()
	right := left + w
	for k := limit; k > 0 && (y < logf(left) || y < logf(right)); k-- {
		if src.Float64() < 0.5 && fault != oneSided {
			left -= right - left
		} else {
			right += right - left
		}
	}
	for lo, hi := left, right; ; {
		x1 := lo + src.Float64()*(hi-lo)
		if y < logf(x1) && (fault == skipAccept || textbookAccepts(logf, x, x1, y, w, left, right)) {
			return x1
		}
		if x1 < x || fault == shrinkLeft {
			lo = x1
		} else {
			hi = x1
		}
		if !(lo < hi) || hi-lo < 1e-12 {
			return x
		}
	}
}

func textbookAccepts(logf func(float64) float64, x0, x1, y, w, left, right float64) bool {
	differs := false
	for right-left > 1.1*w {
		mid := (left + right) / 2
		differs = differs || (x0 < mid && x1 >= mid) || (x0 >= mid && x1 < mid)
		if x1 < mid {
			right = mid
		} else {
			left = mid
		}
		if differs && y >= logf(left) && y >= logf(right) {
			return false
		}
	}
	return true
}

// from is a log density as seen from a current point.
type from struct {
	logf func(float64) float64
	x    float64
}

func (f from) at(d float64) (float64, glm.Value) { return f.logf(f.x + d), glm.Value{} }

// target is a law on the line with exact draws.
type target struct {
	name  string
	logf  func(float64) float64
	draw  func(variate.Source) float64
	width float64
	limit int
	more  int // updates besides 3
}

// mixture returns Σ weight·N(mean, sd²), not normalised.
func mixture(weight, mean, sd []float64) (func(float64) float64, func(variate.Source) float64) {
	logf := func(x float64) float64 {
		sum := 0.0
		for k, w := range weight {
			z := (x - mean[k]) / sd[k]
			sum += w / sd[k] * math.Exp(-z*z/2)
		}
		return math.Log(sum)
	}
	draw := func(s variate.Source) float64 {
		u, k := s.Float64(), 0
		for k < len(weight)-1 && u > weight[k] {
			u -= weight[k]
			k++
		}
		return mean[k] + sd[k]*variate.Normal(s)
	}
	return logf, draw
}

func targets() []target {
	modes, drawModes := mixture([]float64{0.25, 0.5, 0.25}, []float64{-2, 0, 2.6}, []float64{0.15, 0.2, 0.3})
	// doubling starts wide in the wide mode and stops at once in the narrow one
	uneven, drawUneven := mixture([]float64{0.5, 0.5}, []float64{0, 8}, []float64{0.1, 2})
	return []target{
		{"narrow and wide mode", uneven, drawUneven, 0.5, 20, 9},
		{"normal, wide", func(x float64) float64 { return -x * x / 2 }, variate.Normal, 50, 20, 0},
		{"normal, narrow, few doublings", func(x float64) float64 { return -x * x / 2 }, variate.Normal, 0.1, 3, 0},
		{"exponential", func(x float64) float64 {
			if x < 0 {
				return math.Inf(-1)
			}
			return -x
		}, variate.Exponential, 0.3, 20, 0},
		{"t3", func(x float64) float64 { return -2 * math.Log(1+x*x/3) }, func(s variate.Source) float64 {
			z := variate.Normal(s)
			return z * math.Sqrt(3/variate.ChiSquare3(s))
		}, 1, 20, 0},
		{"log exponential", func(x float64) float64 { return x - math.Exp(x) }, func(s variate.Source) float64 {
			return math.Log(variate.Exponential(s))
		}, 1, 20, 0},
		{"three modes", modes, drawModes, 0.25, 20, 0},
		{"three modes, few doublings", modes, drawModes, 0.5, 2, 2},
	}
}

// Production and textbook use the same uniforms and give the same points.
func TestSliceMatchesTextbook(t *testing.T) {
	for _, law := range targets() {
		a, b := infer.NewStream(3, law.name), infer.NewStream(3, law.name)
		s := slicer{Looks: &update.Looks{}, source: a, limit: law.limit}
		x, y := 0.5, 0.5
		for i := range 5000 {
			d, _, _, ok := s.update(from{law.logf, x}, law.logf(x), law.width)
			x += d
			y = textbook(b, law.logf, y, law.width, law.limit, sound)
			if !ok || math.Abs(x-y) > 1e-9 {
				t.Fatalf("%s, update %d: %v, by the textbook %v", law.name, i, x, y)
			}
			y = x // or rounding would add up
		}
	}
}

// twoSample returns the Kolmogorov–Smirnov distance of two samples.
func twoSample(a, b []float64) float64 {
	slices.Sort(a)
	slices.Sort(b)
	d := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		if a[i] <= b[j] {
			i++
		} else {
			j++
		}
		d = max(d, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return d
}

// invariance updates exact draws some times each and returns the distance of
// the result from other exact draws.
func invariance(law target, pairs int, seed uint64, update func(src variate.Source, x float64) float64) float64 {
	src := infer.NewStream(seed, "invariance", law.name)
	before, after := make([]float64, pairs), make([]float64, pairs)
	for i := range pairs {
		before[i] = law.draw(src)
		x := law.draw(src)
		for range 3 + law.more {
			x = update(src, x)
		}
		after[i] = x
	}
	return twoSample(before, after)
}

// False alarms: at most 1e-6 per run, split over 8 laws; the limit
// √(log(2k/α)/pairs) is the two-sample inequality of Wei and Dudley (2012),
// proved from 458 pairs on. Power: 20,000 independent pairs put it at 0.029;
// TestSliceFaults shows what it catches.
func TestSliceIsInvariant(t *testing.T) {
	pairs := infertest.Scale(20_000, 500_000)
	seed := infertest.Seed(t)
	limit := math.Sqrt(math.Log(2*8/1e-6) / float64(pairs))
	for _, law := range targets() {
		d := invariance(law, pairs, seed, func(src variate.Source, x float64) float64 {
			s := slicer{Looks: &update.Looks{}, source: src, limit: law.limit}
			move, _, _, ok := s.update(from{law.logf, x}, law.logf(x), law.width)
			if !ok {
				t.Fatalf("%s: log density %v", law.name, s.Bad)
			}
			return x + move
		})
		t.Logf("%s: distance %.4f, limit %.4f", law.name, d, limit)
		if d > limit {
			t.Errorf("%s: updates are not invariant: distance %.4f, limit %.4f", law.name, d, limit)
		}
	}
}

// Each planted fault must be rejected by the same test.
func TestSliceFaults(t *testing.T) {
	const pairs = 20_000
	limit := math.Sqrt(math.Log(2*8/1e-6) / pairs)
	for fault, name := range map[flaw]string{
		skipAccept: "narrow and wide mode", shrinkLeft: "three modes, few doublings",
		noSlice: "exponential", oneSided: "log exponential",
	} {
		for _, law := range targets() {
			if law.name != name {
				continue
			}
			d := invariance(law, pairs, 1, func(src variate.Source, x float64) float64 {
				return textbook(src, law.logf, x, law.width, law.limit, fault)
			})
			t.Logf("%s: distance %.4f on %q, limit %.4f", fault, d, name, limit)
			if d <= limit {
				t.Errorf("%s: not rejected on %q: distance %.4f, limit %.4f", fault, name, d, limit)
			}
		}
	}
}

// script gives set uniforms and then fails.
type script struct {
	values []float64
	next   int
}

func (s *script) Float64() float64 {
	if s.next >= len(s.values) {
		panic("the script is too short")
	}
	s.next++
	return s.values[s.next-1]
}

// cells is a slice that is a set of cells [i, i+1), seen from x.
type cells struct {
	in []bool
	x  float64
}

func (c cells) at(d float64) (float64, glm.Value) {
	i := int(math.Floor(c.x + d))
	if i >= 0 && i < len(c.in) && c.in[i] {
		return 1, glm.Value{}
	}
	return -1, glm.Value{}
}

// interval is where doubling ended, in cells.
type interval struct{ lo, hi float64 }

// doublings enumerates what doubling gives from the centre of cell x with
// width w cells: every offset of the first interval, every coin. It returns
// the probability of each interval.
func doublings(in []bool, x, w, limit int) map[interval]float64 {
	out := map[interval]float64{}
	centre := float64(x) + 0.5
	for offset := range w {
		for coins := range 1 << limit {
			src := &script{values: []float64{(float64(offset) + 0.5) / float64(w)}}
			for b := range limit {
				src.values = append(src.values, 0.25+0.5*float64(coins>>b&1))
			}
			s := slicer{Looks: &update.Looks{}, source: src, limit: limit, level: 0}
			s.double(cells{in, centre}, float64(w))
			out[interval{centre + s.point(s.lo), centre + s.point(s.hi)}] += 1 / float64(w) / float64(int(1)<<limit)
		}
	}
	return out
}

// TestDoublingIsReversible enumerates doubling exactly on small sets of cells:
// the acceptance test must pass a point if and only if doubling from it may
// end with the same interval, and then does so with the same probability. This
// is what makes slice sampling with doubling reversible (Neal 2003, 4.3).
func TestDoublingIsReversible(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const size, limit = 14, 4
	accepted, rejected := 0, 0
	for range 60 {
		w := 1 + r.IntN(3)
		in := make([]bool, size)
		for i := range in {
			in[i] = r.IntN(3) == 0
		}
		laws := make([]map[interval]float64, size)
		for x := range in {
			if in[x] {
				laws[x] = doublings(in, x, w, limit)
			}
		}
		for x0 := range in {
			for i, p0 := range laws[x0] {
				for x1 := range in {
					if !in[x1] || float64(x1)+0.5 < i.lo || float64(x1)+0.5 > i.hi {
						continue
					}
					passes := acceptsCell(in, x0, x1, w, i)
					if p1 := laws[x1][i]; passes != (p1 > 0) || passes && p1 != p0 {
						t.Fatalf("slice %v, width %d: %d → %d by %v: accepted %v, probabilities %v and %v",
							in, w, x0, x1, i, passes, p0, p1)
					}
					if passes {
						accepted++
					} else {
						rejected++
					}
				}
			}
		}
	}
	if accepted < 1000 || rejected < 1000 {
		t.Errorf("the sample is one-sided: %d accepted, %d rejected", accepted, rejected)
	}
}

// acceptsCell asks the production's acceptance test for a move between cells.
func acceptsCell(in []bool, x0, x1, w int, i interval) bool {
	centre := float64(x0) + 0.5
	s := slicer{Looks: &update.Looks{}, width: float64(w), base: i.lo - centre, hi: int64(i.hi-i.lo) / int64(w)}
	return s.accept(cells{in, centre}, float64(x1-x0))
}

func TestSliceReportsNonFinite(t *testing.T) {
	inf := math.Inf(1)
	for _, bad := range []float64{math.NaN(), inf} {
		logf := func(x float64) float64 {
			if x > 1 {
				return bad
			}
			return -x * x / 2
		}
		s := slicer{Looks: &update.Looks{}, source: infer.NewStream(1), limit: 20}
		failed := false
		for range 100 {
			if _, _, _, ok := s.update(from{logf, 0}, 0, 1); !ok {
				failed = fmt.Sprint(s.Bad) == fmt.Sprint(bad)
				break
			}
		}
		if !failed {
			t.Errorf("%v in the tail was not reported", bad)
		}
		if _, _, _, ok := s.update(from{logf, 0}, bad, 1); ok {
			t.Errorf("%v at the point itself was not reported", bad)
		}
	}
	// −Inf is an ordinary rejection
	s := slicer{Looks: &update.Looks{}, source: infer.NewStream(1), limit: 20}
	wall := from{func(x float64) float64 {
		if x < 0 {
			return -inf
		}
		return -x
	}, 0.5}
	for range 1000 {
		d, _, _, ok := s.update(wall, -wall.x, 1)
		if wall.x += d; !ok || wall.x < 0 {
			t.Fatalf("a wall at 0: ok = %v at %v", ok, wall.x)
		}
	}
}
