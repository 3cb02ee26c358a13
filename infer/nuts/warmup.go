package nuts

import (
	"fmt"
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
)

// windows is Stan's schedule of warm-up: an initial buffer (75 iterations) in which only the step size adapts;
// windows of 25, 50, 100, … iterations, at the end of each of which the metric is estimated from that window alone;
// a final buffer (50) for the step size. A short warm-up is divided 15 : 75 : 10, one below 20 iterations adapts
// the step size only.
//
// Source: Stan reference manual, HMC algorithm parameters; windowed_adaptation.hpp.
type windows struct {
	planned    int64 // iterations of warm-up
	begin, end int64 // iterations that the metric learns from: begin ≤ i < end
	size       int64 // of the current window
	next       int64 // its last iteration
}

func newWindows(planned int64) windows {
	w := windows{planned: planned}
	if planned < 20 {
		w.begin, w.end = planned, planned
		return w
	}
	begin, size, last := int64(75), int64(25), int64(50)
	if begin+size+last > planned {
		begin, last = planned*15/100, planned/10
		size = planned - begin - last
	}
	w.begin, w.end, w.size = begin, planned-last, size
	w.next = begin + size - 1
	return w
}

// learns reports whether the metric learns from iteration i.
func (w *windows) learns(i int64) bool { return i >= w.begin && i < w.end }

// closes reports whether iteration i is the last of its window, and if so advances to the next: twice as long, and
// stretched to the end when the one after it would not fit any more.
func (w *windows) closes(i int64) bool {
	if !w.learns(i) || i != w.next {
		return false
	}
	if w.next == w.end-1 {
		return true
	}
	w.size *= 2
	w.next = i + w.size
	if w.next != w.end-1 && w.next+2*w.size >= w.end {
		w.next = w.end - 1
	}
	return true
}

// moments accumulates the mean and the scatter of positions.
//
// Source: Welford (1962), doi:10.1080/00401706.1962.10490022.
type moments struct {
	count   float64
	mean    []float64
	scatter []float64 // Σ (u − mean)²: dim sums, or dim × dim
	delta   []float64 // scratch
	toward  []float64 // variances that the estimate is shrunk toward; nil for floorVariance
}

func newMoments(dim int, dense bool) *moments {
	size := dim
	if dense {
		size = dim * dim
	}
	return &moments{mean: make([]float64, dim), scatter: make([]float64, size), delta: make([]float64, dim)}
}

// reset discards all.
func (m *moments) reset() {
	m.count = 0
	clear(m.mean)
	clear(m.scatter)
}

// add takes a position. Cost: dim, or dim² where dense.
func (m *moments) add(u []float64) {
	m.count++
	dim := len(u)
	for j, v := range u {
		m.delta[j] = v - m.mean[j]
		m.mean[j] += m.delta[j] / m.count
	}
	for j, v := range u {
		after := v - m.mean[j]
		if len(m.scatter) == dim {
			m.scatter[j] = math.FMA(m.delta[j], after, m.scatter[j])
			continue
		}
		for l := range j + 1 {
			s := math.FMA(m.delta[l], after, m.scatter[j*dim+l])
			m.scatter[j*dim+l], m.scatter[l*dim+j] = s, s
		}
	}
}

// floorVariance is the value toward which Stan's estimate of the covariance is shrunk, in the squared units of the
// coordinates.
const floorVariance = 1e-3

// metric returns the regularised estimate of the covariance: the sample's with
// weight n/(n+5), and with weight 5/(n+5) a diagonal of 10⁻³, as in Stan, or of
// the sample's variance where that is smaller but not 0.
//
// Stan's 10⁻³ overstates the variance of coefficients of unscaled columns,
// tenfold at n = 500 for a standard deviation of 0.001, and the step size then
// has to suit that coordinate alone.
func (m *moments) metric() (*metric, error) {
	dim, dense := len(m.mean), len(m.scatter) != len(m.mean)
	out := make([]float64, len(m.scatter))
	share := m.count / (m.count + 5)
	for j, s := range m.scatter {
		out[j] = share * (s / (m.count - 1))
	}
	stride := 1
	if dense {
		stride = dim + 1
	}
	for j := 0; j < len(out); j += stride {
		toward := floorVariance
		if m.toward != nil {
			toward = m.toward[j/stride]
		} else if v := m.scatter[j] / (m.count - 1); v > 0 {
			toward = min(toward, v)
		}
		out[j] = math.FMA(toward, 5/(m.count+5), out[j])
	}
	return newMetric(dim, out, dense)
}

// A chain whose target knows an earlier posterior (glm.Target.From) begins with its variances in the metric and
// with its step size. Both are only where adaptation begins: they are known before the chain's first step, and
// after warm-up nothing changes any more, so that the chain has the distribution of any other.

// minLearning is the number of iterations of warm-up from which on a warm chain
// learns a metric of its own: the windows of a shorter one know less than the
// earlier posterior.
const minLearning = 150

