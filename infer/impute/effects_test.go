package impute

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
)

// grouped are group-level effects of a study: of an intercept, and with slope of x, which is complete.
type grouped struct {
	levels int
	slope  bool
	every  int // rows in a row that have one level
}

func (g grouped) terms() int {
	if g.slope {
		return 2
	}
	return 1
}

// level of a row. The last one has no row.
func (g grouped) level(i int) int { return i / g.every % (g.levels - 1) }

// drawnEffects are those of a grouping: cor of two terms, and r by term and then by level.
type drawnEffects struct {
	sd  []float64
	cor []float64
	r   []float64
}

func (s *study) sdPrior() prior.Prior {
	if s.tight {
		return prior.Prior{Kind: prior.Constant, Location: 0.7}
	}
	return prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 5}
}

// lkj is the shape of the prior of a correlation, whose distribution is that of 2·Beta(lkj, lkj) − 1.
func (s *study) lkj() float64 {
	if s.tight {
		return 5e5
	}
	return studyLKJ
}

const studyLKJ = 1.5

// drawEffects draws those of all groupings.
func (s *study) drawEffects(r *infer.Stream) (out []drawnEffects) {
	for _, g := range s.groups {
		d := drawnEffects{}
		for range g.terms() {
			sd := 0.7
			if !s.tight {
				sd = variate.Gamma(r, 4) / 5
			}
			d.sd = append(d.sd, sd)
		}
		d.r = make([]float64, g.terms()*g.levels)
		if g.slope {
			d.cor = []float64{2*variate.Beta(r, s.lkj(), s.lkj()) - 1}
		}
		for l := range g.levels {
			z := variate.Normal(r)
			d.r[l] = d.sd[0] * z
			if g.slope {
				d.r[g.levels+l] = d.sd[1] * (d.cor[0]*z + math.Sqrt(1-d.cor[0]*d.cor[0])*variate.Normal(r))
			}
		}
		out = append(out, d)
	}
	return out
}

// offset is that of a row in a study that has one.
func offset(i int) float64 { return float64(i%3) - 1 }

// offsetOf returns the sum of the effects and the offset in the linear predictor of a row.
func (s *study) offsetOf(effects []drawnEffects, i int, x float64) (sum float64) {
	if s.offset {
		sum = offset(i)
	}
	for k, g := range s.groups {
		l := g.level(i)
		sum += effects[k].r[l]
		if g.slope {
			sum += x * effects[k].r[g.levels+l]
		}
	}
	return sum
}

// withEffects gives a problem the group-level effects of a study.
func (s *study) withEffects(p *Problem, t *truth) {
	for k, g := range s.groups {
		of, x := make([]int32, s.n), slices.Clone(t.x)
		for i := range of {
			of[i] = int32(g.level(i))
		}
		e := &design.Effects{Grouping: design.NewGrouping(of, g.levels), Group: fmt.Sprint("g", k),
			Terms: []string{"Intercept"}, Columns: [][]float64{nil}}
		for l := range g.levels {
			e.Levels = append(e.Levels, fmt.Sprint(l))
		}
		law := glm.EffectsPrior{SD: []prior.Prior{s.sdPrior()}, LKJ: s.lkj()}
		if g.slope {
			e.Terms, e.Columns, law.SD = append(e.Terms, "x"), append(e.Columns, x), append(law.SD, s.sdPrior())
		}
		p.Data.Effects, p.Model.Effects = append(p.Data.Effects, e.Taken(p.Of)), append(p.Model.Effects, law)
		if p.Unseen != nil {
			p.Unseen.Effects = append(p.Unseen.Effects, e.Taken(p.UnseenOf))
		}
	}
}

// scales are the sds and correlations as Position writes them, and effects those of levels.
func (s *study) scales(of []drawnEffects) (out []float64) {
	for _, d := range of {
		if !s.tight {
			out = append(out, d.sd...)
		}
		out = append(out, d.cor...)
	}
	return out
}

