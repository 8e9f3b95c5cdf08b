// @ts-check
// The log of calls.
import { filled, html, plain, span, useEffect, useState, when } from './lib.js';
import { windie } from './state.js';
import { Busy, Empty, Failure, Text } from './ui.js';

const choices = { protocol: ['http', 'ws', 'prompt', 'mcp', 'general', 'openai'], outcome: ['done', 'failed', 'refused', 'denied', 'canceled', 'unknown'] };

export const Audit = () => {
  const [query, setQuery] = useState(/** @type {any} */ ({}));
  const [state, set] = useState(/** @type {any} */ ({ busy: true, rows: [] }));
  const load = async (asked, after) => {
    set((s) => ({ ...s, busy: true, error: null }));
    try {
      const page = await windie.value.audit.list({ ...filled(asked), limit: 100, after });
      set((s) => ({ rows: after ? [...s.rows, ...page.items] : page.items, next: page.next }));
    } catch (error) {
      set({ rows: [], error });
    }
  };
  useEffect(() => void load(query), [windie.value]);
  const field = (name, label) => html`<label>${label}${choices[name]
    ? html`<select value=${query[name] ?? ''} onChange=${(e) => setQuery({ ...query, [name]: e.currentTarget.value })}><option value="">any</option>${choices[name].map((c) => html`<option key=${c} value=${c}>${c}</option>`)}</select>`
    : html`<input value=${query[name] ?? ''} onInput=${(e) => setQuery({ ...query, [name]: e.currentTarget.value })} />`}</label>`;
  return html`<form class="inline filters" onSubmit=${(e) => { e.preventDefault(); load(query); }}>${field('user', 'User')}${field('tool', 'Tool')}${field('protocol', 'Came by')}${field('outcome', 'Outcome')}<button>Search</button></form>
    ${state.error && html`<${Failure} error=${state.error} again=${() => load(query)} />`}
    ${state.rows.length > 0 && html`<div class="wide" tabindex="0" role="region" aria-label="Calls"><table><caption class="sr">Calls of tools, the newest first</caption><thead><tr>${['When', 'Tool', 'User', 'By', 'Decision', 'Outcome', 'Took'].map((h) => html`<th scope="col" key=${h}>${h}</th>`)}</tr></thead>
      <tbody>${state.rows.map((r, i) => html`<tr key=${i}><td>${when(r.time)}</td><td><code><${Text} of=${r.tool} /></code></td><td><${Text} of=${r.user_id} /></td><td>${plain(r.protocol ?? '')}</td><td>${plain(r.decision)}</td><td><span class=${`chip ${r.outcome}`}>${plain(r.outcome)}</span> ${plain(r.code ?? '')}</td><td>${span(r.duration_ms)}</td></tr>`)}</tbody></table></div>`}
    ${state.busy ? html`<${Busy} what="Looking" />` : !state.error && state.rows.length === 0 ? html`<${Empty} title="No calls pass these filters" />` : null}
    ${state.next && html`<button onClick=${() => load(query, state.next)}>More</button>`}`;
};
