#!/usr/bin/env bash
# Runs the benchmarks of every package that has some.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

packages=$(targets Benchmark | cut -d ' ' -f 1 | uniq)
[ -n "$packages" ] || fail "there are no benchmarks"
# shellcheck disable=SC2086 # one word per package
go test -tags system -run '^$' -bench . -benchmem $packages