func (s *study) effectsOf(of []drawnEffects) (out []float64) {
	for _, d := range of {
		out = append(out, d.r...)
	}
	return out
}

// readEffects reads them: scales are at the head of a position, effects at its end.
func (s *study) readEffects(scales, effects []float64) (out []drawnEffects, heads int) {
	for _, g := range s.groups {
		d := drawnEffects{sd: slices.Repeat([]float64{0.7}, g.terms())}
		if !s.tight {
			heads += copy(d.sd, scales[heads:])
		}
		if g.slope {
			d.cor = scales[heads : heads+1]
			heads++
		}
		d.r, effects = effects[:g.terms()*g.levels], effects[g.terms()*g.levels:]
		out = append(out, d)
	}
	return out, heads
}

// count is the number of effects of levels.
func (s *study) count() (n int) {
	for _, g := range s.groups {
		n += g.terms() * g.levels
	}
	return n
}

// logEffects is the log prior density of scales and effects.
func (s *study) logEffects(of []drawnEffects) (sum float64) {
	for k, g := range s.groups {
		d, law := &of[k], s.sdPrior()
		for _, sd := range d.sd {
			if !s.tight {
				sum += law.LogDensity(sd)
			}
		}
		c := 0.0
		if g.slope {
			c = d.cor[0]
			const constant = 0.636619772367581 // 2/π: Γ(2·1.5)/Γ(1.5)²/4
			sum += math.Log(constant) + (studyLKJ-1)*math.Log(1-c*c)
		}
		for l := range g.levels {
			a := d.r[l] / d.sd[0]
			sum -= 0.5*a*a + math.Log(d.sd[0]) + 0.5*math.Log(2*math.Pi)
			if g.slope {
				b := (d.r[g.levels+l]/d.sd[1] - c*a) / math.Sqrt(1-c*c)
				sum -= 0.5*b*b + math.Log(d.sd[1]) + 0.5*math.Log(1-c*c) + 0.5*math.Log(2*math.Pi)
			}
		}
	}
	return sum
}

// second are the squares of numbers, to which a variance may be added.
func second(v, variance []float64) (out []float64) {
	for i, x := range v {
		out = append(out, x*x)
		if variance != nil {
			out[i] += variance[i]
		}
	}
	return out
}

// logLatent is the log density of cells, effects and responses, of which some are missing, given the parameters, of
// gaussian models.
func (s *study) logLatent(t *truth, latent []float64) (total float64) {
	normal := func(x, mean, sd float64) { z := (x - mean) / sd; total -= 0.5 * z * z }
	u, v := slices.Clone(t.u), slices.Clone(t.v)
	for _, i := range t.missU {
		u[i], latent = latent[0], latent[1:]
	}
	for _, i := range t.missV {
		v[i], latent = latent[0], latent[1:]
	}
	y := slices.Clone(t.y)
	for _, i := range t.unseen {
		y[i], latent = latent[0], latent[1:]
	}
	effects, _ := s.readEffects([]float64{0, 0}, latent)
	for i, x := range t.x {
		normal(u[i], t.a[0]+t.a[1]*x, t.su)
		normal(v[i], s.vEta(t.b, x, u[i])[0], t.sv)
		normal(t.w[i], sum(t.d[0], t.d[1:], s.entries(v[i])), t.sw)
		normal(y[i], sum(t.c[0]+t.c[1]*x+t.c[2]*u[i], t.c[3:], s.entries(v[i]))+s.offsetOf(effects, i, x), t.disp)
	}
	return total + s.logEffects(effects)
}

