package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"glmbatch/internal/words"
)

// renderer replaces the templates of one spec.
type renderer struct {
	*reporter
	opts  Options
	nodes map[string]*node // of vars
	order []string
	vars  Vars            // finished
	busy  map[string]bool // being computed: a second visit is a cycle
	// lenient leaves values unknown where a variable is not set, in profiles
	// that are not in use.
	lenient bool
}

// renderTree replaces all templates below root in place and returns the
// variables. In a data set's sql they become parameters.
func renderTree(r *reporter, root *node, opts Options) Vars {
	re := &renderer{reporter: r, opts: opts, nodes: map[string]*node{}, vars: Vars{}, busy: map[string]bool{}}
	if vars := root.get("vars"); vars != nil {
		for _, e := range vars.entries {
			re.nodes[e.key] = e.value
			re.order = append(re.order, e.key)
		}
	}
	re.override(root)
	for _, name := range re.order {
		re.variable(name)
	}
	for _, e := range root.entries {
		switch e.key {
		case "vars":
		case "datasets", "matrices":
			re.datasets(e.value)
		case "profiles":
			for _, p := range e.value.entries {
				re.lenient = p.key != opts.Profile
				re.tree(p.value)
				re.lenient = false
			}
		default:
			re.tree(e.value)
		}
	}
	return re.vars
}

// override replaces variables by those of the caller.
func (r *renderer) override(root *node) {
	at := pos{1, 1}
	for _, e := range root.entries {
		if e.key == "vars" {
			at = e.at
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.opts.Vars)) {
		if _, ok := r.nodes[name]; !ok {
			r.add(at, fmt.Sprintf("variable %s was given by the caller, but the spec has none of this name",
				quote(name)),
				words.DidYouMean(name, "variables", r.order))
			continue
		}
		r.vars[name] = r.opts.Vars[name]
	}
}

// datasets renders data sets and matrices, whose sql is bound instead.
func (r *renderer) datasets(n *node) {
	for _, set := range n.entries {
		if set.value.kind != mapKind {
			r.tree(set.value)
			continue
		}
		r.queried(set.value)
	}
}

// queried renders a mapping that may have sql, and those in it.
func (r *renderer) queried(n *node) {
	for _, e := range n.entries {
		switch {
		case e.key == "sql":
			r.bind(e.value)
		case e.value.kind == mapKind && (e.key == "edges" || e.key == "tables"):
			r.queried(e.value)
		default:
			r.tree(e.value)
		}
	}
}

// tree renders every text below n.
func (r *renderer) tree(n *node) {
	for _, item := range n.items {
		r.tree(item)
	}
	for _, e := range n.entries {
		r.tree(e.value)
	}
	if n.kind == stringKind && strings.Contains(n.text, "{{") {
		r.text(n)
	}
}

// parts parses the template in n. On failure n is unknown and the list nil.
func (r *renderer) parts(n *node) []part {
	if len(n.text) > maxText {
		r.add(n.at, fmt.Sprintf("longer than %d bytes", maxText), "")
		n.unknown = true
		return nil
	}
	parts, fault := parseTemplate(n.text)
	if fault != nil {
		r.add(n.where(fault.at), fault.message, fault.hint)
		n.unknown = true
		return nil
	}
	return parts
}

// text renders one value in place; it becomes unknown on failure.
func (r *renderer) text(n *node) {
	parts := r.parts(n)
	if n.unknown {
		return
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.literal)
		if p.expr == nil {
			continue
		}
		value, ok := r.eval(p.expr, n.where(p.at))
		if !ok {
			n.unknown = true
		}
		b.WriteString(value)
		if b.Len() > maxText {
			r.add(n.at, fmt.Sprintf("longer than %d bytes after templates are replaced", maxText), "")
			n.unknown = true
			return
		}
	}
	n.text, n.soft, n.inline = b.String(), true, false
}

