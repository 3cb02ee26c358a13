package transform

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"glmbatch/internal/words"
)

// factor is a column of categories: codes index levels, one code per kept row.
type factor struct {
	levels []string
	codes  []int32
}

// factor reads the kept rows of a column. Levels are those that
// occur, in byte order (as R sorts them in the C locale); a logical column has
// FALSE and TRUE always. A nil factor has more levels than most. Cost: one map
// look-up per row, one per dictionary entry for dictionary columns.
func (c *column) factor(keep []bool, rows, most int) *factor {
	f := &factor{codes: make([]int32, 0, rows)}
	if c.kind == logical {
		f.levels = []string{"FALSE", "TRUE"}
		values := make([]float64, rows)
		c.floats(values, keep)
		for _, v := range values {
			f.codes = append(f.codes, int32(v))
		}
		return f
	}
	if c.kind == numeric {
		return c.numberFactor(keep, rows, most, rNumber)
	}
	if c.dated() {
		return c.numberFactor(keep, rows, most, c.spellDate)
	}
	seen := make(map[string]int32)
	row := 0
	for _, chunk := range c.chunks {
		code, release := f.coder(chunk, seen)
		for i := 0; i < chunk.Len() && len(f.levels) <= most; i++ {
			if keep == nil || keep[row+i] {
				f.codes = append(f.codes, code(i))
			}
		}
		release()
		row += chunk.Len()
	}
	if len(f.levels) > most {
		return nil
	}
	order := slices.Clone(f.levels)
	sort.Strings(order)
	f.reorder(order)
	return f
}

// numberFactor reads the kept rows of a column of numbers: levels in increasing
// order, as spell writes them. Numbers of one spelling are one level.
func (c *column) numberFactor(keep []bool, rows, most int, spell func(float64) string) *factor {
	values := make([]float64, rows)
	c.floats(values, keep)
	f := &factor{codes: make([]int32, rows)}
	find := finder(values)
	var distinct []float64
	for i, v := range values {
		at := find(v)
		if *at == 0 {
			if len(distinct) == most {
				return nil
			}
			distinct = append(distinct, v)
			*at = int32(len(distinct))
		}
		f.codes[i] = *at - 1
	}
	number := make([]int32, len(distinct)) // as they came → in order
	for _, v := range slices.Sorted(slices.Values(distinct)) {
		if level := spell(v); len(f.levels) == 0 || f.levels[len(f.levels)-1] != level {
			f.levels = append(f.levels, level)
		}
		number[*find(v)-1] = int32(len(f.levels) - 1)
	}
	for i, at := range f.codes {
		f.codes[i] = number[at]
	}
	return f
}

// finder returns where a number is kept for each value, 0 at first: in a table where the values are whole and near each
// other, which takes a fifth of the time of a map, in a map elsewhere.
func finder(values []float64) func(float64) *int32 {
	low, high, whole := math.Inf(1), math.Inf(-1), true
	for _, v := range values {
		low, high, whole = min(low, v), max(high, v), whole && v == math.Floor(v)
	}
	if whole && high-low < float64(4*len(values)) {
		table := make([]int32, int(high-low)+1)
		return func(v float64) *int32 { return &table[int(v-low)] }
	}
	places := make(map[float64]*int32)
	return func(v float64) *int32 {
		at := places[v]
		if at == nil {
			at = new(int32)
			places[v] = at
		}
		return at
	}
}

// coder returns the code of a chunk's row, giving new levels the next one. The
// code is not used after release.
func (f *factor) coder(chunk arrow.Array, seen map[string]int32) (code func(int) int32, release func()) {
	intern := func(s string) int32 {
		code, found := seen[s]
		if !found {
			code = int32(len(f.levels))
			s = strings.Clone(s) // s aliases the table
			seen[s] = code
			f.levels = append(f.levels, s)
		}
		return code
	}
	switch a := chunk.(type) {
	case array.StringLike:
		return func(i int) int32 { return intern(a.Value(i)) }, func() {}
	case *array.Dictionary:
		values := dictionary(a).(array.StringLike)
		codes := make([]int32, values.Len())
		for i := range codes {
			codes[i] = -1
		}
		return func(i int) int32 {
			k := a.GetValueIndex(i)
			if codes[k] < 0 {
				codes[k] = intern(values.Value(k))
			}
			return codes[k]
		}, values.Release
	}
	panic(fmt.Sprintf("transform: %T is no text array", chunk)) // classify let it pass
}

// reorder renumbers the codes for a new order of levels, which must hold every
// present one and may hold more.
func (f *factor) reorder(levels []string) {
	at := make(map[string]int32, len(levels))
	for i, level := range levels {
		at[level] = int32(i)
	}
	renumber := make([]int32, len(f.levels))
	for i, level := range f.levels {
		renumber[i] = at[level]
	}
	for i, code := range f.codes {
		f.codes[i] = renumber[code]
	}
	f.levels = levels
}

