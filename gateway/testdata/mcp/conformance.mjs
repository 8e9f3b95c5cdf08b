// Runs the conformance suite of the protocol's makers against a gateway. The
// suite wants resources by names of its own, and resources of a gateway are
// artifacts, so other names stand in its source.
// Node 20 has no fs.globSync, which the suite needs for files of its own only.
//
//   TEXT=ID BINARY=ID node conformance.mjs server --url URL ...
import { register } from 'node:module';
import fs from 'node:fs';

const { TEXT, BINARY } = process.env;
const names = [
  [/`test:\/\/static-text`/g, '`windie://artifacts/' + TEXT + '`'],
  [/`test:\/\/template\/123\/data`/g, '`windie://artifacts/' + TEXT + '`'],
  [/`test:\/\/static-binary`/g, '`windie://artifacts/' + BINARY + '`'],
  ...(fs.globSync ? [] : [[/globSync as (\w+),/, ''], [/$/, ';const o=()=>[];']]),
];
register('data:text/javascript,' + encodeURIComponent(`
  const names = [${names.map(([from, to]) => `[${from}, ${JSON.stringify(to)}]`).join()}];
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (url.endsWith('/conformance/dist/index.js')) {
      loaded.source = names.reduce((text, [from, to]) => text.replace(from, to), loaded.source.toString());
    }
    return loaded;
  }`));
await import('@modelcontextprotocol/conformance/dist/index.js');
