#!/usr/bin/env node
// Renders pages of interface kits as screens, with the truth about them.
//
//   node scripts/screens/kits/render.mjs OUT [NAME...]
//
// pages.json lists them: the page, in node_modules, its size, how far it is
// scrolled, and the style sheets and scripts that it would fetch from a server.
// "held" marks the screens of kits that nothing is tuned by.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { Browser, keep } from '../browser.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const link = (path) => pathToFileURL(join(here, 'node_modules', path)).href;

// add runs in a page, and adds a style sheet or a script to it.
function add(url) {
  return new Promise((done) => {
    const script = url.endsWith('.js');
    const e = Object.assign(document.createElement(script ? 'script' : 'link'), script ? { src: url } : { href: url, rel: 'stylesheet' });
    e.onload = e.onerror = done;
    document.head.append(e);
  });
}

// rest waits until the page has shown itself, and stops what moves.
const rest = () => new Promise((done) => setTimeout(done, 1500));

async function main(out, ...names) {
  if (!out) throw new Error('usage: node scripts/screens/kits/render.mjs OUT [NAME...]');
  const pages = JSON.parse(readFileSync(join(here, 'pages.json'), 'utf8'));
  const browser = new Browser();
  try {
    for (const { name, page, width, height, dpr = 1, scroll = 0, adds = [], held } of pages) {
      if (names.length > 0 && !names.includes(name)) continue;
      const size = await browser.open(link(page), { width, height, dpr });
      for (const path of adds) await browser.run(add, link(path));
      await browser.run((y) => scrollTo(0, y), scroll);
      await browser.run(rest);
      await keep(browser, out, name, size, { kind: 'web', ...(held && { held }) });
    }
  } finally {
    await browser.close();
  }
}

main(...process.argv.slice(2)).catch((err) => {
  console.error(`kits: ${err.message}`);
  process.exitCode = 1;
});
