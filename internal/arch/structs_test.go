package arch

import (
	"go/ast"
	"os"
	"strconv"
	"strings"
	"testing"
)

// maxFields is the number of fields that a struct may have. An embedded struct is one. Fields with a tag are columns,
// keys or parts of a document, whose number the document decides: they do not count.
const maxFields = 12

// manyFields is the rule that structs have at most maxFields fields.
func manyFields(t *tree) (out []finding) {
	wide, err := widerStructs()
	if err != nil {
		return []finding{{"internal/arch/testdata/structs.txt", 1, err.Error()}}
	}
	for _, s := range t.files {
		if s.test() || strings.HasPrefix(s.path, "internal/simd/gen/") {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			of, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			fields, name := 0, s.dir()+"."+spec.Name.Name
			for _, f := range of.Fields.List {
				if f.Tag == nil {
					fields += max(1, len(f.Names))
				}
			}
			switch most, listed := wide[name]; {
			case fields > max(maxFields, most):
				out = append(out, t.at(spec.Pos(), "%s has %d fields: make a natural part of it a type", spec.Name.Name, fields))
			case listed && fields <= maxFields:
				out = append(out, t.at(spec.Pos(), "%s has %d fields: remove it from testdata/structs.txt", spec.Name.Name, fields))
			}
			return true
		})
	}
	return out
}

// widerStructs lists the structs that were wider when the rule was made, with the largest number of their fields.
func widerStructs() (map[string]int, error) {
	text, err := os.ReadFile("testdata/structs.txt")
	wide := map[string]int{}
	for line := range strings.Lines(string(text)) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		if wide[name], err = strconv.Atoi(number); err != nil {
			return nil, err
		}
	}
	return wide, err
}

func TestStructs(t *testing.T) {
	twelve := strings.Repeat("\t_ int\n", 12)
	seen(t, manyFields, planted{
		"infer/a.go": "package infer\ntype a struct { // want\n" + twelve + "\tb\n}\n" +
			"type b struct {\n" + twelve + "\tn int `db:\"n\"`\n}\n",
	})
	hold(t, manyFields)
}
