package family

import (
	"math"

	"glmbatch/internal/simd"
)

// spot is where rows are: their linear predictors, and values of dispersions with coordinates. Those of a dispersion
// that all rows share are nil, and Rows.Disp has it.
type spot struct {
	eta  []float64
	x, u [2][]float64
}

// disp returns the dispersions of row i.
func (s *spot) disp(i int, shared [2]float64) [2]float64 {
	for k, x := range s.x {
		if x != nil {
			shared[k] = x[i]
		}
	}
	return shared
}

// values writes the values of coordinates of dispersion k to dst.
func (l *rowwise) values(r *Rows, k int, u, dst []float64) {
	d := &l.base.Dispersions[k]
	if d.Real {
		copy(dst, u)
		return
	}
	r.Kernels.Exp(dst, u)
	for i := range u {
		dst[i] += d.Lower
	}
}

// columns are numbers of rows that Given has of a dispersion with a predictor: values, then coordinates, prepared.
const columns = 2

// prepared writes values and coordinates of dispersion k to x and c as terms read them.
func (l *rowwise) prepared(r *Rows, k int, u, x, c []float64) {
	copy(c, u)
	if l.values(r, k, u, x); l.own != nil {
		l.own.prepare(r, x[:len(u)], c[:len(u)])
	}
}

// give writes what predictor p sees of the others to v, from column c on: of the mean the dispersions, of a dispersion
// the mean and the other one.
func (l *rowwise) give(p, c int, r *Rows, eta [][]float64, v *View) {
	n, at := len(r.Y), l.first
	if p > 0 {
		copy(v.given(c, n), eta[0])
		c++
	}
	for k := range l.base.Dispersions {
		own := l.on[k] && at == p
		if !own && (l.on[k] || p > 0) {
			x, u := v.given(c, n), v.given(c+1, n)
			if c += columns; l.on[k] {
				l.prepared(r, k, eta[at], x, u)
			} else {
				fill(x, r.Disp[k])
				fill(u, l.base.Dispersions[k].Coordinate(r.Disp[k]))
			}
		}
		if l.on[k] {
			at++
		}
	}
}

// only is the dispersion with a predictor, if one alone has one.
func (l *rowwise) only() int {
	if l.on[0] {
		return 0
	}
	return 1
}

func fill(v []float64, x float64) {
	for i := range v {
		v[i] = x
	}
}

// normed reports whether terms along the mean have the norms, which another dispersion moves.
func (l *rowwise) normed() bool { return len(l.base.Dispersions) > 1 && !(l.on[0] && l.on[1]) }

// norms returns the sum of the norms of all rows, each as often as it counts, where v has what the mean sees from a
// column on.
func (l *rowwise) norms(r *Rows, from int, v *View) (sum float64) {
	whole := *r
	whole.Given, whole.first = v.Given, 0
	whole.chunks(func(_ int, part Rows) {
		var all Block
		n := len(part.Y)
		at := meanGiven{l, from}.spot(&part, all[:n])
		l.addNorms(part, &at, all[:n])
		part.CountRows(all[:n])
		sum += part.Kernels.Sum(all[:n])
	})
	return sum
}

// whole writes log densities of the rows of a chunk, which is at row i of eta, up to their constants.
func (l *rowwise) whole(r Rows, eta [][]float64, i int, dst []float64) {
	var x, c [2]Block
	n, p := len(dst), l.first
	at := spot{eta: eta[0][i : i+n]}
	for k, on := range l.on {
		if on {
			at.x[k], at.u[k] = x[k][:n], c[k][:n]
			l.prepared(&r, k, eta[p][i:i+n], x[k][:], c[k][:])
			p++
		}
	}
	l.write(r, &at, true, dst)
	p = l.first
	for k, on := range l.on {
		if on {
			l.end(k, eta[p][i:i+n], dst)
			p++
		}
	}
}

// end ends the density where coordinates of a dispersion are beyond its range. dst is not u.
func (l *rowwise) end(k int, u, dst []float64) {
	for i, u := range u {
		if l.base.Dispersions[k].Beyond(u) {
			dst[i] = math.Inf(-1)
		}
	}
}

// precise reports whether the first dispersion of a row stands for a precision.
func (l *rowwise) precise() bool {
	f := Family{Name: l.base.Name}
	return l.on[0] && l.base.Dispersions[0].Power != 0 && !f.scales()
}

// weighted returns the rows with precisions for their first dispersions.
func (l *rowwise) weighted(r Rows, at *spot, precision, roots []float64) Rows {
	scale := l.base.Dispersions[0].Scale()
	for i, x := range at.x[0] {
		if scale {
			roots[i] = 1 / x
			precision[i] = float64(roots[i] * roots[i])
			continue
		}
		precision[i], roots[i] = x, math.Sqrt(x)
	}
	n := len(at.eta)
	r.Precision, r.Roots, r.Disp[0] = precision[:n], roots[:n], 1
	return r
}

// write writes log densities of at most ChunkRows rows to dst, with norms or without. dst may be part of the spot.
func (l *rowwise) write(r Rows, at *spot, norms bool, dst []float64) {
	scratch := Blocks.Get().(*[3]Block)
	defer Blocks.Put(scratch)
	out := scratch[2][:len(dst)]
	switch {
	case l.own != nil:
		l.own.rowTerms(r, at.eta, at.x[0], at.u[0], out)
	case l.precise() && at.x[1] == nil:
		l.terms.Terms(l.weighted(r, at, scratch[0][:], scratch[1][:]), at.eta, out)
	default:
		l.one(r, at, func(i int, one Rows) {
			if l.terms.Terms(one, at.eta[i:i+1], out[i:i+1]); norms {
				out[i] += l.terms.Norm(one)
			}
		})
		norms = false
	}
	if norms {
		l.addNorms(r, at, out)
	}
	copy(dst, out)
}

