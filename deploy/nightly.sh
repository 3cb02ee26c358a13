#!/bin/sh
# One night: nightly.sh SPEC [flags of run]. It prints nothing on a good night.
#
# PIPELINE_DIR   working directory, where the spec is       (default: the current one)
# PIPELINE       the program                                (default: pipeline)
# PIPELINE_LOCK_WAIT  how long to wait for a ledger that is held (default: 30m)
# PIPELINE_KEEP  complete fits of each name that stay       (default: 30; 0 prunes nothing)
#
# Exit codes are those of "pipeline run"; see docs/nightly.md.
set -u
cd "${PIPELINE_DIR:-.}" || exit 2
pipeline=${PIPELINE:-pipeline}
keep=${PIPELINE_KEEP:-30}
if [ $# -lt 1 ]; then
	echo "usage: nightly.sh SPEC [flags of run]" >&2
	exit 2
fi
spec=$1
shift

# What the program says is told at the end: a ledger that was held for a while is no news.
said=$(mktemp) || exit 2
trap 'rm -f "$said"' EXIT
"$pipeline" run "$spec" --quiet "$@" 2>"$said"
code=$?
if [ "$code" -eq 3 ]; then
	# Someone may have the ledger open: wait longer, once. Then ask run again, which
	# draws nothing anew and knows of every fit whether it passed.
	if "$pipeline" commit "$spec" --lock-wait "${PIPELINE_LOCK_WAIT:-30m}" >/dev/null || [ $? -ne 3 ]; then
		"$pipeline" run "$spec" --quiet "$@" 2>"$said"
		code=$?
	fi
fi
cat "$said" >&2
case $code in
0) ;;
1)
	echo "$spec: a fit failed or erred; pipeline show $spec --attention lists what needs a person:" >&2
	"$pipeline" show "$spec" --attention >&2
	;;
3) echo "$spec: something is not where it was to be, for the reason above; drawn fits wait for pipeline commit $spec" >&2 ;;
134) echo "$spec: the program has a fault, for which see above; what was drawn is kept, and the next run goes on" >&2 ;;
*) echo "$spec: exit code $code" >&2 ;;
esac
if [ "$keep" -gt 0 ] && [ "$code" -le 1 ]; then
	"$pipeline" prune "$spec" --keep "$keep" >/dev/null || echo "$spec: not pruned" >&2
fi
exit "$code"
