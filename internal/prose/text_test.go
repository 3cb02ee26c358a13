package prose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// root is the repository, seen from this package.
const root = "../.."

// unit is a piece of prose: a paragraph, list item, heading or table cell of a
// page, a group of comments, or a message. Code is replaced by `x`, a link by its
// text.
type unit struct {
	path    string
	line    int
	text    string
	message bool // a string constant of a Go file
}

// scope returns d for Markdown and messages, and c for comments.
func (u unit) scope() string {
	if u.message || path.Ext(u.path) == ".md" {
		return "d"
	}
	return "c"
}

var (
	code = regexp.MustCompile("`[^`]*`")
	link = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// plain removes code, targets of links and white space that says nothing.
func plain(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if strings.Contains(text, "`") {
		text = code.ReplaceAllString(text, "`x`")
	}
	if strings.Contains(text, "](") {
		text = link.ReplaceAllString(text, "$1")
	}
	return text
}

// readUnits reads the pages and Go files below dir, except testdata of Go
// packages and folders that git does not track.
func readUnits(t *testing.T, dir string) []unit {
	t.Helper()
	var units []unit
	files := os.DirFS(dir)
	err := fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != "." && (strings.HasPrefix(name, ".") || name == "bin" || name == "dist" || name == "testdata" && p != name) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".md" && path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(files, p)
		if err != nil {
			return err
		}
		if path.Ext(name) == ".md" {
			units = append(units, markdown(p, string(text))...)
		} else {
			units = append(units, goUnits(p, text)...)
		}
		return nil
	})
	must(t, err)
	return units
}

// goUnits returns the comments and messages of a Go file. A file that does not
// parse has none; tests have no messages.
func goUnits(p string, text []byte) []unit {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, p, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var units []unit
	for _, g := range f.Comments {
		units = append(units, unit{path: p, line: fset.Position(g.Pos()).Line, text: plain(g.Text())})
	}
	if strings.HasSuffix(p, "_test.go") {
		return units
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field:
			_, field := n.(*ast.Field)
			return field && n.(*ast.Field).Tag == nil
		case ast.Expr:
			s, ok := constant(n)
			if ok && isSentence(s) {
				units = append(units, unit{p, fset.Position(n.Pos()).Line, plain(s), true})
			}
			return !ok
		}
		return true
	})
	return units
}

// constant returns the text of a string literal, or of a sum of them.
func constant(n ast.Expr) (string, bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(n.Value)
		return s, n.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		x, ok := constant(n.X)
		y, ok2 := constant(n.Y)
		return x + y, ok && ok2 && n.Op == token.ADD
	}
	return "", false
}

var sql = regexp.MustCompile(`\b(SELECT|FROM|WHERE|JOIN|CREATE|ATTACH|ORDER BY|VALUES)\b`)

// isSentence reports whether a constant is prose: three words and more, and not SQL.
func isSentence(s string) bool {
	return len(strings.Fields(s)) > 2 && !sql.MatchString(s)
}

// markdown returns the prose of a page: paragraphs, items, headings and cells,
// without fenced blocks and HTML comments.
func markdown(p, text string) []unit {
	var units []unit
	add := func(line int, text string) {
		if text = plain(text); text != "" {
			units = append(units, unit{path: p, line: line, text: text})
		}
	}
	fenced, start, n := false, 0, 0
	var paragraph []string
	flush := func() {
		add(start, strings.Join(paragraph, " "))
		paragraph = nil
	}
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		fence := strings.HasPrefix(line, "```")
		switch {
		case fence:
			flush()
			fenced = !fenced
		case fenced:
		case line == "" || strings.HasPrefix(line, "<!--"):
			flush()
		case strings.HasPrefix(line, "|"):
			flush()
			if rest := strings.TrimLeft(line, "|:- "); rest == "" {
				continue
			}
			for _, cell := range strings.Split(strings.ReplaceAll(line, `\|`, "¦"), "|") {
				add(n, cell)
			}
		default:
			if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "#") {
				flush()
			}
			if paragraph == nil {
				start = n
			}
			paragraph = append(paragraph, line)
		}
	}
	flush()
	return units
}

// maxWords is the most words of a sentence of a finished page.
const maxWords = 25

var end = regexp.MustCompile(`[.?!:]["”)*]*( |$)`)

// longSentence returns a sentence of more than maxWords words, or "". A colon
// ends a sentence, because a list may follow it.
func longSentence(text string) string {
	for _, s := range end.Split(text, -1) {
		if len(strings.Fields(s)) > maxWords {
			return s
		}
	}
	return ""
}

func TestMarkdown(t *testing.T) {
	page := "# Head\n\nOne `code` [link](a.md)\ntwo.\n- item\n\n```sh\nnot this\n```\n<!-- nor this -->\n| a | b \\| c |\n|---|---|\n"
	var got []string
	for _, u := range markdown("a.md", page) {
		got = append(got, u.text)
	}
	if g := strings.Join(got, "; "); g != "# Head; One `x` link two.; - item; a; b ¦ c" {
		t.Error(g)
	}
	if u := goUnits("a.go", []byte("// Package a\n// is.\npackage a\n")); len(u) != 1 || u[0].text != "Package a is." {
		t.Error(u)
	}
	if words := strings.Repeat("word ", maxWords); longSentence(words) != "" || longSentence("a "+words) == "" ||
		longSentence("a: "+words) != "" {
		t.Error("sentences are counted wrongly")
	}
}
