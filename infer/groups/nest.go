package groups

import (
	"math"
	"slices"

	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
)

// nest are groupings with effects of the column of ones alone, from the coarsest to the finest, each nested in the
// one before: the data determine the sums of the effects on the way to a level of the finest one, its total, well,
// and each effect little. Totals make a tree of normal distributions, from which all effects are integrated out
// from the leaves to the root in one pass.
type nest struct {
	blocks []int
	levels [][]int32 // of each grouping, those with rows, the children of one parent one after the other
	first  [][]int32 // children of level i of grouping k are first[k][i], …, first[k][i+1] − 1 of grouping k + 1
	above  [][]int32 // the parent of each level of grouping k + 1
	idle   [][]int32 // levels without rows
}

// findNests lays out chains of the pairs that are exact and have no grouping between them, as long as they come, until
// each is in one. Cost: O(n) for each grouping of one.
func findNests(pairs []*pair, blocks []*block) (nests []*nest) {
	var edges []*pair
	for _, p := range pairs {
		between := func(q *pair) bool {
			return q.single(blocks) && q.coarse == p.coarse && slices.ContainsFunc(pairs, func(r *pair) bool {
				return r.single(blocks) && r.coarse == q.fine && r.fine == p.fine
			})
		}
		if p.single(blocks) && !slices.ContainsFunc(pairs, between) {
			edges = append(edges, p)
		}
	}
	for _, p := range edges {
		if slices.ContainsFunc(nests, func(m *nest) bool {
			at := slices.Index(m.blocks, p.fine)
			return at > 0 && m.blocks[at-1] == p.coarse
		}) {
			continue
		}
		m := &nest{blocks: []int{p.coarse, p.fine}}
		for at := 0; at >= 0; {
			if at = slices.IndexFunc(edges, func(q *pair) bool { return q.fine == m.blocks[0] }); at >= 0 {
				m.blocks = slices.Insert(m.blocks, 0, edges[at].coarse)
			}
		}
		for at := 0; at >= 0; {
			if at = slices.IndexFunc(edges, func(q *pair) bool { return q.coarse == m.blocks[len(m.blocks)-1] }); at >= 0 {
				m.blocks = append(m.blocks, edges[at].fine)
			}
		}
		for _, at := range m.blocks {
			blocks[at].nested = true
		}
		m.lay(blocks)
		nests = append(nests, m)
	}
	return nests
}

// lay makes the tree.
func (m *nest) lay(blocks []*block) {
	for k, at := range m.blocks {
		b := blocks[at]
		parent, count := make([]int32, b.levels), 1
		if k > 0 {
			place := make([]int32, blocks[m.blocks[k-1]].levels)
			for i, l := range m.levels[k-1] {
				place[l] = int32(i)
			}
			for i, l := range b.of {
				parent[l] = place[blocks[m.blocks[k-1]].of[i]]
			}
			count = len(m.levels[k-1])
		}
		by := make([][]int32, count)
		var idle []int32
		for l := range b.levels {
			if len(b.Grouping.Rows(l)) == 0 {
				idle = append(idle, int32(l))
				continue
			}
			by[parent[l]] = append(by[parent[l]], int32(l))
		}
		levels, first, above := []int32{}, []int32{0}, []int32{}
		for p, own := range by {
			levels = append(levels, own...)
			first = append(first, int32(len(levels)))
			for range own {
				above = append(above, int32(p))
			}
		}
		m.levels, m.idle = append(m.levels, levels), append(m.idle, idle)
		if k > 0 {
			m.first, m.above = append(m.first, first), append(m.above, above)
		}
	}
}

// tree holds a chain's totals of a nest: the part below a level is normal about the total there.
type tree struct {
	*nest
	groups  groupings
	total   [][]float64 // of each grouping and level
	mean    [][]float64 // of the part below, except for leaves
	spread  [][]float64 // its variance; of parents of leaves, that of their effects over the number of these
	inverse []float64   // 1 over that number
	within  float64     // Σ (total − mean)² over leaves
	squares []float64   // of the effects of levels without rows
	freedom []float64   // powers of 1/sd that no pass counts
	log     []float64   // density of what is below the levels of a grouping and of their own effects
	noise   []float64
}

