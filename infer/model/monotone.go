package model

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// monotone is a monotonic effect with steps c_1, …, c_D of one sign. It moves in u: first the mean b of the steps, then
// orthonormal log ratios w of the shares s of the steps, so that c = b·D·s and s = softmax(V·w).
type monotone struct {
	design.Monotone
	prior   glm.MonotonePrior
	at      int         // of the first step among those of the predictor
	ratios  []float64   // V by rows, D × (D − 1)
	columns [][]float64 // [step][row]
	start   []float64   // u
	root    *linalg.Chol
	lean    lean
}

// lean moves coefficients of the predictor along with the steps, by their regression on these where chains begin.
type lean struct {
	of     [][]float64 // [step][coefficient]: the change for one of a step
	shift  []float64   // [step]: the change of all thresholds
	moved  []int       // the coefficients that change
	priors []prior.Prior
	whole  [][]float64 // [step][row]: the change of eta less that of the thresholds
}

// newMonotone returns an effect whose first step is at a place among those of its predictor.
func newMonotone(m design.Monotone, law glm.MonotonePrior, x design.Matrix, at int) *monotone {
	steps := m.Last - m.First
	out := &monotone{Monotone: m, prior: law, at: at, ratios: make([]float64, steps*(steps-1)),
		start: make([]float64, steps)}
	rows, _ := x.Size()
	for j := m.First; j < m.Last; j++ {
		column := make([]float64, rows)
		x.Column(j).AddTo(column, 1)
		out.columns = append(out.columns, column)
	}
	for k := 1; k < steps; k++ { // Helmert's contrasts
		size := 1 / math.Sqrt(float64(k*(k+1)))
		for i := range k {
			out.ratios[i*(steps-1)+k-1] = size
		}
		out.ratios[k*(steps-1)+k-1] = -float64(float64(k) * size)
	}
	return out
}

// size is the number of steps.
func (m *monotone) size() int { return len(m.start) }

// logShares writes the logarithms of the shares at u.
func (m *monotone) logShares(u, dst []float64) {
	d := m.size()
	most := math.Inf(-1)
	for i := range dst {
		dst[i] = vec.Dot(m.ratios[i*(d-1):(i+1)*(d-1)], u[1:])
		most = max(most, dst[i])
	}
	sum := 0.0
	for _, v := range dst {
		sum += vec.Exp(v - most)
	}
	norm := most + vec.Log(sum)
	for i := range dst {
		dst[i] -= norm
	}
}

// steps writes the steps at u.
func (m *monotone) steps(u, dst []float64) {
	m.logShares(u, dst)
	total := u[0] * float64(len(dst))
	for i, v := range dst {
		dst[i] = float64(total * vec.Exp(v))
	}
}

// minShare stands for shares that are 0 by rounding.
const minShare = 1e-300

// coordinates is the inverse of steps. Shares of steps that are all 0 are equal.
func (m *monotone) coordinates(c, dst []float64) {
	d := len(c)
	total := vec.Sum(c)
	clear(dst)
	dst[0] = total / float64(d)
	for i, v := range c {
		if total == 0 {
			break
		}
		v = vec.Log(max(v/total, minShare))
		for k := range d - 1 {
			dst[1+k] = math.FMA(m.ratios[i*(d-1)+k], v, dst[1+k])
		}
	}
}

// logShare returns the log density of the shares in their prior, by their logarithms, and the sum of these.
func (m *monotone) logShare(logs []float64) (density, sum float64) {
	total := 0.0
	for i, a := range m.prior.Share {
		density += float64((a-1)*logs[i]) - vec.LogGamma(a)
		total += a
		sum += logs[i]
	}
	return density + vec.LogGamma(total), sum
}

// logPriorAt returns the log prior density of u.
func (m *monotone) logPriorAt(u []float64) float64 {
	logs := make([]float64, m.size())
	m.logShares(u, logs)
	density, sum := m.logShare(logs)
	return m.prior.Mean.LogDensity(u[0]) + density + sum + float64(0.5*vec.Log(float64(m.size())))
}

