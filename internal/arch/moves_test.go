package arch

import (
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// moveName matches the names of methods that a schedule lists, or calls in a function that it lists.
var moveName = regexp.MustCompile(`^(move|draw|sweep|label)[A-Z]`)

// scheduled lists the moves in the schedules of each package, and the files that have the schedules.
func scheduled(t *tree) (moves, files map[string][]string) {
	moves, files = map[string][]string{}, map[string][]string{}
	for _, s := range t.files {
		if s.test() || !within(s.dir(), "infer") {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			listed, ok := n.(*ast.CompositeLit)
			var in ast.Node = n
			if f, declared := n.(*ast.FuncDecl); declared && f.Name.Name == "schedule" {
				in = f.Body
			} else if !ok || listed.Type == nil || types.ExprString(listed.Type) != "update.Moves" {
				return true
			}
			files[s.dir()] = append(files[s.dir()], s.path)
			ast.Inspect(in, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && moveName.MatchString(sel.Sel.Name) {
					moves[s.dir()] = append(moves[s.dir()], sel.Sel.Name)
				}
				return true
			})
			return false
		})
	}
	return moves, files
}

// movesApart is the rule that a move is one file: outside the files of schedules no file declares two of their
// moves. A move that is made in some iterations only is declared next to its form with the suffix WhenDue.
func movesApart(t *tree) (out []finding) {
	moves, files := scheduled(t)
	for _, s := range t.files {
		if s.test() || slices.Contains(files[s.dir()], s.path) {
			continue
		}
		first := ""
		for _, d := range s.ast.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || !slices.Contains(moves[s.dir()], f.Name.Name) {
				continue
			}
			move := strings.TrimSuffix(f.Name.Name, "WhenDue")
			if first != "" && move != first {
				out = append(out, t.at(f.Pos(), "the file of %s declares %s, another move of a schedule", first, f.Name.Name))
			}
			first = move
		}
	}
	return out
}

func TestMovesAreApart(t *testing.T) {
	seen(t, movesApart, planted{
		"infer/groups/kernel.go": "package groups\nfunc (k *kernel) schedule() update.Schedule {\n" +
			"\treturn update.Schedule{First: update.Moves{k.moveAll, k.moveOneWhenDue, k.moveOne, func() bool { return k.moveTwo(3) }}}\n}\n" +
			"func (k *kernel) moveAll() bool { return true }\nfunc (k *kernel) moveMore() bool { return true }\n",
		"infer/groups/one.go": "package groups\nfunc (k *kernel) moveOne() bool { return true }\n" +
			"func (k *kernel) moveOneWhenDue() bool { return true }\n" +
			"func (k *kernel) moveTwo(i int) bool { return true } // want\n",
		"infer/basis/kernel.go": "package basis\nvar moves = update.Moves{k.sweepNext, k.moveAll}\n",
		"infer/basis/one.go": "package basis\nfunc (k *kernel) sweepNext() bool { return true }\n" +
			"func (k *kernel) moveAll() bool { return true } // want\n",
	})
	hold(t, movesApart)
}

// The page about changes names each package that has a schedule of moves.
func TestPageNamesSchedules(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/design/development.md"))
	module, problem := moduleTree()
	if err != nil || problem != nil {
		t.Fatal(err, problem)
	}
	_, text, _ := strings.Cut(string(page), "## Where a change goes")
	text, _, _ = strings.Cut(text, "\n## ")
	_, files := scheduled(module)
	if len(files) < 6 {
		t.Fatalf("%d packages have schedules", len(files))
	}
	for dir := range files { //maporder:ok each is looked for by itself
		if !strings.Contains(text, "`"+dir+"`") {
			t.Errorf("the page has no place for a move of %s", dir)
		}
	}
}
