package prose

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxManual is the most words of the manual: the pages of docs without its folders. Code blocks and output do not
// count.
const maxManual = 30_000

// words counts the words of a page's prose, of its tables too.
func words(page string) (n int) {
	for _, u := range markdown("", page) {
		n += len(strings.Fields(strings.TrimLeft(u.text, "#- ")))
	}
	return n
}

// A user reads the manual, so its length is bounded. Design, evidence and reference have folders of their own.
func TestManualIsShort(t *testing.T) {
	if n := words("# One two\n\n- three `a b`\n[four](a.md)\n\n```\nfive\n```\n| six | seven |\n|---|---|\n"); n != 7 {
		t.Fatalf("%d words are counted of 7", n)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	must(t, err)
	total := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		must(t, err)
		n := words(string(text))
		t.Logf("%5d %s", n, filepath.Base(page))
		total += n
	}
	if len(pages) < 20 || total > maxManual {
		t.Errorf("%d pages have %d words, at most %d are permitted: shorten a page, or move design and evidence to their folders",
			len(pages), total, maxManual)
	}
}

// maxReference is the most words of the generated pages of the reference.
const maxReference = 21_000

// A page that make reference writes explains a column, a flag or a key once.
func TestReferenceIsShort(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs/reference/*.md"))
	must(t, err)
	generated, total := 0, 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		must(t, err)
		if strings.HasPrefix(string(text), "<!-- written by make reference") {
			generated++
			total += words(string(text))
			t.Logf("%5d %s", words(string(text)), filepath.Base(page))
		}
	}
	if generated < 5 || total > maxReference {
		t.Errorf("%d generated pages have %d words, at most %d are permitted: shorten descriptions of keys, flags or columns",
			generated, total, maxReference)
	}
}
