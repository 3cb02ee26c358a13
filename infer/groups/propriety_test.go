package groups

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// diverges integrates exp(log) over boxes of the logarithms of some sds, of which the last one reaches from e^−far to
// e^far and those before end nearer by a third, and reports whether the last shell adds as much as the one before: a tail
// of T^−1 does, one of T^−2 adds less by the factor of their ends.
func diverges(dim int, far float64, log func(u []float64) float64) bool {
	const step = 0.5
	ends := []float64{far * 2 / 3, far * 5 / 6}
	u := make([]float64, dim)
	var sums [3]float64
	top := math.Inf(-1)
	var visit func(k int, reach, jacobian float64)
	visit = func(k int, reach, jacobian float64) {
		if k == dim {
			v := log(u) + jacobian
			if math.IsInf(v, -1) {
				return
			}
			if v > top {
				for i := range sums {
					sums[i] *= math.Exp(top - v)
				}
				top = v
			}
			at, _ := slices.BinarySearch(ends, reach)
			sums[at] += math.Exp(v - top)
			return
		}
		for x := -far; x < far; x += step {
			u[k] = x + step/2
			visit(k+1, max(reach, math.Abs(u[k])), jacobian+u[k])
		}
	}
	visit(0, 0, 0)
	return sums[2] > 1e-9*(sums[0]+sums[1]) && sums[2] > 0.6*sums[1]
}

// rulesCase is a model whose posterior has an integral or none.
type rulesCase struct {
	what  string
	data  *glm.Data
	model glm.Model
	log   func(u []float64) float64 // log density of the free sds, all else integrated out
	dim   int
	far   float64
}

// agrees holds the verdict of the rules to the integral.
func (c rulesCase) agrees(t *testing.T, count map[bool]int) {
	t.Helper()
	_, err := NewModel(c.data, c.model, nil)
	got := diverges(c.dim, c.far, c.log)
	count[got]++
	if got != (err != nil) {
		t.Errorf("%s: the integral diverges: %v, refused: %v", c.what, got, err)
	}
}

// effectsOf has a level for each row.
func effectsOf(group string, of []int32, columns ...[]float64) *design.Effects {
	levels := slices.Max(of) + 1
	e := &design.Effects{Group: group, Grouping: design.NewGrouping(of, int(levels)), Columns: columns}
	for t := range columns {
		e.Terms = append(e.Terms, fmt.Sprint("t", t))
	}
	for l := range levels {
		e.Levels = append(e.Levels, fmt.Sprint(l))
	}
	return e
}

// ofColumns is a model of these columns, without its effects' priors.
func ofColumns(family, link string, y []float64, coef prior.Prior, columns ...[]float64) (*glm.Data, glm.Model) {
	x, m := design.NewDense(len(y), len(columns)), glm.Model{Family: glm.Family{Name: family, Link: link}}
	for j, c := range columns {
		copy(x.Col(j), c)
		m.Coefficients = append(m.Coefficients, coef)
	}
	return &glm.Data{X: x, Y: y, Intercept: -1}, m
}

var (
	flatPrior   = prior.Prior{Kind: prior.Flat}
	normalPrior = prior.Prior{Kind: prior.Normal, Scale: 2}
	onePrior    = prior.Prior{Kind: prior.Constant, Location: 1}
)

