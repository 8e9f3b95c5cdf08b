#!/usr/bin/env node
// Renders pages of interface kits as screens to train with.
//
//   node scripts/screens/train/pages.mjs OUT
//
// None of them is of a kit whose screens are held. Screens that are there already are kept: after a stop the same
// command goes on.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { Browser, keep } from '../browser.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const [out] = process.argv.slice(2);
if (!out) throw new Error('usage: node scripts/screens/train/pages.mjs OUT');

// pagesOf lists the pages in a folder of a package, but those of its plugins.
const pagesOf = (folder) => readdirSync(join(here, 'node_modules', folder), { recursive: true })
  .filter((name) => name.endsWith('.html') && !/plugins|vendor|node_modules/.test(name)).sort().map((name) => join(here, 'node_modules', folder, name));

const kits = {
  adminator: pagesOf('adminator-admin-dashboard/dist'), bsb: pagesOf('adminbsb-materialdesign'), lte: pagesOf('admin-lte/pages'),
  sb2: pagesOf('startbootstrap-sb-admin-2'), black: pagesOf('black-dashboard/examples'),
  foundation: pagesOf('foundation-sites/test/visual').filter((_, i) => i % 3 === 0), spectre: pagesOf('spectre.css/docs'),
};
const mostPages = 64; // of a kit
// Sheets that a kit's pages ask for where its package does not have them.
const sheets = { foundation: ['foundation-sites/dist/css/foundation.css'] };
const mostTime = 15_000; // for a page, in milliseconds

let seed = 7;
const pick = (list) => list[Math.floor(((seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648) * list.length)];
const rest = () => new Promise((done) => setTimeout(done, 500));

// render keeps one page, in a size and scrolled to a place that are drawn by lot.
async function render(browser, page, name, kit) {
  const [width, height] = pick([[1366, 768], [1280, 800], [1440, 900], [1280, 720], [1600, 900], [1024, 768]]);
  const dpr = pick([1, 1, 1, 1, 1, 1.25, 1.5, 2]), down = pick([0, 0, 300, 700]);
  if (existsSync(join(out, `${name}.json`))) return;
  const size = await browser.open(pathToFileURL(page).href, { width, height, dpr });
  for (const sheet of sheets[kit] ?? []) {
    await browser.run((href) => document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href })), pathToFileURL(join(here, 'node_modules', sheet)).href);
    await browser.run(rest);
  }
  await browser.run((y) => scrollTo(0, y), down);
  await browser.run(rest);
  await keep(browser, out, name, size, { kind: 'web' });
}

let browser = new Browser();
for (const [kit, pages] of Object.entries(kits)) {
  for (const [n, page] of pages.slice(0, mostPages).entries()) {
    const late = new Promise((_, fail) => setTimeout(() => fail(new Error('takes too long')), mostTime));
    try {
      await Promise.race([render(browser, page, `${kit}-${n}`, kit), late]);
    } catch (err) {
      console.error(`${page}: ${err.message}`);
      await browser.close();
      browser = new Browser();
    }
  }
}
await browser.close();
process.exit();
