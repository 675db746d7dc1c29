#!/usr/bin/env bash
# Prepares a ROS 2 and builds the package with colcon into install/. Further arguments go to colcon.
set -eo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cd "$root"
scripts/meanwhile_crates.sh scripts/ros_env.sh
. .ros/setup.bash
# Only the package itself is a package: nothing below .ros, build or target is looked at.
colcon --log-base log build --base-paths . --packages-select chess_observer --build-base build --install-base install \
  --event-handlers console_direct+ --executor sequential "$@"
