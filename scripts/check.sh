#!/usr/bin/env bash
# The gate: what every change must pass. All steps run, so that one look shows
# all that is wrong. With CI=true a test may not be skipped.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
export PATH="$PWD/.tools/bin:$PATH"
[ "${CI:-}" != true ] || export WINDIE_TEST_STRICT=1

failed=""

# step NAME COMMAND... runs a command and shows its output if it fails. A
# command may leave one line to show beside its name in $note, and have its
# output shown in any case with $show.
step() {
	local name=$1 began=$SECONDS note="" show="" log
	shift
	log=$(mktemp)
	printf '%-10s ' "$name"
	if "$@" >"$log" 2>&1; then
		echo "ok ${note:+($note) }$((SECONDS - began)) s"
		[ -z "$show" ] || sed 's/^/    /' "$log"
	else
		echo "FAILED $((SECONDS - began)) s"
		sed 's/^/    /' "$log"
		failed="$failed $name"
	fi
	rm -f "$log"
}

deps() { scripts/deps.sh all || note="something is missing; see 'make deps'"; }

format() {
	local files
	files=$(gofmt -l .) && [ -z "$files" ] && return
	printf 'not formatted; run gofmt -w on\n%s\n' "$files"
	return 1
}

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

# generated runs the generators and fails if one changes a file.
generated() {
	local before
	if ! git rev-parse HEAD >/dev/null 2>&1; then
		note="skipped: no git repository"
		return
	fi
	before=$(state | git hash-object --stdin) && go generate ./... || return
	[ "$before" = "$(state | git hash-object --stdin)" ] && return
	echo "go generate changed files; commit them:"
	git status --short
	return 1
}

# tests shows how long each package takes.
tests() {
	show=yes
	scripts/test.sh
}

step deps deps
step format format
step vet go vet ./...
step lint golangci-lint run
step generated generated
step tidy go mod tidy -diff
step test tests
step machines scripts/machines.sh
step holes holes

[ -z "$failed" ] || {
	echo "check failed:$failed" >&2
	exit 1
}
