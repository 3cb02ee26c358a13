package exchange

import (
	"errors"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// batchWriter is what the two writers of Arrow batches have in common.
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

// batch is the chain in the columns of schema. What is NaN is null, as NA is in R.
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
