package ingest

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"glmbatch/internal/words"
)

// maxGroups bounds what Split makes: more groups than this are taken for a
// column that identifies rows.
const maxGroups = 1 << 16

// Split gives one independent table for each distinct combination of the
// columns by, without these columns, which are constant in it. Groups come in
// ascending order of their values; rows keep their order. A group's Key is its
// values joined by commas, each quoted if it is empty, begins or ends with a blank, or holds a comma, a
// quote, or something that does not print; a table that has a Key already puts
// it before, with a slash.
//
// A row without a value in by, or with a bad cell there, is in no group. The error is then an *UngroupedError, and the
// tables of all groups come with it. Any other error comes without tables.
//
// Cost: one pass over by, and a copy of all other columns. The caller releases
// the tables; the receiver stays as it is.
func (t *Table) Split(by []string) ([]*Table, error) {
	if len(by) == 0 {
		return nil, &SourceError{Dataset: t.Name, Err: errors.New("by: names no column")}
	}
	keys := make([]*arrow.Chunked, len(by))
	var doubts []string
	for k, name := range by {
		at := t.Data.Schema().FieldIndices(name)
		if len(at) == 0 {
			return nil, &ColumnError{
				Dataset: t.Name, Column: name,
				Err: words.Hint(errors.New("by: names a column that does not exist"),
					"the columns are "+listNames(t.names())),
			}
		}
		keys[k] = t.Data.Column(at[0]).Data()
		if alike, ok := t.Data.Schema().Field(at[0]).Metadata.GetValue(alikeKey); ok {
			doubts = append(doubts, fmt.Sprintf("by: [%s]: %s are one number, and so one group: if they are two names, set "+
				"types: {%s: text} in the data set", name, alike, name))
		}
	}
	groups, lost, err := t.group(by, keys)
	if err != nil {
		return nil, err
	}
	out := make([]*Table, len(groups))
	for g, rows := range groups {
		out[g] = t.subset(by, rows, groupKey(t.Key, keys, rows[0]))
		out[g].Doubts = doubts
	}
	return out, lost
}

func (t *Table) names() []string {
	names := make([]string, t.Data.NumCols())
	for i := range names {
		names[i] = t.Data.Schema().Field(i).Name
	}
	return names
}

// group returns the rows of every group, the groups in order of their values. The error lost is that of rows without
// a group, which are in none; nil if every row has one.
func (t *Table) group(by []string, keys []*arrow.Chunked) (groups [][]int64, lost, err error) {
	var without ungrouped
	bad := make([]func(row int64) error, len(by))
	for k, name := range by {
		if fault := t.whole(name); fault != nil {
			return nil, nil, fault
		}
		bad[k] = t.badAt(name)
	}
	index := make(map[string]int)
	cursors := make([]cursor, len(keys))
	for k := range keys {
		cursors[k] = cursor{chunks: keys[k].Chunks()}
	}
	var code []byte
rows:
	for row := range t.Data.NumRows() {
		code = code[:0]
		for k := range cursors {
			a, i := cursors[k].at(row)
			if a.IsNull(i) {
				without.add(by[k], row, noGroup(bad[k], row))
				continue rows
			}
			code = appendCode(code, a, i)
		}
		g, known := index[string(code)]
		if !known {
			if g = len(groups); g == maxGroups {
				return nil, nil, &ColumnError{
					Dataset: t.Name, Column: strings.Join(by, ", "),
					Err: words.Hint(fmt.Errorf("there are more than %d groups", maxGroups),
						"by: divides one file into that many groups at most; divide the file, and read the parts with each: file"),
				}
			}
			index[string(code)] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], row)
	}
	slices.SortFunc(groups, func(x, y []int64) int { return compareRows(keys, x[0], y[0]) })
	return groups, without.err(t), nil
}

// noGroup is the reason why a row has no group: its cell is missing, or bad.
func noGroup(bad func(row int64) error, row int64) error {
	if bad != nil {
		if err := bad(row); err != nil {
			message, hint := words.Parts(err)
			return words.Hint(errors.New("the row has no group: "+message), hint)
		}
	}
	return words.Hint(errors.New("the group is missing"),
		"by: needs a value in every row: fill it, or leave the rows out with sql:")
}

// cursor finds rows of a chunked column that are asked for in ascending order.
type cursor struct {
	chunks []arrow.Array
	first  int64 // row at which chunks[0] begins
}

