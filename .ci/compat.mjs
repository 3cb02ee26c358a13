// Asks a ledger the questions of a file of "query<TAB>answer" lines, read-only,
// and fails when an answer differs. Usage: node compat.mjs LEDGER ANSWERS
import { DuckDBInstance, version } from "@duckdb/node-api";
import { readFileSync } from "node:fs";

const [ledger, answers] = process.argv.slice(2);
const lines = readFileSync(answers, "utf8").trimEnd().split("\n");
const db = await DuckDBInstance.create(ledger, { access_mode: "READ_ONLY" });
const connection = await db.connect();
let wrong = 0;
for (const line of lines) {
  const [query, want] = line.split("\t");
  const rows = (await connection.runAndReadAll(query)).getRows();
  const got = rows.map((row) => String(row[0])).join("\n");
  if (want === undefined || want === "" || got !== want) {
    console.error(`compat: engine ${version()}: ${query}: answered "${got}", the program says "${want}"`);
    wrong++;
  }
}
console.log(`compat: engine ${version()}: ${lines.length - wrong} of ${lines.length} answers agree`);
process.exit(wrong === 0 && lines.length > 0 ? 0 : 1);
