package words

import (
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "abc", 0}, {"abc", "", 3}, {"family", "familly", 1}, {"seed", "sead", 1}, {"form", "from", 1}, {"ab", "ba", 1},
		{"kitten", "sitting", 3}, {"ca", "abc", 3}, {"größe", "grösse", 2},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%s to %s: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance(c.b, c.a); got != c.want {
			t.Errorf("%s to %s: %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	keys := []string{"formula", "family", "standardize", "missing"}
	columns := []string{"age", "Sex", "education", "x1", "x2", "e"}
	for _, c := range []struct {
		name, want string
		candidates []string
	}{
		{"familly", "family", keys}, {"Family", "family", keys}, {"standardise", "standardize", keys}, {"fromula", "formula", keys},
		{"x", "", keys}, {"fm", "", keys}, {"prior", "", keys}, {"family", "", keys},
		{"agee", "age", columns}, {"sex", "Sex", columns}, {"edcuation", "education", columns}, {"x3", "x1", columns},
		{"weight", "", columns}, {"", "", columns}, {"E", "e", columns}, {"y", "e", columns}, {"h", "g", []string{"g"}}, {"xyz", "", columns}, {";", "", []string{".", ","}}, {"age", "", []string{"age"}}, {"größé", "größe", []string{"grösse", "größe"}},
	} {
		if got := Nearest(c.name, c.candidates); got != c.want {
			t.Errorf("nearest to %q in %q is %q, want %q", c.name, c.candidates, got, c.want)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	many := strings.Split("abcdefghijklmn", "")
	for _, c := range []struct {
		name       string
		candidates []string
		want       string
	}{
		{"ag", []string{"age"}, `did you mean "age"?`},
		{"xyz", []string{"age"}, "columns: age"},
		{"agee", []string{"sex", "age"}, `did you mean "age"? columns: sex, age`},
		{"B", many, `did you mean "b"? columns: a, b, c, d, e, f, g, h, i, j, k, l, …`},
		{"xyz", many[:12], "columns: a, b, c, d, e, f, g, h, i, j, k, l"},
		{"age", nil, ""},
	} {
		if got := DidYouMean(c.name, "columns", c.candidates); got != c.want {
			t.Errorf("%q among %q: %q, want %q", c.name, c.candidates, got, c.want)
		}
	}
	if got, want := List(many), "a, b, c, d, e, f, g, h, i, j, k, l and 2 more"; got != want {
		t.Errorf("a list is %q, want %q", got, want)
	}
	if got, want := List(many[:12]), "a, b, c, d, e, f, g, h, i, j, k, l"; got != want {
		t.Errorf("a short list is %q, want %q", got, want)
	}
}
