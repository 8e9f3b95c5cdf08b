#!/usr/bin/env bash
# Runs every fuzz target for FUZZTIME (1m), one after another. Little of that is
# spent on making inputs smaller that are no failure, which is the default's way.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

found=$(targets Fuzz)
[ -n "$found" ] || fail "there are no fuzz targets"
while read -r package name; do
	echo "== $package $name"
	go test -tags system -run '^$' -fuzz "^$name\$" -fuzztime "${FUZZTIME:-1m}" -fuzzminimizetime 100x "$package" </dev/null
done <<<"$found"
