package family

import (
	"math"
	"slices"

	"glmbatch/infer/prior"
	"glmbatch/internal/simd"
	"glmbatch/internal/vec"
)

// located is a distribution of y, or of log y, with a location and a scale: z = (y − eta − shift)/scale is standard.
// Its terms take rows that are censored or truncated. Standard densities are log-concave in z, and so are the
// probabilities of intervals (Prékopa 1973).
type located struct {
	law      standard
	logs     bool // of log y
	mirrored bool // z falls as y grows: the scale is negative
	// place returns scale and shift at a value of the first dispersion, and slopes the derivatives of log |scale| and of
	// shift there.
	place  func(disp float64) place
	slopes func(disp float64) (logScale, shift float64)
}

// place has the location and the scale.
type place struct{ scale, shift float64 }

// at returns z of a number at eta with a root of a precision.
func (p *place) at(y, eta, root float64) float64 { return float64((y-eta-p.shift)*(1/p.scale)) * root }

// places are those of rows: one of all, or inverse scales and shifts of each.
type places struct {
	all            place
	inverse, shift []float64
}

// of returns the place of row i.
func (p *places) of(i int) place {
	if p.inverse == nil {
		return p.all
	}
	return place{1 / p.inverse[i], p.shift[i]}
}

// standardised writes z of the rows.
func (p *places) standardised(r *Rows, eta, z []float64) {
	y, z := r.located()[:len(eta)], z[:len(eta)]
	if p.inverse != nil {
		inverse, shift := p.inverse[:len(eta)], p.shift[:len(eta)]
		for i, e := range eta {
			z[i] = float64((y[i] - e - shift[i]) * inverse[i])
		}
		return
	}
	inverse := 1 / p.all.scale
	for i, e := range eta {
		z[i] = float64((y[i] - e - p.all.shift) * inverse)
	}
	for i, root := range r.Roots {
		z[i] *= root
	}
}

func (l located) Terms(r Rows, eta, dst []float64) {
	l.terms(r, eta, &places{all: l.place(r.Disp[0])}, dst)
}

// terms are Terms of rows at places.
func (l located) terms(r Rows, eta []float64, p *places, dst []float64) {
	n := len(eta)
	var z Block
	p.standardised(&r, eta, z[:])
	if r.Bounds != nil {
		var own Block
		copy(own[:], eta)
		eta = own[:n]
	}
	if r.Kind == nil {
		l.law.write(r.Kernels, density, z[:n], dst, nil, nil)
	} else {
		l.byKind(r, z[:n], dst, nil, nil)
	}
	for i := range r.Bounds {
		own := p.of(i)
		if dst[i] += l.bounded(&r, i, eta[i], z[i], &own).value; !(dst[i] < math.Inf(1)) {
			dst[i] = math.Inf(-1) // probabilities are beyond float64
		}
	}
}

// byKind writes the terms of observed rows, and of censored ones without bounds, at z with their derivatives in z, and
// zeros for others.
func (l located) byKind(r Rows, z, v, first, second []float64) {
	if r.right && r.Bounds == nil && l.law == extreme && !l.mirrored {
		writeExtremeRight(r.Kernels, r.Kind, z, v, first, second)
		return
	}
	var rows [ChunkRows]uint8
	var some, value, one, two Block
	done := 0
	for _, kind := range [...]float64{Observed, Above, Below, Within} {
		n := 0
		for i, own := range r.Kind[:len(z)] {
			rows[n] = uint8(i)
			if own == kind {
				n++
			}
		}
		part := l.part(kind, r.Bounds != nil)
		switch {
		case n == 0:
			continue
		case part == interval:
			clear(value[:n])
			clear(one[:n])
			clear(two[:n])
		default:
			for k, i := range rows[:n] {
				some[k] = z[i]
			}
			if first == nil {
				l.law.write(r.Kernels, part, some[:n], value[:n], nil, nil)
			} else {
				l.law.write(r.Kernels, part, some[:n], value[:n], one[:n], two[:n])
			}
		}
		for k, i := range rows[:n] {
			v[i] = value[k]
		}
		if first != nil {
			for k, i := range rows[:n] {
				first[i], second[i] = one[k], two[k]
			}
		}
		if done += n; done == len(z) {
			return
		}
	}
}

