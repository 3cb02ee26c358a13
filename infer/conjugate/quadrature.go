package conjugate

import (
	"math"
	"sort"

	"glmbatch/internal/vec"
)

// nodes is the number of Chebyshev points of a panel.
const nodes = 16

// node holds cos(π(2j+1)/32), the Chebyshev points of the first kind, from
// right to left; the left half mirrors the right one.
var node = func() (x [nodes]float64) {
	right := [nodes / 2]float64{
		0.99518472667219688624, 0.95694033573220886494, 0.88192126434835502971, 0.77301045336273696081,
		0.63439328416364549822, 0.47139673682599764856, 0.29028467725446236764, 0.098017140329560601994,
	}
	for j, v := range right {
		x[j], x[nodes-1-j] = v, -v
	}
	return x
}()

// chebyshev[k][j] is T_k at node j.
var chebyshev = func() (t [nodes][nodes]float64) {
	for j, x := range node {
		t[0][j], t[1][j] = 1, x
		for k := 2; k < nodes; k++ {
			t[k][j] = math.FMA(2*x, t[k-1][j], -t[k-2][j])
		}
	}
	return t
}()

// panel is an interval of ell on which the density is a Chebyshev series in
// x = (ell − mid)/half.
type panel struct {
	mid, half float64
	value     [nodes]float64     // density at the nodes
	density   [nodes]float64     // series of the density times half
	integral  [nodes + 1]float64 // series of the integral from the left end
	below     float64            // mass of all earlier panels
	mass      float64
}

// scaleDensity is the distribution of ell = log sigma: piecewise polynomial, within error (total variation) of the
// exact distribution.
type scaleDensity struct {
	panels []panel
	total  float64
	error  float64
}

// maxError is the total variation between the distribution that is drawn from and the exact one; the tolerance per
// panel leaves a margin below it.
const (
	maxError       = 1e-10
	panelTolerance = 1e-13
	maxPanels      = 20_000
)

// newLaw integrates the density adaptively: panels are halved until their
// series has converged. Cost: a few hundred to a few thousand evaluations.
//
// Source: Trefethen (2013), Approximation Theory and Approximation Practice,
// chapters 3 and 19, for series through Chebyshev points and their integrals;
// Olver and Townsend (2013), arXiv:1307.1223, for sampling by their inversion.
func newLaw(p *reduction) (*scaleDensity, error) {
	m, breaks, err := newMarginal(p)
	if err != nil {
		return nil, err
	}
	tolerance := panelTolerance * m.width()
	l := &scaleDensity{}
	var stack [][2]float64 // rightmost interval first
	for i := len(breaks) - 1; i > 0; i-- {
		left, right := breaks[i-1], breaks[i]
		parts := math.Ceil((right - left) * 2)
		for k := parts; k > 0; k-- {
			stack = append(stack, [2]float64{
				math.FMA(right-left, (k-1)/parts, left), math.FMA(right-left, k/parts, left)})
		}
	}
	for len(stack) > 0 {
		ends := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		pan, miss := newPanel(m, ends[0], ends[1])
		if mid := pan.mid; miss > tolerance && mid > ends[0] && mid < ends[1] {
			if len(stack) > maxPanels {
				return nil, &NumericError{Err: errAccuracy}
			}
			stack = append(stack, [2]float64{mid, ends[1]}, [2]float64{ends[0], mid})
			continue
		}
		pan.below = l.total
		l.total += pan.mass
		l.error += miss
		l.panels = append(l.panels, pan)
	}
	l.error /= l.total
	if !(l.error <= maxError) {
		return nil, &NumericError{Err: errAccuracy}
	}
	return l, nil
}

// width returns the distance around the mode within which log p has fallen by
// 1 or less, a lower bound of the order of the total mass.
func (m *marginal) width() float64 {
	sum := 0.0
	for _, side := range [2]float64{-1, 1} {
		w := 0x1p-40
		for ; m.at(math.FMA(side, w, m.ref)) > -1; w *= 2 {
		}
		sum += 0.5 * w
	}
	return 0.37 * sum
}

// newPanel interpolates the density on [left, right] and estimates what the
// series misses of its integral by the last coefficients.
func newPanel(m *marginal, left, right float64) (p panel, miss float64) {
	p.mid, p.half = 0.5*(left+right), 0.5*(right-left)
	for j, x := range node {
		p.value[j] = vec.Exp(m.at(math.FMA(p.half, x, p.mid)))
	}
	for k := range p.density {
		sum := 0.0
		for j, v := range p.value {
			sum = math.FMA(v, chebyshev[k][j], sum)
		}
		p.density[k] = sum * p.half * (2.0 / nodes)
	}
	p.density[0] *= 0.5
	for k := 1; k <= nodes; k++ { // ∫T_k = T_{k+1}/(2(k+1)) − T_{k−1}/(2(k−1))
		c := p.density[k-1]
		if k == 1 {
			c *= 2
		}
		if k+1 < nodes {
			c -= p.density[k+1]
		}
		p.integral[k] = c / float64(2*k)
	}
	p.integral[0] = -series(p.integral[:], -1)
	p.mass = series(p.integral[:], 1)
	for k := nodes - 3; k < nodes; k++ {
		miss += 2 * math.Abs(p.density[k])
	}
	return p, miss
}

// series returns Σ c_k·T_k(x) by Clenshaw's recurrence.
func series(c []float64, x float64) float64 {
	var b1, b2 float64
	for k := len(c) - 1; k > 0; k-- {
		b1, b2 = math.FMA(2*x, b1, c[k]-b2), b1
	}
	return math.FMA(x, b1, c[0]-b2)
}

// quantile returns the point below which a share u in (0, 1) of the mass lies.
func (l *scaleDensity) quantile(u float64) float64 {
	t := float64(u * l.total)
	i := sort.Search(len(l.panels), func(i int) bool { return l.panels[i].below > t }) - 1
	p := &l.panels[i]
	return math.FMA(p.half, p.invert(t-p.below), p.mid)
}

// invert solves integral(x) = t on [−1, 1] by Newton steps inside a bracket.
func (p *panel) invert(t float64) float64 {
	lo, hi := -1.0, 1.0
	x := 2*(t/p.mass) - 1
	for range 100 {
		x = min(max(x, lo), hi)
		excess := series(p.integral[:], x) - t
		if excess > 0 {
			hi = x
		} else {
			lo = x
		}
		next := x - excess/series(p.density[:], x)
		if !(next > lo && next < hi) {
			next = 0.5 * (lo + hi)
		}
		if math.Abs(next-x) <= 0x1p-46 {
			return next
		}
		x = next
	}
	return x
}
