package exchange

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"glmbatch/internal/outfile"
	"glmbatch/internal/words"
)

// Layout is how draws are written.
type Layout string

// The layouts. The first three have a row a draw: the parameters under their own
// names, log_lik and log_prior, then .chain, .iteration and .draw, as draws_df of
// R's posterior.
const (
	Parquet Layout = "parquet" // one row group a chain
	Arrow   Layout = "arrow"   // Arrow IPC file, one batch a chain
	CSV     Layout = "csv"
	CmdStan Layout = "cmdstan" // Stan CSV, one file a chain
	NetCDF  Layout = "netcdf"  // groups of ArviZ's InferenceData
)

// Layouts are the names of the layouts.
var Layouts = []string{string(Parquet), string(Arrow), string(CSV), string(CmdStan), string(NetCDF)}

// Write writes draws to files in the folder dir, which is made if it does not
// exist, and returns their paths. name is that of the file before its ending,
// with its folders: characters that some file system refuses
// are written as %XX. Existing files are replaced, each when it is whole.
// Memory: one chain.
func Write(layout Layout, dir string, name []string, d *Draws) ([]string, error) {
	base := dir
	for _, part := range name {
		base = filepath.Join(base, fileName(part))
	}
	if err := os.MkdirAll(filepath.Dir(base), 0o755); err != nil {
		return nil, err
	}
	switch layout {
	case Parquet, Arrow:
		path := base + "." + string(layout)
		return []string{path}, replace(path, func(w io.Writer) error { return writeColumnar(w, layout, d) })
	case CSV:
		path := base + ".csv"
		return []string{path}, replace(path, func(w io.Writer) error { return writeCSV(w, d) })
	case CmdStan:
		var paths []string
		err := d.each(func(m *matrix) error {
			path := base + "-" + strconv.Itoa(m.chain+1) + ".csv"
			paths = append(paths, path)
			return replace(path, func(w io.Writer) error { return writeCmdStan(w, m) })
		})
		return paths, err
	case NetCDF:
		path := base + ".nc"
		return []string{path}, writeNetCDF(path, d)
	}
	return nil, words.Hint(fmt.Errorf("layout %q is not known", layout), "use one of "+strings.Join(Layouts, ", "))
}

// replace writes a file that replaces an existing one when it is complete.
func replace(path string, write func(io.Writer) error) error {
	return outfile.Write(path, 0o644, func(f *os.File) error {
		out := bufio.NewWriterSize(f, 1<<20)
		if err := write(out); err != nil {
			return err
		}
		return out.Flush()
	})
}

// fileName escapes what some file system or shell trips over. Distinct names
// stay distinct.
func fileName(name string) string {
	var b strings.Builder
	for i, c := range []byte(name) {
		plain := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' ||
			c == '.' && i > 0 || c >= 0x80
		if plain {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// writeCSV writes the rows of draws_df, numbers with every digit.
func writeCSV(w io.Writer, d *Draws) error {
	densities := d.densities()
	out := &rows{w: w, nan: "NA", inf: "Inf"} // as R writes and reads them
	for _, name := range d.Names() {
		out.text(name)
	}
	for _, s := range densities {
		out.text(s.name)
	}
	for _, name := range []string{".chain", ".iteration", ".draw"} {
		out.text(name)
	}
	out.end()
	return d.each(func(m *matrix) error {
		for i := range m.Count {
			for p := range m.Parameters {
				out.number(m.values[p*m.Count+i])
			}
			for _, s := range densities {
				out.statistic(m, i, s)
			}
			out.integer(m.chain + 1)
			out.integer(i + 1)
			out.integer(m.chain*m.Count + i + 1)
			out.end()
		}
		return out.err
	})
}

// batchWriter has the methods of both writers of Arrow batches.
type batchWriter interface {
	Write(arrow.RecordBatch) error
	Close() error
}

// writeColumnar writes a batch a chain in Arrow IPC or Parquet.
func writeColumnar(w io.Writer, layout Layout, d *Draws) (err error) {
	schema := d.schema()
	var out batchWriter
	if layout == Arrow {
		out, err = ipc.NewFileWriter(w, ipc.WithSchema(schema))
	} else {
		// Draws have no repeated values, so that dictionaries only cost.
		properties := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd),
			parquet.WithDictionaryDefault(false))
		out, err = pqarrow.NewFileWriter(schema, notClosed{w}, properties, pqarrow.DefaultWriterProps())
	}
	if err != nil {
		return err
	}
	err = d.each(func(m *matrix) error {
		batch := m.batch(schema)
		defer batch.Release()
		return out.Write(batch)
	})
	return errors.Join(err, out.Close())
}

// notClosed keeps a writer from closing what it writes to.
type notClosed struct{ io.Writer }

// schema has the columns of draws_df.
func (d *Draws) schema() *arrow.Schema {
	var fields []arrow.Field
	for _, name := range d.Names() {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Float64, Nullable: true})
	}
	for _, s := range d.densities() {
		fields = append(fields, arrow.Field{Name: s.name, Type: arrow.PrimitiveTypes.Float64, Nullable: true})
	}
	for _, name := range []string{".chain", ".iteration", ".draw"} {
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Int32})
	}
	return arrow.NewSchema(fields, nil)
}

