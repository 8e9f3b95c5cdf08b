#!/usr/bin/env bash
# The gate: what every change must pass. All steps run, so that one look shows
# all that is wrong. No test may be skipped. A test that fails and then passes
# twice alone is a flake: it is listed last, and does not fail the gate.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
export PATH="$PWD/.tools/bin:$PATH" WINDIE_TEST_STRICT=1 CGO_ENABLED=0
budget=20 # minutes, on two cores

failed="" logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
mkdir -p .data
export FLAKES=$PWD/.data/flakes

# step NAME COMMAND... runs a command and shows its output if it fails, or if it
# sets $show. A command may leave a few words to show beside its name in $note.
step() {
	local name=$1 began=$SECONDS note="" show="" log=$logs/$1
	shift
	printf '%-10s ' "$name"
	if "$@" >"$log" 2>&1; then
		echo "ok ${note:+($note) }$((SECONDS - began)) s"
		[ -z "$show" ] || sed 's/^/    /' "$log"
	else
		echo "FAILED $((SECONDS - began)) s"
		sed 's/^/    /' "$log"
		failed="$failed $name"
	fi
}

deps() { scripts/deps.sh gate || note="something is missing; see 'make deps'"; }

format() {
	local files
	files=$(gofmt -l .) && [ -z "$files" ] && return
	printf 'not formatted; run gofmt -w on\n%s\n' "$files"
	return 1
}

# files looks for what is too large for a source: a program that was built and then committed, say.
files() {
	local large
	if ! git rev-parse HEAD >/dev/null 2>&1; then
		note="skipped: no git repository"
		return
	fi
	large=$(git ls-tree -rl HEAD | awk '$4 > 4e6 { print $4, $5 }') && [ -z "$large" ] && return
	printf 'committed, and larger than 4 MB:\n%s\n' "$large"
	return 1
}

vet() { go vet ./... && go vet -tags system ./...; }

# holes looks for known vulnerabilities in what the code calls. Where their
# database cannot be asked there is nothing to say about the code.
holes() {
	local out status=0
	out=$(govulncheck ./... 2>&1) || status=$?
	echo "$out"
	if [ "$status" -ne 0 ] && grep -q '^govulncheck: fetching vulnerabilities: ' <<<"$out"; then
		note="skipped: the vulnerability database cannot be reached"
		return
	fi
	return "$status"
}

# state prints what git sees of the working tree, contents included.
state() {
	git status --porcelain && git diff HEAD && git ls-files -o --exclude-standard -z | xargs -0 cat
}

# generated runs the generators and fails if one changes a file. Those of the clients are tests.
generated() {
	local before
	if ! git rev-parse HEAD >/dev/null 2>&1; then
		note="skipped: no git repository"
		return
	fi
	before=$(state | git hash-object --stdin) && go generate ./... || return
	if [ "$before" != "$(state | git hash-object --stdin)" ]; then
		echo "go generate changed files; commit them:"
		git status --short
		return 1
	fi
	go test -tags system -count=1 -run 'Current$|^TestClientIsBuiltThus$' ./internal/test/system/clients ./gateway/console/pages
}

# tests shows how long each package takes.
tests() {
	show=yes
	go run ./internal/test/run -budget 6m -again -flakes "$FLAKES" -- -count=1 -timeout=15m -vet=off ./...
}

# Packages in which things run beside each other, and those changed since main,
# without what is about sizes or does one thing at a time.
beside="agent/session artifacts/owned gateway gateway/desktop gateway/mcp gateway/peer gateway/sockets gateway/sse gateway/toolhost internal/background
	internal/batch internal/egress internal/fair state/once state/journal/sqljournal agent/tools/mcptools models perception state/runs sdk wasmtools client/worker"
alone='Large|/Large|/(Pages|DataSizes)$|^Test(BadSchemas|StateOfPages|Cut$)'
races() {
	local changed base
	base=$(git merge-base origin/main HEAD 2>/dev/null || git rev-parse HEAD)
	changed=$(git diff --name-only "$base" -- '*.go' | xargs -r -n1 dirname | sort -u)
	show=yes
	# shellcheck disable=SC2046,SC2086 # one word per package
	CGO_ENABLED=1 scripts/race.sh -skip="$alone" $(for folder in $beside $changed; do
		! compgen -G "$folder/*_test.go" >/dev/null || [[ $folder == internal/test/system/* ]] || echo "./$folder"
	done | sort -u)
}

# story runs one test of the whole in a real browser, and one on a real desktop.
story() {
	go run ./internal/test/run -again -flakes "$FLAKES" -- -tags=system -count=1 -timeout=5m -vet=off -run='^Test(Console|Desktop)$' ./internal/test/system/console ./internal/test/system/desktop
}

step deps deps
step format format
step files files
step vet vet
step lint golangci-lint run --build-tags system
step generated generated
step tidy go mod tidy -diff
step tests tests
step races races
step stories story
step holes holes

echo "took $((SECONDS / 60)) min $((SECONDS % 60)) s of $budget min"
[ "$SECONDS" -le $((budget * 60)) ] || echo "OVER THE BUDGET"
sed -n '/^FLAKE: /,/^[0-9]* passed, /p' "$logs"/* | grep -v ' passed, '
[ -z "$failed" ] || {
	echo "check failed:$failed" >&2
	exit 1
}
