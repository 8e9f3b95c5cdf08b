#!/usr/bin/env bash
# Builds the TypeScript client into gateway/console/pages/sdk, for the console: the modules that windie.ts takes, one for one, without types and
# comments, and their sums. Run it after a change of the client; a test compares both.
set -euo pipefail
cd "$(dirname "$0")/.."
tsc=.tools/typescript/node_modules/.bin/tsc
[ -x $tsc ] || { echo "scripts/console-sdk.sh: there is no TypeScript here: run make deps" >&2; exit 1; }
to=${1:-gateway/console/pages/sdk}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
# Types are not checked, so the generated ones may be missing.
$tsc -p sdk/typescript --noCheck --outDir "$build" --declaration false --removeComments
rm -rf "$to" && mkdir -p "$to"
node - "$build" "$to" <<'JS'
const [build, to] = process.argv.slice(2);
const fs = require('node:fs');
const { createHash } = require('node:crypto');
const sum = (file) => createHash('sha512').update(fs.readFileSync(file)).digest('base64');
const modules = {};
for (const waits = ['windie.js']; waits.length > 0; ) {
	const name = waits.pop();
	if (modules[name]) continue;
	fs.copyFileSync(`${build}/${name}`, `${to}/${name}`);
	const from = `sdk/typescript/src/${name.replace(/\.js$/, '.ts')}`;
	modules[name] = { from, source_sha512: sum(from), sha512: sum(`${to}/${name}`) };
	for (const [, other] of fs.readFileSync(`${to}/${name}`, 'utf8').matchAll(/from '\.\/([\w-]+\.js)'/g)) waits.push(other);
}
const sorted = Object.fromEntries(Object.entries(modules).sort(([a], [b]) => (a < b ? -1 : 1)));
fs.writeFileSync(`${to}/sums.json`, `${JSON.stringify(sorted, null, '\t')}\n`);
JS
