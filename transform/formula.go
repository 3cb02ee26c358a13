package transform

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"glmbatch/internal/words"
)

// Formula is a model formula, parsed and known to use only what this version
// has. Its columns are looked up when it meets a table. It is read-only.
type Formula struct {
	source string
	left   *node
	right  *node

	frequency, precision string // columns of weights, see Weighted
	marks                Marks

	predicted []predicted // further predictors
	whole     string      // of several predictors: the text of all
	negative  bool        // of thresholds: columns have the other sign
}

// String returns the formula as it was written.
func (f *Formula) String() string { return cmp.Or(f.whole, f.source) }

// Grouped reports whether the formula has group-level effects: (terms | grouping).
func (f *Formula) Grouped() bool {
	return slices.ContainsFunc(f.all(), func(g *Formula) bool { return g.right.barred() })
}

// Weights returns the column of y | weights(w), which is one of frequencies; empty for none.
func (f *Formula) Weights() string {
	s, err := f.selectFrom(nil, anyName)
	if err != nil {
		return ""
	}
	return s.frequency
}

// KnownErrors reports whether the response has known standard errors: y | se(s).
func (f *Formula) KnownErrors() bool { return f.left.count("se") > 0 }

// ParseFormula parses R's formula notation as described in the package comment.
// Errors are of type *FormulaError.
func ParseFormula(s string) (*Formula, error) {
	p := &parser{lexer: lexer{src: s}}
	if len(s) > maxFormula {
		return nil, &FormulaError{
			Formula: s[:40], Pos: 0,
			Err: words.Hint(fmt.Errorf("a formula of %d bytes is longer than the limit of %d", len(s), maxFormula),
				"name columns by a glob (x*) or take all of them (.)"),
		}
	}
	if strings.TrimSpace(s) == "" {
		return nil, p.fail(0, "the formula is empty", `write response ~ terms, for example "y ~ ."`)
	}
	if several.MatchString(s) {
		return parseSeveral(s)
	}
	if name, hint := absentAround(s); hint != "" {
		return nil, p.fail(0, name+"() of brms is not supported", hint)
	}
	f := &Formula{source: s}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.at("~") {
		return nil, p.fail(p.token.pos, "the response is missing before ~", `write the column to be explained first: "y ~ ."`)
	}
	var err error
	if f.left, err = p.expression(0); err != nil {
		return nil, err
	}
	if !p.at("~") {
		return nil, p.fail(p.token.pos, "~ is expected here", `a formula is "response ~ terms"`)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.token.kind == tokenEnd {
		return nil, p.fail(p.token.pos, "the terms are missing after ~",
			`"y ~ ." takes all other columns, "y ~ 1" only an intercept`)
	}
	if f.right, err = p.expression(0); err != nil {
		return nil, err
	}
	if p.at("~") {
		return nil, p.fail(p.token.pos, "a formula has one ~ only", "")
	}
	if p.token.kind != tokenEnd {
		return nil, p.fail(p.token.pos, fmt.Sprintf("an operator is expected before %q", p.token.text),
			"join terms with +; put backquotes around a name with spaces")
	}
	if err := f.takeMarks(p); err != nil {
		return nil, err
	}
	// Selecting from no columns meets every part that this version lacks.
	if _, err := f.selectFrom(nil, anyName); err != nil {
		return nil, err
	}
	return f, nil
}

// Columns returns the columns of schema that the formula reads (response,
// trials, predictors, offsets), in the schema's order. A name that is not in
// the schema is a *FormulaError with the nearest spelling.
func (f *Formula) Columns(schema *arrow.Schema) ([]string, error) {
	var all []string
	for _, g := range f.all() {
		own, err := g.columnsIn(schema)
		if err != nil {
			return nil, err
		}
		all = append(all, own...)
	}
	return inOrder(schemaNames(schema), all), nil
}

// Open reports whether the formula takes columns by . or a glob: its terms follow the order of the table's columns.
func (f *Formula) Open() bool {
	return slices.ContainsFunc(f.all(), func(g *Formula) bool { return g.right.open() })
}

// OffsetTerms returns the columns of offset() that . or a glob takes as terms too, as R's terms() does.
func (f *Formula) OffsetTerms() (out []string) {
	if !f.right.open() {
		return nil
	}
	s, err := f.selectFrom(nil, anyName)
	if err != nil {
		return nil
	}
	var names []string
	for i := range s.offsets {
		names = append(names, s.offsets[i].columns...)
	}
	var fields []arrow.Field
	for _, name := range unique(names) {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.Null})
	}
	if s, err = f.selectFrom(arrow.NewSchema(fields, nil), anyName); err != nil {
		return nil
	}
	for i, used := range s.used() {
		if v := &s.variables[i]; used && v.plain() && !v.named && slices.Contains(names, v.columns[0]) {
			out = append(out, v.columns[0])
		}
	}
	return out
}

