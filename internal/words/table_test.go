package words

import (
	"errors"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	rows := func() [][]string {
		return [][]string{{"name", "n", "größe"}, {"über allem"}, {"a", "1,000", "2"}, {"long name", "—", "x y z and more words than fit"}, {"", "", "\nb"}}
	}
	for _, c := range []struct {
		table Table
		want  string
	}{
		{Table{Rows: [][]string{{"name", "n"}, {"a", "10"}, {"bc", ""}, {"d", "—"}}}, "name   n\na     10\nbc\nd      —\n"},
		{Table{Rows: [][]string{{"n"}, {"5"}, {"10"}}, Rule: true}, " n\n──\n 5\n10\n"},
		{Table{Rows: [][]string{{"n", "m"}, {"5", "x"}}, Right: func(col int) bool { return col == 1 }, Indent: "  "}, "  n  m\n  5  x\n"},
		{Table{Rows: [][]string{{"nn", "mm"}, {"5", "x"}}, Right: func(col int) bool { return col == 1 }, Rule: true}, "nn  mm\n──  ──\n5    x\n"},
		{Table{Rows: rows(), Flow: 42, Paint: func(row, col int, text string) string {
			if row == 2 && col < 2 {
				return "<" + text + ">"
			}
			return text
		}}, "name           n  größe\nüber allem\n<a>          <1,000>  2\nlong name      —  x y z and more words\n                  than fit\n\n                  b\n"},
		{Table{Rows: rows()[:4], Flow: 30}, "name           n\nüber allem\na          1,000\n    2\nlong name      —\n    x y z and more words than\n    fit\n"},
		{Table{Rows: [][]string{{"a", "bb", "cc", "dd"}, {"all"}, {"1", "10", "x", "4"}}, Fold: 6}, "a  bb\nall\n1  10\n\na  cc\nall\n1  x\n\na  dd\nall\n1   4\n"},
		{Table{Rows: [][]string{{"a", "bb", "cc", "dd"}, {"1", "10", "x", "4"}}, Fold: 10}, "a  bb  cc\n1  10  x\n\na  dd\n1   4\n"},
		{Table{Rows: [][]string{{"a", "bb"}, {"1", "10"}}, Fold: 2}, "a  bb\n1  10\n"},
		{Table{Rows: [][]string{{"v", "name", "n", "why"}, {"all"}, {"a", "longer", "1", "x y"}, {"b", "short", "2", ""}}, Names: 1, NameWidth: 5, Flow: 40},
			"v  name   n  why\nall\na  longer\n          1  x y\nb  short  2\n"},
		{Table{Rows: [][]string{{"v", "n", "why"}, {"a", "1", "x y z"}}, Flow: 10, Below: true}, "v  n\na  1\n    x y z\n"},
		{Table{Rows: [][]string{{"name", "bb", "cc"}, {"longer", "10", "x"}}, NameWidth: 4, Fold: 9}, "name  bb\nlonger\n      10\n\nname  cc\nlonger\n      x\n"},
		{Table{}, ""},
	} {
		var b strings.Builder
		if err := c.table.Write(&b); err != nil || b.String() != c.want {
			t.Errorf("%q is written (%v)\n%s, want\n%s", c.table.Rows, err, b.String(), c.want)
		}
	}
	under := Table{Rows: [][]string{{"fit", "n"}}}
	under.Under("one", "a", "1")
	under.Under("one", "b", "2")
	under.Under("two", "c", "3")
	var b strings.Builder
	if want := "fit  n\none\n  a  1\n  b  2\ntwo\n  c  3\n"; under.Write(&b) != nil || b.String() != want {
		t.Errorf("rows under headings:\n%s, want\n%s", b.String(), want)
	}
	if err := under.Write(full{}); !errors.Is(err, errFull) {
		t.Errorf("a writer that fails: %v", err)
	}
}

var errFull = errors.New("no room")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestBreak(t *testing.T) {
	for _, c := range []struct {
		line         string
		first, width int
		want         string
	}{
		{"a b c", 5, 1, "a b c"}, {"a b c d", 5, 3, "a b c|d"}, {"  a b c d e", 5, 3, "  a b|c d|e"}, {"ééééé b", 5, 5, "ééééé|b"},
		{"a loooong b", 4, 4, "a|loooong|b"}, {"", 4, 4, ""},
	} {
		if got := strings.Join(Break(c.line, c.first, c.width), "|"); got != c.want {
			t.Errorf("%q in %d and %d columns is %q, want %q", c.line, c.first, c.width, got, c.want)
		}
	}
}
