package plan

import (
	"fmt"
	"slices"
	"strings"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
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
			return s, words.Hint(fmt.Errorf("--only %q: write FIELD=PATTERN", term),
				words.DidYouMean(field, "fields", selectorFields))
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

// FieldNames are the names that fits have, by field of a selector.
type FieldNames map[string][]string

// Add adds the names of a fit.
func (n FieldNames) Add(dataset, model, sampler string) {
	for field, name := range map[string]string{"dataset": dataset, "model": model, "sampler": sampler} {
		if !contains(n[field], name) {
			n[field] = append(n[field], name)
		}
	}
}

// Unmatched describes, for the first pattern that matches no name, the existing names and the nearest of them; it
// is empty if each pattern matches one. The part of a data set's pattern behind a slash may name a file or group.
func (s Selector) Unmatched(names FieldNames) string {
	for _, field := range selectorFields {
		for _, pattern := range s.fields[field] {
			name := pattern
			if field == "dataset" {
				name, _, _ = strings.Cut(pattern, "/")
			}
			named := func(n string) bool { return words.Match(name, n) || words.Match(pattern, n) }
			if !slices.ContainsFunc(names[field], named) {
				return begunLike(name, names[field]) + words.DidYouMean(name, "each "+field+" there is", names[field])
			}
		}
	}
	return ""
}

// begunLike is the first candidate that begins with a name without its last letter, as esoph does for esof; empty
// if there is none, or a nearer one.
func begunLike(name string, candidates []string) string {
	if len(name) < 4 || words.Nearest(name, candidates) != "" {
		return ""
	}
	front := strings.ToLower(name[:len(name)-1])
	for _, c := range candidates {
		if strings.HasPrefix(strings.ToLower(c), front) {
			return fmt.Sprintf("did you mean %q? ", c)
		}
	}
	return ""
}

// NothingSelected is the error of a call whose terms select no fit of a spec: which term is at fault, and what was
// perhaps meant.
func (s Selector) NothingSelected(p *spec.Pipeline, err error) error {
	names := FieldNames{}
	for _, f := range p.Fits() {
		names.Add(f.Dataset.Name, f.Model.Name, f.Sampler.Name)
	}
	hint := s.Unmatched(names)
	if hint == "" {
		hint = "pipeline validate lists the fits of a spec"
	}
	return words.Hint(err, hint)
}
