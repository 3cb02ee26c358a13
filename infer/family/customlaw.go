package family

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"glmbatch/infer/expression"
	"glmbatch/infer/prior"
	"glmbatch/internal/words"
)

// linkOf returns a link of customLinks, whose effect is on a predictor. That of further predictors has no unit.
func linkOf(k int, predictor string) *Link {
	out := *customLinks[k].link
	if out.Effect = strings.ReplaceAll(out.Effect, "the mean", predictor); predictor != viewMean {
		out.Power = 0
	}
	return &out
}

// custom is a compiled Custom: the inputs of its graphs are the response, then the predictors of all kinds.
type custom struct {
	def          *Custom
	text         string
	density      *expression.Graph
	mean, random *expression.Graph // or nil
	data, moving int               // nodes of the density: the sum of terms of data alone, and that of the others
	parts        []*expression.Part
	links        []*Link // of predictors and scalars
	whole        *Distribution
	views        []*Distribution
}

// compile compiles the expressions.
func (c *Custom) compile() (out *custom, key string, err error) {
	out = &custom{def: c, text: c.String()}
	inputs, fixed := []expression.Input{{Name: "y"}}, uint64(1)
	for _, p := range c.Predictors {
		k := slices.Index(CustomLinks(), p.Link)
		if k < 0 {
			return nil, "", words.Hint(fmt.Errorf("%q is not a link of a predictor", p.Link),
				"the links are "+strings.Join(CustomLinks(), ", "))
		}
		out.links = append(out.links, linkOf(k, p.Name))
		inputs = append(inputs, expression.Input{Name: p.Name, As: customLinks[k].inverse})
	}
	for k := range c.Scalars {
		link, as := c.Scalars[k].inverse()
		out.links = append(out.links, link)
		inputs = append(inputs, expression.Input{Name: c.Scalars[k].Name, As: as})
	}
	for _, name := range c.Columns {
		fixed |= 1 << len(inputs)
		inputs = append(inputs, expression.Input{Name: name})
	}
	graphs := [3]*expression.Graph{}
	for k, text := range c.Texts() {
		if text[1] == "" && k > 0 {
			continue
		}
		tree, err := expression.Parse(text[1])
		if err == nil {
			graphs[k], err = expression.Compile(tree, inputs, k == 2)
		}
		if err != nil {
			return nil, text[0], err
		}
	}
	out.density, out.mean, out.random = graphs[0], graphs[1], graphs[2]
	out.data, out.moving = out.density.Split(fixed)
	for k := range out.links {
		out.parts = append(out.parts, out.density.Along(out.moving, 1+k))
	}
	out.describe()
	return out, "", nil
}

// describe makes the distribution and its views.
func (c *custom) describe() {
	c.whole = &Distribution{Name: CustomName, Links: []*Link{c.links[0]}, Support: real,
		Along: func(*Link) Likelihood { return Likelihood{Form: Termwise, Several: c, Faulty: c.faulty} },
		Notation: Notation{Law: "p, log p = " + c.def.LogDensity, LaTeX: `p`, Mean: c.def.Predictors[0].Name,
			TeX: `\mathrm{` + c.def.Predictors[0].Name + "}", Of: "the mean response"}}
	if c.def.Mean == "" {
		c.whole.Notation.Of = "the linear predictor"
		c.whole.Notation.Caution = "family custom has no mean, so that the linear predictor stands for it"
	}
	for k, link := range c.links {
		c.views = append(c.views, &Distribution{Name: c.view(k), Links: []*Link{link}, Support: real,
			Constant: func(*Rows) float64 { return 0 }, Notation: c.whole.Notation,
			Along: func(*Link) Likelihood { return Likelihood{Form: Termwise, Terms: customAlong{c, c.parts[k]}} }})
	}
}

// view names the likelihood along a predictor.
func (c *custom) view(k int) string { return CustomName + "/" + c.def.Names()[k] }

