package model

import (
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/infer/update"
	"glmbatch/internal/vec"
)

// cuts are the thresholds tau of a response in ordered classes. They move together: along directions of numbers z
// without bounds, rotated by the curvature where chains begin. If they rise, z is the first of them and the logarithms
// of the gaps, else z is tau.
type cuts struct {
	params []infer.Parameter
	priors []prior.Prior
	rising bool
	score  func(y float64, eta, dst []float64) // see family.Likelihood
	start  []float64                           // z
	root   []float64                           // R·Rᵀ is the curvature at start, row by row; lower triangle
}

// leastGap stands for thresholds that differ by rounding alone.
const leastGap = 1e-300

// mostCutRows is how many rows the curvature of thresholds is computed from.
const mostCutRows = 2000

// newCuts takes the thresholds off the predictors of a problem; nil if it has none.
func newCuts(p *Problem, of []family.Predictor) *cuts {
	c := &cuts{score: p.Family.Likelihood().CutScores}
	for k, q := range of {
		if q.Cut == 0 {
			continue
		}
		c.rising = q.Rising
		c.priors = append(c.priors, p.Predictors[k].Model.Coefficients[0])
		c.params = append(c.params, infer.Parameter{Name: q.Named(p.Predictors[k].Data.Names[0]), Kind: infer.Intercept,
			Predictor: q.Name})
	}
	if c.params == nil {
		return nil
	}
	return c
}

// tau writes the thresholds of z.
func (c *cuts) tau(z, dst []float64) {
	copy(dst, z)
	for k := 1; c.rising && k < len(z); k++ {
		dst[k] = dst[k-1] + vec.Exp(z[k])
	}
}

// z is the inverse of tau.
func (c *cuts) z(tau, dst []float64) {
	copy(dst, tau)
	for k := 1; c.rising && k < len(tau); k++ {
		dst[k] = vec.Log(max(tau[k]-tau[k-1], leastGap))
	}
}

// logJacobian returns log |dtau/dz|.
func (c *cuts) logJacobian(z []float64) (sum float64) {
	if c.rising {
		for _, v := range z[1:] {
			sum += v
		}
	}
	return sum
}

// logPrior returns the log prior density of thresholds.
func (c *cuts) logPrior(tau []float64) (sum float64) {
	for k, law := range c.priors {
		sum += law.LogDensity(tau[k])
	}
	return sum
}

// toZ changes a gradient in tau to one in z.
func (c *cuts) toZ(z, gradient []float64) {
	if !c.rising {
		return
	}
	behind := 0.0
	for k := len(z) - 1; k >= 0; k-- {
		behind += gradient[k]
		if gradient[k] = behind; k > 0 {
			gradient[k] *= vec.Exp(z[k])
		}
	}
}

// gradient writes the gradient of the log posterior density in z, the Jacobian's included; eta has all predictors.
// Cost: O(n·K²).
func (c *cuts) gradient(rows *family.Rows, eta [][]float64, z, dst []float64) {
	tau := make([]float64, len(z))
	c.tau(z, tau)
	for k, law := range c.priors {
		dst[k] = law.Gradient(tau[k])
	}
	c.scores(rows, eta, 1, func(_ []float64, score []float64, count float64) {
		for k, s := range score {
			dst[k] = math.FMA(count, s, dst[k])
		}
	})
	c.toZ(z, dst)
	for k := 1; c.rising && k < len(z); k++ {
		dst[k]++
	}
}

// scores passes the predictors and scores of every row, or of each one in so many.
func (c *cuts) scores(rows *family.Rows, eta [][]float64, each int, do func(row, score []float64, count float64)) {
	row, score := make([]float64, len(eta)), make([]float64, len(c.priors))
	for i := 0; i < len(rows.Y); i += each {
		for p := range eta {
			row[p] = eta[p][i]
		}
		c.score(rows.Y[i], row, score)
		do(row, score, float64(each)*rows.Count(i))
	}
}

