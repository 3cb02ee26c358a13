package doctest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wide returns the numbers of the lines of a page beyond Width.
func wide(page string) []int {
	var out []int
	for i, line := range strings.Split(page, "\n") {
		if columns(line) > Width {
			out = append(out, i+1)
		}
	}
	return out
}

// Pages keep within Width. The notes next to test data are left as their sources have them.
func TestPagesAreNarrow(t *testing.T) {
	if got := wide("a\n" + strings.Repeat("ö", Width) + "\n" + strings.Repeat("ö", Width+1)); len(got) != 1 ||
		got[0] != 3 {
		t.Fatalf("the rule does not see what it must: %v", got)
	}
	seen := 0
	for _, page := range markdown(t) {
		if strings.HasPrefix(page, "testdata/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, page))
		must(t, err)
		seen++
		for _, line := range wide(string(text)) {
			t.Errorf("%s:%d has more than %d columns: break the line, or shorten the row and say the rest below the table", page,
				line, Width)
		}
	}
	if seen < 40 {
		t.Errorf("only %d pages seen", seen)
	}
}

// overlong returns the numbers of the lines of running text beyond TextWidth: of no table, heading, comment or block.
func overlong(page string) (out []int) {
	fenced := false
	for i, line := range strings.Split(page, "\n") {
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "```") {
			fenced = !fenced
		}
		if !fenced && columns(line) > TextWidth && strings.Contains(text, " ") && !strings.ContainsAny(text[:1], "|#<") {
			out = append(out, i+1)
		}
	}
	return out
}

// Paragraphs and lists of pages that people write are wrapped within TextWidth.
func TestTextIsWrapped(t *testing.T) {
	long := strings.Repeat("word ", TextWidth/5) + "end"
	if got := overlong("# " + long + "\n" + long + "\n| " + long + "\n```\n" + long + "\n```\n- " + long); len(got) != 2 ||
		got[0] != 2 || got[1] != 7 {
		t.Fatalf("the rule does not see what it must: %v", got)
	}
	for _, page := range markdown(t) {
		if strings.HasPrefix(page, "testdata/") || strings.HasPrefix(page, "docs/reference/") ||
			page == "docs/evidence/verification.md" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, page))
		must(t, err)
		for _, line := range overlong(string(text)) {
			t.Errorf("%s:%d has more than %d columns: wrap it", page, line, TextWidth)
		}
	}
}

// The cells that a narrow row leaves out follow its table, under the row's name.
func TestNarrow(t *testing.T) {
	short, long := "Short. ", strings.TrimSpace(strings.Repeat("word ", 40))
	page := "| key | value | meaning |\n|---|---|---|\n| a | b | " + short + long + ". End. |\n| **c** | d \\| e | " +
		long + long + " |\n| f | " +
		long + long + " | g |\n\ntext"
	got := Narrow(page)
	for _, want := range []string{"| a | b | Short. |\n", "| **c** | d \\| e | see below |\n",
		"| f | see below | see below |\n\n- a: word",
		"word. End.\n- c: word", "\n- f: word", "word. g\n\ntext"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "word"); n != strings.Count(page, "word") {
		t.Errorf("%d words of %d are left", n, strings.Count(page, "word"))
	}
	for _, line := range strings.Split(got, "\n") {
		if columns(line) > Width || strings.HasPrefix(line, "- ") && columns(line) > TextWidth {
			t.Errorf("too wide: %s", line)
		}
	}
	if again := Narrow(got); again != got {
		t.Errorf("a narrow page is changed:\n%s", again)
	}
}
