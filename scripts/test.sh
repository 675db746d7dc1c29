#!/usr/bin/env bash
# All tests: formatting, lints, the Rust tests, and the built package on a real ROS 2 graph, set up from nothing.
# Further arguments go to the pytest of tests/ros.
#
# Everything is compiled once: lints and tests use what colcon has built, in its profile and its folder. Only our own
# packages (the product, lab/ and studies/) are compiled again for the tests, with debug assertions and overflow checks.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cd "$root"
step() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }
cargo() { scripts/cargo_ros.sh "$@"; }
checks=()
for package in chess_observer chess_observer_lab chess_observer_krk; do
  for check in debug-assertions overflow-checks; do checks+=(--config "profile.release.package.$package.$check=true"); done
done

step "formatting"
command cargo fmt --all --check
step "ROS 2 environment, colcon build"
scripts/build_ros.sh
step "lints, without ROS and with it"
cargo clippy --locked --release --workspace --all-targets -- -D warnings
cargo clippy --locked --release --workspace --all-targets --features chess_observer/ros -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --locked --release --workspace --no-deps
# What the nodes are built of must do without what the command line needs; r2r would be compiled once more for that, so without it.
step "lints of the library without the command line"
cargo clippy --locked --release --no-default-features --features online --lib -- -D warnings
step "licences, sources, known weaknesses"
scripts/deny.sh
step "Rust tests"
cargo test --locked --release --workspace --features chess_observer/ros "${checks[@]}"
step "tests on the ROS 2 graph, the display in a browser"
scripts/browser.sh
# They wait more than they compute: two at a time, each on a graph of its own.
scripts/python.sh -m pytest -p no:cacheprovider -n 2 --dist loadfile tests/ros "$@"
step "faults on the ROS 2 graph, in their short form"
scripts/faults.sh -n 2 --dist loadfile
step "all passed"