// impose applies the levels that the user asked for: one name is the reference
// level, the others following in byte order; more are the whole list, in order.
// It returns the index of a row whose level is not listed (-1 for none).
func (f *factor) impose(want []string) (row int, err error) {
	if dup := firstRepeated(want); dup != "" {
		return -1, fmt.Errorf("level %q is listed twice", dup)
	}
	if len(want) == 1 {
		i := slices.Index(f.levels, want[0])
		if i < 0 {
			return -1, fmt.Errorf("the reference level %q does not occur", want[0])
		}
		f.reorder(slices.Concat(want, f.levels[:i], f.levels[i+1:]))
		return -1, nil
	}
	for i, level := range f.levels {
		if !slices.Contains(want, level) {
			if row := slices.Index(f.codes, int32(i)); row >= 0 {
				return row, fmt.Errorf("%q is not among the levels that were asked for", level)
			}
		}
	}
	f.reorder(slices.Clone(want))
	return -1, nil
}

func firstRepeated(names []string) string {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}

// manyLevels is the number of levels from which a factor is remarked upon, and
// maxLevels the number from which a column is not read as one.
const (
	manyLevels = 50
	maxLevels  = 100_000
	fewLevels  = 10 // so few may be more than half of the rows of a small group
)

// doubt is a reason not to take a text column for a factor.
type doubt struct {
	row  int // of the design; −1 for the whole column
	err  error
	hint string
}

// doubtful says why a text column cannot have been meant as a factor, or nil. A column that the formula names is
// only refused if it has numbers written as text. The levels are those of n rows.
func (f *factor) doubtful(named bool, n int) *doubt {
	if len(f.levels) <= 2 || len(f.levels) <= manyLevels && 2*len(f.levels) <= n {
		return nil
	}
	const numbersHint = "make it a column of numbers where the data are made, or give its levels if it is meant as a " +
		"factor"
	numbers, isNumber := 0, make([]bool, len(f.levels))
	for i, level := range f.levels {
		if _, err := strconv.ParseFloat(strings.TrimSpace(level), 64); err == nil {
			numbers++
			isNumber[i] = true
		}
	}
	odd := slices.IndexFunc(f.codes, func(code int32) bool { return !isNumber[code] })
	switch {
	case 2*numbers > len(f.levels) && odd >= 0:
		return &doubt{odd, fmt.Errorf("the column is text, but %d of its %d values are numbers, and %q is not", numbers,
			len(f.levels), f.levels[f.codes[odd]]), numbersHint}
	case 2*numbers > len(f.levels):
		return &doubt{-1, errors.New("the column is text, but all its values are numbers"), numbersHint}
	case named || len(f.levels) < n && (2*len(f.levels) <= n || len(f.levels) <= fewLevels):
		return nil
	}
	err := fmt.Errorf("the column is text with %d distinct values in %d rows: it looks like an identifier", len(f.levels),
		n)
	if len(f.levels) == n {
		err = fmt.Errorf("the column is text and all its %d values are distinct: it looks like an identifier", n)
	}
	return &doubt{-1, err, "name it among the terms if it is meant as a factor"}
}

// factor reads the levels and codes of a variable's column, and judges them.
func (b *builder) factor(c *column, v *variable) (*factor, error) {
	f, err := b.readFactor(c)
	if err == nil && v.plain() {
		err = b.refuseDates(c, f)
	}
	if err != nil {
		return nil, err
	}
	if _, forced := b.spec.Levels[c.name]; forced {
		return f, nil
	}
	n := b.n
	if b.all != nil {
		n = b.all.rows
	}
	if d := f.doubtful(v.named, n); d != nil && c.kind == text {
		return nil, b.levelError(c, d.row, d.err,
			fmt.Sprintf("leave it out (\"- %s\" after the terms); %s", quoteName(c.name), d.hint))
	}
	if len(f.levels) > manyLevels || len(f.levels) > 2 && 2*len(f.levels) > n {
		b.warn("column %q is a factor with %d levels in %d rows", c.name, len(f.levels), n)
	}
	return f, nil
}

// readFactor reads a column and applies the levels that the user asked for.
func (b *builder) readFactor(c *column) (*factor, error) {
	f := c.factor(b.keep, b.n, maxLevels)
	if f == nil {
		return nil, b.manyLevels(c)
	}
	if b.all != nil && c.kind != logical {
		f.reorder(b.all.levels(c))
	}
	want, forced := b.spec.Levels[c.name]
	if !forced {
		return f, nil
	}
	present := f.levels
	if row, err := f.impose(want); err != nil {
		return nil, b.levelError(c, row, err, "its values are "+words.List(present))
	}
	return f, nil
}

func (b *builder) manyLevels(c *column) error {
	return b.columnError(c.name, fmt.Errorf("the column is text with more than %d distinct values", maxLevels),
		fmt.Sprintf("leave it out (\"- %s\" after the terms)", quoteName(c.name)))
}

// levelError is an error of row k of the design, or of the column if k is negative.
func (b *builder) levelError(c *column, k int, err error, hint string) error {
	if k < 0 {
		return b.columnError(c.name, err, hint)
	}
	return b.cellError(c.name, b.tableRow(k), err, hint)
}
