package ingest

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// spelledNulls are the values that a source declares as missing, besides the built-in spellings of CSV files.
type spelledNulls struct {
	texts   map[string]bool
	numbers map[float64]bool
}

// spelledNulls returns those of Source.NullValues. ok is false if there are none.
func (src *Source) spelledNulls() (n spelledNulls, ok bool) {
	n = spelledNulls{map[string]bool{}, map[float64]bool{}}
	g, plain := newGrammar([]string{}, src.Decimal), DefaultNullValues()
	for _, s := range src.NullValues {
		if s = trimBlanks(s); s == "" || slices.Contains(plain, s) {
			continue
		}
		n.texts[s], ok = true, true
		if v := g.parse(s); v.kind == kindInt || v.kind == kindFloat {
			n.numbers[v.f] = true
		}
	}
	return n, ok
}

// SpelledNull reports whether the source declares a value as missing: by its text, or as the same number.
func (src *Source) SpelledNull(text string) bool {
	n, _ := src.spelledNulls()
	v := newGrammar([]string{}, src.Decimal).parse(text)
	return n.texts[trimBlanks(text)] || (v.kind == kindInt || v.kind == kindFloat) && n.numbers[v.f]
}

// hide makes the values missing that the source declares as such: cells of Parquet files and queries, and numbers of
// CSV files in another spelling (-999.0 for -999). Cost: a pass over the columns if there are any declared values.
func (src *Source) hide(p *part, mem memory.Allocator) {
	n, ok := src.spelledNulls()
	if !ok {
		return
	}
	for _, c := range p.cols {
		for k, a := range c.chunks {
			if hidden := n.without(mem, a); hidden != nil {
				a.Release()
				c.chunks[k], p.repeats = hidden, true
			}
		}
	}
}

// without returns the array with declared values missing; nil if it has none.
func (n spelledNulls) without(mem memory.Allocator, a arrow.Array) arrow.Array {
	is := n.finder(a)
	if is == nil {
		return nil
	}
	var rows []int64
	for i := range a.Len() {
		if a.IsValid(i) && is(i) {
			if rows == nil {
				rows = make([]int64, a.Len())
				for j := range rows {
					rows[j] = int64(j)
				}
			}
			rows[i] = -1
		}
	}
	if rows == nil {
		return nil
	}
	return gather(mem, a, rows)
}

// finder reports whether a cell of an array has a declared value; nil for types that cannot have one.
func (n spelledNulls) finder(a arrow.Array) func(i int) bool {
	switch a := a.(type) {
	case *array.Int64:
		if len(n.numbers) > 0 {
			return func(i int) bool {
				v := a.Value(i)
				if v >= exactIntegers || v <= -exactIntegers { // its float64 may be that of another integer
					return n.texts[render(a, i)]
				}
				return n.numbers[float64(v)]
			}
		}
	case *array.Float64:
		if len(n.numbers) > 0 {
			return func(i int) bool { return n.numbers[a.Value(i)] }
		}
	case *array.String, *array.Date32, *array.Timestamp:
		return func(i int) bool { return n.texts[trimBlanks(render(a, i))] }
	}
	return nil
}
