package family

import "math"

// alongMean is the likelihood of eta.
type alongMean struct{ ordinal }

// disc has disc of the rows, or ones.
func (l alongMean) disc(r *Rows, dst []float64) {
	if l.ordinal.disc {
		copy(dst, r.given(len(r.Given)-1))
		return
	}
	for i := range dst {
		dst[i] = 1
	}
}

// step writes disc·(tau_k − eta) of the rows to dst.
func (l alongMean) step(r *Rows, k int, eta, disc, dst []float64) {
	for i, cut := range r.given(k) {
		dst[i] = float64((cut - eta[i]) * disc[i])
	}
}

// cuts is how many thresholds are given.
func (l alongMean) cuts(r *Rows) int {
	if l.ordinal.disc {
		return len(r.Given) - 1
	}
	return len(r.Given)
}

func (l alongMean) Terms(r Rows, eta, dst []float64) {
	var own, disc, lower, upper Block
	n := copy(own[:], eta)
	l.disc(&r, disc[:n])
	if l.way != upTo {
		l.logs(&r, l.cuts(&r), func(k int, dst []float64) { l.step(&r, k, own[:n], disc[:n], dst) }, dst)
		return
	}
	l.step(&r, 0, own[:n], disc[:n], lower[:n])
	l.step(&r, 1, own[:n], disc[:n], upper[:n])
	if l.closed() {
		l.ends(&r, lower[:n], upper[:n], dst)
		return
	}
	l.between(&r, lower[:n], upper[:n], dst)
}

func (l alongMean) Slopes(r Rows, eta, grad, curv, info []float64) {
	if l.closed() {
		l.closedSlopes(&r, eta, grad, curv)
		copy(info, curv)
		return
	}
	var disc Block
	l.disc(&r, disc[:len(eta)])
	cuts := l.cuts(&r)
	x, v := make([]float64, cuts), make([]float64, cuts)
	for i, e := range eta {
		for k := range cuts {
			x[k], v[k] = disc[i]*(r.given(k)[i]-e), -disc[i]
		}
		first, second := l.slopes(r.Y[i], x, v)
		grad[i], curv[i], info[i] = first, -second, l.information(first, -second)
	}
}

// closedSlopes are Slopes of a product of logistic functions.
func (l alongMean) closedSlopes(r *Rows, eta, grad, curv []float64) {
	var below, above Block
	n := len(eta)
	copy(below[:], r.given(0))
	copy(above[:], r.given(1))
	r.logistics(below[:n], eta)
	r.logistics(above[:n], eta)
	for i, p := range below[:n] {
		q := above[i]
		grad[i] = p - (1 - q)
		curv[i] = float64(p*(1-p)) + float64(q*(1-q))
	}
}

// slopes are the derivatives of one row; 0 if they overflow.
func (o ordinal) slopes(y float64, x, v []float64) (first, second float64) {
	if o.way == upTo {
		first, second = o.alongBounds(x[0], x[1], v[0], v[1])
	} else {
		first, second = o.along(int(y), x, v)
	}
	if !(math.Abs(first) < 1e150 && math.Abs(second) < math.MaxFloat64) {
		return 0, 0
	}
	return first, second
}

// information is the curvature, or the square of the score if the curvature may be negative: their expectations agree.
func (o ordinal) information(slope, curve float64) float64 {
	if o.concave() && !o.disc {
		return max(0, curve)
	}
	return float64(slope * slope)
}

func (alongMean) Norm(Rows) float64                 { return 0 }
func (alongMean) Scores(Rows, []float64) [2]float64 { return [2]float64{} }

// alongDisc is the likelihood of log disc: Given are thresholds less eta.
type alongDisc struct{ ordinal }

func (l alongDisc) Terms(r Rows, eta, dst []float64) {
	var disc, lower, upper Block
	n := len(eta)
	r.discs(eta, disc[:])
	step := func(k int, dst []float64) {
		for i, x := range r.given(k) {
			dst[i] = float64(x * disc[i])
		}
	}
	if l.way != upTo {
		l.logs(&r, len(r.Given), step, dst)
		return
	}
	step(0, lower[:n])
	step(1, upper[:n])
	l.between(&r, lower[:n], upper[:n], dst)
}

// Slopes use that the steps grow by themselves.
func (l alongDisc) Slopes(r Rows, eta, grad, curv, info []float64) {
	x := make([]float64, len(r.Given))
	for i, e := range eta {
		disc := discOf(e)
		for k := range x {
			x[k] = float64(disc * r.given(k)[i])
		}
		first, second := l.slopes(r.Y[i], x, x)
		grad[i], curv[i], info[i] = first, -(second + first), float64(first*first)
	}
}

func (alongDisc) Norm(Rows) float64                 { return 0 }
func (alongDisc) Scores(Rows, []float64) [2]float64 { return [2]float64{} }
