#!/usr/bin/env bash
# Runs a command that mostly waits, for a download, and compiles crates meanwhile: meanwhile_crates.sh COMMAND...
#
# It is the build of cmake/r2r_programs.cmake, with the same features into the same folder, begun before there is a ROS 2: what
# needs one fails, everything else is ready when that build begins. When the command has ended, so has this, wherever it stands.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
crates=
if [ ! -e "$root/.ros/stamp" ] && [ ! -e "$root/build/chess_observer/cargo_env.sh" ] && command -v cargo > /dev/null; then
  mkdir -p "$root/.ros"
  CARGO_TARGET_DIR=$root/build/chess_observer/cargo setsid nice cargo build --manifest-path "$root/Cargo.toml" --locked --release \
    --lib --no-default-features --features ros,cli,display,online --keep-going ${CHESS_OBSERVER_CARGO_ARGS:-} \
    > "$root/.ros/crates.log" 2>&1 < /dev/null &
  crates=$!
  trap 'kill -TERM -- "-$crates" 2> /dev/null || true; wait "$crates" || true' EXIT
fi
"$@"
