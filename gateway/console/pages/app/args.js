// @ts-check
// The arguments and the result of a call, as fields for people; the exact JSON is folded below.
import { html, plain } from './lib.js';
import { exactOf } from './exact.js';
import { Fold, Json, Text } from './ui.js';

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

const Value = ({ of, name }) => {
  if (typeof of === 'string') return of === '' ? html`<span class="faint">(empty)</span>` : html`<span class="words"><${Text} of=${of} /></span>`;
  if (of !== null && typeof of === 'object') return html`<${Json} label=${name} of=${of} />`;
  return html`<code><${Text} of=${JSON.stringify(of)} /></code>`;
};

/** The fields of an object, each with its name. Other values, and numbers that JavaScript would round, are shown as JSON. @param {{of: any, label?: string}} of */
export const Fields = ({ of, label = 'Arguments' }) => {
  if (exactOf(of) !== undefined || !isObject(of) || Object.keys(of).length === 0) return html`<${Json} label=${label} of=${of} />`;
  return html`<dl class="args" aria-label=${label}>${Object.entries(of).map(([name, value]) => html`<div key=${name}><dt><${Text} of=${name} limit=${400} /></dt><dd><${Value} of=${value} name=${plain(name)} /></dd></div>`)}</dl>
    <${Fold} label="JSON">${() => html`<${Json} label=${label} of=${of} />`}<//>`;
};

/** The text of an output that has only text; undefined for other outputs. @param {any} output */
export function wordsOf(output) {
  const parts = Array.isArray(output) ? output : output?.content;
  if (typeof output === 'string') return output;
  if (!Array.isArray(parts) || !parts.every((p) => typeof p?.text === 'string')) return undefined;
  return parts.map((p) => p.text).join('\n');
}
