// @ts-check
// The renderer, signals and small functions of all views. Only this file names the vendored modules.
import { h, render } from '../vendor/preact.js';
import { useEffect, useRef, useState } from '../vendor/preact-hooks.js';
import htm from '../vendor/htm.js';
import { computed, effect, signal, useSignal } from '../vendor/preact-signals.js';

export { computed, effect, render, signal, useEffect, useRef, useSignal, useState };
export const html = htm.bind(h);

/** Joins the class names that are set. @param {...(string | false | undefined | null)} names */
export const cls = (...names) => names.filter(Boolean).join(' ');

/** Stores small settings in this browser. Without local storage, each read returns the default. */
export const stored = {
  /** @param {string} name @param {string} otherwise */
  get(name, otherwise) {
    try {
      return localStorage.getItem(`windie.${name}`) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  /** @param {string} name @param {string} value */
  set(name, value) {
    try {
      localStorage.setItem(`windie.${name}`, value);
    } catch {
      // the next visit gets the default
    }
  },
};

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A time for people: today's without the day. @param {string | undefined} iso */
export function when(iso) {
  if (!iso) return '';
  const at = new Date(iso);
  return at.toDateString() === new Date().toDateString() ? clock.format(at) : day.format(at);
}

/** A duration for people. @param {number} ms */
export function span(ms) {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`;
}

/** The filled fields of a form. @param {Record<string, any>} fields */
export const filled = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));

/** The duration between two times; empty if one is not known. @param {string | undefined} from @param {string | undefined} to */
export const between = (from, to) => (from && to ? span(Date.parse(to) - Date.parse(from)) : '');

/** A size for people, such as 84 B or 1.2 MB. @param {number} n bytes */
export const bytes = (n) => (n < 1e3 ? `${n} B` : n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : n < 1e9 ? `${(n / 1e6).toFixed(1)} MB` : `${(n / 1e9).toFixed(1)} GB`);

/** A number with its noun, such as 1 conversation or 1,200 conversations. @param {number} n @param {string} one @param {string} [many] */
export const count = (n, one, many = `${one}s`) => `${n.toLocaleString()} ${n === 1 ? one : many}`;

/** A name of the API in words, such as awaiting worker. @param {string | undefined} name */
export const inWords = (name) => plain(name ?? '').replace(/[_-]/g, ' ');

/** The bytes of base64. @param {string} text */
export const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

/** @param {number} n */
export const percent = (n) => `${Math.round(n * 100)} %`;

/** Hidden characters; the group matches an emoji, which hides nothing. */
const hidden = /(\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?(?:\u200d(?=\p{Extended_Pictographic}))?|[#*0-9]\ufe0f\u20e3)|[[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]--[\n\t]]/gv;

/**
 * Escapes the hidden characters of a text in the form of the command line: invisible ones, and those that change the direction of
 * text. The joiners and modifiers of emoji stay, and so do spaces, tabs and line breaks.
 * @param {unknown} text
 */
export function plain(text) {
  return String(text).replace(hidden, (c, picture) => picture ?? escapeOf(Number(c.codePointAt(0))));
}

/** @param {number} code of a character */
const escapeOf = (code) => (code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`);

/** The beginning of a text, in whole characters. @param {string} text @param {number} most in units of UTF-16 */
export const headOf = (text, most) => text.slice(0, most).replace(/[\ud800-\udbff]$/, '');

/**
 * A text of an agent with quotation marks in place of the gateway's tags around untrusted text. It replaces only whole pairs with the same
 * mark, each tag on a line of its own. The text between them stays, and so do other tags.
 * @param {string} text
 */
export function unfenced(text) {
  const tags = /<untrusted-([a-z2-7]{26})>\n|\n<\/untrusted-([a-z2-7]{26})>/g;
  let [out, from] = ['', 0];
  let open = /** @type {RegExpExecArray | undefined} */ (undefined);
  for (const tag of text.matchAll(tags)) {
    if (!open && tag[1]) open = tag;
    else if (open && tag[2] === open[1]) {
      out += `${text.slice(from, open.index)}“${text.slice(open.index + open[0].length, tag.index)}”`;
      [from, open] = [tag.index + tag[0].length, undefined];
    }
  }
  return out + text.slice(from);
}

/** Copies text to the clipboard, without HTTPS too. @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

/**
 * Loads a value, and loads it again when a dependency changes. It returns {value, error, loading, again}. A call of again() during a load
 * starts one more load afterwards, so that a load that is slower than its interval still ends.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {unknown[]} deps
 */
export function useLoad(load, deps) {
  const [state, set] = useState(/** @type {{value?: T, error?: any, loading: boolean}} */ ({ loading: true }));
  const [turn, next] = useState(0);
  const now = useRef(/** @type {{more: boolean} | null} */ (null)); // the current load
  useEffect(() => {
    const left = new AbortController();
    const own = (now.current = { more: false });
    const ended = (came) => {
      if (left.signal.aborted) return;
      now.current = null;
      set({ ...came, loading: false });
      if (own.more) next((n) => n + 1);
    };
    set((s) => ({ ...s, loading: true }));
    load(left.signal).then((value) => ended({ value }), (error) => ended({ error }));
    return () => left.abort();
  }, [...deps, turn]);
  return { ...state, again: () => (now.current ? (now.current.more = true) : next((n) => n + 1)) };
}

/** Runs a function every ms while the page is visible. @param {() => void} run @param {number} ms @param {unknown[]} deps */
export function useEvery(run, ms, deps) {
  useEffect(() => {
    const tick = () => document.visibilityState === 'visible' && run();
    const timer = setInterval(tick, ms);
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, deps);
}
