package words

import (
	"path"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"*", "", true}, {"*", "abc", true}, {"", "", true}, {"", "a", false},
		{"x*", "x", true}, {"x*", "x12", true}, {"x*", "ax", false},
		{"*_rate", "birth_rate", true}, {"*_rate", "rates", false}, {"*_rate", "_rate", true},
		{"a*b*c", "aXbYc", true}, {"a*b*c", "abcbc", true}, {"a*b*c", "acb", false},
		{"x?", "x1", true}, {"x?", "x", false}, {"x?", "x12", false}, {"?*?", "a", false},
		{"gr?ße", "größe", true}, {"x[1]", "x[1]", true}, {"x.1", "xa1", false},
	} {
		if got := Match(c.pattern, c.name); got != c.want {
			t.Errorf("%q matches %q: %v, want %v", c.pattern, c.name, got, c.want)
		}
	}
}

// TestMatchAll compares globs with path.Match, which agrees where no name holds a
// slash, bracket or backslash: exhaustively for short patterns over two letters.
func TestMatchAll(t *testing.T) {
	patterns := strung("ab*?", 4)
	names := strung("ab", 4)
	for _, p := range patterns {
		for _, n := range names {
			want, err := path.Match(p, n)
			if err != nil {
				t.Fatal(err)
			}
			if got := Match(p, n); got != want {
				t.Fatalf("%q on %q: %t, want %t", p, n, got, want)
			}
		}
	}
	if !Match("x[1]*", "x[1]/\\") || !Match("a:b*", "a:bé") || !Match("?", "é") {
		t.Error("brackets, slashes and accents are letters")
	}
}

// strung lists every word over letters of length 0 to n.
func strung(letters string, n int) []string {
	list := []string{""}
	for from := 0; n > 0; n-- {
		to := len(list)
		for _, w := range list[from:to] {
			for _, c := range letters {
				list = append(list, w+string(c))
			}
		}
		from = to
	}
	return list
}
