#!/usr/bin/env bash
# Sets everything up from nothing and shows the main job: a simulated camera plays a game onto image_raw, the observer
# follows it over ROS 2 topics, and the display shows it in a browser (its address is printed) and here in the terminal.
# At the end the PGN is compared with the game played; the display stays until Ctrl-C where somebody is at the terminal.
#
#   scripts/demo.sh [GAMES.pgn [SPEED [NUMBER]]]   (default: Réti against Tartakower, Vienna 1910: castling and mate in a minute,
#                                                   at two and a half times the usual pace; of another file the first game)
#   DISPLAY_PORT=8080                              port of the display
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cd "$root"
games=$(readlink -f "${1:-games/classics.pgn}")
speed=${2:-2.5}
number=${3:-$([ $# = 0 ] && echo 4 || echo 1)}
say() { printf '\n== %s\n' "$*"; }

command -v cargo > /dev/null || { echo "demo: cargo was not found: install Rust 1.95 or newer (https://rustup.rs)" >&2; exit 1; }
say "1/3 a ROS 2 environment"
mkdir -p .ros
rm -f .ros/crates.log
# What there is to compile, a line for each; it downloads the crates meanwhile.
cargo tree --locked --features ros --edges normal,build --prefix none --format '{p}' > .ros/crates 2> /dev/null &
counted=$!
scripts/meanwhile_crates.sh scripts/ros_env.sh
wait "$counted" || true
all=$(sed 's/ (.*//' .ros/crates | sort -u | wc -l)
say "2/3 building the package (a few minutes the first time)"
log=$root/.ros/build.log
scripts/build_ros.sh > "$log" 2>&1 &
build=$!
# Two things are built, one after the other: the messages, of which make tells how far it is, and the crates.
while kill -0 "$build" 2> /dev/null; do
  sleep 2
  messages=$(grep -o '^\[ *[0-9]*%\]' "$log" | tail -n1 | tr -dc 0-9 || true)
  crates=$(cat .ros/crates.log "$log" 2> /dev/null | grep -c '^ *Compiling' || true)
  if ! grep -q '^ *Compiling' "$log"; then printf '\r   messages: %s %%, %s s ' "${messages:-0}" "$SECONDS"
  elif [ "$crates" -lt "$all" ]; then printf '\r   crates: %s compiled of at most %s, %s s   ' "$crates" "$all" "$SECONDS"
  # The last one is ours, and takes a third of the time.
  else printf '\r   crates: all but our own; that one takes about two minutes, %s s   ' "$SECONDS"; fi
done
wait "$build" || { echo; tail -n 30 "$log"; echo "demo: the build failed, see $log" >&2; exit 1; }
printf '\r   built, %s s after the start                                                \n' "$SECONDS"

say "3/3 a game: simulator_node -> image_raw -> observer_node -> moves, pgn"
# Without it a large picture can hold up a small message by seconds.
export FASTRTPS_DEFAULT_PROFILES_FILE=$root/params/fastdds_large_images.xml
export ROS_DOMAIN_ID=${ROS_DOMAIN_ID:-$((RANDOM % 100 + 1))} ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
programs=()
trap 'kill -INT "${programs[@]}" 2> /dev/null || true; wait 2> /dev/null || true' EXIT
scripts/with_ros.sh install/chess_observer/lib/chess_observer/observer_node \
  --ros-args -p pgn_directory:="$root/.ros/games" -p archive_directory:="$root/.ros/games" > .ros/observer.log 2>&1 &
programs+=($!)
scripts/with_ros.sh install/chess_observer/lib/chess_observer/simulator_node \
  --ros-args -p pgn:="$games" -p game:="$number" -p speed:="$speed" > .ros/simulator.log 2>&1 &
programs+=($!)
scripts/with_ros.sh install/chess_observer/lib/chess_observer/display_node \
  --ros-args -p port:="${DISPLAY_PORT:-8080}" -p archive_directory:="$root/.ros/games" > .ros/display.log 2>&1 &
display=$!
programs+=("$display")
until grep -q 'with control: ' .ros/display.log || ! kill -0 "$display" 2> /dev/null; do sleep 0.1; done
if grep -q 'with control: ' .ros/display.log; then
  printf '   open in a browser:  %s\n' "$(grep -o 'http://.*#token=.*' .ros/display.log)"
  printf '   only to look:       %s\n\n' "$(sed -n 's/.*the boards are on //p' .ros/display.log)"
else
  printf '   no display in the browser: %s\n\n' "$(tail -n1 .ros/display.log)"
fi
status=0
scripts/python.sh scripts/demo_display.py "$games" "$number" ".ros/observer.log=${programs[0]}" ".ros/simulator.log=${programs[1]}" || status=$?
if [ -t 0 ] && kill -0 "$display" 2> /dev/null; then
  say "the display stays open: Ctrl-C ends it"
  wait "$display" || true
fi
exit "$status"
