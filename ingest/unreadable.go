package ingest

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"glmbatch/internal/words"
)

// unreadableKey, among the metadata of a field, has the name of a type that cannot be read. Package transform leaves
// such columns out of what . and globs in formulas stand for.
const unreadableKey = "unreadable"

func unreadableAs(typ string) arrow.Metadata {
	return arrow.NewMetadata([]string{unreadableKey}, []string{typ})
}

func isUnreadable(f arrow.Field) bool { return f.Metadata.FindKey(unreadableKey) >= 0 }

// logical is the logical type of a field that is one column of the file; nil of a nested one.
func (f *parquetFile) logical(field int) schema.LogicalType {
	leaf := f.reader.Manifest.Fields[field].ColIndex
	if columns := f.reader.ParquetReader().MetaData().Schema; leaf >= 0 && leaf < columns.NumColumns() {
		return columns.Column(leaf).LogicalType()
	}
	return nil
}

// isUUID reports whether a field has 16 bytes that are a UUID.
func (f *parquetFile) isUUID(field int) bool {
	_, ok := f.logical(field).(schema.UUIDLogicalType)
	return ok
}

// typeName is the name of a field's type, as in SQL if it has one.
func (f *parquetFile) typeName(field int) string {
	dt := f.reader.Manifest.Fields[field].Field.Type
	switch dt.ID() {
	case arrow.TIME32, arrow.TIME64:
		return "TIME"
	case arrow.LIST, arrow.LARGE_LIST, arrow.FIXED_SIZE_LIST:
		return "LIST"
	case arrow.STRUCT:
		return "STRUCT"
	case arrow.MAP:
		return "MAP"
	case arrow.FIXED_SIZE_BINARY:
		if _, ok := f.logical(field).(schema.IntervalLogicalType); ok {
			return "INTERVAL"
		}
	}
	return dt.String()
}

// addUnreadable adds the columns that cannot be read to the part: they are null, and at fault as a whole.
func (f *parquetFile) addUnreadable(p *part) {
	for _, field := range f.unreadable {
		typ, _ := field.Metadata.GetValue(unreadableKey)
		c := nullColumn(f.mem, field.Name, p.rows)
		c.unreadable = typ
		c.setWhole(f.unreadableFault(field.Name, typ))
		p.cols = append(p.cols, c)
	}
}

func (f *parquetFile) unreadableFault(name, typ string) *ColumnError {
	at := ""
	quoted := `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
	value := "CAST(" + quoted + " AS VARCHAR)"
	switch typ {
	case "TIME", "INTERVAL":
		value = "epoch(" + quoted + ")"
	case "LIST":
		value = quoted + "[1]"
	case "STRUCT":
		value = quoted + ".field"
	case "MAP":
		value = quoted + "['key']"
	}
	hint := fmt.Sprintf("make text or a number of it in the query: %s AS %s", value, quoted)
	if f.path != "" {
		at = filepath.Base(f.path)
		hint = fmt.Sprintf("read the file by a query that makes text or a number of it: "+
			"sql: SELECT * REPLACE (%s AS %s) FROM %s", value, quoted, quoteSQL(at))
	}
	return &ColumnError{Column: name, At: at,
		Err: words.Hint(fmt.Errorf("its type is %s, and columns of this type cannot be read", typ), hint)}
}

// uuids gives the values of UUIDs as text, such as 0f8fad5b-d9cb-469f-a165-70867728950e.
func uuids(mem memory.Allocator, a *array.FixedSizeBinary) arrow.Array {
	b := array.NewStringBuilder(mem)
	defer b.Release()
	b.Reserve(a.Len())
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
			continue
		}
		v := a.Value(i)
		b.Append(fmt.Sprintf("%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:]))
	}
	return b.NewArray()
}