// logPrior returns the log prior density of the steps.
func (m *monotone) logPrior(c []float64) float64 {
	d := float64(len(c))
	u, logs := make([]float64, len(c)), make([]float64, len(c))
	for _, v := range c {
		if float64(v*c[0]) < 0 {
			return math.Inf(-1)
		}
	}
	m.coordinates(c, u)
	m.logShares(u, logs)
	density, _ := m.logShare(logs)
	return m.prior.Mean.LogDensity(u[0]) + density - vec.Log(d) - float64((d-1)*vec.Log(math.Abs(float64(u[0]*d))))
}

// gradient writes the gradient of the log posterior density in u, by that of the log likelihood in the steps.
func (m *monotone) gradient(u, inSteps, dst []float64) {
	d := m.size()
	shares := make([]float64, d)
	m.logShares(u, shares)
	mean, total := 0.0, 0.0
	for i, v := range shares {
		shares[i] = vec.Exp(v)
		mean = math.FMA(shares[i], inSteps[i], mean)
		total += m.prior.Share[i]
	}
	clear(dst)
	dst[0] = float64(float64(d)*mean) + m.prior.Mean.Gradient(u[0])
	for i, s := range shares {
		inLog := math.FMA(float64(u[0]*float64(d)*s), inSteps[i]-mean, m.prior.Share[i]-float64(total*s))
		for k := range d - 1 {
			dst[1+k] = math.FMA(m.ratios[i*(d-1)+k], inLog, dst[1+k])
		}
	}
}

// drawPrior draws steps from the prior.
func (m *monotone) drawPrior(s prior.Source, c []float64) {
	for i, a := range m.prior.Share {
		c[i] = variate.Gamma(s, a)
	}
	total := m.prior.Mean.Draw(s) * float64(len(c)) / vec.Sum(c)
	for i := range c {
		c[i] *= total
	}
}

// begin draws where a chain begins: around start, with twice the standard deviations of the curvature.
func (m *monotone) begin(s prior.Source, c []float64) {
	u := make([]float64, m.size())
	for i := range u {
		u[i] = 2 * variate.Normal(s)
	}
	m.root.SolveUpper(u)
	for i, v := range m.start {
		u[i] += v
	}
	m.steps(u, c)
}

// working is a prior of one step, with which a first fit is made without the order.
func (m *monotone) working() prior.Prior {
	scale := m.prior.Mean.Scale
	if !(scale > 0) {
		scale = 1
	}
	return prior.Prior{Kind: prior.Normal, Scale: scale * math.Sqrt(float64(m.size()))}
}

// takeStart takes start from coefficients of a fit without the order: their mean, and shares between theirs and equal
// ones.
func (m *monotone) takeStart(c []float64) {
	d := len(c)
	total, positive := vec.Sum(c), make([]float64, d)
	sum := 0.0
	for i, v := range c {
		along := float64(v * math.Copysign(1, total))
		positive[i] = max(0, along)
		sum += positive[i]
	}
	for i := range positive {
		share := 1 / float64(d)
		if sum > 0 {
			share = float64(0.7*positive[i]/sum) + 0.3/float64(d)
		}
		positive[i] = float64(total * share)
	}
	m.coordinates(positive, m.start)
	m.start[0] = total / float64(d)
}

