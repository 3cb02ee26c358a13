package chunk

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
)

// feed is a table function of rows that fill writes, a chunk each.
type feed struct {
	columns []duckdb.ColumnInfo
	fill    []func(c Chunk, to duckdb.DataChunk) error
}

func (f *feed) ColumnInfos() []duckdb.ColumnInfo     { return f.columns }
func (f *feed) Init()                                {}
func (f *feed) Cardinality() *duckdb.CardinalityInfo { return nil }
func (f *feed) FillChunk(to duckdb.DataChunk) (err error) {
	if len(f.fill) == 0 {
		return to.SetSize(0)
	}
	c, err := Of(to)
	if err == nil {
		err = f.fill[0](c, to)
	}
	f.fill = f.fill[1:]
	return err
}

// ask answers a query of feed().
func ask(t *testing.T, f *feed, query string) string {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	must(t, err)
	defer db.Close()
	c, err := db.Conn(context.Background())
	must(t, err)
	defer c.Close()
	must(t, duckdb.RegisterTableUDF(c, "feed", duckdb.ChunkTableFunction{
		BindArguments: func(map[string]any, ...any) (duckdb.ChunkTableSource, error) { return f, nil }}))
	var out string
	must(t, c.QueryRowContext(context.Background(), query).Scan(&out))
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func typed(t *testing.T, kind duckdb.Type) duckdb.TypeInfo {
	t.Helper()
	info, err := duckdb.NewTypeInfo(kind)
	must(t, err)
	return info
}

// TestOf writes every kind of number to columns, in chunks of several sizes, and reads it by SQL.
func TestOf(t *testing.T) {
	f := &feed{}
	for _, kind := range []duckdb.Type{duckdb.TYPE_BIGINT, duckdb.TYPE_INTEGER, duckdb.TYPE_SMALLINT, duckdb.TYPE_DOUBLE,
		duckdb.TYPE_BOOLEAN} {
		f.columns = append(f.columns, duckdb.ColumnInfo{Name: fmt.Sprint("c", len(f.columns)), T: typed(t, kind)})
	}
	begin := 0
	for _, rows := range []int{1, Rows(), 7} {
		f.fill = append(f.fill, func(c Chunk, to duckdb.DataChunk) error {
			large, err := Column[int64](c, 0)
			must(t, err)
			integer, err := Column[int32](c, 1)
			must(t, err)
			small, err := Column[int16](c, 2)
			must(t, err)
			double, err := Column[float64](c, 3)
			must(t, err)
			truth, err := Column[bool](c, 4)
			must(t, err)
			if len(large) != Rows() || len(truth) != Rows() {
				t.Errorf("columns of %d and %d rows, want %d", len(large), len(truth), Rows())
			}
			for i := range rows {
				k := begin + i
				large[i], integer[i], small[i], double[i], truth[i] = int64(k)<<40, -int32(k), int16(k), float64(k)/4, k%2 == 1
			}
			begin += rows
			return to.SetSize(rows)
		})
	}
	got := ask(t, f, `SELECT concat_ws(' ', count(*), bool_and(c0 = k << 40), bool_and(c1 = -k), bool_and(c2 = k),
		bool_and(c3 = k / 4), bool_and(c4 = (k % 2 = 1))) FROM (SELECT *, row_number() OVER () - 1 AS k FROM feed())`)
	if want := fmt.Sprint(Rows()+8, " true true true true true"); got != want {
		t.Errorf("columns read %s, want %s", got, want)
	}
}

// TestArraysAndLists writes arrays, and lists of lengths from 0 on that outgrow the room they had, with NULLs before
// and after they do, in two chunks.
func TestArraysAndLists(t *testing.T) {
	double := typed(t, duckdb.TYPE_DOUBLE)
	array, err := duckdb.NewArrayInfo(double, 3)
	must(t, err)
	list, err := duckdb.NewListInfo(double)
	must(t, err)
	const rows = 300 // 45,000 entries of lists
	f := &feed{columns: []duckdb.ColumnInfo{{Name: "a", T: array}, {Name: "l", T: list}}}
	for range 2 {
		f.fill = append(f.fill, func(c Chunk, to duckdb.DataChunk) error {
			arrays, err := Arrays[float64](c, 0, 3)
			must(t, err)
			lists, err := ListsOf[float64](c, 1)
			must(t, err)
			for i := range rows {
				copy(arrays[3*i:], []float64{float64(i), 0.5, -float64(i)})
				entries, err := lists.Add(i, i)
				must(t, err)
				for j := range entries {
					if entries[j] = float64(1000*i + j); (i+j)%5 == 0 {
						lists.Null(i, j)
					}
				}
			}
			return to.SetSize(rows)
		})
	}
	got := ask(t, f, `SELECT concat_ws(' ', count(*), bool_and(a = [i, 0.5, -i]::DOUBLE[3]), bool_and(l = list_transform(range(i),
		lambda j: CASE WHEN (i + j) % 5 <> 0 THEN 1000 * i + j END)))
		FROM (SELECT *, (row_number() OVER () - 1) % 300 AS i FROM feed())`)
	if want := fmt.Sprint(2*rows, " true true"); got != want {
		t.Errorf("arrays and lists read %s, want %s", got, want)
	}
}

// TestWrongColumns: what is not as it was said is an error, before anything is written.
func TestWrongColumns(t *testing.T) {
	double := typed(t, duckdb.TYPE_DOUBLE)
	array, err := duckdb.NewArrayInfo(double, 3)
	must(t, err)
	list, err := duckdb.NewListInfo(double)
	must(t, err)
	f := &feed{columns: []duckdb.ColumnInfo{{Name: "d", T: double}, {Name: "a", T: array}, {Name: "l", T: list}}}
	f.fill = append(f.fill, func(c Chunk, to duckdb.DataChunk) error {
		for what, err := range map[string]error{
			"column 0 is of":           second(Column[int64](c, 0)),
			"column 1 has arrays of 3": second(Arrays[float64](c, 1, 4)),
			"column 1 has":             second(Arrays[int64](c, 1, 3)),
			"column 2 has":             second(ListsOf[int64](c, 2)),
			"column 2 is of":           second(Column[float64](c, 2)),
			"column 3 of a":            second(Column[float64](c, 3)),
			"column -1 of a":           second(Column[float64](c, -1)),
		} {
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("%v, want %s …", err, what)
			}
		}
		return to.SetSize(0)
	})
	ask(t, f, "SELECT concat_ws(chr(32), count(*), sum(d), count(a::VARCHAR), count(l::VARCHAR)) FROM feed()")
}

func second[T any](_ T, err error) error { return err }
