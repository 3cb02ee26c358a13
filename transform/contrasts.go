package transform

import (
	"slices"
	"strconv"
)

// Codings of a factor with k levels.
const (
	treatment = "treatment" // a column for each level but the first, 1 in its rows
	sumToZero = "sum"       // column j: 1 for level j, −1 for the last level
	helmert   = "helmert"   // column j: −1 for levels 1 to j, j for level j + 1
)

var codings = []string{treatment, sumToZero, helmert}

// contrast is the value of column p of a factor's coding at a level, both from
// 0: R's contr.treatment, contr.sum and contr.helmert. Full coding has one
// column for each level.
func contrast(coding string, full bool, p, level, levels int) float64 {
	switch {
	case full && p == level, !full && coding == treatment && p+1 == level, !full && coding == sumToZero && p == level:
		return 1
	case full || coding == treatment:
		return 0
	case coding == sumToZero && level == levels-1:
		return -1
	case coding == helmert && level == p+1:
		return float64(p + 1)
	case coding == helmert && level <= p:
		return -1
	case coding == monotonic && level > p:
		return 1
	}
	return 0
}

// columns is how many columns a variable of the record makes.
func (v *Variable) columns(full bool) int {
	switch {
	case v.Structure != nil:
		return v.Structure.columns(len(v.Levels))
	case v.Basis != nil:
		return v.Basis.columns()
	case v.Levels == nil:
		return 1
	case full:
		return len(v.Levels)
	}
	return len(v.Levels) - 1
}

// value returns the entry of column p of a factor at a level.
func (v *Variable) value(full bool, p, level int) float64 {
	if v.Structure != nil {
		return v.Structure.Map[p*len(v.Levels)+level]
	}
	return contrast(v.Contrasts, full, p, level, len(v.Levels))
}

// suffix is R's suffix of the variable's name for its column p.
func (v *Variable) suffix(full bool, p int) string {
	switch {
	case v.Levels != nil && full:
		return v.Levels[p]
	case v.Levels != nil && v.Contrasts == treatment:
		return v.Levels[p+1]
	case v.isMonotone():
		return stepSuffix(p)
	case v.Levels != nil || v.Basis != nil && v.Basis.columns() > 1:
		return strconv.Itoa(p + 1)
	}
	return ""
}

// fullCoding says which factors of which terms are coded by all of their levels,
// as R does: a factor is coded by contrasts where an earlier term holds the rest
// of its term, its margin. Without an intercept the first factor of all is
// coded in full too. Terms come by degree. Cost: O(terms) look-ups, and for
// interactions a search among the terms that share a variable.
//
// Source: Chambers (1992), in Chambers and Hastie, Statistical Models in S,
// 2.4.1; TermCode in R's model.c.
func fullCoding(terms []term, isFactor func(int) bool, intercept bool) [][]bool {
	out := make([][]bool, len(terms))
	holding := make(map[int][]int) // a variable → the earlier terms that hold it
	for k, t := range terms {
		out[k] = make([]bool, len(t))
		for i, v := range t {
			if isFactor(v) && len(t) > 1 {
				rest := slices.Delete(slices.Clone(t), i, i+1)
				out[k][i] = !slices.ContainsFunc(rarest(holding, rest),
					func(earlier int) bool { return terms[earlier].contains(rest) })
			}
		}
		for _, v := range t {
			holding[v] = append(holding[v], k)
		}
	}
	if intercept {
		return out
	}
	for k, t := range terms {
		if i := slices.IndexFunc(t, isFactor); i >= 0 {
			out[k][i] = true
			break
		}
	}
	return out
}

// rarest returns the shortest of the variables' lists.
func rarest(holding map[int][]int, t term) []int {
	shortest := holding[t[0]]
	for _, v := range t[1:] {
		if len(holding[v]) < len(shortest) {
			shortest = holding[v]
		}
	}
	return shortest
}
