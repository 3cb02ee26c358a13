package nuts

import (
	"math"

	"glmbatch/infer/glm"
)

// A chain whose target knows an earlier posterior (glm.Target.From) begins with its
// variances in the metric and with its step size. Both are only where adaptation
// begins: they are known before the chain's first step, and after warm-up nothing
// changes any more, so that the law of the chain is that of any other.

// leastLearning is the number of iterations of warm-up from which on a warm chain
// learns a metric of its own: the windows of a shorter one know less than the
// earlier posterior.
const leastLearning = 150

// Warms reports whether chains of a target gain from an earlier posterior: with a
// diagonal metric, which its standard deviations give. Coefficients of horseshoe
// priors move in other coordinates than they are told in, and the directions of other
// metrics are not known.
func (o Options) Warms(t *glm.Target) bool {
	return (o.Metric == "" || o.Metric == "diagonal") && t.Scales() == 0
}

// warm reports whether chains begin with an earlier posterior's scales.
func (s *setup) warm() bool { return s.target.Before() != nil && s.opts.Warms(s.target) }

// before returns the metric of the earlier posterior. What it does not know has the
// approximate scale that a coefficient has with all else held; 1 for the log of a
// dispersion.
func (s *setup) before() *metric {
	m := unitMetric(s.target.Dim(), false)
	for j, sd := range s.target.Before().SD {
		if math.IsNaN(sd) && j < s.target.Cols() {
			sd = s.target.ConditionalScale(j)
		}
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
	return s.before().m
}

// windowsOf returns the schedule of a warm-up.
func (s *setup) windowsOf(planned int64) windows {
	w := newWindows(planned)
	if s.warm() && planned < leastLearning {
		w.begin, w.end = planned, planned
	}
	return w
}