// part returns what the likelihood of a row of a kind is made of; interval if its bounds matter.
func (l located) part(kind float64, bounds bool) tail {
	switch {
	case kind == Observed:
		return density
	case bounds || kind == Within:
		return interval
	case (kind == Above) != l.mirrored:
		return above
	}
	return below
}

// bounded returns what the bounds of a row add to it, with derivatives in z: the probability of the interval that a
// censored row is in, over that of all responses that are seen.
func (l located) bounded(r *Rows, i int, eta, z float64, p *place) (out strip) {
	b, root := &r.Bounds[i], r.Root(i)
	low, high := p.at(b.Low, eta, root), p.at(b.High, eta, root)
	if r.Kind != nil {
		switch r.Kind[i] {
		case Above:
			out.add(l.law.between(z, high), 1)
		case Below:
			out.add(l.law.between(low, z), 1)
		case Within:
			out.add(l.law.between(z, p.at(b.Upper, eta, root)), 1)
		}
	}
	if b.Truncates() {
		out.add(l.law.between(low, high), -1)
	}
	return out
}

// inZ writes the derivatives of the rows' terms in z, the first and the second one, and adds bounds by add.
func (l located) inZ(r Rows, eta []float64, p *places, z, first, second *Block, add func(i int, more *strip)) {
	var v Block
	n := len(eta)
	p.standardised(&r, eta, z[:])
	if r.Kind != nil {
		l.byKind(r, z[:n], v[:n], first[:n], second[:n])
	} else {
		l.law.write(r.Kernels, density, z[:n], v[:n], first[:n], second[:n])
	}
	for i := range r.Bounds {
		own := p.of(i)
		more := l.bounded(&r, i, eta[i], z[i], &own)
		first[i] += more.move
		second[i] += more.curv
		add(i, &more)
	}
}

// Slopes: the information of a row of censored or truncated ones is its own curvature.
func (l located) Slopes(r Rows, eta, grad, curv, info []float64) {
	l.slopesAt(r, eta, &places{all: l.place(r.Disp[0])}, grad, curv, info)
}

// slopesAt are Slopes of rows at places.
func (l located) slopesAt(r Rows, eta []float64, p *places, grad, curv, info []float64) {
	var z, first, second Block
	l.inZ(r, eta, p, &z, &first, &second, func(int, *strip) {})
	n, inverse := len(eta), 1/p.all.scale
	grad, curv, info = grad[:n], curv[:n], info[:n]
	for i := range grad {
		if p.inverse != nil {
			inverse = p.inverse[i]
		}
		square := float64(inverse * inverse)
		grad[i], curv[i] = -float64(first[i]*inverse), -float64(second[i]*square)
		info[i] = float64(l.law.information() * square)
	}
	for i, root := range r.Roots {
		grad[i] *= root
		curv[i] *= r.Precision[i]
		info[i] *= r.Precision[i]
	}
	for i := range r.Kind { // given that it is observed, a row's curvature has another mean than without limits
		info[i] = max(curv[i], 1e-9*info[i])
	}
	for i := range r.Bounds {
		info[i] = max(curv[i], 1e-9*info[i])
	}
}

func (l located) Norm(r Rows) float64 {
	scale := vec.Log(math.Abs(l.place(r.Disp[0]).scale))
	if r.Kind == nil {
		return -r.Total * scale
	}
	return -r.countObserved() * scale
}

