package transform

import (
	"fmt"

	"glmbatch/internal/words"
)

// factor reads the levels and codes of a column, and judges them.
func (b *builder) factor(c *column, named bool) (*factor, error) {
	f, err := b.readFactor(c)
	if err != nil {
		return nil, err
	}
	if _, forced := b.spec.Levels[c.name]; forced {
		return f, nil
	}
	if d := f.doubtful(named); d != nil && c.kind == text {
		return nil, b.levelError(c, d.row, d.err,
			fmt.Sprintf("leave it out (\"- %s\" after the terms); %s", quoteName(c.name), d.hint))
	}
	if len(f.levels) > manyLevels || len(f.levels) > 2 && 2*len(f.levels) > b.n {
		b.warn("column %q is a factor with %d levels in %d rows", c.name, len(f.levels), b.n)
	}
	return f, nil
}

// readFactor reads a column and applies the levels that the user asked for.
func (b *builder) readFactor(c *column) (*factor, error) {
	f := c.factor(b.keep, b.n)
	if f == nil {
		return nil, b.columnError(c.name, fmt.Errorf("the column is text with more than %d distinct values", maxLevels),
			fmt.Sprintf("leave it out (\"- %s\" after the terms)", quoteName(c.name)))
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

// levelError speaks of row k of the design, or of the column if k is negative.
func (b *builder) levelError(c *column, k int, err error, hint string) error {
	if k < 0 {
		return b.columnError(c.name, err, hint)
	}
	return b.cellError(c.name, b.tableRow(k), err, hint)
}
