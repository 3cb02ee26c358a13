#!/usr/bin/env bash
# Opens pages of the report in a headless Chromium: every part of a page of hostile
# names is drawn, nothing is fetched, tables answer to keys, and axe-core finds
# nothing to object to, light and dark, on a desk and on a phone.
#
# usage: report/html/check/run.sh          (needs go; npm for axe-core)
#
# Chromium is the one that CHROMIUM names, or one that is installed, or Debian's,
# which root installs. Where it cannot be had this says "skipped: …" and exits 0, or
# 1 with BROWSER_REQUIRED=1. SHOTS=FOLDER leaves screenshots there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
axe=4.14.1

skip() {
  echo "skipped: $1"
  [ "${BROWSER_REQUIRED:-0}" = 0 ]
  exit
}

find_chromium() {
  local name
  for name in ${CHROMIUM:-} chromium chromium-browser google-chrome; do
    command -v "$name" && return
  done
  return 1
}
if ! browser=$(find_chromium); then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get install -y --no-install-recommends chromium >/dev/null 2>&1 || true
  fi
  browser=$(find_chromium) || skip "there is no Chromium, and none could be installed (apt-get install chromium)"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
script=
if command -v npm >/dev/null && (cd "$work" && npm pack --silent "axe-core@$axe" >/dev/null 2>&1 && tar -xzf "axe-core-$axe.tgz"); then
  script=$work/package/axe.min.js
else
  echo "axe-core could not be had from npm: accessibility is not checked" >&2
fi
GLMBATCH_BROWSER=$browser GLMBATCH_AXE=$script GLMBATCH_SHOTS=${SHOTS:-} \
  go test -C "$here/.." -count=1 -timeout=30m -v -run '^TestBrowser' .
