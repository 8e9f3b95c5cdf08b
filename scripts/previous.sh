#!/usr/bin/env bash
# Builds the version before this one, which tests of upgrades begin with, and prints where its program is: that of the
# last tag, or, as long as there is none, of a commit with older tables. PREVIOUS names another.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

# Of 24 November 2026, with tables of version 16.
first=6f5e834

revision=${PREVIOUS:-$(git describe --tags --abbrev=0 --match 'v*' HEAD^ 2>/dev/null || echo "$first")}
commit=$(git rev-parse --verify --quiet "$revision^{commit}") || fail "the history has no $revision: fetch it, as by git fetch --unshallow"
to=.tools/previous/$commit
if [ ! -x "$to/windie" ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	git archive "$commit" | tar -x -C "$work"
	mkdir -p "$to"
	(cd "$work" && CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$revision" -o windie ./cmd/windie) >&2
	mv "$work/windie" "$to/windie"
fi
echo "$PWD/$to/windie"
