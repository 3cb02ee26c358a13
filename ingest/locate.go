package ingest

import (
	"fmt"
	"path/filepath"
	"sort"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// lineMap holds the physical line on which each data row begins. It holds an entry only where the lines do not
// follow one another, so an ordinary file costs one entry and a file with line ends inside quotes one for each.
type lineMap []struct{ row, line int64 }

// add notes that data row (0-based) begins on line (1-based); rows come in order. An entry is charged to mem.
func (m *lineMap) add(row, line int64, mem memory.Allocator) {
	if n := len(*m); n > 0 && (*m)[n-1].line+row-(*m)[n-1].row == line {
		return
	}
	charge(mem, 16)
	*m = append(*m, struct{ row, line int64 }{row, line})
}

// line returns the line of a data row; one past the last row gives the next line.
func (m lineMap) line(row int64) int64 {
	if len(m) == 0 {
		return 2 // right below the header
	}
	i := sort.Search(len(m), func(i int) bool { return m[i].row > row }) - 1
	return m[i].line + row - m[i].row
}

// locate describes a 0-based row of one file: "row 9 (line 10 of claims.csv)",
// or "row 18 of nulls.parquet" where there are no lines.
func locate(file string, lines lineMap, row int64) string {
	switch {
	case file == "":
		return fmt.Sprintf("row %d of the query", row+1)
	case lines == nil:
		return fmt.Sprintf("row %d of %s", row+1, filepath.Base(file))
	}
	return fmt.Sprintf("row %d (line %d of %s)", row+1, lines.line(row), filepath.Base(file))
}
