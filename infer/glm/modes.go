package glm

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
)

// StartsVersion names the starts of posteriors that are not log-concave: other ones are another sequence of draws.
const StartsVersion = "starts/2"

// LogConcave reports whether the log posterior density is a concave function of the coefficients, given dispersions and
// the scales of horseshoe priors.
func (t *Target) LogConcave() bool { return t.model.LogConcave() }

// LogConcave reports whether the log posterior density is a concave function of the coefficients, given dispersions and
// the scales of horseshoe priors, whatever the data.
func (m *Model) LogConcave() bool {
	return m.Family.LogConcave() && !slices.ContainsFunc(m.Coefficients, func(p prior.Prior) bool {
		return !p.Kind.LogConcave()
	})
}

// If a posterior is not log-concave, the penalised point may be in one of several modes. Chains that all start
// around it would agree on that mode. So the chains that do not start at a draw from the prior start around the
// modes that a search finds, in turn. If it finds only one, the chains after the first start at fits to random
// rows. If such fits cannot be made (other families than gaussian(identity) and student_t, many coefficients),
// every second chain starts at a draw from the prior, if that is proper.

// maxRowStart is the largest number of coefficients that are fitted to random rows.
const maxRowStart = 64

// The search climbs from fits to random rows: at most maxClimbs of them, as many as cost about climbOperations rows in
// a pass of the likelihood, at least minClimbs. A mode counts if its log density is at most modeDepth below the
// largest.
const (
	minClimbs, maxClimbs = 4, 32
	climbOperations      = 4_000_000
	climbSteps           = 20
	modeDepth            = 5
)

// modeSpread is the scale of starts around one mode of several over that around a single one: a start farther out would
// more often fall into another mode.
const modeSpread = 0.5

// localMode is a local maximum of the penalised likelihood.
type localMode struct {
	beta  []float64
	disp  dispersions
	eta   []float64
	value float64 // the log posterior density there
}

// hasRows reports whether startAtRows can be called.
func (p *pilot) hasRows() bool {
	return p.t.model.Family.Located() && p.t.Cols() <= min(maxRowStart, p.t.Rows())
}

// disperse moves a start u around the penalised point to one around a mode, or to a fit to random rows, and describes
// it.
func (p *pilot) disperse(c infer.Chain, u []float64) (words string) {
	d := p.t.Cols()
	p.searching.Do(func() { p.modes = p.findModes() })
	if n := len(p.modes); n > 1 {
		m := &p.modes[c.Index%n]
		for j, b := range m.beta {
			u[j] = math.FMA(modeSpread, u[j]-p.beta[j], b)
		}
		for i, k := range p.t.free {
			u[d+i] = math.FMA(modeSpread, u[d+i]-p.disp.u[k], m.disp.u[k])
		}
		return fmt.Sprintf("t3 around mode %d of %d, scale %g", c.Index%n+1, n, modeSpread*startSpread)
	}
	if c.Index == 0 {
		return "t3 around the penalised point, scale 2"
	}
	p.startAtRows(c.Stream, u[:d])
	return fmt.Sprintf("fit to %d random rows", d)
}

// findModes searches for the modes of a likelihood that is not log-concave, the highest first; it returns none of
// others and of tall data. Its randomness is a fixed stream. Cost: about climbOperations.
func (p *pilot) findModes() (modes []localMode) {
	t, n, d := p.t, p.t.Rows(), p.t.Cols()
	if t.model.Family.LogConcave() || Tall(n) {
		return nil
	}
	stream := infer.NewStream(0, "glm", "modes")
	climbs := max(minClimbs, min(maxClimbs, climbOperations/(climbSteps*n*(4+d*d/8))))
	for i := range climbs {
		q := &pilot{t: t, centre: p.centre, ridge: p.ridge, walls: p.walls, beta: slices.Clone(p.beta), disp: p.disp}
		if i > 0 {
			p.startAtRows(stream, q.beta)
			q.clamp()
		}
		q.solver = q.newSolver()
		q.maximise()
		if len(t.free) > 0 {
			q.estimateDispersions()
			q.maximise()
		}
		m := localMode{beta: q.beta, disp: q.disp, eta: q.eta, value: t.logLikAt(q.eta, &q.disp)}
		for j, b := range m.beta {
			m.value += t.LogPriorAlong(j, b)
		}
		if math.IsNaN(m.value) || slices.ContainsFunc(modes, func(o localMode) bool { return p.same(&m, &o) }) {
			continue
		}
		modes = append(modes, m)
	}
	slices.SortStableFunc(modes, func(a, b localMode) int {
		switch {
		case a.value > b.value:
			return -1
		case a.value < b.value:
			return 1
		}
		return 0
	})
	return slices.DeleteFunc(modes, func(m localMode) bool { return m.value < modes[0].value-modeDepth })
}

// same reports whether two modes are one: within a posterior standard deviation, in the rows' information.
func (p *pilot) same(a, b *localMode) bool {
	sum := 0.0
	weights := make([]float64, len(a.eta))
	p.t.RowInformation(a.eta, a.disp.at[:], weights)
	for i, w := range weights {
		e := a.eta[i] - b.eta[i]
		sum = math.FMA(float64(w*e), e, sum)
	}
	return sum < 1
}

// startAtRows writes to beta the penalised least-squares fit to as many random rows as there are coefficients. Rows of
// one cluster have a fit of their own, so that such starts reach every mode that the data make.
// Cost: O(n·d + d³).
//
// Source: Rousseeuw (1984), Least median of squares regression, doi:10.1080/01621459.1984.10477105, of random subsets.
func (p *pilot) startAtRows(s prior.Source, beta []float64) {
	t, d := p.t, p.t.Cols()
	rows, x, column, rest := make([]int, d), make([]float64, d*d), make([]float64, t.Rows()), make([]float64, d)
	for i := range rows {
		r := variate.Index(s, t.Rows())
		rows[i], rest[i] = r, t.data.Y[r]
		if t.data.Offset != nil {
			rest[i] -= t.data.Offset[r]
		}
	}
	precision := 1 / p.disp.at[0] / p.disp.at[0]
	a := make([]float64, d*d)
	for j := range d {
		t.data.X.Read(j, 0, column)
		at := x[j*d : (j+1)*d]
		for i, r := range rows {
			at[i] = column[r]
		}
		for k := range j + 1 {
			a[j*d+k] = float64(precision * passes.Dot(at, x[k*d:(k+1)*d]))
		}
		a[j*d+j] += p.ridge[j]
		beta[j] = math.FMA(precision, passes.Dot(at, rest), float64(p.ridge[j]*p.centre[j]))
	}
	mustFactor(a, d).Solve(beta)
}
