package transform

import (
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"glmbatch/infer/design"
)

// encoded is a column of runs of equal values.
func encoded(values []float64) arrow.Array {
	ends, runs := array.NewInt32Builder(memory.DefaultAllocator), array.NewFloat64Builder(memory.DefaultAllocator)
	for i, v := range values {
		if i+1 == len(values) || values[i+1] != v {
			ends.Append(int32(i + 1))
			runs.Append(v)
		}
	}
	return array.NewRunEndEncodedArray(ends.NewArray(), runs.NewArray(), len(values), 0)
}

// mostlyZero are d columns of n rows with every k-th cell a number.
func mostlyZero(n, d, k int, as func([]float64) any) []col {
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(i % 2)
	}
	out := []col{{name: "y", values: y}}
	for j := range d {
		x := make([]float64, n)
		for i := range x {
			if (i+j)%k == 0 {
				x[i] = float64(1 + (i*j)%7)
			}
		}
		out = append(out, col{name: "x" + string(rune('a'+j)), values: as(x)})
	}
	return out
}

func plainly(x []float64) any { return x }
func runsOf(x []float64) any  { return encoded(x) }

// Stored by its non-zeros a design has the numbers, names, warnings and record of
// the dense one, whatever the table is like; missing rows and interactions too.
func TestSparseDesignIsTheDesign(t *testing.T) {
	for name, formula := range map[string]string{"columns": "y ~ .", "rest": "y ~ xa + xb:xc + I(xd^2) - 1"} {
		for how, as := range map[string]func([]float64) any{"plain": plainly, "runs": runsOf} {
			for _, chunk := range []int{0, 7} {
				cols := mostlyZero(50, 6, 5, as)
				cols[0].missing = []int{3, 11}
				spec := Spec{Family: familyNamed("bernoulli"), Standardize: "max_abs", Missing: "drop", Sparse: "false"}
				dense := mustBuild(t, makeTable(t, chunk, cols...), formula, spec)
				spec.Sparse = "true"
				sparse := mustBuild(t, makeTable(t, chunk, cols...), formula, spec)
				if _, ok := sparse.Data.X.(*design.Sparse); !ok {
					t.Fatalf("%s, %s: the design is %T", name, how, sparse.Data.X)
				}
				if !slices.Equal(cells(dense.Data.X), cells(sparse.Data.X)) {
					t.Errorf("%s, %s, chunks of %d: numbers differ", name, how, chunk)
				}
				if !slices.Equal(dense.Warnings, sparse.Warnings) || !slices.Equal(dense.Data.Names, sparse.Data.Names) {
					t.Errorf("%s, %s: warnings %q and %q", name, how, dense.Warnings, sparse.Warnings)
				}
				again, err := sparse.Record.Code(makeTable(t, chunk, cols...), Coding{Response: true})
				if err != nil || !slices.Equal(cells(again.Data.X), cells(dense.Data.X)) {
					t.Errorf("%s, %s: coded by its record the design differs: %v", name, how, err)
				}
			}
		}
	}
}

// The storage of each design: the rule of Spec.Sparse.
func TestSparseRule(t *testing.T) {
	const n = 10_000
	for name, c := range map[string]struct {
		d, k   int // columns; every k-th cell is not 0
		as     func([]float64) any
		spec   Spec
		sparse bool
	}{
		"10 % of 120,000":               {12, 10, plainly, Spec{Standardize: "max_abs"}, true},
		"20 % of 120,000":               {12, 5, plainly, Spec{Standardize: "max_abs"}, false},
		"20 %, asked for":               {12, 5, plainly, Spec{Standardize: "max_abs", Sparse: "true"}, true},
		"10 %, refused":                 {12, 10, plainly, Spec{Standardize: "max_abs", Sparse: "false"}, false},
		"10 % of 40,000":                {3, 10, plainly, Spec{Standardize: "max_abs"}, false},
		"centred":                       {12, 10, plainly, Spec{Standardize: "center_scale"}, false},
		"centred for the prior":         {12, 10, plainly, Spec{}, false},
		"not centred":                   {12, 10, plainly, Spec{InterceptAt: "zero"}, true},
		"triplets, 20 % of few":         {3, 5, runsOf, Spec{Standardize: "max_abs"}, true},
		"triplets, made dense by order": {3, 5, runsOf, Spec{Standardize: "max_abs", Sparse: "false"}, false},
	} {
		c.spec.Family = familyNamed("bernoulli")
		d := mustBuild(t, makeTable(t, 0, mostlyZero(n, c.d, c.k, c.as)...), "y ~ .", c.spec)
		_, sparse := d.Data.X.(*design.Sparse)
		if sparse != c.sparse {
			t.Errorf("%s: the design is %T", name, d.Data.X)
		}
		if said := strings.Contains(strings.Join(d.Notes, "\n"), "the design is sparse"); said != sparse {
			t.Errorf("%s: notes %q", name, d.Notes)
		}
	}
}

// Centring is refused where zeros are to be kept.
func TestSparseRefusesCentring(t *testing.T) {
	for name, c := range map[string]struct {
		as   func([]float64) any
		spec Spec
	}{
		"asked for":         {plainly, Spec{Standardize: "center_scale", Sparse: "true"}},
		"at the means":      {plainly, Spec{Sparse: "true"}},
		"triplets":          {runsOf, Spec{Standardize: "center_scale"}},
		"too large a block": {runsOf, Spec{Standardize: "max_abs", Reserve: bytesFor(100)}},
	} {
		c.spec.Family, c.spec.Dataset, c.spec.Formula = familyNamed("bernoulli"), "d", mustParse(t, "y ~ .")
		_, err := Build(makeTable(t, 0, mostlyZero(50, 4, 5, c.as)...), c.spec)
		want := "a sparse design cannot be centred"
		if c.spec.Reserve != nil {
			want = "MB are allowed"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A missing value of a run is one of each of its rows.
func TestMissingRuns(t *testing.T) {
	ends, runs := array.NewInt32Builder(memory.DefaultAllocator), array.NewFloat64Builder(memory.DefaultAllocator)
	ends.AppendValues([]int32{2, 4, 6}, nil)
	runs.AppendValues([]float64{1, 0, 2}, []bool{true, false, true})
	x := array.NewRunEndEncodedArray(ends.NewArray(), runs.NewArray(), 6, 0)
	table := makeTable(t, 0, col{name: "y", values: []float64{0, 1, 0, 1, 0, 1}}, col{name: "x", values: x})
	d := mustBuild(t, table, "y ~ x", Spec{Family: familyNamed("bernoulli"), Standardize: "max_abs", Missing: "drop"})
	if d.Rows != 4 || !slices.Equal(d.Data.X.Col(1), []float64{0.5, 0.5, 1, 1}) {
		t.Errorf("%d rows, x = %v", d.Rows, d.Data.X.Col(1))
	}
}
