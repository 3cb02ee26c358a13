package transform

import (
	"fmt"

	"glmbatch/internal/words"
)

// maxSlips is how many pairs of levels are named in a warning each.
const maxSlips = 5

// alikeKey, among the metadata of a field of numbers, has two spellings of one of them, as package ingest found them.
const alikeKey = "two_spellings"

// slips warns of levels of a text column that are likely to be another level in a different spelling, and of numbers
// with two spellings, which are one level, once a column.
func (b *builder) slips(c *column, f *factor) {
	if c.kind == numeric && c.alike != "" && !b.judged[c.name] {
		b.warn("column %q holds numbers, and is used as labels: %s are one number, and so one level: if they are two names, "+
			"set types: {%s: text} in the data set", c.name, c.alike, c.name)
		b.judge(c)
	}
	if len(b.spec.Levels[c.name]) > 1 || c.kind != text || c.dated() || b.judged[c.name] {
		return
	}
	b.judge(c)
	rows := make([]int, len(f.levels))
	for i, code := range f.codes {
		if b.out.Counts != nil {
			rows[code] += int(b.out.Counts[i])
		} else {
			rows[code]++
		}
	}
	if b.all != nil { // these rows are not all
		for i := range rows {
			rows[i] = 0
		}
	}
	for _, w := range Slips(fmt.Sprintf("column %q", c.name), "level", f.levels, rows) {
		b.warn("%s", w)
	}
}

// judge notes that the levels of a column were compared.
func (b *builder) judge(c *column) {
	if b.judged == nil {
		b.judged = map[string]bool{}
	}
	b.judged[c.name] = true
}

// Slips are warnings of names that are likely to be another one in a different spelling: of what, such as column "g",
// they are the levels or groups. rows are those of each name; all 0: unknown.
func Slips(of, what string, names []string, rows []int) (out []string) {
	pairs := words.Alike(names, rows)
	at := make(map[string]int, len(names))
	if len(pairs) > 0 {
		for i, name := range names {
			at[name] = rows[i]
		}
	}
	count := func(name string) string {
		switch n := at[name]; n {
		case 0:
			return ""
		case 1:
			return " (1 row)"
		default:
			return fmt.Sprintf(" (%d rows)", n)
		}
	}
	for i, p := range pairs {
		if i == maxSlips {
			return append(out, fmt.Sprintf("%s: %d more pairs of %ss differ so little", of, len(pairs)-i, what))
		}
		rare, other := p.Quoted()
		out = append(out, fmt.Sprintf("%s: the %s %s%s differs from %s%s %s: if they are one, correct the data",
			of, what, rare, count(p.Rare), other, count(p.Other), p.Why))
	}
	return out
}