// oneWay is an intercept with levels of rows each, under sigma and one sd. same makes responses equal within levels.
func oneWay(levels, rows int, same bool, coef, sigma, sd prior.Prior) rulesCase {
	var y []float64
	var of []int32
	within, means := 0.0, make([]float64, levels)
	for l := range levels {
		for i := range rows {
			v := math.Sin(float64(3*l+1)) + 0.5*float64(i)*math.Cos(float64(l+5*i))
			if same {
				v = math.Sin(float64(3*l + 1))
			}
			y, of = append(y, v), append(of, int32(l))
			means[l] += v / float64(rows)
		}
		for i := range rows {
			d := y[l*rows+i] - means[l]
			within += d * d
		}
	}
	if same {
		within = 0
	}
	data, m := ofColumns("gaussian", "identity", y, coef, filled(len(y)))
	data.Effects = []*design.Effects{effectsOf("g", of, nil)}
	m.Dispersion, m.Effects = sigma, []glm.EffectsPrior{{SD: []prior.Prior{sd}}}
	c := rulesCase{what: fmt.Sprintf("%d levels of %d rows, equal %v, coefficient %s, sigma %s, sd %s", levels, rows, same, coef.Kind,
		sigma, sd), data: data, model: m, dim: 1, far: 18}
	if sigma.Kind != prior.Constant {
		c.dim = 2
	}
	c.log = func(u []float64) float64 {
		tau, s := math.Exp(u[0]), 1.0
		out := sd.LogDensity(tau)
		if c.dim == 2 {
			s = math.Exp(u[1])
			out += sigma.LogDensity(s)
		}
		v := tau*tau + s*s/float64(rows)
		out -= float64(levels*(rows-1))*math.Log(s) + within/(2*s*s) + float64(levels)*math.Log(v)/2
		precision, at := float64(levels)/v, 0.0
		for _, m := range means {
			at += m / v
		}
		if coef.Kind == prior.Normal {
			precision += 1 / coef.Scale / coef.Scale
			at /= precision
			out -= at * at / (2 * coef.Scale * coef.Scale)
		} else {
			at /= precision
		}
		for _, m := range means {
			out -= (m - at) * (m - at) / (2 * v)
		}
		return out - math.Log(precision)/2
	}
	return c
}

// The rules for one grouping of a gaussian are the integrals over its sd and sigma: few levels, flat and proper
// coefficients, priors of sigma, rows that the levels fit perfectly, and a prior like inverse_gamma(0.001, 0.001).
func TestProprietyOfOneWay(t *testing.T) {
	count := map[bool]int{}
	cauchy := prior.Prior{Kind: prior.HalfCauchy, Scale: 1}
	for levels := 1; levels <= 4; levels++ {
		weak := prior.Prior{Kind: prior.InverseGamma, Shape: 0.001, Scale: 0.001}
		if levels == 1 { // whose own tail, of e^−u/1000, no box would show
			weak.Shape = 0.4
		}
		for _, sd := range []prior.Prior{flatPrior, cauchy, weak} {
			for _, sigma := range []prior.Prior{flatPrior, onePrior, cauchy, {Kind: prior.InverseGamma, Shape: 1, Scale: 1},
				{Kind: prior.Gamma, Shape: 6, Rate: 1}} {
				oneWay(levels, 3, false, flatPrior, sigma, sd).agrees(t, count)
				oneWay(levels, 3, false, normalPrior, sigma, sd).agrees(t, count)
				oneWay(levels, 3, true, normalPrior, sigma, sd).agrees(t, count)
				oneWay(levels, 1, false, normalPrior, sigma, sd).agrees(t, count)
			}
		}
	}
	if count[true] < 20 || count[false] < 100 {
		t.Errorf("the cases are one-sided: %v", count)
	}
}

// dense is a gaussian with sigma 1 whose covariance is written out; all coefficients have one prior, all sds are flat.
func dense(what string, coef prior.Prior, columns [][]float64, effects ...*design.Effects) rulesCase {
	n := len(columns[0])
	y := make([]float64, n)
	for i := range y {
		y[i] = math.Sin(float64(7 * i))
	}
	data, m := ofColumns("gaussian", "identity", y, coef, columns...)
	data.Effects, m.Dispersion = effects, onePrior
	dim := 0
	for _, e := range effects {
		p := glm.EffectsPrior{LKJ: 1}
		for range e.Columns {
			p.SD = append(p.SD, flatPrior)
			dim++
		}
		m.Effects = append(m.Effects, p)
	}
	return rulesCase{what: what + ", coefficients " + string(coef.Kind), data: data, model: m, dim: dim, far: 9,
		log: func(u []float64) float64 { return denseLog(y, coef, columns, effects, u) }}
}

