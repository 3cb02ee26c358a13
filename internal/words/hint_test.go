package words

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestHint(t *testing.T) {
	err := Hint(io.ErrUnexpectedEOF, "copy it again")
	for _, c := range []struct {
		err                 error
		text, message, hint string
	}{
		{err, "unexpected EOF\nhint: copy it again", "unexpected EOF", "copy it again"},
		{fmt.Errorf("a.csv: %w", err), "a.csv: unexpected EOF\nhint: copy it again", "a.csv: unexpected EOF", "copy it again"},
		{Hint(io.EOF, ""), "EOF", "EOF", ""},
		{errors.New("a\nhint: b"), "a\nhint: b", "a\nhint: b", ""},
	} {
		message, hint := Parts(c.err)
		if c.err.Error() != c.text || message != c.message || hint != c.hint {
			t.Errorf("%q has the parts %q and %q, want %q, %q and %q", c.err, message, hint, c.text, c.message, c.hint)
		}
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is lost")
	}
	if got := Line(fmt.Errorf("a.csv: %w", err)); got != "a.csv: unexpected EOF" {
		t.Errorf("the first line is %q", got)
	}
	if err := Hint(nil, "copy it again"); err != nil {
		t.Errorf("no error with a hint is %v", err)
	}
}

// A clause is on the line of its message; Parts takes both apart.
func TestClause(t *testing.T) {
	err := fmt.Errorf("model %q: %w", "m", Clause(errors.New("no prior"), "give one"))
	if got := err.Error(); got != `model "m": no prior; give one` {
		t.Errorf("message %q", got)
	}
	if message, hint := Parts(err); message != `model "m": no prior` || hint != "give one" {
		t.Errorf("parts %q and %q", message, hint)
	}
	plain := errors.New("why")
	if Clause(plain, "") != plain || Clause(nil, "do") != nil {
		t.Error("an error without a hint, or a hint without an error, is wrapped")
	}
}
