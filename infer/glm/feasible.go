package glm

import (
	"fmt"
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// meanResponse returns the mean response, per trial, pulled inside its domain.
func (t *Target) meanResponse() float64 {
	total, count, f := vec.Sum(t.counted), t.rows.Total, t.model.Family
	switch s := f.Support(); {
	case s.Probability():
		count = t.total(product(t.data.Frequency, t.data.Trials))
		return (total + 0.5) / (count + 1)
	case s.Counts():
		return (total + 0.5) / (count + 1)
	case s.Low < 0 && !f.Of().Linear(): // with a positive mean
		return max(total/count, family.LeastStart(vec.Dot(t.counted, t.data.Y)/count))
	}
	return total / count
}

// linkOf returns the linear predictor of a mean inside the family's domain.
func (t *Target) linkOf(mean float64) float64 { return t.model.Family.Of().Of(mean) }

// feasible demands that eta at beta is inside the link's domain. Where it is
// not, these are tried: the intercept alone; the least squares fits, with a
// small ridge, of the link of each response and of a constant.
func (p *pilot) feasible() error {
	t := p.t
	if !t.model.Family.PositiveEta() || p.inside() {
		return nil
	}
	if j := t.data.Intercept; j >= 0 {
		at := p.beta[j]
		clear(p.beta)
		p.beta[j] = at
		if p.inside() {
			return nil
		}
	}
	mean := t.meanResponse()
	wanted := make([]float64, t.Rows())
	for _, share := range []float64{0.9, 0.5, 0.1, 0} { // how far each response counts
		for i, y := range t.data.Y {
			wanted[i] = t.linkOf(math.FMA(share, y, float64((1-share)*mean)))
			if t.data.Offset != nil {
				wanted[i] -= t.data.Offset[i]
			}
		}
		if t.Cols() > denseLimit || !p.leastSquares(wanted) {
			break
		}
		if p.inside() {
			return nil
		}
	}
	if t.Cols() <= denseLimit && t.data.Offset != nil { // far above every offset
		for _, grow := range []float64{1, 10, 100, 1000} {
			level := math.FMA(grow, design.Largest(t.data.Offset), t.linkOf(mean))
			for i, o := range t.data.Offset {
				wanted[i] = level - o
			}
			if p.leastSquares(wanted) && p.inside() {
				return nil
			}
		}
	}
	least := 0
	for i, v := range p.eta {
		if v < p.eta[least] {
			least = i
		}
	}
	return fmt.Errorf("%s needs a linear predictor above 0 in every row, and none was found: row %d has %.3g at the "+
		"point nearest to the response; keep the intercept, leave out the offset, or use the log link",
		t.model.Family, least+1, p.eta[least])
}

// inside moves beta between the ends of uniform priors, computes eta and reports whether it is above 0 in every
// row, by more than its rounding.
func (p *pilot) inside() bool {
	p.clamp()
	p.product()
	limit := 1e-12 * design.Largest(p.eta)
	for _, e := range p.eta {
		if !(e > limit) {
			return false
		}
	}
	return true
}

// leastSquares sets beta to the fit of wanted.
func (p *pilot) leastSquares(wanted []float64) bool {
	x := p.t.data.X
	n, d := x.Size()
	ones, scratch, h := make([]float64, n), make([]float64, n), make([]float64, d*d)
	for i := range ones {
		ones[i] = 1
	}
	design.WeightedGram(x, ones, scratch, h)
	for j := range d {
		h[j*d+j] = math.FMA(1e-10, h[j*d+j], h[j*d+j]+1e-200)
	}
	design.Transposed(x, wanted, p.beta)
	mustFactor(h, d).Solve(p.beta)
	return design.Largest(p.beta) <= math.MaxFloat64
}

// firstDispersions sets free dispersions to a first guess: a scale to that of the response, a precision in the unit of
// the response to the mean, others to their Start.
func (p *pilot) firstDispersions() {
	for i, k := range p.t.free {
		u, d := 0.0, &p.t.dispersions[k]
		switch {
		case d.Start != 0:
			u = d.Coordinate(d.Start)
		case d.Real:
		case d.Scale():
			u = p.responseScale()
		default:
			if d.Unit {
				u = vec.Log(p.t.meanResponse())
			}
			u -= p.t.logPrecision()
		}
		p.t.setFree(&p.disp, i, u)
	}
}

// estimateDispersions moves each free dispersion to the highest point of its log
// posterior at beta, in log(x − Lower), among a grid of quarters within 16 of
// the first guess, and then of 1/64. Its scale is that of the curvature there. Of many rows the log posterior has one
// peak, and the points on the way up to it are looked at alone.
func (p *pilot) estimateDispersions() {
	t := p.t
	for i, k := range t.free {
		value := func(u float64) float64 {
			d := p.disp
			t.setFree(&d, i, u)
			v := t.logLikAt(p.eta, &d) + t.LogPriorAlong(t.Cols()+i, u)
			if v != v {
				return math.Inf(-1)
			}
			return v
		}
		best := p.disp.u[k]
		for _, g := range []struct{ step, reach float64 }{{0.25, 64}, {1.0 / 64, 16}} {
			if p.tall() {
				best = uphill(value, best, g.step, g.reach)
			} else {
				best = highest(value, best, g.step, g.reach)
			}
		}
		const h = 1.0 / 64
		curvature := (2*value(best) - (value(best-h) + value(best+h))) / (h * h)
		p.dispScale[k] = 0.5
		if curvature > 4 {
			p.dispScale[k] = 1 / math.Sqrt(curvature)
		}
		t.setFree(&p.disp, i, best)
	}
}

// highest returns the point of the grid centre + k·step, |k| ≤ reach, with the
// largest value.
func highest(value func(float64) float64, centre, step, reach float64) float64 {
	best, top := centre, value(centre)
	for k := -reach; k <= reach; k++ {
		u := math.FMA(k, step, centre)
		if v := value(u); v > top {
			best, top = u, v
		}
	}
	return best
}

// uphill is highest of a function with one peak.
func uphill(value func(float64) float64, centre, step, reach float64) float64 {
	best, top := centre, value(centre)
	for _, way := range []float64{step, -step} {
		for range int(reach) {
			v := value(best + way)
			if !(v > top) {
				break
			}
			best, top = best+way, v
		}
		if best != centre {
			break
		}
	}
	return best
}

// boundMargin is the share of a uniform prior's length that the penalised point
// keeps off each end, so that starts around it are found on both sides.
const boundMargin = 1e-3

// between returns the ends of a uniform prior without their margins.
func between(p prior.Prior) (low, high float64) {
	margin := float64(boundMargin * (p.High - p.Low))
	return p.Low + margin, p.High - margin
}

// clamp moves beta between the ends of uniform priors.
func (p *pilot) clamp() {
	for _, j := range p.walls {
		low, high := between(p.t.model.Coefficients[j])
		p.beta[j] = math.Min(math.Max(p.beta[j], low), high)
	}
}

// outside reports whether beta is outside the support of a uniform prior.
func (p *pilot) outside(beta []float64) bool {
	for _, j := range p.walls {
		if low, high := between(p.t.model.Coefficients[j]); !(beta[j] >= low && beta[j] <= high) {
			return true
		}
	}
	return false
}
