#!/usr/bin/env bash
# Runs the tests that need a browser, a desktop, another process, another
# language's tools, or the clock:
#
#   scripts/system.sh           # all parts, and a table of their results at the end
#   scripts/system.sh PART...   # these
#
# Each part runs alone and in any order, in at most 15 minutes. A part that
# fails does not stop the others.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
export PATH="$PWD/.tools/bin:$PATH" WINDIE_TEST_STRICT=1

limit=15m

# tests FLAGS... PACKAGES... runs tests of the tier. Other tests of a package
# belong to the other tiers: -run names those of a part.
tests() {
	go run ./internal/test/run -- -tags=system -count=1 -timeout="$limit" -vet=off "$@"
}
