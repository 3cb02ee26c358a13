package glm

import (
	"math"
	"sync"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/vec"
)

// pilot is the penalised point of a target and the curvature around it. Starts
// are drawn around it, and scales of flat coordinates are taken from it; no
// draw depends on it otherwise.
//
// The penalised point maximises log likelihood − ½ Σ ridge·(beta − centre)², where ridge and centre are the priors'
// locations and 1/scale², and a flat prior has a ridge of 1e-6 times the column's own information. A horseshoe over
// m columns has one of 1 + m/n times that, a smooth one of smoothShare times it. A uniform prior adds one over its
// variance to that, and the point keeps off its ends. The dispersions are fixed at pilot estimates meanwhile: there
// is never a joint mode over (beta, sigma), which need not exist. Newton's steps use Fisher's information, which is
// never negative, instead of the curvature if these differ.
//
// The solver depends on the shape alone:
//
//   - d ≤ 400, d ≤ n: Newton with a dense Cholesky factor of the d × d
//     curvature, n·d²/2 an iteration;
//   - n ≤ 400, n < d: the same in the n × n dual, n²·d/2 once and n³/6 an
//     iteration;
//   - otherwise: Newton with conjugate gradients, 2·n·d for each of at most 50
//     inner iterations.
//
// Of many rows Newton's iteration begins on few of them, see tall.go.
//
// Newton's step is halved while the penalised likelihood falls. The iteration
// ends when it gains less than 1e-9 in log density, and after 50 steps at the
// latest; with conjugate gradients at 1e-3 and 30, which is good enough for
// starts. The point is finite in any case.
type pilot struct {
	t             *Target
	centre, ridge []float64
	walls         []int // coefficients with uniform priors
	beta          []float64
	disp          dispersions
	dispScale     [2]float64 // standard deviation of log(x − Lower) in a start
	pilotRows
	logLik  float64
	drawing sync.Mutex // the solver's scratch and what is known of rows serve one at a time
	solver  solver
	modeSearch
}

// modeSearch is a search for modes, which is made once.
type modeSearch struct {
	searching sync.Once
	modes     []localMode
}

// pilotRows holds the values of the rows at the point of a pilot.
type pilotRows struct {
	eta   []float64 // at beta
	curv  []float64 // Fisher's information of log f at eta
	known bool      // eta and curv are those of beta
	gram  []float64 // XᵀWX near beta, of tall data; else nil
}

// solver finds Newton steps for one shape of design.
type solver interface {
	// prepare takes the curvature per row, before step or draw.
	prepare(curv []float64)
	// step writes H⁻¹g to dst, H = XᵀWX + ridge. It may overwrite g.
	step(g, dst []float64)
	// draw writes a draw of N(0, H⁻¹) to dst.
	draw(s prior.Source, dst []float64)
	// limit is the largest number of Newton iterations, and the gain in log
	// density below which they end.
	limit() (int, float64)
}

// smoothShare is the ridge of a smooth's coefficients: enough for a finite point, and little enough to show their size.
const smoothShare = 0.1

// denseLimit is the largest order of a dense factorisation here.
const denseLimit = 400

// newPilot finds the penalised point. It fails where no linear predictor inside
// the link's domain is found to start from.
func newPilot(t *Target) (*pilot, error) {
	d := t.Cols()
	p := &pilot{t: t, centre: make([]float64, d), ridge: make([]float64, d), beta: make([]float64, d)}
	p.disp = t.newDispersions()
	p.startPoint()
	p.clamp()
	if t.form == family.Termwise {
		p.firstDispersions()
		if err := p.feasible(); err != nil {
			return nil, err
		}
	}
	p.setRidge()
	p.solver = p.newSolver()
	switch {
	case t.form == family.Squares && len(t.free) == 1:
		t.setFree(&p.disp, 0, p.responseScale())
		p.maximise()
		p.residualScale()
		p.setRidge()
		p.solver = p.newSolver()
	case len(t.free) > 0:
		for range 2 {
			p.maximise()
			p.estimateDispersions()
			p.setRidge()
			p.solver = p.newSolver()
		}
	}
	p.maximise()
	if p.gram == nil {
		p.known = true
		t.RowInformation(p.eta, p.disp.at[:], p.curv)
		p.solver.prepare(p.curv)
		p.logLik = t.logLikAt(p.eta, &p.disp)
	}
	return p, nil
}

func (p *pilot) newSolver() solver {
	n, d := p.t.Rows(), p.t.Cols()
	switch {
	case d <= denseLimit && d <= n:
		return newPrimal(p)
	case n <= denseLimit && n < d:
		return newDual(p)
	}
	return newKrylov(p)
}

