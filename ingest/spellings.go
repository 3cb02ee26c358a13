package ingest

import (
	"fmt"
	"maps"
	"math"
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

// add looks at the cell of a row, a number. Its text is plain if it has digits and a mark only, without leading zeros.
func (s *spellings) add(text string, v *cell, mark byte, row int64) {
	if text[0] <= ' ' || text[len(text)-1] <= ' ' {
		text = trimBlanks(text)
	}
	at, last, places := 0, text[len(text)-1], int(v.places)
	if text[0] == '-' {
		at = 1
	}
	plain := places >= 0 && last != mark && text[at] >= '0' && text[at] <= '9' &&
		(text[at] != '0' || len(text) == at+1 || text[at+1] == mark)
	shortest := plain && (places == 0 || last != '0')
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
	o := s.odd[v.f]
	switch {
	case o == nil && len(s.odd) == mostOdd:
	case o == nil:
		if s.odd == nil {
			s.odd = map[float64]*oddNumber{}
		}
		s.odd[v.f] = &oddNumber{cloneCell(text), 1}
	case o.text == text:
		o.cells++
	case s.pair[0] == "":
		s.pair = [2]string{o.text, cloneCell(text)}
	}
}

// found describes a number with two spellings among the stored cells of the column; empty if there is none. Cost: a
// pass over the cells, if some are not in the shortest form.
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
	eachNumber(chunks, nil, func(row int64, v float64) bool {
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
	later, wanted := map[float64]int64{}, &sieve{low: math.Inf(1), high: math.Inf(-1)}
	for v := range s.odd {
		wanted.add(v)
	}
	for v := range before {
		wanted.add(v)
	}
	eachNumber(chunks, wanted, func(row int64, v float64) bool {
		if row < s.since-1 {
			return true
		}
		switch o := s.odd[v]; {
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

// sieve is a set of numbers with false positives, which costs less than a map: 1 % of others for 640 numbers.
type sieve struct {
	bits      [1 << 10]uint64
	low, high float64
}

func (s *sieve) at(v float64) (word, bit uint64) {
	h := positiveZero(v) * 0x9e3779b97f4a7c15 >> 48
	return h >> 6, 1 << (h & 63)
}

func (s *sieve) add(v float64) {
	word, bit := s.at(v)
	s.bits[word] |= bit
	s.low, s.high = min(s.low, v), max(s.high, v)
}

func (s *sieve) may(v float64) bool {
	if v < s.low || v > s.high {
		return false
	}
	word, bit := s.at(v)
	return s.bits[word]&bit != 0
}

// eachNumber visits the numbers that are there and that wanted may have (nil: all), with their rows, until visit
// returns false.
func eachNumber(chunks []arrow.Array, wanted *sieve, visit func(row int64, v float64) bool) {
	first := int64(0)
	for _, chunk := range chunks {
		if !numbersIn(chunk, wanted, func(i int, v float64) bool { return visit(first+int64(i), v) }) {
			return
		}
		first += int64(chunk.Len())
	}
}

func numbersIn(chunk arrow.Array, wanted *sieve, visit func(i int, v float64) bool) bool {
	switch a := chunk.(type) {
	case *array.Int64:
		for i, v := range a.Int64Values() {
			if (wanted == nil || wanted.may(float64(v))) && a.IsValid(i) && !visit(i, float64(v)) {
				return false
			}
		}
	case *array.Float64:
		for i, v := range a.Float64Values() {
			if (wanted == nil || wanted.may(v)) && a.IsValid(i) && !visit(i, v) {
				return false
			}
		}
	}
	return true
}

func (s *spellings) describe(a, b string) string { return fmt.Sprintf("%q and %q", a, b) }
