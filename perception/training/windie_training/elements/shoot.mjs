#!/usr/bin/env node
// Renders pages and writes what is on them.
//
//   node shoot.mjs HINTING <jobs
//
// reads jobs, one a line in JSON, and answers each with a line:
//
//   {"page": "/tmp/a.html", "out": "/data/a", "width": 800, "height": 600, "scale": 1.5, "kit": "bulma"}
//   {"out": "/data/a", "count": 120}    or    {"out": "/data/a", "error": "..."}
//
// Width and height are in CSS pixels. OUT.png and OUT.json appear whole or not at all, the picture last.
import { renameSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

import { Browser, browserFlags } from '../../../../scripts/screens/browser.mjs';
import { pageElements } from './truth.mjs';

const LOAD = 15000; // milliseconds that a page may take to load
const WHOLE = 60000; // milliseconds after which a page is given up with its browser

// settle runs in a page and ends when all of it has been laid out: scripts, typefaces, pictures.
async function settle() {
  await window.ready;
  const within = (ms, done) => Promise.race([done, new Promise((end) => setTimeout(end, ms))]);
  for (const el of document.querySelectorAll('[data-focus]')) el.focus({ preventScroll: true });
  for (const el of document.querySelectorAll('[data-scroll]')) el.scrollTop = Number(el.dataset.scroll);
  for (const el of document.querySelectorAll('[data-mixed]')) el.indeterminate = true;
  const still = new CSSStyleSheet();
  still.replaceSync('*,*::before,*::after{pointer-events:auto!important}');
  const roots = (node) => {
    for (const el of node.querySelectorAll('*')) {
      if (!el.shadowRoot) continue;
      el.shadowRoot.adoptedStyleSheets = [...el.shadowRoot.adoptedStyleSheets, still];
      roots(el.shadowRoot);
    }
  };
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
  roots(document);
  await within(3000, Promise.all([...document.images].map((i) => i.decode().catch(() => {}))));
  await within(3000, document.fonts.ready);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  for (const a of document.getAnimations()) {
    if (a.effect?.getComputedTiming().endTime === Infinity) a.pause();
    else try { a.finish(); } catch { a.cancel(); }
  }
}

async function shoot(browser, { page, out, width, height, scale, kit, layout }) {
  await browser.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: false });
  const loaded = browser.wait('Page.loadEventFired');
  await browser.send('Page.navigate', { url: pathToFileURL(page).href });
  await Promise.race([loaded, new Promise((_, fail) => setTimeout(() => fail(new Error(`no load within ${LOAD} ms`)), LOAD).unref())]);
  await browser.run(settle);
  const elements = await browser.run(pageElements, scale);
  const { data } = await browser.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
  const picture = Buffer.from(data, 'base64');
  const size = [picture.readUInt32BE(16), picture.readUInt32BE(20)];
  writeFileSync(`${out}.json.part`, JSON.stringify({ kit, layout, scale, size, elements }));
  writeFileSync(`${out}.png.part`, picture);
  renameSync(`${out}.json.part`, `${out}.json`);
  renameSync(`${out}.png.part`, `${out}.png`);
  return elements.length;
}

async function main(hinting) {
  const flags = browserFlags.filter((f) => !/hide-scrollbars|hinting/.test(f));
  const browser = new Browser([...flags, '--allow-file-access-from-files', `--font-render-hinting=${hinting}`]);
  try {
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
    browser.session = (await browser.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
    await browser.send('Page.enable');
    await browser.send('Emulation.setFocusEmulationEnabled', { enabled: true });
    await browser.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-motion', value: 'reduce' }] });
    for await (const row of createInterface({ input: process.stdin })) {
      const job = JSON.parse(row);
      const stuck = setTimeout(() => process.exit(1), WHOLE);
      try {
        console.log(JSON.stringify({ out: job.out, count: await shoot(browser, job) }));
      } catch (err) {
        console.log(JSON.stringify({ out: job.out, error: err.message.slice(0, 400) }));
      }
      clearTimeout(stuck);
    }
  } finally {
    await browser.close();
  }
}

main(process.argv[2] ?? 'none').catch((err) => {
  console.error(`shoot: ${err.message}`);
  process.exitCode = 1;
});
