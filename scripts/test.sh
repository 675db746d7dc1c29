#!/usr/bin/env bash
# All tests: formatting, lints, the Rust tests, and the built package on a real ROS 2 graph, set up from nothing.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cd "$root"
step() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }

step "formatting"
cargo fmt --check
step "lints"
cargo clippy --locked --all-targets -- -D warnings
step "Rust tests"
cargo test --locked
step "ROS 2 environment, colcon build"
scripts/build_ros.sh
# In the profile that colcon has just built all dependencies with.
step "lints of the node"
scripts/cargo_ros.sh clippy --locked --release --features ros --lib --bins -- -D warnings
step "Rust tests of the node"
scripts/cargo_ros.sh test --locked --release --features ros --lib node::
step "tests on the ROS 2 graph"
scripts/with_ros.sh python3 -m pytest -p no:cacheprovider tests/ros "$@"
step "all passed"
