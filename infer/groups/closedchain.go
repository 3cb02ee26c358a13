package groups

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/update"
	"glmbatch/internal/linalg"
	"glmbatch/internal/state"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// ClosedChain is a chain of a Closed: sds and correlations, of effects and residuals, move by slices with coefficients
// and effects integrated out. These are then drawn given them.
type ClosedChain struct {
	*Closed
	law    *Residuals
	groups []*group
	first  []int // the number of the first term of each of groups
	mover  *kernel
	delta  []float64 // coefficients less Start
	r      []float64 // effects by level, then by term of all responses
	closedScratch
}

// closedScratch has numbers that no move leaves to another.
type closedScratch struct {
	omega       []float64 // of residuals, see Residuals.Precision
	prior       []float64 // precision of effects
	a, v, w     []float64 // of a level: the factor L of its precision, L⁻¹ of what it shares with coefficients, and L⁻¹h
	c, g, noise []float64
}

// Chain returns a chain with the distribution of its residuals, around which standard deviations of effects begin. All
// else is drawn given these.
func (c *Closed) Chain(law *Residuals, stream *infer.Stream, looks *update.Looks) *ClosedChain {
	d, q, n := len(c.col), len(c.term), len(c.responses)
	k := &ClosedChain{Closed: c, law: law, mover: &kernel{slice: cggibbs.NewSlicer(stream, looks)},
		delta: make([]float64, d), r: make([]float64, c.levels*q), closedScratch: closedScratch{
			omega: make([]float64, n*n+1), prior: make([]float64, q*q), a: make([]float64, q*q), v: make([]float64, q*d),
			w: make([]float64, q), c: make([]float64, d*d), g: make([]float64, d), noise: make([]float64, max(d, q))}}
	k.mover.Stream = stream
	k.findGroups()
	for i, g := range k.groups {
		for t := range g.q {
			at := k.first[i] + t
			square := 0.0
			for l := range c.levels {
				square += c.zz[(l*q+at)*q+at]
			}
			sd := vec.Exp(law.law.logSD[c.term[at]]) / max(math.Sqrt(square/c.rows), 1e-9)
			g.startSD(t, vec.Log(0.5*sd)+float64(0.5*variate.Normal(stream)))
		}
		g.settle()
	}
	k.draw()
	return k
}

// findGroups makes the distributions of effects: one, or one of each response that has some.
func (k *ClosedChain) findGroups() {
	at := 0
	for _, r := range k.responses {
		if r.Effects == nil {
			continue
		}
		if len(k.groups) == 0 || !k.linked {
			k.groups, k.first = append(k.groups, &group{block: &block{Effects: &design.Effects{Group: r.Effects.Group},
				prior: glm.EffectsPrior{LKJ: r.Scales.LKJ}, levels: k.levels}}), append(k.first, at)
		}
		b := k.groups[len(k.groups)-1].block
		b.Terms, b.prior.SD = append(b.Terms, r.Effects.Terms...), append(b.prior.SD, r.Scales.SD...)
		b.q = len(b.Terms)
		at += len(r.Effects.Terms)
	}
	for _, g := range k.groups {
		g.scales, g.squares = g.newScales(), make([]float64, g.q*g.q)
		g.setWidth()
	}
}

// Step moves sds and correlations, and draws the others. It returns the name of what was under update, and false if a
// log density was not finite. Cost: O(levels·q·(d + q)²) for each look, whatever the number of rows.
func (k *ClosedChain) Step() (failing string, ok bool) {
	all := append(k.groups[:len(k.groups):len(k.groups)], k.law.law)
	for _, g := range all {
		if !k.mover.eachScale(g, func(at *float64, prior func(x float64) float64) bool {
			return k.mover.moveOne(g, at, g.width, k.logMarginal, prior)
		}) {
			return k.mover.Failing, false
		}
	}
	if !k.draw() {
		return "all coefficients", false
	}
	return "", true
}

// settle makes the precisions of residuals and effects, and returns the log density of effects of 0 less constants.
func (k *ClosedChain) settle() (logDet float64) {
	k.law.Precision(k.omega)
	q := len(k.term)
	for i, g := range k.groups {
		for t := range g.q {
			copy(k.prior[(k.first[i]+t)*q+k.first[i]:], g.omega[t*g.q:(t+1)*g.q])
		}
		logDet -= float64(float64(k.levels) * g.logDet)
	}
	return logDet
}

// level makes a, v and w of a level. It reports false if its precision has no factor.
func (k *ClosedChain) level(l int) bool {
	q, d, n := len(k.term), len(k.col), len(k.responses)
	for i, of := range k.term {
		row, at := k.omega[of*n:(of+1)*n], l*q+i
		for j := range i + 1 {
			k.a[i*q+j] = math.FMA(row[k.term[j]], k.zz[at*q+j], k.prior[i*q+j])
		}
		v := k.v[i*d : (i+1)*d]
		zx := k.zx[at*d : (at+1)*d]
		for j, to := range k.col {
			v[j] = row[to] * zx[j]
		}
		k.w[i] = dot(row, k.zy[at*n:(at+1)*n])
	}
	if !factor(k.a, q) {
		return false
	}
	for i := range q {
		v := k.v[i*d : (i+1)*d]
		for j := range i {
			by, other := -k.a[i*q+j], k.v[j*d:(j+1)*d]
			for s, x := range other {
				v[s] = math.FMA(by, x, v[s])
			}
		}
		scale(1/k.a[i*q+i], v)
	}
	lower(k.a, q, k.w)
	return true
}