func newTree(m *nest) *tree {
	last := len(m.blocks) - 1
	t := &tree{nest: m, groups: make(groupings, last+1), squares: make([]float64, last+1), log: make([]float64, last+2)}
	nodes := 0
	for k, levels := range m.levels {
		t.total = append(t.total, make([]float64, len(levels)))
		t.freedom = append(t.freedom, float64(len(m.idle[k])))
		if k < last {
			t.mean, t.spread = append(t.mean, make([]float64, len(levels))), append(t.spread, make([]float64, len(levels)))
			nodes += len(levels)
		}
	}
	t.freedom[last] += float64(len(m.levels[last]) - len(m.levels[last-1]))
	for p := range m.levels[last-1] {
		t.inverse = append(t.inverse, 1/float64(len(m.children(t.total[last], last-1, p))))
	}
	t.noise = make([]float64, nodes)
	return t
}

// children returns what belongs to the children of a level of grouping k, from numbers of grouping k + 1.
func (m *nest) children(of []float64, k, p int) []float64 { return of[m.first[k][p]:m.first[k][p+1]] }

// read takes totals from effects.
func (t *tree) read(all groupings) {
	last := len(t.blocks) - 1
	for k, at := range t.blocks {
		g := all[at]
		t.groups[k] = g
		for i, l := range t.levels[k] {
			t.total[k][i] = g.r[l]
		}
		t.squares[k] = 0
		for _, l := range t.idle[k] {
			t.squares[k] = math.FMA(g.r[l], g.r[l], t.squares[k])
		}
	}
	t.within = 0
	for k := range last {
		for p, above := range t.total[k] {
			own, sum := t.children(t.total[k+1], k, p), 0.0
			for i := range own {
				own[i] += above
				sum += own[i]
			}
			if k < last-1 {
				continue
			}
			mean := float64(sum * t.inverse[p])
			t.mean[k][p] = mean
			for _, x := range own {
				t.within = math.FMA(x-mean, x-mean, t.within)
			}
		}
	}
}

// logDensity returns the log density of the totals of the leaves, all other effects integrated out, where no sd of a
// grouping finer than k has moved since it was asked for. Cost: O(levels).
func (t *tree) logDensity(k int) float64 {
	for ; k >= 0; k-- {
		u := t.groups[k].logSD[0]
		v := vec.Exp(2 * u)
		t.log[k] = t.log[k+1] - float64(t.freedom[k]*u) - float64(0.5*t.squares[k]/v)
		if k < len(t.mean) {
			t.pass(k, v)
			continue
		}
		t.log[k] -= float64(0.5 * t.within / v)
		for p, inverse := range t.inverse {
			t.spread[k-1][p] = float64(v * inverse)
		}
	}
	return t.log[0]
}

// pass continues from the levels of grouping k, whose effects have the variance v, to their parents, or to the
// root, whose total is 0.
func (t *tree) pass(k int, v float64) {
	sum, product := 0.0, 1.0
	take := func(x float64) {
		if product *= x; !(product < 1e100 && product > 1e-100) { // one logarithm of many
			sum, product = sum+vec.Log(product), 1
		}
	}
	if k == 0 {
		for i, m := range t.mean[0] {
			u := v + t.spread[0][i]
			sum += float64(m*m) / u
			take(u)
		}
		t.log[0] -= float64(0.5 * (sum + vec.Log(product)))
		return
	}
	for p := range t.mean[k-1] {
		mean, weight := t.children(t.mean[k], k-1, p), t.children(t.spread[k], k-1, p)
		all, weighted := 0.0, 0.0
		for i, m := range mean {
			u := v + weight[i]
			take(u)
			w := 1 / u
			all += w
			weighted = math.FMA(w, m, weighted)
		}
		take(all)
		spread := 1 / all
		at := float64(weighted * spread)
		t.mean[k-1][p], t.spread[k-1][p] = at, spread
		for i, m := range mean {
			sum += float64((m-at)*(m-at)) / (v + weight[i])
		}
	}
	t.log[k] -= float64(0.5 * (sum + vec.Log(product)))
}

