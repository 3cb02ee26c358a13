package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"glmbatch/internal/vec"
)

// nightKind is a kind of night that -data can name.
type nightKind struct {
	name      string
	panelFile string // its data in the panel; empty: made
	methods   []string
	iterate   string // of the spec
	waits     bool   // fits wait for pipeline commit, since the ledger is held
	data      func(o options, dir string) (nightData, error)
}

// nightData are the data sets of a night.
type nightData struct {
	pattern string // of its files, which count as one data set each
	size    string
	fits    int
	cells   int // of all designs
}

var nightKinds = []nightKind{
	{name: "small", methods: []string{"auto", "cggibbs"}, iterate: smallIterations, data: smallFiles},
	{name: "waiting", methods: []string{"auto"}, iterate: smallIterations, data: smallFiles, waits: true},
	{
		name: "stored", panelFile: "ALLAML.parquet", methods: []string{"auto"},
		iterate: "{chains: 4, warmup: 50, draws: 1000}",
		data: func(o options, _ string) (nightData, error) {
			return nightData{filepath.Join(o.panel, "ALLAML.parquet"), "72 × 7130", 1, 72 * 7130}, nil
		},
	},
	{name: "tall", methods: []string{"auto"}, iterate: "{chains: 4, warmup: 100, draws: 500}", data: tallFile},
}

// spec fits each file by itself, with draws of a fixed number.
func (k nightKind) spec(d nightData, method string) string {
	return strings.Join([]string{
		"pipeline: night",
		"database: night.duckdb",
		fmt.Sprintf("datasets: {d: {path: %q, each: file}}", d.pattern),
		"models: {m: {formula: y ~ ., family: bernoulli, standardize: center_scale}}",
		"samplers: {s: {method: " + method + "}}",
		"run: " + k.iterate,
		"gates: {rhat: off, ess_bulk: off, ess_tail: off, divergences: off}", "",
	}, "\n")
}

const (
	smallRows, smallColumns = 200, 5
	smallIterations         = "{chains: 4, warmup: 250, draws: 250}"
)

// smallFiles writes a file for each fit, of 200 × (5 and an intercept).
func smallFiles(o options, dir string) (nightData, error) {
	d := nightData{"data/*.csv", fmt.Sprintf("%d × %d", smallRows, smallColumns+1), o.fits,
		o.fits * smallRows * (smallColumns + 1)}
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
		return d, err
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range o.fits {
		var b bytes.Buffer
		b.WriteString("y,x1,x2,x3,x4,x5\n")
		for range smallRows {
			x, y := nightRow(r, smallColumns)
			fmt.Fprintf(&b, "%g,%.4f,%.4f,%.4f,%.4f,%.4f\n", y, x[0], x[1], x[2], x[3], x[4])
		}
		if err := os.WriteFile(filepath.Join(dir, "data", fmt.Sprintf("d%04d.csv", i)), b.Bytes(), 0o600); err != nil {
			return d, err
		}
	}
	return d, nil
}

// nightRow is a row of logistic data with small effects.
func nightRow(r *rand.Rand, columns int) (x []float64, y float64) {
	eta := -0.8
	x = make([]float64, columns)
	for j := range x {
		x[j] = r.NormFloat64()
		eta += 0.3 * x[j]
	}
	if r.Float64() < 1/(1+math.Exp(-eta)) {
		y = 1
	}
	return x, y
}

// tallFile writes Parquet of -rows × (20 and an intercept).
func tallFile(o options, dir string) (d nightData, err error) {
	d = nightData{"tall.parquet", fmt.Sprintf("%d × %d", o.rows, syntheticColumns+1), 1, o.rows * (syntheticColumns + 1)}
	fields := []arrow.Field{{Name: "y", Type: arrow.PrimitiveTypes.Float64}}
	for j := range syntheticColumns {
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("x%d", j+1), Type: arrow.PrimitiveTypes.Float64})
	}
	schema := arrow.NewSchema(fields, nil)
	file, err := os.Create(filepath.Join(dir, d.pattern))
	if err != nil {
		return d, err
	}
	out, err := pqarrow.NewFileWriter(schema, file, parquet.NewWriterProperties(parquet.WithDictionaryDefault(false)),
		pqarrow.DefaultWriterProps())
	if err != nil {
		return d, errors.Join(err, file.Close())
	}
	const batch = 1 << 16
	r := rand.New(rand.NewPCG(1, 2))
	for from := 0; from < o.rows && err == nil; from += batch {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for range min(batch, o.rows-from) {
			x, y := nightRow(r, syntheticColumns)
			b.Field(0).(*array.Float64Builder).Append(y)
			for j, v := range x {
				b.Field(1 + j).(*array.Float64Builder).Append(v)
			}
		}
		rows := b.NewRecordBatch()
		err = out.Write(rows)
		rows.Release()
		b.Release()
	}
	return d, errors.Join(err, out.Close()) // closes the file
}

// least is the cost of a run that cannot be avoided, in processor seconds: its files read once, a multiplication
// for each entry of the designs, and each stored number written once.
func least(dir string, d nightData, values int) (float64, error) {
	pattern := d.pattern
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(dir, pattern)
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		return 0, err
	}
	block := make([]float64, 1<<16)
	spent := processSeconds()
	for _, f := range files {
		if _, err := os.ReadFile(f); err != nil {
			return 0, err
		}
	}
	sum := 0.0
	for left := d.cells; left > 0; left -= len(block) {
		sum += vec.Dot(block[:min(left, len(block))], block[:min(left, len(block))])
	}
	to, err := os.Create(filepath.Join(dir, "least"))
	if err != nil {
		return sum, err
	}
	bytes := make([]byte, 8*len(block))
	for left := 8 * values; left > 0 && err == nil; left -= len(bytes) {
		_, err = to.Write(bytes[:min(left, len(bytes))])
	}
	return processSeconds() - spent, errors.Join(err, to.Close())
}
