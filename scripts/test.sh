#!/usr/bin/env bash
# All tests: formatting, lints, the Rust tests, and the built package on a real ROS 2 graph, set up from nothing.
# Further arguments go to the pytest of tests/ros. The last line says how it ended, and how many tests were skipped for lack
# of data; where CI=true is set and the data are there, none may be.
#
# Everything is compiled once: lints and tests use what colcon has built, in its profile and its folder. Our own packages (the
# product, lab/ and studies/) have debug assertions and overflow checks in all of it, the nodes on the graph as well.
#
# The tests on the graph wait more than they compute. So they run in the background, from when the nodes are built, and
# everything else beside them takes what processor time they leave (nice): docs/design/workspace.md has the figures.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cd "$root"
logs=$root/build/test_logs
steps=7 number=0 name=start graph=
step() { name=$* number=$((number + 1)); printf '\n== %s/%s %s (after %s s)\n' "$number" "$steps" "$name" "$SECONDS"; }
cargo() { nice -n 19 scripts/cargo_ros.sh "$@"; }
checks=()
for package in chess_observer chess_observer_lab chess_observer_krk; do
  for check in debug-assertions overflow-checks; do checks+=(--config "profile.release.package.$package.$check=true"); done
done

# How it ended, in one line, whatever happened.
ended() {
  local status=$? skipped without
  if [ "$status" != 0 ] && [ -n "$graph" ]; then kill -INT -- "-$graph" 2> /dev/null || true; fi
  skipped=$(cat "$logs"/*.log 2> /dev/null | grep -c '^skipped: ' || true)
  # pytest names tests whose programs this machine cannot have, as launch_ros without an installed ROS.
  without=$(cat "$logs"/*.log 2> /dev/null | sed -n 's/^SKIPPED \[\([0-9]*\)\].*/\1/p' | awk '{ n += $1 } END { print n + 0 }')
  if [ "$status" = 0 ] && [ "$skipped" != 0 ] && [ "${CI:-}" = true ] && [ -d "${CHESS_OBSERVER_SHARED:-../shared}/data" ]; then
    grep -h '^skipped: ' "$logs"/*.log
    name="the data are there: nothing may be skipped" status=1
  fi
  [ "$status" = 0 ] && name="all passed" || name="failed: $name"
  printf '\n== %s, after %s s; skipped: %s for lack of data, %s for lack of a program\n' "$name" "$SECONDS" "$skipped" "$without"
  exit "$status"
}
trap ended EXIT
rm -rf "$logs"

step "formatting"
command cargo fmt --all --check
step "ROS 2 environment, colcon build"
CHESS_OBSERVER_CARGO_ARGS=${checks[*]} scripts/build_ros.sh
step "tests on the ROS 2 graph, the display in a browser, faults in their short form: begun in the background"
mkdir -p "$logs"
scripts/browser.sh
# Two at a time, each on a graph of its own. A group of processes, so that all of it can be ended.
on_graph() {
  scripts/python.sh -m pytest -p no:cacheprovider -rs -n 2 --dist loadfile tests/ros "$@" && scripts/faults.sh -n 2 --dist loadfile
}
set -m
on_graph "$@" > "$logs/graph.log" 2>&1 < /dev/null &
graph=$!
set +m
step "lints, without ROS and with it"
cargo clippy --locked --release --workspace --all-targets --features ros -- -D warnings
# The product alone: the other packages have no features.
cargo clippy --locked --release --package chess_observer --all-targets -- -D warnings
RUSTDOCFLAGS="-D warnings" cargo doc --locked --release --workspace --no-deps
# What the nodes are built of must do without what the command line needs; r2r would be compiled once more for that, so without it.
cargo clippy --locked --release --no-default-features --features online --lib -- -D warnings
step "licences, sources, known weaknesses"
scripts/deny.sh
step "Rust tests"
# Tests that pass say what they measured, and what they skipped: that is kept, and not shown.
# The features are those of the nodes, by the same names: else the library would be compiled once more.
cargo test --locked --release --workspace --no-default-features --features ros,cli,display,online "${checks[@]}" -- --show-output |
  tee "$logs/rust.log" | awk '/^successes:$/ { quiet = 1 } /^(failures:|test result: )/ { quiet = 0 } !quiet { print; fflush() }'
step "tests on the graph and faults: their end"
wait "$graph" || { cat "$logs/graph.log"; false; }
graph=
tail -n 40 "$logs/graph.log"