// normalLaw returns means and variances of cells, first of u, then of v, of missing responses, and of effects.
func (s *study) normalLaw(t *testing.T, r *truth) (mean, variance []float64) {
	t.Helper()
	d := len(r.missU) + len(r.missV) + len(r.unseen) + s.count()
	at := func(places ...int) float64 {
		latent := make([]float64, d)
		for _, j := range places {
			latent[j]++
		}
		return s.logLatent(r, latent)
	}
	minus := func(j int) float64 {
		latent := make([]float64, d)
		latent[j] = -1
		return s.logLatent(r, latent)
	}
	precision, slope := make([]float64, d*d), make([]float64, d)
	for i := range d {
		slope[i] = (at(i) - minus(i)) / 2
		for j := range i + 1 {
			precision[i*d+j] = -(at(i, j) - at(i) - at(j) + at())
		}
	}
	factor, err := linalg.Cholesky(precision, d)
	must(t, err)
	for i := range d {
		unit := make([]float64, d)
		unit[i] = 1
		factor.Solve(unit)
		variance = append(variance, unit[i])
	}
	factor.Solve(slope)
	return slope, variance
}

// compare runs a chain and compares means of statistics of its positions with what they should be.
func (s *study) compare(t *testing.T, k *kernel, want []float64, statistics func(theta []float64) []float64) {
	t.Helper()
	const batches = 40
	size := infertest.Scale(160, 500)
	means := make([][]float64, batches)
	theta := make([]float64, len(k.params))
	for b := range means {
		means[b] = make([]float64, len(want))
		for range size {
			if _, err := k.Step(); err != nil {
				t.Fatal(err)
			}
			k.Position(theta)
			for j, x := range statistics(theta) {
				means[b][j] += x / float64(size)
			}
		}
	}
	for j, w := range want {
		mean, second := 0.0, 0.0
		for b := range means {
			mean += means[b][j] / batches
		}
		for b := range means {
			second += (means[b][j] - mean) * (means[b][j] - mean)
		}
		se := math.Sqrt(second/(batches-1)/batches) + 1e-9
		if z := (mean - w) / se; !(math.Abs(z) < 6.5) {
			t.Errorf("moment %d: %.5f ± %.5f, want %.5f (z = %.1f)", j, mean, se, w, z)
		}
	}
}

// In a gaussian model with all parameters fixed, cells and effects are jointly normal, with means and variances
// that follow from the log density, a quadratic form that differences determine exactly. False alarms: below 1e-6 a
// case: 6.5 standard errors of 40 means of batches. Power: 6,400 iterations put these errors at some 0.02 of a
// standard deviation.
func TestCellsAndEffectsAreNormal(t *testing.T) {
	for name, s := range map[string]study{
		"one grouping": {groups: []grouped{{levels: 4, every: 2}}},
		"crossed":      {groups: []grouped{{levels: 4, every: 1}, {levels: 3, every: 5}}, unseen: true},
		"nested":       {groups: []grouped{{levels: 3, every: 6}, {levels: 6, every: 3}}},
		"slopes":       {groups: []grouped{{levels: 4, slope: true, every: 1}}, unseen: true},
		"turns":        {groups: []grouped{{levels: 4, every: 2}}, turns: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.family, s.plain, s.n, s.tight = gaussian, true, 20, true
			r := s.draw(infer.NewStream(31, "effects", name))
			r.disp = 0.8
			k := s.kernel(t, r, 32, name)
			first := len(k.params) - s.count() - len(r.unseen) - len(r.missU) - len(r.missV)
			mean, variance := s.normalLaw(t, r)
			want := append(mean, second(mean, variance)...)
			s.compare(t, k, want, func(theta []float64) []float64 {
				return append(slices.Clone(theta[first:]), second(theta[first:], nil)...)
			})
		})
	}
}

