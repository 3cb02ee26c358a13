package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"glmbatch/internal/words"
)

// Items are several responses of a row: cbind(a, b, c) ~ 1, or mvbind(a, b, c) ~ 1. It is read-only.
type Items struct {
	source string
	List   []Item
}

// Item is one of several responses, as a formula names it.
type Item struct {
	Column string
	// Factor reports whether numbers are names of categories: factor(q).
	Factor bool
	// Trials is the column of trials in s | trials(n), TrialsEach their number in s | trials(10).
	Trials     string
	TrialsEach float64

	pos, trialsPos int
}

// binders are the functions that make several responses: R's and poLCA's, and that of brms.
var binders = []string{"cbind", "mvbind"}

// IsOfItems reports whether the text of a formula begins like one of several responses. With a family, cbind(a, b) has
// successes and failures.
func IsOfItems(formula string) bool {
	return slices.ContainsFunc(binders, func(name string) bool {
		rest, is := strings.CutPrefix(strings.TrimSpace(formula), name)
		return is && strings.HasPrefix(strings.TrimSpace(rest), "(")
	})
}

// ParseItems reads a formula of several responses. Errors are of type *FormulaError.
func ParseItems(s string) (*Items, error) {
	p, f := &parser{lexer: lexer{src: s}}, &Items{source: s}
	if len(s) > maxFormula {
		return nil, p.fail(0, fmt.Sprintf("a formula of %d bytes is longer than the limit of %d", len(s), maxFormula), "")
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	left, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if left = left.bare(); left.kind != nodeCall || !slices.Contains(binders, left.text) {
		return nil, p.fail(left.pos, "several responses are written cbind(a, b, c)", "")
	}
	if !p.at("~") {
		return nil, p.fail(p.token.pos, "~ is expected here", "write cbind(a, b, c) ~ 1")
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	at := p.token.pos
	right, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if one, is := right.number(); !is || one != 1 || p.token.kind != tokenEnd {
		return nil, p.fail(at, "several responses have no predictors", "write "+left.text+"(…) ~ 1")
	}
	if len(left.args) < 2 {
		return nil, p.fail(left.pos, left.text+"() has fewer than two items", "name two columns or more")
	}
	for _, arg := range left.args {
		if err := f.item(p, arg); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// item reads a column, factor(column), or one of trials.
func (f *Items) item(p *parser, n *node) error {
	out := Item{pos: n.pos}
	if n = n.bare(); n.kind == nodeBinary && n.text == "|" {
		call := n.args[1]
		if call.kind != nodeCall || call.text != "trials" || len(call.args) != 1 {
			return p.fail(call.pos, `only trials(n) may follow "|" in an item`, "write s | trials(n)")
		}
		arg := call.args[0]
		each, number := arg.number()
		switch {
		case number && each >= 1 && each == float64(int32(each)):
			out.TrialsEach = each
		case !number && arg.kind == nodeName:
			out.Trials, out.trialsPos = arg.text, arg.pos
		default:
			return p.fail(arg.pos, "trials() of an item takes one column, or a count", "write s | trials(n), or s | trials(10)")
		}
		n = n.args[0].bare()
	}
	if n.kind == nodeCall && slices.Contains(factorCalls, n.text) && len(n.args) == 1 && out.Trials == "" &&
		out.TrialsEach == 0 {
		out.Factor, n = true, n.args[0]
	}
	if n.kind != nodeName || n.text == "." {
		return p.fail(n.pos, "an item is a column, or factor() of one",
			"put backquotes around a name that is not a plain word; compute other items in the query or the file")
	}
	if slices.ContainsFunc(f.List, func(i Item) bool { return i.Column == n.text }) {
		return p.fail(n.pos, fmt.Sprintf("the item %q is listed twice", n.text), "name it once")
	}
	out.Column, out.pos = n.text, n.pos
	f.List = append(f.List, out)
	return nil
}

// Columns returns the columns of schema that are read, with further ones such as that of frequencies, in the schema's
// order. A name that is not in the schema is a *FormulaError with the nearest spelling.
func (f *Items) Columns(schema *arrow.Schema, more ...string) ([]string, error) {
	names := schemaNames(schema)
	var out []string
	look := func(name string, pos int) error {
		if out = append(out, name); slices.Contains(names, name) {
			return nil
		}
		return &FormulaError{Formula: f.source, Pos: pos, Err: words.Hint(fmt.Errorf("there is no column %q", name),
			UnknownHint(name, "columns", names))}
	}
	for i := range f.List {
		item := &f.List[i]
		err := look(item.Column, item.pos)
		if err == nil && item.Trials != "" {
			err = look(item.Trials, item.trialsPos)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, name := range more {
		if name == "" {
			continue
		}
		if err := look(name, 0); err != nil {
			return nil, err
		}
	}
	return inOrder(names, out), nil
}
