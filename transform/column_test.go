package transform

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// arrayOf builds an array of any type by parsing texts; "" is a null.
func arrayOf(t testing.TB, dt arrow.DataType, cells ...string) arrow.Array {
	t.Helper()
	b := array.NewBuilder(memory.DefaultAllocator, dt)
	for _, cell := range cells {
		if cell == "" {
			b.AppendNull()
		} else if err := b.AppendValueFromString(cell); err != nil {
			t.Fatal(err)
		}
	}
	return b.NewArray()
}

func dictionaryOf(index, value arrow.DataType) arrow.DataType {
	return &arrow.DictionaryType{IndexType: index, ValueType: value}
}

// numericTypes can all hold the numbers of TestNumericTypes.
var numericTypes = []arrow.DataType{
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
	arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
	&arrow.Decimal32Type{Precision: 7, Scale: 2}, &arrow.Decimal64Type{Precision: 12, Scale: 3},
	&arrow.Decimal128Type{Precision: 20, Scale: 4}, &arrow.Decimal256Type{Precision: 50, Scale: 5},
	dictionaryOf(arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int32), dictionaryOf(arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Float64),
}

// One set of numbers makes one design, whatever type holds it, however it is cut
// into chunks, with and without a missing cell.
func TestNumericTypes(t *testing.T) {
	cells := []string{"3", "0", "17", "100", "3", "1", "2", "5"}
	holed := slices.Clone(cells)
	holed[2] = ""
	y := col{name: "y", values: []float64{1, 2, 3, 4, 5, 6, 7, 8}}
	for _, c := range [][]string{cells, holed} {
		var want []float64
		for _, cell := range c {
			if v, err := strconv.ParseFloat(cell, 64); err == nil {
				want = append(want, v)
			}
		}
		for _, dt := range numericTypes {
			for _, chunk := range []int{0, 1, 3} {
				table := makeTable(t, chunk, y, col{name: "x", values: arrayOf(t, dt, c...)})
				d := mustBuild(t, table, "y ~ x", Spec{Missing: "drop", InterceptAt: "zero"})
				if got := d.Data.X.Col(1); !slices.Equal(got, want) || d.Dropped != len(c)-len(want) {
					t.Errorf("%s in chunks of %d: %v, %d dropped; want %v", dt, chunk, got, d.Dropped, want)
				}
			}
		}
	}
}

// A decimal becomes the float64 that its text in a CSV file becomes.
func TestDecimalsAreTheNearestFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		unscaled, scale := rng.Int64()>>rng.IntN(63), int32(rng.IntN(30))
		if rng.IntN(2) == 0 {
			unscaled = -unscaled
		}
		small := decimal.Decimal64(unscaled)
		text := decimal128.FromI64(unscaled).ToString(scale)
		want, err := strconv.ParseFloat(text, 64)
		must(t, err)
		if got := decimalOf(t, &arrow.Decimal64Type{Precision: 18, Scale: scale}, small); got != want {
			t.Fatalf("decimal64 %s became %v", text, got)
		}
		if got := decimalOf(t, &arrow.Decimal128Type{Precision: 38, Scale: scale}, decimal128.FromI64(unscaled)); got != want {
			t.Fatalf("decimal128 %s became %v", text, got)
		}
		if got := decimalOf(t, &arrow.Decimal256Type{Precision: 76, Scale: scale}, decimal256.FromI64(unscaled)); got != want {
			t.Fatalf("decimal256 %s became %v", text, got)
		}
		wide := decimal128.FromI64(unscaled).Mul(decimal128.FromI64(1_000_003))
		want, err = strconv.ParseFloat(wide.ToString(scale), 64)
		must(t, err)
		if got := decimalOf(t, &arrow.Decimal128Type{Precision: 38, Scale: scale}, wide); got != want {
			t.Fatalf("decimal128 %s became %v", wide.ToString(scale), got)
		}
	}
}

func decimalOf(t *testing.T, dt arrow.DataType, v any) float64 {
	t.Helper()
	b := array.NewBuilder(memory.DefaultAllocator, dt)
	switch b := b.(type) {
	case *array.Decimal64Builder:
		b.Append(v.(decimal.Decimal64))
	case *array.Decimal128Builder:
		b.Append(v.(decimal128.Num))
	case *array.Decimal256Builder:
		b.Append(v.(decimal256.Num))
	}
	return cell(b.NewArray())(0)
}

