#!/usr/bin/env bash
# cargo with the environment that colcon gives it, to check or test the node: scripts/cargo_ros.sh clippy --features ros
set -eo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
env=$root/build/chess_observer/cargo_env.sh
[ -f "$env" ] || { echo "cargo_ros: build the package once: scripts/build_ros.sh" >&2; exit 1; }
. "$root/.ros/setup.bash"
. "$env"
cd "$root"
exec cargo "$@"
