#!/usr/bin/env bash
# Runs tests N times while two loops keep the machine busy: those that the gate
# found to be flakes here (.data/flakes), and those whose function is new since
# BASE (origin/main, else the commit before).
#
#   scripts/flakes.sh N
set -euo pipefail
cd "$(dirname "$0")/.."

count=${1:-20} base=${BASE:-$(git merge-base origin/main HEAD 2>/dev/null || git rev-parse HEAD~1)}
[ "$base" != "$(git rev-parse HEAD)" ] || base=$(git rev-parse HEAD~1)

# new prints "package Test" for each test function that was added since base.
new() {
	git diff --unified=0 "$base" -- '*_test.go' | awk '
		/^\+\+\+ b\// { folder = substr($2, 3); if (!sub("/[^/]*$", "", folder)) folder = "." }
		/^\+func Test[A-Za-z0-9_]*\(t / { name = $2; sub(/\(.*/, "", name); print "./" folder, name }'
}

list=$({ new && cat .data/flakes 2>/dev/null; } | sort -u)
[ -n "$list" ] || { echo "flakes: no test is new, and none is on the list" && exit 0; }
loops=()
trap 'kill "${loops[@]}" 2>/dev/null || true' EXIT
for _ in 1 2; do
	(while :; do :; done) &
	loops+=($!)
done
status=0
for package in $(cut -d ' ' -f 1 <<<"$list" | sort -u); do
	# A line without a test is for a package whose process ended.
	pattern=$(awk -v p="$package" '$1 == p { print (NF > 1 ? "^" $2 "$" : ".") }' <<<"$list" | paste -sd '|')
	echo "== $package $pattern"
	go test -tags=system -count="$count" -timeout=60m -run "$pattern" "$package" || status=1
done
exit $status
