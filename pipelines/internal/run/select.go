package run

import (
	"fmt"
	"path"
	"strings"
)

// Selector narrows a run to some of its fits. Patterns of one field are
// alternatives; every field that has patterns must match.
type Selector struct{ fields map[string][]string }

var selectorFields = []string{"dataset", "model", "sampler"}

// ParseSelector reads terms such as "dataset=claims/*" or "sampler=gibbs". A
// data set's pattern matches its name, or the name of one of its files or
// groups: "claims/north".
func ParseSelector(terms []string) (Selector, error) {
	s := Selector{fields: map[string][]string{}}
	for _, term := range terms {
		field, pattern, ok := strings.Cut(term, "=")
		if !ok || !contains(selectorFields, field) {
			return s, fmt.Errorf("--only %q: write FIELD=PATTERN, FIELD being one of %s", term, strings.Join(selectorFields, ", "))
		}
		if _, err := path.Match(pattern, ""); err != nil {
			return s, fmt.Errorf("--only %q: the pattern is not a glob", term)
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
		return glob(p, dataset) || key != "" && (p == dataset+"/"+key || glob(p, dataset+"/"+key))
	})
}

// dataset reports whether any unit of a data set may be selected, before its
// units are known.
func (s Selector) dataset(name string, divided bool) bool {
	return s.match("dataset", func(p string) bool {
		head, _, grouped := strings.Cut(p, "/")
		return glob(p, name) || divided && grouped && glob(head, name)
	})
}

func (s Selector) fit(model, sampler string) bool {
	return s.match("model", func(p string) bool { return glob(p, model) }) &&
		s.match("sampler", func(p string) bool { return glob(p, sampler) })
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

// glob is path.Match for a name that may hold any character.
func glob(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return pattern == name || ok && err == nil
}
