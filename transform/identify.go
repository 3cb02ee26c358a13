package transform

import (
	"fmt"
	"slices"
	"strings"

	"glmbatch/infer/design"
)

// checkGroupings refuses groupings whose effects are not identified, and reports weak or duplicate parts of the others.
// Cost: O(rows) for each grouping, each term and each pair of groupings.
func (b *builder) checkGroupings() error {
	alone := make([]bool, len(b.groups)) // every level has one observation
	for k := range b.groups {
		var err error
		if alone[k], err = b.checkLevels(k); err != nil {
			return err
		}
	}
	for i := range b.record.Effects {
		e := &b.record.Effects[i]
		if err := b.checkOneRowLevels(i, alone[e.Grouping]); err != nil {
			return err
		}
		if !alone[e.Grouping] {
			b.checkVariation(i)
		}
		b.checkFixed(e)
	}
	for k := range b.groups {
		for other := range k {
			if !alone[k] && !alone[other] {
				b.checkNesting(other, k)
			}
		}
	}
	return nil
}

// groupColumn is the first column of a grouping.
func (b *builder) groupColumn(k int) string {
	return b.chosen.groupers[b.record.Groupings[k].Of[0]].columns[0]
}

// checkLevels looks at the levels of grouping k, and reports whether each has one observation.
func (b *builder) checkLevels(k int) (alone bool, err error) {
	g, name := &b.groups[k], b.record.Groupings[k].Name
	levels := g.occurring()
	if len(g.levels) == 1 {
		return false, b.columnError(b.groupColumn(k),
			fmt.Errorf("the grouping %s has the one level %q: effects of levels need two levels or more", name, g.levels[0]),
			"leave out what is grouped by it")
	}
	observations := float64(b.n)
	if counts := b.out.Data.Frequency; counts != nil {
		observations = 0
		for _, n := range counts {
			observations += n
		}
	}
	if float64(levels) == observations {
		return true, nil
	}
	if 2*float64(levels) > observations {
		b.warn("the grouping %s has %d levels in %v observations: most effects have one observation", name, levels,
			observations)
	}
	return false, nil
}

// occurring counts the levels that have rows.
func (g *group) occurring() (n int) {
	seen := make([]bool, len(g.levels))
	for _, code := range g.codes {
		if !seen[code] {
			seen[code] = true
			n++
		}
	}
	return n
}

// checkOneRowLevels looks at effects whose every level has one observation.
func (b *builder) checkOneRowLevels(i int, alone bool) error {
	if !alone {
		return nil
	}
	e, f := &b.record.Effects[i], b.spec.Family
	probability := f.Support().Probability()
	name, one := b.record.Groupings[e.Grouping].Name, ""
	switch {
	case f.Noise() && !b.out.KnownErrors:
		one = "sigma"
	case probability && !(f.Support().Trials && b.several()):
		one = "the scale of the coefficients"
	case !f.HasDispersion(), b.out.KnownErrors:
		b.note("every level of %s has one observation: its effects are the variation beyond that of a %s response", name,
			f.Name)
		return nil
	default:
		b.warn("every level of %s has one observation: only the prior distinguishes the sd of its effects from %s", name,
			f.Dispersions()[0].Name)
		return nil
	}
	err := fmt.Errorf("every level of the grouping %s has one observation: the sd of its effects and %s cannot be "+
		"distinguished", name, one)
	if b.slopes(e) && one == "sigma" {
		b.warn("%v, but by how the spread changes with %s", err, e.Columns[0].Name)
		return nil
	}
	hint := "leave out what is grouped by it, or group by a column whose levels have several rows"
	if one == "sigma" {
		hint = "write y | se(s) if the standard errors of the responses are known; else " + hint
	}
	return b.columnError(b.groupColumn(e.Grouping), err, hint)
}

// several reports whether a row has more than one trial.
func (b *builder) several() bool {
	return slices.ContainsFunc(b.out.Data.Trials, func(m float64) bool { return m > 1 })
}

// slopes reports whether a block has terms of numbers alone.
func (b *builder) slopes(e *Effect) bool {
	for _, c := range e.Columns {
		if c.Term < 0 || !slices.ContainsFunc(e.Terms[c.Term].Variables,
			func(v int) bool { return b.record.Variables[v].Levels == nil }) {
			return false
		}
	}
	return true
}

