package model

import (
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/vec"
)

// cuts are the thresholds tau of a response in ordered classes. They move together: along directions of numbers z
// without bounds, rotated by the curvature where chains begin. If they rise, z is the first of them and the logarithms
// of the gaps, else z is tau.
type cuts struct {
	params []infer.Parameter
	priors []prior.Prior
	first  []int         // of each threshold, among the parameters: the number that is the same in all rows
	x      [][][]float64 // [threshold][column][row]: columns of category-specific effects, whose coefficients follow it
	rising bool
	equal  bool  // whether parameters are the first threshold and the distance
	shifts []int // the parameters that a shift of all thresholds adds to
	family.Cuts
	start []float64    // z
	root  *linalg.Chol // of the curvature at start
	shear shear
}

// minGap stands for thresholds that differ by rounding alone.
const minGap = 1e-300

// maxCutRows is how many rows the curvature of thresholds is computed from.
const maxCutRows = 2000

// newCuts takes the thresholds off the predictors of a problem; nil if it has none.
func newCuts(p *Problem, of []family.Predictor) *cuts {
	c := &cuts{Cuts: p.Family.Likelihood().Cuts}
	columns := map[design.Matrix][][]float64{}
	for k, q := range of {
		if q.Cut == 0 {
			continue
		}
		c.rising = q.Rising
		data := p.Predictors[k].Data
		if _, there := columns[data.X]; !there {
			columns[data.X] = dense(data.X)[1:]
		}
		c.first, c.x = append(c.first, len(c.params)), append(c.x, columns[data.X])
		c.priors = append(c.priors, p.Predictors[k].Model.Coefficients...)
		for j, name := range data.Names {
			kind := infer.Coefficient
			if j == 0 {
				kind = infer.Intercept
			}
			c.params = append(c.params, infer.Parameter{Name: q.Named(name), Kind: kind, Predictor: q.Name})
		}
	}
	if c.params == nil {
		return nil
	}
	if c.shifts = c.first; p.Distance != nil {
		c.equal, c.shifts = true, []int{0}
		c.priors = []prior.Prior{c.priors[0], *p.Distance}
		c.params = append(c.params, infer.Parameter{Name: DistanceName, Kind: infer.Dispersion})
	}
	return c
}

// DistanceName is the name of the distance between equidistant thresholds, as in brms.
const DistanceName = "delta"

// follow is how many parameters follow from others: all thresholds but the first one if the distances are equal.
func (c *cuts) follow() int { return len(c.params) - len(c.priors) }

// position writes the parameters in their order, and read is its inverse.
func (c *cuts) position(tau, dst []float64) {
	copy(dst, tau)
	for k := range c.first {
		if c.equal {
			dst[k] = math.FMA(float64(k), tau[1], tau[0])
		}
	}
	if c.equal {
		dst[len(c.first)] = tau[1]
	}
}

func (c *cuts) read(position, tau []float64) {
	if copy(tau, position); c.equal {
		tau[1] = position[len(c.first)]
	}
}

// dense returns the columns of a matrix.
func dense(x design.Matrix) [][]float64 {
	n, d := x.Size()
	out := make([][]float64, d)
	for j := range out {
		out[j] = make([]float64, n)
		x.Column(j).AddTo(out[j], 1)
	}
	return out
}

// write writes the thresholds of the rows from one on to dst, one for each threshold, by their numbers and the
// coefficients of category-specific effects.
func (c *cuts) write(tau []float64, from int, dst [][]float64) {
	for k, at := range c.first {
		if c.equal {
			fill(dst[k], math.FMA(float64(k), tau[1], tau[0]))
			continue
		}
		fill(dst[k], tau[at])
		for j, column := range c.x[k] {
			vec.Axpy(tau[at+1+j], column[from:from+len(dst[k])], dst[k])
		}
	}
}