// one passes the rows one by one, each with its dispersions and as it is once.
func (l *rowwise) one(r Rows, at *spot, do func(i int, one Rows)) {
	shared := r.Disp
	for i := range at.eta {
		one := r.Only(i)
		one.Disp, one.Kernels = at.disp(i, shared), simd.Scalar
		do(i, one)
	}
}

// addNorms adds the norm of each row.
func (l *rowwise) addNorms(r Rows, at *spot, dst []float64) {
	if l.own != nil {
		l.own.rowNorms(r, at.x[0], at.u[0], dst)
		return
	}
	l.one(r, at, func(i int, one Rows) { dst[i] += l.terms.Norm(one) })
}

// meanGiven is the likelihood along the linear predictor of the mean. Given has columns of each dispersion that has a
// predictor, from one on.
type meanGiven struct {
	*rowwise
	from int
}

func (l meanGiven) spot(r *Rows, eta []float64) (at spot) {
	at.eta = eta
	c := l.from
	for k, on := range l.on {
		if on {
			at.x[k], at.u[k] = r.given(c), r.given(c+1)
			c += columns
		}
	}
	return at
}

func (l meanGiven) Terms(r Rows, eta, dst []float64) {
	at := l.spot(&r, eta)
	l.write(r, &at, l.normed(), dst)
}

func (l meanGiven) Slopes(r Rows, eta, grad, curv, info []float64) {
	at := l.spot(&r, eta)
	switch {
	case l.own != nil:
		l.own.rowSlopes(r, eta, at.x[0], at.u[0], grad, curv, info)
	case l.precise() && at.x[1] == nil:
		scratch := Blocks.Get().(*[3]Block)
		defer Blocks.Put(scratch)
		l.terms.Slopes(l.weighted(r, &at, scratch[0][:], scratch[1][:]), eta, grad, curv, info)
	default:
		l.one(r, &at, func(i int, one Rows) {
			l.terms.Slopes(one, eta[i:i+1], grad[i:i+1], curv[i:i+1], info[i:i+1])
		})
	}
}

// wholly are terms along the mean with all norms.
type wholly struct{ meanGiven }

func (l wholly) Terms(r Rows, eta, dst []float64) {
	at := l.spot(&r, eta)
	l.write(r, &at, true, dst)
}

func (meanGiven) Norm(Rows) float64 { return 0 }

// Scores are those of a dispersion that all rows share.
func (l meanGiven) Scores(r Rows, eta []float64) (sum [2]float64) {
	if !l.normed() {
		return sum
	}
	at := l.spot(&r, eta)
	l.one(r, &at, func(i int, one Rows) {
		score := l.terms.Scores(one, eta[i:i+1])
		for k := range sum {
			if !l.on[k] {
				sum[k] += float64(r.Count(i) * score[k])
			}
		}
	})
	return sum
}

// spreadGiven is the likelihood along the coordinate of dispersion k. Given has the linear predictor of the mean, then
// columns of the other dispersion if there is one, from a column on.
type spreadGiven struct {
	*rowwise
	k, from int
}

// spot is that of coordinates u with values x.
func (l spreadGiven) spot(r *Rows, u, x []float64) (at spot) {
	at.eta = r.given(l.from)
	if other := 1 - l.k; other < len(l.base.Dispersions) {
		at.x[other], at.u[other] = r.given(l.from+1), r.given(l.from+2)
	}
	at.x[l.k], at.u[l.k] = x[:len(u)], u
	return at
}

func (l spreadGiven) Terms(r Rows, u, dst []float64) {
	var x, c, own Block
	n := copy(own[:], u)
	l.prepared(&r, l.k, u, x[:], c[:])
	at := l.spot(&r, c[:n], x[:])
	l.write(r, &at, true, dst)
	l.end(l.k, own[:n], dst)
}

// Slopes: the second derivative is a difference of scores, and the information the square of a score, whose
// expectations agree.
func (l spreadGiven) Slopes(r Rows, u, grad, curv, info []float64) {
	const step = 1e-4
	var x Block
	l.values(&r, l.k, u, x[:])
	at := l.spot(&r, u, x[:])
	if l.own == nil || !l.own.spreadSlopes(r, at.eta, at.x[0], u, grad, curv) {
		d := &l.base.Dispersions[l.k]
		l.one(r, &at, func(i int, one Rows) {
			score := func(u float64) float64 {
				one.Disp[l.k] = d.At(u)
				return l.terms.Scores(one, at.eta[i:i+1])[l.k] * d.Slope(one.Disp[l.k])
			}
			grad[i], curv[i] = score(u[i]), (score(u[i]-step)-score(u[i]+step))/(2*step)
		})
	}
	for i, slope := range grad[:len(u)] {
		if !(math.Abs(slope) < 1e150 && math.Abs(curv[i]) < math.MaxFloat64) {
			grad[i], curv[i] = 0, 0
		}
		info[i] = float64(grad[i] * grad[i])
	}
}

func (spreadGiven) Norm(Rows) float64                 { return 0 }
func (spreadGiven) Scores(Rows, []float64) [2]float64 { return [2]float64{} }
