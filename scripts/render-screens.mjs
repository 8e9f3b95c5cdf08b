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
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const browserFlags = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run', '--disable-sync',
  '--disable-background-networking', '--disable-component-update', '--font-render-hinting=none', '--remote-debugging-pipe'];

// Browser is a Chromium that is told what to do through a pipe.
class Browser {
  constructor(profile) {
    const program = process.env.CHROMIUM || 'chromium';
    this.child = spawn(program, [...browserFlags, `--user-data-dir=${profile}`], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    this.waiting = new Map(); // by command id, or by the event that is waited for
    this.sent = 0;
    this.ended = new Promise((_, fail) => {
      this.child.on('error', (err) => fail(new Error(`${program} does not start (${err.message}); install it with scripts/deps.sh screens`)));
      this.child.on('exit', (code) => fail(new Error(`${program} ended with ${code}`)));
    });
    this.ended.catch(() => {}); // told by whatever is waited for
    this.child.stdio[3].on('error', () => {});
    let rest = '';
    this.child.stdio[4].setEncoding('utf8').on('data', (chunk) => {
      const messages = (rest + chunk).split('\0');
      rest = messages.pop();
      for (const message of messages) this.receive(JSON.parse(message));
    });
  }

  receive({ id, method, result, error }) {
    const key = id ?? method;
    const wake = this.waiting.get(key);
    this.waiting.delete(key);
    wake?.({ result, error });
  }

  wait(key) {
    return Promise.race([new Promise((wake) => this.waiting.set(key, wake)), this.ended]);
  }

  async send(method, params = {}) {
    const id = ++this.sent;
    const answer = this.wait(id);
    this.child.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.session }) + '\0');
    const { result, error } = await answer;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  // run runs a function in the page and returns its value.
  async run(f, ...args) {
    const expression = `(${f})(...${JSON.stringify(args)})`;
    const { result, exceptionDetails: failed } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (failed) throw new Error(failed.exception?.description ?? failed.text);
    return result.value;
  }

  // open opens a page in the size that it asks for.
  async open(url) {
    if (!this.session) {
      const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
      this.session = (await this.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
      await this.send('Page.enable');
    }
    const loaded = this.wait('Page.loadEventFired');
    await this.send('Page.navigate', { url });
    await loaded;
    const content = await this.run(() => document.querySelector('meta[name=screen]')?.content ?? '');
    const size = Object.fromEntries([...content.matchAll(/(\w+)=([\d.]+)/g)].map(([, key, value]) => [key, Number(value)]));
    const { width, height, dpr = 1 } = size;
    if (!width || !height) throw new Error(`${url} has no <meta name="screen" content="width=…, height=…">`);
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: dpr, mobile: false });
    await this.run(() => document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))));
    return { width, height, dpr };
  }
}

