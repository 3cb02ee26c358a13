#!/usr/bin/env bash
# Converts the data sets of figure 8 from MATLAB files, as published with scikit-feature, to the Parquet files of
# PANEL_DIR: NAME.parquet with columns y, x1, x2 …, and for sparse sets the triplets NAME.coo.parquet and NAME.y.parquet
# too. y is 1 for the label 1, otherwise 0; other values are unchanged. It needs Python with scipy.
#
# usage: docs/panel/convert.sh PIPELINE_BINARY FOLDER_OF_MAT_FILES PANEL_DIR
set -euo pipefail
binary=$(realpath "$1") from=$(realpath "$2")
mkdir -p "$3"
to=$(realpath "$3") work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$binary" run quickstart --database any.duckdb --quiet >/dev/null
for file in "$from"/*.mat; do
	"${PYTHON:-python3}" - "$file" "$(basename "$file" .mat)" <<'END'
import csv, sys
import numpy, scipy.io, scipy.sparse

def write(name, header, rows):
    with open(name, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])

data, name = scipy.io.loadmat(sys.argv[1]), sys.argv[2]
x = data["X"].toarray() if scipy.sparse.issparse(data["X"]) else data["X"]
if (x == numpy.rint(x)).all():
    x = x.astype("int64")
y = (data["Y"].ravel() == 1).astype("int64")
write(name + ".csv", ["y", *(f"x{j + 1}" for j in range(x.shape[1]))], numpy.column_stack([y.astype(x.dtype), x]).tolist())
if (x == 0).mean() > 0.85:
    row, col = numpy.nonzero(x)
    write(name + ".coo.csv", ["row", "col", "value"], zip((row + 1).tolist(), (col + 1).tolist(), x[row, col].tolist()))
    write(name + ".y.csv", ["row", "y"], enumerate(y.tolist(), 1))
END
	for table in *.csv; do
		"$binary" sql --database any.duckdb --allow . --format parquet "SELECT * FROM read_csv('$PWD/$table', header = true, sample_size = -1, max_line_size = 10000000)" \
			>"$to/${table%.csv}.parquet"
		rm "$table"
	done
done
