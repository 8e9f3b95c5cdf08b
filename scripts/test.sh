#!/usr/bin/env bash
# Runs all tests, with the race detector where anything runs beside anything:
#
#   scripts/test.sh [FLAGS]     # of go test
#
# The detector looks at our code and at what shares memory with it, but not into
# libraries that work on what one caller gave them (SQLite translated from C, the
# compiler of guests, keys from passwords, decoders of pictures): they were half of the time, and tables that
# libraries fill before main (widths of characters, colours of code) were a quarter of a program's start. Such a
# library may not use generic types of sync: their code in it would be linked for
# all, and the detector would miss what they order.
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
race=(-race -timeout 40m -vet=off) # the gate has vet look at all before
for packages in "${unseen[@]}"; do
	race+=("-gcflags=$packages=-race=false")
done
alone='windieos/windie$|/computer/git$|/examples/plugins$|/wasmtools/fuel$|/perception/(describe|evaluate|geo|match|ngram|overlay|trees)$' # packages where one thing runs at a time

# Tests that show the whole program, to a browser, by the guides' commands, or
# reading pictures: what runs beside what in it has tests of its own, with the
# detector, in the package that has it.
whole='Console|Guides|CatalogueOfExamples|ProgressOf|(Eval|Look|Locate|OCR)Command'

packages=$(go list ./...)
status=0
grep -Ev "$alone" <<<"$packages" | xargs go test "${race[@]}" -skip "^Test($whole)" "$@" || status=$?
grep -E "$alone" <<<"$packages" | xargs go test -timeout 20m -vet=off -skip "^Test($whole)" "$@" || status=$?

# Those, and what looks at amounts, of bytes, memory and time, in files that are
# built without the detector: FOLDER/FILE:func TestNAME.
plain=$({
	grep -rl --include='*_test.go' --exclude-dir={.tools,node_modules} '^//go:build !race' . | xargs grep -HoE '^func Test\w*\(t '
	grep -rHoE --include='*_test.go' --exclude-dir={.tools,node_modules} "^func Test($whole)\w*\(t " .
} | sed 's/(t $//' | sort -u)
for folder in $(sed 's|/[^/]*$||' <<<"$plain" | uniq); do
	names=$(sed -n "s|^$folder/[^/]*:func ||p" <<<"$plain" | paste -sd '|')
	go test -timeout 20m -vet=off "$@" -run "^($names)\$" "$folder" || status=$?
done
exit "$status"
