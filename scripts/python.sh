#!/usr/bin/env bash
# Python with ROS 2, this package, and what tests/python/requirements.txt names: scripts/python.sh -m pytest tests/ros
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
exec "$here/with_ros.sh" bash -c 'exec "$CHESS_OBSERVER_PYTHON" "$@"' python "$@"
