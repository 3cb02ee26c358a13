package impute

import (
	"math"

	"glmbatch/internal/simd"
	"glmbatch/internal/variate"
)

// batchRows is how many rows move together.
const batchRows = 512

// hardAt is the curvature of a reader along the missing cells of a row, in units of their variance, from which on its
// cells are moved one at a time: a proposal by the slope alone is accepted once in some 2 times below it.
const hardAt = 3

// batch holds rows whose gaussian cells are proposed at once.
type batch struct {
	rows   []int // places among rows with missing cells
	start  []int // of their cells in mean, noise and step
	mean   []float64
	noise  []float64
	ratio  []float64
	cut    []float64
	hard   []bool
	passes []passes // by reader
}

// passes are a reader's numbers of a batch.
type passes struct {
	at               []int // places in the batch of rows that have a response
	base, here, next []float64
	slope            []float64
	value, scratch   []float64
	move             []float64 // bᵀ(proposal − mean)
}

var kernels = simd.Vector()

// moveGaussian proposes the cells in gaussian columns of each row at once. Their distribution given all else is
// normal times the likelihoods of readers in eta, which are log-concave: the proposal is the normal distribution
// tilted by their slopes at its mean, and is accepted with probability min(1, w(to)/w(from)), w = Π exp(likelihood
// − slope·eta) ≤ a constant. A closed gaussian is part of the normal distribution, so that a proposal of that alone
// is always accepted.
//
// Which rows move one cell at a time instead depends on all but these cells.
func (k *kernel) moveGaussian() bool {
	k.findLaws()
	b := &k.batch
	b.clear()
	for q, p := range k.pattern {
		switch {
		case p < 0 || k.resting(q):
			continue
		case k.curved[q]:
			if !k.moveSingly(q) {
				return false
			}
			continue
		}
		b.rows = append(b.rows, q)
		b.start = append(b.start, len(b.mean))
		b.mean = append(b.mean, k.zeros[:len(k.sets[p].columns)]...)
		if len(b.rows) == batchRows && !k.moveBatch() {
			return false
		}
	}
	return k.moveBatch()
}

func (b *batch) clear() { b.rows, b.start, b.mean = b.rows[:0], b.start[:0], b.mean[:0] }

func grown(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n, 2*n)
	}
	return v[:n]
}

// moveBatch moves the rows of the batch, and empties it.
func (k *kernel) moveBatch() bool {
	b := &k.batch
	if len(b.rows) == 0 {
		return true
	}
	n := len(b.rows)
	b.noise = grown(b.noise, len(b.mean))
	variate.NormalsAt(k.Stream.Uint64(), 0, 0, b.noise)
	b.ratio, b.cut = grown(b.ratio, n), grown(b.cut, n)
	clear(b.ratio)
	b.hard = append(b.hard[:0], k.easy[:n]...)
	for i, q := range b.rows {
		k.center(i, q)
	}
	for j, r := range k.readers {
		if r.tilts {
			k.preview(j, r)
		}
	}
	for i, q := range b.rows {
		k.propose(i, q)
	}
	for j, r := range k.readers {
		if r.tilts {
			k.compare(j, r)
		}
	}
	kernels.Midpoints(k.Stream.Uint64(), 0, 0, b.cut)
	kernels.Log(b.cut, b.cut)
	ok := true
	for i, q := range b.rows {
		switch {
		case b.hard[i]:
			ok = ok && k.moveSingly(q)
		case b.cut[i] < b.ratio[i]:
			k.accept(i, q)
		}
	}
	k.Evaluations += int64(n)
	b.clear()
	return ok
}

// center writes the distance of the conditional mean from the cells of a row to b.mean.
func (k *kernel) center(i, q int) {
	b, t, l, y := &k.batch, &k.sets[k.pattern[q]], &k.laws[k.pattern[q]], k.system
	main := k.readers[k.main]
	z := k.z[q*y.width : (q+1)*y.width]
	mean := b.mean[b.start[i]:][:len(t.columns)]
	for a, c := range t.columns {
		row := k.q[(y.first+c)*y.width : (y.first+c+1)*y.width]
		sum := 0.0
		for j, x := range z {
			sum = math.FMA(-row[j], x, sum)
		}
		pull, _ := k.problem.Columns[c].measured(k.rows[q], z[y.first+c]+y.centre[c])
		mean[a] = sum + pull
	}
	if main.quad && t.seen {
		at := main.of[q]
		rest := (main.data.Y[at] - main.point.Eta()[at]) / main.disp[0] / main.disp[0]
		for a, c := range t.columns {
			mean[a] = math.FMA(rest, main.b[c], mean[a])
		}
	}
	solveLower(l.factor, len(mean), mean)
	solveUpper(l.factor, len(mean), mean)
}

