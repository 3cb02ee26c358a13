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

// hasHeading reports whether a page has the heading that an anchor names, by
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

// Every link from a page of this repository to another, or to a heading, leads
// somewhere.
func TestLinks(t *testing.T) {
	dir := os.DirFS("testdata/links")
	text, err := fs.ReadFile(dir, "sub/page.md")
	must(t, err)
	if got := strings.Join(broken(dir, "sub/page.md", string(text)), " "); got != "gone.md ../other.md#no-such #nor-this" {
		t.Fatalf("the rule does not see what it must: %s", got)
	}
	seen := 0
	for _, page := range markdown(t) {
		text, err := os.ReadFile(filepath.Join(root, page))
		must(t, err)
		seen++
		for _, l := range broken(os.DirFS(root), page, string(text)) {
			t.Errorf("%s: the target of the link %s does not exist", page, l)
		}
	}
	if seen < 40 {
		t.Errorf("only %d pages seen", seen)
	}
}

// markdown lists every Markdown file of the repository but those that tests
// plant faults in.
func markdown(t *testing.T) []string {
	t.Helper()
	var list []string
	err := fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (p == ".git" || p == "bin" || p == "internal/doctest/testdata"):
			return fs.SkipDir
		case strings.HasSuffix(p, ".md"):
			list = append(list, p)
		}
		return nil
	})
	must(t, err)
	return list
}

// unlisted returns the pages below a folder that its index has no link to, except those that an index of their own
// lists.
func unlisted(index string, pages []string) []string {
	var out []string
	for _, p := range pages {
		rel, below := strings.CutPrefix(p, "docs/")
		if !below || rel == "README.md" || strings.HasPrefix(rel, "decisions/0") {
			continue
		}
		if !strings.Contains(index, "]("+rel+")") {
			out = append(out, p)
		}
	}
	return out
}

// docs/README.md lists every page of the manual.
func TestPagesAreListed(t *testing.T) {
	planted := unlisted("[a](a.md) [b](sub/b.md)",
		[]string{"README.md", "docs/README.md", "docs/a.md", "docs/sub/b.md", "docs/c.md", "docs/decisions/0001-x.md"})
	if len(planted) != 1 || planted[0] != "docs/c.md" {
		t.Fatalf("the rule does not see what it must: %v", planted)
	}
	index, err := os.ReadFile(filepath.Join(root, "docs", "README.md"))
	must(t, err)
	for _, p := range unlisted(string(index), markdown(t)) {
		t.Errorf("docs/README.md does not list %s: add a line under the kind of page that it is", p)
	}
}

// The list of decisions has every decision page.
func TestDecisionsAreListed(t *testing.T) {
	list, err := os.ReadFile(filepath.Join(root, "docs", "decisions", "README.md"))
	must(t, err)
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

// soonest is the most lines of 120 columns, two screens of them, that a page of the manual has before its first example.
const soonest = 80

// Every page of the manual shows an example soon: a block to type or to read, or a formula on a line of its own.
func TestPagesShowAnExampleSoon(t *testing.T) {
	long := strings.Repeat("much that is to be known first\n", soonest)
	for text, want := range map[string]bool{"```sh\nls\n```\n": true, long + "```sh\n": false, "a\n\n    x = 1\n": true, "a\n": false,
		strings.Repeat("word ", 24*soonest) + "\n\n```sh\n": false, "- a\n    - b\n": false} {
		if got := showsSoon(text); got != want {
			t.Errorf("an example is seen soon: %t, want %t: %.60q", got, want, text)
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(files) < 20 {
		t.Fatal(err, files)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		must(t, err)
		if filepath.Base(f) != "README.md" && !showsSoon(string(text)) { // which lists the pages
			t.Errorf("%s has no example in its first %d lines: a page starts with what its reader wants to do", filepath.Base(f), soonest)
		}
	}
}

// showsSoon reports whether a page shows an example in its first lines, of which long ones count as often as a screen
// breaks them.
func showsSoon(page string) bool {
	lines, blank := 0, true
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		if lines += max(1, (len(line)+119)/120); lines > soonest {
			return false
		}
		if strings.HasPrefix(line, "```") || blank && strings.HasPrefix(line, "    ") {
			return true
		}
		blank = line == ""
	}
	return false
}
