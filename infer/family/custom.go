package family

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"glmbatch/infer/expression"
	"glmbatch/internal/words"
)

// Custom is a likelihood of a user's own. Its expressions read the response y, the predictors, the scalars, and columns
// of the data. Scalars are further predictors, which are constants unless they have formulas. So are columns, whose
// predictors are offsets.
type Custom struct {
	Predictors             []CustomPredictor
	Scalars                []CustomScalar
	Columns                []string
	LogDensity, Mean, Draw string // the last two may be empty
}

// CustomPredictor is a linear predictor. The expressions read the inverse of its link.
type CustomPredictor struct{ Name, Link string }

// CustomScalar is a parameter between bounds, which may be infinite. Samplers move its logarithm or logit.
type CustomScalar struct {
	Name         string
	Lower, Upper float64
}

// CustomName is the name of a family that a spec defines.
const CustomName = "custom"

// customLinks are the links of predictors, with the expressions of their inverses.
var customLinks = []struct {
	link    *Link
	inverse string
}{{identity, ""}, {logLink, "exp(x)"}, {Logit, "logistic(x)"}, {Probit, "normal_cdf(x)"}, {Cloglog, "inv_cloglog(x)"}}

// CustomLinks are the names of the links that a predictor may have, the default first.
func CustomLinks() (names []string) {
	for _, l := range customLinks {
		names = append(names, l.link.Name)
	}
	return names
}

// inverse returns the link of the scalar's predictor, and the expression of its inverse.
func (s *CustomScalar) inverse() (*Link, string) {
	low, high := !math.IsInf(s.Lower, 0), !math.IsInf(s.Upper, 0)
	switch {
	case low && high:
		return Logit, fmt.Sprintf("(%v) + %v * logistic(x)", s.Lower, s.Upper-s.Lower)
	case low && s.Lower == 0:
		return logLink, "exp(x)"
	case low:
		return logLink, fmt.Sprintf("(%v) + exp(x)", s.Lower)
	case high:
		return logLink, fmt.Sprintf("(%v) - exp(x)", s.Upper)
	}
	return plain, ""
}

// Natural returns the scalar as an expression of the parameter that samplers move.
func (s *CustomScalar) Natural(parameter string) string {
	_, text := s.inverse()
	return strings.ReplaceAll(text, "(x)", "("+parameter+")")
}

// CustomColumn is the name of the predictor that is a column, counted from 0.
func CustomColumn(k int) string { return "column" + strconv.Itoa(k+1) }

// Texts are the expressions with the names of their keys.
func (c *Custom) Texts() [3][2]string {
	return [3][2]string{{"log_density", c.LogDensity}, {"mean", c.Mean}, {"draw", c.Draw}}
}

// Reads passes the names of expressions that are neither the response nor parameters: columns of the data, in the order
// of the text. Expressions that cannot be read have none.
func (c *Custom) Reads(do func(key, source string, name expression.Name)) {
	for _, text := range c.Texts() {
		tree, err := expression.Parse(text[1])
		if err != nil {
			continue
		}
		for _, name := range tree.Names() {
			if name.Text != "y" && !slices.Contains(c.Names(), name.Text) {
				do(text[0], text[1], name)
			}
		}
	}
}

// CheckColumns returns an error for the first name that is none of the columns of the data; nil for other families.
func (f Family) CheckColumns(columns []string) (err error) {
	c := customOf(f.Custom)
	if c == nil {
		return nil
	}
	c.def.Reads(func(key, source string, name expression.Name) {
		if err != nil || slices.Contains(columns, name.Text) {
			return
		}
		hint := "the columns are " + words.List(columns)
		if near := words.Nearest(name.Text, slices.Concat(c.def.Names(), columns)); near != "" {
			hint = "did you mean " + near + "?"
		}
		if name.Text == "pi" {
			hint = "write pi()"
		}
		err = words.Hint(fmt.Errorf("%s, %w", key, &expression.Error{Source: source, Pos: name.Pos,
			Reason: fmt.Sprintf("%q is neither a parameter nor a column", name.Text)}), hint)
	})
	return err
}

// Names are those of predictors and scalars.
func (c *Custom) Names() (names []string) {
	for _, p := range c.Predictors {
		names = append(names, p.Name)
	}
	for _, s := range c.Scalars {
		names = append(names, s.Name)
	}
	return names
}

// String writes the definition as text that readCustom reads: a line for each part, with its texts in quotes.
func (c *Custom) String() string {
	var b strings.Builder
	for _, p := range c.Predictors {
		fmt.Fprintf(&b, "predictor %q %q\n", p.Name, p.Link)
	}
	for _, s := range c.Scalars {
		fmt.Fprintf(&b, "scalar %q %q %q\n", s.Name, fmt.Sprint(s.Lower), fmt.Sprint(s.Upper))
	}
	for _, name := range c.Columns {
		fmt.Fprintf(&b, "column %q\n", name)
	}
	for _, text := range c.Texts() {
		if text[1] != "" {
			fmt.Fprintf(&b, "%s %q\n", text[0], text[1])
		}
	}
	return b.String()
}

// readCustom reads a definition; false if the text has no predictor.
func readCustom(text string) (*Custom, bool) {
	c := new(Custom)
	for line := range strings.Lines(text) {
		key, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		var of [3]string
		for k := range of {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				break
			}
			of[k], _ = strconv.Unquote(quoted)
			rest = strings.TrimPrefix(rest[len(quoted):], " ")
		}
		switch key {
		case "predictor":
			c.Predictors = append(c.Predictors, CustomPredictor{of[0], of[1]})
		case "scalar":
			low, err := strconv.ParseFloat(of[1], 64)
			high, also := strconv.ParseFloat(of[2], 64)
			if err != nil || also != nil {
				return nil, false
			}
			c.Scalars = append(c.Scalars, CustomScalar{of[0], low, high})
		case "column":
			c.Columns = append(c.Columns, of[0])
		case "log_density":
			c.LogDensity = of[0]
		case "mean":
			c.Mean = of[0]
		case "draw":
			c.Draw = of[0]
		}
	}
	return c, len(c.Predictors) > 0
}

// Family returns the family. The error of an expression is an *expression.Error, and key the name of its key.
func (c *Custom) Family() (f Family, key string, err error) {
	made, key, err := c.compile()
	if err != nil {
		return f, key, err
	}
	customs.LoadOrStore(made.text, made)
	return Family{Name: CustomName, Link: c.Predictors[0].Link, Custom: made.text}, "", nil
}

// customs has each custom likelihood by the text of its definition.
var customs sync.Map

// customOf returns the likelihood of a definition; nil of another text.
func customOf(text string) *custom {
	if known, there := customs.Load(text); there || text == "" {
		out, _ := known.(*custom)
		return out
	}
	c, ok := readCustom(text)
	if !ok {
		return nil
	}
	made, _, err := c.compile()
	if err != nil {
		return nil
	}
	known, _ := customs.LoadOrStore(text, made)
	return known.(*custom)
}

// HasDraw reports whether the family has random responses: a custom one need not.
func (f Family) HasDraw() bool {
	c := customOf(f.Custom)
	return f.Custom == "" || c != nil && c.random != nil
}
