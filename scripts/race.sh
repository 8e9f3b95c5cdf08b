#!/usr/bin/env bash
# Runs tests with the race detector:
#
#   scripts/race.sh [-skip=PATTERN] PACKAGE...
#
# The detector looks at our code and at what shares memory with it, but not into
# libraries that work on what one caller gave them (SQLite translated from C, the
# compiler of guests, keys from passwords, decoders of pictures), nor at tables that
# libraries fill before main. Such a library may not use generic types of sync:
# their code in it would be linked for all, and the detector would miss what they order.
set -euo pipefail
cd "$(dirname "$0")/.."

unseen=(
	modernc.org/...
	github.com/tetratelabs/wazero/internal/engine/wazevo/backend/...
	github.com/tetratelabs/wazero/internal/engine/wazevo/frontend
	github.com/tetratelabs/wazero/internal/engine/wazevo/ssa
	github.com/tetratelabs/wazero/internal/wasm/binary
	golang.org/x/crypto/scrypt
	github.com/mattn/go-runewidth
	github.com/alecthomas/chroma/v2/...
	compress/...
	image/...
	regexp/...
)
flags=(-race -timeout=15m -vet=off -count=1)
for packages in "${unseen[@]}"; do
	flags+=("-gcflags=$packages=-race=false")
done

# Commands that read pictures do one thing at a time; what runs beside what in reading has tests of its own.
skip='^Test(Eval|Look|Locate|OCR)Command'
case ${1:-} in -skip=*) skip="$skip|${1#-skip=}" && shift ;; esac
exec go run ./internal/test/run -again -flakes "${FLAKES:-/dev/null}" -- "${flags[@]}" -skip="$skip" "$@"
