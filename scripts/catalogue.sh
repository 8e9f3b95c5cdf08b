#!/usr/bin/env bash
# Makes a catalogue of the example plugins, for a web server to offer, or continues the one that is in
# the folder: scripts/catalogue.sh KEY FOLDER. KEY is a private key, which `windie plugin key new` makes.
# Each example is built as its README says, in a copy of what it needs.
set -euo pipefail
[ $# -eq 2 ] || {
	echo "usage: scripts/catalogue.sh KEY FOLDER" >&2
	exit 2
}
key=$(realpath "$1")
mkdir -p "$2"
site=$(realpath "$2")
cd "$(dirname "$0")/.."
. scripts/lib.sh
root=$PWD
windie=$(command -v windie) || fail "windie is not on the path: put bin/windie there"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/examples" "$work/sdk"
cp go.mod go.sum LICENSE "$work"
cp -r sdk/plugin "$work/sdk"
cp -r examples/plugins "$work/examples"
rm -rf "$work/examples/plugins/table/node_modules"
ln -s "$root/.tools/assemblyscript/node_modules" "$work/examples/plugins/table/node_modules"

# module NAME prints the file of an example, once it is built.
module() {
	local build
	build=$(sed -n '/^```sh$/,/^```$/{/^```/d;p}' README.md)
	if [ -e "$1.js" ]; then
		echo "$1.js"
		return
	fi
	bash -euc "$build" >&2
	echo "$1.wasm"
}

for name in checksum colours dates table units weather; do
	cd "$work/examples/plugins/$name"
	file=$(module "$name")
	version=$(sed -n 's/.*"version": *"\([^"]*\)".*/\1/p' "$name.json")
	"$windie" plugin pack "$file" --sign "$key" --licence "$work/LICENSE" --licences Apache-2.0 \
		--source "https://github.com/windieos/windie/tree/main/examples/plugins/$name" --out "$site/$name-$version.tar"
done
"$windie" plugin index "$site" --sign "$key"
