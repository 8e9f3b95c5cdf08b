// @ts-check
// The digest of a call in the audit log. The page computes it too, to find calls by their arguments.
import { isExact } from './exact.js';

const escaped = /[<>&\u2028\u2029]/g; // characters that Go escapes in JSON, and browsers do not

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

/** JSON in canonical form: no white space, sorted fields. @param {any} value @returns {string} */
export function canonical(value) {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object' || isExact(value)) return JSON.stringify(value ?? null);
  return `{${Object.keys(value).sort(byBytes).map((name) => `${quoted(name)}:${canonical(value[name])}`).join(',')}}`;
}

/** Whether this browser can compute digests: with HTTPS, or on the gateway's machine. */
export const digests = () => Boolean(globalThis.crypto?.subtle);

/** The digest of a call, the same as in the log. @param {string} tool @param {any} args */
export async function digestOf(tool, args) {
  const bytes = new TextEncoder();
  const sum = await crypto.subtle.digest('SHA-256', bytes.encode(`${bytes.encode(tool).length}:${tool}${canonical(args)}`));
  return [...new Uint8Array(sum)].map((b) => b.toString(16).padStart(2, '0')).join('');
}
