#!/usr/bin/env bash
# Runs go test with the race detector: scripts/race.sh [FLAG...] PACKAGE...
# The detector watches all code but these packages, which would run several
# times slower for nothing:
# - SQLite, translated from C. Its memory is not Go's, where the detector does not
#   look. The driver around it is watched.
# - wazero's compiler, of which each compilation has one of its own, and its
#   interpreter, which is in the place of machine code that nobody watches either.
#   The engine, which shares what it compiled, is watched.
set -euo pipefail
cd "$(dirname "$0")/.."

wazero=github.com/tetratelabs/wazero/internal/engine
unwatched="modernc.org/sqlite/lib modernc.org/libc/...
	$wazero/wazevo/ssa $wazero/wazevo/frontend $wazero/wazevo/backend/... $wazero/interpreter"

flags=()
for packages in $unwatched; do
	flags+=("-gcflags=$packages=-race=false")
done
exec go test -race "${flags[@]}" "$@"
