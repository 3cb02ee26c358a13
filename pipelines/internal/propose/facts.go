package propose

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Table holds the facts of the data.
type Table struct {
	Name    string // of the data set, the model and the pipeline
	Source  string // what is written under datasets: {path: "x.csv"}
	From    string // shown to the reader: a file or folder
	Rows    int
	Columns []*Column
	// Triplets is the number of columns that a file of non-zeros adds, and NonZeros
	// that of its entries; 0 for none.
	Triplets, NonZeros int
	// Response is the column that the caller names; empty: one is proposed.
	Response string
	// Dispersion fits the draft of a spec with family poisson or binomial, and returns Pearson's statistic over its
	// degrees of freedom; nil: counts are taken for poisson, successes for binomial.
	Dispersion func(draft []byte) (float64, error)
}

// Kind is the type of the cells of a column.
type Kind int

// The kinds of columns.
const (
	Number Kind = iota
	Text
	Truth
	Time
)

// maxLevels is the number of distinct cells of a column of text that are remembered, maxCounted the number that
// are distinguished.
const maxLevels, maxCounted = 1000, 1 << 20

// Column holds the facts of one column.
type Column struct {
	Name   string
	Kind   Kind
	Values []float64 // of numbers and truth values, NaN if the cell is missing
	Levels []string  // distinct cells of text, in byte order; at most maxLevels
	// of text, the level of each row, in the order in which levels appeared; NaN if the cell is missing
	codes    []float64
	Many     bool // there are more than maxLevels
	Missing  int
	Distinct int // distinct values, of numbers at most maxLevels + 1, of text at most maxCounted
	Present  int

	Min, Max, Mean, SD, Skewness float64
	Zeros                        int
	Whole                        bool // every number is whole
	Serial                       bool // every row is the one before plus 1
}

// Look reads a column of a table that ingest made.
//
// Cost: O(n) for n rows, and O(n) memory for numbers.
func Look(name string, data *arrow.Chunked) *Column {
	c := &Column{Name: name}
	levels := map[string]int{}
	for _, chunk := range data.Chunks() {
		for i := range chunk.Len() {
			if chunk.IsNull(i) {
				c.Missing++
				c.Values, c.codes = append(c.Values, math.NaN()), append(c.codes, math.NaN())
				continue
			}
			c.Present++
			switch a := chunk.(type) {
			case *array.Int64:
				c.Values = append(c.Values, float64(a.Value(i)))
			case *array.Float64:
				c.Values = append(c.Values, a.Value(i))
			case *array.Boolean:
				c.Kind = Truth
				c.Values = append(c.Values, map[bool]float64{true: 1}[a.Value(i)])
			case *array.String:
				c.Kind = Text
				code, known := levels[a.Value(i)]
				switch {
				case !known && len(levels) == maxCounted:
					code = maxCounted
				case !known:
					code = len(levels)
					levels[a.Value(i)] = code
				}
				c.codes = append(c.codes, float64(code))
			default:
				c.Kind = Time
			}
		}
	}
	if c.Many = len(levels) > maxLevels; !c.Many {
		c.Levels = slices.Sorted(maps.Keys(levels))
	}
	if c.Kind == Text || c.Kind == Time {
		c.Values = nil
		c.Distinct = len(levels)
		return c
	}
	c.codes = nil
	c.measure()
	return c
}

// measure fills in the numbers of a column of numbers.
func (c *Column) measure() {
	distinct := map[float64]bool{}
	c.Whole, c.Serial = true, c.Missing == 0 && len(c.Values) > 2
	c.Min, c.Max = math.Inf(1), math.Inf(-1)
	var sum float64
	for i, v := range c.Values {
		if math.IsNaN(v) {
			continue
		}
		if len(distinct) <= maxLevels {
			distinct[v] = true
		}
		c.Whole = c.Whole && v == math.Trunc(v)
		c.Serial = c.Serial && (i == 0 || v == c.Values[i-1]+1)
		c.Min, c.Max = math.Min(c.Min, v), math.Max(c.Max, v)
		if v == 0 {
			c.Zeros++
		}
		sum += v
	}
	c.Distinct = len(distinct)
	if c.Present == 0 {
		c.Min, c.Max = math.NaN(), math.NaN()
		return
	}
	n := float64(c.Present)
	c.Mean = sum / n
	var second, third float64
	for _, v := range c.Values {
		if !math.IsNaN(v) {
			d := v - c.Mean
			second += float64(d * d)
			third += float64(d * d * d)
		}
	}
	c.SD = math.Sqrt(second / n)
	if c.SD > 0 {
		c.Skewness = third / n / (c.SD * c.SD * c.SD)
	}
}

// logSkewness is the skewness of the logarithms of positive numbers.
func (c *Column) logSkewness() float64 { return c.log().Skewness }

// log is the column of the logarithms of positive numbers.
func (c *Column) log() *Column {
	logs := &Column{}
	for _, v := range c.Values {
		logs.Values = append(logs.Values, math.Log(v))
		if !math.IsNaN(v) {
			logs.Present++
		}
	}
	logs.measure()
	return logs
}

// cells are numbers that differ where cells do, NaN if they are missing; nil if they are not known.
func (c *Column) cells() []float64 {
	if c.Many {
		return nil
	}
	if c.codes != nil {
		return c.codes
	}
	return c.Values
}

// constant reports whether all cells that are there are equal.
func (c *Column) constant() bool {
	switch c.Kind {
	case Time:
		return false
	case Text:
		return len(c.Levels) <= 1 && !c.Many
	}
	return c.Distinct <= 1
}

// two reports whether the column has two values, and which.
func (c *Column) two() (low, high string, ok bool) {
	switch {
	case c.Kind == Text && len(c.Levels) == 2 && !c.Many:
		return c.Levels[0], c.Levels[1], true
	case c.Kind == Truth && c.Distinct == 2:
		return "false", "true", true
	case c.Kind == Number && c.Distinct == 2:
		return brief(c.Min), brief(c.Max), true
	}
	return "", "", false
}

// indicator is 1 if the column has its second value, NaN if it is missing; nil for text, whose cells are not kept.
func (c *Column) indicator() []float64 {
	out := make([]float64, len(c.Values))
	for i, v := range c.Values {
		switch {
		case math.IsNaN(v):
			out[i] = v
		case v == c.Max:
			out[i] = 1
		}
	}
	return out
}

func brief(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
