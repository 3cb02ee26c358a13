package transform_test

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"glmbatch/infer/glm"
	"glmbatch/transform"
)

// A table, a formula and a draw: the design as sampled, and the draw in the
// units of the data.
func ExampleBuild() {
	weight := array.NewFloat64Builder(memory.DefaultAllocator)
	weight.AppendValues([]float64{61, 75, 70, 82}, nil)
	height := array.NewInt64Builder(memory.DefaultAllocator)
	height.AppendValues([]int64{160, 170, 180, 190}, nil)
	smoker := array.NewStringBuilder(memory.DefaultAllocator)
	smoker.AppendValues([]string{"no", "yes", "no", "yes"}, nil)
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "weight", Type: arrow.PrimitiveTypes.Float64},
		{Name: "height", Type: arrow.PrimitiveTypes.Int64},
		{Name: "smoker", Type: arrow.BinaryTypes.String},
	}, nil)
	record := array.NewRecordBatch(schema, []arrow.Array{weight.NewArray(), height.NewArray(), smoker.NewArray()}, 4)
	table := array.NewTableFromRecords(schema, []arrow.RecordBatch{record})

	formula, err := transform.ParseFormula("weight ~ .")
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := transform.Build(table, transform.Spec{Dataset: "people", Formula: formula, Family: glm.Family{Name: "gaussian", Link: "identity"}, Standardize: "max_abs"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Data.Names)
	fmt.Printf("%.3f\n", d.Data.X.Col(1))
	theta := []float64{-30, 190, 2, 5} // intercept, height, smokeryes, sigma
	d.Record.ToData(theta)
	fmt.Println(theta)
	// Output:
	// [(Intercept) height smokeryes]
	// [0.842 0.895 0.947 1.000]
	// [-30 1 2 5]
}
