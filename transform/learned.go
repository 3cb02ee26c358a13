package transform

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"glmbatch/infer/glm"
)

// learned holds the measures of all rows that coding needs if these come in blocks: the levels of factors, and the
// sums for scale(), poly(), ns() and bs(). Sums are exact in that no row is left out; they run in one fixed order.
type learned struct {
	rows    int // that are used
	texts   map[string]map[string]bool
	numbers map[string]map[float64]bool
	present map[string][]bool     // of cut(), by its text
	sums    map[string]*powerSums // by role and text
}

// Roles of expressions: terms learn from all rows that have their numbers, the sides from those that are used.
const termRole, sideRole = "term ", "side "

// powerSums are sums of the powers of a number, as their triangular factor.
type powerSums struct {
	degree    int
	first     float64 // the first number, which is taken off
	low, high float64
	triangle  *glm.Triangle
	columns   [][]float64
}

// add takes numbers in. Cost: O(degree²) for each.
func (p *powerSums) add(x []float64) {
	if len(x) == 0 {
		return
	}
	if p.triangle == nil {
		p.triangle, p.first, p.low, p.high = glm.NewTriangle(p.degree), x[0], x[0], x[0]
		p.columns = make([][]float64, p.degree)
	}
	for k := range p.columns {
		p.columns[k] = slices.Grow(p.columns[k][:0], len(x))[:len(x)]
	}
	for i, v := range x {
		p.low, p.high = min(p.low, v), max(p.high, v)
		t, power := v-p.first, 1.0
		for _, c := range p.columns {
			power = float64(power * t)
			c[i] = power
		}
	}
	p.triangle.Push(p.columns, nil)
}

// mean is that of the numbers.
func (p *powerSums) mean() float64 { m, _ := p.triangle.Moments(0); return p.first + m }

// spread is the root of Σ(x − centre)²/(n − 1).
func (p *powerSums) spread(centre float64) float64 {
	n, off := p.triangle.Total, p.mean()-centre
	within := p.triangle.At(1, 1)
	return math.Sqrt(math.FMA(within, within, float64(n*off*off)) / math.Max(1, n-1))
}

// orthogonal returns the coefficients that orthogonal finds from all numbers: with R the factor of the powers, the
// squares of its diagonal are the norms, and αₖ = rₖ,ₖ₊₁/rₖₖ − rₖ₋₁,ₖ/rₖ₋₁,ₖ₋₁. known is false if the numbers have
// too few values for the degree.
//
// Source: Golub and Welsch (1969), Calculation of Gauss quadrature rules, doi:10.1090/S0025-5718-69-99647-1, section 4.
func (p *powerSums) orthogonal() (alpha, norm2 []float64, known bool) {
	r := p.triangle.At
	norm2 = []float64{1}
	before := 0.0
	for k := range p.degree + 1 {
		square := 0.0 // of the column
		for i := range k + 1 {
			square = math.FMA(r(i, k), r(i, k), square)
		}
		if !(math.Abs(r(k, k)) > 1e-12*math.Sqrt(square)) {
			return nil, nil, false
		}
		norm2 = append(norm2, float64(r(k, k)*r(k, k)))
		if k < p.degree {
			ratio := r(k, k+1) / r(k, k)
			alpha, before = append(alpha, p.first+(ratio-before)), ratio
		}
	}
	return alpha, norm2, true
}

// basis is the basis that learn finds from all numbers.
func (p *powerSums) basis(c *basisCall) (*Basis, error) {
	out := &Basis{Kind: c.kind, Degree: c.degree, Raw: c.raw, Intercept: c.all}
	if c.kind != "poly" {
		limits := [2]float64{p.low, p.high}
		return out, c.place(out, limits, func() ([]float64, error) { return nil, nil })
	}
	var known bool
	if out.Alpha, out.Norm2, known = p.orthogonal(); !known {
		return nil, fmt.Errorf("it has too few distinct values for a polynomial of degree %d", c.degree)
	}
	return out, out.finite()
}

// want is one thing that is learned of an expression.
type want struct {
	key    string
	of     *node
	degree int
}

// wants lists what is learned of a variable's expression. A measure that needs more than one pass over the rows is
// refused.
func (b *builder) wants(v *variable, role string) ([]want, error) {
	n, call, err := v.argument()
	if err != nil {
		return nil, err
	}
	var out []want
	scales := n.count("scale")
	nested := false
	var visit func(m *node, within bool)
	visit = func(m *node, within bool) {
		is := m.kind == nodeCall && m.text == "scale"
		if is {
			nested = nested || within
			out = append(out, want{role + m.exact(), m.arguments()[0], 1})
		}
		for _, arg := range m.args {
			visit(arg, within || is)
		}
	}
	if scales > 0 {
		visit(n, false)
	}
	cut := v.node.kind == nodeCall && v.node.text == "cut"
	switch {
	case nested, scales > 0 && (cut || call != nil && !call.raw):
		return nil, b.refused(v, "learns from the data what is learned from them already",
			"write numbers for one of the two: scale(x, 50, 10) has centre 50 and scale 10")
	case call == nil || call.raw:
	case call.kind == "poly":
		out = append(out, want{role + v.key, call.x, call.degree})
	case call.knots == nil && call.df > call.fixedColumns():
		return nil, b.refused(v, "has its knots at quantiles", "write them out: knots = c(10, 20)")
	default:
		out = append(out, want{role + v.key, call.x, 1})
	}
	return out, nil
}