// each passes the parameters of threshold k with the numbers that they multiply in a row.
func (c *cuts) each(k, row int, do func(at int, x float64)) {
	if c.equal {
		do(0, 1)
		do(1, float64(k))
		return
	}
	do(c.first[k], 1)
	for j, column := range c.x[k] {
		do(c.first[k]+1+j, column[row])
	}
}

// expand adds the information about thresholds of a row, a lower triangle, to that about all parameters.
func (c *cuts) expand(one []float64, row int, dst []float64) {
	cuts, m := len(c.first), len(c.priors)
	add := func(k, l int, v float64) {
		c.each(k, row, func(a int, x float64) {
			c.each(l, row, func(b int, z float64) {
				if b <= a {
					dst[a*m+b] = math.FMA(float64(v*x), z, dst[a*m+b])
				}
			})
		})
	}
	for k := range cuts {
		for l := range k + 1 {
			add(k, l, one[k*cuts+l])
			if c.equal && k != l { // whose parameters are the same
				add(l, k, one[k*cuts+l])
			}
		}
	}
}

// tau writes the thresholds of z.
func (c *cuts) tau(z, dst []float64) {
	copy(dst, z)
	for k := 1; c.rising && k < len(z); k++ {
		if dst[k] = vec.Exp(z[k]); !c.equal {
			dst[k] += dst[k-1]
		}
	}
}

