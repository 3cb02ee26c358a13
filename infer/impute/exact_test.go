package impute

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
)

var (
	gaussian  = glm.Family{Name: "gaussian", Link: "identity"}
	bernoulli = glm.Family{Name: "bernoulli", Link: "logit"}
	poisson   = glm.Family{Name: "poisson", Link: "log"}
	gamma     = glm.Family{Name: "gamma", Link: "log"}
	negative  = glm.Family{Name: "negative_binomial", Link: "log"}
	beta      = glm.Family{Name: "beta", Link: "logit"}
)

func square(states []float64) float64  { return 0.3 * states[0] * states[0] }
func product(states []float64) float64 { return states[0] * states[1] }
func bounded(states []float64) float64 { return 1 / (1 + math.Exp(-2*states[0])) }

// summaries are the functions that both sides of the invariance test compare.
func (s *study) summaries(t *truth, theta []float64) []float64 {
	at := len(theta) - len(t.missU) - len(s.numbers(0))*len(t.missV) - len(t.unseen) - s.count()
	out := append(slices.Clone(theta[:at]), s.effectSummaries(t, theta)...)
	u, v, y := slices.Clone(t.u), slices.Clone(t.v), slices.Clone(t.y)
	for _, i := range t.missU {
		u[i] = theta[at]
		at++
	}
	for _, i := range t.missV {
		v[i] = s.stateV(theta[at:])
		at += len(s.numbers(0))
	}
	for _, i := range t.unseen {
		y[i] = theta[at]
		at++
	}
	cells, products, squares, ys := 0.0, 0.0, 0.0, 0.0
	for _, i := range t.missU {
		cells += u[i]
		squares += u[i] * u[i]
		products += u[i] * math.Log1p(math.Abs(y[i]))
	}
	for _, i := range t.missV {
		cells += 0.1 * v[i]
		products += v[i]*math.Log1p(math.Abs(y[i])) + u[i]*v[i]
	}
	for _, i := range t.unseen {
		ys += y[i]
	}
	return append(out, cells, products, squares, ys)
}

// steps makes 3 iterations.
func steps(k *kernel) error {
	for range 3 {
		if _, err := k.Step(); err != nil {
			return err
		}
	}
	return nil
}

// invariance draws everything from the prior, moves the chain from the truth, and compares what it then holds with other
// draws of everything. It returns the largest two-sample Kolmogorov distance and its limit.
func (s *study) invariance(t *testing.T, pairs int, seed uint64, move func(*kernel) error) (largest, limit float64) {
	var before, after [][]float64
	for i := range pairs {
		r := s.draw(infer.NewStream(seed, "study", fmt.Sprint(i)))
		other := s.draw(infer.NewStream(seed, "other", fmt.Sprint(i)))
		k := s.kernel(t, r, seed, fmt.Sprint(i))
		theta := s.theta(r)
		must(t, k.SetPosition(theta))
		must(t, move(k))
		k.Position(theta)
		before, after = append(before, s.summaries(other, s.theta(other))), append(after, s.summaries(r, theta))
	}
	return distance(before, after)
}

// distance is the largest two-sample Kolmogorov distance of the statistics of two samples of one size, and its limit.
func distance(before, after [][]float64) (largest, limit float64) {
	for j := range before[0] {
		column := func(rows [][]float64) (out []float64) {
			for _, r := range rows {
				out = append(out, r[j])
			}
			slices.Sort(out)
			return out
		}
		a, b := column(before), column(after)
		for i, x := range a {
			below, _ := slices.BinarySearch(b, x)
			above, _ := slices.BinarySearchFunc(b, x, func(e, t float64) int {
				if e <= t {
					return -1
				}
				return 1
			})
			first, _ := slices.BinarySearch(a, x)
			for _, d := range []float64{float64(first - below), float64(i + 1 - above)} {
				if x != a[min(i+1, len(a)-1)] || d != float64(i+1-above) { // ends of ties alone
					largest = max(largest, math.Abs(d)/float64(len(a)))
				}
			}
		}
	}
	alpha := 1e-6 / float64(len(before[0]))
	return largest, math.Sqrt(math.Log(2/alpha) / float64(len(before)))
}

// Data are missing at random. False alarms: at most 1e-6 a case, split over its statistics. Power: 500 pairs put the
// limit at 0.18, so that a shift of a statistic by 0.5 of its standard deviation is seen; the faults that are planted
// move one by 1 and more.
func TestInvariance(t *testing.T) {
	for _, c := range []struct {
		name  string
		study study
	}{
		{"gaussian, v normal", study{family: gaussian, plain: true}},
		{"gaussian, unseen", study{family: gaussian, unseen: true}},
		{"bernoulli, v normal", study{family: bernoulli, plain: true}},
		{"bernoulli, unseen", study{family: bernoulli, unseen: true}},
		{"poisson", study{family: poisson, plain: true, unseen: true}},
		{"gamma", study{family: gamma}},
		{"gaussian, square", study{family: gaussian, plain: true, code: square}},
		{"bernoulli, product", study{family: bernoulli, code: product, unseen: true}},
		{"poisson, bounded", study{family: poisson, code: bounded}},
		{"gaussian, levels", study{family: gaussian, levels: true, unseen: true}},
		{"bernoulli, levels, product", study{family: bernoulli, levels: true, code: product}},
		{"gaussian, counts", study{family: gaussian, v: poisson, unseen: true}},
		{"bernoulli, counts", study{family: bernoulli, v: negative}},
		{"gaussian, positive", study{family: gaussian, v: gamma}},
		{"poisson, shares", study{family: poisson, v: beta}},
		{"bernoulli, cells take turns", study{family: bernoulli, turns: true}},
		{"gaussian, groups", study{family: gaussian, plain: true, unseen: true, groups: []grouped{{levels: 4, every: 1}}}},
		{"gaussian, nested", study{family: gaussian, groups: []grouped{{levels: 3, every: 4}, {levels: 6, every: 2}}}},
		{"gaussian, slopes, square", study{family: gaussian, code: square, plain: true,
			groups: []grouped{{levels: 4, slope: true, every: 1}}}},
		{"bernoulli, crossed", study{family: bernoulli, plain: true,
			groups: []grouped{{levels: 4, every: 1}, {levels: 3, every: 2}}}},
		{"bernoulli, groups, levels", study{family: bernoulli, levels: true, unseen: true,
			groups: []grouped{{levels: 4, every: 1}}}},
		{"poisson, slopes, unseen", study{family: poisson, unseen: true, groups: []grouped{{levels: 4, slope: true, every: 1}}}},
		{"gaussian, measured", study{family: gaussian, noisy: true, plain: true, unseen: true}},
		{"bernoulli, measured", study{family: bernoulli, noisy: true}},
		{"poisson, measured, square", study{family: poisson, noisy: true, code: square}},
		{"bernoulli, v measured", study{family: bernoulli, noisyV: true, plain: true, mostly: true}},
		{"gaussian, measured, groups", study{family: gaussian, noisy: true, mostly: true,
			groups: []grouped{{levels: 4, slope: true, every: 1}}}},
		{"gamma, groups, counts", study{family: gamma, v: poisson, groups: []grouped{{levels: 5, every: 2}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.study.n = 10
			if largest, limit := c.study.invariance(t, infertest.Scale(500, 5000), 20261123, steps); !(largest < limit) {
				t.Errorf("distance %.4f, limit %.4f", largest, limit)
			} else {
				t.Logf("distance %.4f, limit %.4f", largest, limit)
			}
		})
	}
}
