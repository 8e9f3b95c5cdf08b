#!/usr/bin/env bash
# Packs the clients for TypeScript and Python as they are published: npm's tarball, the wheel and the source
# distribution, which have the version of the gateway's release.
#
#   scripts/packages.sh VERSION FOLDER [typescript|python]    VERSION as v1.2.0 or v1.2.0-rc.1; default: both
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

[ $# -ge 2 ] || fail "usage: scripts/packages.sh VERSION FOLDER [typescript|python]"
version=${1#v} only=${3:-}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-(alpha|beta|rc)\.[0-9]+)?$ ]] ||
	fail "packages: $1 is no version as v1.2.0 or v1.2.0-rc.1: registries take no other"
mkdir -p "$2"
to=$(cd "$2" && pwd)
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# copy FROM NAME... copies what a package is built of, so that building leaves nothing in the tree.
copy() {
	local from=$1 name
	shift
	mkdir -p "$work/$from"
	for name in "$@"; do cp -R "$from/$name" "$work/$from/"; done
	cp LICENSE "$work/$from/"
}

if [ "$only" != python ]; then
	copy sdk/typescript package.json README.md tsconfig.json src
	cd "$work/sdk/typescript"
	sed -i.old "s/^export const VERSION.*/export const VERSION: string = '$version';/" src/version.ts
	sed -i.old "s/^  \"version\": .*/  \"version\": \"$version\",/" package.json
	rm -f src/version.ts.old package.json.old
	"$root/.tools/typescript/node_modules/.bin/tsc" -p .
	npm pack --silent --ignore-scripts --pack-destination "$to"
	cd "$root"
fi
if [ "$only" != typescript ]; then
	copy sdk/python pyproject.toml README.md src
	cd "$work/sdk/python"
	find . -name __pycache__ -prune -exec rm -rf {} +
	# Python's own spelling of v1.2.0-rc.1 is 1.2.0rc1.
	spelt=$(sed -E 's/-(alpha|beta|rc)\./\1/; s/alpha/a/; s/beta/b/' <<<"$version")
	echo "__version__ = \"$spelt\"" >src/windie/_version.py
	"$root/.tools/python/bin/python" -m build --no-isolation --outdir "$to" . >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
	(cd "$to" && ls -- *.whl *.tar.gz)
fi
