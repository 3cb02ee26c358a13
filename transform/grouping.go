package transform

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"glmbatch/internal/words"
)

// group is a grouping with the level of each row.
type group struct {
	codes  []int32
	levels []string
	fitted int // levels that the model was fitted with, which come first
}

// maxGroups bounds the levels of a grouping.
const maxGroups = 1 << 30

// groupings reads the levels of the formula's groupings. Levels are those that occur: numbers in increasing order,
// text in byte order, those of a crossing by their parts. Cost: for each column one map look-up per row, of
// dictionary columns one per entry; for each crossing as many as it has columns, less one.
func (b *builder) groupings() error {
	if (b.spec.Unseen || b.spec.Among != nil) && b.keep != nil { // some levels may have no row of the design
		defer b.ofKept(b.keep, b.n)
		b.keep, b.n = b.spec.Among, b.rows
		if b.keep != nil {
			b.n = countTrue(b.keep)
		}
	}
	for i := range b.chosen.groupers {
		v := &b.chosen.groupers[i]
		record := Variable{Label: v.label, Expression: v.key, Kind: string(numeric)}
		if !v.node.computed() {
			record.Kind = string(b.columns[v.columns[0]].kind)
		} else if _, _, _, err := b.learnExpression(v, &record); err != nil { // its scale()
			return err
		}
		f, err := b.groupLevels(v, record.Scales)
		if err != nil {
			return err
		}
		f.occurring(nil)
		if !v.node.computed() {
			b.slips(b.columns[v.columns[0]], f)
		}
		record.Levels = f.levels
		b.parts, b.record.GroupedBy = append(b.parts, f), append(b.record.GroupedBy, record)
	}
	for i := range b.chosen.bars {
		of := b.chosen.bars[i].grouping
		if b.grouping(of) >= 0 {
			continue
		}
		b.record.Groupings = append(b.record.Groupings, Grouping{Name: b.chosen.groupName(of), Of: of})
		if err := b.learnGrouping(&b.record.Groupings[len(b.record.Groupings)-1]); err != nil {
			return err
		}
	}
	return nil
}

// ofKept goes from the levels of all rows, or of those of Spec.Among, to those of the rows that stay.
func (b *builder) ofKept(keep []bool, n int) {
	rows := (&Design{Rows: b.n, Kept: b.keep}).TableRows()
	b.keep, b.n = keep, n
	kept := func(codes []int32) (out []int32) {
		for k, code := range codes {
			if keep[rows[k]] {
				out = append(out, code)
			}
		}
		return out
	}
	for _, f := range b.parts {
		f.codes = kept(f.codes)
	}
	for k := range b.groups {
		b.groups[k].codes = kept(b.groups[k].codes)
	}
}

// grouping is the index of a grouping in the record; −1 for none.
func (b *builder) grouping(of []int) int {
	return slices.IndexFunc(b.record.Groupings, func(g Grouping) bool { return slices.Equal(g.Of, of) })
}

// groupLevels reads the levels of what a grouping is made of.
func (b *builder) groupLevels(v *variable, scales []Scaling) (*factor, error) {
	c := b.columns[v.columns[0]]
	if v.node.computed() {
		return b.computedFactor(v, scales)
	}
	if v.plain() && c.kind == numeric {
		if err := b.wholeNumbers(c); err != nil {
			return nil, err
		}
		whole := func(v float64) string { return strconv.FormatFloat(v+0, 'f', -1, 64) }
		return c.numberFactor(b.keep, b.n, maxGroups, whole), nil
	}
	return c.factor(b.keep, b.n, maxGroups), nil
}

// wholeNumbers refuses numbers that do not look like the names of levels.
func (b *builder) wholeNumbers(c *column) error {
	const exact = 1 << 53
	for k, v := range b.numbers(c.name) {
		name := quoteName(c.name)
		switch {
		case v != math.Floor(v):
			return b.cellError(c.name, b.tableRow(k), fmt.Errorf("%v is not a whole number, and a grouping has levels", v),
				fmt.Sprintf("write factor(%s) as the grouping if every value is a level, or cut(%s, breaks = c(…))", name, name))
		case math.Abs(v) > exact:
			return b.cellError(c.name, b.tableRow(k),
				errors.New("beyond 2^53 a float64 does not represent every whole number, so levels may coincide"),
				fmt.Sprintf("set types: {%s: text} in the data set", name))
		}
	}
	return nil
}

// learnGrouping finds the levels of a grouping.
func (b *builder) learnGrouping(g *Grouping) error {
	if len(g.Of) == 1 {
		f := b.parts[g.Of[0]]
		b.groups = append(b.groups, group{f.codes, f.levels, len(f.levels)})
		return nil
	}
	codes, cells := b.crossed(g.Of, nil)
	order := make([]int32, len(cells)) // in the order of the parts → as they came
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return slices.Compare(cells[i], cells[j]) })
	number := make([]int32, len(cells))
	for level, came := range order {
		number[came] = int32(level)
		g.Cells = append(g.Cells, cells[came])
	}
	for i, came := range codes {
		codes[i] = number[came]
	}
	levels := b.cellNames(g)
	b.groups = append(b.groups, group{codes, levels, len(levels)})
	if repeated := firstRepeated(levels); repeated != "" {
		return b.columnError(b.chosen.groupers[g.Of[0]].columns[0],
			fmt.Errorf("two levels of the grouping %s have the name %q, which joins those of its columns by _", g.Name,
				repeated),
			"rename a level of one of the columns, or make one column of them in the query or the file")
	}
	return nil
}

