#!/usr/bin/env bash
# Shows what the binary weighs, and which packages: the twenty heaviest, by the
# code and data of theirs that the linker kept. Tables of the runtime, as that
# of line numbers, are shared by all and come to about as much again as the code.
# A release over the limit fails.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

limit=86000000 # bytes of a release

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# link FILE FLAGS... builds the gateway with the linker's flags.
link() {
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "${*:2}" -o "$1" ./cmd/windie
}

bytes() { wc -c <"$1"; }

link "$work/symbols" ''
link "$work/release" -s -w
go tool nm -size "$work/symbols" | awk '
	NF < 4 || $3 ~ /^[bB]$/ || $4 ~ /drbg\.memory$/ { next } # not here, or memory that takes no room in the file
	{
		bytes = $2
		sub(/^ *[0-9a-f]+ +[0-9]+ +. +/, "")
		sub(/^(type:\.(eq|hash)\.|go:itab\.)\*?/, "")
		sub(/[][,(].*/, "")
		folder = match($0, /.*\//) ? substr($0, 1, RLENGTH) : ""
		name = substr($0, length(folder) + 1)
		sub(/\..*/, "", name)
		gsub(/%2e/, ".", name)
		weight[folder name] += bytes
		symbols[folder name]++
		all += bytes
	}
	END {
		for (package in weight) printf "%9d  %4.1f %%  %7d symbols  %s\n", weight[package], 100 * weight[package] / all, symbols[package], package
	}' | sort -rn | sed -n 1,20p
echo "with symbols: $(bytes "$work/symbols") bytes; a release: $(bytes "$work/release"), at most $limit"
[ "$(bytes "$work/release")" -le "$limit" ] || fail "the release is too large: look for what became heavier above"
