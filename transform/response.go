package transform

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/internal/words"
)

// response reads the response and its trials, and checks them against the
// family's domain.
func (b *builder) response() error {
	v := &b.chosen.response
	b.record.Response = Response{Column: v.columns[0], Expression: v.key, Kind: string(b.columns[v.columns[0]].kind)}
	if err := b.spec.Formula.CheckFamily(b.spec.Family); err != nil {
		return err
	}
	for _, step := range []func() error{b.outcome, b.trials, b.domain, b.limits, b.varies} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// outcome reads the response.
func (b *builder) outcome() error {
	v := &b.chosen.response
	c := b.columns[v.columns[0]]
	support := b.spec.Family.Support()
	binary := support.Probability() && (!support.Trials || b.chosen.trials == nil)
	switch {
	case support.CountsClasses():
		return b.counts()
	case support.Classes && !v.plain():
		return b.columnError(c.name, fmt.Errorf("%s is computed, and a %s response is a column of classes", v.key,
			b.spec.Family.Name), "make the column in the query or the file")
	case !v.plain():
		y, scales, err := b.evaluate(v, b.record.Response.Scales)
		if err != nil {
			return err
		}
		b.out.Data.Y, b.record.Response.Kind, b.record.Response.Scales = y, string(numeric), scales
	case support.Classes && !c.dated():
		if err := b.classes(c); err != nil {
			return err
		}
	case c.dated():
		return b.columnError(c.name, fmt.Errorf("the response is of type %s, and %w", c.typ, errDates),
			"make a number of it in the query or the file")
	case c.kind == text && binary:
		if err := b.twoLevels(c); err != nil {
			return err
		}
	case c.kind == text:
		return b.columnError(c.name, fmt.Errorf("the response is text, and a %s response is a number", b.spec.Family.Name),
			"")
	case c.kind == logical && !binary:
		return b.columnError(c.name, fmt.Errorf("the response is true or false, and a %s response is a number",
			b.spec.Family.Name), "family: bernoulli models such a response")
	case c.kind == logical && b.spec.Levels[c.name] != nil:
		return b.columnError(c.name, errors.New("levels are given for a response that is true or false"),
			"true is the success; leave the levels out")
	default:
		b.out.Data.Y = make([]float64, b.n)
		c.floats(b.out.Data.Y, b.keep)
	}
	return nil
}

// twoLevels codes a text response: its second level is the success.
func (b *builder) twoLevels(c *column) error {
	f, err := b.readFactor(c)
	if err != nil {
		return err
	}
	if len(f.levels) != 2 {
		hint := "make a column of 0 and 1 in the query or the file"
		if len(f.levels) == 1 {
			hint = fmt.Sprintf("name both values: levels: {%s: [failure, success]}", quoteName(c.name))
		}
		return b.columnError(c.name, fmt.Errorf("the response is text with %d values (%s), and a %s response has two",
			len(f.levels), words.List(f.levels), b.spec.Family.Name), hint)
	}
	b.out.Data.Y = make([]float64, b.n)
	for i, code := range f.codes {
		b.out.Data.Y[i] = float64(code)
	}
	b.record.Response.Levels = f.levels
	b.note("modelling %s = %s (against %s)", c.name, f.levels[1], f.levels[0])
	return nil
}

// classes codes a response in classes: its first level is the reference. Numbers are classes in increasing order.
func (b *builder) classes(c *column) error {
	f, err := b.readFactor(c)
	if err != nil {
		return err
	}
	if len(f.levels) < 2 || len(f.levels) > family.MostClasses {
		return b.columnError(c.name, fmt.Errorf("the response has %d values, and a %s response has 2 to %d classes",
			len(f.levels), b.spec.Family.Name, family.MostClasses), "name a column of classes, or take another family")
	}
	counts := make([]int, len(f.levels))
	b.out.Data.Y = make([]float64, b.n)
	for i, code := range f.codes {
		b.out.Data.Y[i] = float64(code)
		counts[code]++
	}
	for k, count := range counts {
		if count == 0 {
			b.warn("no row has the class %s of %s: only the prior keeps its coefficients finite", f.levels[k], c.name)
		}
	}
	b.record.Response.Levels = f.levels
	if b.spec.Family.Support().Ordered {
		b.note("modelling the classes of %s in their order: %s", c.name, strings.Join(f.levels, " < "))
		if b.spec.cuts && c.kind == text && b.spec.Levels[c.name] == nil {
			b.warn("the order of the classes of %s is that of their letters: write levels: {%s: [lowest, …, highest]} for "+
				"another", c.name, quoteName(c.name))
		}
		return nil
	}
	b.note("modelling the classes of %s: %s (the reference is %s)", c.name, words.List(f.levels), f.levels[0])
	return nil
}

// trials reads the totals of a binomial response.
func (b *builder) trials() error {
	t := b.chosen.trials
	if t == nil {
		return nil
	}
	if !b.spec.Family.Support().Trials {
		return &FormulaError{
			Formula: b.spec.Formula.source, Pos: t.pos,
			Err: words.Hint(fmt.Errorf("%s() belongs to family binomial, not %s", b.chosen.totals(), b.spec.Family.Name),
				fmt.Sprintf("write family: binomial, or leave %s() out", b.chosen.totals())),
		}
	}
	trials := make([]float64, b.n)
	if each, ok := t.node.number(); ok {
		for i := range trials {
			trials[i] = each
		}
		b.record.Response.TrialsEach = each
	} else {
		c := b.columns[t.columns[0]]
		if c.kind != numeric {
			return b.columnError(c.name, fmt.Errorf("its type is %s, and trials are counts", c.typ), "")
		}
		var err error
		if trials, _, err = b.evaluate(t, nil); err != nil {
			return err
		}
		b.record.Response.Trials = t.key
	}
	b.out.Data.Trials = trials
	if b.chosen.proportion && b.out.Data.Y != nil {
		return b.successes()
	}
	return nil
}

// totals is the word for the source of the trials.
func (s *selection) totals() string {
	if s.proportion {
		return "proportion"
	}
	return "trials"
}

// successes turns proportions into counts: a proportion times its trials is a
// whole number to 1e-6 of it, and to a tenth.
func (b *builder) successes() error {
	b.record.Response.Proportion = true
	y, name := b.out.Data.Y, b.chosen.response.columns[0]
	for i, p := range y {
		if !(p >= 0 && p <= 1) {
			return b.cellError(name, b.tableRow(i), fmt.Errorf("%v is not allowed: a proportion is a number from 0 to 1", p),
				fmt.Sprintf("successes are written %s | trials(…)", quoteName(name)))
		}
		product := float64(p * b.out.Data.Trials[i])
		y[i] = math.Round(product)
		if !(math.Abs(product-y[i]) <= min(1e-6*max(1, y[i]), 0.1)) {
			return b.cellError(name, b.tableRow(i),
				fmt.Errorf("%v of %v trials are %v successes, which is not a whole number", p, b.out.Data.Trials[i], product),
				"give proportions with all their digits, or the successes themselves: s | trials(n)")
		}
	}
	return nil
}

// evaluate computes a variable of numbers over the rows of the design. The divisors of scale() are learned, unless
// new data are coded.
func (b *builder) evaluate(v *variable, scales []Scaling) ([]float64, []Scaling, error) {
	e := &evaluator{b: b, source: v.source, keep: b.keep, n: b.n, learn: !b.known, scales: scales, role: sideRole}
	x, err := e.values(v.node)
	return x, e.scales, err
}

// domain names the first cell of the response that its family cannot have.
func (b *builder) domain() error {
	data := b.out.Data
	if data.Counts != nil {
		return b.checkCounts()
	}
	err := family.CheckResponse(b.spec.Family, data.Y, data.Trials)
	var bad *glm.DomainError
	if !errors.As(err, &bad) {
		if err != nil {
			return b.tableError(err.Error(), "")
		}
		return nil
	}
	name := b.chosen.response.columns[0]
	if bad.What == "trials" && len(b.chosen.trials.columns) > 0 {
		name = b.chosen.trials.columns[0]
	}
	hint, support := "", b.spec.Family.Support()
	switch {
	case support.Trials && data.Trials == nil:
		hint = fmt.Sprintf("successes of several trials are written %s | trials(total) ~ …", quoteName(name))
	case support.Probability() && !support.Trials && bad.Value > 1:
		hint = "recode it to 0 and 1; counts out of a total are family binomial, with trials()"
	case bad.What == "response" && family.AboveMaxCount(bad.Value):
		hint = fmt.Sprintf("for such counts write log(%s) as the response, with family: gaussian", quoteName(name))
	}
	return b.cellError(name, b.tableRow(bad.Row), fmt.Errorf("%s is not allowed: %s", spellCount(bad.Value), bad.Allowed),
		hint)
}

// spellCount writes a number, of a whole number all digits.
func spellCount(v float64) string {
	if v == math.Floor(v) && math.Abs(v) < 1e21 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// varies looks at a response that has one value only.
func (b *builder) varies() error {
	y, name := b.out.Data.Y, b.chosen.response.columns[0]
	if b.out.Data.Counts != nil {
		return nil
	}
	largest, at, constant := extent(y)
	if largest > tooLarge {
		return b.tooLarge(name, y[at], at)
	}
	if trials := b.out.Data.Trials; trials != nil && (largest == 0 || slices.Equal(y, trials)) {
		b.warn("the response %q has no %s in any of %d rows: only the prior keeps the coefficients finite", name,
			map[bool]string{true: "success", false: "failure"}[largest == 0], b.n)
	}
	if !constant {
		return nil
	}
	return b.oneResponse(y[0])
}

// oneResponse looks at a response that is the same in all rows.
func (b *builder) oneResponse(y float64) error {
	name := b.chosen.response.columns[0]
	switch f := b.spec.Family; {
	case f.Noise() && b.chosen.intercept:
		return b.columnError(name,
			fmt.Errorf("the response has no variance: it is %v in all %d rows, which the intercept fits perfectly", y, b.n),
			"look for a mistake in the data; there is nothing to model")
	case b.chosen.trials == nil && f.Support().Probability(), !f.HasDispersion() && f.Support().Counts() && y == 0,
		f.Support().Classes:
		b.warn("the response %q is %v in all %d rows: only the prior keeps the coefficients finite", name, y, b.n)
	}
	return nil
}

// standardErrors reads the known standard errors of the response, as precisions.
func (b *builder) standardErrors() error {
	v := b.chosen.errors
	if v == nil {
		return nil
	}
	f := b.spec.Family
	if !f.Is(family.Squares) {
		return b.formulaError(v.pos, fmt.Sprintf("se() belongs to family gaussian with the link identity, not to %s",
			strings.TrimSpace(f.Name+" "+f.Link)), "leave se() out")
	}
	errs, _, err := b.evaluate(v, nil)
	if err != nil {
		return err
	}
	for i, s := range errs {
		errs[i] = 1 / float64(s*s)
		if s <= 0 || glm.CheckWeights(f, nil, errs[i:i+1]) != nil {
			return b.cellError(v.columns[0], b.tableRow(i),
				fmt.Errorf("%v is not allowed: a standard error is a number above 0, between 1e-50 and 1e50", s),
				"leave out rows whose standard error is not known")
		}
	}
	b.out.Data.Precision, b.out.KnownErrors, b.record.Response.Errors = errs, true, v.key
	return nil
}

// offsets adds up the offsets of the formula, in its order.
func (b *builder) offsets() error {
	f := b.spec.Family
	if rate := b.chosen.rate; rate != nil && !(f.Support().Counts() && f.Is(family.Exponential)) {
		return b.formulaError(rate.pos, fmt.Sprintf("rate() belongs to family poisson with the link log, not to %s",
			strings.TrimSpace(f.Name+" "+f.Link)), "offset(log(t)) multiplies the mean by t; rate(t) of brms multiplies the "+
			"shape of a negative binomial too")
	}
	for i := range b.chosen.offsets {
		v := &b.chosen.offsets[i]
		values, scales, err := b.evaluate(v, nil)
		if err != nil {
			return err
		}
		b.record.Offsets = append(b.record.Offsets, Offset{Expression: v.key, Scales: scales})
		if err := b.addOffset(v, values); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) addOffset(v *variable, values []float64) error {
	c := b.columns[v.columns[0]]
	if v.plain() && c.kind != numeric {
		return b.columnError(c.name, fmt.Errorf("its type is %s, and an offset is a number", c.typ), "")
	}
	if largest, at, _ := extent(values); largest > tooLarge {
		return b.tooLarge(c.name, values[at], at)
	}
	if b.out.Data.Offset == nil {
		b.out.Data.Offset = values
		return nil
	}
	for i, u := range values {
		b.out.Data.Offset[i] += u
	}
	return nil
}

// response reads one response: a column, or a function of columns.
func (s *selector) response(n *node) error {
	switch {
	case n.kind == nodeCall && (slices.Contains(bases, n.text) || slices.Contains(factorCalls, n.text)):
		return s.fail(n.pos, fmt.Sprintf("%s() cannot be a response", n.text),
			"the response is a column, or a function of it such as log(y)")
	case n.kind == nodeCall || n.kind == nodeBinary && strings.Contains("*/^**", n.text):
		if err := s.arithmetic(n); err != nil {
			return err
		}
	case n.kind != nodeName:
		return s.fail(n.pos, "the response must be one column",
			"put backquotes around a name that is not a plain word, and I() around a sum")
	}
	if err := s.columnsOf(n); err != nil {
		return err
	}
	label := n.text
	if n.kind != nodeName {
		label = n.label()
	}
	v := newVariable(n, label, s.formula.source)
	s.out.response = *v
	s.take(v)
	return nil
}

// reserve reads offset() and trials() anywhere on the right, and finds the columns of trials(), groupings and smooths,
// which . and globs leave out.
func (s *selector) reserve(n *node) error {
	switch {
	case n.isBar():
		return s.reserveGroupings(n)
	case n.isSmooth():
		return s.reserveSmooth(n)
	case n.kind == nodeCall && n.text == "offset":
		return s.offset(n)
	case n.kind == nodeCall && n.text == "trials":
		return s.trials(n)
	case n.kind != nodeSum && n.kind != nodeParen:
		return nil
	}
	for _, arg := range n.args {
		if err := s.reserve(arg); err != nil {
			return err
		}
	}
	return nil
}

// trials reads trials(number), trials(column) or trials(a + b), and proportion()
// of the same.
func (s *selector) trials(n *node) error {
	if s.out.trials != nil {
		return s.fail(n.pos, "trials() is given twice", "")
	}
	if len(n.args) != 1 || n.names[0] != "" {
		return s.fail(n.pos, n.text+"() takes one column, or one number",
			"for example trials(total), trials(12) or trials(successes + failures)")
	}
	arg := n.args[0]
	if v, ok := arg.number(); ok {
		if v < 1 || v != float64(int32(v)) {
			return s.fail(arg.pos, fmt.Sprintf("%s(%s) is not a count", n.text, arg.label()), "")
		}
	} else if err := s.arithmetic(arg); err != nil {
		return err
	}
	return s.takeTrials(arg)
}

// offset reads offset(x) or offset of a function of columns.
func (s *selector) offset(n *node) error {
	if len(n.args) != 1 || n.names[0] != "" {
		return s.fail(n.pos, "offset() takes one column", "write offset(x) or offset(log(x)) of a column x")
	}
	arg := n.args[0]
	if err := s.arithmetic(arg); err != nil {
		return err
	}
	if err := s.columnsOf(arg); err != nil {
		return err
	}
	s.out.offsets = append(s.out.offsets, *newVariable(arg, arg.label(), s.formula.source))
	return nil
}
