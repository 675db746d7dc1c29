#!/usr/bin/env bash
# Sets everything up from nothing and shows the main job: a simulated camera plays a game onto image_raw, the observer
# follows it over ROS 2 topics, and a display prints the moves. At the end the PGN is compared with the game played.
#
#   scripts/demo.sh [GAME.pgn [SPEED]]     (default: Morphy's opera game at twice the usual pace, a minute and a half)
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cd "$root"
game=$(readlink -f "${1:-games/classics.pgn}")
speed=${2:-2.0}
say() { printf '\n== %s\n' "$*"; }

command -v cargo > /dev/null || { echo "demo: cargo was not found: install Rust 1.95 or newer (https://rustup.rs)" >&2; exit 1; }
say "1/3 a ROS 2 environment"
scripts/ros_env.sh
say "2/3 building the package (a few minutes the first time)"
log=$root/.ros/build.log
scripts/build_ros.sh > "$log" 2>&1 &
build=$!
while kill -0 "$build" 2> /dev/null; do
  sleep 5
  crates=$(grep -c '^ *Compiling' "$log" || true)
  printf '\r   %s crates compiled, %s s ' "$crates" "$SECONDS"
done
wait "$build" || { echo; tail -n 30 "$log"; echo "demo: the build failed, see $log" >&2; exit 1; }
printf '\r   built                              \n'

say "3/3 a game: simulator_node -> image_raw -> observer_node -> moves, pgn"
export ROS_DOMAIN_ID=${ROS_DOMAIN_ID:-$((RANDOM % 100 + 1))} ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
programs=()
trap 'kill -INT "${programs[@]}" 2> /dev/null || true; wait 2> /dev/null || true' EXIT
scripts/with_ros.sh install/chess_observer/lib/chess_observer/observer_node \
  --ros-args -p pgn_directory:="$root/.ros/games" > .ros/observer.log 2>&1 &
programs+=($!)
FASTRTPS_DEFAULT_PROFILES_FILE=$root/params/fastdds_large_images.xml \
  scripts/with_ros.sh install/chess_observer/lib/chess_observer/simulator_node \
  --ros-args -p pgn:="$game" -p speed:="$speed" > .ros/simulator.log 2>&1 &
programs+=($!)
scripts/python.sh scripts/demo_display.py "$game"
