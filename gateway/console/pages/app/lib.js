// @ts-check
// What every view needs: the renderer, signals, and small functions. The names of the vendored
// modules stand here alone.
import { h, render } from '../vendor/preact.js';
import { useEffect, useRef, useState } from '../vendor/preact-hooks.js';
import htm from '../vendor/htm.js';
import { computed, effect, signal, useSignal } from '../vendor/preact-signals.js';

export { computed, effect, render, signal, useEffect, useRef, useSignal, useState };
export const html = htm.bind(h);

/** Joins the class names that hold. @param {...(string | false | undefined | null)} names */
export const cls = (...names) => names.filter(Boolean).join(' ');

/** Keeps small settings in this browser. A browser that keeps nothing gets the default each time. */
export const kept = {
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
      // it is asked for again next time
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

/** How long from one time to another. @param {number} ms */
export function span(ms) {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`;
}

/** What of a form's fields was filled in. @param {Record<string, any>} fields */
export const filled = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));

/** How long it was between two times; empty if one is not known. @param {string | undefined} from @param {string | undefined} to */
export const between = (from, to) => (from && to ? span(Date.parse(to) - Date.parse(from)) : '');

/** @param {number} n */
export const bytes = (n) => (n < 1024 ? `${n} B` : n < 1 << 20 ? `${(n / 1024).toFixed(1)} KiB` : n < 1 << 30 ? `${(n / (1 << 20)).toFixed(1)} MiB` : `${(n / (1 << 30)).toFixed(1)} GiB`);

/** What base64 means. @param {string} text */
export const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

/** @param {number} n */
export const percent = (n) => `${Math.round(n * 100)} %`;

/** What a text would hide, or, in the group, a picture that nothing is hidden in. */
const hidden = /(\p{Extended_Pictographic}\p{Emoji_Modifier}?\ufe0f?(?:\u200d(?=\p{Extended_Pictographic}))?|[#*0-9]\ufe0f\u20e3)|[[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u2800]--[\n\t]]/gv;

/**
 * Shows what a text would hide: characters that turn writing around, or that nobody sees, as the command line shows them. What joins
 * the parts of an emoji, or colours it, stays: that is seen. So do spaces, and tabs and ends of lines.
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
 * A text without the fences that the gateway puts around what others wrote, in quotes instead: agents repeat them. Only a whole fence of
 * the gateway's form goes, with one mark at both ends, each on a line of its own; all between stays, and so does whatever else looks like one.
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

/** Puts text on the clipboard, also where the page is not https. @param {string} text */
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
 * Loads something, again when a dependency changes: returns {value, error, loading, again}. While it loads, again() has it load once more
 * afterwards: a look that takes longer than the time between two looks is shown all the same.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {unknown[]} deps
 */
export function useLoad(load, deps) {
  const [state, set] = useState(/** @type {{value?: T, error?: any, loading: boolean}} */ ({ loading: true }));
  const [turn, next] = useState(0);
  const now = useRef(/** @type {{more: boolean} | null} */ (null)); // the load that is under way
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

/** Runs a function every ms while the page is seen. @param {() => void} run @param {number} ms @param {unknown[]} deps */
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