// pageTruth runs in a page and tells what can be seen on it.
function pageTruth() {
  const inView = (b) => b.left >= 0 && b.top >= 0 && b.right <= innerWidth && b.bottom <= innerHeight;
  const place = (b) => ({ x: b.left, y: b.top, w: b.width, h: b.height });

  // shows reports whether el, or a part of it, is in front at a point.
  const shows = (el, x, y) => {
    const front = document.elementFromPoint(x, y);
    return front && (el.contains(front) || front.contains(el));
  };
  // inFront tells at which of five points of its box a word can be seen.
  const inFront = (el, b) => {
    const x = b.left + b.width / 2, y = b.top + b.height / 2;
    return [[x, y], [b.left + 1, y], [b.right - 1, y], [x, b.top + b.height * 0.15], [x, b.bottom - b.height * 0.15]].map((p) => shows(el, ...p));
  };
  const clipped = (el, b) => {
    for (; el && el !== document.body; el = el.parentElement) {
      const style = getComputedStyle(el), a = el.getBoundingClientRect();
      if (style.overflow !== 'visible' && (b.top < a.top - 1 || b.bottom > a.bottom + 1 || b.left < a.left - 1 || b.right > a.right + 1)) return true;
    }
    return false;
  };
  const cased = (text, style) => {
    if (style.textTransform === 'uppercase') return text.toUpperCase();
    return style.textTransform === 'capitalize' ? text[0].toUpperCase() + text.slice(1) : text;
  };

  // wordsOf lists the words of a text, and adds what is seen in part to ignore.
  const ignore = [];
  const wordsOf = (node) => {
    const el = node.parentElement, style = getComputedStyle(el), words = [];
    if (['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION', 'TITLE'].includes(el.tagName) || style.visibility !== 'visible' || style.opacity < 0.3) return words;
    for (const { 0: text, index } of node.data.matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + text.length);
      const [b, ...more] = range.getClientRects(); // several for a word that is broken
      if (!b || more.length > 0 || b.width < 2 || b.height < 4) continue;
      const seen = inFront(el, b);
      if (inView(b) && !clipped(el, b) && seen.every(Boolean)) {
        words.push({ text: cased(text, style), ...place(b), size: parseFloat(style.fontSize), color: style.color });
      } else if (seen.some(Boolean)) {
        ignore.push(Object.values(place(b)));
      }
    }
    return words;
  };

  // touches reports whether b goes on where a ends, as in <b>un</b>bold: to
  // who sees them they are one word.
  const touches = (a, b) => Math.abs(a.y + a.h / 2 - b.y - b.h / 2) < 3 && Math.abs(a.h - b.h) < 3 && b.x - a.x - a.w >= -1 && b.x - a.x - a.w <= 0.6;
  const words = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    for (const word of wordsOf(node)) {
      const last = words.at(-1);
      if (last && touches(last, word)) Object.assign(last, { text: last.text + word.text, w: word.x + word.w - last.x });
      else words.push(word);
    }
  }

  for (const field of document.querySelectorAll('input, textarea, select')) {
    const b = field.getBoundingClientRect(), text = field.selectedOptions?.[0]?.text || field.value || field.placeholder;
    if (!text || b.width <= 10 || !inView(b) || ['checkbox', 'radio', 'hidden', 'range', 'color', 'file', 'password'].includes(field.type)) continue;
    words.push({ field: true, text, ...place(b), size: parseFloat(getComputedStyle(field).fontSize) });
  }

  const els = [];
  for (const el of document.querySelectorAll('a, button, input, select, textarea, label, img, svg, [role]')) {
    const b = el.getBoundingClientRect(), style = getComputedStyle(el);
    if (b.width < 4 || b.height < 4 || !inView(b) || !el.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (!shows(el, b.left + b.width / 2, b.top + b.height / 2)) continue;
    const text = (el.innerText || el.value || el.placeholder || el.getAttribute('aria-label') || '').trim().slice(0, 80);
    els.push({ tag: el.tagName.toLowerCase(), type: el.type || '', role: el.getAttribute('role') || '', text,
      cls: el.getAttribute('class') || '', bg: style.backgroundColor, color: style.color, ...place(b) });
  }
  return { words, ignore, els };
}

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

// line formats a value on one line, numbers with two decimals at most.
const line = (value) => JSON.stringify(value, (_, v) => (typeof v === 'number' ? Math.round(v * 100) / 100 : v));

// lines formats a list with an item a line, so that changes can be read.
const lines = (list) => (list.length ? `[\n${list.map(line).join(',\n')}\n]` : '[]');

// render writes the picture and the truth of a page, and returns what is to
// be asked about it.
async function render(browser, out, page) {
  const name = basename(page, '.html');
  const { width, height, dpr } = await browser.open(pathToFileURL(resolve(page)).href);
  const { words, ignore, els } = await browser.run(pageTruth);
  const { data } = await browser.send('Page.captureScreenshot', { format: 'png' });
  writeFileSync(join(out, `${name}.png`), Buffer.from(data, 'base64'));
  writeFileSync(join(out, `${name}.json`),
    `{"width":${width},"height":${height},"dpr":${dpr},"words":${lines(words)},"ignore":${lines(ignore)},"els":${lines(els)}}\n`);
  console.log(`${name}: ${words.length} words`);
  return [...(await browser.run(pageQuestions, name, dpr)), ...(await locateQuestions(browser, page, name, dpr))];
}

async function main(out, ...pages) {
  if (pages.length === 0) throw new Error('usage: node scripts/render-screens.mjs OUT PAGE.html...');
  const profile = mkdtempSync(join(tmpdir(), 'render-screens-'));
  const browser = new Browser(profile);
  try {
    const questions = [];
    for (const page of pages) questions.push(...(await render(browser, out, page)));
    writeFileSync(join(out, 'questions.json'), lines(questions) + '\n');
  } finally {
    browser.child.kill();
    await browser.ended.catch(() => {});
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

main(...process.argv.slice(2)).catch((err) => {
  console.error(`render-screens: ${err.message}`);
  process.exitCode = 1;
});