// Warms reports whether chains of a target gain from an earlier posterior: with a diagonal metric, which its
// standard deviations give. Coefficients of horseshoe priors move in coordinates other than those of the earlier
// posterior, and the directions of other metrics are not known.
func (o Options) Warms(t *glm.Target) bool {
	return (o.Metric == "" || o.Metric == "diagonal") && t.Scales() == 0
}

// warm reports whether chains begin with an earlier posterior's scales.
func (s *setup) warm() bool { return s.earlier != nil }

// earlier holds the parts of an earlier posterior that chains use.
type earlier struct {
	sds  []float64
	step float64 // 0 for none
}

// newEarlier takes the scales of target.Before. An unknown scale is replaced by the approximate scale of a
// coefficient with all else held; 1 for the log of a dispersion.
func newEarlier(target *glm.Target) *earlier {
	before := target.Before()
	e := &earlier{sds: make([]float64, target.Dim()), step: before.StepSize}
	for j, sd := range before.SD {
		if math.IsNaN(sd) && j < target.Cols() {
			sd = target.ConditionalScale(j)
		}
		e.sds[j] = sd
	}
	return e
}

// metric returns that of the earlier posterior.
func (e *earlier) metric() *metric {
	m := unitMetric(len(e.sds), false)
	for j, sd := range e.sds {
		if v := float64(sd * sd); v > 0 && v <= math.MaxFloat64 {
			m.m[j], m.scales[j] = v, 1/sd
		}
	}
	return m
}

// toward returns the variances that windows shrink their estimates toward; nil for
// Stan's.
func (s *setup) toward() []float64 {
	if !s.warm() {
		return nil
	}
	return s.earlier.metric().m
}

// windowsOf returns the schedule of a warm-up.
func (s *setup) windowsOf(planned int64) windows {
	w := newWindows(planned)
	if s.warm() && planned < minLearning {
		w.begin, w.end = planned, planned
	}
	return w
}

// dual adapts the logarithm of the step size by Nesterov's dual averaging to a
// mean acceptance.
//
// Source: Hoffman and Gelman (2014), section 3.2, with their constants.
type dual struct {
	count     float64 // updates since the restart
	centre    float64 // mu
	shortfall float64 // averaged target − acceptance, H̄
	average   float64 // averaged log step size
}

const (
	dualGamma  = 0.05
	dualOffset = 10 // t₀
)

// restart begins at a step size; it aims at ten times that.
func (a *dual) restart(step float64) { *a = dual{centre: vec.Log(10 * step)} }

// settle begins at a step size that was found on about this posterior.
func (a *dual) settle(step float64) { *a = dual{centre: vec.Log(step)} }

// learn takes the acceptance of one iteration and returns the next step size.
func (a *dual) learn(accept, target float64) float64 {
	a.count++
	eta := 1 / (a.count + dualOffset)
	a.shortfall = math.FMA(eta, target-min(1, accept), float64((1-eta)*a.shortfall))
	x := a.centre - a.shortfall*math.Sqrt(a.count)/dualGamma
	weight := 1 / (math.Sqrt(a.count) * math.Sqrt(math.Sqrt(a.count))) // count^−0.75
	a.average = math.FMA(weight, x, float64((1-weight)*a.average))
	return vec.Exp(x)
}

// final returns the step size of sampling.
func (a *dual) final() float64 { return vec.Exp(a.average) }

// logSearch is log 0.8, the change of the log density that the search of a
// first step size crosses.
const logSearch = -0.22314355131420975577

// searchStep doubles or halves the step size until the acceptance of one
// leapfrog step from z crosses 0.8; every trial has a fresh momentum. z keeps
// its position.
//
// Source: Hoffman and Gelman (2014), algorithm 4, with Stan's 0.8.
func (k *kernel) searchStep(z *point, step float64) (float64, error) {
	k.space.step = step
	up := k.oneLeap(z) > logSearch
	for {
		if up {
			k.space.step *= 2
		} else {
			k.space.step /= 2
		}
		switch {
		case k.space.step > 1e7:
			return 0, fmt.Errorf("nuts: iteration %d: the log posterior does not fall even with steps of %.3g: it may be "+
				"improper: give proper priors", k.iteration+1, k.space.step)
		case k.space.step < 1e-300:
			return 0, fmt.Errorf("nuts: iteration %d: no step is small enough (%.3g): the log posterior or its gradient is no "+
				"number at the chain's point: scale the columns of the design, or give tighter priors", k.iteration+1,
				k.space.step)
		}
		if (k.oneLeap(z) > logSearch) != up {
			return k.space.step, nil
		}
	}
}

// oneLeap draws a momentum and returns the log weight after one step.
func (k *kernel) oneLeap(z *point) float64 {
	k.space.pool.reset()
	k.refresh(z)
	w, _ := k.space.weigh(k.space.leap(z, true))
	return w
}