// batch is the chain in the columns of schema. NaN is null, as NA is in R.
func (m *matrix) batch(schema *arrow.Schema) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for p := range m.Parameters {
		appendNumbers(b.Field(p), m.column(p))
	}
	at := len(m.Parameters)
	values := make([]float64, m.Count)
	for _, s := range m.densities() {
		for i := range values {
			values[i] = math.NaN()
			if len(m.stats) > 0 {
				values[i] = s.of(&m.stats[i])
			}
		}
		appendNumbers(b.Field(at), values)
		at++
	}
	for i := range m.Count {
		b.Field(at).(*array.Int32Builder).Append(int32(m.chain + 1))
		b.Field(at + 1).(*array.Int32Builder).Append(int32(i + 1))
		b.Field(at + 2).(*array.Int32Builder).Append(int32(m.chain*m.Count + i + 1))
	}
	return b.NewRecordBatch()
}

// appendNumbers appends values to a builder of numbers, NaN as null.
func appendNumbers(b array.Builder, values []float64) {
	valid := make([]bool, len(values))
	for i, x := range values {
		valid[i] = !math.IsNaN(x)
	}
	b.(*array.Float64Builder).AppendValues(values, valid)
}

// rows writes comma-separated rows, and keeps the first error.
type rows struct {
	w        io.Writer
	row      []byte
	err      error
	nan, inf string // the text of NaN and of infinite numbers
}

func (r *rows) separate() {
	if len(r.row) > 0 {
		r.row = append(r.row, ',')
	}
}

// text writes a name, quoted where it must be (RFC 4180).
func (r *rows) text(s string) {
	r.separate()
	if s == "" || strings.ContainsAny(s, "\",\r\n") {
		s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	r.row = append(r.row, s...)
}

// number writes the shortest digits that give the same float64 again.
func (r *rows) number(x float64) {
	r.separate()
	switch {
	case math.IsNaN(x):
		r.row = append(r.row, r.nan...)
	case math.IsInf(x, 1):
		r.row = append(r.row, r.inf...)
	case math.IsInf(x, -1):
		r.row = append(append(r.row, '-'), r.inf...)
	default:
		r.row = strconv.AppendFloat(r.row, x, 'g', -1, 64)
	}
}

func (r *rows) integer(i int) {
	r.separate()
	r.row = strconv.AppendInt(r.row, int64(i), 10)
}

// statistic writes the number of draw i, NaN if it is not known.
func (r *rows) statistic(m *matrix, i int, s statistic) {
	if len(m.stats) == 0 {
		r.number(math.NaN())
		return
	}
	r.number(s.of(&m.stats[i]))
}

func (r *rows) end() {
	r.row = append(r.row, '\n')
	if r.err == nil {
		_, r.err = r.w.Write(r.row)
	}
	r.row = r.row[:0]
}
