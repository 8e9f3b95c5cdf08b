#!/usr/bin/env node
// Renders pages as screens to read, with the truth about them.
//
//   node scripts/render-screens.mjs OUT PAGE.html...
//
// writes into the folder OUT, for each page, its picture NAME.png and what is
// on it, NAME.json, and for all of them questions.json: what `windie eval`
// reads. A page says in its head what it is rendered as, and which texts stand
// on it twice or more, or not at all:
//
//   <meta name="screen" content="width=1280, height=800, dpr=1.5">
//   <meta name="ambiguous" content="Remove">
//   <meta name="missing" content="Launch rocket">
//
// An element with data-ask is what its own text should find, or the text that
// data-ask holds. What a description should find stands in locate.json beside
// the pages, if there is one: a list of
//
//   {"screen": NAME, "description": "the blue button", "expect": "found", "at": "button.go"}
//   {"screen": NAME, "description": "a link", "expect": "ambiguous", "at": "a \"Change\"", "held": true}
//   {"screen": NAME, "description": "the bell", "expect": "missing"}
//
// where "at" is a CSS selector, and in quotes the text of what it selects. It
// selects one thing to be found, and all that an ambiguous description fits.
// "held" marks questions that nobody tunes with; it is passed on as it is.
//
// In NAME.json lengths are CSS pixels, each of which is dpr pixels of the
// picture; a box in questions.json is in pixels of the picture. Only words
// that can be seen whole are listed. What counts neither way is marked: what
// stands in a form field, and in "ignore" the boxes of words seen in part.
//
// It needs Node and Chromium (scripts/deps.sh screens) and no packages.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { Browser, keep, lines } from './screens/browser.mjs';

// pageQuestions runs in a page and lists what is to be asked about it.
function pageQuestions(screen, dpr) {
  const list = [...document.querySelectorAll('[data-ask]')].map((el) => {
    const b = el.getBoundingClientRect();
    const box = [b.left, b.top, b.width, b.height].map((n) => Math.round(n * dpr * 10) / 10);
    return { screen, kind: 'resolve', text: el.dataset.ask || el.innerText.replace(/\s+/g, ' ').trim(), expect: 'found', box };
  });
  for (const meta of document.querySelectorAll('meta[name=ambiguous], meta[name=missing]')) {
    list.push({ screen, kind: 'resolve', text: meta.content, expect: meta.name });
  }
  return list;
}

// pagePlaces runs in a page and returns the boxes of what a selector finds, in
// pixels of the picture. What is not seen has none.
function pagePlaces(at, dpr) {
  const [, css, text] = at.match(/^(.*?)(?: "(.*)")?$/);
  const boxes = [];
  for (const el of document.querySelectorAll(css)) {
    const b = el.getBoundingClientRect(), front = document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2);
    const seen = front && (el.contains(front) || front.contains(el));
    if (!seen || (text !== undefined && el.innerText.replace(/\s+/g, ' ').trim() !== text)) continue;
    boxes.push([b.left, b.top, b.width, b.height].map((n) => Math.round(n * dpr * 10) / 10));
  }
  return boxes;
}

// locateQuestions returns what is to be asked about a page by description.
async function locateQuestions(browser, page, screen, dpr) {
  const file = join(dirname(page), 'locate.json');
  if (!existsSync(file)) return [];
  const list = [];
  for (const { at, held, ...asked } of JSON.parse(readFileSync(file, 'utf8'))) {
    if (asked.screen !== screen) continue;
    const boxes = at ? await browser.run(pagePlaces, at, dpr) : [];
    const fits = { found: boxes.length === 1, ambiguous: boxes.length > 1, missing: !at }[asked.expect];
    if (!fits) throw new Error(`${file}: ${JSON.stringify(asked)} with ${at}: ${boxes.length} places`);
    const place = { found: { box: boxes[0] }, ambiguous: { boxes }, missing: {} }[asked.expect];
    list.push({ screen, kind: 'locate', description: asked.description, expect: asked.expect, ...place, ...(held && { held }) });
  }
  return list;
}

// render writes the picture and the truth of a page, and returns what is to
// be asked about it.
async function render(browser, out, page) {
  const name = basename(page, '.html');
  const size = await browser.open(pathToFileURL(resolve(page)).href);
  await keep(browser, out, name, size);
  return [...(await browser.run(pageQuestions, name, size.dpr)), ...(await locateQuestions(browser, page, name, size.dpr))];
}

async function main(out, ...pages) {
  if (pages.length === 0) throw new Error('usage: node scripts/render-screens.mjs OUT PAGE.html...');
  const browser = new Browser();
  try {
    const questions = [];
    for (const page of pages) questions.push(...(await render(browser, out, page)));
    writeFileSync(join(out, 'questions.json'), lines(questions) + '\n');
  } finally {
    await browser.close();
  }
}

main(...process.argv.slice(2)).catch((err) => {
  console.error(`render-screens: ${err.message}`);
  process.exitCode = 1;
});
