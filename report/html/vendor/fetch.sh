#!/usr/bin/env bash
# Fetches the charting library anew from npm, and holds that it is the one that
# SHA256SUMS names: the published files, not changed.
#
# usage: report/html/vendor/fetch.sh          (needs npm)
#
# For another version change it here and in page/page.html, run this with --accept
# and read what the library's release notes say; the checks of ../check then tell
# whether the page still draws.
set -euo pipefail
cd "$(dirname "$0")"
d3=7.9.2
plot=0.6.17

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
get() { # package, file in it, name here
  local name=${1//[@\/]/-}
  [ -d "$work/$name" ] || { mkdir "$work/$name" && npm pack --silent --pack-destination "$work/$name" "$1" >/dev/null && tar -xzf "$work/$name"/*.tgz -C "$work/$name"; }
  cp "$work/$name/package/$2" "$work/$3"
}
get "d3@$d3" dist/d3.min.js d3.min.js
get "d3@$d3" LICENSE d3.LICENSE
get "@observablehq/plot@$plot" dist/plot.umd.min.js plot.umd.min.js
get "@observablehq/plot@$plot" LICENSE plot.LICENSE
files=(d3.LICENSE d3.min.js plot.LICENSE plot.umd.min.js)
if [ "${1:-}" = --accept ]; then
  (cd "$work" && sha256sum "${files[@]}") >SHA256SUMS
fi
cp SHA256SUMS "$work/sums"
(cd "$work" && sha256sum --check --strict sums)
for f in "${files[@]}"; do cp "$work/$f" "$f"; done
