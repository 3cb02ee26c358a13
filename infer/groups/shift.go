package groups

import (
	"math"
	"slices"

	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// A shift moves a coefficient by δ and the effects of each level by −δ·v, where the coefficient's column is Σ_t z_t·v_t
// in the rows of every level: eta stays, and priors alone decide on δ. With the column of ones and effects of it v is 1
// and the sweep between an intercept and its effects, which is slow, is jumped over.
//
// Source: Papaspiliopoulos, Stumpf-Fetizon and Zanella, arXiv:2103.10875, on local centring.

// Coefficients that grow together, as an intercept and slopes of x, of a column that is constant within levels and of
// their product, are shifted together: one after the other they would crawl.

// shift is one coefficient with its v, by level and then by term.
type shift struct {
	column int
	prior  prior.Prior
	v      []float64
	cross  []float64 // Σ v·vᵀ over levels
}

// together are shifts whose δ are drawn at once: their coefficients have normal or flat priors, and their v depend on
// each other linearly in none.
type together struct {
	shifts []*shift
	cross  []float64 // Σ v·wᵀ over levels of each and the ones up to it, q × q each
	work   int       // numbers that a draw needs
}

// maxTogether bounds the shifts that are drawn at once, and least what a v adds to those before it, relative to its
// square.
const (
	maxTogether = 64
	minAdded    = 1e-8
)

// findShifts finds the columns of the design that have a shift against b: those whose entries are rewritten have none.
// Cost: O(n·d·q²).
func (b *block) findShifts(data *glm.Data, priors []prior.Prior, changes *rewriting) {
	x, q := make([]float64, len(b.of)), b.q
	for j, p := range priors {
		if p.Kind.Shrinks() || changes != nil && slices.Contains(changes.columns, j) {
			continue // its prior has scales, or its entries change
		}
		clear(x)
		data.X.Column(j).AddTo(x, 1)
		v := b.everywhere(x)
		for t := 0; t < q && v == nil; t++ {
			v = b.within(x, t)
		}
		if v == nil && q > 1 {
			v = b.apart(x)
		}
		if v == nil {
			continue
		}
		s := &shift{column: j, prior: p, v: v, cross: make([]float64, q*q)}
		b.crossed(s.v, s.v, s.cross)
		b.shifts = append(b.shifts, s)
		if p.Kind == prior.Normal || p.Kind == prior.Flat {
			b.join(s)
		} else {
			b.alone = append(b.alone, s)
		}
	}
}

// findOuter finds the effects that add 1 to eta of all rows. Cost: O(n·q²).
func (b *block) findOuter() {
	v := b.everywhere(filled(len(b.of)))
	if v == nil {
		return
	}
	b.outer = &shift{v: v, cross: make([]float64, b.q*b.q)}
	b.crossed(v, v, b.outer.cross)
}

// carry moves eta of all rows by effects, those of each grouping in turn, by slices: outside is the log density of what
// else changes, at a sum of the moves. It returns this sum.
func (k *kernel) carry(outside func(delta float64) float64) (sum float64, ok bool) {
	for _, g := range k.groups {
		s := g.outer
		if s == nil {
			continue
		}
		a := dot(g.omega, s.cross)
		clear(g.product)
		g.crossed(s.v, g.r, g.product)
		b := -(dot(g.omega, g.product) + g.leaning(s.v))
		f := func(x float64) (float64, glm.Value) {
			return outside(sum+x) + float64(x*math.FMA(-0.5*a, x, b)), glm.Value{}
		}
		current, _ := f(0)
		delta, _, moved, ok := k.slice.Update(f, current, g.shiftWidth(s), maxDoublings)
		if !ok {
			return 0, false
		}
		if !moved {
			continue
		}
		for i, v := range s.v {
			g.to[i] = float64(delta * v)
		}
		k.point.AddEffects(g.effects, g.to, nil)
		k.point.RowsRead() // are not of a step
		sum += delta
	}
	return sum, true
}

// join adds a shift to the first ones that it can be drawn with.
func (b *block) join(s *shift) {
	for i := range b.together {
		if b.extend(&b.together[i], s) {
			return
		}
	}
	b.together = append(b.together, together{})
	b.extend(&b.together[len(b.together)-1], s)
}

// extend adds a shift to others, if there is room and its v is no sum of theirs. Cost: O(levels·q²) for each of them.
func (b *block) extend(t *together, s *shift) bool {
	n, size := len(t.shifts), b.q*b.q
	if n == maxTogether {
		return false
	}
	row := make([]float64, (n+1)*size)
	for j, other := range t.shifts {
		b.crossed(s.v, other.v, row[j*size:(j+1)*size])
	}
	copy(row[n*size:], s.cross)
	cross := slices.Concat(t.cross, row)
	if n > 0 && !adds(cross, n+1, b.q) {
		return false
	}
	t.shifts, t.cross = append(t.shifts, s), cross
	t.work = (n+1)*(n+1) + 2*(n+1)
	return true
}

// adds reports whether the last of n vectors is no sum of the others; Σ v·w of two is the trace of their cross.
func adds(cross []float64, n, q int) bool {
	gram := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			block := cross[(i*(i+1)/2+j)*q*q:]
			for t := range q {
				gram[i*n+j] += block[t*q+t]
			}
		}
	}
	for i := range n {
		for j := range i {
			gram[i*n+j] /= math.Sqrt(float64(gram[i*n+i] * gram[j*n+j]))
		}
	}
	for i := range n {
		gram[i*n+i] /= gram[i*n+i] // 1, or NaN of a v of 0
	}
	return factor(gram, n) && gram[n*n-1] > math.Sqrt(minAdded)
}

