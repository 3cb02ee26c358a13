#!/usr/bin/env bash
# Measures Stan's NUTS on the reference posteriors of posteriordb into stan.txt
# beside this script, then this project's, and writes the table of
# ../evidence/stan.md. Debian has what it needs:
#
#   apt-get install --no-install-recommends r-cran-rstan r-cran-bh r-cran-rcppeigen r-cran-jsonlite g++
#   docs/stan/compare.sh PATH-TO-POSTERIORDB
#
# It is no part of make test: three programs are compiled, a minute each, and 27
# posteriors with two metrics take half an hour of one core. What is counted
# (effective draws, gradients, divergences) does not depend on the machine's speed.
set -euo pipefail
test $# -eq 1 || { echo "usage: $0 PATH-TO-POSTERIORDB" >&2; exit 2; }
cd "$(dirname "$0")/../.."
export STAN_PROGRAMS=${STAN_PROGRAMS:-${XDG_CACHE_HOME:-$HOME/.cache}/glmbatch-stan}
export STAN_TESTDATA=infer/infertest/testdata
mkdir -p "$STAN_PROGRAMS"
Rscript docs/stan/compare.R "$1" > docs/stan/stan.txt.new
mv docs/stan/stan.txt.new docs/stan/stan.txt
GLMBATCH_VERIFY=$PWD/docs/evidence/stan.md go test ./infer/infertest -count=1 -run 'NutsCost$' -timeout 2h -v
