package propose

import (
	"slices"
	"strings"
)

// scales are words for ordered classes, the lowest first.
var scales = [][]string{
	{"none", "very low", "low", "medium", "high", "very high"},
	{"very small", "small", "medium", "large", "very large"},
	{"never", "rarely", "sometimes", "often", "always"},
	{"very poor", "poor", "fair", "good", "very good", "excellent"},
	{"very bad", "bad", "average", "good", "very good"},
	{"none", "minimal", "mild", "moderate", "severe"},
	{"strongly disagree", "disagree", "neutral", "agree", "strongly agree"},
	{"very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"},
	{"no", "perhaps", "yes"}, {"no", "maybe", "yes"}, {"no", "unsure", "yes"},
}

// Most classes of a proposed response, and the largest rating.
const maxClasses, maxRating = 20, 10

// inClasses reports whether a column of text has a few classes, more than two.
func (c *Column) inClasses() bool {
	return c.Kind == Text && !c.answersTwo() && len(c.Levels) > 2 && len(c.Levels) <= maxClasses
}

// rates reports whether numbers are 1, 2, … up to a small one, each of which occurs.
func (c *Column) rates() bool {
	return c.Kind == Number && c.Whole && c.Min == 1 && c.Max > 2 && c.Max <= maxRating && float64(c.Distinct) == c.Max
}

// classes is cumulative for classes of which the words have an order, else categorical.
func (f *family) classes(y *Column) {
	for _, scale := range scales {
		place := func(level string) int { return slices.Index(scale, strings.ToLower(strings.TrimSpace(level))) }
		if slices.ContainsFunc(y.Levels, func(level string) bool { return place(level) < 0 }) {
			continue
		}
		f.levels = slices.SortedFunc(slices.Values(y.Levels), func(a, b string) int { return place(a) - place(b) })
		f.name = "cumulative"
		f.because("%s has classes whose words have an order: %s", y.Name, strings.Join(f.levels, " < "))
		return
	}
	f.name = "categorical"
	f.because("%s has %d classes, and their words have no order that init recognises. If they have one, write family: "+
		"cumulative and levels: {%s: [lowest, …, highest]}", y.Name, len(y.Levels), y.Name)
}

// ratings is cumulative for ratings.
func (f *family) ratings(y *Column) {
	f.name = "cumulative"
	f.because("%s has the whole numbers 1 to %s and no 0: ratings, which are ordered classes. If they count something, "+
		"write family: poisson", y.Name, brief(y.Max))
}
