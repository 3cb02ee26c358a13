package ingest

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// The engine keeps a query without database to the folders of the source, but it
// compares names, and a link inside a folder may lead out of it. So the names of
// files in a query must be written out, and what they are is looked at here.

// fence refuses a query, as the engine parsed it, that names a file outside of
// the source's folders or does not name its files.
func (q *query) fence(parsed string) error {
	if q.Within == nil || q.hasFile() {
		return nil
	}
	var tree any
	if err := json.Unmarshal([]byte(parsed), &tree); err != nil {
		return q.fail(err, "")
	}
	var names []string
	if err := q.names(tree, false, &names); err != nil {
		return err
	}
	for _, v := range q.Params {
		names = append(names, fmt.Sprint(v))
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		paths := []string{name}
		if !filepath.IsAbs(name) {
			paths = append(paths, filepath.Join(q.Dir, name)) // the engine looks into both
		}
		for _, path := range paths {
			found, err := filepath.Glob(path)
			if err != nil {
				continue // no name of a file
			}
			for _, f := range found {
				if err := q.source().holds(path, f); err != nil {
					return err
				}
			}
			if found != nil && !filepath.IsAbs(name) {
				q.named = append(q.named, name)
			}
		}
	}
	return nil
}

// reads are the parts of names of functions that take names of files, and those
// that run text as SQL.
func reads(function string) bool {
	return strings.Contains(function, "read") || strings.Contains(function, "scan") ||
		strings.Contains(function, "parquet") ||
		strings.Contains(function, "csv") || strings.Contains(function, "json") || strings.Contains(function, "glob")
}

// names collects the text of a parsed query: constants and names of tables. Inside
// a function that reads files, computed text is an error, and so is text that the
// engine would run as SQL anywhere.
func (q *query) names(v any, reading bool, out *[]string) error {
	switch x := v.(type) {
	case []any:
		for _, item := range x {
			if err := q.names(item, reading, out); err != nil {
				return err
			}
		}
	case map[string]any:
		if err := q.node(x, reading, out); err != nil {
			return err
		}
	}
	return nil
}

func (q *query) node(x map[string]any, reading bool, out *[]string) error {
	class, _ := x["class"].(string)
	function, _ := x["function_name"].(string)
	function = strings.ToLower(function)
	const hint = "write file names out in sql:, or give the caller's --allow /"
	switch {
	case function == "query" || function == "query_table":
		return q.fail(fmt.Errorf("the function %s runs text as SQL", function), hint)
	case reading && class == "FUNCTION" && !slices.Contains([]string{"list_value", "struct_pack", "row"},
		function), reading && class == "OPERATOR", reading && class == "SUBQUERY":
		return q.fail(fmt.Errorf("a file name is computed"), hint)
	}
	if kind, _ := x["type"].(string); kind == "BASE_TABLE" || kind == "VALUE_CONSTANT" {
		for _, key := range []string{"schema_name", "table_name", "value"} {
			collect(x[key], out)
		}
	}
	if kind, _ := x["type"].(string); kind == "TABLE_FUNCTION" {
		if f, ok := x["function"].(map[string]any); ok {
			name, _ := f["function_name"].(string)
			if reads(strings.ToLower(name)) {
				return q.names(f["children"], true, out)
			}
		}
	}
	for _, inner := range x {
		if err := q.names(inner, reading, out); err != nil {
			return err
		}
	}
	return nil
}

// collect adds the text of a constant, which may be a list of texts.
func collect(v any, out *[]string) {
	switch x := v.(type) {
	case string:
		if x != "" {
			*out = append(*out, x)
		}
	case []any:
		for _, item := range x {
			collect(item, out)
		}
	case map[string]any:
		for _, item := range x {
			collect(item, out)
		}
	}
}