// settle brings start to about the largest posterior density, given the other predictors of eta, by scoring, and leaves
// the thresholds in eta.
func (c *cuts) settle(of family.Several, rows *family.Rows, eta [][]float64) {
	m := len(c.priors)
	own := eta[len(eta)-m:]
	tau := make([]float64, m)
	if c.start == nil {
		for k := range own {
			tau[k] = own[k][0]
		}
		c.start = make([]float64, m)
		c.z(tau, c.start)
	}
	for range 8 {
		step, ok := c.newton(of, rows, eta)
		if !ok {
			break
		}
		for k, s := range step {
			c.start[k] += max(-1, min(1, s))
		}
		c.tau(c.start, tau)
		for k := range own {
			fill(own[k], tau[k])
		}
	}
}

// newton returns the step of scoring at start, by rows that stand for all, and sets root. It reports whether the
// curvature was positive.
func (c *cuts) newton(of family.Several, rows *family.Rows, eta [][]float64) ([]float64, bool) {
	m := len(c.priors)
	each := 1 + (len(rows.Y)-1)/mostCutRows
	tau, slope, curve := make([]float64, m), make([]float64, m), make([]float64, m*m)
	c.tau(c.start, tau)
	shares, score := make([]float64, m+1), make([]float64, m)
	c.scores(rows, eta, each, func(row, own []float64, count float64) {
		for k, s := range own {
			slope[k] = math.FMA(count, s, slope[k])
		}
		of.Means(row, rows.Disp, shares)
		for class, p := range shares {
			c.score(float64(class), row, score)
			for i, s := range score {
				for j := range i + 1 {
					curve[i*m+j] = math.FMA(float64(count*p*s), score[j], curve[i*m+j])
				}
			}
		}
	})
	for k, law := range c.priors {
		slope[k] += law.Gradient(tau[k])
		curve[k*m+k] += 1 / law.Scale / law.Scale
	}
	c.curveOfZ(curve)
	c.toZ(c.start, slope)
	if !factorised(curve, m) {
		return nil, false
	}
	c.root = curve
	return solved(curve, slope), true
}

// curveOfZ changes a lower triangle of second derivatives in tau to one in z, but for the slope's part.
func (c *cuts) curveOfZ(curve []float64) {
	if !c.rising {
		return
	}
	m := len(c.priors)
	for i := range m {
		for j := range i {
			curve[j*m+i] = curve[i*m+j]
		}
	}
	for i := range m { // each row, then each column
		c.toZ(c.start, curve[i*m:(i+1)*m])
	}
	column := make([]float64, m)
	for j := range m {
		for i := range m {
			column[i] = curve[i*m+j]
		}
		c.toZ(c.start, column)
		for i := range m {
			curve[i*m+j] = column[i]
		}
	}
}

func fill(v []float64, x float64) {
	for i := range v {
		v[i] = x
	}
}

// factorised writes R of R·Rᵀ over a lower triangle; false if it is not positive.
func factorised(a []float64, m int) bool {
	for j := range m {
		for i := j; i < m; i++ {
			sum := a[i*m+j]
			for k := range j {
				sum = math.FMA(-a[i*m+k], a[j*m+k], sum)
			}
			if i == j {
				if !(sum > 0) {
					return false
				}
				a[i*m+i] = math.Sqrt(sum)
				continue
			}
			a[i*m+j] = sum / a[j*m+j]
		}
	}
	return true
}

// solved returns x of R·Rᵀ·x = b.
func solved(root, b []float64) []float64 {
	m, x := len(b), slices.Clone(b)
	for i := range m {
		for j := range i {
			x[i] = math.FMA(-root[i*m+j], x[j], x[i])
		}
		x[i] /= root[i*m+i]
	}
	return upward(root, x)
}

// upward writes x of Rᵀ·x = b over b.
func upward(root, b []float64) []float64 {
	m := len(b)
	for i := m - 1; i >= 0; i-- {
		for j := i + 1; j < m; j++ {
			b[i] = math.FMA(-root[j*m+i], b[j], b[i])
		}
		b[i] /= root[i*m+i]
	}
	return b
}

// begin draws where a chain begins: around start, with twice the standard deviations of the curvature.
func (c *cuts) begin(s prior.Source, tau []float64) {
	z := make([]float64, len(tau))
	for k := range z {
		z[k] = 2 * prior.Prior{Kind: prior.Normal, Scale: 1}.Draw(s)
	}
	z = upward(c.root, z)
	for k, v := range c.start {
		z[k] += v
	}
	c.tau(z, tau)
}

