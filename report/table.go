package report

import (
	"database/sql"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"glmbatch/internal/words"
)

// cellWidth is where the text of a table's cell is cut.
const cellWidth = 80

// writeTable writes up to limit rows (all if negative) as aligned columns, numbers to the right, then says how many
// there are. Text that is wider than width, unless that is 0, is folded.
func writeTable(w io.Writer, rows *sql.Rows, limit, width int) error {
	g, err := newGrid(rows)
	if err != nil {
		return err
	}
	lines := [][]string{make([]string, len(g.names))}
	for i, name := range g.names {
		lines[0][i] = oneLine(name)
	}
	more := false
	for rows.Next() {
		if limit >= 0 && len(lines) > limit {
			more = true
			break
		}
		if err := rows.Scan(g.into...); err != nil {
			return err
		}
		line := make([]string, len(g.cells))
		for i, v := range g.cells {
			line[i] = rounded(v, g.types[i])
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if len(g.names) > 0 {
		t := words.Table{Rows: lines, Right: func(col int) bool { return numeric(g.types[col]) }, Rule: true, Fold: width}
		if err := t.Write(w); err != nil {
			return err
		}
	}
	switch n := len(lines) - 1; {
	case more:
		_, err = fmt.Fprintf(w, "(the first %d rows; there are more: --rows -1 or --format csv for all)\n", n)
	case n == 1:
		_, err = fmt.Fprintln(w, "(1 row)")
	default:
		_, err = fmt.Fprintf(w, "(%d rows)\n", n)
	}
	return err
}

// numeric reports whether an engine's type is a number.
func numeric(typ string) bool {
	switch typ {
	case "DOUBLE", "FLOAT", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT",
		"UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT":
		return true
	}
	return strings.HasPrefix(typ, "DECIMAL")
}

// rounded is v as text for reading: five significant digits of a float, one
// line of text.
func rounded(v any, typ string) string {
	switch x := v.(type) {
	case float64:
		return fiveDigits(x)
	case float32:
		return fiveDigits(float64(x))
	}
	return oneLine(exact(v, typ))
}

// fiveDigits writes x with at most five significant digits, plainly where that is
// short, and without zeros at its end: 0.97 and not 0.97000.
func fiveDigits(x float64) string {
	a := math.Abs(x)
	switch {
	case x == 0:
		return "0"
	case math.IsNaN(x) || math.IsInf(x, 0):
		return plainFloat(x, 64)
	case x == math.Trunc(x) && a < 1e15:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case a >= 1e15 || a < 1e-4:
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 4, 64), "e")
		return withoutZeros(mantissa) + "e" + exponent
	case a >= 1e4:
		return withoutZeros(strconv.FormatFloat(x, 'f', 1, 64))
	}
	decimals := 4 - int(math.Floor(math.Log10(a)))
	return withoutZeros(strconv.FormatFloat(x, 'f', decimals, 64))
}

// withoutZeros cuts the zeros that a number with a point ends with.
func withoutZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// oneLine makes what does not print visible, so that text from data cannot
// break the table or the terminal, and cuts what is too long.
func oneLine(s string) string {
	s = words.Visible(s)
	if utf8.RuneCountInString(s) > cellWidth {
		return string([]rune(s)[:cellWidth-1]) + "…"
	}
	return s
}
