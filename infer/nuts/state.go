package nuts

import (
	"math"
	"slices"

	"glmbatch/internal/state"
)

// stateVersion leads the state of a chain.
const stateVersion = 1

const (
	flagDense = 1 << iota
	flagStatic
	flagFresh // the gradient was known: a restored chain does not count it again
	flagLowRank
)

func (k *kernel) flags() byte {
	var f byte
	if k.dense() {
		f |= flagDense
	}
	if k.lowRank() {
		f |= flagLowRank
	}
	if k.opts.Static {
		f |= flagStatic
	}
	return f
}

// warming reports whether the chain at an iteration still adapts.
func (w *windows) warming(iteration int64) bool { return iteration < w.planned }

// list lists the state of the chain: O(d) numbers, or with a dense metric O(d²). Densities and gradients are functions
// of u, and are recomputed to the bit.
func (k *kernel) list(c *state.Codec) {
	fixed, fresh := k.flags(), byte(0)
	if k.fresh {
		fresh = flagFresh
	}
	flags := c.Flags(fixed|fresh, math.MaxUint8)
	c.Demand(flags&^flagFresh == fixed, "flags %#x, this sampler has %#x: metric or method differ", flags, fixed)
	iteration := c.Count("iteration", &k.iteration)
	c.Same("planned iterations of warm-up", int(k.windows.planned))
	k.windows.list(c)
	u := c.Finite("coordinates", k.here.u)
	c.Short(k.stream)
	steps := c.Finite("numbers of the step size",
		[]float64{k.step, k.dual.count, k.dual.centre, k.dual.shortfall, k.dual.average})
	c.Demand(steps[0] >= 0, "step size %v", steps[0])
	c.Demand(steps[1] >= 0, "%v updates of the step size", steps[1])
	k.listMetric(c)
	if k.windows.warming(iteration) {
		k.listLearnt(c)
	}
	here := newPoint(len(u))
	c.Check(func() error {
		if copy(here.u, u); flags&flagFresh != 0 {
			return k.evaluate(here)
		}
		return nil
	})
	c.Then(func() {
		k.here, k.fresh = here, flags&flagFresh != 0
		k.step, k.dual = steps[0], dual{steps[1], steps[2], steps[3], steps[4]}
	})
}

// list lists the current window.
func (w *windows) list(c *state.Codec) {
	first := newWindows(w.planned)
	size, next := c.Count("size of the window", &w.size), c.Count("end of the window", &w.next)
	c.Demand(size >= first.size && next >= first.next && next <= max(first.next, w.end-1) &&
		size <= max(first.size, 2*w.planned), "warm-up window of %d iterations to %d", size, next)
}

// listMetric lists the metric, of low rank its diagonal, then the number of directions, their values and vectors.
func (k *kernel) listMetric(c *state.Codec) {
	dim := k.target.Dim()
	entries := c.Finite("numbers of the metric", slices.Clone(k.space.metric.m))
	var values, vectors []float64
	if k.lowRank() {
		low := k.space.metric.low
		n := int64(len(low.values))
		n = c.Count("directions of the metric", &n)
		values = c.List("values of the metric", low.values, dim)
		vectors = c.List("directions of the metric", low.vectors, dim*dim)
		c.Demand(int64(len(values)) == n && len(vectors) == len(values)*dim, "%d directions of the metric", n)
		for _, v := range values {
			c.Demand(v > 0, "a direction of the metric has the value %v", v)
		}
	}
	var m *metric
	c.Check(func() (err error) {
		if m, err = newMetric(dim, entries, k.dense()); err == nil && k.lowRank() {
			m.withLowRank(values, vectors)
		}
		return err
	})
	c.Then(func() { k.space.metric = m })
}

// listLearnt lists what the current window of warm-up has seen.
func (k *kernel) listLearnt(c *state.Codec) {
	if !k.lowRank() {
		k.moments.list(c)
		return
	}
	f := k.fisher
	f.draws.list(c)
	f.grads.list(c)
	dim, kept := len(f.draws.mean), int64(f.kept)
	kept = c.Count("rows", &kept)
	stride := c.Count("stride", &f.stride)
	u, g := c.List("positions kept", f.u, f.limit*dim), c.List("gradients kept", f.g, f.limit*dim)
	c.Demand(kept <= int64(f.limit) && stride >= 1 && stride <= 1<<40 && len(u) == int(kept)*dim && len(g) == len(u),
		"%d rows kept, one of %d", kept, stride)
	c.Then(func() { f.kept, f.u, f.g = int(kept), u, g })
}

// list lists moments of a known size.
func (m *moments) list(c *state.Codec) {
	count := c.Finite("counts of the window", []float64{m.count})[0]
	c.Demand(count >= 0, "%v positions in the window", count)
	c.Finite("means of the window", m.mean)
	c.Finite("sums of the window", m.scatter)
	c.Then(func() { m.count = count })
}
