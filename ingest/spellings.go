package ingest

import (
	"fmt"
	"math"
)

// spellings finds a number of a CSV column that has two spellings, as 007 and 7, or 1.0 and 1.00: of labels they are
// two. Cost: a comparison for a cell that is spelled as one of the last cells, otherwise a look-up in a map.
type spellings struct {
	seen   map[float64]string // the first spelling of each number
	recent [1 << 8]string     // first spellings of the numbers that were seen last, by a hash
	pair   [2]string          // the first two spellings of one number
}

// maxSpelled bounds the memory of a column: further numbers are not compared.
const maxSpelled = 100_000

// add looks at a cell, a number. Integers beyond 2^53 are left out: two of them may be one float.
func (s *spellings) add(text string, v *cell) {
	if s.pair[0] != "" || v.kind == kindInt && math.Abs(v.f) >= exactIntegers {
		return
	}
	if text[0] <= ' ' || text[len(text)-1] <= ' ' {
		text = trimBlanks(text)
	}
	r := &s.recent[positiveZero(v.f)*0x9e3779b97f4a7c15>>56]
	if *r == text {
		return
	}
	first, known := s.seen[v.f]
	switch {
	case known && first != text:
		s.pair = [2]string{first, cloneCell(text)}
		return
	case !known && len(s.seen) == maxSpelled:
		return
	case !known:
		if s.seen == nil {
			s.seen = map[float64]string{}
		}
		first = cloneCell(text)
		s.seen[v.f] = first
	}
	*r = first
}

// words describe a number with two spellings, the first one first; empty if there is none.
func (s *spellings) words() string {
	if s == nil || s.pair[0] == "" {
		return ""
	}
	return fmt.Sprintf("%q and %q", s.pair[0], s.pair[1])
}
