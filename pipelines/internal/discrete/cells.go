package discrete

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// The columns of a grid of numbers: as of triplets, rows and columns count from 1.
const (
	rowColumn   = "row"
	colColumn   = "col"
	valueColumn = "value"
)

// picture is an image, seen or true, with a number or text for each pixel, row by row.
type picture struct {
	column
	rows, cols int
	warnings   []string
}

// cells reads a grid of numbers or, if texts may be, states: a row of the file for
// each pixel, in any order. Pixels without a row or without a value have none; the
// largest row and column are the size.
//
// Cost: O(rows of the file + pixels).
func cells(ctx context.Context, src ingest.Source, called string, texts bool) (*picture, error) {
	src.Columns = func(*ingest.Schema) ([]string, error) { return []string{rowColumn, colColumn, valueColumn}, nil }
	t, err := ingest.Read(ctx, src)
	if err != nil {
		return nil, err
	}
	defer t.Release()
	s := &side{t, "grid", columnsOf(t)}
	values, err := s.values(texts)
	if err != nil {
		return nil, err
	}
	p := &picture{warnings: t.Warnings}
	var at [2][]int32
	for k, name := range []string{rowColumn, colColumn} {
		if at[k], err = s.places(name); err != nil {
			return nil, err
		}
	}
	p.rows, p.cols = int(slices.Max(at[0])), int(slices.Max(at[1]))
	if p.rows > maxPixels/p.cols {
		return nil, s.fault(rowColumn, slices.Index(at[0], int32(p.rows)), "an image has at most 100 million pixels",
			"%d rows × %d columns are too many", p.rows, p.cols)
	}
	if err := memoryForPixels(src, p.rows*p.cols); err != nil {
		return nil, err
	}
	p.column = blank(called, p.rows*p.cols, values.numbers == nil)
	p.file = filepath.Base(src.Path)
	seen := make([]bool, p.rows*p.cols)
	for row := range at[0] {
		pixel := int(at[0][row]-1)*p.cols + int(at[1][row]-1)
		if seen[pixel] {
			return nil, s.twice(at, row)
		}
		seen[pixel] = true
		if p.numbers != nil {
			p.numbers[pixel] = values.numbers[row]
		} else {
			p.texts[pixel] = values.texts[row]
		}
	}
	return p, nil
}

// blank is a column without numbers or texts.
func blank(name string, n int, texts bool) column {
	if texts {
		return column{name: name, texts: make([]string, n)}
	}
	c := column{name: name, numbers: make([]float64, n)}
	for i := range c.numbers {
		c.numbers[i] = math.NaN()
	}
	return c
}

// values is the column of values, numbers unless there may be texts.
func (s *side) values(texts bool) (*column, error) {
	const hint = "values of an observed image are numbers; leave the cell empty where a pixel was not observed"
	v := s.known(valueColumn)
	if v.numbers == nil && (v.texts == nil || !texts) {
		return nil, s.noNumber(v, hint)
	}
	return v, nil
}

// places are the numbers of a column of places, from 1.
func (s *side) places(name string) ([]int32, error) {
	const hint = "rows and columns of a grid are whole numbers, from 1"
	c := s.known(name)
	if c.numbers == nil {
		return nil, s.noNumber(c, hint)
	}
	out := make([]int32, len(c.numbers))
	for row, v := range c.numbers {
		switch {
		case math.IsNaN(v):
			return nil, s.fault(name, row, hint, "the cell is missing")
		case v != math.Floor(v):
			return nil, s.fault(name, row, hint, "%v is no whole number", v)
		case v < 1:
			return nil, s.fault(name, row, hint+"; add 1 to all if yours begin with 0", "%v is below 1", v)
		case v > maxPixels:
			return nil, s.fault(name, row, "an image has at most 100 million pixels", "%.0f is too many", v)
		}
		out[row] = int32(v)
	}
	return out, nil
}

// known is a column that the table has; it is empty if it holds neither numbers nor
// texts.
func (s *side) known(name string) *column {
	for k := range s.columns {
		if s.columns[k].name == name {
			return &s.columns[k]
		}
	}
	return &column{name: name}
}

// noNumber is the error of a column without numbers, at the first text that is not a number.
func (s *side) noNumber(c *column, hint string) error {
	for row, text := range c.texts {
		if _, err := strconv.ParseFloat(text, 64); text != "" && err != nil {
			return s.fault(c.name, row, hint, "%q is not a number", text)
		}
	}
	return s.fault(c.name, 0, hint, "the column holds no numbers")
}

// twice is the error of a cell that appears in an earlier row of the file too.
func (s *side) twice(at [2][]int32, row int) error {
	r, c := at[0][row], at[1][row]
	before := 0
	for at[0][before] != r || at[1][before] != c {
		before++
	}
	return s.fault(valueColumn, row, "remove one of the two", "row %d, column %d of the grid stands here and in %s", r, c,
		s.Locate(int64(before)))
}

// sameSize refuses a true image of another size than the observed one.
func sameSize(seen, truth *picture, src *ingest.Source, path string) error {
	if seen.rows == truth.rows && seen.cols == truth.cols {
		return nil
	}
	hint := "give both the same size"
	if spec.IsGrid(path) || spec.IsGrid(src.Path) {
		hint += "; the size of a grid is its largest row and column, so give the last pixel a row, with an empty value if " +
			"it has none"
	}
	return &ingest.SourceError{
		Dataset: src.Name, File: filepath.Base(path),
		Err: words.Hint(fmt.Errorf("the true image has %d × %d pixels, and the observed one, %s, has %d × %d", truth.cols,
			truth.rows, filepath.Base(src.Path), seen.cols, seen.rows),
			hint),
	}
}
