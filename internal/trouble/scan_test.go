package trouble

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

// warning is the constant text of a warning in the program, and its place.
type warning struct{ place, text string }

// warnings returns the texts of all warnings in the folders of the program: what is passed to a method warn, what is
// appended to a slice of warnings, and what a function of warnings formats.
func warnings(t *testing.T) (found []warning) {
	t.Helper()
	files := os.DirFS(root)
	for _, dir := range []string{"ingest", "transform", "infer", "discrete", "pipelines", "report"} {
		err := fs.WalkDir(files, dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || path.Ext(p) != ".go" || strings.HasSuffix(p, "_test.go") || strings.Contains(p, "infertest") {
				return err
			}
			text, err := fs.ReadFile(files, p)
			if err != nil {
				return err
			}
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, p, text, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			add := func(n ast.Node) {
				found = append(found, texts(n, fset)...)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					if strings.HasSuffix(n.Name.Name, "arnings") && n.Body != nil {
						add(n.Body)
						return false
					}
				case *ast.CallExpr:
					switch name := nameOf(n.Fun); {
					case name == "warn" && len(n.Args) > 0:
						add(n.Args[0])
						return false
					case name == "append" && strings.HasSuffix(nameOf(n.Args[0]), "arnings"):
						for _, arg := range n.Args[1:] {
							add(arg)
						}
						return false
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// nameOf is the last name of an expression such as b.warn.
func nameOf(n ast.Expr) string {
	switch n := n.(type) {
	case *ast.Ident:
		return n.Name
	case *ast.SelectorExpr:
		return n.Sel.Name
	}
	return ""
}

// texts are the constants of three words and more under a node.
func texts(n ast.Node, fset *token.FileSet) (out []warning) {
	ast.Inspect(n, func(n ast.Node) bool {
		e, is := n.(ast.Expr)
		if !is {
			return true
		}
		if s, ok := constant(e); ok {
			if len(strings.Fields(s)) > 2 {
				out = append(out, warning{fset.Position(n.Pos()).String(), s})
			}
			return false
		}
		return true
	})
	return out
}

// constant returns the text of a string literal or of a sum with literals; a named constant in it is one word.
func constant(n ast.Expr) (string, bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(n.Value)
		return s, n.Kind == token.STRING && err == nil
	case *ast.Ident:
		return "NAME", true
	case *ast.BinaryExpr:
		x, ok := constant(n.X)
		y, ok2 := constant(n.Y)
		_, name := n.X.(*ast.Ident)
		_, name2 := n.Y.(*ast.Ident)
		return x + y, ok && ok2 && n.Op == token.ADD && !(name && name2)
	}
	return "", false
}

// verbs are the verbs of a format.
var verbs = regexp.MustCompile(`%[-+#0-9.]*[a-z]`)

// Every warning in the sources has an entry, and every pattern of an entry with a warning is of one.
func TestEveryWarningHasAnEntry(t *testing.T) {
	found := warnings(t)
	if len(found) < 40 {
		t.Fatalf("only %d warnings were found", len(found))
	}
	for _, w := range found {
		text := verbs.ReplaceAllString(strings.ReplaceAll(w.text, "%d", "7"), "X")
		if whole, is := parts[strings.TrimSpace(text)]; is {
			text = whole
		}
		if text != "" && Find(text) == nil {
			t.Errorf("%s: no entry begins like %q", w.place, text)
		}
	}
}

// parts are constants whose warning begins with a value, or which are only a part of one: with the warning, or "".
var parts = map[string]string{
	"raise target_accept (X) toward X,": "", "X %% of": "", "all 7 sets of": "", "share of zeros": "",
	"look at these rows, or refit without them": "", "after moment matching": "", "look at these rows, or ask for kfold": "",
	"predictive check: the X of the response, X, is X that of X replicated data (95 %% of them: X to X)": "predictive check: the " +
		"mean of the response",
	"predictive check X: the X of the response is outside the 90 %% interval of replicated data in 7 of 7 X, and X are expected": "predictive check by ",
	"NAME: 7 rows have no density without their fold, first row X of the design":                                                 "k-fold: ",
	"NAME: R-hat of the log likelihood is X in the worst fold: draw longer":                                                      "k-fold: ",
	"NAME cannot be computed: row 7 of the design: X":                                                                            "leave-one-out cannot",
	"NAME: Xthe Pareto k of 7 of 7 rows is above X (row 7 of the design: X): there elpd_loo cannot be relied on; X":              "leave-one-out: the Pareto k",
}
