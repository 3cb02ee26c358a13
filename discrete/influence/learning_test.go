package influence

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"glmbatch/discrete/mrf"
	"glmbatch/infer"
	"glmbatch/infer/dogs"
)

// learner finds the parameters of a binary model on a grid, fields first and then couplings, by gradients of the log
// likelihood. mean has the averages of s_i and of s_i·s_j over the training samples.
type learner struct {
	t     testing.TB
	side  int
	edges []mrf.Edge
	mean  []float64
}

// newLearner draws training samples of independent entries ±1, as section 5.3 of the paper has them.
func newLearner(t testing.TB, side, samples int) *learner {
	l := &learner{t: t, side: side, edges: mrf.Grid(side, side, 0)}
	n, r := side*side, rand.New(rand.NewPCG(uint64(side), 53))
	l.mean = make([]float64, n+len(l.edges))
	x := make([]uint8, n)
	for range samples {
		for i := range x {
			x[i] = uint8(r.IntN(2))
		}
		l.add(l.mean, x, 1/float64(samples))
	}
	return l
}

// add adds weight times the statistics of a state.
func (l *learner) add(to []float64, x []uint8, weight float64) {
	for i, a := range x {
		to[i] += weight * (2*float64(a) - 1)
	}
	for k, e := range l.edges {
		to[len(x)+k] += weight * (2*float64(x[e.I]) - 1) * (2*float64(x[e.J]) - 1)
	}
}

func (l *learner) model(theta []float64) *mrf.Binary {
	n := l.side * l.side
	edges := append([]mrf.Edge(nil), l.edges...)
	for k := range edges {
		edges[k].Weight = theta[n+k]
	}
	m, err := mrf.NewBinary(theta[:n], edges)
	must(l.t, err)
	return m
}

// exactly returns the expectations of the statistics, by the distribution of all states.
func (l *learner) exactly(theta []float64) []float64 {
	m := l.model(theta)
	ex, err := mrf.Enumerate(m)
	must(l.t, err)
	out, x := make([]float64, len(theta)), make([]uint8, m.Variables())
	for _, p := range ex.P {
		l.add(out, x, p)
		mrf.Next(m, x)
	}
	return out
}

// sampled returns averages over chains of one scan each from uniform states, whose certificate for all variables is at
// most within: a random scan of fixed length, the shortest random one, or a list chosen by algorithm 2. updates is the
// length of a scan.
func (l *learner) sampled(theta []float64, scan string, chains int, rng *infer.Stream) (out []float64, updates int) {
	const within = 0.01
	m, n := l.model(theta), l.side*l.side
	c, d, o := Bounds(m), dogs.All(n), mrf.Options{}
	switch scan {
	case "fixed": // enough for random scans of all couplings up to 0.2
		updates = int(math.Ceil(float64(n) * math.Log(float64(n)/within) / (1 - 4*math.Tanh(0.2))))
		o.Scan, o.Updates = mrf.Random, updates
	case "random":
		updates = needs(l.t, within, func(k int) float64 { v, _ := c.RandomVariation(nil, k, d); return v })
		o.Scan, o.Updates = mrf.Random, updates
	default:
		cert, err := c.Search(d, dogs.Options{Below: within, Rounds: 1})
		must(l.t, err)
		updates, o.Order = len(cert.Scan), cert.Scan
	}
	s, err := mrf.NewGibbs(m, o)
	must(l.t, err)
	out = make([]float64, len(theta))
	for range chains {
		k, err := s.Kernel(infer.Chain{Count: 1, Stream: rng})
		must(l.t, err)
		_, _ = k.Step()
		l.add(out, k.(mrf.Sampler).State(), 1/float64(chains))
	}
	return out, updates
}

// ascend takes steps along the gradient from θ = 0.
func (l *learner) ascend(steps int, expected func(theta []float64) []float64) []float64 {
	theta := make([]float64, len(l.mean))
	for range steps {
		for k, v := range expected(theta) {
			theta[k] += 0.3 * (l.mean[k] - v)
		}
	}
	return theta
}

// Figure 3: maximum likelihood by Markov chain Monte Carlo, all fields and couplings of grids of 3 × 3 and 4 × 4, by
// training samples of independent entries and a gradient of chains a step. Random scans and chosen lists that certify a
// total variation of 0.01 find the optimum equally well, and lists take less than half as many updates.
// GLMBATCH_STAT=1 takes five runs and 4 × 4, and prints the table of docs/evidence/discrete-studies.md.
// Seen red: a list for all variables of one update.
func TestFigure3Learning(t *testing.T) {
	sides, runs := []int{3}, 1
	if os.Getenv("GLMBATCH_STAT") == "1" {
		sides, runs = []int{3, 4}, 5
	}
	const steps, chains = 46, 1533
	for _, side := range sides {
		l := newLearner(t, side, 200)
		best := l.ascend(400, l.exactly)
		for run := range runs {
			total, apart := map[string]int{}, map[string]float64{}
			for _, scan := range []string{"fixed", "random", "chosen"} {
				rng := infer.NewStream(5, "learning", strconv.Itoa(run))
				theta := l.ascend(steps, func(theta []float64) []float64 {
					out, updates := l.sampled(theta, scan, chains, rng)
					total[scan] += updates
					return out
				})
				for i, v := range theta {
					apart[scan] += (v - best[i]) * (v - best[i])
				}
				apart[scan] = math.Sqrt(apart[scan])
			}
			for scan, updates := range total {
				t.Logf("| %d × %d | %d | %s | %d | %.3f |", side, side, run+1, scan, updates/steps, apart[scan])
			}
			if 2*total["chosen"] > total["random"] || total["random"] > total["fixed"] || apart["chosen"] > 1.5*apart["random"] {
				t.Errorf("%d × %d: updates %v, distances %v", side, side, total, apart)
			}
		}
	}
}

// needs returns the least length at which a variation is not above below, by
// bisection of lengths.
func needs(t testing.TB, below float64, variation func(int) float64) int {
	t.Helper()
	high := 1
	for variation(high) > below {
		if high *= 2; high > 1<<22 {
			t.Fatalf("no scan of %d updates does", high)
		}
	}
	low := high / 2
	for high-low > 1 {
		if mid := (low + high) / 2; variation(mid) > below {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}
