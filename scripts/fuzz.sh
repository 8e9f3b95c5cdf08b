#!/usr/bin/env bash
# Runs every fuzz target for FUZZTIME (1m), one after another.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

found=$(targets Fuzz)
[ -n "$found" ] || fail "there are no fuzz targets"
while read -r package name; do
	echo "== $package $name"
	go test -run '^$' -fuzz "^$name\$" -fuzztime "${FUZZTIME:-1m}" "$package" </dev/null
done <<<"$found"