// startPoint sets beta to the prior locations, and the intercept, if it has no
// location of its own, to the link of the mean response.
func (p *pilot) startPoint() {
	t := p.t
	for j, law := range t.model.Coefficients {
		p.centre[j] = law.Location
		if law.Kind == prior.Uniform {
			p.centre[j] = math.FMA(0.5, law.High, 0.5*law.Low)
			p.walls = append(p.walls, j)
		}
	}
	copy(p.beta, p.centre)
	j := t.data.Intercept
	if j < 0 || t.form == family.Squares {
		return
	}
	g := t.data.Given
	if g != nil && t.form.Linear() {
		p.beta[j] = g.Start
		return
	}
	if t.form == family.Termwise {
		if g != nil {
			p.beta[j] = g.Start
		} else {
			p.beta[j] = t.linkOf(t.meanResponse())
		}
		if t.data.Offset != nil {
			p.beta[j] -= vec.Sum(t.data.Offset) / float64(t.Rows())
		}
		return
	}
	total, trials := vec.Sum(t.counted), t.total(product(t.data.Frequency, t.data.Trials))
	rate := (total + 0.5) / (trials + 1)
	p.beta[j] = vec.Log(rate)
	if t.form == family.Softplus {
		p.beta[j] -= vec.Log(1 - rate)
	}
	if t.data.Offset != nil {
		p.beta[j] -= vec.Sum(t.data.Offset) / float64(t.Rows())
	}
}

// setRidge takes the ridge from the priors, and the curvature at beta where a
// prior is flat.
func (p *pilot) setRidge() {
	t := p.t
	p.known = false
	for j, law := range t.model.Coefficients {
		share := 1e-6
		switch law.Kind {
		case prior.Flat:
		case prior.Penalised:
			share = smoothShare
		case prior.Horseshoe, prior.RegularisedHorseshoe:
			share = 1 + float64(len(t.scaleGroups[t.scaleGroupOf[j]].Columns))/float64(t.Rows())
		case prior.Uniform:
			width := law.High - law.Low
			p.ridge[j] = math.FMA(1e-6, p.information(j), 12/width/width)
			continue
		default:
			p.ridge[j] = 1 / law.Scale / law.Scale
			continue
		}
		p.ridge[j] = math.FMA(share, p.information(j), 1e-200)
	}
}

// information returns x_jᵀWx_j.
func (p *pilot) information(j int) float64 {
	p.drawing.Lock()
	defer p.drawing.Unlock()
	if !p.known {
		p.product()
		p.t.RowInformation(p.eta, p.disp.at[:], p.curv)
		p.known = true
	}
	return p.t.data.X.Column(j).SumSquares(p.curv)
}

// conditionalScale returns the standard deviation that coefficient j has at
// the penalised point when all others are held.
func (p *pilot) conditionalScale(j int) float64 {
	return 1 / math.Sqrt(p.information(j)+p.ridge[j])
}

// logPrecision returns the log of the rows' mean precision.
func (t *Target) logPrecision() float64 {
	return vec.Log(t.total(t.data.Precision) / float64(t.Rows()))
}

// responseScale returns the log of the response's standard deviation at
// precision 1, or of a small part of its size where it has none: a first guess
// of sigma.
func (p *pilot) responseScale() float64 {
	y, n := p.t.data.Y, float64(p.t.Rows())
	r := make([]float64, len(y))
	copy(r, y)
	if o := p.t.data.Offset; o != nil {
		vec.Axpy(-1, o, r)
	}
	size := design.Largest(r)
	mean := vec.Sum(r) / n
	for i := range r {
		r[i] -= mean
	}
	return vec.Log(math.FMA(1e-6, size, math.Sqrt(vec.SumSquares(r)/n))+1e-150) + 0.5*p.t.logPrecision()
}

// residualScale sets log sigma from the residuals at beta and the scale of its start. With d ≥ n the residuals
// carry little information: half the response's scale replaces them.
func (p *pilot) residualScale() {
	n, d := p.t.rows.Total, float64(p.t.Cols())
	p.product()
	rss := p.t.sum(p.eta, p.eta, 0, p.disp.at)
	freedom := n - d
	p.dispScale[0] = 0.5
	logSigma := p.disp.u[0]
	if freedom >= 1 {
		logSigma = max(logSigma-15, vec.Log(rss/freedom+1e-300)/2)
		p.dispScale[0] = min(0.5, 1/math.Sqrt(2*freedom))
	} else {
		logSigma -= log2
	}
	p.t.setFree(&p.disp, 0, p.inSupport(logSigma))
}