// eval computes e; a failure has been reported when it returns false.
func (r *renderer) eval(e *expr, at pos) (string, bool) {
	value, known := "", false
	switch e.source {
	case "text":
		return e.name, true
	case "today":
		if r.opts.Today.IsZero() {
			r.add(at, "{{ today }} has no value here", "")
			return "", false
		}
		return r.opts.Today.Format("2006-01-02"), true
	case "env":
		if r.opts.Env != nil {
			value, known = r.opts.Env(e.name)
		}
	case "vars":
		if _, defined := r.nodes[e.name]; !defined {
			r.add(at, "variable "+quote(e.name)+" is not defined under vars",
				words.DidYouMean(e.name, "variables", r.order))
			return "", false
		}
		if r.busy[e.name] {
			r.add(at, "variable "+quote(e.name)+" is defined by itself", "")
			return "", false
		}
		if value, known = r.variable(e.name); !known {
			return "", false // reported where the variable is defined
		}
	}
	if value == "" && e.fallback != nil {
		return r.eval(e.fallback, at)
	}
	if !known && !r.lenient {
		r.add(at, "environment variable "+e.name+" is not set",
			fmt.Sprintf("set it, or give a default: {{ env.%s | default('…') }}", e.name))
	}
	return value, known
}

// variable returns the final text of a variable that is defined.
func (r *renderer) variable(name string) (string, bool) {
	if value, done := r.vars[name]; done {
		return value, true
	}
	n := r.nodes[name]
	if n.kind > stringKind || n.kind == nullKind || n.unknown {
		return "", false // the decoder reports it
	}
	lenient := r.lenient
	r.busy[name], r.lenient = true, false
	if n.kind == stringKind && strings.Contains(n.text, "{{") {
		r.text(n)
	}
	r.busy[name], r.lenient = false, lenient
	if n.unknown {
		return "", false
	}
	r.vars[name] = n.text
	return n.text, true
}

// bind turns the templates of a query into parameters $p1, $p2 …, so that no
// value ever becomes part of the text.
func (r *renderer) bind(n *node) {
	if n.kind != stringKind {
		return
	}
	parts := r.parts(n)
	if n.unknown {
		return
	}
	var b strings.Builder
	n.params = map[string]string{}
	var lex sqlLexer
	for _, p := range parts {
		if p.expr == nil {
			lex.skip(p.literal)
			b.WriteString(p.literal)
			continue
		}
		if lex.inside != 0 {
			r.add(n.where(p.at), "this template is inside quotes or a comment of the query, where it cannot be bound as a "+
				"parameter", "remove the quotes: a parameter is a value, not text")
		}
		value, ok := r.eval(p.expr, n.where(p.at))
		if !ok {
			n.unknown = true
		}
		name := fmt.Sprintf("p%d", len(n.params)+1)
		n.params[name] = value
		b.WriteString("$" + name)
		lex.last = '1'
	}
	if lex.dollar {
		r.add(n.at, "the query has a parameter of its own ($…), which has no value", "use {{ vars.NAME }}")
	}
	n.text, n.inline = b.String(), false
}

// sqlLexer follows the text of a query just far enough to determine whether a position is inside a string, a quoted
// name or a comment. Text comes in pieces, with parameters between them.
type sqlLexer struct {
	// inside is 0 in plain text, otherwise what it waits for: ' or " (end of
	// the quote), \n (line comment), * (block comment) or $ (dollar quote).
	inside byte
	tag    string // of a dollar quote: $tag$
	last   byte   // last byte of plain text
	dollar bool   // a $parameter was seen in plain text
}

// skip advances over a piece of the query.
func (l *sqlLexer) skip(text string) {
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case l.inside == '\'' || l.inside == '"' || l.inside == '\n':
			if rest[0] == l.inside {
				l.inside = 0
			}
			i++
		case l.inside == '*' && strings.HasPrefix(rest, "*/"):
			l.inside, i = 0, i+2
		case l.inside == '$' && strings.HasPrefix(rest, l.tag):
			l.inside, i = 0, i+len(l.tag)
		case l.inside != 0:
			i++
		default:
			i += l.open(rest)
		}
	}
}

// open reads one thing of plain text and returns its length.
func (l *sqlLexer) open(rest string) int {
	last := l.last
	l.last = rest[0]
	switch {
	case rest[0] == '\'' || rest[0] == '"':
		l.inside = rest[0]
	case strings.HasPrefix(rest, "--"):
		l.inside = '\n'
		return 2
	case strings.HasPrefix(rest, "/*"):
		l.inside = '*'
		return 2
	case rest[0] == '$' && !isWord(last):
		n := 1
		for n < len(rest) && isWord(rest[n]) {
			n++
		}
		if n < len(rest) && rest[n] == '$' && (n == 1 || rest[1] > '9') {
			l.inside, l.tag = '$', rest[:n+1]
			return n + 1
		}
		l.dollar = l.dollar || n > 1
		return n
	}
	return 1
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
