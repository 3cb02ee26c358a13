package impute

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// system is the gaussian models of columns on one set of variables z: the column of ones, the complete columns that
// they read, the states of incomplete ones less a centre, and the entries of levels. Each row adds −½·zᵀQz to the log
// density, with Q = Σ d·dᵀ/sigma² over the models, d the coefficients of response − prediction.
type system struct {
	width   int
	first   int // place of the first incomplete column in z
	centre  []float64
	columns [][]float64 // complete ones, over all rows, the first of ones
	entries []entry
	of      [][]int // places among entries, by incomplete column
	models  []*linear
	base    []float64 // Gram matrix of the rows without missing cells
	rows    float64
}

// entry is a column of a design that the level of an incomplete column decides.
type entry struct {
	column int
	values []float64 // by level
}

// linear is the gaussian model of one column.
type linear struct {
	column int
	own    int   // its place in z
	at     []int // those of its predictors, the intercept's first
	prior  []prior.Prior
	sigma  *glm.Model
}

// newSystem lays the models out. Cost: O(n·width²).
func newSystem(s *setup) (*system, error) {
	p := s.problem
	t := &system{centre: make([]float64, len(p.Columns)), rows: float64(p.Rows)}
	t.columns = [][]float64{slices.Repeat([]float64{1}, p.Rows)}
	known := make([]bool, len(p.Columns))
	byName := map[string]int{}
	t.of = make([][]int, len(p.Columns))
	type place struct{ block, at int } // complete columns, incomplete ones, entries of levels
	places := make([][]place, len(p.Columns))
	for k := range p.Columns {
		c := &p.Columns[k]
		if !c.linear() {
			continue
		}
		out := make([]place, c.Data.Cols())
		for j := 1; j < len(out); j++ {
			out[j] = place{at: t.share(byName, c.Data, j, &p.Columns[k], p.Columns)}
		}
		for i := range k {
			if p.Columns[i].Levels != nil {
				values, _ := c.Coder.Table(i)
				for m, j := range c.Coder.Moved(i) {
					out[j] = place{2, t.entryOf(i, values[m])}
				}
				continue
			}
			for _, j := range c.Coder.Moved(i) {
				_, origin, _ := c.Coder.Affine(i)
				if known[i] && t.centre[i] != -origin[0] {
					return nil, fmt.Errorf("impute: column %q has two centres", p.Columns[i].Name)
				}
				known[i], t.centre[i] = true, -origin[0]
				out[j] = place{1, i}
			}
		}
		places[k] = out
	}
	t.first = len(t.columns)
	last := t.first + len(p.Columns)
	t.width = last + len(t.entries)
	for k, out := range places {
		c := &p.Columns[k]
		if !known[k] && c.Levels == nil {
			t.centre[k] = vec.Sum(s.donors[k]) / float64(len(s.donors[k]))
		}
		if out == nil {
			continue
		}
		m := &linear{column: k, own: t.first + k, prior: c.Model.Coefficients, sigma: &c.Model}
		for _, q := range out {
			m.at = append(m.at, q.at+[]int{0, t.first, last}[q.block])
		}
		t.models = append(t.models, m)
	}
	t.gatherBase(s)
	return t, nil
}

// entryOf finds the place of entries of levels among those of earlier models.
func (t *system) entryOf(column int, values []float64) int {
	for _, e := range t.of[column] {
		if slices.Equal(t.entries[e].values, values) {
			return e
		}
	}
	t.entries = append(t.entries, entry{column, values})
	t.of[column] = append(t.of[column], len(t.entries)-1)
	return len(t.entries) - 1
}

// spell writes the entries of levels to a row z.
func (t *system) spell(z []float64) {
	last := t.width - len(t.entries)
	for e := range t.entries {
		level := z[t.first+t.entries[e].column]
		z[last+e] = t.entries[e].values[int(math.Round(level))]
	}
}

// share finds the place of a complete column among those of earlier models; 0 of an incomplete one.
func (t *system) share(byName map[string]int, data *glm.Data, j int, c *Column, columns []Column) int {
	for i := range columns {
		if slices.Contains(c.Coder.Moved(i), j) {
			return 0
		}
	}
	values := data.X.(*design.Dense).Col(j)
	if at, ok := byName[data.Names[j]]; ok && slices.Equal(t.columns[at], values) {
		return at
	}
	t.columns = append(t.columns, values)
	byName[data.Names[j]] = len(t.columns) - 1
	return len(t.columns) - 1
}