// settle makes the curvature in u at start, with coefficients of the predictor integrated out, which then lean.
// weights are the curvatures of the rows in eta. Cost: O(n·(d + D)²).
func (m *monotone) settle(p *predictor, cuts *cuts, weights []float64) {
	var columns [][]float64
	var own []float64
	m.lean = lean{priors: p.model.Coefficients}
	if free := p.unpenalised(); len(free) <= maxSheared {
		m.lean.moved = free
	}
	for _, j := range m.lean.moved {
		column := make([]float64, len(weights))
		p.data.X.Column(j).AddTo(column, 1)
		columns = append(columns, column)
		own = append(own, 1/m.lean.priors[j].Scale/m.lean.priors[j].Scale)
	}
	if cuts != nil && p.place == 0 {
		ones, precision := make([]float64, len(weights)), 0.0
		fill(ones, 1)
		for _, at := range cuts.shifts {
			precision += 1 / cuts.priors[at].Scale / cuts.priors[at].Scale
		}
		columns, own = append(columns, ones), append(own, precision)
	}
	within := m.regress(columns, own, weights)
	m.curve(within)
	m.lean.add(m.columns, columns)
}

// regress finds the regression of columns on the steps, and returns the curvature in the steps that is left.
func (m *monotone) regress(columns [][]float64, precisions, weights []float64) (within []float64) {
	d, q := m.size(), len(columns)
	product := func(a, b []float64) (sum float64) {
		for i, w := range weights {
			sum = math.FMA(float64(w*a[i]), b[i], sum)
		}
		return sum
	}
	within = make([]float64, d*d)
	for i := range d {
		for j := range i + 1 {
			within[i*d+j] = product(m.columns[i], m.columns[j])
		}
	}
	gram := make([]float64, q*q)
	for a := range q {
		for b := range a + 1 {
			gram[a*q+b] = product(columns[a], columns[b])
		}
		gram[a*q+a] += precisions[a]
	}
	root, err := linalg.Cholesky(gram, q)
	if err != nil {
		m.lean.moved = nil
		return within
	}
	cross := make([][]float64, d)
	for i := range d {
		cross[i] = make([]float64, q)
		for a := range q {
			cross[i][a] = product(columns[a], m.columns[i])
		}
		of := append([]float64(nil), cross[i]...)
		root.Solve(of)
		for a := range of {
			of[a] = -of[a]
		}
		m.lean.of = append(m.lean.of, of)
		for j := range i + 1 {
			within[i*d+j] += vec.Dot(of, cross[j])
		}
	}
	return within
}

// curve makes root of the curvature in the steps: that in u, with the prior's.
func (m *monotone) curve(within []float64) {
	d := m.size()
	shares := make([]float64, d)
	m.logShares(m.start, shares)
	jacobian, total := make([]float64, d*d), 0.0 // dc/du by rows
	for i, v := range shares {
		shares[i] = vec.Exp(v)
		total += m.prior.Share[i]
	}
	for i, s := range shares {
		jacobian[i*d] = float64(float64(d) * s)
		for k := range d - 1 {
			mean := 0.0
			for j, t := range shares {
				mean = math.FMA(t, m.ratios[j*(d-1)+k], mean)
			}
			jacobian[i*d+1+k] = float64(m.start[0]*float64(d)*s) * (m.ratios[i*(d-1)+k] - mean)
		}
	}
	scale := m.working().Scale
	h := make([]float64, d*d)
	for a := range d {
		for b := range a + 1 {
			for i := range d {
				for j := range d {
					v := float64(jacobian[i*d+a] * within[max(i, j)*d+min(i, j)])
					h[a*d+b] = math.FMA(v, jacobian[j*d+b], h[a*d+b])
				}
				if b == 0 {
					continue
				}
				left, right := m.ratios[i*(d-1)+a-1], m.ratios[i*(d-1)+b-1]
				h[a*d+b] = math.FMA(float64(total*shares[i]*left), right, h[a*d+b])
				for j, t := range shares {
					h[a*d+b] = math.FMA(-float64(total*shares[i]*t*left), m.ratios[j*(d-1)+b-1], h[a*d+b])
				}
			}
		}
	}
	h[0] += 1 / scale / scale
	var err error
	if m.root, err = linalg.Cholesky(h, d); err != nil {
		clear(h)
		for a := range d {
			h[a*d+a] = 1
		}
		h[0] = 1 / scale / scale
		m.root, _ = linalg.Cholesky(h, d)
	}
}

