package family

import (
	"math"

	"glmbatch/internal/simd"
	"glmbatch/internal/vec"
)

// Densities of ordered classes by steps x_k = disc·(tau_k − eta).

// logRest returns log(1 − e^t), −Inf for t ≥ 0.
func logRest(t float64) float64 {
	switch {
	case t >= 0:
		return math.Inf(-1)
	case t > -0.5:
		return vec.Log(-(deviance(t) + t))
	}
	return vec.Log1p(-vec.Exp(t))
}

// logRests writes log(1 − e^t) over t.
func (r *Rows) logRests(t []float64) {
	var of, rest Block
	for i := 0; i < len(t); i += ChunkRows {
		part := t[i:min(i+ChunkRows, len(t))]
		if equal(part) {
			fill(part, logRest(part[0]))
			continue
		}
		n := copy(of[:], part)
		r.Kernels.Exp(rest[:], part)
		negate(rest[:n])
		r.Kernels.Log1p(part, rest[:n])
		for k, t := range of[:n] {
			if t > -0.5 {
				part[k] = logRest(t)
			}
		}
	}
}

// between writes log(F(upper) − F(lower)) of the rows of a chunk to dst, which may be either; it may write over both.
func (o ordinal) between(r *Rows, lower, upper, dst []float64) {
	t := o.link.tails
	var gap Block
	n := len(dst)
	switch {
	case o.link == Logit:
		for i, low := range lower {
			gap[i] = low - upper[i]
		}
		r.logRests(gap[:n])
		o.ends(r, lower, upper, dst)
		for i, g := range gap[:n] {
			dst[i] += g
		}
		return
	case t.symmetric:
		for i, low := range lower {
			if up := upper[i]; low+up > 0 {
				lower[i], upper[i] = -up, -low
			}
		}
		t.logPs(r.Kernels, lower)
		t.logPs(r.Kernels, upper)
	default:
		for i, low := range lower {
			up := upper[i]
			if low > 0 {
				lower[i], upper[i] = t.logQ(up), t.logQ(low)
				continue
			}
			lower[i], upper[i] = t.logP(low), t.logP(up)
		}
	}
	for i, low := range lower {
		if gap[i] = low - upper[i]; math.IsInf(upper[i], -1) {
			gap[i] = 0 // no probability is left
		}
	}
	r.logRests(gap[:n])
	for i, g := range gap[:n] {
		dst[i] = upper[i] + g
	}
}

// maxLogDisc is where log disc is cut off: squares of steps times disc do not overflow.
const maxLogDisc = 100

// discOf returns disc of its logarithm.
func discOf(log float64) float64 { return vec.Exp(max(-maxLogDisc, min(maxLogDisc, log))) }

// discs writes disc of its logarithms to dst.
func (r *Rows) discs(logs, dst []float64) {
	for i, v := range logs {
		dst[i] = max(-maxLogDisc, min(maxLogDisc, v))
	}
	r.Kernels.Exp(dst, dst[:len(logs)])
}

// ends writes log F(upper) + log(1 − F(lower)) of the logit to dst, which may be either; it may write over both.
func (o ordinal) ends(r *Rows, lower, upper, dst []float64) {
	negate(upper)
	for _, x := range [][]float64{lower, upper} {
		if x[0] < -0.5*ends && equal(x) {
			clear(x)
		} else {
			r.Kernels.Log1pExp(x, x)
		}
	}
	for i, l := range lower {
		dst[i] = -l - upper[i]
	}
}

// equal reports whether all numbers are the same.
func equal(v []float64) bool {
	for _, x := range v {
		if x != v[0] {
			return false
		}
	}
	return true
}

// either writes log F(x) over x where up, else log(1 − F(x)).
func (t *tails) either(k simd.Kernels, x []float64, up *[ChunkRows]bool) {
	if t.symmetric {
		for i := range x {
			if !up[i] {
				x[i] = -x[i]
			}
		}
		t.logPs(k, x)
		return
	}
	var other Block
	n := copy(other[:], x)
	t.logPs(k, x)
	t.logQs(k, other[:n])
	for i := range x {
		if !up[i] {
			x[i] = other[i]
		}
	}
}

// climb writes log densities of families whose classes are passed one by one to dst, of the rows of a chunk. step
// writes the steps k of all rows.
func (o ordinal) climb(r *Rows, cuts int, step func(k int, dst []float64), dst []float64) {
	var x, sum Block
	var up [ChunkRows]bool
	n := len(dst)
	for k := range cuts {
		step(k, x[:n])
		if o.upward() {
			negate(x[:n])
		}
		for i, y := range r.Y {
			up[i] = (y == float64(k)) != o.upward()
		}
		o.link.tails.either(r.Kernels, x[:n], &up)
		for i, y := range r.Y {
			if y >= float64(k) {
				sum[i] += x[i]
			}
		}
	}
	copy(dst, sum[:n])
}

// neighbours is climb of families whose log odds of a class against the one before are those of F.
func (o ordinal) neighbours(r *Rows, cuts int, step func(k int, dst []float64), dst []float64) {
	var x, q, height, own, total Block
	n, t := len(dst), o.link.tails
	for k := range cuts {
		step(k, x[:n])
		negate(x[:n])
		if o.link != Logit {
			copy(q[:], x[:n])
			t.logPs(r.Kernels, x[:n])
			t.logQs(r.Kernels, q[:n])
		}
		for i, y := range r.Y {
			if height[i] += max(-ends, min(ends, x[i]-q[i])); y == float64(k+1) {
				own[i] = height[i]
			}
		}
		r.addLogs(total[:n], height[:n], total[:n])
	}
	for i := range dst {
		dst[i] = own[i] - total[i]
	}
}

