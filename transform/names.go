package transform

import (
	"fmt"
	"strings"

	"glmbatch/infer/glm"
)

// names hands out the names of the design's columns, R's spelling unless it
// would stand for two parameters.
type names struct {
	taken   map[string]bool
	clashes []string
}

// interceptName is R's name of the intercept.
const interceptName = "(Intercept)"

// newNames keeps the names of the model's other parameters for themselves.
func newNames(family string) *names {
	n := &names{taken: map[string]bool{interceptName: true}}
	for _, d := range (glm.Family{Name: family}).Dispersions() {
		n.taken[d.Name] = true
	}
	return n
}

// take returns the variables' labels, each with its suffix, joined by colons;
// with the labels in backquotes where the plain name is taken.
func (n *names) take(labels, suffixes []string) string {
	name := func(quotes string) string {
		parts := make([]string, len(labels))
		for i, label := range labels {
			parts[i] = quotes + label + quotes + suffixes[i]
		}
		return strings.Join(parts, ":")
	}
	plain := name("")
	given := plain
	for quotes := "`"; n.taken[given]; quotes += "`" {
		given = name(quotes)
	}
	n.taken[given] = true
	if given != plain {
		n.clashes = append(n.clashes, fmt.Sprintf("%q: the name %q is taken by another parameter, so its coefficient is "+
			"called %q", strings.Join(labels, ":"), plain, given))
	}
	return given
}
