package explain

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/prior"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spec"
)

// effect is a group-level effect in the linear predictor.
type effect struct{ grouping, name, column string }

// effects names the group-level effects, and says what they are.
func (e *Explanation) effects(c *plan.Case) {
	for _, block := range c.Data.Effects {
		var sds []string
		for _, term := range block.Terms {
			name := c.Predictor.Named(term)
			e.Effects = append(e.Effects, effect{words.Visible(block.Group), words.Visible(name), words.Visible(term)})
			sds = append(sds, spec.SDName(block.Group, name))
		}
		law := "normal around 0 with the sd "
		if block.ID != "" && (len(c.Further) > 0 || c.Spec != nil && c.Spec.Response.Whole != nil) {
			law = "jointly normal around 0 with those of the ID " + block.ID + " in other formulas, with the sds "
		} else if len(sds) > 1 {
			law = "jointly normal around 0, correlated, with the sds "
		}
		e.Scaling = append(e.Scaling, fmt.Sprintf("The effects of each of the %d levels of %s are %s%s: in the units of the "+
			"data, however columns are scaled.", block.Grouping.Levels(), words.Visible(block.Group), law, words.List(sds)))
	}
	var told []string
	for _, block := range c.Data.Effects {
		if !slices.Contains(told, block.Group) {
			told = append(told, block.Group)
			e.Scaling = append(e.Scaling, rowsOfLevels(block))
		}
	}
	if told != nil {
		e.Scaling = append(e.Scaling, "The fewer rows a level has, and the smaller the sd, the more its effects are drawn "+
			"to 0, which is the population.")
	}
}

// rowsOfLevels says how many rows levels have.
func rowsOfLevels(block *design.Effects) string {
	rows, single := make([]int, block.Grouping.Levels()), 0
	for l := range rows {
		if rows[l] = len(block.Grouping.Rows(l)); rows[l] == 1 {
			single++
		}
	}
	slices.Sort(rows)
	least, middle, most := rows[0], rows[len(rows)/2], rows[len(rows)-1]
	name := words.Visible(block.Group)
	text := fmt.Sprintf("A level of %s has %d to %d rows, %d in the middle", name, least, most, middle)
	if least == most {
		text = fmt.Sprintf("Each level of %s has %d rows", name, least)
	}
	switch {
	case single == 1:
		text += "; 1 level has one row"
	case single > 1:
		text += fmt.Sprintf("; %d levels have one row", single)
	}
	return text + "."
}

// in is the effect in the linear predictor.
func (t effect) in(tex bool) string {
	if tex {
		r := `r_{\mathit{` + escape(t.grouping) + `}_i,\,\mathit{` + escape(t.name) + `}}`
		if t.column == "Intercept" {
			return r
		}
		return r + `\,\mathit{` + escape(t.column) + `}_i`
	}
	r := "r_" + t.grouping + "[" + t.grouping + "_i," + t.name + "]"
	if t.column == "Intercept" {
		return r
	}
	return r + " · " + t.column + "_i"
}

// effectPriors are the priors of sds and correlations.
func effectPriors(c *plan.Case, stream *infer.Stream) (out []Prior) {
	nan := math.NaN()
	for k, block := range c.Data.Effects {
		given := &c.Posterior.Effects[k]
		for t, term := range block.Terms {
			low, high := middle(given.SD[t], stream)
			name := spec.SDName(block.Group, c.Predictor.Named(term))
			out = append(out, Prior{words.Visible(name), given.SD[t].String(), low, high, nan, nan})
		}
		if len(block.Terms) > 1 {
			law := spec.LKJPrior{Shape: given.LKJ}
			out = append(out, Prior{words.Visible(spec.CorName(block.Group)), law.String(), nan, nan, nan, nan})
		}
	}
	return out
}

// penalised reports whether a column is one of the penalised of a smooth.
func penalised(c *plan.Case, j int) bool {
	for _, s := range c.Data.Smooths {
		if s.First <= j && j < s.Last {
			return true
		}
	}
	return false
}

// smooths names the penalised parts of smooths, and says what they are.
func (e *Explanation) smooths(c *plan.Case) {
	for k, s := range c.Record.Smooths {
		e.Smooths = append(e.Smooths, words.Visible(s.Label))
		beside := ""
		if names := c.Data.Names[s.Fixed:s.First]; len(names) > 0 {
			beside = ", beside " + words.List(names) + ", which the penalty leaves free"
		}
		of := c.Data.Smooths[k]
		of.Name = c.Predictor.Named(of.Name)
		sd := "the sd " + of.SDName()
		switch {
		case of.Frequencies != nil:
			sd = "sds by " + of.SDName() + " and the length " + of.SecondName()
		case of.Shares != nil:
			sd = "sds by " + of.SDName() + " and the share " + of.SecondName()
		}
		what, where := "curve", "the view smooths has the curve"
		if of.Structure != "" {
			what, where = "term", "the view smooths has the effects of its levels"
		}
		if of.Numbers > 1 {
			what, where = "surface", "pipeline effects has it at points"
		}
		e.Scaling = append(e.Scaling, fmt.Sprintf("The %s %s has %d penalised coefficients, normal around 0 with %s%s: %s.",
			what, words.Visible(s.Label), s.Last-s.First, words.Visible(sd), words.Visible(beside), where))
	}
}

// smoothPriors are the priors of the standard deviations of smooths, and of the lengths of Gaussian processes.
func smoothPriors(c *plan.Case, stream *infer.Stream) (out []Prior) {
	nan := math.NaN()
	for k, s := range c.Data.Smooths {
		s.Name = c.Predictor.Named(s.Name)
		add := func(name string, law prior.Prior) {
			low, high := middle(law, stream)
			out = append(out, Prior{words.Visible(name), law.String(), low, high, nan, nan})
		}
		add(s.SDName(), c.Posterior.Smooths[k])
		if s.SecondName() != "" {
			add(s.SecondName(), c.Posterior.Lengths[k])
		}
	}
	return out
}

// monotonePriors lists the priors of monotonic effects: of the mean of the steps, and of their shares.
func (e *Explanation) monotonePriors(c *plan.Case, stream *infer.Stream) {
	nan := math.NaN()
	for k, m := range c.Data.Monotone {
		law := c.Posterior.Monotone[k].Mean
		low, high := middle(law, stream)
		e.Priors = append(e.Priors, Prior{words.Visible(c.Predictor.Named(m.Name)), law.String(), low, high, nan, nan})
	}
	for k, m := range c.Data.Monotone {
		law := plan.ShareWords(c.Posterior.Monotone[k].Share)
		e.Priors = append(e.Priors, Prior{words.Visible(c.Predictor.Named(m.Simplex)), law, nan, nan, nan, nan})
	}
}
