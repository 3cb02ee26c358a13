package exchange

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"glmbatch/infer"
	"glmbatch/ingest"
	"glmbatch/internal/words"
)

// The columns of draws_df that are not parameters.
const (
	chainColumn     = ".chain"
	iterationColumn = ".iteration"
	drawColumn      = ".draw"
)

// Read reads draws that another program made: a Parquet or CSV file in the
// layout of draws_df, with the columns .chain and .iteration, or Stan CSV files,
// one a chain. Columns whose names end in __ are the sampler's own. The error is a *FileError, an
// error of ingest, or one of the system.
func Read(ctx context.Context, paths []string) (*Foreign, error) {
	if len(paths) == 0 {
		return nil, errors.New("no file of draws was named")
	}
	if len(paths) == 1 && !isStan(paths[0]) {
		return readTable(ctx, paths[0])
	}
	return readStan(paths)
}

// isStan reports whether a file begins as Stan's do: with a comment, or with a
// header that has lp__ and no chain.
func isStan(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	line, _ := bufio.NewReaderSize(file, 1<<16).ReadSlice('\n') // a part of a long line will do
	text := string(line)
	return strings.HasPrefix(text, "#") || strings.HasPrefix(text, "lp__,") && !strings.Contains(text, chainColumn)
}

// readTable reads a table with a row a draw.
func readTable(ctx context.Context, path string) (*Foreign, error) {
	table, err := ingest.Read(ctx, ingest.Source{Name: path, Path: path})
	if err != nil {
		return nil, err
	}
	defer table.Release()
	var chain, iteration []float64
	f := &Foreign{Program: "draws_df", WarmupSeconds: math.NaN(), SamplingSeconds: math.NaN()}
	var columns [][]float64
	for i, field := range table.Data.Schema().Fields() {
		values, err := numbers(table.Data.Column(i).Data())
		switch {
		case err != nil:
			return nil, &FileError{File: path, Column: field.Name, Err: err}
		case field.Name == chainColumn:
			chain = values
		case field.Name == iterationColumn:
			iteration = values
		case field.Name == drawColumn || strings.HasSuffix(field.Name, "__"):
		default:
			f.Names, columns = append(f.Names, field.Name), append(columns, values)
		}
	}
	f.Called = make([]string, len(f.Names))
	if chain == nil || iteration == nil {
		return nil, &FileError{
			File: path,
			Err: words.Hint(fmt.Errorf("it has no columns %s and %s", chainColumn, iterationColumn),
				"write it with posterior::as_draws_df, or name Stan CSV files, one a chain"),
		}
	}
	if err := f.divide(path, chain, iteration, columns); err != nil {
		return nil, err
	}
	return f, nil
}

// divide shares the rows out to their chains, in the order of iterations.
func (f *Foreign) divide(path string, chain, iteration []float64, columns [][]float64) error {
	rows := map[float64][]int{}
	for i, c := range chain {
		rows[c] = append(rows[c], i)
	}
	var chains []float64
	for c := range rows {
		chains = append(chains, c)
	}
	slices.Sort(chains)
	for _, c := range chains {
		at := rows[c]
		slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(iteration[a], iteration[b]) })
		for k := 1; k < len(at); k++ {
			if iteration[at[k]] == iteration[at[k-1]] {
				return &FileError{File: path, Column: iterationColumn,
					Err: fmt.Errorf("chain %g has iteration %g twice", c, iteration[at[k]])}
			}
		}
		if n := f.count(); n > 0 && n != len(at) {
			return &FileError{
				File: path, Column: chainColumn,
				Err: words.Hint(fmt.Errorf("chain %g has %d draws, the one before it %d", c, len(at), n),
					"chains must have one length"),
			}
		}
		q := Sequence{Columns: make([][]float64, len(columns))}
		for p, values := range columns {
			q.Columns[p] = make([]float64, len(at))
			for k, i := range at {
				q.Columns[p][k] = values[i]
			}
		}
		q.Stats = make([]infer.Info, len(at))
		for k := range q.Stats {
			q.Stats[k] = infer.Info{LogLik: math.NaN(), LogPrior: math.NaN(), Accept: math.NaN(), StepSize: math.NaN(),
				Energy: math.NaN()}
		}
		f.Chains = append(f.Chains, q)
	}
	return nil
}

// numbers are the values of a column of integers or numbers; missing ones are NaN.
func numbers(c *arrow.Chunked) ([]float64, error) {
	out := make([]float64, 0, c.Len())
	for _, chunk := range c.Chunks() {
		for i := range chunk.Len() {
			switch a := chunk.(type) {
			case *array.Float64:
				out = append(out, a.Value(i))
			case *array.Int64:
				out = append(out, float64(a.Value(i)))
			default:
				return nil, fmt.Errorf("it holds %s, not numbers", chunk.DataType())
			}
			if chunk.IsNull(i) {
				out[len(out)-1] = math.NaN()
			}
		}
	}
	return out, nil
}
