package transform

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"glmbatch/infer/glm"
)

// response reads the response and its trials, and checks them against the
// family's domain.
func (b *builder) response() error {
	b.out.Data = new(glm.Data)
	c := b.columns[b.chosen.response.column]
	b.record.Response = Response{Column: c.name, Kind: string(c.kind)}
	binary := b.spec.Family.Name == "bernoulli" || b.spec.Family.Name == "binomial" && b.chosen.trials == nil
	switch {
	case c.kind == text && binary:
		if err := b.twoLevels(c); err != nil {
			return err
		}
	case c.kind == text:
		return b.columnError(c.name, fmt.Errorf("the response is text, and a %s response is a number", b.spec.Family.Name), "")
	case c.kind == logical && !binary:
		return b.columnError(c.name, fmt.Errorf("the response is true or false, and a %s response is a number", b.spec.Family.Name), "family: bernoulli models such a response")
	case c.kind == logical && b.spec.Levels[c.name] != nil:
		return b.columnError(c.name, errors.New("levels are given for a response that is true or false"), "true is the success; leave the levels out")
	default:
		b.out.Data.Y = make([]float64, b.n)
		c.floats(b.out.Data.Y, b.keep)
	}
	if err := b.trials(); err != nil {
		return err
	}
	if err := b.domain(); err != nil {
		return err
	}
	return b.varies()
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
			hint = fmt.Sprintf("say which value is which: levels: {%s: [failure, success]}", quoteName(c.name))
		}
		return b.columnError(c.name, fmt.Errorf("the response is text with %d values (%s), and a %s response has two", len(f.levels), list(f.levels), b.spec.Family.Name), hint)
	}
	b.out.Data.Y = make([]float64, b.n)
	for i, code := range f.codes {
		b.out.Data.Y[i] = float64(code)
	}
	b.record.Response.Levels = f.levels
	b.note("modelling %s = %s (against %s)", c.name, f.levels[1], f.levels[0])
	return nil
}

// trials reads the totals of a binomial response.
func (b *builder) trials() error {
	t := b.chosen.trials
	if t == nil {
		return nil
	}
	if b.spec.Family.Name != "binomial" {
		return &FormulaError{Formula: b.spec.Formula.source, Pos: t.pos,
			Message: fmt.Sprintf("trials() belongs to family binomial, not %s", b.spec.Family.Name), Hint: "write family: binomial, or leave trials() out"}
	}
	b.record.Response.Trials = t.column
	trials := make([]float64, b.n)
	if t.column == "" {
		for i := range trials {
			trials[i] = t.constant
		}
		b.record.Response.TrialsEach = t.constant
	} else {
		c := b.columns[t.column]
		if c.kind != numeric {
			return b.columnError(c.name, fmt.Errorf("its type is %s, and trials are counts", c.typ), "")
		}
		c.floats(trials, b.keep)
	}
	b.out.Data.Trials = trials
	return nil
}

// domain names the first cell of the response that its family cannot have.
func (b *builder) domain() error {
	data := b.out.Data
	err := glm.CheckResponse(b.spec.Family, data.Y, data.Trials)
	var bad *glm.DomainError
	if !errors.As(err, &bad) {
		if err != nil {
			return b.tableError(err.Error(), "")
		}
		return nil
	}
	name := b.chosen.response.column
	if bad.What == "trials" && b.chosen.trials.column != "" {
		name = b.chosen.trials.column
	}
	hint := ""
	switch {
	case b.spec.Family.Name == "binomial" && data.Trials == nil:
		hint = fmt.Sprintf("successes of several trials are written %s | trials(total) ~ …", quoteName(name))
	case b.spec.Family.Name == "bernoulli" && bad.Value > 1:
		hint = "recode it to 0 and 1; counts out of a total are family binomial, with trials()"
	}
	value := strconv.FormatFloat(bad.Value, 'g', -1, 64)
	return b.cellError(name, b.tableRow(bad.Row), fmt.Errorf("%s is not allowed: %s", value, bad.Allowed), hint)
}

// varies looks at a response that has one value only.
func (b *builder) varies() error {
	y, name := b.out.Data.Y, b.chosen.response.column
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
	switch family := b.spec.Family.Name; {
	case family == "gaussian" && b.chosen.intercept:
		return b.columnError(name, fmt.Errorf("the response has no variance: it is %v in all %d rows, which the intercept fits perfectly", y[0], b.n),
			"look for a mistake in the data; there is nothing to model")
	case b.chosen.trials == nil && family == "binomial", family == "bernoulli", family == "poisson" && y[0] == 0:
		b.warn("the response %q is %v in all %d rows: only the prior keeps the coefficients finite", name, y[0], b.n)
	}
	return nil
}

// offsets adds up the offsets of the formula, in its order.
func (b *builder) offsets() error {
	for _, o := range b.chosen.offsets {
		c := b.columns[o.column]
		if c.kind != numeric {
			return b.columnError(c.name, fmt.Errorf("its type is %s, and an offset is a number", c.typ), "")
		}
		values := make([]float64, b.n)
		c.floats(values, b.keep)
		if largest, at, _ := extent(values); largest > tooLarge {
			return b.tooLarge(c.name, values[at], at)
		}
		if o.function == "log" {
			for i, v := range values {
				if !(v > 0) {
					return b.cellError(c.name, b.tableRow(i), fmt.Errorf("%v has no logarithm, and the offset is log(%s)", v, c.name), "an exposure is above 0; drop or correct such rows where the data are made")
				}
				values[i] = naturalLog(v)
			}
		}
		if b.out.Data.Offset == nil {
			b.out.Data.Offset = values
		} else {
			for i, v := range values {
				b.out.Data.Offset[i] += v
			}
		}
		b.record.Offsets = append(b.record.Offsets, Offset{Column: o.column, Function: o.function})
	}
	return nil
}
