#!/usr/bin/env bash
# examples.sh [DIR] builds the programs of examples/programs as modules for WASI, each into the folder of its manifest in
# DIR (default: where they lie in the repository).
set -euo pipefail
cd "$(dirname "$0")/.."

out=$(realpath "${1:-examples/programs}")

# program NAME PACKAGE builds one.
program() {
	mkdir -p "$out/$1"
	GOWORK=off GOFLAGS=-mod=readonly GOOS=wasip1 GOARCH=wasm go build -C examples/programs/packages -trimpath -buildvcs=false -ldflags='-s -w' \
		-o "$out/$1/$1.wasm" "$2"
}

program jq github.com/itchyny/gojq/cmd/gojq
program search github.com/google/codesearch/cmd/cgrep
program awk github.com/benhoyt/goawk
