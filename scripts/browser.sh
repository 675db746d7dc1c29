#!/usr/bin/env bash
# Makes sure that the tests have other people's programs: a browser and its driver (Debian's chromium), an engine
# (stockfish) and a reader of games (pgn-extract). Quick when they are there.
set -euo pipefail
say() { echo "browser: $*"; }
command -v chromium > /dev/null && command -v chromedriver > /dev/null && [ -x /usr/games/stockfish ] && [ -x /usr/games/pgn-extract ] && { say "ready ($(chromium --version 2> /dev/null))"; exit 0; }
command -v apt-get > /dev/null || { say "install chromium, chromedriver, stockfish and pgn-extract: tests need them" >&2; exit 1; }
sudo=()
if [ "$(id -u)" != 0 ]; then
  sudo -n true 2> /dev/null && sudo=(sudo -n) || { say "please run: sudo apt-get install chromium chromium-driver pgn-extract stockfish" >&2; exit 1; }
fi
say "installing Debian packages: chromium chromium-driver pgn-extract stockfish"
apt() { "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" < /dev/null > /dev/null; }
apt update && apt install -y --no-install-recommends chromium chromium-driver pgn-extract stockfish