// Text is a factor in every encoding, with levels in byte order.
func TestTextTypes(t *testing.T) {
	cells := []string{"b", "a", "B", "é", "b", "", "a", "b", "a", "B", "é", "a"}
	y := make([]float64, len(cells))
	for i := range y {
		y[i] = float64(i * i)
	}
	types := []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
		dictionaryOf(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String), dictionaryOf(arrow.PrimitiveTypes.Uint32, arrow.BinaryTypes.String)}
	for _, dt := range types {
		for _, chunk := range []int{0, 1, 5} {
			table := makeTable(t, chunk, col{name: "y", values: y}, col{name: "g", values: arrayOf(t, dt, cells...)})
			d := mustBuild(t, table, "y ~ g", Spec{Missing: "drop", InterceptAt: "zero"})
			if want := []string{"(Intercept)", "ga", "gb", "gé"}; !slices.Equal(d.Data.Names, want) || d.Dropped != 1 {
				t.Errorf("%s: names %q, %d dropped; want %q", dt, d.Data.Names, d.Dropped, want)
				continue
			}
			if want := []float64{0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1}; !slices.Equal(d.Data.X.Col(1), want) {
				t.Errorf("%s in chunks of %d: ga is %v, want %v", dt, chunk, d.Data.X.Col(1), want)
			}
			if want := []string{"B", "a", "b", "é"}; !slices.Equal(d.Record.Variables[0].Levels, want) {
				t.Errorf("%s: levels %q, want %q", dt, d.Record.Variables[0].Levels, want)
			}
		}
	}
}

func TestTypesThatCannotEnter(t *testing.T) {
	for _, dt := range []arrow.DataType{arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Duration_s,
		arrow.BinaryTypes.Binary, arrow.ListOf(arrow.PrimitiveTypes.Int8), arrow.StructOf()} {
		b := array.NewBuilder(memory.DefaultAllocator, dt)
		b.AppendEmptyValue()
		b.AppendEmptyValue()
		table := makeTable(t, 0, col{name: "y", values: []float64{1, 2}}, col{name: "the day", values: b.NewArray()})
		_, err := Build(table, Spec{Dataset: "d", Formula: mustParse(t, "y ~ ."), Family: familyNamed("gaussian")})
		if err == nil || !strings.Contains(err.Error(), `column "the day"`) || !strings.Contains(err.Error(), "`the day`") || !strings.Contains(err.Error(), dt.String()) {
			t.Errorf("%s: error %v", dt, err)
		}
		mustBuild(t, table, "y ~ . - `the day`", Spec{})
	}
}

// The value under a null is arbitrary and never used; NaN is missing, and infinities are refused in every type that
// has them.
func TestFaultsOfFloats(t *testing.T) {
	half := array.NewFloat16Builder(memory.DefaultAllocator)
	for _, v := range []float32{1, float32(math.NaN()), float32(math.Inf(1)), 4} {
		half.Append(float16.New(v))
	}
	inf, nan := math.Inf(1), math.NaN()
	for name, c := range map[string]struct {
		x    col
		want []fault // by row, −1 for none
	}{
		"float64": {col{values: []float64{1, nan, -inf, 4}}, []fault{-1, faultNaN, faultInfinite, -1}},
		"null":    {col{values: []float64{1, nan, inf, nan}, missing: []int{1, 2, 3}}, []fault{-1, faultNull, faultNull, faultNull}},
		"float32": {col{values: arrayOf(t, arrow.PrimitiveTypes.Float32, "1", "NaN", "-Inf", "")}, []fault{-1, faultNaN, faultInfinite, faultNull}},
		"float16": {col{values: half.NewArray()}, []fault{-1, faultNaN, faultInfinite, -1}},
		"dictionary": {col{values: arrayOf(t, dictionaryOf(arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Float64), "1", "NaN", "Inf", "")},
			[]fault{-1, faultNaN, faultInfinite, faultNull}},
		"null type": {col{values: array.NewNull(4)}, []fault{faultNull, faultNull, faultNull, faultNull}},
	} {
		c.x.name = "x"
		for _, chunk := range []int{0, 1, 3} {
			opened, err := openColumn(makeTable(t, chunk, c.x), 0)
			must(t, err)
			got := []fault{-1, -1, -1, -1}
			opened.faults(func(row int, f fault) {
				if got[row] >= 0 {
					t.Errorf("%s: row %d is visited twice", name, row)
				}
				got[row] = f
			})
			if !slices.Equal(got, c.want) {
				t.Errorf("%s in chunks of %d: faults %v, want %v", name, chunk, got, c.want)
			}
		}
	}
}
