// Reads a ledger with DuckDB's own client for Node, of whatever engine version
// is installed, and holds its answers to queries.json against expected.json.
//
// usage: node read.mjs MODULES LEDGER EXPECTED
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';

const [modules, path, expected] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(modules + '/x.js')('@duckdb/node-api');
const queries = JSON.parse(readFileSync(new URL('queries.json', import.meta.url)));
const want = JSON.parse(readFileSync(expected));

const db = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
const c = await db.connect();
const rows = async (sql) => (await c.runAndReadAll(sql)).getRowsJson();

const [[version]] = await rows('SELECT version()');
const relations = (await rows('SHOW TABLES')).map(([name]) => name);
for (const name of relations) {
  await rows(`SELECT * FROM "${name}" LIMIT 5`); // every view must bind and run
}
let differing = 0;
const start = performance.now();
for (const [name, sql] of Object.entries(queries)) {
  const got = await rows(`SELECT CAST(COLUMNS(*) AS VARCHAR) FROM (${sql})`);
  if (got.length === 0 || JSON.stringify(got) !== JSON.stringify(want[name])) {
    differing++;
    console.log(`${name}: got ${JSON.stringify(got)}\n  expected ${JSON.stringify(want[name])}`);
  }
}
const ms = Math.round(performance.now() - start);
console.log(`${differing ? 'FAIL' : 'ok  '} engine ${version}: ${relations.length} tables and views, ${Object.keys(queries).length} queries in ${ms} ms, ${differing} differ`);
process.exit(differing ? 1 : 0);