// add makes whole of the columns of the steps and of the coefficients that lean, the thresholds' last.
func (l *lean) add(steps, columns [][]float64) {
	for i, own := range steps {
		whole, shift := append([]float64(nil), own...), 0.0
		if l.of != nil {
			for a, column := range columns {
				vec.Axpy(l.of[i][a], column, whole)
			}
			if len(columns) > len(l.moved) {
				shift = -l.of[i][len(columns)-1]
			}
		}
		l.whole, l.shift = append(l.whole, whole), append(l.shift, shift)
	}
}

// describe returns the parameters of the steps.
func (m *monotone) describe(p *predictor) (out []infer.Parameter) {
	for j := m.First; j < m.Last; j++ {
		out = append(out, infer.Parameter{Name: p.named(p.whole.Names[j]), Kind: infer.Coefficient, Predictor: p.name})
	}
	return out
}

// describeShares returns the parameters that follow from the steps: their mean, and the share of each in their sum.
func (m *monotone) describeShares(p *predictor) []infer.Parameter {
	out := []infer.Parameter{{Name: p.named(m.Name), Kind: infer.Monotonic, Predictor: p.name, Term: m.Name}}
	for j := range m.size() {
		out = append(out, infer.Parameter{Name: fmt.Sprintf("%s[%d]", p.named(m.Simplex), j+1), Kind: infer.Monotonic,
			Predictor: p.name, Term: m.Name})
	}
	return out
}

// writeShares writes the parameters that follow from the steps of a position.
func (s *setup) writeShares(position []float64) {
	if s.shares == 0 {
		return
	}
	var out []float64
	tau, _ := s.split(position, func(k int, _, _, steps []float64) {
		for _, m := range s.predictors[k].mono {
			c := steps[m.at : m.at+m.size()]
			total := vec.Sum(c)
			out = append(out, total/float64(len(c)))
			for _, v := range c {
				out = append(out, v/total)
			}
		}
	})
	at := len(tau)
	for _, p := range s.predictors {
		at += p.head()
	}
	copy(position[at:], out)
}

// settleSteps makes the curvatures of the monotonic effects where chains begin.
func (p *predictor) settleSteps(cuts *cuts) {
	if p.mono == nil {
		return
	}
	weights := p.weightsAt()
	for _, m := range p.mono {
		m.settle(p, cuts, weights)
	}
}

// weightsAt returns the curvatures of rows where the predictor's sampler begins, none below 0.
func (p *predictor) weightsAt() []float64 {
	point := glm.NewPoint(p.Target)
	point.SetUnconstrained(p.Target.Penalised())
	out := make([]float64, len(point.Eta()))
	p.Target.RowCurvature(point.Eta(), point.Dispersions(), out)
	for i, w := range out {
		if out[i] = max(0, w); !(w < math.MaxFloat64) {
			out[i] = 0
		}
	}
	return out
}

// firstSteps fits the predictor without the order of the steps, given what the others leave, and takes starts from it.
func (p *predictor) firstSteps(offset []float64, given *glm.Given, by infer.Parallel) error {
	data, law := *p.whole, p.model
	data.Y, data.Offset, data.Given, data.Names = p.data.Y, offset, given, nil
	data.Frequency, data.Effects, data.Monotone = p.data.Frequency, nil, nil
	law.Effects, law.Monotone = nil, nil
	law.Coefficients = append([]prior.Prior(nil), p.model.Coefficients[p.hidden:]...)
	law.Groups = nil
	for _, m := range p.mono {
		for range m.size() {
			law.Coefficients = append(law.Coefficients, m.working())
		}
	}
	target, err := glm.NewTargetBy(by, &data, law)
	if err != nil {
		return err
	}
	u := target.Penalised()
	for _, m := range p.mono {
		m.takeStart(u[m.First:m.Last])
	}
	return nil
}
