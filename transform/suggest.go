package transform

import (
	"fmt"

	"glmbatch/internal/words"
)

// UnknownHint says which names there are and which of them was perhaps meant.
func UnknownHint(name, what string, candidates []string) string {
	hint := "the " + what + " are " + words.List(candidates)
	if len(candidates) == 0 {
		hint = "there are no " + what
	}
	if near := words.Nearest(name, candidates); near != "" {
		hint = fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return hint
}
