#!/usr/bin/env bash
# Faults while a game is played, on a real ROS 2 graph: kills, disks, cameras, boards, floods. About two minutes.
#
#   scripts/faults.sh          the short form, which scripts/test.sh runs as well
#   scripts/faults.sh --long   ten games of forty plies with a kill in each ply, longer floods, half an hour of games in a row
#                              (CHESS_OBSERVER_SOAK_MIN=1440 for a day); about an hour and a half
#
# Further arguments go to pytest. How every test ended, and its figures, are added to the file of CHESS_OBSERVER_FAULTS_LOG. A
# long run that was stopped goes on where it was when it is started again with the same log.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cd "$here/.."
if [ "${1:-}" = --long ]; then
  shift
  export CHESS_OBSERVER_FAULTS=long
fi
exec scripts/python.sh -m pytest -p no:cacheprovider -rP tests/faults "$@"
