package report

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"glmbatch/internal/doctest"
)

// firstViews and firstFunctions are on ledger.md, the others on ledger-all.md.
var (
	firstViews = []string{"latest", "needs_attention", "coefficients", "draws", "group_effects", "variance_components", "smooths",
		"imputed", "effects", "loo_compare", "comparison", "drift_summary"}
	firstFunctions = []string{"posterior", "probability", "contrast", "odds_ratios", "ranking", "scenario"}
)

const firstHead = `<!-- written by make reference from report/schema; do not edit -->
# Views and functions of a ledger

The twelve views and six table functions that are used first, of schema version %s. [The ledger](../using-the-ledger.md)
has queries. [Other views, functions and tables](ledger-all.md) has the rest. The file has the same texts, as comments.
Columns that several of them have are explained once:
`

const allHead = `<!-- written by make reference from report/schema; do not edit -->
# Other views, functions and tables of a ledger

[Views and functions](ledger.md) has those that are used first, and the common columns. A type with a question mark may
be NULL. A view or table that repeats a column of another one names it.
`

// relation is a view or table, or a table function, whose columns have no comments.
type relation struct {
	kind, name, comment string
	call                string // of a function
	columns             []refColumn
}

type refColumn struct{ name, kind, comment string }

// referencePages returns the pages about a ledger by name.
func referencePages(t *testing.T, db *sql.DB) map[string]string {
	t.Helper()
	var first, rest []relation
	for _, r := range relations(t, db) {
		if slices.Contains(firstViews, r.name) || slices.Contains(firstFunctions, r.name) {
			first = append(first, r)
		} else {
			rest = append(rest, r)
		}
	}
	if len(first) != len(firstViews)+len(firstFunctions) {
		t.Fatalf("a ledger has only %d of the views and functions that are used first", len(first))
	}
	slices.SortStableFunc(first, func(a, b relation) int { return firstRank(a.name) - firstRank(b.name) })
	p := &schemaPage{common: commonColumns(slices.Concat(first, rest)), seen: map[refColumn]string{}}
	var a, b strings.Builder
	fmt.Fprintf(&a, firstHead, rowsOf(t, db, `SELECT max(version)::VARCHAR FROM schema_version`)[0][0])
	a.WriteString("\n| column | meaning |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(p.common)) {
		writeColumn(&a, p.common[name])
	}
	p.write(&a, "ledger.md", first)
	b.WriteString(allHead)
	p.write(&b, "ledger-all.md", rest)
	return map[string]string{"ledger.md": doctest.Narrow(a.String()), "ledger-all.md": doctest.Narrow(b.String())}
}

func firstRank(name string) int {
	return slices.Index(slices.Concat(firstViews, firstFunctions), name)
}

// relations lists tables, then views, then table functions.
func relations(t *testing.T, db *sql.DB) (out []relation) {
	t.Helper()
	for _, r := range rowsOf(t, db, `SELECT table_name, coalesce(comment, '') FROM duckdb_tables() WHERE NOT internal ORDER BY 1`) {
		out = append(out, relation{"Table", r[0], r[1], "", refColumns(rowsOf(t, db, `SELECT column_name,
			data_type || CASE WHEN is_nullable THEN '?' ELSE '' END, coalesce(comment, '')
			FROM duckdb_columns() WHERE table_name = ? AND NOT internal ORDER BY column_index`, r[0]))})
	}
	for _, r := range rowsOf(t, db, `SELECT view_name, coalesce(comment, '') FROM duckdb_views() WHERE NOT internal ORDER BY 1`) {
		out = append(out, relation{"View", r[0], r[1], "", refColumns(rowsOf(t, db, viewColumns, r[0]))})
	}
	for _, r := range rowsOf(t, db, `SELECT function_name, comment, array_to_string(parameters, ', ') FROM duckdb_functions()
		WHERE NOT internal AND function_type = 'table_macro' ORDER BY 1`) {
		call, columns := described(t, db, r[0], strings.Split(r[2], ", "))
		out = append(out, relation{"Function", r[0], r[1], call, refColumns(columns)})
	}
	return out
}

func refColumns(rows [][]string) (out []refColumn) {
	for _, r := range rows {
		out = append(out, refColumn{r[0], r[1], strings.Join(r[2:], "")})
	}
	return out
}

// identity are columns that mean the same in each view, in whatever text.
var identity = []string{"dataset", "fit_id", "key", "model", "pipeline", "sampler"}

