package report

import (
	"database/sql"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// A grid reads rows of any types.
type grid struct {
	names, types []string // types are the engine's names: DOUBLE, DATE, …
	cells        []any    // of the row that next read
	into         []any
}

func newGrid(rows *sql.Rows) (*grid, error) {
	g := new(grid)
	columns, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	g.cells, g.into = make([]any, len(columns)), make([]any, len(columns))
	for i, c := range columns {
		g.names, g.types = append(g.names, c.Name()), append(g.types, c.DatabaseTypeName())
		g.into[i] = &g.cells[i]
	}
	return g, nil
}

// writeCSV writes all rows; NULL is an empty field.
func writeCSV(w io.Writer, rows *sql.Rows) error {
	g, err := newGrid(rows)
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	if err := out.Write(g.names); err != nil {
		return err
	}
	record := make([]string, len(g.names))
	for rows.Next() {
		if err := rows.Scan(g.into...); err != nil {
			return err
		}
		for i, v := range g.cells {
			record[i] = ""
			if v != nil {
				record[i] = exact(v, g.types[i])
			}
		}
		if len(record) == 1 && record[0] == "" { // encoding/csv would write a blank line, which readers skip
			out.Flush()
			if _, err := io.WriteString(w, "\"\"\n"); err != nil {
				return err
			}
			continue
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// writeJSON writes an array with one object a line, keys in column order; a
// column whose name is taken gets the name with _2, _3, ….
func writeJSON(w io.Writer, rows *sql.Rows) error {
	g, err := newGrid(rows)
	if err != nil {
		return err
	}
	keys := make([][]byte, len(g.names))
	seen := map[string]bool{}
	for i, name := range g.names {
		key := name
		for n := 2; seen[key]; n++ {
			key = name + "_" + strconv.Itoa(n)
		}
		seen[key] = true
		if keys[i], err = json.Marshal(key); err != nil {
			return err
		}
	}
	line, open := []byte("[\n"), "" // open precedes the closing bracket
	for first := true; rows.Next(); first = false {
		if err := rows.Scan(g.into...); err != nil {
			return err
		}
		if !first {
			line = append(line, ",\n"...)
		}
		line = append(line, '{')
		for i, v := range g.cells {
			if i > 0 {
				line = append(line, ", "...)
			}
			line = append(append(line, keys[i]...), ": "...)
			if line, err = appendJSON(line, v, g.types[i]); err != nil {
				return fmt.Errorf("column %q: %w", g.names[i], err)
			}
		}
		line = append(line, '}')
		if _, err := w.Write(line); err != nil {
			return err
		}
		line, open = line[:0], "\n"
	}
	if err := rows.Err(); err != nil {
		return err // the array stays open: half a result must not look whole
	}
	if open == "" {
		line = line[:1] // [] for no rows
	}
	_, err = w.Write(append(line, open+"]\n"...))
	return err
}

// appendJSON appends v as JSON. Numbers that JSON lacks become strings, as in
// the JSON form of protocol buffers: "NaN", "Infinity", "-Infinity".
func appendJSON(dst []byte, v any, typ string) ([]byte, error) {
	switch x := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, x), nil
	case float32:
		return appendFloat(dst, float64(x), 32), nil
	case float64:
		return appendFloat(dst, x, 64), nil
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64:
		return fmt.Append(dst, x), nil
	case *big.Int, duckdb.Decimal:
		return append(dst, exact(x, typ)...), nil
	case []any:
		dst = append(dst, '[')
		for i, e := range x {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			var err error
			if dst, err = appendJSON(dst, e, elementType(typ)); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case map[string]any:
		return appendObject(dst, x)
	case duckdb.OrderedMap:
		m := map[string]any{}
		for i, k := range x.Keys() {
			m[exact(k, "")] = x.Values()[i]
		}
		return appendObject(dst, m)
	}
	b, err := json.Marshal(exact(v, typ))
	return append(dst, b...), err
}

// appendObject appends m with its keys sorted.
func appendObject(dst []byte, m map[string]any) ([]byte, error) {
	parts := map[string]json.RawMessage{}
	for k, v := range m {
		b, err := appendJSON(nil, v, "")
		if err != nil {
			return dst, err
		}
		parts[k] = b
	}
	b, err := json.Marshal(parts)
	return append(dst, b...), err
}

func appendFloat(dst []byte, x float64, bits int) []byte {
	switch {
	case math.IsNaN(x):
		return append(dst, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(dst, `"-Infinity"`...)
	}
	format := byte('f')
	if a := math.Abs(x); a != 0 && (a < 1e-5 || a >= 1e15) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, x, format, -1, bits)
}

// elementType is the type of a list's elements: DOUBLE of DOUBLE[].
func elementType(typ string) string { return strings.TrimSuffix(typ, "[]") }

// exact is v as text with every digit.
func exact(v any, typ string) string {
	switch x := v.(type) {
	case nil:
		return "NULL"
	case string:
		return x
	case float64:
		return plainFloat(x, 64)
	case float32:
		return plainFloat(float64(x), 32)
	case time.Time:
		return timeText(x, typ)
	case *big.Int:
		return x.String()
	case duckdb.Decimal:
		return x.String()
	case []byte:
		if typ == "UUID" && len(x) == 16 {
			return fmt.Sprintf("%x-%x-%x-%x-%x", x[:4], x[4:6], x[6:8], x[8:10], x[10:])
		}
		return base64.StdEncoding.EncodeToString(x)
	case duckdb.Interval:
		return fmt.Sprintf("%d months %d days %s", x.Months, x.Days, time.Duration(x.Micros)*time.Microsecond)
	case []any, map[string]any, duckdb.OrderedMap:
		b, err := appendJSON(nil, x, typ)
		if err != nil {
			return err.Error()
		}
		return string(b)
	}
	return fmt.Sprint(v)
}

func plainFloat(x float64, bits int) string {
	return strings.Trim(string(appendFloat(nil, x, bits)), `"`)
}

// timeText writes a time as the engine's type does.
func timeText(t time.Time, typ string) string {
	switch {
	case typ == "DATE":
		return t.Format("2006-01-02")
	case typ == "TIME":
		return t.Format("15:04:05.999999")
	case strings.Contains(typ, "TIME ZONE") || strings.HasSuffix(typ, "TZ"):
		return t.Format("2006-01-02 15:04:05.999999Z07:00")
	}
	return t.Format("2006-01-02 15:04:05.999999999")
}
