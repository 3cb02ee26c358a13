package plan

import (
	"fmt"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// laws words the families and priors of the items.
func (c *Classes) laws() (out []string) {
	for k := range c.items {
		i := &c.items[k]
		what, by := i.family, ""
		if i.Categories != nil {
			what = fmt.Sprintf("categorical of %d (%s)", len(i.Categories), words.List(i.Categories))
		}
		if !i.given {
			by = " by default"
		}
		if i.Correlated {
			what += ", correlated"
		}
		out = append(out, fmt.Sprintf("item %s: %s, prior %s%s", i.Name, what, i.Prior, by))
	}
	return out
}

// classesWords is the paragraph of a unit and a model of latent classes.
func classesWords(u *Unit, m *spec.Model) string {
	head := fmt.Sprintf("%s × %s", u.Name(), m.Name)
	if u.Dataset.Divided() {
		head += " (others have their own)"
	}
	err := u.Err
	var c *Classes
	if err == nil {
		c, err = classesOf(u, m)
	}
	if err != nil {
		return head + ": not known: " + words.Line(err)
	}
	for _, line := range c.laws() {
		head += "\n  " + line
	}
	return head
}

// classesModel is the line of a model of latent classes.
func classesModel(m *spec.Model) string {
	missing := "a missing item is not seen"
	switch m.Missing {
	case "drop":
		missing = "rows with a missing item are dropped"
	case "error":
		missing = "a missing item is an error"
	}
	return fmt.Sprintf("  %s: %s, latent classes: a mixture of %d components, %s, each item with its "+
		"own law in each; %s\n", m.Name, m.Formula, m.Mixture.Components, weightWords(m), missing)
}
