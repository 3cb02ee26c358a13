package transform

import (
	"fmt"
	"slices"

	"glmbatch/infer/design"
)

// ones is the name of the term whose column is 1, as in brms.
const ones = "Intercept"

// maxEffectTerms bounds the terms of one pair of parentheses: their correlations are as many as its square.
const maxEffectTerms = 1000

// planEffects names the columns of the group-level terms. Index is where the record has a variable of the selection.
func (b *builder) planEffects(index []int) error {
	for i := range b.chosen.bars {
		bar := &b.chosen.bars[i]
		terms := b.terms(bar.terms, bar.intercept, index)
		names, block := &names{taken: map[string]bool{ones: true}}, Effect{Grouping: b.grouping(bar.grouping), ID: bar.id}
		var plan []planned
		if bar.intercept {
			plan = append(plan, planned{name: ones, term: -1})
		}
		for k := range terms {
			if len(plan)+b.width(&terms[k]) > maxEffectTerms {
				return b.formulaError(bar.pos, fmt.Sprintf("%s has more than %d terms with %s", bar.text, maxEffectTerms,
					terms[k].Label), "take a factor with fewer levels, or cross it with the grouping: (1 | g:f)")
			}
			plan = append(plan, b.planTerm(&terms[k], k, names)...)
		}
		for _, clash := range names.clashes {
			b.warn("%s: %s", bar.text, clash)
		}
		if len(plan) == 0 {
			return b.formulaError(bar.pos, bar.text+" has no terms", "leave it out, or write (1 | g)")
		}
		block.Terms = terms
		for _, p := range plan {
			block.Columns = append(block.Columns, Column{Name: p.name, Term: p.term, Parts: p.parts, Scale: 1})
		}
		b.record.Effects = append(b.record.Effects, block.blocks(bar.apart)...)
	}
	return nil
}

// blocks is the block, or one for each of its columns if they are independent.
func (e Effect) blocks(apart bool) []Effect {
	if !apart {
		return []Effect{e}
	}
	var out []Effect
	for _, c := range e.Columns {
		one := Effect{Grouping: e.Grouping}
		if c.Term >= 0 {
			one.Terms, c.Term = []Term{e.Terms[c.Term]}, 0
		}
		one.Columns = []Column{c}
		out = append(out, one)
	}
	return out
}

// effects makes the group-level effects of the rows.
func (b *builder) effects() error {
	b.parts = nil
	groupings, columns := make([]*design.Grouping, len(b.groups)), make(map[string][]float64)
	for k, g := range b.groups {
		groupings[k] = design.NewGrouping(g.codes, len(g.levels))
	}
	for i := range b.record.Effects {
		e := &b.record.Effects[i]
		g := &b.groups[e.Grouping]
		block := &design.Effects{Grouping: groupings[e.Grouping], Group: b.record.Groupings[e.Grouping].Name,
			Levels: g.levels, ID: e.ID}
		for _, c := range e.Columns {
			column, err := b.effectColumn(e.Terms, planned{term: c.Term, parts: c.Parts}, columns)
			if err != nil {
				return err
			}
			block.Terms, block.Columns = append(block.Terms, c.Name), append(block.Columns, column)
		}
		b.out.Data.Effects, b.out.FittedLevels = append(b.out.Data.Effects, block), append(b.out.FittedLevels, g.fitted)
	}
	for v, last := range b.lastUses() {
		if last < 0 {
			b.coded[v].values = nil
		}
	}
	return nil
}

// effectColumn makes the column of a group-level term, nil for ones. Equal ones are made once.
func (b *builder) effectColumn(terms []Term, p planned, made map[string][]float64) ([]float64, error) {
	if p.term < 0 {
		return nil, nil
	}
	t := &terms[p.term]
	key := fmt.Sprint(t.Variables, t.Full, p.parts)
	if made[key] != nil {
		return made[key], nil
	}
	col := make([]float64, b.n)
	if err := b.fillColumn(col, terms, p); err != nil {
		return nil, err
	}
	if largest, at, _ := extent(col); largest > tooLarge {
		return nil, b.tooLarge(b.coded[t.Variables[0]].variable.columns[0], col[at], at)
	}
	made[key] = col
	return col, nil
}

// Among returns the record with the group-level effects of some groupings alone, and without the columns of the data
// that only others need; the record stays as it is.
func (r *Record) Among(keep func(grouping string) bool) *Record {
	return r.each(func(one *Record) *Record { return one.among(keep) })
}

// among is Among in one predictor.
func (r *Record) among(keep func(grouping string) bool) *Record {
	out := *r
	out.Effects, out.Groupings, out.GroupedBy, out.Variables = nil, nil, nil, nil
	variables, groupings, parts := map[int]int{}, map[int]int{}, map[int]int{} // old → new indices
	number := func(to map[int]int, old []int, add func(i int)) []int {
		now := make([]int, len(old))
		for k, i := range old {
			if _, there := to[i]; !there {
				to[i] = len(to)
				add(i)
			}
			now[k] = to[i]
		}
		return now
	}
	terms := func(old []Term) []Term {
		now := slices.Clone(old)
		for i := range now {
			now[i].Variables = number(variables, old[i].Variables,
				func(v int) { out.Variables = append(out.Variables, r.Variables[v]) })
		}
		return now
	}
	out.Terms = terms(r.Terms)
	for _, e := range r.Effects {
		if !keep(r.Groupings[e.Grouping].Name) {
			continue
		}
		e.Terms = terms(e.Terms)
		e.Grouping = number(groupings, []int{e.Grouping}, func(i int) {
			g := r.Groupings[i]
			g.Of = number(parts, g.Of, func(v int) { out.GroupedBy = append(out.GroupedBy, r.GroupedBy[v]) })
			out.Groupings = append(out.Groupings, g)
		})[0]
		out.Effects = append(out.Effects, e)
	}
	out.Smooths = slices.Clone(r.Smooths)
	for i := range out.Smooths { // whose variables are in Terms
		of := &out.Smooths[i]
		of.Basis = variables[of.Basis]
		of.Others = number(variables, of.Others, nil)
	}
	return &out
}

// heaviest is the grouping with the most effects.
func (b *builder) heaviest() int {
	effects, most := make([]int, len(b.groups)), 0
	for _, e := range b.record.Effects {
		effects[e.Grouping] += len(e.Columns) * (b.n + len(b.groups[e.Grouping].levels))
	}
	for k := range effects {
		if effects[k] > effects[most] {
			most = k
		}
	}
	return most
}

// effectEntries is the memory of group-level effects, in entries of a design: rows by level and levels of rows,
// levels, and the columns of terms.
func (b *builder) effectEntries() int64 {
	const perLevel = 8
	entries := int64(0)
	for _, g := range b.groups {
		entries += int64(b.n) + perLevel*int64(len(g.levels))
	}
	for _, e := range b.record.Effects {
		for _, c := range e.Columns {
			if c.Term >= 0 {
				entries += int64(b.n)
			}
		}
	}
	return entries
}
