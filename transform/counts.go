package transform

import (
	"fmt"

	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/internal/words"
)

// cbind reads R's cbind(successes, failures), or cbind(a, b, c) of counts of classes: trials are their sum.
func (s *selector) cbind(n *node) error {
	if n.text != "cbind" {
		return s.fail(n.pos, n.text+"() of brms is not supported with a family",
			alone+"; latent classes have mixture: {components: 2} and no family")
	}
	if len(n.args) < 2 {
		return s.fail(n.pos, "cbind() with a family is of successes and failures, or of counts of classes",
			"write cbind(successes, failures), or successes | trials(total)")
	}
	sum := &node{kind: nodeSum, pos: n.pos}
	for i, arg := range n.args {
		if err := s.arithmetic(arg); err != nil {
			return err
		}
		if i == 0 {
			if err := s.response(arg); err != nil {
				return err
			}
			sum.args, sum.minus = append(sum.args, arg), append(sum.minus, false)
		} else {
			if err := s.columnsOf(arg); err != nil {
				return err
			}
			part := arg
			if len(n.args) == 2 || arg.kind != nodeName {
				part = &node{kind: nodeParen, pos: arg.pos, args: []*node{arg}}
			}
			sum.args, sum.minus = append(sum.args, part), append(sum.minus, false)
		}
		v := newVariable(arg, arg.label(), s.formula.source)
		s.out.counts = append(s.out.counts, *v)
		s.take(v)
	}
	if s.out.trials != nil {
		return nil
	}
	return s.takeTrials(sum)
}

// explained returns the columns of the response.
func (s *selection) explained() []string {
	out := append([]string(nil), s.response.columns...)
	for i := range s.counts {
		out = append(out, s.counts[i].columns...)
	}
	return unique(out)
}

// CheckFamily returns a *FormulaError for a response whose number of columns does not suit the family.
func (f *Formula) CheckFamily(of glm.Family) error {
	s := &selector{formula: f, strict: anyName, taken: make(map[string]bool)}
	if s.left(f.left) != nil {
		return nil // reported where the formula is read
	}
	counts, given := s.out.counts, f.left.bare().kind == nodeBinary
	switch classes := of.Support().CountsClasses(); {
	case classes && counts == nil:
		return s.fail(f.left.pos, fmt.Sprintf("a %s response has a column of counts for each class", of.Name),
			"write cbind(a, b, c) ~ x")
	case classes && len(counts) > family.MostClasses:
		return s.fail(f.left.pos, fmt.Sprintf("a %s response has at most %d classes", of.Name, family.MostClasses), "")
	case classes:
		for i := range counts {
			if v := &counts[i]; !v.plain() {
				return s.fail(v.pos, v.label+" is computed, and counts of classes are columns, whose names are those of the "+
					"classes", "make the column in the query or the file")
			}
		}
	case len(counts) > 2:
		return s.fail(f.left.pos, "cbind() of more than two columns is of counts of classes, not of family "+of.Name,
			"write family: multinomial; successes and failures are cbind(successes, failures); several responses are of "+
				"latent classes, which have mixture: {components: 2} and no family")
	case counts != nil && given && f.left.count("trials") > 0:
		return s.fail(f.left.pos, "cbind() and trials() both give the number of trials", "write one of them")
	}
	return nil
}

// recallCounts finds the columns of the classes.
func (b *builder) recallCounts() {
	if !b.spec.Family.Support().CountsClasses() {
		return
	}
	for _, name := range b.record.Response.Levels {
		b.chosen.counts = append(b.chosen.counts, *newVariable(&node{kind: nodeName, text: name}, name, name))
	}
}

// counts reads the counts of each class, whose columns name the classes.
func (b *builder) counts() error {
	var names []string
	data := b.out.Data
	for i := range b.chosen.counts {
		c := b.columns[b.chosen.counts[i].columns[0]]
		if c.kind != numeric {
			return b.columnError(c.name, fmt.Errorf("its type is %s, and a %s response is a count of each class", c.typ,
				b.spec.Family.Name), "")
		}
		counts, sum := make([]float64, b.n), 0.0
		c.floats(counts, b.keep)
		for row, v := range counts {
			if sum += v; !family.IsCount(v) {
				return b.cellError(c.name, b.tableRow(row), fmt.Errorf("%s is not allowed: a count of a class is a whole number, "+
					"0 or more", spellCount(v)), "correct the cell, or leave the row out")
			}
		}
		if sum == 0 && !b.known {
			b.warn("no row has the class %s: only the prior keeps its coefficients finite", c.name)
		}
		names, data.Counts = append(names, c.name), append(data.Counts, counts)
	}
	data.Y, b.record.Response.Levels = data.Counts[0], names
	b.note("modelling the classes %s (the reference is %s)", words.List(names), names[0])
	return nil
}

// checkCounts compares the sums of the counts with the trials.
func (b *builder) checkCounts() error {
	data := b.out.Data
	for row, trials := range data.Trials {
		sum := 0.0
		for _, of := range data.Counts {
			sum += of[row]
		}
		name := b.record.Response.Levels[0]
		switch {
		case sum == 0:
			return b.cellError(name, b.tableRow(row), fmt.Errorf("the counts of the classes %s are all 0",
				words.List(b.record.Response.Levels)), "leave out rows without any count")
		case sum != trials:
			if columns := b.chosen.trials.columns; len(columns) > 0 {
				name = columns[0]
			}
			return b.cellError(name, b.tableRow(row), fmt.Errorf("%s trials, and the counts of the classes add up to %s",
				spellCount(trials), spellCount(sum)), "leave trials() out: the sum of the row is taken")
		}
	}
	return nil
}