// z is the inverse of tau.
func (c *cuts) z(tau, dst []float64) {
	copy(dst, tau)
	for k := 1; c.rising && k < len(tau); k++ {
		gap := tau[k]
		if !c.equal {
			gap -= tau[k-1]
		}
		dst[k] = vec.Log(max(gap, minGap))
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
		if c.equal {
			behind = 0
		}
		behind += gradient[k]
		if gradient[k] = behind; k > 0 {
			gradient[k] = float64(gradient[k] * vec.Exp(z[k]))
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
	scores, part := make([][]float64, len(c.first)), make([][]float64, len(eta))
	for first := 0; first < len(rows.Y); first += pieceRows {
		last := min(first+pieceRows, len(rows.Y))
		for k := range scores {
			scores[k] = append(scores[k][:0], make([]float64, last-first)...)
		}
		for p := range eta {
			part[p] = eta[p][first:last]
		}
		c.Slopes(rows, first, part, scores)
		own := rows.Part(first, last)
		for k, s := range scores {
			own.CountRows(s)
			c.addSlope(k, first, s, dst)
		}
	}
	c.toZ(z, dst)
	for k := 1; c.rising && k < len(z); k++ {
		dst[k]++
	}
}

// addSlope adds what scores of rows of threshold k make of a gradient.
func (c *cuts) addSlope(k, first int, scores, dst []float64) {
	sum := vec.Sum(scores)
	if c.equal {
		dst[0] += sum
		dst[1] = math.FMA(float64(k), sum, dst[1])
		return
	}
	at := c.first[k]
	dst[at] += sum
	for j, column := range c.x[k] {
		dst[at+1+j] += vec.Dot(scores, column[first:first+len(scores)])
	}
}

// scores passes the predictors and scores of one row in each.
func (c *cuts) scores(rows *family.Rows, eta [][]float64, each int,
	do func(i int, row, score []float64, count float64)) {
	row, score := make([]float64, len(eta)), make([]float64, len(c.first))
	for i := 0; i < len(rows.Y); i += each {
		for p := range eta {
			row[p] = eta[p][i]
		}
		c.Scores(rows.Y[i], row, score)
		do(i, row, score, float64(each)*rows.Count(i))
	}
}

// settle brings start to about the largest posterior density, given the other predictors of eta, by scoring, and leaves
// the thresholds in eta.
func (c *cuts) settle(of family.Several, rows *family.Rows, eta [][]float64) {
	m := len(c.priors)
	own := eta[len(eta)-len(c.first):]
	tau := make([]float64, m)
	if c.start == nil {
		for k, at := range c.first {
			if !c.equal {
				tau[at] = own[k][0]
			}
		}
		if last := len(own) - 1; c.equal {
			tau[0], tau[1] = own[0][0], (own[last][0]-own[0][0])/float64(last)
			if c.rising {
				tau[1] = max(tau[1], 0.01)
			}
		}
		c.start = make([]float64, m)
		c.z(tau, c.start)
	}
	for range 8 {
		step, ok := c.newton(of, rows, eta)
		if !ok {
			break
		}
		most := 0.0
		for k, s := range step {
			c.start[k] += max(-1, min(1, s))
			most = max(most, math.Abs(s))
		}
		c.tau(c.start, tau)
		if c.write(tau, 0, own); most < settled {
			break
		}
	}
}

// settled is a step of thresholds after which no other one is made.
const settled = 1e-6

// newton returns the step of scoring at start, by rows that stand for all, and sets root. It reports whether the
// curvature was positive.
func (c *cuts) newton(of family.Several, rows *family.Rows, eta [][]float64) ([]float64, bool) {
	m := len(c.priors)
	tau, slope, curve := make([]float64, m), make([]float64, m), make([]float64, m*m)
	c.tau(c.start, tau)
	c.scores(rows, eta, c.stride(rows), func(i int, row, own []float64, count float64) {
		for k, s := range own {
			c.each(k, i, func(at int, x float64) { slope[at] = math.FMA(float64(count*x), s, slope[at]) })
		}
		if len(c.first) == m && !c.equal {
			c.information(of, row, count, curve)
			return
		}
		one := make([]float64, len(c.first)*len(c.first))
		c.information(of, row, count, one)
		c.expand(one, i, curve)
	})
	for k, law := range c.priors {
		slope[k] += law.Gradient(tau[k])
		curve[k*m+k] += 1 / law.Scale / law.Scale
	}
	c.curveOfZ(curve)
	c.toZ(c.start, slope)
	root, err := linalg.Cholesky(curve, m)
	if err != nil {
		return nil, false
	}
	c.root = root
	root.Solve(slope)
	return slope, true
}

// stride returns n where one row in n stands for all.
func (c *cuts) stride(rows *family.Rows) int { return 1 + (len(rows.Y)-1)/maxCutRows }

// information adds Fisher's information about the thresholds of a row to a lower triangle.
func (c *cuts) information(of family.Several, row []float64, count float64, dst []float64) {
	m := len(c.first)
	shares, score := make([]float64, m+1), make([]float64, m)
	of.Means(row, [2]float64{}, shares)
	for class, p := range shares {
		c.Scores(float64(class), row, score)
		for i, s := range score {
			for j := range i + 1 {
				dst[i*m+j] = math.FMA(float64(count*p*s), score[j], dst[i*m+j])
			}
		}
	}
}

// direction returns direction j of z, one standard deviation long.
func (c *cuts) direction(j int) []float64 {
	out := make([]float64, len(c.priors))
	out[j] = 1
	c.root.SolveUpper(out)
	return out
}

// curveOfZ changes a lower triangle of second derivatives in tau to one in z, without the part of the slope. A gap that
// no row informs has the Jacobian and the prior alone: its logarithm varies by about 1.
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
	for k := 1; k < m; k++ {
		curve[k*m+k]++
	}
}

// fill writes x to all of v, by copies that double.
func fill(v []float64, x float64) {
	if len(v) == 0 {
		return
	}
	v[0] = x
	for n := 1; n < len(v); n *= 2 {
		copy(v[n:], v[:n])
	}
}

// begin draws where a chain begins: around start, with twice the standard deviations of the curvature.
func (c *cuts) begin(s prior.Source, tau []float64) {
	z := make([]float64, len(tau))
	for k := range z {
		z[k] = 2 * prior.Prior{Kind: prior.Normal, Scale: 1}.Draw(s)
	}
	c.root.SolveUpper(z)
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
		if c.rising && same && !c.equal {
			slices.Sort(tau)
		}
		if !c.rising || !c.equal && slices.IsSorted(tau) || c.equal && tau[1] > 0 {
			return
		}
	}
	if !c.equal {
		slices.Sort(tau)
	}
}
