#!/usr/bin/env bash
# One part of an evaluation, as a job array calls it: the scheduler sets the number of the task and how many there are.
#
#   sbatch --array=1-8 --cpus-per-task=2 scripts/clusters/array.sh OUT --experiments ladder --seed 1      (SLURM)
#   SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=8 scripts/clusters/array.sh OUT …                        (by hand)
#   lab merge OUT/*.part                                                                                  (afterwards)
#
# A task that was stopped, by hand or by the scheduler's clock, goes on where it was when it is started again.
set -euo pipefail
out=${1:?expected a folder for the parts, and then the arguments of lab}
shift
number=${SLURM_ARRAY_TASK_ID:?expected to be started by a job array}
of=${SLURM_ARRAY_TASK_COUNT:?expected to be started by a job array}
mkdir -p "$out"
exec "${LAB:-lab}" "$@" \
  --shard "$number/$of" --part "$out/$number-of-$of.part" --jobs "${SLURM_CPUS_PER_TASK:-1}"
