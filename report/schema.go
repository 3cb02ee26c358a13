package report

import (
	_ "embed"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A table of the ledger is described by the struct of its rows. The first field has the table's name, as the tag table.
// Fields with the tag db are the columns, in their order; so are those of embedded structs. The tags are
//
//   - db: the column as in CREATE TABLE, its name first;
//   - doc: its comment;
//   - since: the version of the schema that added it, 1 without the tag; a column that is added to a table comes last,
//     and may be NULL or has a default;
//   - from: "1" if the ledger counts from 1 and the field from 0;
//   - null: values that are NULL in addition to nil, NaN, "" and numbers below the first: "zero" or "negative"; "never"
//     stores "" as it is.
//
// CREATE TABLE, the comments, the rows to append and the rows to read follow from the struct: to add a column, add a
// field.
type table struct {
	name, doc string
	since     int
	columns   []column
}

// column is a column of a table, or of a struct that is read.
type column struct {
	name, kind, doc string // kind is the type with its constraints
	since           int
	field           []int // index in the struct
	from            int64
	null            string
	required        bool // NOT NULL
}

// newTable returns the table whose rows are of type T.
func newTable[T any]() *table {
	of := reflect.TypeFor[T]()
	mark := of.Field(0).Tag
	t := &table{mark.Get("table"), mark.Get("doc"), version(mark), columnsOf(of, false)}
	tableOf[of] = t
	return t
}

// tableOf maps the type of a row to its table.
var tableOf = map[reflect.Type]*table{}

// version is the tag since.
func version(tag reflect.StructTag) int {
	if v, err := strconv.Atoi(tag.Get("since")); err == nil {
		return v
	}
	return 1
}

// columnsOf lists the columns of a struct: the fields with the tag db and, if all is set, the others by their name in
// JSON or their own.
func columnsOf(of reflect.Type, all bool) (out []column) {
	for i := range of.NumField() {
		f := of.Field(i)
		name, kind, _ := strings.Cut(f.Tag.Get("db"), " ")
		inner, known := tagged[f.Type]
		if !known && f.Anonymous && f.Type.Kind() == reflect.Struct {
			inner, known = f.Type, true
		}
		if known && name == "" {
			for _, c := range columnsOf(inner, all) {
				c.field = append([]int{i}, c.field...)
				out = append(out, c)
			}
			continue
		}
		if name == "" && all && f.IsExported() {
			if name, _, _ = strings.Cut(f.Tag.Get("json"), ","); name == "" || name == "-" {
				name = snake(f.Name)
			}
		}
		if name == "" || name == "-" {
			continue
		}
		c := column{name: name, kind: kind, doc: f.Tag.Get("doc"), since: version(f.Tag), field: []int{i},
			null: f.Tag.Get("null"), required: strings.HasSuffix(kind, "NOT NULL")}
		c.from, _ = strconv.ParseInt(f.Tag.Get("from"), 10, 64)
		out = append(out, c)
	}
	return out
}

// changes returns the statements that bring a version of the table: none if the version has nothing new. If again is
// set, they add only what is missing.
func (t *table) changes(version int, again bool) (out []string) {
	unless := ""
	if again {
		unless = "IF NOT EXISTS "
	}
	var first []string
	for _, c := range t.columns {
		switch since := max(c.since, t.since); {
		case since == t.since && since == version:
			first = append(first, c.name+" "+c.kind)
		case since == version:
			out = append(out, "ALTER TABLE "+t.name+" ADD COLUMN "+unless+c.name+" "+c.kind)
		}
	}
	if first != nil {
		out = append([]string{"CREATE TABLE " + unless + t.name + " (" + strings.Join(first, ", ") + ")"}, out...)
	}
	return out
}

// tableChanges returns the statements that bring a version of all tables except the table versions.
func tableChanges(version int, again bool) (out []string) {
	for _, t := range tables {
		if t != versions {
			out = append(out, t.changes(version, again)...)
		}
	}
	return out
}

// tableComments returns the statements that comment on tables and their columns.
func tableComments() (out []string) {
	for _, t := range tables {
		out = append(out, "COMMENT ON TABLE "+t.name+" IS "+quoteText(t.doc))
		for _, c := range t.columns {
			out = append(out, "COMMENT ON COLUMN "+t.name+"."+c.name+" IS "+quoteText(c.doc))
		}
	}
	return out
}

// fitTables lists the tables with a column fit_id, except fit and run_fit.
var fitTables = tablesOfFits()

func tablesOfFits() (out []string) {
	for _, t := range tables {
		fit := slices.ContainsFunc(t.columns, func(c column) bool { return c.name == "fit_id" })
		if fit && t.name != "fit" && t.name != "run_fit" {
			out = append(out, plainName(t.name))
		}
	}
	return out
}

// The views and macros, in an order in which they can be created.
var (
	//go:embed schema/draws.sql
	drawsSQL string
	//go:embed schema/newest.sql
	newestSQL string
	//go:embed schema/results.sql
	resultsSQL string
	//go:embed schema/discrete.sql
	discreteSQL string
	//go:embed schema/comparisons.sql
	comparisonsSQL string
	//go:embed schema/drift.sql
	driftSQL string
	//go:embed schema/macros.sql
	macrosSQL string
)

// definitions returns the statements that create or replace the views and macros, with their comments.
var definitions = sync.OnceValue(func() (out []string) {
	known := map[string]string{} // comments by column
	for _, t := range tables {
		for _, c := range t.columns {
			known[t.name+"."+c.name] = c.doc
		}
	}
	for _, text := range []string{drawsSQL, newestSQL, resultsSQL, discreteSQL, comparisonsSQL, driftSQL,
		macrosSQL} {
		out = append(out, statements(text, known)...)
	}
	return out
})

var (
	viewOf    = regexp.MustCompile(`^CREATE OR REPLACE VIEW (\w+) AS\n`)
	commentOf = regexp.MustCompile(`^COMMENT ON COLUMN (\w+\.\w+) IS '(.*)'$`)
	likeOf    = regexp.MustCompile(`^-- As in (\w+): (.*)\.$`)
)

// statements returns the statements of a text of views and macros: each ends with a line. The line "-- As in t: a, b."
// after a view comments on its columns a and b with the comments that known has for those of t. All are added to known.
func statements(text string, known map[string]string) (out []string) {
	var view string
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if like := likeOf.FindStringSubmatch(line); like != nil && lines == nil {
			for name := range strings.SplitSeq(like[2], ", ") {
				comment, ok := known[like[1]+"."+name]
				if !ok {
					panic(fmt.Sprintf("report: %s.%s has no comment for %s.%s", like[1], name, view, name))
				}
				known[view+"."+name] = comment
				out = append(out, "COMMENT ON COLUMN "+view+"."+name+" IS "+quoteText(comment))
			}
			continue
		}
		if lines == nil && (line == "" || strings.HasPrefix(line, "--")) {
			continue
		}
		lines = append(lines, line)
		if !strings.HasSuffix(line, ";") {
			continue
		}
		s := strings.TrimSuffix(strings.Join(lines, "\n"), ";")
		lines = nil
		if made := viewOf.FindStringSubmatch(s); made != nil {
			view = made[1]
		} else if comment := commentOf.FindStringSubmatch(s); comment != nil {
			known[comment[1]] = strings.ReplaceAll(comment[2], "''", "'")
		}
		out = append(out, s)
	}
	return out
}
