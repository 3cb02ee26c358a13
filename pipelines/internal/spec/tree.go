package spec

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Limits on what a spec may hold; beyond them it is refused before any work.
const (
	maxBytes    = 1 << 20
	maxKeys     = 20_000  // the parser's time grows with their square (goccy/go-yaml#889)
	maxTokens   = 150_000 // words and punctuation
	maxNodes    = 150_000 // values after aliases are expanded
	maxDepth    = 32
	maxLabels   = 1000    // anchors and tags
	maxText     = 1 << 16 // bytes of one value, before and after templates are replaced
	maxFits     = 100_000
	maxProblems = 1000 // further ones are counted only
)

// kind is the type of a value in YAML 1.2's core schema.
type kind int

const (
	nullKind kind = iota
	boolKind
	intKind
	floatKind
	stringKind
	listKind
	mapKind
)

func (k kind) String() string {
	return [...]string{"nothing", "true or false", "an integer", "a number", "text", "a list", "a mapping"}[k]
}

// pos is a place in the file, 1-based, columns in characters.
type pos struct{ line, column int }

// node is a value of the spec with its place. Aliases are expanded and merge
// keys merged, so that a tree of nodes is a tree.
type node struct {
	kind    kind
	text    string // scalars: as written, quotes removed
	at      pos
	inline  bool              // text is in one line of the file, unchanged
	quoted  bool              // a quote precedes text
	params  map[string]string // sql: values of its parameters
	items   []*node
	entries []entry
	// soft marks text that came out of a template: it may be read as a number.
	soft bool
	// unknown marks text whose template could not be replaced, which has been
	// reported or does not matter: it is not looked at again.
	unknown bool
}

// entry is one key of a mapping.
type entry struct {
	key   string
	at    pos
	value *node
}

// get returns the value of key, or nil.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for _, e := range n.entries {
		if e.key == key {
			return e.value
		}
	}
	return nil
}

// list returns the entries; none for nil.
func (n *node) list() []entry {
	if n == nil {
		return nil
	}
	return n.entries
}

// where is the place of a byte of text, or of its start if that is not known.
func (n *node) where(offset int) pos {
	if !n.inline || offset > len(n.text) {
		return n.at
	}
	column := n.at.column + utf8.RuneCountInString(n.text[:offset])
	if n.quoted {
		column++
	}
	return pos{n.at.line, column}
}

// keys lists the keys in written order.
func (n *node) keys() []string {
	if n == nil {
		return nil
	}
	list := make([]string, len(n.entries))
	for i, e := range n.entries {
		list[i] = e.key
	}
	return list
}

// treeMaker turns goccy's syntax tree into nodes.
type treeMaker struct {
	*reporter
	anchors map[string]ast.Node
	nodes   int
	full    bool // the limit on nodes was met and reported
}