// named returns the distribution, or one of its views; nil of other names, and of no likelihood.
func (c *custom) named(name string) *Distribution {
	if c == nil {
		return nil
	}
	for _, l := range append(c.views, c.whole) {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// Predictors are the predictors, the scalars, then the columns.
func (c *custom) Predictors([]string) (out []Predictor) {
	for k, name := range c.def.Names() {
		p := Predictor{Name: name, Of: Family{Name: c.view(k), Link: c.links[k].Name, Custom: c.text}}
		if k == 0 {
			p.Name = ""
		} else {
			p.Intercept = prior.Prior{Kind: prior.StudentT, DF: 3, Scale: 2.5}
		}
		out = append(out, p)
	}
	for _, name := range c.columns() {
		out = append(out, Predictor{Name: name, Of: Family{Name: CustomName, Link: c.links[0].Name,
			Custom: c.text}})
	}
	return out
}

// columns are the names of the predictors that are columns.
func (c *custom) columns() (names []string) {
	for k := range c.def.Columns {
		names = append(names, CustomColumn(k))
	}
	return names
}

// inputs returns the response and the predictors of n rows from a row on.
func (c *custom) inputs(r *Rows, first, n int, eta [][]float64) [][]float64 {
	out := [][]float64{r.Y[first : first+n]}
	for _, e := range eta {
		out = append(out, e[:n])
	}
	return out
}

// Prepare computes the terms of data alone, unless they read columns, which are not known here.
func (c *custom) Prepare(r *Rows) {
	if r.Y == nil || len(c.def.Columns) > 0 {
		return
	}
	r.Each = make([]float64, len(r.Y))
	c.density.Values(r.Kernels, c.data, [][]float64{r.Y}, r.Each)
}

// startPrecision is that of a normal distribution of constants besides the first one, under which Start does not leave
// for infinity.
const startPrecision = 0.04

// Start climbs from constants at which the density is finite, each predictor in turn by the curvature.
func (c *custom) Start(r *Rows, predictors int) []float64 {
	n := len(r.Y)
	eta, v := make([][]float64, predictors), NewViews(predictors, n)[0]
	for k := range eta {
		if eta[k] = make([]float64, n); k >= len(c.links) {
			copy(eta[k], r.Given[k])
		}
	}
	at := c.first(r, eta)
	value := c.total(r, eta)
	slopes := [3][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}
	for range 30 {
		gain := 0.0
		for k := range c.links {
			c.Given(k, r, eta, v)
			c.slopes(k, r, v, eta[k], slopes)
			grad, curv, precision := r.counted(slopes[0]), r.counted(slopes[1]), startPrecision
			if k == 0 {
				precision = 0
			}
			grad -= float64(precision * at[k])
			curv += precision
			if curv = max(math.Abs(curv), 1e-3*math.Abs(grad)); !(curv > 0 && curv < math.MaxFloat64) {
				continue
			}
			from := at[k]
			for step := grad / curv; ; step *= 0.5 {
				if math.Abs(step) < 1e-6 {
					fill(eta[k], from)
					break
				}
				fill(eta[k], from+step)
				to := from + step
				next := c.total(r, eta)
				if more := next - value - float64(0.5*precision*(to-from)*(to+from)); more > 0 {
					at[k], gain, value = to, gain+more, next
					break
				}
			}
		}
		if gain < 1e-3 {
			break
		}
	}
	return at
}

// slopes writes derivatives of all rows.
func (c *custom) slopes(k int, r *Rows, v *View, eta []float64, dst [3][]float64) {
	rows := *r
	rows.Given, rows.first = v.Given, 0
	rows.chunks(func(i int, part Rows) {
		n := i + len(part.Y)
		customAlong{c, c.parts[k]}.Slopes(part, eta[i:n], dst[0][i:n], dst[1][i:n], dst[2][i:n])
	})
}

// first writes constants to eta at which the density is finite, and returns them: the mean response or 0 and its
// neighbours.
func (c *custom) first(r *Rows, eta [][]float64) []float64 {
	mean := 0.0
	for i, y := range r.Y {
		mean += float64(r.Count(i) * y / r.Total)
	}
	begin := 0.0
	if v := c.links[0].Of(mean); v-v == 0 {
		begin = v
	}
	for _, try := range [][2]float64{{begin, 0}, {begin, 1}, {0, 0}, {1, 1}, {0.5, 0.5}, {begin, -1}, {-1, -1}} {
		at := make([]float64, len(eta))
		for k := range c.links {
			at[k] = try[1]
			if k == 0 {
				at[k] = try[0]
			}
			fill(eta[k], at[k])
		}
		if v := c.total(r, eta); v > math.Inf(-1) && v < math.Inf(1) {
			return at
		}
	}
	out := make([]float64, len(eta))
	out[0] = begin
	for k := range c.links {
		fill(eta[k], out[k])
	}
	return out
}

// total is the log likelihood.
func (c *custom) total(r *Rows, eta [][]float64) float64 {
	each := make([]float64, len(r.Y))
	c.LogLik(r, 0, eta, each)
	return r.counted(each)
}

// faulty names the first row without a finite density.
func (c *custom) faulty(r *Rows, eta [][]float64) error {
	each := make([]float64, len(r.Y))
	c.LogLik(r, 0, eta, each)
	for i, v := range each {
		if v-v == 0 {
			continue
		}
		row, at := []float64{r.Y[i]}, []string{fmt.Sprintf("y = %.6g", r.Y[i])}
		for k, e := range eta {
			row = append(row, e[i])
			if k < len(c.links) {
				continue
			}
			at = append(at, fmt.Sprintf("%s = %.6g", c.def.Columns[k-len(c.links)], e[i]))
		}
		fault := c.density.Fault(row)
		if fault == nil {
			continue
		}
		fault.Hint = ""
		return &FaultError{Row: i, Err: fault, At: strings.Join(at, ", ")}
	}
	return nil
}

// FaultError is a row at which an expression is no finite number where chains would begin.
type FaultError struct {
	Row int // 0-based row of the design
	Err *expression.Error
	At  string
}

// Error names the row counted from 1, as people count.
func (e *FaultError) Error() string {
	return fmt.Sprintf("family custom: log_density, %v in row %d (%s), and no start was found where it is finite", e.Err,
		e.Row+1, e.At)
}

// Response returns the responses.
func (*custom) Response(_ int, r *Rows) []float64 { return r.Y }

// Given computes what the part along a predictor reads of the others.
func (c *custom) Given(p int, r *Rows, eta [][]float64, v *View) {
	n, part := len(r.Y), c.parts[p]
	if v.Given == nil { // so that chains begin at the constants of Start
		v.Given = [][]float64{}
	}
	for k := range part.Givens() {
		v.given(k, n)
	}
	rest := v.kept[0]
	part.Give(r.Kernels, c.inputs(r, 0, n, eta), v.Given, rest)
	if r.Each != nil {
		for i, e := range r.Each {
			rest[i] += e
		}
	} else {
		c.addData(r, 0, eta, rest)
	}
	endless(rest)
	v.Base = r.counted(rest)
}

// addData adds the terms of data alone.
func (c *custom) addData(r *Rows, first int, eta [][]float64, dst []float64) {
	of := make([]float64, len(dst))
	c.density.Values(r.Kernels, c.data, c.inputs(r, first, len(dst), eta), of)
	for i, v := range of {
		dst[i] += v
	}
}

// endless puts −Inf where there is no number, or one that has overflowed: outside of the support.
func endless(v []float64) {
	for i, x := range v {
		if !(x <= math.MaxFloat64) {
			v[i] = math.Inf(-1)
		}
	}
}

// LogLik is −Inf where the expression is no finite number.
func (c *custom) LogLik(r *Rows, first int, eta [][]float64, dst []float64) {
	c.density.Values(r.Kernels, c.moving, c.inputs(r, first, len(dst), eta), dst)
	if r.Each == nil {
		c.addData(r, first, eta, dst)
	} else {
		for i, e := range r.Each[first : first+len(dst)] {
			dst[i] += e
		}
	}
	endless(dst)
}

// Means is the first predictor if the family has no mean.
func (c *custom) Means(eta []float64, _ [2]float64, dst []float64) {
	if dst[0] = eta[0]; c.mean != nil {
		dst[0] = c.mean.Row(slices.Concat([]float64{math.NaN()}, eta), nil)
	}
}

// CDF is not known.
func (*custom) CDF(float64, []float64, [2]float64, float64) float64 { return math.NaN() }

// Draw is NaN if the family has none.
func (c *custom) Draw(s prior.Source, eta []float64, _ [2]float64, _ float64) float64 {
	if c.random == nil {
		return math.NaN()
	}
	return c.random.Row(slices.Concat([]float64{math.NaN()}, eta), s)
}

// customAlong is the likelihood along one predictor.
type customAlong struct {
	*custom
	part *expression.Part
}

// given are the numbers of the rows.
func (l customAlong) given(r *Rows) (out [][]float64) {
	for k := range l.part.Givens() {
		out = append(out, r.given(k))
	}
	return out
}

func (l customAlong) Terms(r Rows, eta, dst []float64) {
	l.part.Values(r.Kernels, l.given(&r), eta, dst)
	endless(dst[:len(eta)])
}

// Slopes: the information is the curvature, or the square of a score where that is negative.
func (l customAlong) Slopes(r Rows, eta, grad, curv, info []float64) {
	l.part.Slopes(r.Kernels, l.given(&r), eta, grad, curv)
	for i, slope := range grad[:len(eta)] {
		if !(math.Abs(slope) < 1e150 && math.Abs(curv[i]) < math.MaxFloat64) {
			grad[i], curv[i] = 0, 0
		}
		if info[i] = curv[i]; !(curv[i] > 0) {
			info[i] = float64(grad[i] * grad[i])
		}
	}
}

func (customAlong) Norm(Rows) float64                 { return 0 }
func (customAlong) Scores(Rows, []float64) [2]float64 { return [2]float64{} }