// denseLog is the log density of the responses at logarithms of sds.
func denseLog(y []float64, coef prior.Prior, columns [][]float64, effects []*design.Effects, u []float64) float64 {
	n := len(y)
	v := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			at := 0
			for _, e := range effects {
				for t := range e.Columns {
					f := sdOf{e, t}
					if e.Grouping.Of()[i] == e.Grouping.Of()[j] {
						v[i*n+j] += math.Exp(2*u[at]) * f.z(i) * f.z(j)
					}
					at++
				}
			}
			if coef.Kind == prior.Normal {
				for _, c := range columns {
					v[i*n+j] += coef.Scale * coef.Scale * c[i] * c[j]
				}
			}
		}
		v[i*n+i]++
	}
	out := -cholesky(v, n) / 2
	solved := func(x []float64) []float64 {
		z := slices.Clone(x)
		lower(v, n, z)
		return z
	}
	z := solved(y)
	if coef.Kind == prior.Flat { // REML's determinant, and y without its projection
		d := len(columns)
		var white [][]float64
		gram := make([]float64, d*d)
		b := make([]float64, d)
		for a, c := range columns {
			white = append(white, solved(c))
			for k := range a + 1 {
				gram[a*d+k] = dot(white[a], white[k])
			}
			b[a] = dot(white[a], z)
		}
		out -= cholesky(gram, d) / 2
		lower(gram, d, b)
		return out - (dot(z, z)-dot(b, b))/2
	}
	return out - dot(z, z)/2
}

