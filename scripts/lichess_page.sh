#!/usr/bin/env bash
# Checks our boards with Lichess's own page for electronic boards, in a browser, before a stand-in of its server:
#
#   scripts/lichess_page.sh PAGE.js
#
# The page is not part of this package. PAGE.js is its script, unchanged, as one file that a browser can load and that
# offers startPage(token). What was seen: docs/programs.md
set -euo pipefail
[ $# = 1 ] && [ -f "$1" ] || { echo "usage: lichess_page.sh PAGE.js" >&2; exit 2; }
page=$(readlink -f "$1")
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
CHESS_OBSERVER_PAGE=$page exec scripts/python.sh -m pytest -p no:cacheprovider -s tests/ros/check_lichess_page.py
