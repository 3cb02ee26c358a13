#!/usr/bin/env bash
# Opens a fresh ledger with other DuckDB clients, of other engine versions than
# the program's own, and holds that all of them read the same figures.
#
# usage: report/compat/run.sh          (needs go, node ≥ 18 and npm)
#
# Where npm or a client cannot be had it says "skipped: …" and exits 0, or 1
# with COMPAT_REQUIRED=1.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
versions=(1.4.0-r.2 1.4.5-r.1 1.5.5-r.5)

skip() {
  echo "skipped: $1"
  [ "${COMPAT_REQUIRED:-0}" = 0 ]
  exit
}
command -v npm >/dev/null && command -v node >/dev/null || skip "npm and node are needed to open the ledger with another DuckDB client"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GLMBATCH_COMPAT_LEDGER="$work/ledger.duckdb" go test -C "$here/.." -count=1 -run '^TestCompatLedger$' . >"$work/go.log" || {
  cat "$work/go.log"
  exit 1
}
failed=0
for version in "${versions[@]}"; do
  modules="${COMPAT_CACHE:-$work}/node-api-$version"
  mkdir -p "$modules"
  if [ ! -d "$modules/node_modules/@duckdb/node-api" ]; then
    (cd "$modules" && npm install --silent --no-audit --no-fund --prefix . "@duckdb/node-api@$version") >"$work/npm.log" 2>&1 ||
      skip "npm could not install @duckdb/node-api@$version: $(tail -n 1 "$work/npm.log")"
  fi
  node "$here/read.mjs" "$modules" "$work/ledger.duckdb" "$work/ledger.duckdb.json" || failed=1
done
exit $failed