// commonColumns are those that four tables or views have, with the comment that most of them have.
func commonColumns(list []relation) map[string]refColumn {
	uses := map[refColumn]int{}
	for _, r := range list {
		for _, c := range r.columns {
			if c.comment != "" {
				c.kind = strings.TrimSuffix(c.kind, "?")
				uses[c]++
			}
		}
	}
	out := map[string]refColumn{}
	for _, c := range slices.SortedFunc(maps.Keys(uses), func(a, b refColumn) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		best, ok := out[c.name]
		more := uses[c] > uses[best]
		if slices.Contains(identity, c.name) {
			more = len(c.comment) > len(best.comment)
		}
		if uses[c] >= 4 && (!ok || more) {
			out[c.name] = c
		}
	}
	return out
}

// schemaPage writes relations; it explains a column of one name and comment once.
type schemaPage struct {
	common map[string]refColumn
	seen   map[refColumn]string // the link to the relation that explains it
}

func (p *schemaPage) write(b *strings.Builder, page string, list []relation) {
	for _, r := range list {
		fmt.Fprintf(b, "\n## %s\n\n%s\n", r.name, wrapped(r.kind+". "+refCell(r.comment)))
		if r.call != "" {
			fmt.Fprintf(b, "\n    %s\n\n%s\n", r.call, wrapped("Columns: "+names(r.columns)+"."))
			continue
		}
		var own, common []refColumn
		var links []string
		repeated := map[string][]refColumn{}
		for _, c := range r.columns {
			same := refColumn{c.name, "", c.comment}
			switch link, ok := p.seen[same]; {
			case p.isCommon(c):
				common = append(common, c)
			case ok:
				if repeated[link] == nil {
					links = append(links, link)
				}
				repeated[link] = append(repeated[link], c)
			default:
				p.seen[same] = fmt.Sprintf("[%s](%s#%s)", r.name, page, r.name)
				own = append(own, c)
			}
		}
		if len(common) > 0 {
			fmt.Fprintf(b, "\n%s\n", wrapped("Common: "+names(common)+"."))
		}
		for _, link := range links {
			fmt.Fprintf(b, "\n%s\n", wrapped("As in "+link+": "+names(repeated[link])+"."))
		}
		if len(own) > 0 {
			b.WriteString("\n| column | meaning |\n|---|---|\n")
		}
		for _, c := range own {
			writeColumn(b, c)
		}
	}
}

func (p *schemaPage) isCommon(c refColumn) bool {
	same, ok := p.common[c.name]
	short := slices.Contains(identity, c.name) && len(strings.Fields(c.comment)) < 9
	return ok && (same.comment == c.comment || short)
}

func writeColumn(b *strings.Builder, c refColumn) {
	fmt.Fprintf(b, "| `%s %s` | %s |\n", c.name, c.kind, refCell(c.comment))
}

// wrapped breaks a text into lines.
func wrapped(text string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > doctest.TextWidth {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return strings.Join(append(lines, line), "\n")
}

func names(list []refColumn) string {
	var out []string
	for _, c := range list {
		out = append(out, "`"+c.name+"`")
	}
	return strings.Join(out, ", ")
}

// described calls a table function with as few arguments as it takes, and
// returns how it is called, arguments that may be left out in brackets, and the
// columns of what it gives.
func described(t *testing.T, db *sql.DB, name string, names []string) (call string, columns [][]string) {
	t.Helper()
	for needed := range len(names) + 1 {
		values := strings.TrimSuffix(strings.Repeat("NULL, ", needed), ", ")
		rows, err := db.QueryContext(t.Context(), fmt.Sprintf("DESCRIBE SELECT * FROM %s(%s)", name, values))
		if err != nil {
			continue
		}
		must(t, rows.Err())
		must(t, rows.Close())
		words := append([]string{}, names[:needed]...)
		for _, n := range names[needed:] {
			words = append(words, "["+n+" := …]")
		}
		for _, c := range rowsOf(t, db, fmt.Sprintf("DESCRIBE SELECT * FROM %s(%s)", name, values)) {
			columns = append(columns, c[:2])
		}
		return name + "(" + strings.Join(words, ", ") + ")", columns
	}
	t.Fatalf("%s cannot be called", name)
	return "", nil
}

// refCell is text inside a table of a page.
func refCell(s string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", `\<`, "\n", " ").Replace(s)
}
