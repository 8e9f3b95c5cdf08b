// @ts-check
// The digest that the log has of a call. It is made here too, so that a call can be found by what it was made with.
import { isExact } from './exact.js';

const escaped = /[<>&\u2028\u2029]/g; // what the gateway's form of JSON escapes, and that of browsers does not

const quoted = (text) => JSON.stringify(text).replace(escaped, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The order of names by their bytes, which is that of their code points. @param {string} a @param {string} b */
function byBytes(a, b) {
  const [left, right] = [[...a], [...b]];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const apart = /** @type {number} */ (left[i].codePointAt(0)) - /** @type {number} */ (right[i].codePointAt(0));
    if (apart !== 0) return apart;
  }
  return left.length - right.length;
}

/** JSON in the one form that is digested: no white space, fields by name. @param {any} value @returns {string} */
export function canonical(value) {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object' || isExact(value)) return JSON.stringify(value ?? null);
  return `{${Object.keys(value).sort(byBytes).map((name) => `${quoted(name)}:${canonical(value[name])}`).join(',')}}`;
}

/** Whether this browser makes digests: it does on https, and on the gateway's own machine. */
export const digests = () => Boolean(globalThis.crypto?.subtle);

/** The digest of a call, as the log has it. @param {string} tool @param {any} args */
export async function digestOf(tool, args) {
  const bytes = new TextEncoder();
  const sum = await crypto.subtle.digest('SHA-256', bytes.encode(`${bytes.encode(tool).length}:${tool}${canonical(args)}`));
  return [...new Uint8Array(sum)].map((b) => b.toString(16).padStart(2, '0')).join('');
}
