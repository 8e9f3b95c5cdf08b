// @ts-check
// What a call is made with and what came of it, as fields for people; the exact JSON is folded below.
import { html, plain } from './lib.js';
import { exactOf } from './exact.js';
import { Fold, Json, Text } from './ui.js';

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

const Value = ({ of, name }) => {
  if (typeof of === 'string') return of === '' ? html`<span class="faint">(empty)</span>` : html`<span class="words"><${Text} of=${of} /></span>`;
  if (of !== null && typeof of === 'object') return html`<${Json} label=${name} of=${of} />`;
  return html`<code><${Text} of=${JSON.stringify(of)} /></code>`;
};

/** The fields of an object, each with its name. Whatever else it is, and where JavaScript would round it, it is shown as JSON. @param {{of: any, label?: string}} of */
export const Fields = ({ of, label = 'Arguments' }) => {
  if (exactOf(of) !== undefined || !isObject(of) || Object.keys(of).length === 0) return html`<${Json} label=${label} of=${of} />`;
  return html`<dl class="args" aria-label=${label}>${Object.entries(of).map(([name, value]) => html`<div key=${name}><dt><${Text} of=${name} limit=${400} /></dt><dd><${Value} of=${value} name=${plain(name)} /></dd></div>`)}</dl>
    <${Fold} label="As JSON">${() => html`<${Json} label=${label} of=${of} />`}<//>`;
};

/** What a tool gave: its words where it has no more, else its fields. @param {any} output */
export function wordsOf(output) {
  const parts = Array.isArray(output) ? output : output?.content;
  if (typeof output === 'string') return output;
  if (!Array.isArray(parts) || !parts.every((p) => typeof p?.text === 'string')) return undefined;
  return parts.map((p) => p.text).join('\n');
}
