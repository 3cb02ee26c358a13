package spec

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"glmbatch/internal/words"
)

// Options say what a spec's templates and paths refer to. With the zero value
// no environment variable is set, today is unknown and relative paths stay so.
type Options struct {
	// Env looks up {{ env.NAME }}, as os.LookupEnv does. Nil means none is set.
	Env func(name string) (string, bool)
	// Today is the value of {{ today }}; a zero time makes its use a problem.
	Today time.Time
	// Dir is where relative paths count from. Empty means the spec's folder in
	// Load, and the working directory in Parse.
	Dir string
	// Profile is the name of the profile to apply; empty means none.
	Profile string
	// Vars override variables of the spec, by name. They are taken literally.
	Vars map[string]string
}

// Load reads and checks the spec at path. Its error is an *fs.PathError if the
// file cannot be read, otherwise *Problems.
func Load(path string, opts Options) (*Pipeline, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if opts.Dir == "" {
		opts.Dir = filepath.Dir(path)
	}
	return Parse(path, src, opts)
}

// Parse checks the spec in src; name stands for the file in problems. Its
// error is *Problems with everything that is wrong. Parse reads no file, and
// its time is bounded by the limits on a spec's size.
func Parse(name string, src []byte, opts Options) (*Pipeline, error) {
	r := &reporter{file: name}
	root := readTree(r, src)
	if root == nil {
		return nil, r.problems()
	}
	d := &decoder{reporter: r, places: map[string]pos{}}
	vars := renderTree(r, root, opts)
	applyProfile(r, root, opts.Profile)
	inheritGates(root)
	p := &Pipeline{}
	d.decode(root, p)
	p.Vars, p.Profile, p.Dir = vars, opts.Profile, opts.Dir
	p.source = &source{file: name, places: d.places}
	(&checker{reporter: r, pipeline: p, root: root, dir: opts.Dir}).check()
	if len(r.list) > 0 {
		return nil, r.problems()
	}
	return p, nil
}

// reporter collects problems of one file.
type reporter struct {
	file string
	list []Problem
	more int // problems beyond maxProblems
}

func (r *reporter) add(at pos, message, hint string) {
	if len(r.list) >= maxProblems {
		r.more++
		return
	}
	r.list = append(r.list, Problem{File: r.file, Line: at.line, Column: at.column, Message: message, Hint: hint})
}

// problems returns the collected problems as an error.
func (r *reporter) problems() *Problems {
	if r.more > 0 {
		r.list = append(r.list, Problem{File: r.file, Message: fmt.Sprintf("and %d more problems", r.more)})
	}
	return newProblems(r.list)
}

// readTree parses YAML; nil if it cannot be read as a mapping, which is then reported.
func readTree(r *reporter, src []byte) *node {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if !checkBytes(r, src) {
		return nil
	}
	file, err := parseYAML(src)
	if err != nil {
		reportSyntax(r, src, err)
		return nil
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			r.add(place(doc.Body), "a second YAML document starts here", "one file holds one pipeline")
			return nil
		}
		body = doc.Body
	}
	if body == nil {
		r.add(pos{1, 1}, "the spec is empty", "start with 'pipeline: NAME'")
		return nil
	}
	root := (&treeMaker{reporter: r, anchors: map[string]ast.Node{}}).value(body, 0)
	if root.kind != mapKind {
		if len(r.list) == 0 {
			r.add(root.at, "a spec is a mapping, but this is "+root.kind.String(), "start with 'pipeline: NAME'")
		}
		return nil
	}
	return root
}

// checkBytes reports what makes src no text of reasonable size.
func checkBytes(r *reporter, src []byte) bool {
	if len(src) > 12 && string(src[8:12]) == "DUCK" {
		r.add(pos{}, "this is a DuckDB file and no spec", "--database names a ledger")
		return false
	}
	if len(src) > maxBytes {
		r.add(pos{}, fmt.Sprintf("larger than %d bytes", maxBytes), "a spec names data files, it does not hold data")
		return false
	}
	if bytes.HasPrefix(src, []byte{0xff, 0xfe}) || bytes.HasPrefix(src, []byte{0xfe, 0xff}) {
		r.add(pos{1, 1}, "the file is UTF-16", "save it as UTF-8")
		return false
	}
	line, column := 1, 1
	for rest := src; len(rest) > 0; {
		c, size := utf8.DecodeRune(rest)
		switch {
		case c == utf8.RuneError && size == 1:
			r.add(pos{line, column}, fmt.Sprintf("byte 0x%02x is not UTF-8", rest[0]), "save the file as UTF-8")
			return false
		case c < ' ' && c != '\t' && c != '\n' && c != '\r', c == 0x7f:
			r.add(pos{line, column}, fmt.Sprintf("control character %U", c),
				"remove it, or write it as an escape in double quotes")
			return false
		}
		rest = rest[size:]
		if column++; c == '\n' {
			line, column = line+1, 1
		}
	}
	return true
}

// parseYAML runs the parser; a panic of the parser becomes an error.
func parseYAML(src []byte) (file *ast.File, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("the YAML parser failed: %v", e)
		}
	}()
	tokens, err := tokenize(src)
	if err != nil {
		return nil, err
	}
	return parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
}

// reportSyntax reports the one syntax error at which the parser stopped.
func reportSyntax(r *reporter, src []byte, err error) {
	var size *sizeError
	var syntax yaml.Error
	switch {
	case errors.As(err, &size):
		r.add(size.at, size.message, size.hint)
	case errors.As(err, &syntax):
		at := pos{1, 1}
		if tk := syntax.GetToken(); tk != nil && tk.Position != nil {
			at = pos{tk.Position.Line, tk.Position.Column}
		}
		hint := `check indentation and brackets, and put quotes around text with ": " or " #" in it`
		if lines := bytes.Split(src, []byte("\n")); at.line <= len(lines) &&
			bytes.Contains(lines[at.line-1], []byte("{{")) {
			hint = "put quotes around a value with {{ … }} in it"
		}
		r.add(at, "not YAML: "+syntax.GetMessage(), hint)
	default:
		r.add(pos{1, 1}, err.Error(), "")
	}
}

// Problem is one thing that is wrong with a spec. Line and Column are 1-based
// and count characters; both are 0 if the whole file is at fault. Its message is
// one line.
type Problem struct {
	File         string
	Line, Column int
	Message      string
	Hint         string // what to do; may be empty
}

// String is "file:line:column: message", and the hint on a second line.
func (p Problem) String() string {
	at := p.File
	if p.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
	s := at + ": " + p.Message
	return s + words.Indent(words.HintLine(p.Hint))
}

// Problems is the error of Load and Parse: everything that is wrong with one
// spec, by position.
type Problems struct {
	List []Problem // never empty, sorted by line and column
}

// Error prints one problem after the other, one to a line, hints indented.
func (p *Problems) Error() string {
	lines := make([]string, len(p.List))
	for i, one := range p.List {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// newProblems sorts list by position and drops repetitions.
func newProblems(list []Problem) *Problems {
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	return &Problems{List: slices.Compact(list)}
}