// exactInGroups are the means of cells, as in exact, and of the effects of the levels of one grouping and their
// squares, by sums over a grid of each effect: given the parameters levels are independent, and given its effect so
// are the rows of a level.
func (s *study) exactInGroups(t *truth) (want []float64) {
	g, cells := s.groups[0], map[[2]int]float64{}
	var effects, squares []float64
	for l := range g.levels {
		total, mean, second := 0.0, 0.0, 0.0
		sums := map[[2]int]float64{}
		for r := -3.5; r <= 3.5; r += 0.1 {
			weight, at := math.Exp(-0.5*r*r/0.49), map[[2]int]float64{}
			for i := range s.n {
				missU, missV := slices.Contains(t.missU, i), slices.Contains(t.missV, i)
				if g.level(i) != l || !missU && !missV && slices.Contains(t.unseen, i) {
					continue
				}
				u, square, v, uv, density := s.exactCells(t, i, r)
				weight *= density
				at[[2]int{i, 0}], at[[2]int{i, 1}], at[[2]int{i, 2}], at[[2]int{i, 3}] = u, square, uv, v
			}
			total, mean, second = total+weight, mean+weight*r, second+weight*r*r
			for key, x := range at {
				sums[key] += weight * x
			}
		}
		effects, squares = append(effects, mean/total), append(squares, second/total)
		for key, x := range sums {
			cells[key] = x / total
		}
	}
	for _, i := range t.missU {
		want = append(want, cells[[2]int{i, 0}], cells[[2]int{i, 1}], cells[[2]int{i, 2}])
	}
	for _, i := range t.missV {
		want = append(want, cells[[2]int{i, 3}])
	}
	return slices.Concat(want, effects, squares)
}

// For any family with all parameters fixed, the distribution of the cells and the effect of a level is a sum over
// grids. False alarms and power are those of TestCellsAndEffectsAreNormal.
func TestCellsAndEffectsAgainstEnumeration(t *testing.T) {
	for name, s := range map[string]study{
		"bernoulli": {family: bernoulli, unseen: true}, "poisson": {family: poisson}, "gamma": {family: gamma},
		"bernoulli, product": {family: bernoulli, code: product}, "gaussian, levels": {family: gaussian, levels: true},
		"bernoulli, levels": {family: bernoulli, levels: true, unseen: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.n, s.tight, s.groups = 20, true, []grouped{{levels: 4, every: 2}}
			r := s.draw(infer.NewStream(35, "grids", name))
			r.disp = 0.8
			k := s.kernel(t, r, 36, name)
			s.compare(t, k, s.exactInGroups(r), func(theta []float64) []float64 {
				effects := theta[len(theta)-s.count():]
				return slices.Concat(s.cells(r, theta), effects, second(effects, nil))
			})
		})
	}
}

// Rows of many data stay in their order, which is that of the cells: their linear predictors are those of entries and
// effects.
func TestRowsOfTallDataStay(t *testing.T) {
	s := study{family: gaussian, plain: true, n: 17_000, groups: []grouped{{levels: 40, every: 1}}}
	r := s.draw(infer.NewStream(41, "tall"))
	k := s.kernel(t, r, 42, "tall")
	for range 2 {
		if _, err := k.Step(); err != nil {
			t.Fatal(err)
		}
	}
	theta, main := make([]float64, len(k.params)), k.readers[k.main]
	k.Position(theta)
	effects, _ := s.readEffects(theta, theta[len(theta)-s.count():])
	for i, e := range main.point.Eta() {
		want := s.offsetOf(effects, i, r.x[i])
		for j := range main.x.Cols {
			want += main.point.Beta(j) * main.x.Col(j)[i]
		}
		if math.Abs(e-want) > 1e-9 {
			t.Fatalf("eta of row %d is %v, its entries and effects give %v", i, e, want)
		}
	}
}

// effectSummaries are the compared functions of effects: themselves, their squares, and their products with cells
// of their level.
func (s *study) effectSummaries(t *truth, theta []float64) (out []float64) {
	if s.count() == 0 {
		return nil
	}
	effects, _ := s.readEffects(theta, theta[len(theta)-s.count():])
	at := len(theta) - s.count() - len(t.unseen) - len(s.numbers(0))*len(t.missV) - len(t.missU)
	for k, g := range s.groups {
		r, squares, products := effects[k].r, 0.0, 0.0
		for _, e := range r {
			squares += e * e
		}
		for j, i := range t.missU {
			products += theta[at+j] * r[g.level(i)]
		}
		out = append(out, r[0], r[g.levels-1], r[len(r)-1], squares, products)
	}
	return out
}