// refused is the error of a measure that rows in blocks do not give.
func (b *builder) refused(v *variable, why, hint string) error {
	return b.formulaError(v.pos, v.label+" "+why+", which is not known while rows are read only once",
		hint+"; or leave rows: factored out")
}

// learnPiece adds the measures of the rows of a piece, and reports whether there is anything to learn.
func (b *builder) learnPiece() (anything bool, err error) {
	b.all.rows += b.n
	for _, t := range b.chosen.smooths {
		return false, b.refused(&b.chosen.variables[t.x[0]], "is made of all of its values", "write ns() or bs() with knots")
	}
	note := func(some bool, failed error) bool {
		anything, err = anything || some, failed
		return err == nil
	}
	for i := range b.chosen.variables {
		used := func(t term) bool { return slices.Contains(t, i) }
		if slices.ContainsFunc(b.chosen.terms, used) && !note(b.learnVariable(&b.chosen.variables[i])) {
			return false, err
		}
	}
	sides := []*variable{&b.chosen.response}
	for i := range b.chosen.offsets {
		sides = append(sides, &b.chosen.offsets[i])
	}
	for _, v := range sides {
		if !note(b.learnNumbers(v, sideRole, b.keep, b.n)) {
			return false, err
		}
	}
	return anything, nil
}

// learnVariable adds the measures of the rows for a variable of the terms.
func (b *builder) learnVariable(v *variable) (anything bool, err error) {
	c, isFactor := b.factorColumn(v)
	switch {
	case isFactor && c.kind == logical || !isFactor && v.plain():
		return false, nil
	case isFactor:
		return true, b.learnLevels(c)
	}
	keep, rows := b.complete(v.columns)
	anything, err = b.learnNumbers(v, termRole, keep, rows)
	if err == nil && v.node.listed() {
		return true, b.learnIntervals(v)
	}
	return anything, err
}

// learnNumbers adds up what scale(), poly(), ns() and bs() learn.
func (b *builder) learnNumbers(v *variable, role string, keep []bool, rows int) (anything bool, err error) {
	wants, err := b.wants(v, role)
	if err != nil {
		return false, err
	}
	for _, w := range wants {
		p := b.all.sums[w.key]
		if p == nil {
			p = &powerSums{degree: w.degree}
			b.all.sums[w.key] = p
		}
		e := &evaluator{b: b, source: v.source, keep: keep, n: rows}
		x, err := e.values(w.of)
		if err != nil {
			return false, err
		}
		p.add(x)
	}
	return len(wants) > 0, nil
}

// learnLevels notes the values of a factor's column.
func (b *builder) learnLevels(c *column) error {
	found := 0
	if c.kind == numeric {
		of := b.all.numbers[c.name]
		if of == nil {
			of = map[float64]bool{}
			b.all.numbers[c.name] = of
		}
		for _, v := range b.numbers(c.name) {
			of[v] = true
		}
		found = len(of)
	} else if f := c.factor(b.keep, b.n, maxLevels); f != nil {
		of := b.all.texts[c.name]
		if of == nil {
			of = map[string]bool{}
			b.all.texts[c.name] = of
		}
		for _, level := range f.levels {
			of[level] = true
		}
		found = len(of)
	} else {
		found = maxLevels + 1
	}
	if found > maxLevels {
		return b.manyLevels(c)
	}
	return nil
}

// learnIntervals notes the intervals of a cut() in which rows lie.
func (b *builder) learnIntervals(v *variable) error {
	f, err := b.computedFactor(v, nil)
	if err != nil {
		return err
	}
	of := b.all.present[v.key]
	if of == nil {
		of = make([]bool, len(f.levels))
		b.all.present[v.key] = of
	}
	for _, code := range f.codes {
		of[code] = true
	}
	return nil
}

// levels are those of a column in the order of factor.
func (a *learned) levels(c *column) (out []string) {
	if c.kind == numeric {
		var numbers []float64
		//maporder:ok they are sorted
		for v := range a.numbers[c.name] {
			numbers = append(numbers, v)
		}
		slices.Sort(numbers)
		for _, v := range numbers {
			out = append(out, rNumber(v))
		}
		return slices.Compact(out)
	}
	//maporder:ok they are sorted
	for level := range a.texts[c.name] {
		out = append(out, level)
	}
	sort.Strings(out)
	return out
}
