#!/usr/bin/env bash
# Runs all tests, with the race detector where anything runs beside anything:
#
#   scripts/test.sh [FLAGS]     # of go test
#
# The detector looks at our code and at what shares memory with it, but not into
# libraries that work on what one caller gave them (SQLite translated from C, the
# compiler of guests, keys from passwords, decoders of pictures): they were half of the time. Such a
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
	compress/...
	image/...
	regexp/...
)
race=(-race -timeout 40m -vet=off) # the gate has vet look at all before
for packages in "${unseen[@]}"; do
	race+=("-gcflags=$packages=-race=false")
done
alone='windieos/windie$|/examples/plugins$|/wasmtools/fuel$' # packages where one thing runs at a time
packages=$(go list ./...)
status=0
grep -Ev "$alone" <<<"$packages" | xargs go test "${race[@]}" "$@" || status=$?
grep -E "$alone" <<<"$packages" | xargs go test -timeout 20m -vet=off "$@" || status=$?

# What looks at amounts, of bytes, memory and time, is in files that are built
# without the detector.
amounts=$(grep -rl --include='*_test.go' --exclude-dir={.tools,node_modules} '^//go:build !race' . | sort)
for folder in $(xargs -n1 dirname <<<"$amounts" | uniq); do
	names=$(grep "^$folder/[^/]*$" <<<"$amounts" | xargs sed -n 's/^func \(Test[A-Za-z0-9_]*\)(t .*/\1/p' | paste -sd '|')
	[ -z "$names" ] || go test -timeout 20m -vet=off "$@" -run "^($names)\$" "$folder" || status=$?
done
exit "$status"
