package arch

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// looking are the functions of package strings, and the methods of expressions and
// replacers, that look for something in a text.
var looking = strings.Fields(`Contains ContainsAny ContainsFunc Count Cut CutPrefix CutSuffix EqualFold Fields
	FindString FindStringSubmatch HasPrefix HasSuffix Index IndexByte LastIndex MatchString Replace ReplaceAll
	ReplaceAllString Split SplitN SplitSeq Lines Trim TrimLeft TrimRight TrimPrefix TrimSuffix TrimSpace`)

// errorText is the rule that no code looks for text in an error, whose facts are in its type, and that hints are in
// a value. Package words, which parts the two by the value, is free. If an engine reports a fault as text only, a
// comment excuses it: //errtext:ok reason.
func errorText(t *tree) []finding {
	var out []finding
	for _, s := range t.files {
		if s.test() || within(s.dir(), "internal/words", "internal/arch", "internal/doctest") {
			continue
		}
		for _, d := range s.ast.Decls {
			for _, pos := range textsSought(d) {
				if !t.excused(s, pos, "errtext:ok") {
					out = append(out, t.at(pos, "looks for text in an error: give it a type with the fact, and use errors.As"))
				}
			}
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && strings.Contains(lit.Value, "hint: ") {
				out = append(out, t.at(lit.Pos(), "a hint inside a message: use words.Hint, or words.HintLine"))
			}
			return true
		})
	}
	return out
}

// textsSought returns where a declaration looks into the text of an error, also by a
// variable that holds it.
func textsSought(d ast.Decl) (at []token.Pos) {
	held := map[string]bool{}
	var says func(e ast.Expr) bool
	says = func(e ast.Expr) bool {
		found := false
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				sel, ok := n.Fun.(*ast.SelectorExpr)
				found = found || ok && sel.Sel.Name == "Error" && len(n.Args) == 0
			case *ast.SelectorExpr:
				found = found || says(n.X)
				return false // a field is not a variable of its name
			case *ast.KeyValueExpr:
				found = found || says(n.Value)
				return false
			case *ast.Ident:
				found = found || held[n.Name]
			}
			return true
		})
		return found
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, right := range n.Rhs {
				if id, ok := n.Lhs[min(i, len(n.Lhs)-1)].(*ast.Ident); ok && says(right) && len(n.Lhs) == len(n.Rhs) {
					held[id.Name] = true
				}
			}
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if ok && slices.Contains(looking, sel.Sel.Name) && slices.ContainsFunc(n.Args, says) {
				at = append(at, n.Pos())
			}
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && (says(n.X) || says(n.Y)) {
				at = append(at, n.Pos())
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && says(n.Tag) {
				at = append(at, n.Pos())
			}
		}
		return true
	})
	return at
}

func TestErrorText(t *testing.T) {
	seen(t, errorText, planted{
		"report/a.go": `package report
import ("errors"; "fmt"; "regexp"; "strings")
var full = regexp.MustCompile("full")
func f(err error) bool {
	if strings.Contains(err.Error(), "full") { // want
		return true
	}
	why, _, _ := strings.Cut(fmt.Sprint(err.Error()), ":") // want
	said := strings.ToLower(err.Error())
	if full.MatchString(said) || why == "" { // want
		return true
	}
	switch said { // want
	case "full":
	}
	//errtext:ok the engine has no other words
	if strings.HasPrefix(said, "full") {
		return false
	}
	//errtext:ok
	if strings.HasPrefix(said, "full") { // want
		return false
	}
	return err.Error() == "full" // want
}
func g(err error, text string) string {
	said := "said"
	if strings.Contains(text, said) || errors.Is(err, errors.ErrUnsupported) {
		return strings.Repeat(err.Error(), 2)
	}
	return "sql: " + err.Error()
}
func h(err error) error {
	return fmt.Errorf("%w\nhint: make room", err) // want
}
`,
		"report/a_test.go":          "package report\nimport \"strings\"\nvar a = strings.Contains(err.Error(), \"hint: make room\")\n",
		"internal/words/a.go":       "package words\nimport \"strings\"\nvar a = strings.TrimSuffix(err.Error(), \"hint: \")\n",
		"pipelines/internal/a/a.go": "package a\nimport \"strings\"\nvar a = strings.Contains(err.Error(), \"a\") // want\n",
	})
	hold(t, errorText)
}
