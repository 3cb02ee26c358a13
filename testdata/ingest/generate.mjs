// Writes writers/*.parquet: one table of 200 rows (rows.csv, written too) by four
// writers of Parquet that are not the program's own, in all of their codecs.
//
// Run in this folder:
//   npm install --no-save nodejs-polars@0.26.1 parquet-wasm@0.8.0 apache-arrow@21.2.0 \
//     hyparquet-writer@0.17.0 @duckdb/node-api@1.5.6-r.1
//   node generate.mjs
import { writeFileSync, mkdirSync } from 'node:fs'
import * as arrow from 'apache-arrow'
import pl from 'nodejs-polars'
import { DuckDBInstance } from '@duckdb/node-api'
import { parquetWriteBuffer } from 'hyparquet-writer'
import * as wasm from 'parquet-wasm/node'

const rows = 200
const colours = ['red', 'green', 'blue', 'größe', 'a,b']
const range = f => Array.from({ length: rows }, (_, i) => f(i))
const data = {
  id: range(i => i - 100),
  small: range(i => (i * 7) % 128 - 64),
  n: range(i => (i % 3 === 0 ? null : i * i)),
  f32: range(i => i + 0.5),
  f64: range(i => (i % 10 === 4 ? null : i * 0.1)),
  s: range(i => (i % 7 === 2 ? null : `text ${i}`)),
  cat: range(i => (i % 13 === 5 ? null : colours[i % 5])),
  b: range(i => (i % 11 === 3 ? null : i % 2 === 0)),
}
const names = Object.keys(data)
mkdirSync('writers', { recursive: true })

const quote = v => (v === null ? '' : /[",]/.test(String(v)) ? `"${v}"` : String(v))
writeFileSync('writers/rows.csv', [names, ...range(i => names.map(k => data[k][i]))].map(r => r.map(quote).join(',')).join('\n') + '\n')

// Polars 0.26 (Rust)
const types = { id: pl.Int64, small: pl.Int8, n: pl.Int32, f32: pl.Float32, f64: pl.Float64, s: pl.Utf8, cat: pl.Utf8, b: pl.Bool }
const frame = pl.DataFrame(names.map(k => pl.Series(k, data[k], types[k]))).withColumns(pl.col('cat').cast(pl.Categorical))
for (const compression of ['uncompressed', 'snappy', 'gzip', 'brotli', 'zstd', 'lz4']) {
  frame.writeParquet(`writers/polars-${compression}.parquet`, { compression, rowGroupSize: 64 })
}

// arrow-rs, by parquet-wasm
const vector = (k, type) => arrow.vectorFromArray(data[k], type)
const table = new arrow.Table({
  id: vector('id', new arrow.Int32()), small: vector('small', new arrow.Int8()), n: vector('n', new arrow.Uint32()),
  f32: vector('f32', new arrow.Float32()), f64: vector('f64', new arrow.Float64()), s: vector('s', new arrow.Utf8()),
  cat: vector('cat', new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8())), b: vector('b', new arrow.Bool()),
})
const ipc = arrow.tableToIPC(table, 'stream')
const codecs = { uncompressed: 'UNCOMPRESSED', snappy: 'SNAPPY', gzip: 'GZIP', brotli: 'BROTLI', zstd: 'ZSTD', lz4raw: 'LZ4_RAW' }
for (const [name, codec] of Object.entries(codecs)) {
  for (const version of ['V1', 'V2']) {
    const props = new wasm.WriterPropertiesBuilder()
      .setCompression(wasm.Compression[codec])
      .setWriterVersion(wasm.WriterVersion[version])
      .setDictionaryEnabled(version === 'V1')
      .setMaxRowGroupSize(90)
      .build()
    writeFileSync(`writers/arrowrs-${name}-${version}.parquet`, wasm.writeParquet(wasm.Table.fromIPCStream(ipc), props))
  }
}

// DuckDB 1.5.6; V2 writes BYTE_STREAM_SPLIT and the delta encodings
const db = await (await DuckDBInstance.create(':memory:')).connect()
const select = `SELECT id::BIGINT AS id, small::TINYINT AS small, n::UINTEGER AS n, f32::FLOAT AS f32, f64::DOUBLE AS f64, s,
  cat::ENUM('red', 'green', 'blue', 'größe', 'a,b') AS cat, b::BOOLEAN AS b FROM read_csv('writers/rows.csv', auto_detect = true, nullstr = '')`
for (const codec of ['uncompressed', 'snappy', 'gzip', 'brotli', 'zstd', 'lz4_raw']) {
  for (const version of ['V1', 'V2']) {
    await db.run(`COPY (${select}) TO 'writers/duckdb-${codec}-${version}.parquet' (FORMAT parquet, CODEC '${codec}', PARQUET_VERSION ${version}, DICTIONARY_SIZE_LIMIT ${version === 'V2' ? 1 : 1000})`)
  }
}

// hyparquet-writer (JavaScript)
const hyTypes = { id: 'INT64', small: 'INT32', n: 'INT32', f32: 'FLOAT', f64: 'DOUBLE', s: 'STRING', cat: 'STRING', b: 'BOOLEAN' }
const columnData = names.map(k => ({ name: k, type: hyTypes[k], nullable: true, data: k === 'id' ? data[k].map(BigInt) : data[k] }))
for (const codec of ['UNCOMPRESSED', 'SNAPPY']) {
  writeFileSync(`writers/hyparquet-${codec.toLowerCase()}.parquet`, Buffer.from(parquetWriteBuffer({ columnData, codec })))
}
