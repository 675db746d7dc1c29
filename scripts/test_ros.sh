#!/usr/bin/env bash
# Builds the package and tests it on a real ROS 2 graph. Arguments go to pytest.
set -eo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cd "$root"
scripts/build_ros.sh
scripts/with_ros.sh python3 -m pytest -p no:cacheprovider tests/ros "$@"
