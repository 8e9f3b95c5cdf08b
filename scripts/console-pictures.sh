#!/usr/bin/env bash
# Makes the pictures of docs/console.md: the tests of the console take them in a real browser.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
WINDIE_CONSOLE_PICTURES=$dir go test -tags system -run '^TestConsole$' -count=1 ./internal/test/system/console
for name in screens-light approvals-phone conversation tour; do
	if command -v pngquant >/dev/null; then
		pngquant --force --output "docs/console/$name.png" 128 "$dir/$name.png"
	else
		cp "$dir/$name.png" "docs/console/$name.png"
	fi
done
