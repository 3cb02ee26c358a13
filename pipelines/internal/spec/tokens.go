package spec

import (
	"fmt"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// nestingError says that brackets or markers are nested too deeply for the
// recursive parser, whose stack would overflow.
type nestingError struct{ at pos }

func (e *nestingError) Error() string {
	return fmt.Sprintf("nested more than %d levels deep", maxDepth)
}

// tokenize splits src into tokens and refuses those that would nest too
// deeply: open brackets, and on one line the markers - ? & ! that each open a
// level. (Block mappings nest by indentation, at a cost in bytes that grows
// with the square of the depth.)
func tokenize(src []byte) (token.Tokens, error) {
	tokens := lexer.Tokenize(string(src))
	flow, marks, line := 0, 0, 0
	for _, tk := range tokens {
		if tk.Position.Line != line {
			line, marks = tk.Position.Line, 0
		}
		switch tk.Type {
		case token.MappingStartType, token.SequenceStartType:
			flow++
		case token.MappingEndType, token.SequenceEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType, token.AnchorType, token.TagType:
			if flow == 0 {
				marks++
			}
		}
		if flow > maxDepth || marks > maxDepth {
			return nil, &nestingError{pos{tk.Position.Line, tk.Position.Column}}
		}
	}
	return tokens, nil
}