// cellNames are the names of a crossing's levels, as brms writes them: a_b.
func (b *builder) cellNames(g *Grouping) []string {
	out, parts := make([]string, len(g.Cells)), make([]string, len(g.Of))
	for i, cell := range g.Cells {
		for k, code := range cell {
			parts[k] = b.parts[g.Of[k]].levels[code]
		}
		out[i] = strings.Join(parts, "_")
	}
	return out
}

// crossed numbers the rows' combinations of levels: the given cells first, others as they come.
func (b *builder) crossed(of []int, known [][]int32) (codes []int32, cells [][]int32) {
	stages := make([]map[int64]int32, len(of)-1) // the number of the levels before, and the next level → a number
	for k := range stages {
		stages[k] = make(map[int64]int32)
	}
	cell := make([]int32, len(of))
	number := func() int32 {
		at := cell[0]
		for k, stage := range stages {
			key := int64(at)<<32 | int64(cell[k+1])
			next, found := stage[key]
			if !found {
				next = int32(len(stage))
				stage[key] = next
				if k+1 == len(stages) {
					cells = append(cells, slices.Clone(cell))
				}
			}
			at = next
		}
		return at
	}
	for _, c := range known {
		copy(cell, c)
		number()
	}
	codes = make([]int32, b.n)
	for i := range codes {
		for k, v := range of {
			cell[k] = b.parts[v].codes[i]
		}
		codes[i] = number()
	}
	return codes, cells
}

// recallGroupings reads what the record's groupings are made of.
func (b *builder) recallGroupings() error {
	for i := range b.record.GroupedBy {
		r := &b.record.GroupedBy[i]
		v, err := readExpression(r.Expression, r.Label)
		if err != nil {
			return err
		}
		s := &selector{formula: &Formula{source: v.source}, grouped: map[string]int{}, taken: map[string]bool{}}
		if of, err := s.groupings(v.node); err != nil {
			return fmt.Errorf("design record: %w", err)
		} else if len(of[0]) != 1 || len(of) != 1 {
			return fmt.Errorf("design record: %q is made of several columns", r.Expression)
		}
		if err := v.scalings(r.Scales); err != nil {
			return err
		}
		b.chosen.groupers = append(b.chosen.groupers, *v)
	}
	return nil
}

// recodeGroupings gives the rows of new data the levels that the model was fitted with.
func (b *builder) recodeGroupings() error {
	for i := range b.chosen.groupers {
		v, r := &b.chosen.groupers[i], &b.record.GroupedBy[i]
		c := b.columns[v.columns[0]]
		if !v.node.computed() && string(c.kind) != r.Kind {
			return b.columnError(c.name, fmt.Errorf("it is %s (%s), and it was %s when the model was fitted", c.kind, c.typ,
				r.Kind), "give it the same type")
		}
		f, err := b.groupLevels(v, r.Scales)
		if err != nil {
			return err
		}
		f.after(r.Levels)
		b.parts = append(b.parts, f)
	}
	for k := range b.record.Groupings {
		if err := b.recodeGrouping(&b.record.Groupings[k]); err != nil {
			return err
		}
	}
	return nil
}

// recodeGrouping finds the level of each row of new data.
func (b *builder) recodeGrouping(g *Grouping) error {
	made := group{codes: b.parts[g.Of[0]].codes, levels: b.parts[g.Of[0]].levels,
		fitted: len(b.record.GroupedBy[g.Of[0]].Levels)}
	if len(g.Of) > 1 {
		all := *g
		made.codes, all.Cells = b.crossed(g.Of, g.Cells)
		made.levels, made.fitted = b.cellNames(&all), len(g.Cells)
	}
	b.groups = append(b.groups, made)
	row := slices.IndexFunc(made.codes, func(code int32) bool { return int(code) >= made.fitted })
	if row < 0 || b.newLevels {
		return nil
	}
	return b.cellError(b.chosen.groupers[g.Of[len(g.Of)-1]].columns[0], b.tableRow(row),
		&NewLevelError{Level: made.levels[made.codes[row]], Grouping: g.Name},
		"its levels are "+words.List(made.levels[:made.fitted])+"; leave such rows out, or fit the model to data that have "+
			"them")
}

// after renumbers the codes for levels that are known, after which others follow in their order.
func (f *factor) after(known []string) {
	at := make(map[string]int32, len(known))
	for i, level := range known {
		at[level] = int32(i)
	}
	number, levels, present := make([]int32, len(f.levels)), slices.Clone(known), make([]bool, len(f.levels))
	for _, code := range f.codes {
		present[code] = true
	}
	for k, level := range f.levels {
		i, found := at[level]
		if !found && present[k] {
			i = int32(len(levels))
			levels = append(levels, level)
		}
		number[k] = i
	}
	for i, code := range f.codes {
		f.codes[i] = number[code]
	}
	f.levels = levels
}