// moveNest moves the sds of a nest given the totals of its leaves, all effects integrated out, then draws these given
// sds and totals: eta stays. Cost: O(levels) for each place of a slice.
func (k *kernel) moveNest(t *tree) bool {
	t.read(k.groups)
	k.slice.Stepping = k.Iteration >= stepFrom
	defer func() { k.slice.Stepping = false }()
	for at := len(t.groups) - 1; at >= 0; at-- {
		g := t.groups[at]
		if len(g.free) == 0 {
			t.logDensity(at)
			continue
		}
		rest := func() float64 { return t.logDensity(at) }
		if !k.moveOne(g, &g.logSD[0], 1.5*g.width, rest, func(x float64) float64 { return g.logDensitySD(0, x) }) {
			return k.FailAlong(g.sdName(0))
		}
		t.logDensity(at) // the last place that a slice looks at may be another one
	}
	for at := len(t.groups) - 1; at > 0; at-- {
		if !k.trade(t, at) {
			return false
		}
	}
	k.drawNest(t)
	return true
}

// trade moves the variances of grouping at and of the one before, whose sum stays, by a slice along the log of their
// ratio: in (log of the sum, log of the ratio) the density is that of both logs of sds.
func (k *kernel) trade(t *tree, at int) bool {
	c, f := t.groups[at-1], t.groups[at]
	if len(c.free) == 0 || len(f.free) == 0 {
		return true
	}
	from, to := c.logSD[0], f.logSD[0]
	ratio := 2 * (from - to)
	sum := math.FMA(0.5, vec.Log1pExp(ratio), to)
	place := func(x float64) {
		c.logSD[0], f.logSD[0] = math.FMA(-0.5, vec.Log1pExp(-ratio-x), sum), math.FMA(-0.5, vec.Log1pExp(ratio+x), sum)
	}
	density := func(x float64) (float64, glm.Value) {
		place(x)
		p := c.logDensitySD(0, c.logSD[0]) + f.logDensitySD(0, f.logSD[0])
		if math.IsInf(p, -1) {
			return p, glm.Value{}
		}
		return p + t.logDensity(at), glm.Value{}
	}
	current, _ := density(0)
	x, _, moved, ok := k.slice.Update(density, current, 3*c.width, c.doublings)
	if c.logSD[0], f.logSD[0] = from, to; !ok {
		return k.FailAlong(c.sdName(0))
	}
	if moved {
		place(x)
		c.settle()
		f.settle()
	}
	t.logDensity(at)
	return true
}

// drawNest draws the effects from the root to the leaves.
func (k *kernel) drawNest(t *tree) {
	k.normals(t.noise)
	noise, point := t.noise, k.point
	for k, g := range t.groups {
		copy(g.to, g.r)
		if k < len(t.mean) {
			omega := g.omega[0]
			for i, l := range t.levels[k] {
				above := 0.0
				if k > 0 {
					above = t.total[k-1][t.above[k-1][i]]
				}
				own := 1 / t.spread[k][i]
				a := own + omega
				g.to[l] = float64(own*(t.mean[k][i]-above))/a + noise[i]/math.Sqrt(a)
				t.total[k][i] = above + g.to[l]
			}
			noise = noise[len(t.levels[k]):]
			point.Assign(g.effects, g.to)
			continue
		}
		for i, l := range t.levels[k] {
			g.to[l] = t.total[k][i] - t.total[k-1][t.above[k-1][i]]
		}
		point.Assign(g.effects, g.to)
	}
}