// crossed adds Σ v·wᵀ over levels to dst.
func (b *block) crossed(v, w, dst []float64) {
	q := b.q
	if q == 1 {
		dst[0] += vector.Dot(v, w)
		return
	}
	for l := range b.levels {
		for s := range q {
			for t := range q {
				dst[s*q+t] = math.FMA(v[l*q+s], w[l*q+t], dst[s*q+t])
			}
		}
	}
}

// moveShifts shifts the columns that have a shift against g: by draws where the coefficients' priors are normal or
// flat, else by slices. Cost: O(levels·q²) each.
func (k *kernel) moveShifts(g *group) bool {
	moved := false
	copy(g.to, g.r)
	for i := range g.together {
		moved = k.shiftTogether(g, &g.together[i]) || moved
	}
	for _, s := range g.alone {
		delta, ok := k.shiftBy(g, s)
		if !ok {
			return k.FailAlong(k.names[s.column])
		}
		if delta != 0 {
			moved = true
			k.shifted(g, s, delta)
		}
	}
	if moved {
		k.point.Assign(g.effects, g.to)
		k.fixed.Shift(k.delta)
		clear(k.delta)
	}
	return true
}

// shifted notes where effects and the coefficient move.
func (k *kernel) shifted(g *group, s *shift, delta float64) {
	k.delta[s.column] += delta
	k.beta[s.column] += delta
	for i, v := range s.v {
		g.to[i] = math.FMA(-delta, v, g.to[i])
	}
}

// shiftTogether draws all δ of shifts: the effects' prior is exp(−½·δᵀAδ + bᵀδ), A_ij = tr(Ω·Σ v_i·v_jᵀ).
func (k *kernel) shiftTogether(g *group, t *together) bool {
	n, size := len(t.shifts), g.q*g.q
	if len(g.joined) < t.work {
		g.joined = make([]float64, t.work)
	}
	a, slope, noise := g.joined[:n*n], g.joined[n*n:n*n+n], g.joined[n*n+n:t.work]
	at := 0
	for i, s := range t.shifts {
		for j := range i + 1 {
			a[i*n+j] = dot(g.omega, t.cross[at:at+size])
			at += size
		}
		clear(g.product)
		g.crossed(s.v, g.to, g.product)
		slope[i] = dot(g.omega, g.product) + g.leaning(s.v)
		if p := s.prior; p.Kind == prior.Normal {
			a[i*n+i] = math.FMA(1/p.Scale, 1/p.Scale, a[i*n+i])
			slope[i] = math.FMA((p.Location-k.beta[s.column])/p.Scale, 1/p.Scale, slope[i])
		}
	}
	k.normals(noise)
	if !factor(a, n) { // rounding: effects and sds, which stay, decide
		return false
	}
	lower(a, n, slope)
	for i, z := range noise {
		slope[i] += z
	}
	upper(a, n, slope)
	for i, s := range t.shifts {
		k.shifted(g, s, slope[i])
	}
	return true
}

// shiftBy moves δ by a slice: the effects' prior is exp(−½·a·δ² + b·δ).
func (k *kernel) shiftBy(g *group, s *shift) (delta float64, ok bool) {
	a := dot(g.omega, s.cross)
	clear(g.product)
	g.crossed(s.v, g.to, g.product)
	b := dot(g.omega, g.product) + g.leaning(s.v)
	at, p := k.beta[s.column], s.prior
	f := func(x float64) (float64, glm.Value) {
		return p.LogDensity(at+x) + float64(x*math.FMA(-0.5*a, x, b)), glm.Value{}
	}
	current, _ := f(0)
	delta, _, _, ok = k.slice.Update(f, current, g.shiftWidth(s), maxDoublings)
	return delta, ok
}

// leaning is minus the slope along v that Linked adds.
func (g *group) leaning(v []float64) float64 {
	if g.lean == nil {
		return 0
	}
	return vector.Dot(g.lean, v)
}

// shiftWidth is the width of a slice along a shift: it may know the scales of the effects, which a shift leaves.
func (g *group) shiftWidth(s *shift) float64 {
	a := dot(g.omega, s.cross)
	if !(a > 0) {
		return 1
	}
	return 3 / math.Sqrt(a)
}