// draw draws thresholds from their prior: those that rise by sorting if all have one prior, else by trying again.
func (c *cuts) draw(s prior.Source, tau []float64) {
	const tries = 100_000
	for range tries {
		same := true
		for k, law := range c.priors {
			tau[k] = law.Draw(s)
			same = same && law == c.priors[0]
		}
		if c.rising && same {
			slices.Sort(tau)
		}
		if !c.rising || slices.IsSorted(tau) {
			return
		}
	}
	slices.Sort(tau)
}

// cutMove moves the thresholds of one chain.
type cutMove struct {
	*cuts
	slice     *cggibbs.Slicer
	tau       []float64
	z, at     []float64 // at the point, and at a look
	direction []float64
	of        [][]float64 // predictors of a part of the rows: those before the thresholds, then these
}

// cutRows is how many rows a look computes at a time.
const cutRows = 8 * family.ChunkRows

func newCutMove(c *cuts, predictors int, source *infer.Stream, looks *update.Looks) *cutMove {
	m := len(c.priors)
	out := &cutMove{cuts: c, slice: cggibbs.NewSlicer(source, looks), tau: make([]float64, m), z: make([]float64, m),
		at: make([]float64, m), direction: make([]float64, m), of: make([][]float64, predictors)}
	out.slice.Stepping = true
	for k := range m {
		out.of[predictors-m+k] = make([]float64, cutRows)
	}
	c.begin(source, out.tau)
	return out
}

// moveCuts moves the thresholds given the predictors. Cost: O(n) for each look, of which a direction takes about four.
func (k *kernel) moveCuts() bool {
	c := k.cut
	m := len(c.tau)
	c.cuts.z(c.tau, c.z)
	current := k.logLik + c.logPrior(c.tau) + c.logJacobian(c.z)
	tau := make([]float64, m)
	for j := range m {
		clear(c.direction)
		c.direction[j] = 1
		upward(c.root, c.direction)
		x, _, moved, ok := c.slice.Update(func(x float64) (float64, glm.Value) {
			for i, d := range c.direction {
				c.at[i] = math.FMA(x, d, c.z[i])
			}
			if c.cuts.tau(c.at, tau); tau[m-1] > math.MaxFloat64 {
				return math.Inf(-1), glm.Value{}
			}
			lik := k.likelihood(tau)
			return lik + c.logPrior(tau) + c.logJacobian(c.at), glm.Value{}
		}, current, commonWidth, 0)
		if !ok {
			return k.FailAlong(c.params[j].Name)
		}
		if !moved {
			continue
		}
		for i, d := range c.direction {
			c.z[i] = math.FMA(x, d, c.z[i])
		}
		c.cuts.tau(c.z, c.tau)
		k.logLik = k.likelihood(c.tau)
		current = k.logLik + c.logPrior(c.tau) + c.logJacobian(c.z)
	}
	k.takeCuts()
	return true
}

// likelihood returns the log likelihood at thresholds.
func (k *kernel) likelihood(tau []float64) float64 {
	before := len(k.eta) - len(tau)
	for j, t := range tau {
		fill(k.cut.of[before+j], t)
	}
	for first := 0; first < len(k.rest); first += cutRows {
		last := min(first+cutRows, len(k.rest))
		for p := range before {
			k.cut.of[p] = k.eta[p][first:last]
		}
		k.several.LogLik(&k.rows, first, k.cut.of, k.rest[first:last])
	}
	k.rows.CountRows(k.rest)
	return k.rows.Kernels.Sum(k.rest)
}

// takeCuts writes the thresholds as predictors.
func (k *kernel) takeCuts() {
	for j, t := range k.cut.tau {
		fill(k.eta[len(k.eta)-len(k.cut.tau)+j], t)
	}
}

// carryCuts moves effects of levels of the first predictor, all of a grouping and all thresholds by the same number:
// the likelihood stays, and priors alone decide. Cost: O(n), without a look at the likelihood.
func (k *kernel) carryCuts() bool {
	c := k.cut
	delta, ok := k.predictors[0].Carry(k.chains[0], func(delta float64) (sum float64) {
		for j, law := range c.priors {
			sum += law.LogDensity(c.tau[j] + delta)
		}
		return sum
	})
	if !ok {
		return k.FailAlong(c.params[0].Name)
	}
	for j := range c.tau {
		c.tau[j] += delta
	}
	k.take(0)
	k.takeCuts()
	return true
}