// Labels returns the columns whose values are labels, whatever their type: those of factor() and of groupings.
func (f *Formula) Labels() (out []string) {
	for _, g := range f.all() {
		s, err := g.selectFrom(nil, anyName)
		if err != nil {
			return nil
		}
		for i := range s.groupers {
			out = append(out, s.groupers[i].columns...)
		}
		for i := range s.variables {
			if v := &s.variables[i]; !v.plain() && v.node.ofColumn() {
				out = append(out, v.columns...)
			}
		}
	}
	return unique(out)
}

// Named returns the columns of schema that a table must have for Columns and
// Build: those that Columns returns and those that the formula takes away by
// name, as id in y ~ . - id, in the schema's order.
func (f *Formula) Named(schema *arrow.Schema) ([]string, error) {
	var all []string
	for _, g := range f.all() {
		s, err := g.selectFrom(schema, everyName)
		if err != nil {
			return nil, err
		}
		all = append(append(all, s.columns()...), s.named...)
	}
	return inOrder(schemaNames(schema), all), nil
}

// inOrder returns the names that are among some, in their order; one that appears twice is listed once.
func inOrder(names, some []string) []string {
	used := make(map[string]bool, len(some))
	for _, name := range some {
		used[name] = true
	}
	var kept []string
	for _, name := range names {
		if used[name] {
			kept = append(kept, name)
			delete(used, name)
		}
	}
	return kept
}

func schemaNames(schema *arrow.Schema) []string {
	names := make([]string, schema.NumFields())
	for i, field := range schema.Fields() {
		names[i] = field.Name
	}
	return names
}

// unreadableKey, among the metadata of a field, marks a column whose type package ingest cannot read. A formula may
// name it, which is an error when the column is opened; . and globs pass it over.
const unreadableKey = "unreadable"

// readable returns the names of a schema's columns, without those that cannot be read, and the set of all names. Both
// are empty for a nil schema.
func readable(schema *arrow.Schema) (names []string, all map[string]bool) {
	all = make(map[string]bool)
	if schema == nil {
		return nil, all
	}
	for _, field := range schema.Fields() {
		all[field.Name] = true
		if field.Metadata.FindKey(unreadableKey) < 0 {
			names = append(names, field.Name)
		}
	}
	return names, all
}

// aside are the terms of calls on the left of a formula, and what those on the right have apart from their values.
type aside struct {
	noise  []string   // columns of the standard deviations of me()
	errors *variable  // known standard errors of the response
	limits []limit    // of cens() and trunc()
	counts []variable // of cbind(): successes and failures, or a count of each class
	rate   *variable  // the exposure of rate(t), whose logarithm is one of the offsets
}

// selection is a formula that has met the names of a table's columns.
type selection struct {
	response variable
	trials   *variable
	// proportion says that the response is the successes divided by the trials.
	proportion bool
	frequency  string // columns of weights; empty for none
	precision  string
	intercept  bool
	variables  []variable // of the terms, in the order of the text; some may be unused
	terms      []term     // by degree
	offsets    []variable
	aside
	groupers []variable // what groupings are made of
	bars     []bar
	smooths  []smoothing
	named    []string // columns named in a term, removed ones too
}

// termLabel is the term's name in R's spelling.
func (s *selection) termLabel(t term) string {
	parts := make([]string, len(t))
	for i, v := range t {
		parts[i] = s.variables[v].label
	}
	return strings.Join(parts, ":")
}

// columns returns every column that the selection reads, with repetitions.
func (s *selection) columns() []string {
	names := s.explained()
	if s.trials != nil {
		names = append(names, s.trials.columns...)
	}
	for _, w := range s.weights() {
		names = append(names, w.column)
	}
	names = append(names, s.noise...)
	for i := range s.offsets {
		names = append(names, s.offsets[i].columns...)
	}
	if s.errors != nil {
		names = append(names, s.errors.columns...)
	}
	for _, l := range s.limits {
		names = append(names, l.columns...)
	}
	for i := range s.groupers {
		names = append(names, s.groupers[i].columns...)
	}
	for v, used := range s.used() {
		if used {
			names = append(names, s.variables[v].columns...)
		}
	}
	return names
}

// used says which variables the terms have, those of groups among them.
func (s *selection) used() []bool {
	out := make([]bool, len(s.variables))
	mark := func(terms []term) {
		for _, t := range terms {
			for _, v := range t {
				out[v] = true
			}
		}
	}
	mark(s.terms)
	for i := range s.bars {
		mark(s.bars[i].terms)
	}
	for _, t := range s.smooths {
		for _, v := range append(slices.Clone(t.x), t.by) {
			if v >= 0 {
				out[v] = true
			}
		}
	}
	return out
}
