#!/usr/bin/env bash
# Makes a catalogue of the example plugins and programs, for a web server to offer, or continues the one that is in
# the folder: scripts/catalogue.sh KEY FOLDER. KEY is a private key, which `windie plugin key new` makes.
# Each example is built as its README says, in a copy of what it needs, and the programs as make examples builds them.
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
# The programs are others': each has their licence, and the list of the modules that it is built from.
cd "$root"
cp -r examples/programs "$work/examples"
scripts/examples.sh "$work/examples/programs"

# sbom NAME VERSION PACKAGE prints what a program is built from, as CycloneDX.
sbom() {
	local module version parts=
	while read -r module version; do
		parts+="${parts:+,}{\"type\":\"library\",\"bom-ref\":\"pkg:golang/$module@$version\",\"name\":\"$module\",\"version\":\"$version\",\"purl\":\"pkg:golang/$module@$version\"}"
	done < <(GOWORK=off GOOS=wasip1 GOARCH=wasm go list -C examples/programs/packages -deps -f '{{with .Module}}{{.Path}} {{.Version}}{{end}}' "$3" | sort -u)
	printf '{"bomFormat":"CycloneDX","specVersion":"1.6","version":1,"metadata":{"component":{"type":"application","bom-ref":"%s","name":"%s","version":"%s"}},"components":[%s]}\n' "$1" "$1" "$2" "$parts"
}

# program NAME MODULE PACKAGE LICENCE packs one.
program() {
	local file="$work/examples/programs/$1/$1" source version
	source=$(GOWORK=off go list -C examples/programs/packages -m -f '{{.Dir}}' "$2")
	version=$(sed -n 's/.*"version": *"\([^"]*\)".*/\1/p' "$file.json")
	sbom "$1" "$version" "$2$3" >"$work/$1.sbom"
	"$windie" plugin pack "$file.wasm" --sign "$key" --licence "$(ls "$source"/LICENSE*)" --licences "$4" --sbom "$work/$1.sbom" \
		--readme examples/programs/README.md --source "https://$2" --out "$site/$1-$version.tar"
}

program jq github.com/itchyny/gojq /cmd/gojq MIT
program search github.com/google/codesearch /cmd/cgrep BSD-3-Clause
program awk github.com/benhoyt/goawk "" MIT
"$windie" plugin index "$site" --sign "$key"
