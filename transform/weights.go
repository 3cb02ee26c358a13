package transform

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
	"glmbatch/internal/words"
)

// Weighted returns the formula with the columns of the rows' weights, either of which may be empty: frequencies and
// precisions, as in glm.Data. They are read with the formula's columns, and . and globs leave them out.
func (f *Formula) Weighted(frequency, precision string) *Formula {
	out := *f
	out.frequency, out.precision, out.predicted = frequency, precision, nil
	for _, p := range f.predicted {
		out.predicted = append(out.predicted, predicted{p.name, p.formula.Weighted(frequency, precision)})
	}
	return &out
}

// weights takes the columns of weights away from . and globs, and checks that they exist.
func (s *selector) weights() error {
	s.out.frequency, s.out.precision = cmp.Or(s.formula.frequency, s.out.frequency), s.formula.precision
	if s.out.errors != nil && s.out.precision != "" {
		return s.fail(s.out.errors.pos, "se() and precision_weights both give the precision of the responses",
			"leave one out")
	}
	for _, w := range s.out.weights() {
		s.taken[w.column] = true
		if s.strict != anyName && !s.known[w.column] {
			return &ColumnError{
				Column: w.column,
				Err: words.Hint(fmt.Errorf("there is no such column, which %s names", w.key),
					UnknownHint(w.column, "columns", s.names)),
			}
		}
	}
	return nil
}

// weighing is a column of weights and the model's key that names it.
type weighing struct{ key, column string }

// weights lists the columns of weights that there are.
func (s *selection) weights() []weighing {
	var out []weighing
	for _, w := range []weighing{{"frequency_weights", s.frequency}, {"precision_weights", s.precision}} {
		if w.column != "" {
			out = append(out, w)
		}
	}
	return out
}

// weigh reads the rows' weights. Rows of frequency 0 are left out.
func (b *builder) weigh() error {
	if !b.known {
		b.record.FrequencyWeights, b.record.PrecisionWeights = b.chosen.frequency, b.chosen.precision
	}
	for _, w := range b.chosen.weights() {
		if c := b.columns[w.column]; c.kind != numeric {
			return b.columnError(w.column, fmt.Errorf("its type is %s, and %s are numbers", c.typ, w.key), "")
		}
	}
	if b.chosen.frequency != "" {
		if err := b.leaveUncounted(); err != nil {
			return err
		}
		b.out.Data.Frequency = b.numbers(b.chosen.frequency)
		if err := b.checkWeights(b.chosen.frequency, b.out.Data.Frequency, nil); err != nil {
			return err
		}
	}
	b.multiply()
	if b.chosen.precision == "" {
		return nil
	}
	if err := family.CheckPrecision(b.spec.Family); err != nil {
		_, hint := words.Parts(err)
		return b.tableError(fmt.Sprintf("family %s takes no precision_weights", b.spec.Family.Name), hint)
	}
	b.out.Data.Precision = b.numbers(b.chosen.precision)
	return b.checkWeights(b.chosen.precision, nil, b.out.Data.Precision)
}

// multiply multiplies the frequencies by how many rows of the data a row stands for.
func (b *builder) multiply() {
	if b.spec.Counts == nil {
		return
	}
	b.note("%d rows of the data are stored as %d, with counts of equal rows", b.out.Counted, b.n)
	if b.out.Data.Frequency == nil {
		b.out.Data.Frequency = slices.Clone(b.out.Counts)
		return
	}
	for i, n := range b.out.Counts {
		b.out.Data.Frequency[i] *= n
	}
}

// count counts the rows of the data that the kept rows stand for, and returns those that all do.
func (b *builder) count() int {
	b.out.Counts, b.out.Counted = b.countsOf(b.keep), b.n
	if b.spec.Counts == nil {
		return b.rows
	}
	b.out.Counted = int(vec.Sum(b.out.Counts))
	return int(vec.Sum(b.spec.Counts))
}

// countsOf are Spec.Counts of the rows to read; nil if there are none.
func (b *builder) countsOf(keep []bool) []float64 {
	if b.spec.Counts == nil || keep == nil {
		return b.spec.Counts
	}
	var out []float64
	for row, n := range b.spec.Counts {
		if keep[row] {
			out = append(out, n)
		}
	}
	return out
}

// numbers reads the kept rows of a column of numbers.
func (b *builder) numbers(name string) []float64 {
	out := make([]float64, b.n)
	b.columns[name].floats(out, b.keep)
	return out
}

// leaveUncounted drops the rows of frequency 0, as if they were not in the table.
func (b *builder) leaveUncounted() error {
	name := b.chosen.frequency
	values := b.numbers(name)
	if !slices.Contains(values, 0) {
		return nil
	}
	keep, zeros, k, before := allTrue(b.rows), 0, 0, b.out.Counted
	for row := range keep {
		if b.keep != nil && !b.keep[row] {
			keep[row] = false
			continue
		}
		if values[k] == 0 {
			keep[row] = false
			zeros++
		}
		k++
	}
	if zeros == len(values) && !b.piece {
		return b.columnError(name, errors.New("every row has the frequency 0, so that there are no observations"), "")
	}
	b.keep, b.n = keep, b.n-zeros
	b.out.Rows, b.out.Kept = b.n, keep
	b.count()
	if b.piece {
		return nil
	}
	b.note("%d of %d rows have the frequency 0 in %q and were left out", before-b.out.Counted, before, name)
	return nil
}

// checkWeights names the first cell that is no weight.
func (b *builder) checkWeights(name string, frequency, precision []float64) error {
	err := glm.CheckWeights(b.spec.Family, frequency, precision)
	var bad *glm.DomainError
	if !errors.As(err, &bad) {
		return err
	}
	hint := ""
	if frequency != nil && bad.Value > 0 && !family.AboveMaxCount(bad.Value) {
		hint = "weights that are not counts, such as inverse variances, are precision_weights"
	}
	return b.cellError(name, b.tableRow(bad.Row),
		fmt.Errorf("%s is not allowed: %s", spellCount(bad.Value), bad.Allowed), hint)
}

// meanAndSD returns the mean and the standard deviation of a column of the
// design over the observations, each row as often as it counts.
func (b *builder) meanAndSD(x []float64) (mean, sd float64) {
	return countedMeanAndSD(x, b.out.Data.Frequency)
}

// countedMeanAndSD is meanAndSD of data in which x[i] counts w[i] times, or once; NaN for one observation.
func countedMeanAndSD(x, w []float64) (mean, sd float64) {
	if w == nil {
		return meanAndSD(x)
	}
	n := vec.Sum(w)
	weighted := make([]float64, len(x))
	for i, v := range x {
		weighted[i] = v * w[i]
	}
	m := vec.Sum(weighted) / n
	squares := make([]float64, len(x))
	for i, v := range x {
		d := v - m
		weighted[i], squares[i] = w[i]*d, w[i]*d*d
	}
	first := vec.Sum(weighted)
	return m + first/n, math.Sqrt((vec.Sum(squares) - float64(first*first)/n) / (n - 1))
}
