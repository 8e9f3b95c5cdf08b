// A Chromium that scripts drive, and what a page in it says of itself.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const browserFlags = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run', '--disable-sync',
  '--disable-background-networking', '--disable-component-update', '--font-render-hinting=none', '--remote-debugging-pipe'];

// Browser is a Chromium that is told what to do through a pipe.
export class Browser {
  constructor(flags = browserFlags) {
    const profile = mkdtempSync(join(tmpdir(), 'screens-'));
    const program = process.env.CHROMIUM || 'chromium';
    this.profile = profile;
    this.child = spawn(program, [...flags, `--user-data-dir=${profile}`], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
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

  // close ends the browser and removes its profile.
  async close() {
    this.child.kill();
    await this.ended.catch(() => {});
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
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

  // open opens a page in a size, which is by default the one that its <meta name="screen"> asks for.
  async open(url, size) {
    if (!this.session) {
      const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
      this.session = (await this.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
      await this.send('Page.enable');
    }
    const loaded = this.wait('Page.loadEventFired');
    await this.send('Page.navigate', { url });
    await loaded;
    size ??= await this.run(() => {
      const content = document.querySelector('meta[name=screen]')?.content ?? '';
      return Object.fromEntries([...content.matchAll(/(\w+)=([\d.]+)/g)].map(([, key, value]) => [key, Number(value)]));
    });
    const { width, height, dpr = 1 } = size;
    if (!width || !height) throw new Error(`${url} has no <meta name="screen" content="width=…, height=…">`);
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: dpr, mobile: false });
    await this.run(() => document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))));
    return { width, height, dpr };
  }
}

// pageTruth runs in a page and tells what can be seen on it.
export function pageTruth() {
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

// line formats a value on one line, numbers with two decimals at most.
export const line = (value) => JSON.stringify(value, (_, v) => (typeof v === 'number' ? Math.round(v * 100) / 100 : v));

// lines formats a list with an item a line, so that changes can be read.
export const lines = (list) => (list.length ? `[\n${list.map(line).join(',\n')}\n]` : '[]');

// keep writes the picture and the truth of the page that is open: NAME.png and NAME.json in the folder out.
export async function keep(browser, out, name, { width, height, dpr }, more = {}) {
  const { words, ignore, els } = await browser.run(pageTruth);
  const { data } = await browser.send('Page.captureScreenshot', { format: 'png' });
  writeFileSync(join(out, `${name}.png`), Buffer.from(data, 'base64'));
  const said = Object.entries(more).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)},`).join('');
  writeFileSync(join(out, `${name}.json`),
    `{"width":${width},"height":${height},"dpr":${dpr},${said}"words":${lines(words)},"ignore":${lines(ignore)},"els":${lines(els)}}\n`);
  console.log(`${name}: ${words.length} words`);
}
