package plan

import (
	"fmt"
	"strings"

	"glmbatch/internal/words"
)

// Selector narrows a run to some of its fits. Patterns of one field are
// alternatives; every field that has patterns must match.
type Selector struct{ fields map[string][]string }

var selectorFields = []string{"dataset", "model", "sampler"}

// ParseSelector reads terms such as "dataset=claims/*" or "sampler=gibbs". A
// data set's pattern matches its name, or the name of one of its files or
// groups: "claims/north". Patterns are those of formulas and priors: * stands for
// any run of characters, slashes too, ? for one, all others for themselves.
func ParseSelector(terms []string) (Selector, error) {
	s := Selector{fields: map[string][]string{}}
	for _, term := range terms {
		field, pattern, ok := strings.Cut(term, "=")
		if !ok || !contains(selectorFields, field) {
			return s, fmt.Errorf("--only %q: write FIELD=PATTERN, FIELD being one of %s", term,
				strings.Join(selectorFields, ", "))
		}
		s.fields[field] = append(s.fields[field], pattern)
	}
	return s, nil
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// unit reports whether the unit's fits may be selected.
func (s Selector) unit(dataset, key string) bool {
	return s.match("dataset", func(p string) bool {
		return words.Match(p, dataset) || key != "" && words.Match(p, dataset+"/"+key)
	})
}

// dataset reports whether any unit of a data set may be selected, before its
// units are known.
func (s Selector) dataset(name string, divided bool) bool {
	return s.match("dataset", func(p string) bool {
		return words.Match(p, name) || divided && begins(p, name)
	})
}

func (s Selector) fit(model, sampler string) bool {
	return s.match("model", func(p string) bool { return words.Match(p, model) }) &&
		s.match("sampler", func(p string) bool { return words.Match(p, sampler) })
}

// Matches reports whether a fit is selected, by the names that the ledger has.
func (s Selector) Matches(dataset, key, model, sampler string) bool {
	return s.unit(dataset, key) && s.fit(model, sampler)
}

func (s Selector) match(field string, ok func(pattern string) bool) bool {
	patterns := s.fields[field]
	for _, p := range patterns {
		if ok(p) {
			return true
		}
	}
	return len(patterns) == 0
}

// begins reports whether a pattern may match a name, a slash and something more.
func begins(pattern, name string) bool {
	for i := range len(pattern) + 1 {
		head, rest := pattern[:i], pattern[i:]
		if words.Match(head, name) &&
			(strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "?") || strings.HasSuffix(head, "*")) {
			return true
		}
	}
	return false
}
