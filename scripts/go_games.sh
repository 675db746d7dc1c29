#!/usr/bin/env bash
# Fetches real games of Go for the experiments: those that GNU Go's regression tests hold, played by people and programs
# on servers and in tournaments.
#
#   scripts/go_games.sh FOLDER
#
# The games come with the sources of GNU Go 3.8 as Debian keeps them, by apt (as anybody, nothing is installed), and are
# checked. Nothing of them is part of this package.
set -euo pipefail
[ $# = 1 ] || { echo "usage: go_games.sh FOLDER" >&2; exit 2; }
version=3.8
checksum=da68d7a65f44dcf6ce6e4e630b6f6dd9897249d34425920bfdd4e07ff1866a72
# Whole games on large boards between people, or people and programs; the others are problems and fragments.
collections=(nngs kgs century21 century21-2002 egc2001 cgf2005/19x19 olympiad2002 olympiad2004/19x19 gifu2005 gifu2006)
mkdir -p "$1"
out=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists/partial,cache/archives/partial,sources}
# Where this machine gets its programs, it gets their sources.
for list in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list.d/ubuntu.sources; do
  [ -f "$list" ] && sed 's/^Types:.*/Types: deb-src/' "$list" > "$work/sources/$(basename "$list")"
done
if [ -s /etc/apt/sources.list ]; then
  sed -n 's/^deb /deb-src /p' /etc/apt/sources.list > "$work/sources/main.list"
fi
apt=(apt-get -qq -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o Dir::Etc::sourcelist=/dev/null
  -o "Dir::Etc::sourceparts=$work/sources" -o APT::Sandbox::User=root)
"${apt[@]}" update
(cd "$work" && "${apt[@]}" source --download-only --tar-only gnugo)
archive=$work/gnugo_$version.orig.tar.gz
[ -f "$archive" ] || { echo "go_games.sh: expected version $version of gnugo, got: $(cd "$work" && ls gnugo_* 2>&1)" >&2; exit 1; }
echo "$checksum  $archive" | sha256sum --check --quiet
for collection in "${collections[@]}"; do
  tar -xzf "$archive" -C "$work" "gnugo-$version/regression/games/$collection"
  for game in "$work/gnugo-$version/regression/games/$collection"/*.sgf; do
    cp "$game" "$out/${collection//\//-}-$(basename "$game")"
  done
done
echo "$(ls "$out" | wc -l) games: $out"