func (l located) Scores(r Rows, eta []float64) [2]float64 {
	p, sum := places{all: l.place(r.Disp[0])}, 0.0
	logScale, shift := l.slopes(r.Disp[0])
	r.chunks(func(k int, part Rows) {
		var z, first, second, spread Block
		l.inZ(part, eta[k:k+len(part.Y)], &p, &z, &first, &second, func(i int, more *strip) {
			spread[i] = more.spread - float64(z[i]*more.move)
		})
		for i := range part.Y {
			spread[i] += float64(z[i] * first[i])
			moved := -math.FMA(spread[i], logScale, first[i]*(shift/p.all.scale*part.Root(i)))
			if part.observed(i) {
				moved -= logScale
			}
			sum += float64(part.Count(i) * moved)
		}
	})
	return [2]float64{sum}
}

// prepare changes a dispersion and its coordinate to the inverse of the scale and the shift.
func (l located) prepare(_ *Rows, x, u []float64) {
	for i, disp := range x {
		p := l.place(disp)
		x[i], u[i] = 1/p.scale, p.shift
	}
}

func (l located) rowTerms(r Rows, eta, x, u, dst []float64) {
	l.terms(r, eta, &places{inverse: x, shift: u}, dst)
}

func (l located) rowNorms(r Rows, x, _, dst []float64) {
	var log Block
	for i, inverse := range x {
		log[i] = math.Abs(inverse)
	}
	r.Kernels.Log(log[:], log[:len(x)])
	for i := range dst {
		if r.observed(i) {
			dst[i] += log[i]
		}
	}
}

func (l located) rowSlopes(r Rows, eta, x, u, grad, curv, info []float64) {
	l.slopesAt(r, eta, &places{inverse: x, shift: u}, grad, curv, info)
}

func (located) spreadSlopes(Rows, []float64, []float64, []float64, []float64, []float64) bool {
	return false
}

// constant returns a Constant: −log y of observed rows, if the distribution is that of log y.
func (l located) constant(r *Rows) float64 {
	normalising := 0.0
	if l.law == normal {
		normalising = halfLog2Pi
	}
	return r.sum(func(i int) float64 {
		switch {
		case !r.observed(i):
			return 0
		case r.LogY != nil:
			return float64(0.5*vec.Log(r.Weight(i))) - r.LogY[i] - normalising
		}
		return float64(0.5*vec.Log(r.Weight(i))) - normalising
	})
}

// cdf is the CDF of a family.
func (l located) cdf(y float64, at Row) float64 {
	if l.logs {
		if !(y > 0) {
			return 0
		}
		y = vec.Log(y)
	}
	part := below
	if l.mirrored {
		part = above
	}
	p, v := l.place(at.Disp[0]), [1]float64{}
	l.law.write(simd.Scalar, part, []float64{p.at(y, at.Eta, 1)}, v[:], nil, nil)
	return vec.Exp(v[0])
}

// draw is the Draw of a family of log y.
func (l located) draw(s prior.Source, at Row) float64 {
	p := l.place(at.Disp[0])
	y := vec.Exp(math.FMA(p.scale, l.law.draw(s), at.Eta+p.shift))
	return math.Min(math.Max(LeastPositive, y), MostPositive)
}

// along is the Along of a family of log y.
func (l located) along(*Link) Likelihood {
	return Likelihood{Form: Termwise, Terms: l, Rowwise: l, Concave: true}
}

// logMedian is the Centre of families of times, whose unit is arbitrary, as in brms.
func logMedian(y []float64) float64 {
	sorted := slices.Sorted(slices.Values(y))
	n := len(sorted)
	return vec.Log(0.5 * (sorted[(n-1)/2] + sorted[n/2]))
}

// limited are the Limited of a family.
func (l located) limited() *Limited { return &Limited{Along: l.along, Constant: l.constant} }

// inverseScaleEnds are the Ends of a shape that is the inverse of a scale of log y. Near 0 each row has a factor shape,
// and coefficients spread over 1/shape. Where the mean is fixed the location moves and the likelihood falls faster.
func inverseScaleEnds(e Evidence) (zero, tail float64) {
	if e.Perfect {
		return e.Rows - e.Flat, -e.Spare
	}
	return e.Rows - e.Flat, math.Inf(1)
}