// fewVarying is the number of levels below which a term that varies within them is remarked upon.
const fewVarying = 3

// checkVariation warns of columns that hardly vary within levels.
func (b *builder) checkVariation(i int) {
	block := b.out.Data.Effects[i]
	for t, column := range block.Columns {
		if column == nil {
			continue
		}
		switch varies := varying(block.Grouping, column); {
		case varies == 0:
			b.warn("%s does not vary within the levels of %s: only the spread between levels determines the sd of its effects",
				block.Terms[t], block.Group)
		case varies < fewVarying && varies < block.Grouping.Levels():
			b.warn("%s varies within %d of the %d levels of %s: few levels determine the sd of its effects", block.Terms[t],
				varies, block.Grouping.Levels(), block.Group)
		}
	}
}

// varying is how many levels have different values of a column, as far as it matters.
func varying(g *design.Grouping, column []float64) int {
	count := 0
	for level := 0; level < g.Levels() && count < fewVarying; level++ {
		rows := g.Rows(level)
		if slices.ContainsFunc(rows, func(row int32) bool { return column[row] != column[rows[0]] }) {
			count++
		}
	}
	return count
}

// checkFixed warns of a grouping whose levels have coefficients of their own, too.
func (b *builder) checkFixed(e *Effect) {
	identity := func(v *variable) string {
		if v.node.computed() {
			return v.key
		}
		return v.columns[0]
	}
	grouped := make(map[string]bool)
	for _, v := range b.record.Groupings[e.Grouping].Of {
		grouped[identity(&b.chosen.groupers[v])] = true
	}
	if e.Columns[0].Term >= 0 {
		return
	}
	for _, t := range b.record.Terms {
		levels := make(map[string]bool)
		for _, v := range t.Variables {
			if name := identity(b.coded[v].variable); b.record.Variables[v].Levels != nil && grouped[name] {
				levels[name] = true
			}
		}
		if len(levels) == len(grouped) && !slices.ContainsFunc(t.Variables,
			func(v int) bool { return b.record.Variables[v].Levels == nil }) {
			b.warn("the levels of %s have coefficients, in %s, and effects: the data determine only their sum, the "+
				"priors divide it", b.record.Groupings[e.Grouping].Name, t.Label)
			return
		}
	}
}

// checkNesting says when the levels of one grouping lie within those of another, where the formula does not say so.
func (b *builder) checkNesting(j, k int) {
	names := [2]string{b.record.Groupings[j].Name, b.record.Groupings[k].Name}
	inner, outer := within(&b.groups[k], &b.groups[j]), within(&b.groups[j], &b.groups[k])
	said := func(j, k int) bool { // whether k crosses j with more
		return !slices.ContainsFunc(b.record.Groupings[j].Of,
			func(v int) bool { return !slices.Contains(b.record.Groupings[k].Of, v) })
	}
	switch {
	case inner && outer && !b.shareTerm(j, k):
	case inner && outer:
		b.warn("the groupings %s and %s have the same levels by other names: the data determine only the sum of such effects",
			names[0], names[1])
	case inner && !said(j, k):
		b.note("each level of %s lies within one of %s: it is nested, and needs no %s", names[1], names[0],
			strings.Join(names[:], ":"))
	case outer && !said(k, j):
		b.note("each level of %s lies within one of %s: it is nested, and needs no %s", names[0], names[1],
			names[1]+":"+names[0])
	}
}

// shareTerm reports whether two groupings have effects of the same term.
func (b *builder) shareTerm(j, k int) bool {
	terms := make(map[string]int) // a bit for each grouping
	for _, e := range b.record.Effects {
		for _, c := range e.Columns {
			switch e.Grouping {
			case j:
				terms[c.Name] |= 1
			case k:
				terms[c.Name] |= 2
			}
			if terms[c.Name] == 3 {
				return true
			}
		}
	}
	return false
}

// within reports whether each level of a grouping lies within one level of another.
func within(fine, coarse *group) bool {
	if len(fine.levels) < len(coarse.levels) {
		return false
	}
	of := make([]int32, len(fine.levels)) // from 1
	for i, level := range fine.codes {
		switch above := coarse.codes[i] + 1; of[level] {
		case 0:
			of[level] = above
		case above:
		default:
			return false
		}
	}
	return true
}
