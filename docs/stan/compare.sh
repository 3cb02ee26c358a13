#!/usr/bin/env bash
# Measures Stan's NUTS on the reference posteriors: the figures of the table in
# ../sampling.md. Debian has what it needs:
#
#   apt-get install --no-install-recommends r-cran-rstan r-cran-bh r-cran-rcppeigen r-cran-jsonlite g++
#   docs/stan/compare.sh PATH-TO-POSTERIORDB [PATTERN] > stan.txt
#   GLMBATCH_STAT=1 go test ./infer/infertest -run NutsCost -v
#
# It is no part of make test: two models are compiled, a minute each, and 25
# posteriors run for about ten.
set -euo pipefail
test $# -ge 1 || { echo "usage: $0 PATH-TO-POSTERIORDB [PATTERN]" >&2; exit 2; }
exec Rscript "$(dirname "$0")/compare.R" "$@"