// place is where a syntax node starts.
func place(n ast.Node) pos {
	switch n := n.(type) {
	case *ast.MappingNode:
		if len(n.Values) > 0 && !n.IsFlowStyle {
			return place(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return place(n.Key)
	}
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		return pos{tk.Position.Line, tk.Position.Column}
	}
	return pos{1, 1}
}

// value converts one value; it never returns nil.
func (t *treeMaker) value(n ast.Node, depth int) *node {
	if n == nil {
		return &node{kind: nullKind}
	}
	at := place(n)
	if t.nodes++; t.nodes > maxNodes || depth > maxDepth {
		if !t.full {
			t.full = true
			t.add(at, fmt.Sprintf("too deep or too large: more than %d levels, or %d values after aliases are expanded",
				maxDepth, maxNodes), "")
		}
		return &node{kind: nullKind, at: at, unknown: true}
	}
	switch n := n.(type) {
	case *ast.AnchorNode:
		v := t.value(n.Value, depth)
		t.anchors[tokenText(n.Name)] = n.Value
		return v
	case *ast.AliasNode:
		name := tokenText(n.Value)
		target, ok := t.anchors[name]
		if !ok {
			t.add(at, "alias "+quote("*"+name)+" has no anchor above it", "")
			return &node{kind: nullKind, at: at, unknown: true}
		}
		return t.value(target, depth+1)
	case *ast.TagNode:
		return t.tagged(n, depth)
	case *ast.SequenceNode:
		v := &node{kind: listKind, at: at}
		for _, item := range n.Values {
			v.items = append(v.items, t.value(item, depth+1))
		}
		return v
	case ast.MapNode:
		return t.mapping(n, at, depth)
	case *ast.LiteralNode:
		return &node{kind: stringKind, text: n.Value.Value, at: at}
	case ast.ScalarNode:
		return t.scalar(n.GetToken(), at)
	}
	t.add(at, "this kind of YAML is not used in a spec", "")
	return &node{kind: nullKind, at: at, unknown: true}
}

// tokenText is the text of a name's syntax node.
func tokenText(n ast.Node) string {
	if n == nil || n.GetToken() == nil {
		return ""
	}
	return n.GetToken().Value
}

// tagged converts a value with a tag: !!str is honoured, others are refused.
func (t *treeMaker) tagged(n *ast.TagNode, depth int) *node {
	v := t.value(n.Value, depth+1)
	if n.Start != nil && n.Start.Value == "!!str" && v.kind <= stringKind {
		v.kind = stringKind
		return v
	}
	t.add(place(n), "tags are not used in a spec", "remove "+quote(tokenText(n)))
	v.unknown = true
	return v
}

// scalar converts a scalar token; only unquoted text can be anything but text.
func (t *treeMaker) scalar(tk *token.Token, at pos) *node {
	if tk == nil {
		return &node{kind: nullKind, at: at}
	}
	if tk.Type == token.SingleQuoteType || tk.Type == token.DoubleQuoteType {
		inline := strings.Contains(tk.Origin, tk.Value) && !strings.Contains(tk.Value, "\n")
		return &node{kind: stringKind, text: tk.Value, at: at, inline: inline, quoted: true}
	}
	n := plain(tk.Value)
	n.at, n.inline = at, !strings.Contains(tk.Value, "\n")
	return n
}

// mapping converts a mapping; a key that comes twice is reported and its first
// value kept.
func (t *treeMaker) mapping(m ast.MapNode, at pos, depth int) *node {
	v := &node{kind: mapKind, at: at}
	first := map[string]pos{}
	var merges []*node
	for it := m.MapRange(); it.Next(); {
		key := it.Key()
		where := place(key)
		value := t.value(it.Value(), depth+1)
		if key.IsMergeKey() {
			merges = append(merges, value)
			continue
		}
		name, ok := keyText(key)
		if !ok {
			t.add(where, "a key must be plain text", `put quotes around a value that starts with {{, [ or {`)
			continue
		}
		if strings.Contains(name, "{{") {
			t.add(where, "templates are allowed in values, not in keys", "")
		}
		if seen, twice := first[name]; twice {
			t.add(where, fmt.Sprintf("key %s is given a second time; the first is on line %d", quote(name),
				seen.line), "remove one of the two")
			continue
		}
		first[name] = where
		if value.at == (pos{}) || value.kind > stringKind {
			value.at = where // its key is a better position than a block's own start
		}
		v.entries = append(v.entries, entry{key: name, at: where, value: value})
	}
	for _, other := range merges {
		t.merge(v, other)
	}
	return v
}

// merge adds the keys of other that v does not have (YAML's <<).
func (t *treeMaker) merge(v, other *node) {
	switch other.kind {
	case mapKind:
		for _, e := range other.entries {
			if v.get(e.key) == nil {
				v.entries = append(v.entries, e)
			}
		}
	case listKind:
		for _, item := range other.items {
			t.merge(v, item)
		}
	default:
		t.add(other.at, "<< takes a mapping or a list of mappings, not "+other.kind.String(), "")
	}
}

// keyText is the name of a key, which must be a scalar.
func keyText(key ast.MapKeyNode) (string, bool) {
	switch key := key.(type) {
	case *ast.NullNode, *ast.MergeKeyNode, *ast.TagNode, *ast.AnchorNode, *ast.AliasNode:
		return "", false
	case *ast.MappingKeyNode:
		if inner, ok := key.Value.(ast.MapKeyNode); ok {
			if _, nested := inner.(*ast.MappingKeyNode); !nested {
				return keyText(inner)
			}
		}
		return "", false
	case *ast.LiteralNode:
		return key.Value.Value, true
	case ast.ScalarNode:
		return key.GetToken().Value, true
	}
	return "", false
}

// sizeError says that a spec is too deep or too long for the parser, which is
// recursive and whose time grows with the square of the number of keys.
type sizeError struct {
	at            pos
	message, hint string
}

func (e *sizeError) Error() string { return e.message }

// tokenize splits src into tokens and refuses what the parser could not bear.
// Depth is that of open brackets, and on one line of the markers - and ? that
// each open a level. Anchors and tags nest, too, even over lines, and are
// counted. (Block mappings nest by indentation, at a cost in bytes that grows
// with the square of the depth.)
func tokenize(src []byte) (token.Tokens, error) {
	tokens := lexer.Tokenize(string(src))
	flow, marks, line, keys, labels := 0, 0, 0, 0, 0
	for i, tk := range tokens {
		if tk.Position.Line != line {
			line, marks = tk.Position.Line, 0
		}
		switch tk.Type {
		case token.MappingStartType, token.SequenceStartType:
			flow++
		case token.MappingEndType, token.SequenceEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType:
			marks++
		case token.AnchorType, token.TagType:
			labels++
		case token.CollectEntryType: // the comma
			marks = 0
		case token.MappingValueType:
			keys++
		}
		at := pos{tk.Position.Line, tk.Position.Column}
		if flow > maxDepth || marks > maxDepth {
			return nil, &sizeError{at, fmt.Sprintf("nested more than %d levels deep", maxDepth), ""}
		}
		if i >= maxTokens {
			return nil, &sizeError{at, fmt.Sprintf("more than %d words and marks", maxTokens),
				"a spec names data, it does not hold data"}
		}
		if labels > maxLabels {
			return nil, &sizeError{at, fmt.Sprintf("more than %d anchors and tags", maxLabels), ""}
		}
		if keys > maxKeys {
			return nil, &sizeError{at, fmt.Sprintf("more than %d keys", maxKeys),
				"name many files by a glob with each: file, or by columns with by"}
		}
	}
	return tokens, nil
}
