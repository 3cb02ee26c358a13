package propose

import (
	"slices"
	"strings"
)

// Names of times to an event, and of columns of two values that mark which of them end with one, or are censored.
var (
	timeNames = strings.Fields("time times days weeks months years duration survival survtime surv_time futime followup " +
		"follow_up tte time_to_event lifetime")
	eventNames    = strings.Fields("event status dead died death")
	censoredNames = strings.Fields("cens censor censored")
)

// survival returns a column of times, and the condition under which a row of them is censored; nil if there is no pair.
func (t *Table) survival() (time *Column, event role, censored string) {
	at := func(names []string, is func(c *Column) bool) *Column {
		if i := slices.IndexFunc(t.Columns, func(c *Column) bool { return named(c, names) && is(c) }); i >= 0 {
			return t.Columns[i]
		}
		return nil
	}
	time = at(timeNames, func(c *Column) bool { return c.Kind == Number && c.Min > 0 && !c.answersTwo() })
	binary := func(c *Column) bool {
		return c.answersTwo() && c.Kind != Text && c.Max == c.Min+1 && (c.Min == 0 || c.Min == 1)
	}
	if c := at(eventNames, binary); time != nil && c != nil {
		low, high := brief(c.Min), brief(c.Max)
		return time, role{c, "it is called like one, " + high + " is an event and " + low + " censors the time"},
			quoteName(c.Name) + " == " + low
	}
	if c := at(censoredNames, binary); time != nil && c != nil {
		high := brief(c.Max)
		return time, role{c, "it is called like one, " + high + " censors the time"}, quoteName(c.Name) + " == " + high
	}
	return nil, role{}, ""
}
