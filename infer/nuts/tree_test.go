package nuts

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/infertest"
)

// ring is a space of integers: position p stands for state p mod n, a leap adds
// or takes 1, and whether a stretch turns is an arbitrary function of it.
type ring struct {
	logPi  []float64 // −Inf: diverges
	start  int
	seed   int
	biased bool // fault: the answer depends on the direction of building
	lying  bool // fault: a weight that is not pi's
}

// span is the positions of a stretch.
type span struct{ low, high int }

func (r *ring) state(p int) int {
	n := len(r.logPi)
	return ((p % n) + n) % n
}

func (r *ring) leap(p int, forward bool) int {
	if forward {
		return p + 1
	}
	return p - 1
}

func (r *ring) weigh(p int) (float64, bool) {
	w := r.logPi[r.state(p)] - r.logPi[r.state(r.start)]
	if r.lying && r.state(p) == 0 && p != r.start {
		w += 0.3
	}
	return w, math.IsInf(w, -1)
}

func (r *ring) momentum(p int) span { return span{p, p} }
func (r *ring) add(a, b span) span  { return span{min(a.low, b.low), max(a.high, b.high)} }

func (r *ring) turned(one, other int, sum span) bool {
	if !r.biased && one > other {
		one, other = other, one
	}
	h := fnv.New32a()
	fmt.Fprint(h, r.seed, r.state(one), other-one, r.state(sum.low), sum.high-sum.low)
	return h.Sum32()%8 == 0
}

func (r *ring) release(int)     {}
func (r *ring) releaseSum(span) {}

// script plays through decisions; beyond them it takes the first branch.
type script struct {
	taken       []bool
	at          int
	probability float64
	power       float64 // of the ratio in accept: 1 is right
}

func (s *script) choose(p float64) bool {
	if p <= 0 || p >= 1 {
		return p >= 1
	}
	if s.at == len(s.taken) {
		s.taken = append(s.taken, true)
	}
	yes := s.taken[s.at]
	s.at++
	if yes {
		s.probability *= p
	} else {
		s.probability *= 1 - p
	}
	return yes
}

func (s *script) forward() bool             { return s.choose(0.5) }
func (s *script) accept(ratio float64) bool { return s.choose(math.Exp(s.power * min(0, ratio))) }

// next advances to the next sequence of decisions, or reports that there is none.
func (s *script) next() bool {
	for len(s.taken) > 0 && !s.taken[len(s.taken)-1] {
		s.taken = s.taken[:len(s.taken)-1]
	}
	if len(s.taken) == 0 {
		return false
	}
	s.taken[len(s.taken)-1] = false
	s.at = 0
	return true
}

// transitions enumerates P(i → j) over every sequence of decisions.
func (r *ring) transitions(depth int, power float64) [][]float64 {
	p := make([][]float64, len(r.logPi))
	for i := range p {
		p[i] = make([]float64, len(p))
		if math.IsInf(r.logPi[i], -1) {
			p[i][i] = 1
			continue
		}
		r.start = i
		s := &script{power: power}
		for more := true; more; more = s.next() {
			s.probability = 1
			j, _ := explore(space[int, span](r), choices(s), i, depth)
			p[i][r.state(j)] += s.probability
		}
	}
	return p
}

// imbalance returns the largest |πP − π| and |π_i·P_ij − π_j·P_ji|.
func (r *ring) imbalance(p [][]float64) (invariant, detailed float64) {
	for j := range p {
		in := 0.0
		for i := range p {
			flow, back := math.Exp(r.logPi[i])*p[i][j], math.Exp(r.logPi[j])*p[j][i]
			in += flow
			detailed = max(detailed, math.Abs(flow-back))
		}
		invariant = max(invariant, math.Abs(in-math.Exp(r.logPi[j])))
	}
	return invariant, detailed
}

// newRing returns 11 states with weights over four orders of magnitude, one of
// them divergent in every second ring.
func newRing(seed int) *ring {
	r := &ring{logPi: make([]float64, 11), seed: seed}
	for i := range r.logPi {
		r.logPi[i] = -9 * math.Mod(float64(seed+1)*0.618034*float64(i+1), 1)
	}
	if seed%2 == 1 {
		r.logPi[seed%11] = math.Inf(-1)
	}
	return r
}