func (c *cursor) at(row int64) (arrow.Array, int) {
	for row-c.first >= int64(c.chunks[0].Len()) {
		c.first += int64(c.chunks[0].Len())
		c.chunks = c.chunks[1:]
	}
	return c.chunks[0], int(row - c.first)
}

// appendCode appends a value so that equal codes mean equal values; the type
// is the same in all rows of a column.
func appendCode(code []byte, a arrow.Array, i int) []byte {
	switch a := a.(type) {
	case *array.Int64:
		return binary.LittleEndian.AppendUint64(code, uint64(a.Value(i)))
	case *array.Float64:
		return binary.LittleEndian.AppendUint64(code, positiveZero(a.Value(i)))
	}
	s := render(a, i)
	code = binary.AppendUvarint(code, uint64(len(s)))
	return append(code, s...)
}

// compareRows orders two rows by the values of the key columns.
func compareRows(keys []*arrow.Chunked, x, y int64) int {
	for _, k := range keys {
		cx, cy := cursor{chunks: k.Chunks()}, cursor{chunks: k.Chunks()}
		ax, i := cx.at(x)
		ay, j := cy.at(y)
		if c := compareValues(ax, i, ay, j); c != 0 {
			return c
		}
	}
	return 0
}

func compareValues(ax arrow.Array, i int, ay arrow.Array, j int) int {
	switch ax := ax.(type) {
	case *array.Int64:
		return cmp.Compare(ax.Value(i), ay.(*array.Int64).Value(j))
	case *array.Float64:
		return cmp.Compare(ax.Value(i), ay.(*array.Float64).Value(j))
	case *array.Date32:
		return cmp.Compare(ax.Value(i), ay.(*array.Date32).Value(j))
	case *array.Timestamp:
		return cmp.Compare(ax.Value(i), ay.(*array.Timestamp).Value(j))
	}
	return cmp.Compare(render(ax, i), render(ay, j)) // text, and false before true
}

func groupKey(prefix string, keys []*arrow.Chunked, row int64) string {
	parts := make([]string, len(keys))
	for k := range keys {
		c := cursor{chunks: keys[k].Chunks()}
		a, i := c.at(row)
		s := render(a, i)
		if q := strconv.Quote(s); s == "" || q[1:len(q)-1] != s || strings.ContainsAny(s, ",/") || strings.TrimSpace(s) != s {
			s = q
		}
		parts[k] = s
	}
	key := strings.Join(parts, ",")
	if prefix != "" {
		key = prefix + "/" + key
	}
	return key
}

// subset copies the given rows of all columns but those in without, to a table of the key.
func (t *Table) subset(without []string, rows []int64, key string) *Table {
	out := &Table{Name: t.Name, Key: key, Files: t.Files, Warnings: t.Warnings, parts: t.parts, mem: t.mem, rows: rows}
	if t.rows != nil {
		out.rows = make([]int64, len(rows))
		for i, r := range rows {
			out.rows[i] = t.rows[r]
			if t.counts != nil {
				out.counts = append(out.counts, t.counts[r])
			}
		}
	}
	var fields []arrow.Field
	var columns []arrow.Column
	for j, f := range t.Data.Schema().Fields() {
		if slices.Contains(without, f.Name) {
			continue
		}
		f = out.marked(f, int64(len(rows)))
		chunks := t.gatherColumn(t.Data.Column(j).Data(), rows)
		chunked := arrow.NewChunked(f.Type, chunks)
		for _, a := range chunks {
			a.Release()
		}
		fields = append(fields, f)
		columns = append(columns, *arrow.NewColumn(f, chunked))
		chunked.Release()
	}
	out.Data = array.NewTable(arrow.NewSchema(fields, nil), columns, int64(len(rows)))
	for i := range columns {
		columns[i].Release()
	}
	return out
}

// gatherColumn copies ascending rows of a chunked column, one chunk for each
// chunk that holds some of them.
func (t *Table) gatherColumn(data *arrow.Chunked, rows []int64) []arrow.Array {
	var out []arrow.Array
	first := int64(0)
	local := make([]int64, 0, min(len(rows), chunkRows))
	for _, a := range data.Chunks() {
		end := first + int64(a.Len())
		local = local[:0]
		for len(rows) > 0 && rows[0] < end {
			local = append(local, rows[0]-first)
			rows = rows[1:]
		}
		if len(local) > 0 {
			out = append(out, gather(t.mem, a, local))
		}
		first = end
	}
	return out
}
