#!/usr/bin/env bash
# All tests: formatting, lints, the Rust tests, and the built package on a real ROS 2 graph, set up from nothing.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cd "$root"
step() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }

step "formatting"
cargo fmt --check
step "the package builds without ROS"
cargo check --locked
step "ROS 2 environment, colcon build"
scripts/build_ros.sh
# One build serves the tests of every room: those of the node need ROS, the others do not mind it.
step "lints"
scripts/cargo_ros.sh clippy --locked --all-targets --features ros -- -D warnings
step "Rust tests"
scripts/cargo_ros.sh test --locked --features ros
step "tests on the ROS 2 graph"
scripts/with_ros.sh python3 -m pytest -p no:cacheprovider tests/ros "$@"
step "all passed"
