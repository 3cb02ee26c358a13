package doctest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// broken returns the relative links of a page that lead nowhere in dir, the
// page's folder: files that do not exist and headings that the page they name
// does not have.
func broken(dir fs.FS, page, text string) []string {
	var out []string
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		target, anchor, _ := strings.Cut(m[1], "#")
		if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
			continue
		}
		at := filepath.ToSlash(filepath.Join(filepath.Dir(page), target))
		if target == "" {
			at = page
		}
		content, err := fs.ReadFile(dir, at)
		if info, statErr := fs.Stat(dir, at); statErr == nil && info.IsDir() {
			err = nil
		}
		if err != nil || anchor != "" && !hasHeading(string(content), anchor) {
			out = append(out, m[1])
		}
	}
	return out
}

// hasHeading tells whether a page has the heading that an anchor names, by
// GitHub's rule: lower case, words joined by hyphens, punctuation dropped.
func hasHeading(page, anchor string) bool {
	drop := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		title := strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
		if strings.ReplaceAll(drop.ReplaceAllString(title, ""), " ", "-") == anchor {
			return true
		}
	}
	return false
}

// Every link from one page of this repository to another leads somewhere.
func TestLinks(t *testing.T) {
	dir := os.DirFS("testdata/links")
	text, err := fs.ReadFile(dir, "sub/page.md")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(broken(dir, "sub/page.md", string(text)), " "); got != "gone.md ../other.md#no-such #nor-this" {
		t.Fatalf("the rule does not see what it must: %s", got)
	}
	seen := 0
	for page := range pages(t) {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		seen++
		for _, l := range broken(os.DirFS(root), filepath.ToSlash(page), string(text)) {
			t.Errorf("%s: the link %s leads nowhere", page, l)
		}
	}
	if seen < 4 {
		t.Errorf("only %d pages seen", seen)
	}
}

// Every decision page stands in the list of decisions.
func TestDecisionsAreListed(t *testing.T) {
	list, err := os.ReadFile(filepath.Join(root, "docs", "decisions", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "docs", "decisions", "0*.md"))
	if err != nil || len(files) < 3 {
		t.Fatalf("only %d decision pages: %v", len(files), err)
	}
	for _, f := range files {
		if !strings.Contains(string(list), "]("+filepath.Base(f)+")") {
			t.Errorf("docs/decisions/README.md does not list %s", filepath.Base(f))
		}
	}
}
