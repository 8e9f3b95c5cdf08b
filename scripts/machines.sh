#!/usr/bin/env bash
# Runs the tests whose expectations could depend on the machine as other
# machines would: with each kernel that the reader can compute with here, and,
# for the portable one, on one processor, in another time zone and locale.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

packages="./perception/... ./gateway ./sdk ./cmd/windie"

# What reads a picture, or prints a time; the rest was run on this machine as it is.
tests='^Test(Dialogues|WS|V1|Prompt|Serve|Doctor|OCR|Look|Locate|Eval|Kept|Reads?|Kernels?|Screens?|Describe|Readme)'

# run KERNEL VARIABLE... runs the tests with one kernel.
run() {
	local kernel=$1
	shift
	echo "== kernel $kernel $*"
	# shellcheck disable=SC2086 # several packages
	env WINDIE_TEST_KERNEL="$kernel" "$@" go test -count=1 -timeout 20m -run "$tests" $packages
}

kernels=$(go run ./cmd/windie version --json | sed -n '/"kernels"/,/\]/s/^ *"\([a-z0-9-]*\)",\{0,1\}$/\1/p')
[ -n "$kernels" ] || fail "windie version names no kernels"
for kernel in $kernels; do
	case $kernel in
	portable) run "$kernel" GOMAXPROCS=1 TZ=Asia/Kathmandu LANG=tr_TR.UTF-8 LC_ALL=tr_TR.UTF-8 ;;
	*) run "$kernel" TZ=Pacific/Apia ;;
	esac
done