// inSupport moves log sigma into the support of a uniform prior.
func (p *pilot) inSupport(logSigma float64) float64 {
	law := p.t.model.Dispersion
	if at := vec.Exp(logSigma); law.Kind == prior.Uniform && !(at > law.Low && at < law.High) {
		return vec.Log(0.5 * (law.Low + law.High))
	}
	return logSigma
}

// product writes offset + X·beta to eta.
func (p *pilot) product() {
	if p.eta == nil {
		p.eta, p.curv = make([]float64, p.t.Rows()), make([]float64, p.t.Rows())
	}
	design.Multiplied(p.t.data.X, p.beta, p.eta)
	if p.t.data.Offset != nil {
		vec.Axpy(1, p.t.data.Offset, p.eta)
	}
}

// maximise runs Newton's iteration from beta.
func (p *pilot) maximise() {
	t := p.t
	if p.tall() && p.ascend() {
		if len(t.free) > 0 {
			p.product() // dispersions look at rows
		}
		return
	}
	n, d := t.Rows(), t.Cols()
	disp := p.disp.at[:]
	rows, g, step, move := make([]float64, n), make([]float64, d), make([]float64, d), make([]float64, n)
	p.product()
	value := p.objective(p.eta, p.beta)
	limit, enough := p.solver.limit()
	for range limit {
		t.RowGradient(p.eta, disp, rows)
		t.RowInformation(p.eta, disp, p.curv)
		p.solver.prepare(p.curv)
		if s, ok := p.solver.(*dual); ok && s.dense != nil {
			s.ascend(p, rows, step, move)
		} else {
			design.Transposed(t.data.X, rows, g)
			p.slopes(0, g)
			p.solver.step(g, step)
			design.Multiplied(t.data.X, step, move)
		}
		gained := p.search(step, move, value) - value
		if !(gained > enough) {
			return
		}
		value += gained
	}
}

// slopes adds the gradient of the penalty to g, entries first, first+1, … of it.
func (p *pilot) slopes(first int, g []float64) {
	for i := range g {
		j := first + i
		g[i] = math.FMA(p.ridge[j], p.centre[j]-p.beta[j], g[i])
	}
}

// search moves along step, halving it until the objective does not fall, and
// returns the new objective; it stays where nothing helps.
func (p *pilot) search(step, move []float64, value float64) float64 {
	beta, eta := make([]float64, len(step)), make([]float64, len(move))
	for size := 1.0; size > 1e-12; size /= 2 {
		copy(beta, p.beta)
		copy(eta, p.eta)
		passes.Axpy(size, step, beta)
		passes.Axpy(size, move, eta)
		if v := p.objective(eta, beta); v >= value {
			p.beta, p.eta = beta, eta
			return v
		}
	}
	return value
}

// objective returns the penalised log likelihood.
func (p *pilot) objective(eta, beta []float64) float64 {
	if p.outside(beta) {
		return math.Inf(-1)
	}
	return p.t.logLikAt(eta, &p.disp) - p.penalty(beta)
}

// penalty returns ½ Σ ridge·(beta − centre)².
func (p *pilot) penalty(beta []float64) float64 {
	sum := 0.0
	for j, b := range beta {
		e := b - p.centre[j]
		sum = math.FMA(float64(p.ridge[j]*e), e, sum)
	}
	return float64(0.5 * sum)
}

// logLikAt returns the log likelihood at a linear predictor. Cost: O(n).
func (t *Target) logLikAt(eta []float64, d *dispersions) float64 {
	linear := 0.0
	if t.form.Linear() {
		linear = vec.Dot(t.counted, eta)
	}
	return t.logLik(t.sum(eta, eta, 0, d.at), linear, d)
}

// mustFactor factorises a matrix that is positive definite by construction; a
// breakdown by rounding is met with a growing multiple of its diagonal.
func mustFactor(a []float64, n int) *linalg.Chol {
	work := make([]float64, len(a))
	for jitter := 0.0; ; jitter = max(1e-14, 100*jitter) {
		copy(work, a)
		for i := range n {
			work[i*n+i] = math.FMA(jitter, a[i*n+i], a[i*n+i])
		}
		c, err := linalg.Cholesky(work, n)
		if err == nil {
			return c
		}
		if jitter > 1e6 { // not a number, or overflow: the identity does no harm
			clear(work)
			for i := range n {
				work[i*n+i] = 1
			}
			a = append([]float64(nil), work...)
			jitter = 0
		}
	}
}
