package words

import (
	"fmt"
	"testing"
)

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		names []string
		rows  []int
		want  string
	}{
		{[]string{"Berlin", "Berlin ", "Hamburg", "Hambrug"}, []int{80, 1, 70, 1},
			`[{Berlin  Berlin in blanks only} {Hambrug Hamburg in one letter}]`},
		{[]string{"New York", "New  York", "\u00a0New York"}, []int{9, 9, 3},
			"[{New  York New York in blanks only} {\u00a0New York New York in blanks only}]"},
		{[]string{"Zu\u0308rich", "Z\u00fcrich"}, []int{20, 20}, "[{Z\u00fcrich Zu\u0308rich in Unicode normal form only}]"},
		{[]string{"male", "Male", "MALE", "yes", "Yes"}, []int{5, 9, 5, 5, 5},
			"[{male Male in capitals only} {MALE male in capitals only} {Yes yes in capitals only}]"},
		{[]string{"AA", "Aa", "aa", "AaBb", "aaBB", "AaBB", "aabb"}, []int{9, 9, 9, 9, 9, 9, 9}, "[]"}, // genotypes
		{[]string{"A1", "A2", "a1", "B10", "B11"}, []int{50, 1, 50, 50, 1}, "[]"},
		{[]string{"store-101", "store-102", "2023", "2024", "10004"}, []int{50, 1, 50, 1, 1}, "[]"},
		{[]string{"white", "while"}, []int{50, 3}, "[]"}, // not rare
		{[]string{"white", "while"}, []int{9, 2}, "[]"},  // not frequent
		{[]string{"south", "north", "mouth"}, []int{50, 50, 2}, "[{mouth south in one letter}]"},
		{[]string{"Muenchen", "Munchen", "Köln", "Koln"}, []int{50, 1, 50, 1}, "[{Munchen Muenchen in one letter}]"},
		{[]string{"dXq9", "DXq9"}, []int{1, 1}, "[]"}, // random keys
	} {
		if got := fmt.Sprint(Alike(c.names, c.rows)); got != c.want {
			t.Errorf("%q: %q, want %q", c.names, got, c.want)
		}
	}
	p := Pair{"Z\u00fcrich", "Zu\u0308rich", differForm}
	if rare, other := p.Quoted(); rare != `"Z\u00fcrich"` || other != `"Zu\u0308rich"` {
		t.Errorf("two forms are shown as %s and %s", rare, other)
	}
	if SameForm("a", "a") || !SameForm("gr\u00f6\u00dfe", "gro\u0308\u00dfe") || SameForm("a", "b") {
		t.Error("SameForm")
	}
}
