#!/usr/bin/env bash
# Packs the clients for TypeScript and Python, and the plugin kits for Rust and AssemblyScript, as they are published: npm's
# tarballs, the wheel and the source distribution, and the crate, which have the version of the gateway's release. The kit for
# Go is published by the release's tag, and that for C is one file, which `windie tool new` writes.
#
#   scripts/packages.sh VERSION FOLDER [typescript|python|rust|assemblyscript]    VERSION as v1.2.0 or v1.2.0-rc.1; default: all
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

[ $# -ge 2 ] || fail "usage: scripts/packages.sh VERSION FOLDER [typescript|python]"
version=${1#v} only=${3:-}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-(alpha|beta|rc)\.[0-9]+)?$ ]] ||
	fail "packages: $1 is no version as v1.2.0 or v1.2.0-rc.1: registries take no other"
mkdir -p "$2"
to=$(cd "$2" && pwd)
root=$PWD compilers=.tools/typescript/node_modules/.bin python=.tools/python/bin/python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# copy FROM NAME... copies what a package is built of, so that building leaves nothing in the tree.
copy() {
	local from=$1 name
	shift
	mkdir -p "$work/$from"
	cp sdk/openapi.json "$work/sdk/"
	for name in "$@"; do cp -R "$from/$name" "$work/$from/"; done
	cp LICENSE "$work/$from/"
}

# wanted NAME says whether a package is to be packed.
wanted() { [ -z "$only" ] || [ "$only" = "$1" ]; }

# needs PACKAGE PROGRAM fails before anything is packed if a package is wanted and what packs it is missing.
needs() { ! wanted "$1" || command -v "$2" >/dev/null || fail "$2 is missing, which packs the package for $1: run make deps"; }
needs typescript $compilers/tsc
needs typescript $compilers/openapi-typescript
needs typescript npm
needs assemblyscript npm
needs rust cargo
needs python $python

if wanted typescript; then
	copy sdk/typescript package.json README.md tsconfig.json src
	cd "$work/sdk/typescript"
	sed -i.old "s/^export const VERSION.*/export const VERSION: string = '$version';/" src/version.ts
	# What is published is built: its package.json has no script that builds.
	sed -i.old "s/^  \"version\": .*/  \"version\": \"$version\",/; /^    \"prepare\": /d" package.json
	rm -f src/version.ts.old package.json.old
	PATH=$root/$compilers:$PATH npm run --silent build >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
	npm pack --silent --ignore-scripts --pack-destination "$to"
	cd "$root"
fi
if wanted assemblyscript; then
	copy sdk/plugin/assemblyscript package.json README.md index.ts json.ts
	cd "$work/sdk/plugin/assemblyscript"
	sed -i.old "s/^  \"version\": .*/  \"version\": \"$version\",/; /^  \"private\": /d" package.json
	rm -f package.json.old
	npm pack --silent --ignore-scripts --pack-destination "$to"
	cd "$root"
fi
if wanted rust; then
	copy sdk/plugin/rust Cargo.toml README.md src
	cd "$work/sdk/plugin/rust"
	sed -i.old "s/^version = .*/version = \"$version\"/; /^publish = /d" Cargo.toml
	rm -f Cargo.toml.old
	CARGO_TARGET_DIR="$work/target" cargo package --quiet --allow-dirty --no-verify --offline
	cp "$work/target/package/windie-plugin-$version.crate" "$to"
	echo "windie-plugin-$version.crate"
	cd "$root"
fi
if wanted python; then
	copy sdk/python pyproject.toml hatch_build.py README.md scripts src
	cd "$work/sdk/python"
	find . -name __pycache__ -prune -exec rm -rf {} +
	# Python's own spelling of v1.2.0-rc.1 is 1.2.0rc1.
	spelt=$(sed -E 's/-(alpha|beta|rc)\./\1/; s/alpha/a/; s/beta/b/' <<<"$version")
	echo "__version__ = \"$spelt\"" >src/windie/_version.py
	"$root/$python" -m build --no-isolation --outdir "$to" . >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
	(cd "$to" && ls -- *.whl *.tar.gz)
fi