// The rules for several flat sds of a gaussian are the integrals over all of them: groupings that are the same, nested or
// crossed, slopes, columns that are constant within levels, levels in which a slope has no rows.
func TestProprietyOfSeveral(t *testing.T) {
	by := func(n, levels, each int) []int32 {
		of := make([]int32, n)
		for i := range of {
			of[i] = int32(i / each % levels)
		}
		return of
	}
	ramp := func(n int, f func(i int) float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	slope := ramp(12, func(i int) float64 { return float64(i%3) - 0.7 })
	between := ramp(12, func(i int) float64 { return float64(i / 4) })
	some := ramp(12, func(i int) float64 { return slope[i] * float64(min(i/4, 1)) })
	ones := filled(12)
	count := map[bool]int{}
	for _, coef := range []prior.Prior{flatPrior, normalPrior} {
		for levels := 2; levels <= 5; levels++ {
			same := by(12, levels, 1)
			dense(fmt.Sprint(levels, " levels twice"), coef, [][]float64{ones}, effectsOf("g", same, nil), effectsOf("h", same, nil)).
				agrees(t, count)
		}
		three := by(12, 3, 4)
		dense("a column between levels", coef, [][]float64{ones, between}, effectsOf("g", three, nil)).agrees(t, count)
		dense("slopes", coef, [][]float64{ones, slope}, effectsOf("g", three, slope)).agrees(t, count)
		dense("slopes of two levels", coef, [][]float64{ones, slope}, effectsOf("g", three, some)).agrees(t, count)
		dense("slopes and intercepts", coef, [][]float64{ones, slope}, effectsOf("g", three, nil), effectsOf("g", three, slope)).
			agrees(t, count)
		dense("crossed", coef, [][]float64{ones}, effectsOf("g", by(12, 3, 4), nil), effectsOf("h", by(12, 2, 2), nil)).agrees(t, count)
		dense("crossed, 3 and 4", coef, [][]float64{ones}, effectsOf("g", by(12, 3, 4), nil), effectsOf("h", by(12, 4, 1), nil)).
			agrees(t, count)
		dense("nested", coef, [][]float64{ones}, effectsOf("g", by(12, 2, 6), nil), effectsOf("h", by(12, 4, 3), nil)).agrees(t, count)
	}
	if count[true] < 6 || count[false] < 6 {
		t.Errorf("the cases are one-sided: %v", count)
	}
}

// counts is a model of levels by their responses with a flat sd: one coefficient, of a column x by level and row or of
// ones, and effects of a column z or of ones.
func counts(family, link string, m float64, coef prior.Prior, levels, x [][]float64, z []float64) rulesCase {
	var y, column, trials []float64
	var of []int32
	for l, rows := range levels {
		for i, v := range rows {
			y, of, trials = append(y, v), append(of, int32(l)), append(trials, m)
			column = append(column, 1)
			if x != nil {
				column[len(column)-1] = x[l][i]
			}
		}
	}
	data, model := ofColumns(family, link, y, coef, column)
	if family == "binomial" {
		data.Trials = trials
	}
	data.Effects = []*design.Effects{effectsOf("g", of, z)}
	model.Effects, model.Dispersion = []glm.EffectsPrior{{SD: []prior.Prior{flatPrior}}}, prior.Prior{Kind: prior.Constant, Location: 1.5}
	points, err := glm.NewPointwise(model.Family, data)
	if err != nil {
		panic(err)
	}
	return rulesCase{what: fmt.Sprint(family, link, levels, x, z, coef.Kind), data: data, model: model, dim: 1, far: 12,
		log: func(u []float64) float64 {
			if u[0] < -1 { // where the grid of effects is too wide, and nothing can diverge
				return math.Inf(-1)
			}
			return overLevels(points, u[0], coef, column, sdOf{data.Effects[0], 0})
		}}
}

// overLevels integrates over a coefficient and the effect of every level, given the logarithm of the sd: by trapezoids
// between points that are even in asinh, of effects around 0 and around where a row's linear predictor is 0.
func overLevels(points *glm.Pointwise, u float64, coef prior.Prior, column []float64, f sdOf) float64 {
	const step = 0.25
	total, levels, of := 0.0, f.Grouping.Levels(), f.Grouping.Of()
	each, parts, disp := make([]float64, len(of)), make([]float64, levels), []float64{1.5, 0}
	var near []float64
	for w := -16.0; w <= 16; w += step {
		near = append(near, math.Sinh(w))
	}
	for v := -16.0; v <= 16; v += 2 * step {
		beta := math.Sinh(v)
		product := math.Cosh(v) * math.Exp(coef.LogDensity(beta))
		if product == 0 {
			continue
		}
		at := slices.Clone(near)
		for _, x := range near {
			at = append(at, x-beta*column[len(column)-1]/f.z(len(column)-1))
		}
		slices.Sort(at)
		sums := make([]float64, levels)
		for k := 1; k+1 < len(at); k++ {
			r, width := at[k], (at[k+1]-at[k-1])/2
			for i, x := range column {
				each[i] = beta*x + r*f.z(i)
			}
			points.LogLik(0, each, disp, each)
			clear(parts)
			for i, l := range of {
				parts[l] += each[i]
			}
			for l, p := range parts {
				sums[l] += width * math.Exp(p-r*r*math.Exp(-2*u)/2-u)
			}
		}
		for _, s := range sums {
			product *= s
		}
		total += product
	}
	return math.Log(total)
}

// The rules for counts are the integrals: levels that bound their effect from both sides, and such that do not; a slope
// between success and failure whose prior has no mean; links whose mean goes to 0 under a gaussian.
func TestProprietyOfCounts(t *testing.T) {
	cauchy := prior.Prior{Kind: prior.Cauchy, Scale: 1}
	count := map[bool]int{}
	mixed, one := []float64{0, 1}, []float64{1, 1}
	apart := [][]float64{{-1, 1}, {-1, 1}, {-1, 1}}
	for known := range infertest.Scale(3, 4) {
		var binary, few, some [][]float64
		for l := range 4 {
			if l < known {
				binary, few, some = append(binary, mixed), append(few, []float64{1}), append(some, []float64{0, 2})
				continue
			}
			binary, few, some = append(binary, one), append(few, []float64{0}), append(some, []float64{0, 0})
		}
		for _, coef := range []prior.Prior{normalPrior, cauchy} {
			counts("bernoulli", "logit", 1, coef, binary, nil, nil).agrees(t, count)
			counts("bernoulli", "cauchit", 1, coef, binary, nil, nil).agrees(t, count)
			counts("binomial", "logit", 3, coef, few, nil, nil).agrees(t, count)
			counts("poisson", "log", 1, coef, some, nil, nil).agrees(t, count)
			counts("negative_binomial", "log", 1, coef, some, nil, nil).agrees(t, count)
		}
	}
	for _, coef := range []prior.Prior{normalPrior, cauchy, {Kind: prior.StudentT, DF: 3, Scale: 1}} {
		counts("bernoulli", "logit", 1, coef, [][]float64{mixed, mixed, mixed}, apart, nil).agrees(t, count)
		counts("poisson", "log", 1, coef, [][]float64{{0, 1}, {0, 2}, {0, 3}}, apart, nil).agrees(t, count)
	}
	ends := []float64{-1, 1, -1, 1, -1, 1}
	for _, levels := range [][][]float64{{mixed, mixed, mixed}, {mixed, one, one}, {mixed, one, {0, 0}}, {{0, 0}, one, {0, 0}}} {
		counts("bernoulli", "logit", 1, normalPrior, levels, nil, ends).agrees(t, count)
	}
	counts("gaussian", "log", 1, normalPrior, [][]float64{{1, 2}, {2, 3}, {1, 3}, {1, 4}}, nil, nil).agrees(t, count)
	if count[true] < 10 || count[false] < 10 {
		t.Errorf("the cases are one-sided: %v", count)
	}
}

// A response that columns and levels fit perfectly is reported, whatever the groupings; one that is hardly off is
// fitted.
func TestPerfectFit(t *testing.T) {
	for name, s := range map[string]study{
		"one way": newStudy("gaussian", "identity", 60, [2]int{8, 1}), "slopes": newStudy("gaussian", "identity", 60, [2]int{8, 2}),
		"crossed": newStudy("gaussian", "identity", 120, [2]int{8, 1}, [2]int{12, 2}),
		"nested":  newStudy("gaussian", "identity", 120, [2]int{5, 1}).nested(20, 0),
		"student": newStudy("student_t", "identity", 60, [2]int{8, 1}),
		"tall":    newStudy("gaussian", "identity", 20_000, [2]int{500, 1}, [2]int{200, 2}),
	} {
		s.model.Dispersion = prior.Prior{Kind: prior.HalfStudentT, DF: 3, Scale: 2.5}
		s.data.Y, s.data.Offset = make([]float64, s.data.Rows()), covariate(s.data.Rows(), 1)
		target, err := NewModel(&s.data, s.model, nil)
		must(t, err)
		p, theta := NewPredictor(target), make([]float64, len(target.Parameters()))
		for j, param := range target.params {
			theta[j] = 0.5
			if param.Kind == infer.GroupEffect || param.Kind == infer.Coefficient {
				theta[j] = math.Sin(float64(j))
			}
		}
		p.SetTheta(theta)
		copy(s.data.Y, p.Eta())
		_, err = New(&s.data, s.model, nil, Options{})
		if err == nil || !strings.Contains(err.Error(), "fit the "+s.model.Family.Name+" response perfectly") {
			t.Errorf("%s: %v", name, err)
		}
		model := s.model
		model.Dispersion = prior.Prior{Kind: prior.InverseGamma, Shape: 1, Scale: 1}
		if _, err := New(&s.data, model, nil, Options{}); err != nil {
			t.Errorf("%s, sigma kept from 0: %v", name, err)
		}
		s.data.Y[5] += 1e-9
		if _, err := New(&s.data, s.model, nil, Options{}); err != nil {
			t.Errorf("%s, a row off by 1e-9: %v", name, err)
		}
	}
}
