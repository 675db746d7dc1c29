#!/usr/bin/env bash
# All tests: formatting, lints, the Rust tests, and the built package on a real ROS 2 graph, set up from nothing.
# Further arguments go to the pytest of tests/ros.
#
# Everything is compiled once: lints and tests use what colcon has built, in its profile and its folder. Only this
# package itself is compiled again for the tests, with debug assertions and overflow checks.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cd "$root"
step() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }
cargo() { scripts/cargo_ros.sh "$@"; }
checks=(--config profile.release.package.chess_observer.debug-assertions=true
  --config profile.release.package.chess_observer.overflow-checks=true)

step "formatting"
command cargo fmt --check
step "ROS 2 environment, colcon build"
scripts/build_ros.sh
step "lints, without ROS and with it"
cargo clippy --locked --release --all-targets -- -D warnings
cargo clippy --locked --release --all-targets --features ros -- -D warnings
step "licences, sources, known weaknesses"
scripts/deny.sh
step "Rust tests"
cargo test --locked --release --features ros "${checks[@]}"
step "tests on the ROS 2 graph, the display in a browser"
scripts/browser.sh
# They wait more than they compute: two at a time, each on a graph of its own.
scripts/python.sh -m pytest -p no:cacheprovider -n 2 --dist loadfile tests/ros "$@"
step "faults on the ROS 2 graph, in their short form"
scripts/faults.sh -n 2 --dist loadfile
step "all passed"