// No random numbers: πP = π holds to rounding, over every direction and every
// acceptance of 40 rings.
func TestTransitionIsInvariant(t *testing.T) {
	moved := 0
	for seed := range 40 {
		r := newRing(seed)
		p := r.transitions(3, 1)
		for i, row := range p {
			sum := 0.0
			for j, v := range row {
				sum += v
				if v > 0 && i != j {
					moved++
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("ring %d: probabilities from %d add up to %v", seed, i, sum)
			}
		}
		if invariant, detailed := r.imbalance(p); invariant > 1e-12 || detailed > 1e-12 {
			t.Errorf("ring %d: πP differs from π by %v, the flows by %v", seed, invariant, detailed)
		}
	}
	if moved < 40*11*4 {
		t.Errorf("only %d transitions are possible: the rings turn too soon to show anything", moved)
	}
}

// Four doublings: 9 million sequences of decisions, in the full form.
func TestTransitionIsInvariantDeep(t *testing.T) {
	if !infertest.Full() {
		t.Skip("20 s; set GLMBATCH_STAT=1")
	}
	r := newRing(2)
	r.logPi = append(r.logPi, -1, -2, -0.5, -3, -1, -2.5)
	if invariant, detailed := r.imbalance(r.transitions(4, 1)); invariant > 1e-12 || detailed > 1e-12 {
		t.Errorf("πP differs from π by %v, the flows by %v", invariant, detailed)
	}
}

// Each fault must break the balance in some ring.
func TestTransitionCatches(t *testing.T) {
	for name, plant := range map[string]func(*ring) float64{
		"acceptance with the root of the ratio": func(*ring) float64 { return 0.5 },
		"always accept":                         func(*ring) float64 { return 0 },
		"turning depends on the direction":      func(r *ring) float64 { r.biased = true; return 1 },
		"weight of one state":                   func(r *ring) float64 { r.lying = true; return 1 },
	} {
		t.Run(name, func(t *testing.T) {
			worst := 0.0
			for seed := range 10 {
				r := newRing(seed)
				invariant, _ := r.imbalance(r.transitions(3, plant(r)))
				worst = max(worst, invariant)
			}
			if worst < 1e-3 {
				t.Errorf("the fault moves πP by %v only", worst)
			}
		})
	}
}

// watched records the checks that are made and never turns.
type watched struct {
	ring
	asked []string
}

func (w *watched) turned(one, other int, sum span) bool {
	w.asked = append(w.asked, fmt.Sprintf("%d..%d sum %d..%d", one, other, sum.low, sum.high))
	return false
}

// For every pair of neighbouring stretches the whole is checked, and each with the next point of the other; for two
// points that is the whole.
func TestChecksAcrossSubtrees(t *testing.T) {
	w := &watched{ring: *newRing(0)}
	s := &script{taken: []bool{true, true, true, true, true}, power: 0} // always forward
	if _, f := explore(space[int, span](w), choices(s), 0, 2); f.leaps != 3 || f.depth != 2 {
		t.Fatalf("%d leaps in %d doublings, want 3 in 2", f.leaps, f.depth)
	}
	want := []string{
		"0..1 sum 0..1",
		"2..3 sum 2..3",
		"0..3 sum 0..3", "0..2 sum 0..2", "1..3 sum 1..3",
	}
	if !slices.Equal(w.asked, want) {
		t.Errorf("checks %q, want %q", w.asked, want)
	}
}

// strict is a ring that knows which points it has lent.
type strict struct {
	*ring
	t    *testing.T
	lent map[int]bool // but the start, 0
	most int
}

func (s *strict) use(points ...int) {
	for _, p := range points {
		if p != 0 && !s.lent[p] {
			s.t.Fatalf("point %d is used, which was taken back", p)
		}
	}
}

func (s *strict) leap(p int, forward bool) int {
	s.use(p)
	next := s.ring.leap(p, forward)
	s.lent[next] = true
	s.most = max(s.most, len(s.lent))
	return next
}

func (s *strict) momentum(p int) span {
	s.use(p)
	return s.ring.momentum(p)
}

func (s *strict) turned(one, other int, sum span) bool {
	s.use(one, other)
	return false
}

func (s *strict) release(p int) {
	s.use(p)
	if p == 0 {
		s.t.Fatal("the start is taken back, which was never lent")
	}
	delete(s.lent, p)
}

// A trajectory of 1023 leaps keeps a few points for each doubling, uses none that
// it has given back, and gives none back twice.
func TestTrajectoryKeepsFewPoints(t *testing.T) {
	const depth = 10
	for seed := range 20 {
		r := newRing(2 * seed)
		r.start = 0
		s := &strict{ring: r, t: t, lent: map[int]bool{}}
		z, f := explore(space[int, span](s), coin{infer.NewStream(uint64(seed), "coin")}, 0, depth)
		s.use(z)
		if f.leaps != 1<<depth-1 || s.most > 3*depth+4 {
			t.Errorf("%d leaps kept %d points, want at most %d", f.leaps, s.most, 3*depth+4)
		}
	}
}

// coin decides by random numbers.
type coin struct{ *infer.Stream }

func (c coin) forward() bool             { return c.Float64() < 0.5 }
func (c coin) accept(ratio float64) bool { return c.Float64() < math.Exp(ratio) }
