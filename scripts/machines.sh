#!/usr/bin/env bash
# Runs the tests whose expectations could depend on the machine as other
# machines would: all of them with the portable kernel of the reader, on one
# processor, in another time zone and locale; and with each other kernel, in
# another time zone, those that read a picture through the gateway. The first kernel is the one that tests use that name none, and is left
# to them. That all kernels compute the same is for perception/lstm to show, and
# for those of arm64 in an emulator.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

# What reads a picture, or prints a time; the rest was run on this machine as it is.
# Noise is among them as it is smaller with the race detector.
tests='^Test(Dialogues|WS|V1|Prompt|Serve|Doctor|OCR|Look|Locate|Eval|Kept|Reads?|Kernels?|Screens?|Describe|Readme|Noise)'

# What compares with another program, on the same machine.
apart='^TestReadsNoWorseThanTesseract$'

# Of these, what reads with the kernel that WINDIE_TEST_KERNEL names, or prints a
# time: turns, sessions and sockets that end or are cut do neither.
reading='^Test(Dialogues|Serve$|ServeWithoutNetwork|Doctor|OCR|Look|Locate|Eval|Kept|Screens?|Describe|Readme|ReadOf|PromptWithPictures|V1Taps|WSNarrowing|WSOccurrence|WSDescription)'

# run KERNEL TESTS PACKAGES VARIABLE... runs tests with one kernel. A test that has one processor leaves the others to
# those of other packages.
run() {
	local kernel=$1 tests=$2 packages=$3
	shift 3
	echo "== kernel $kernel $*"
	# shellcheck disable=SC2086 # several packages
	env WINDIE_TEST_KERNEL="$kernel" "$@" go test -count=1 -p "$(nproc)" -timeout 20m -run "$tests" -skip "$apart" $packages
}

# The kernels for ARM compute what the portable one does, in an emulator that has all that such processors have.
if command -v qemu-aarch64-static >/dev/null; then
	echo "== kernels of arm64"
	GOARCH=arm64 CGO_ENABLED=0 go test -count=1 -timeout 10m -exec 'qemu-aarch64-static -cpu max' -run '^TestKernels' ./perception/lstm ./perception/layers ./perception/convnet
else
	echo "== no qemu-aarch64-static: kernels for ARM are not tested; install the package qemu-user-static"
fi

kernels=$(go run ./cmd/windie version --json | sed -n '/"kernels"/,/\]/s/^ *"\([a-z0-9-]*\)",\{0,1\}$/\1/p')
[ -n "$kernels" ] || fail "windie version names no kernels"
first=${kernels%%$'\n'*}
for kernel in $kernels; do
	[ "$kernel" != "$first" ] || [ "$kernel" = portable ] || continue
	case $kernel in
	portable)
		run "$kernel" "$tests" "./perception/... ./gateway/... ./sdk ./cmd/..." \
			GOMAXPROCS=1 TZ=Asia/Kathmandu LANG=tr_TR.UTF-8 LC_ALL=tr_TR.UTF-8
		;;
	*) run "$kernel" "$reading" "./gateway/... ./sdk" TZ=Pacific/Apia ;;
	esac
done