// assemble makes the precision c of coefficients with effects integrated out, and g, what they are drawn to. It returns
// twice what the effects leave of the log density, and false if a level has no factor.
func (k *ClosedChain) assemble() (rest float64, ok bool) {
	q, d, n := len(k.term), len(k.col), len(k.responses)
	for i, of := range k.col {
		row := k.omega[of*n : (of+1)*n]
		for j := range i + 1 {
			k.c[i*d+j] = row[k.col[j]] * k.xx[i*d+j]
		}
		k.c[i*d+i] += k.precision[i]
		k.g[i] = math.FMA(k.precision[i], k.centre[i], dot(row, k.xy[i*n:(i+1)*n]))
	}
	roots := 1.0
	for l := range k.levels {
		if !k.level(l) {
			return 0, false
		}
		for i, w := range k.w {
			rest = math.FMA(w, w, rest)
			v := k.v[i*d : (i+1)*d]
			for s, x := range v {
				to := k.c[s*d : s*d+s+1]
				for j := range to {
					to[j] = math.FMA(-x, v[j], to[j])
				}
				k.g[s] = math.FMA(-x, w, k.g[s])
			}
		}
		if roots *= diagonal(k.a, q); !(roots > 1/manyProduct && roots < manyProduct) {
			rest, roots = rest-float64(2*vec.Log(roots)), 1
		}
	}
	return rest - float64(2*vec.Log(roots)), true
}

// logMarginal returns the log density of the data with coefficients and effects integrated out, less constants.
func (k *ClosedChain) logMarginal() float64 {
	logDet := k.settle()
	rest, ok := k.assemble()
	if !ok {
		return math.Inf(-1)
	}
	root, err := linalg.Cholesky(k.c, len(k.col))
	if err != nil {
		return math.Inf(-1)
	}
	root.SolveLower(k.g)
	n := len(k.responses)
	rest += vec.SumSquares(k.g) - root.LogDet() - vec.Dot(k.omega[:n*n], k.yy)
	return logDet + math.FMA(0.5, rest, -float64(k.rows*k.omega[n*n]))
}

// draw draws coefficients and effects given all else. It reports false if a precision has no factor.
func (k *ClosedChain) draw() bool {
	q, d := len(k.term), len(k.col)
	k.settle()
	_, ok := k.assemble()
	root, err := linalg.Cholesky(k.c, d)
	if !ok || err != nil {
		return false
	}
	root.SolveLower(k.g)
	for i, x := range k.g {
		k.delta[i] = x + variate.Normal(k.mover.Stream)
	}
	root.SolveUpper(k.delta)
	for l := range k.levels {
		k.level(l)
		r := k.r[l*q : (l+1)*q]
		for i := range r {
			r[i] = (k.w[i] - dot(k.v[i*d:(i+1)*d], k.delta)) + variate.Normal(k.mover.Stream)
		}
		upper(k.a, q, r)
	}
	return true
}

// LogLik returns the log likelihood of the rows.
func (k *ClosedChain) LogLik() float64 {
	n, d, q := len(k.responses), len(k.col), len(k.term)
	k.law.Precision(k.omega)
	square := vec.Dot(k.omega[:n*n], k.yy)
	for i, x := range k.delta {
		row := k.omega[k.col[i]*n : (k.col[i]+1)*n]
		sum := -2 * dot(row, k.xy[i*n:(i+1)*n])
		for j, y := range k.delta {
			sum += float64(row[k.col[j]] * float64(y*k.xx[i*d+j]))
		}
		square = math.FMA(x, sum, square)
	}
	for at, x := range k.r {
		l, i := at/q*q, at%q
		row := k.omega[k.term[i]*n : (k.term[i]+1)*n]
		sum := -2 * dot(row, k.zy[at*n:(at+1)*n])
		for j, y := range k.r[l : l+q] {
			sum += float64(row[k.term[j]] * float64(y*k.zz[at*q+j]))
		}
		for j, y := range k.delta {
			sum += float64(2 * row[k.col[j]] * float64(y*k.zx[at*d+j]))
		}
		square = math.FMA(x, sum, square)
	}
	return -float64(k.rows*math.FMA(float64(n), halfLog2Pi, k.omega[n*n])) - float64(0.5*square)
}

// LogPrior returns the log prior density of the position.
func (k *ClosedChain) LogPrior() (sum float64) {
	for i, of := range k.col {
		j := i - k.start[of]
		sum += k.responses[of].Priors[j].LogDensity(k.delta[i] + k.responses[of].Start[j])
	}
	q := len(k.term)
	for i, g := range k.groups {
		clear(g.squares)
		for l := range k.levels {
			r := k.r[l*q+k.first[i]:][:g.q]
			for a, x := range r {
				for b, y := range r {
					g.squares[a*g.q+b] = math.FMA(x, y, g.squares[a*g.q+b])
				}
			}
		}
		sum += g.logPrior() + g.logEffects(float64(k.levels), g.squares)
	}
	return sum + k.law.LogPrior()
}

// List lists the state.
func (k *ClosedChain) List(c *state.Codec) {
	c.Finite("coefficients", k.delta)
	c.Finite("effects", k.r)
	k.law.List(c)
	for _, g := range k.groups {
		(&Residuals{law: g}).List(c)
	}
}
