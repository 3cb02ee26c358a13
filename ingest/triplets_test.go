package ingest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// write puts a text into a file of the test's folder.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// numbersOf are the numbers of a run-end encoded column.
func numbersOf(table *Table, name string) []float64 {
	a := table.Data.Column(table.Data.Schema().FieldIndices(name)[0]).Data().Chunk(0).(*array.RunEndEncoded)
	out := make([]float64, a.Len())
	for i := range out {
		out[i] = a.Values().(*array.Float64).Value(a.GetPhysicalIndex(i))
	}
	return out
}

func tripletSource(y, x string) Source {
	return Source{Name: "d", Path: y, Triplets: &Triplets{Path: x, Row: "row", Col: "col", Value: "value", Prefix: "x"}}
}

func TestTriplets(t *testing.T) {
	x := write(t, "x.csv", "row,col,value\n3,2,5\n1,1,2.5\n3,1,-1\n2,4,0\n")
	for name, y := range map[string]string{
		"by place": "y,z\n0,7\n1,8\n1,9\n",
		"by name":  "row,y,z\n1,0,7\n2,1,8\n3,1,9\n",
	} {
		table, err := readTest(t, tripletSource(write(t, "y.csv", y), x))
		must(t, err)
		if got := table.names(); !slices.Equal(got, []string{"y", "z", "x1", "x2", "x3", "x4"}) {
			t.Errorf("%s: columns %v", name, got)
		}
		for column, want := range map[string][]float64{"x1": {2.5, 0, -1}, "x2": {0, 0, 5}, "x3": {0, 0, 0}, "x4": {0, 0, 0}} {
			if got := numbersOf(table, column); !slices.Equal(got, want) {
				t.Errorf("%s: %s is %v, want %v", name, column, got, want)
			}
		}
	}
	// Names of rows may be any whole numbers, in any order.
	source := tripletSource(write(t, "y.csv", "row,y\n900,0\n-3,1\n"), write(t, "x.csv", "row,col,value\n-3,1,4\n"))
	table, err := readTest(t, source)
	must(t, err)
	if got := numbersOf(table, "x1"); !slices.Equal(got, []float64{0, 4}) {
		t.Errorf("x1 of named rows is %v", got)
	}
}

// The hash of triplets is that of the non-zero values, wherever they are in the file.
func TestTripletsHash(t *testing.T) {
	y := write(t, "y.csv", "y\n0\n1\n1\n")
	hash := func(x string) string {
		table, err := readTest(t, tripletSource(y, write(t, "x.csv", "row,col,value\n"+x)))
		must(t, err)
		h, err := table.Hash([]string{"y", "x1", "x2"})
		must(t, err)
		return h
	}
	base := hash("1,1,2\n3,1,4\n2,2,7\n")
	if hash("2,2,7\n3,1,4.0\n1,1,2\n2,1,0\n") != base {
		t.Error("order, spelling or a stored 0 changes the hash")
	}
	for _, other := range []string{"1,1,2\n3,1,5\n2,2,7\n", "1,1,2\n2,1,4\n2,2,7\n", "1,1,2\n3,2,4\n2,2,7\n"} {
		if hash(other) == base {
			t.Errorf("%q has the same hash", other)
		}
	}
}

// Each fault is named with its line; the files of testdata/bad have a matrix of 4 × 3.
func TestBadTriplets(t *testing.T) {
	four, bad := "y\n0\n1\n1\n0\n", func(name string) string { return filepath.Join(badDir, name) }
	head := "row,col,value\n"
	for _, c := range []struct {
		name, x, y string
		columns    int64
		want       []string
	}{
		{"duplicate", bad("coo_duplicate.csv"), four, 3, []string{"row 1, column 1", "line 4 of coo_duplicate.csv", "line 2 of coo_duplicate.csv"}},
		{"out of range", bad("coo_out_of_range.csv"), four, 3, []string{"line 4 of coo_out_of_range.csv", "row 5 is not one of 1 to 4"}},
		{"row too large", write(t, "x.csv", head+"1,1,2\n5,2,4\n"), four, 3, []string{"line 3 of x.csv", "row 5 is not one of 1 to 4"}},
		{"column 0", write(t, "x.csv", head+"1,1,2\n2,0,1\n"), four, 3, []string{"line 3 of x.csv", "column 0 is not one of 1 to 3"}},
		{"column too large", write(t, "x.csv", head+"1,4,2\n"), four, 3, []string{"line 2 of x.csv", "column 4 is not one of 1 to 3"}},
		{"hostile column", write(t, "x.csv", head+"1,4000000000000,2\n"), four, 0, []string{"line 2 of x.csv", "is not one of 1 to 16777216"}},
		{"fraction", write(t, "x.csv", head+"1.5,1,2\n"), four, 0, []string{"line 2 of x.csv", "1.5 is not a whole number"}},
		{"missing", write(t, "x.csv", head+"1,1,\n2,1,3\n"), four, 0, []string{`column "value"`, "line 2 of x.csv", "missing"}},
		{"text", write(t, "x.csv", head+"1,a,3\n"), four, 0, []string{`column "col"`, "it is text"}},
		{"no such column", write(t, "x.csv", "i,j,v\n1,1,3\n"), four, 0, []string{`"row"`, `"i", "j", "v"`}},
		{"unknown name", write(t, "x.csv", head+"7,1,3\n"), "row,y\n1,0\n2,1\n", 0, []string{"line 2 of x.csv", "no row of the data has row 7"}},
		{"name twice", write(t, "x.csv", head+"1,1,3\n"), "row,y\n1,0\n1,1\n", 0, []string{`column "row"`, "row 2", "1 names this row and row 1"}},
		{"no file", "nowhere.csv", four, 0, []string{"nowhere.csv"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := tripletSource(write(t, "y.csv", c.y), c.x)
			source.Triplets.Columns = c.columns
			_, err := readTest(t, source)
			if err == nil {
				t.Fatal("accepted")
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
	source := tripletSource(write(t, "y.csv", four), write(t, "x.csv", head+"1,1,3\n"))
	source.By = []string{"y"}
	if _, err := readTest(t, source); err == nil || !strings.Contains(err.Error(), "does not split triplets") {
		t.Errorf("by: of triplets: %v", err)
	}
}
