package pipelines_test

import (
	"database/sql"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
)

// panelPosterior reads a dense set of the panel, scales its columns and gives
// every coefficient, the intercept's included, the prior N(0, 10²).
func panelPosterior(t *testing.T, name string) *glm.Target {
	t.Helper()
	rows := panelRows(t, "SELECT * FROM read_parquet(?)", name+".parquet")
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	columns := make([][]float64, len(names)) // y first
	row, at := make([]float64, len(names)), make([]any, len(names))
	for j := range row {
		at[j] = &row[j]
	}
	for rows.Next() {
		if err := rows.Scan(at...); err != nil {
			t.Fatal(err)
		}
		for j, v := range row {
			columns[j] = append(columns[j], v)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	n := len(columns[0])
	x := glm.NewDense(n, len(columns))
	m := glm.Model{Family: glm.Family{Name: "bernoulli", Link: "logit"}}
	for j := range columns {
		m.Coefficients = append(m.Coefficients, glm.Prior{Kind: glm.Normal, Scale: 10})
		if j == 0 {
			for i := range n {
				x.Col(0)[i] = 1
			}
			continue
		}
		standardise(columns[j], x.Col(j))
	}
	target, err := glm.NewTarget(&glm.Data{X: x, Y: columns[0], Intercept: 0}, m)
	if err != nil {
		t.Fatal(err)
	}
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

// estimates are mean and Monte Carlo standard error of each coefficient, then of
// log_lik, from four chains.
func estimates(t *testing.T, target *glm.Target, o cggibbs.Options, warm, draws int) (mean, mcse []float64) {
	t.Helper()
	setup, err := cggibbs.New(target, o)
	if err != nil {
		t.Fatal(err)
	}
	const chains = 4
	d := target.Dim()
	values := make([][][]float64, d+1)
	for j := range values {
		values[j] = make([][]float64, chains)
	}
	theta := make([]float64, d)
	for c := range chains {
		k, err := setup.Kernel(infer.Chain{Index: c, Count: chains, Stream: infer.NewStream(8, o.Basis, strconv.Itoa(c))})
		if err != nil {
			t.Fatal(err)
		}
		for i := range warm + draws {
			info, err := k.Step()
			if err != nil {
				t.Fatal(err)
			}
			if i < warm {
				continue
			}
			k.Position(theta)
			for j, v := range append(theta[:d:d], info.LogLik) {
				values[j][c] = append(values[j][c], v)
			}
		}
	}
	for _, v := range values {
		sum := 0.0
		for _, x := range slices.Concat(v...) {
			sum += x
		}
		mean, mcse = append(mean, sum/float64(chains*draws)), append(mcse, diag.MCSEMean(v))
	}
	return mean, mcse
}

// The reduced basis agrees with the coordinate sampler on a real wide data set, over
// all coefficients and log_lik.
//
// False alarms: 1e-4 for the largest z-score, split over 2002, and 1e-4 for their
// spread, as far as means are normal: the scores of iid draws would have a spread
// near 1, those of a common direction correlate, so that 0.7 to 1.35 is wide.
// Power: any mean off by six of its standard errors, or all off by half of one.
func TestReducedAgreesOnColon(t *testing.T) {
	if os.Getenv("GLMBATCH_STAT") == "" {
		t.Skip("two minutes; GLMBATCH_STAT=1 runs it")
	}
	target := panelPosterior(t, "colon")
	compare(t, target, sampled{cggibbs.Options{}, 300, 900}, sampled{cggibbs.Options{Basis: "reduced"}, 50, 2000})
}

// sampled is a way to draw, with its lengths.
type sampled struct {
	options     cggibbs.Options
	warm, draws int
}

// compare compares all means of two ways; the rates are those of its callers.
func compare(t *testing.T, target *glm.Target, a, b sampled) {
	t.Helper()
	m1, s1 := estimates(t, target, a.options, a.warm, a.draws)
	m2, s2 := estimates(t, target, b.options, b.warm, b.draws)
	limit := math.Sqrt2 * math.Erfcinv(1e-4/float64(len(m1)))
	largest, squares := 0.0, 0.0
	for j := range m1 {
		z := (m1[j] - m2[j]) / math.Hypot(s1[j], s2[j])
		largest, squares = math.Max(largest, math.Abs(z)), squares+z*z
	}
	d := len(m1) - 1
	spread := math.Sqrt(squares / float64(len(m1)))
	t.Logf("%d coefficients: spread of z %.3f, largest %.2f of %.2f; log_lik %.4f ± %.4f and %.4f ± %.4f",
		d, spread, largest, limit, m1[d], s1[d], m2[d], s2[d])
	if !(largest < limit) || !(spread > 0.7 && spread < 1.35) {
		t.Errorf("the bases disagree: spread of z %.3f, largest %.2f, limit %.2f", spread, largest, limit)
	}
}

// panelRows runs a query on a file of the panel, and skips the test where there is none.
func panelRows(t *testing.T, query, file string) *sql.Rows {
	t.Helper()
	path, err := filepath.Abs("../../shared/data/panel/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the panel's data are not here: %v", err)
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	rows, err := db.QueryContext(t.Context(), query, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rows.Close() })
	return rows
}

// readPanel runs a query on a file of the panel, and gives each row's Scan to row.
func readPanel(t *testing.T, query, file string, row func(scan func(...any))) {
	t.Helper()
	rows := panelRows(t, query, file)
	for rows.Next() {
		row(func(at ...any) {
			if err := rows.Scan(at...); err != nil {
				t.Fatal(err)
			}
		})
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
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
	x := glm.NewSparse(len(y), len(rows)+1, 0)
	x.AppendDense(slices.Repeat([]float64{1}, len(y)))
	for j := range rows {
		x.Append(rows[j], values[j])
	}
	m := glm.Model{Family: glm.Family{Name: "bernoulli", Link: "logit"}, Coefficients: slices.Repeat([]glm.Prior{{Kind: glm.Normal, Scale: 10}}, len(rows)+1)}
	target, err := glm.NewTarget(&glm.Data{X: x, Y: y, Intercept: 0}, m)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// The reduced basis of a sparse design, and slow directions, agree with the coordinate
// sampler on word counts, over all coefficients and log_lik.
//
// False alarms: 1e-4 for the largest z-score of each pair, split over 3291, and 1e-4 for
// their spread, as TestReducedAgreesOnColon has it. Power: any mean off by six of its
// standard errors, or all off by half of one.
func TestSparseBasesAgreeOnPCMAC(t *testing.T) {
	if os.Getenv("GLMBATCH_STAT") == "" {
		t.Skip("five minutes; GLMBATCH_STAT=1 runs it")
	}
	target := wordPosterior(t, "PCMAC")
	slow := sampled{cggibbs.Options{Basis: "coordinate", Update: "stepping_out", Slow: "on"}, 200, 1500}
	t.Run("reduced", func(t *testing.T) { compare(t, target, sampled{cggibbs.Options{Basis: "reduced"}, 50, 300}, slow) })
	t.Run("coordinate", func(t *testing.T) {
		compare(t, target, sampled{cggibbs.Options{Update: "stepping_out"}, 500, 4000}, slow)
	})
}
