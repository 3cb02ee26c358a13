package spec

import (
	"fmt"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

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
