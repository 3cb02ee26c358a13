package transform

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Several models may use one table at once. The race detector sees what Arrow's
// arrays would remember behind our backs (counts of nulls, dictionaries).
func TestBuildSharesItsTable(t *testing.T) {
	dictionary := dictionaryOf(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String)
	numbers := dictionaryOf(arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Float64)
	table := makeTable(t, 3, col{name: "y", values: []float64{1, 2, 3, 4, 5, 6, 7}, missing: []int{6}},
		col{name: "g", values: arrayOf(t, dictionary, "a", "b", "a", "", "b", "a", "b")},
		col{name: "d", values: arrayOf(t, numbers, "1", "2", "4", "1", "2", "3", "3")})
	formula := mustParse(t, "y ~ .")
	results := make([]*Design, 4)
	var wait sync.WaitGroup
	for i := range results {
		wait.Go(func() {
			d, err := Build(table, Spec{Formula: formula, Family: familyNamed("gaussian"), Missing: "drop"})
			if err != nil {
				t.Error(err)
				return
			}
			results[i] = d
		})
	}
	wait.Wait()
	for _, d := range results {
		if d == nil || !slices.Equal(cells(d.Data.X), cells(results[0].Data.X)) || d.Rows != 5 {
			t.Fatalf("designs differ: %+v", d)
		}
	}
}

// Build keeps nothing of the table: all its memory can be released, and levels
// do not change when it is overwritten.
func TestBuildKeepsNothing(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	y, text := array.NewInt8Builder(mem), array.NewStringBuilder(mem)
	words := array.NewBuilder(mem, dictionaryOf(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String))
	for i, s := range []string{"west", "east", "east", "west", "north", "north"} {
		y.Append(int8(i))
		text.Append(s + "ern")
		must(t, words.AppendValueFromString(s))
	}
	columns := []arrow.Array{y.NewArray(), words.NewArray(), text.NewArray()}
	var fields []arrow.Field
	for i, name := range []string{"y", "g", "h"} {
		fields = append(fields, arrow.Field{Name: name, Type: columns[i].DataType()})
	}
	record := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, 6)
	table := array.NewTableFromRecords(record.Schema(), []arrow.RecordBatch{record})
	d := mustBuild(t, table, "y ~ g + h", Spec{})
	for _, c := range columns {
		for _, buffer := range c.Data().Buffers()[1:] {
			clear(buffer.Bytes())
		}
		c.Release()
	}
	for _, owner := range []interface{ Release() }{y, text, words, record, table} {
		owner.Release()
	}
	if got := strings.Join(append(d.Record.Variables[0].Levels, d.Record.Variables[1].Levels...), " "); got != "east north west eastern northern western" {
		t.Errorf("levels became %q", got)
	}
}
