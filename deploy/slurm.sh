#!/bin/sh
# One night on a Slurm cluster: slurm.sh SPEC SHARDS DIR [flags of plan]. It plans the night into DIR, a folder that all
# nodes see, and submits an array of shards and, behind it, a job that gathers them. It prints the jobs' numbers.
#
# PIPELINE           the program, the same on all nodes             (default: pipeline)
# PIPELINE_SBATCH    flags of sbatch for the shards                 (as "--cpus-per-task=8 --mem=16G --time=4:00:00")
# PIPELINE_GATHER    flags of sbatch for gather: a node that reaches the ledger
# PIPELINE_RUN       flags of run, as "--spool /scratch": where another attempt goes on, so best a folder that stays
# PIPELINE_ATTEMPTS  how often a shard is tried                     (default: 20)
#
# A shard that ends with 0 or 1 is done; 2 is final; every other code is queued again: 3 (planned data are missing, or a file
# could not be written), 130 and signals. So are shards of nodes that fail or that are preempted. gather runs when all have ended, and names a shard that is missing: called again, this
# script does the rest of the night.
set -u
pipeline=${PIPELINE:-pipeline}

# carry_out runs the program and passes on SIGTERM, which Slurm sends to this shell before it kills.
carry_out() {
	"$pipeline" "$@" &
	child=$!
	trap 'kill -TERM "$child" 2>/dev/null' TERM
	wait "$child"
	code=$?
	while kill -0 "$child" 2>/dev/null; do # the trap has ended the wait
		wait "$child"
		code=$?
	done
}

case ${1:-} in
--shard)
	# shellcheck disable=SC2086
	carry_out run --plan "$2" --workers "${SLURM_CPUS_PER_TASK:-1}" --quiet ${PIPELINE_RUN:-}
	case $code in
	0 | 1) exit 0 ;;
	2) exit 2 ;;
	esac
	echo "shard $SLURM_ARRAY_TASK_ID: exit code $code at attempt $((${SLURM_RESTART_COUNT:-0} + 1))" >&2
	if [ "${SLURM_RESTART_COUNT:-0}" -lt $((${PIPELINE_ATTEMPTS:-20} - 1)) ]; then
		scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" && sleep 60 # which ends this shell
	fi
	exit "$code"
	;;
--gather)
	carry_out gather "$2"
	exit "$code"
	;;
esac

if [ $# -lt 3 ]; then
	echo "usage: slurm.sh SPEC SHARDS DIR [flags of plan]" >&2
	exit 2
fi
spec=$1 shards=$2 dir=$3
shift 3
"$pipeline" plan "$spec" --shards "$shards" --to "$dir" "$@" >&2 || exit
dir=$(cd "$dir" && pwd) || exit 2
# shellcheck disable=SC2086
array=$(sbatch --parsable --job-name=shards --array="0-$((shards - 1))" --requeue --open-mode=append --signal=B:TERM@120 \
	--output="$dir/slurm-%a.log" ${PIPELINE_SBATCH:-} "$0" --shard "$dir") || exit 3
array=${array%%;*}
# shellcheck disable=SC2086
gather=$(sbatch --parsable --job-name=gather --dependency="afterany:$array" --requeue --open-mode=append \
	--output="$dir/slurm-gather.log" ${PIPELINE_GATHER:-} "$0" --gather "$dir") || exit 3
echo "$array ${gather%%;*}"
