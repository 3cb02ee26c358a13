package pipelines_test

import (
	"database/sql"
	"math"
	"path/filepath"
	"slices"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/references"
)

// panelPosterior reads a dense set of the panel, scales its columns and gives
// every coefficient, the intercept's included, the prior N(0, 10²).
func panelPosterior(t *testing.T, name string) *glm.Target {
	t.Helper()
	rows := panelRows(t, "SELECT * FROM read_parquet(?)", name+".parquet")
	names, err := rows.Columns()
	must(t, err)
	columns := make([][]float64, len(names)) // y first
	row, at := make([]float64, len(names)), make([]any, len(names))
	for j := range row {
		at[j] = &row[j]
	}
	for rows.Next() {
		must(t, rows.Scan(at...))
		for j, v := range row {
			columns[j] = append(columns[j], v)
		}
	}
	must(t, rows.Err())
	n := len(columns[0])
	x := design.NewDense(n, len(columns))
	m := glm.Model{Family: glm.Family{Name: "bernoulli", Link: "logit"}}
	for j := range columns {
		m.Coefficients = append(m.Coefficients, prior.Prior{Kind: prior.Normal, Scale: 10})
		if j == 0 {
			for i := range n {
				x.Col(0)[i] = 1
			}
			continue
		}
		standardise(columns[j], x.Col(j))
	}
	target, err := glm.NewTarget(&glm.Data{X: x, Y: columns[0], Intercept: 0}, m)
	must(t, err)
	return target
}

// standardise writes (v − mean)/sd, with n − 1 in the variance.
func standardise(v, dst []float64) {
	mean, squares := 0.0, 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		squares += (x - mean) * (x - mean)
	}
	for i, x := range v {
		dst[i] = (x - mean) / math.Sqrt(squares/float64(len(v)-1))
	}
}

// panelRows runs a query on a file of the panel, and skips the test where there is none.
func panelRows(t *testing.T, query, file string) *sql.Rows {
	t.Helper()
	path := filepath.Join(references.Folder(t, "panel"), file)
	db, err := sql.Open("duckdb", "")
	must(t, err)
	t.Cleanup(func() { db.Close() })
	rows, err := db.QueryContext(t.Context(), query, path)
	must(t, err)
	t.Cleanup(func() { rows.Close() })
	return rows
}

// readPanel runs a query on a file of the panel, and gives each row's Scan to row.
func readPanel(t *testing.T, query, file string, row func(scan func(...any))) {
	t.Helper()
	rows := panelRows(t, query, file)
	for rows.Next() {
		row(func(at ...any) {
			must(t, rows.Scan(at...))
		})
	}
	must(t, rows.Err())
}

// wordPosterior reads a sparse set of the panel, divides each column by its largest
// value and gives every coefficient the prior N(0, 10²).
func wordPosterior(t *testing.T, name string) *glm.Target {
	t.Helper()
	var y []float64
	readPanel(t, "SELECT (y = max(y) OVER ())::INT::DOUBLE FROM read_parquet(?) ORDER BY row", name+".y.parquet", func(scan func(...any)) {
		y = append(y, 0)
		scan(&y[len(y)-1])
	})
	var rows [][]int32
	var values [][]float64
	readPanel(t, "SELECT col::INT, (row - 1)::INT, value / max(value) OVER (PARTITION BY col) FROM read_parquet(?) ORDER BY col, row", name+".coo.parquet", func(scan func(...any)) {
		var j, i int32
		var v float64
		scan(&j, &i, &v)
		for int(j) > len(rows) {
			rows, values = append(rows, nil), append(values, nil)
		}
		rows[j-1], values[j-1] = append(rows[j-1], i), append(values[j-1], v)
	})
	x := design.NewSparse(len(y), len(rows)+1, 0)
	x.AppendDense(slices.Repeat([]float64{1}, len(y)))
	for j := range rows {
		x.Append(rows[j], values[j])
	}
	m := glm.Model{Family: glm.Family{Name: "bernoulli", Link: "logit"}, Coefficients: slices.Repeat([]prior.Prior{{Kind: prior.Normal, Scale: 10}}, len(rows)+1)}
	target, err := glm.NewTarget(&glm.Data{X: x, Y: y, Intercept: 0}, m)
	must(t, err)
	return target
}
