#!/usr/bin/env bash
# Runs a command with ROS 2 and this package (once it is built) sourced: scripts/with_ros.sh COMMAND...
set -eo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
[ $# != 0 ] || { echo "usage: with_ros.sh COMMAND..." >&2; exit 2; }
[ -f "$root/.ros/setup.bash" ] || "$root/scripts/ros_env.sh" >&2
. "$root/.ros/setup.bash"
if [ -f "$root/install/local_setup.bash" ]; then
  . "$root/install/local_setup.bash"
  # As `ros2 run` would find them.
  export PATH=$root/install/chess_observer/lib/chess_observer:$PATH
fi
exec "$@"
