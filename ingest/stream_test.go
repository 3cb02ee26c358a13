package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
)

// streamed reads a source in pieces and returns its rows, spelled, with their places.
func streamed(t *testing.T, src Source) (rows, places []string, largest int64, err error) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	src.mem = mem
	s, err := Open(t.Context(), src)
	if err != nil {
		return nil, nil, 0, err
	}
	defer s.Close()
	for range 2 { // as often as it is asked for
		rows, places = nil, nil
		err = s.Each(t.Context(), func(piece *Table) error {
			some, where := spelled(piece)
			rows, places = append(rows, some...), append(places, where...)
			largest = max(largest, piece.Data.NumRows())
			return nil
		})
		if err != nil {
			return nil, nil, 0, err
		}
	}
	return rows, places, largest, nil
}

// spelled are the rows of a table and their places.
func spelled(t *Table) (rows, places []string) {
	rows = make([]string, t.Data.NumRows())
	for j := range int(t.Data.NumCols()) {
		row := 0
		for _, a := range t.Data.Column(j).Data().Chunks() {
			for i := range a.Len() {
				cell := "missing"
				if a.IsValid(i) {
					cell = render(a, i)
				}
				rows[row] += t.Data.Schema().Field(j).Name + "=" + cell + ";"
				row++
			}
		}
	}
	for i := range rows {
		places = append(places, t.Locate(int64(i)))
	}
	return rows, places
}

// The pieces of a source are its rows, with their places, whatever it is read from.
func TestStreamIsTheTable(t *testing.T) {
	header, lines := equalLines()
	csv := writeTemp(t, "a.csv", header+"\n"+strings.Join(lines, "\n")+"\n")
	all := mustRead(t, Source{Path: csv})
	parts := t.TempDir()
	for i, part := range []string{"x,g,n\n1,a,\n2,b,\n", "x,g,n\n", "x,g,n\n1.5,a,4\n,c,5\n"} {
		must(t, os.WriteFile(filepath.Join(parts, fmt.Sprintf("p%d.csv", i)), []byte(part), 0o600))
	}
	for name, src := range map[string]Source{
		"csv":            {Path: csv},
		"parquet":        {Path: writeParquet(t, wholeBatch(t, all))},
		"row groups":     {Path: writeParquet(t, wholeBatch(t, all), parquet.WithMaxRowGroupLength(30_000))},
		"files":          {Path: parts},
		"query":          {SQL: "SELECT i % 3 AS x, 'l' || (i % 2) AS y FROM range(200000) t(i)"},
		"types":          {Path: parts, Types: map[string]string{"x": "text"}},
		"chosen columns": {Path: csv, Columns: func(s *Schema) ([]string, error) { return []string{s.Field(1).Name}, nil }},
	} {
		t.Run(name, func(t *testing.T) {
			rows, places, largest, err := streamed(t, src)
			must(t, err)
			want, where := spelled(mustRead(t, src))
			if !slices.Equal(rows, want) || !slices.Equal(places, where) {
				t.Errorf("%d rows, want %d, or others", len(rows), len(want))
			}
			if largest > chunkRows {
				t.Errorf("a piece has %d rows", largest)
			}
		})
	}
}

// Memory does not follow the rows.
func TestStreamMemory(t *testing.T) {
	csv := Source{Path: writeTemp(t, "a.csv", "x\n"+strings.Repeat("1\n2\n", 5*chunkRows))}
	file := Source{Path: writeParquet(t, wholeBatch(t, mustRead(t, csv)))}
	for _, src := range []Source{csv, file} {
		src.MaxBytes = 4 << 20
		if _, err := readTest(t, src); err == nil {
			t.Errorf("%s: the table fits", src.Path)
		}
		if rows, _, _, err := streamed(t, src); err != nil || len(rows) != 10*chunkRows {
			t.Errorf("%s: %d rows, %v", src.Path, len(rows), err)
		}
	}
}

// Faults are those of Read, and an error of who looks at the rows ends the reading.
func TestStreamFaults(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	write("kinds/a.csv", "x,y\n1,2\n")
	write("kinds/b.csv", "x,y\nu,2\n")
	write("names/a.csv", "x,y\n1,2\n")
	write("names/b.csv", "x,z\n1,2\n")
	for want, src := range map[string]Source{
		`it is number in a.csv and text in b.csv`: {Path: filepath.Join(dir, "kinds")},
		`a.csv has this column and b.csv has not`: {Path: filepath.Join(dir, "names")},
		`there are no data rows`:                  {Path: write("none.csv", "x,y\n")},
		`row 3 (line 4 of number.csv)`: {Path: write("number.csv", "x\n1\n2\nu\n4\n"),
			Types: map[string]string{"x": "number"}},
		"this is not one SELECT": {SQL: "DROP TABLE x"},
	} {
		if _, _, _, err := streamed(t, src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	enough := errors.New("enough")
	s, err := Open(t.Context(), Source{Path: writeTemp(t, "a.csv", "x\n"+strings.Repeat("1\n", 3*chunkRows))})
	must(t, err)
	defer s.Close()
	calls := 0
	if err := s.Each(t.Context(), func(*Table) error { calls++; return enough }); !errors.Is(err, enough) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Each(ctx, func(*Table) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
