package ingest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// spellings finds a number of a CSV column that has two spellings, as 007 and 7, or 1.0 and 1.00: of labels they are
// two. As long as all cells have the same decimal places and no leading zero, plus sign or exponent, no number can
// have two, and a cell costs a comparison. From then on the cells that are not in the shortest form are remembered.
type spellings struct {
	begun  bool
	places int   // decimals of all cells before since
	since  int64 // row of the first cell of another form; 0: none (the first cell has the form of the first)
	odd    map[float64]*oddNumber
	pair   [2]string // two that are not in the shortest form
}

// oddNumber is a number in another form than the shortest.
type oddNumber struct {
	text  string
	cells int64
}

// mostOdd bounds the memory of a column: more numbers are no labels.
const mostOdd = 100_000

// formOf returns the decimal places of a number's text, whether it has digits and a mark only, without leading zeros,
// and whether it is the shortest of its value.
func formOf(text string, mark byte) (places int, plain, shortest bool) {
	digits := text
	if text[0] == '-' {
		digits = text[1:]
	}
	if digits == "" || digits[0] < '0' || digits[0] > '9' || len(digits) > 1 && digits[0] == '0' && digits[1] != mark {
		return 0, false, false
	}
	at := -1
	for i := 0; i < len(digits); i++ {
		switch c := digits[i]; {
		case c == mark:
			at = i
		case c == 'e' || c == 'E':
			return 0, false, false
		}
	}
	if at < 0 {
		return 0, true, true
	}
	places = len(digits) - at - 1
	return places, places > 0, places > 0 && digits[len(digits)-1] != '0'
}

// add looks at the cell of a row, a number.
func (s *spellings) add(text string, v float64, mark byte, row int64) {
	text = trimBlanks(text)
	places, plain, shortest := formOf(text, mark)
	if s.since == 0 {
		if plain && (!s.begun || places == s.places) {
			s.begun, s.places = true, places
			return
		}
		if !s.begun {
			s.begun, s.places = true, -1 // no cell before
		}
		s.since = row + 1
	}
	if shortest {
		return
	}
	o := s.odd[v]
	switch {
	case o == nil && len(s.odd) == mostOdd:
	case o == nil:
		if s.odd == nil {
			s.odd = map[float64]*oddNumber{}
		}
		s.odd[v] = &oddNumber{cloneCell(text), 1}
	case o.text == text:
		o.cells++
	case s.pair[0] == "":
		s.pair = [2]string{o.text, cloneCell(text)}
	}
}

// found describes a number with two spellings among the stored cells of the column; empty if there is none. Cost: a
// look-up for each cell, if some are not in the shortest form.
func (s *spellings) found(chunks []arrow.Array, mark byte) string {
	if s.pair[0] != "" {
		return s.describe(s.pair[0], s.pair[1])
	}
	if s.since == 0 {
		return ""
	}
	spell := func(v float64, places int) string {
		return strings.Replace(strconv.FormatFloat(v, 'f', places, 64), ".", string(mark), 1)
	}
	before := map[float64]bool{} // of the cells of one form, those that are not in the shortest
	pair := ""
	eachNumber(chunks, func(row int64, v float64) bool {
		if row >= s.since-1 {
			return false
		}
		text := spell(v, s.places)
		if o := s.odd[v]; o != nil && o.text != text {
			pair = s.describe(text, o.text)
		} else if s.places > 0 && text[len(text)-1] == '0' && len(before) < mostOdd {
			before[v] = true
		}
		return pair == ""
	})
	if pair != "" || len(before)+len(s.odd) == 0 {
		return pair
	}
	later := map[float64]int64{}
	eachNumber(chunks, func(row int64, v float64) bool {
		switch o := s.odd[v]; {
		case row < s.since-1:
		case o != nil:
			later[v]++
		case before[v]:
			pair = s.describe(spell(v, s.places), spell(v, -1))
		}
		return pair == ""
	})
	for _, v := range slices.Sorted(maps.Keys(later)) {
		if o := s.odd[v]; pair == "" && later[v] > o.cells {
			pair = s.describe(spell(v, -1), o.text)
		}
	}
	return pair
}

// eachNumber visits the numbers that are there, with their rows, until visit returns false.
func eachNumber(chunks []arrow.Array, visit func(row int64, v float64) bool) {
	first := int64(0)
	for _, chunk := range chunks {
		value := valueOf(chunk)
		for i := range chunk.Len() {
			if chunk.IsValid(i) && !visit(first+int64(i), value(i)) {
				return
			}
		}
		first += int64(chunk.Len())
	}
}

func (s *spellings) describe(a, b string) string { return fmt.Sprintf("%q and %q", a, b) }

// valueOf returns the numbers of an array of integers or floats.
func valueOf(a arrow.Array) func(i int) float64 {
	switch a := a.(type) {
	case *array.Int64:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Float64:
		return a.Value
	}
	panic(fmt.Sprintf("ingest: %s is no type of numbers", a.DataType()))
}