// gatherBase makes the Gram matrix of the rows without missing cells.
func (t *system) gatherBase(s *setup) {
	var z []float64
	add := func(values []float64, centre float64) {
		for i, x := range values {
			if s.place[i] < 0 {
				z = append(z, x-centre)
			}
		}
	}
	for _, c := range t.columns {
		add(c, 0)
	}
	for k := range s.problem.Columns {
		add(s.problem.Columns[k].Data.Y, t.centre[k])
	}
	for _, e := range t.entries {
		values := make([]float64, s.problem.Rows)
		for i, level := range s.problem.Columns[e.column].Data.Y {
			values[i] = e.values[int(level)]
		}
		add(values, 0)
	}
	t.base = make([]float64, t.width*t.width)
	if rows := s.problem.Rows - len(s.rows); rows > 0 {
		linalg.Gram(z, rows, t.width, nil, t.base)
	}
}

// fitted is a chain's point of a gaussian model: coefficients, of which the intercept is less the centre of the
// response, and log sigma.
type fitted struct {
	alpha    []float64
	logSigma float64
}

// gram writes that of all rows to h, symmetric. z has the rows with missing cells one after the other.
func (t *system) gram(z, scratch, h []float64) {
	n := len(z) / t.width
	for q := range n {
		for j, x := range z[q*t.width : (q+1)*t.width] {
			scratch[j*n+q] = x
		}
	}
	linalg.Gram(scratch, n, t.width, nil, h)
	for i := range t.width {
		for j := range i + 1 {
			h[i*t.width+j] += t.base[i*t.width+j]
			h[j*t.width+i] = h[i*t.width+j]
		}
	}
}

// draw draws the coefficients of a model given sigma, then sigma given them. It reports false if a log density was
// not finite.
func (t *system) draw(m *linear, f *fitted, h []float64, k *kernel) bool {
	if p := m.sigma.Dispersion; p.Kind == prior.Constant {
		f.logSigma = vec.Log(p.Location)
	}
	d, w := len(m.at), vec.Exp(-2*f.logSigma)
	a, b := make([]float64, d*d), make([]float64, d)
	for i, p := range m.at {
		for j, q := range m.at[:i+1] {
			a[i*d+j] = float64(w * h[p*t.width+q])
		}
		precision := 1 / m.prior[i].Scale / m.prior[i].Scale
		a[i*d+i] += precision
		centre := m.prior[i].Location
		if i == 0 {
			centre -= t.centre[m.column]
		}
		b[i] = math.FMA(w, h[p*t.width+m.own], float64(precision*centre))
	}
	factor, err := linalg.Cholesky(a, d)
	if err != nil { // of a rank that rounding has lost: no move
		return true
	}
	factor.SolveLower(b)
	for i := range b {
		b[i] += variate.Normal(k.Stream)
	}
	factor.SolveUpper(b)
	copy(f.alpha, b)
	return t.drawSigma(m, f, t.squares(m, f, h), k)
}

// squares returns Σ (response − prediction)².
func (t *system) squares(m *linear, f *fitted, h []float64) float64 {
	sum := h[m.own*t.width+m.own]
	for i, p := range m.at {
		inner := -2 * h[p*t.width+m.own]
		for j, q := range m.at {
			inner = math.FMA(f.alpha[j], h[p*t.width+q], inner)
		}
		sum = math.FMA(f.alpha[i], inner, sum)
	}
	return max(sum, 0)
}

// drawSigma moves sigma by a slice of its logarithm; a prior may fix it.
func (t *system) drawSigma(m *linear, f *fitted, squares float64, k *kernel) bool {
	if p := m.sigma.Dispersion; p.Kind == prior.Constant {
		f.logSigma = vec.Log(p.Location)
		return true
	}
	at := func(x float64) float64 {
		likelihood := math.FMA(-t.rows, x, float64(float64(-0.5*squares)*vec.Exp(-2*x)))
		return likelihood + m.sigma.Dispersion.LogDensityAt(vec.Exp(x), x) + x
	}
	to, ok := k.slice1(at, f.logSigma, 2.5/math.Sqrt(2*t.rows))
	f.logSigma = to
	return ok
}

// precision writes Q, symmetric.
func (t *system) precision(points []fitted, q []float64) {
	clear(q)
	d := make([]float64, t.width)
	for i, m := range t.models {
		clear(d)
		d[m.own] = 1
		for j, p := range m.at {
			d[p] -= points[i].alpha[j]
		}
		w := vec.Exp(-2 * points[i].logSigma)
		for a, x := range d {
			if x == 0 {
				continue
			}
			wx := float64(w * x)
			for b, y := range d {
				q[a*t.width+b] = math.FMA(wx, y, q[a*t.width+b])
			}
		}
	}
}

// logPrior returns the log prior density of the parameters of the models.
func (t *system) logPrior(points []fitted) float64 {
	sum := 0.0
	for i, m := range t.models {
		for j, p := range m.prior {
			x := points[i].alpha[j]
			if j == 0 {
				x += t.centre[m.column]
			}
			sum += p.LogDensity(x)
		}
		if p := m.sigma.Dispersion; p.Kind != prior.Constant {
			sum += p.LogDensity(vec.Exp(points[i].logSigma))
		}
	}
	return sum
}