// logs writes log densities of the rows of a chunk to dst.
func (o ordinal) logs(r *Rows, cuts int, step func(k int, dst []float64), dst []float64) {
	if o.way == adjacent {
		o.neighbours(r, cuts, step, dst)
		return
	}
	o.climb(r, cuts, step, dst)
}

// shares writes the probability of each class at the steps of a row.
func (o ordinal) shares(x, dst []float64) {
	t, left := o.link.tails, 0.0 // log probability of the classes from k on, or of a class against the first
	most := 0.0
	for k, step := range x {
		switch o.way {
		case upTo:
			low, up := [1]float64{-ends}, [1]float64{step}
			if k > 0 {
				low[0] = x[k-1]
			}
			o.between(&Rows{}, low[:], up[:], dst[k:k+1])
			left = t.logQ(step)
		case stopping:
			dst[k], left = left+t.logP(step), left+t.logQ(step)
		case continuing:
			dst[k], left = left+t.logQ(-step), left+t.logP(-step)
		case adjacent:
			dst[k], left = left, left+o.odds(-step)
			most = max(most, left)
		}
	}
	dst[len(x)] = left
	sum := 0.0
	for k, l := range dst {
		dst[k] = vec.Exp(l - most)
		sum += dst[k]
	}
	for k := range dst {
		dst[k] /= sum
	}
}

// odds returns the logarithm of F/(1 − F).
func (o ordinal) odds(x float64) float64 {
	if o.link == Logit {
		return x
	}
	return o.link.tails.logP(x) - o.link.tails.logQ(x)
}

// along returns the first two derivatives of the log density of class y in t, where the steps are x + t·v.
func (o ordinal) along(y int, x, v []float64) (first, second float64) {
	t := o.link.tails
	if o.way == adjacent {
		return o.alongNeighbours(y, x, v)
	}
	for k := range min(y+1, len(x)) {
		x, v, slope := x[k], v[k], t.slopeP
		if o.upward() {
			x, v = -x, -v
		}
		if (k == y) == o.upward() {
			slope = t.slopeQ
		}
		s, c := slope(x)
		first = math.FMA(s, v, first)
		second = math.FMA(float64(c*v), v, second)
	}
	return first, second
}

// alongNeighbours is along of log odds R_c of class c against the first: log p_y = R_y − log Σ e^R_c.
func (o ordinal) alongNeighbours(y int, x, v []float64) (first, second float64) {
	t, shares := o.link.tails, make([]float64, len(x)+1)
	o.shares(x, shares)
	slope, curve := 0.0, 0.0 // of R_c
	mean, square, bend := 0.0, 0.0, 0.0
	for k := range x {
		s, c := 1.0, 0.0
		if o.link != Logit {
			p1, p2 := t.slopeP(-x[k])
			q1, q2 := t.slopeQ(-x[k])
			s, c = p1-q1, p2-q2
		}
		slope = math.FMA(-v[k], s, slope)
		curve = math.FMA(float64(v[k]*v[k]), c, curve)
		p := shares[k+1]
		mean = math.FMA(p, slope, mean)
		square = math.FMA(float64(p*slope), slope, square)
		bend = math.FMA(p, curve, bend)
		if y == k+1 {
			first, second = slope, curve
		}
	}
	return first - mean, second - bend - (square - float64(mean*mean))
}

// alongBounds is along of log(F(upper) − F(lower)), whose ends change at the rates v and w.
func (o ordinal) alongBounds(lower, upper, v, w float64) (first, second float64) {
	if o.link == Logit { // log F(upper) + log(1 − F(lower)) + log(1 − e^(lower − upper))
		a, b, ratio := vec.Logistic(lower), vec.Logistic(-upper), 0.0
		if v != w {
			ratio = float64((w - v) * odds(upper-lower))
		}
		first = math.FMA(w, b, -float64(v*a)) + ratio
		second = math.FMA(float64(w*w), float64(b*(1-b)), float64(v*v)*float64(a*(1-a)))
		return first, -math.FMA(ratio, (w-v)+ratio, second)
	}
	low, up, out := [1]float64{lower}, [1]float64{upper}, [1]float64{}
	if o.between(&Rows{}, low[:], up[:], out[:]); math.IsInf(out[0], -1) {
		return 0, 0 // no probability is left
	}
	a1, a2 := o.relative(lower, out[0])
	b1, b2 := o.relative(upper, out[0])
	first = math.FMA(b1, w, -float64(a1*v))
	second = math.FMA(float64(b2*w), w, -float64(float64(a2*v)*v))
	return first, second - float64(first*first)
}

// odds returns 1/(e^gap − 1); 0 if no gap is left.
func odds(gap float64) float64 {
	if !(gap > 0) {
		return 0
	}
	return 1 / (deviance(gap) + gap)
}

// relative returns the first two derivatives of F at x, divided by e^total.
func (o ordinal) relative(x, total float64) (first, second float64) {
	if math.Abs(x) > ends/1e6 { // an end, where F is flat
		return 0, 0
	}
	log, slope, sign := o.link.tails.logP, o.link.tails.slopeP, 1.0
	if x > 0 {
		log, slope, sign = o.link.tails.logQ, o.link.tails.slopeQ, -1
	}
	p := float64(sign * vec.Exp(log(x)-total))
	if p == 0 {
		return 0, 0
	}
	s1, s2 := slope(x)
	return float64(p * s1), float64(p * math.FMA(s1, s1, s2))
}