// preview finds the slopes of a reader at the conditional means.
func (k *kernel) preview(j int, r *reader) {
	b, p := &k.batch, &k.batch.passes[j]
	p.at, p.base, p.here = p.at[:0], p.base[:0], p.here[:0]
	eta := r.point.Eta()
	for i, q := range b.rows {
		if r.of[q] < 0 {
			continue
		}
		e := eta[r.of[q]]
		to := e
		for a, c := range k.sets[k.pattern[q]].columns {
			to = math.FMA(r.b[c], b.mean[b.start[i]+a], to)
		}
		p.at, p.here, p.base = append(p.at, i), append(p.here, e), append(p.base, to)
	}
	n := len(p.at)
	p.slope, p.value, p.scratch = grown(p.slope, n), grown(p.value, n), grown(p.scratch, n)
	p.move, p.next = grown(p.move, n), grown(p.next, n)
	r.curves(b, p, p.base, p.value, p.slope, p.scratch)
	for m, i := range p.at {
		if float64(k.laws[k.pattern[b.rows[i]]].spread[j]*p.scratch[m]) > hardAt {
			b.hard[i] = true
		}
	}
}

// curves is RowCurves of rows of a batch, which are neighbours except for those without a response.
func (r *reader) curves(b *batch, p *passes, eta, value, slope, curv []float64) {
	for m := 0; m < len(p.at); {
		q, to := b.rows[p.at[m]], m+1
		for to < len(p.at) && b.rows[p.at[to]] == q+to-m {
			to++
		}
		r.part.RowCurves(q, eta[m:to], r.disp, value[m:to], nil, slope[m:to], curv[m:to])
		m = to
	}
}

// propose writes the steps from the cells of a row to the proposal to b.mean.
func (k *kernel) propose(i, q int) {
	b, l := &k.batch, &k.laws[k.pattern[q]]
	from := b.start[i]
	m := len(k.sets[k.pattern[q]].columns)
	move := b.noise[from : from+m]
	solveUpper(l.factor, m, move)
	for j, r := range k.readers {
		p := &b.passes[j]
		if !r.tilts || r.of[q] < 0 {
			continue
		}
		s := p.slope[k.cursor[j]]
		k.cursor[j]++
		for a, x := range l.tilts[j] {
			move[a] = math.FMA(s, x, move[a])
		}
	}
	mean := b.mean[from : from+m]
	for a, x := range move {
		mean[a] += x
	}
	for j, r := range k.readers {
		if !r.tilts || r.of[q] < 0 {
			continue
		}
		sum := 0.0
		for a, c := range k.sets[k.pattern[q]].columns {
			sum = math.FMA(r.b[c], move[a], sum)
		}
		b.passes[j].move[k.cursor[j]-1] = sum
	}
}

// compare adds a reader's part of log w(to) − log w(from) to the ratios.
func (k *kernel) compare(j int, r *reader) {
	b, p := &k.batch, &k.batch.passes[j]
	k.cursor[j] = 0
	for m := range p.at {
		p.next[m] = p.base[m] + p.move[m]
	}
	add := func(eta []float64, sign float64) {
		r.curves(b, p, eta, p.value, p.scratch, p.move)
		for m, i := range p.at {
			b.ratio[i] = math.FMA(sign, math.FMA(-p.slope[m], eta[m]-p.base[m], p.value[m]), b.ratio[i])
		}
	}
	add(p.next, 1)
	add(p.here, -1)
}

// accept moves the cells of a row.
func (k *kernel) accept(i, q int) {
	b, y := &k.batch, k.system
	z := k.z[q*y.width+y.first : (q+1)*y.width]
	columns := k.sets[k.pattern[q]].columns
	for a, c := range columns {
		z[c] += b.mean[b.start[i]+a]
	}
	for _, r := range k.readers {
		at := r.of[q]
		if at < 0 {
			continue
		}
		for a, c := range columns {
			if r.moved[c] == nil {
				continue
			}
			r.point.Push(int(at), r.b[c], b.mean[b.start[i]+a])
			u := z[c] + y.centre[c]
			for m, j := range r.moved[c] {
				r.point.Enter(j, int(at), math.FMA(r.slope[c][m], u, r.origin[c][m]))
			}
		}
	}
}
