package propose

import (
	"fmt"
	"math"
	"regexp"
	"strings"
)

// whoseNames are called like identifiers of whom or what rows are of, not like numbers of rows.
var whoseNames = regexp.MustCompile(`(?i)^(id|uuid|guid|key|.+[_.](id|uuid|key))$`)

// groups is the number of levels of a column that identifies the group of a row: text of many levels, or whole
// numbers that are called like the numbers of groups, with two rows a level or more. 0 of others.
func (c *Column) groups() int {
	levels := c.Distinct
	switch {
	case c.Kind == Number && c.Whole && !c.Serial && !strataNames.MatchString(c.Name) &&
		(whoseNames.MatchString(c.Name) || groupNames.MatchString(c.Name)):
		if levels > maxLevels {
			seen := map[float64]bool{}
			for _, v := range c.Values {
				if !math.IsNaN(v) {
					seen[v] = true
				}
			}
			levels = len(seen)
		}
	case c.Kind != Text || levels == maxCounted:
		return 0
	}
	if levels <= maxFactor || 2*levels > c.Present {
		return 0
	}
	return levels
}

// group adds a grouping, unless it is one before it under other names.
func (r *roles) group(c *Column) {
	levels := c.groups()
	for _, g := range r.groupings {
		if lies(c, g.column) && lies(g.column, c) {
			r.out = append(r.out, role{c, "its levels are those of " + g.column.Name + " under other names"})
			return
		}
	}
	r.groupings = append(r.groupings, role{c, fmt.Sprintf("%d levels, %.3g rows each: an effect for each level, drawn to "+
		"those of all, and not a coefficient each", levels, float64(c.Present)/float64(levels))})
}

// lies reports whether each level of inner has rows of one level of outer only.
func lies(inner, outer *Column) bool {
	first := map[float64]float64{}
	in, out := inner.codes, outer.codes
	if in == nil {
		in = inner.Values
	}
	if out == nil {
		out = outer.Values
	}
	for i, v := range in {
		if was, seen := first[v]; seen && was != out[i] && !math.IsNaN(out[i]) {
			return false
		}
		if !math.IsNaN(v) && !math.IsNaN(out[i]) {
			first[v] = out[i]
		}
	}
	return true
}

// nesting says how groupings lie in each other, and which are crossed.
func (r *roles) nesting() (out []string) {
	var crossed []string
	for i, b := range r.groupings {
		across := false
		for j, a := range r.groupings {
			switch inner := lies(b.column, a.column); {
			case i != j && inner:
				out = append(out, fmt.Sprintf("%s lies within %s: each of its levels is of one level of that", b.column.Name,
					a.column.Name))
			case i != j && !lies(a.column, b.column):
				across = true
			}
		}
		if across {
			crossed = append(crossed, b.column.Name)
		}
	}
	if crossed != nil {
		out = append(out, fmt.Sprintf("crossed: %s; where one only counts within another, as classes do within schools, "+
			"write (1 | school/class)", strings.Join(crossed, ", ")))
	}
	return out
}
