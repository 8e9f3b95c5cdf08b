// @ts-check
// The filters of a list: a bar of fields above it. The address has the chosen filters too, so that a link and Back keep them.
import { html, useState } from './lib.js';
import { filter, filters, hrefWith } from './state.js';
import { Empty } from './ui.js';

const hour = 3_600_000; // ms

/** The time ranges of a list, the shortest first. @type {[string, string, number][]} */
const ranges = [['hour', 'Last hour', hour], ['day', 'Last day', 24 * hour], ['week', 'Last week', 7 * 24 * hour]];

/** The field for the time range. @param {string} label */
export const rangeField = (label) => ({ name: 'range', label, choices: [...ranges.map(([id, name]) => [id, name]), ['', 'All']] });

/** A choice of one value or any. @param {string} name @param {string} label @param {string[]} values @param {(value: string) => string} inWords */
export const choiceField = (name, label, values, inWords) => ({ name, label, choices: [['', 'any'], ...values.map((v) => [v, inWords(v)])] });

/** The chosen filters of a list with these fields; one that is empty is absent. @param {any[]} fields */
export const chosenOf = (fields) => Object.fromEntries(fields.map((f) => [f.name, filters.value[f.name]]).filter(([, value]) => value));

/** The query of a route for chosen filters: a time range becomes since. @param {Record<string, string>} chosen */
export function queryOf({ range, ...others }) {
  const length = ranges.find(([id]) => id === range)?.[2];
  return length ? { ...others, since: new Date(Date.now() - length) } : others;
}

/** The bar of filters. A choice applies at once, a text when the person leaves its field. Search loads the list again. @param {{of: any[], again: () => void}} of */
export const Filters = ({ of, again }) => {
  const chosen = chosenOf(of);
  const now = JSON.stringify(chosen);
  const [draft, setDraft] = useState(/** @type {{of: string, texts: Record<string, string>}} */ ({ of: now, texts: {} }));
  const typed = draft.of === now ? draft.texts : {}; // until other filters are chosen
  const apply = (e) => filter(Object.fromEntries([...new FormData(e.currentTarget)].map(([name, value]) => [name, String(value).trim()])));
  const search = (e) => {
    e.preventDefault();
    apply(e);
    again();
  };
  return html`<form class="inline filters" role="search" aria-label="Filters" onChange=${apply} onSubmit=${search}>
    ${of.map(({ name, label, choices, list }) => html`<label key=${name}>${label}${choices
      ? html`<select name=${name} value=${chosen[name] ?? ''}>${choices.map(([id, text]) => html`<option key=${id} value=${id}>${text}</option>`)}</select>`
      : html`<input name=${name} list=${list && `filter-${name}`} value=${typed[name] ?? chosen[name] ?? ''} onInput=${(e) => setDraft({ of: now, texts: { ...typed, [name]: e.currentTarget.value } })} />`}</label>
      ${list && html`<datalist id=${`filter-${name}`}>${list.map((v) => html`<option key=${v} value=${v}></option>`)}</datalist>`}`)}
    <button>Search</button></form>`;
};

/** An empty list: it names the time range, and leads to a longer one or to all. Its children help if the list has no filters. @param {{what: string, of: Record<string, string>, children?: any}} of */
export const Nothing = ({ what, of, children }) => {
  const at = ranges.findIndex(([id]) => id === of.range);
  const narrow = Object.keys(of).some((name) => name !== 'range');
  const [longer, name] = ranges[at + 1] ?? ['', ''];
  return html`<${Empty} title=${`No ${narrow ? 'matching ' : ''}${what}${at >= 0 ? ` in the ${ranges[at][1].toLowerCase()}` : narrow ? '' : ' yet'}`}>
    <div class="actions">${at >= 0 && html`<a class="button" href=${hrefWith({ ...of, range: longer })}>${name ? `Show the ${name.toLowerCase()}` : 'Show all'}</a>`}
      ${narrow && html`<a class="button" href=${hrefWith({})}>Clear filters</a>`}</div>${at < 0 && !narrow && children}<//>`;
};
