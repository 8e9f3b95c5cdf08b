// @ts-check
// The audit log.
import { cls, filled, html, plain, span, useEffect, useLoad, useRef, useState, when } from './lib.js';
import { windie } from './state.js';
import { Arguments, asked } from './calls.js';
import { Busy, Empty, Failure, Text } from './ui.js';

const choices = { protocol: ['http', 'ws', 'prompt', 'mcp', 'general', 'openai', 'host'], outcome: ['done', 'failed', 'refused', 'denied', 'canceled', 'unknown'] };

const columns = ['Time', 'Tool', 'User', 'Source', 'Approved by', 'Outcome', 'Duration'];

/** The sources and decisions of the audit log in words. */
const said = {
  http: 'HTTP', ws: 'WebSocket', prompt: 'prompt', mcp: 'MCP', general: 'general API', openai: 'OpenAI API', host: 'tool host',
  none: 'nobody', allowed: 'rule', forbidden: 'denied by rule', approved: 'person', edited: 'person, with edits', denied: 'denied by person', expired: 'expired',
};
const spoken = (word) => said[word] ?? plain(word ?? '');

export const Audit = () => {
  const [query, setQuery] = useState(/** @type {any} */ ({}));
  const [state, set] = useState(/** @type {any} */ ({ busy: true, rows: [] }));
  const tools = useLoad(() => windie.value.tools.list(), [windie.value]);
  const load = async (asked, after) => {
    const named = (tools.value ?? []).map((t) => t.id).filter((id) => asked.tool && id.includes(asked.tool));
    if (named.length > 0 && !named.includes(asked.tool)) { // a part of a name
      setQuery({ ...asked, tool: named[0] });
      if (named.length > 1) return set({ rows: [], which: named });
      return load({ ...asked, tool: named[0] });
    }
    set((s) => ({ ...s, busy: true, error: null, which: undefined }));
    try {
      const page = await windie.value.audit.list({ ...filled(asked), limit: 100, after });
      set((s) => ({ rows: after ? [...s.rows, ...page.items] : page.items, next: page.next }));
    } catch (error) {
      set({ rows: [], error });
    }
  };
  useEffect(() => {
    load(query);
    return () => (asked.value = ''); // the marks are for this view
  }, [windie.value]);
  const marked = asked.value && state.rows.find((r) => r.digest === asked.value);
  const choose = (tool) => {
    setQuery({ ...query, tool });
    load({ ...query, tool });
  };
  const field = (name, label) => html`<label>${label}${choices[name]
    ? html`<select value=${query[name] ?? ''} onChange=${(e) => setQuery({ ...query, [name]: e.currentTarget.value })}><option value="">any</option>${choices[name].map((c) => html`<option key=${c} value=${c}>${name === 'protocol' ? spoken(c) : c}</option>`)}</select>`
    : html`<input list=${name === 'tool' ? 'audit-tools' : undefined} value=${query[name] ?? ''} onInput=${(e) => setQuery({ ...query, [name]: e.currentTarget.value })} />`}</label>`;
  return html`<form class="inline filters" onSubmit=${(e) => { e.preventDefault(); load(query); }}>${field('user', 'User')}${field('tool', 'Tool')}${field('protocol', 'Source')}${field('outcome', 'Outcome')}<button>Search</button></form>
    <datalist id="audit-tools">${(tools.value ?? []).map((t) => html`<option key=${t.id} value=${t.id}></option>`)}</datalist>
    <p class="help">Expand a call to see its arguments. For calls outside conversations and runs the log has only a hash: enter arguments to find matching calls.</p>
    ${state.error && html`<${Failure} error=${state.error} again=${() => load(query)} />`}
    ${state.which && html`<p role="status">Several tools match: ${state.which.slice(0, 20).map((id) => html`<button type="button" class="small" key=${id} onClick=${() => choose(id)}>${plain(id)}</button> `)}</p>`}
    ${state.rows.length > 0 && html`<div class="wide" tabindex="0" role="region" aria-label="Calls"><table class="as-cards"><caption class="sr">Tool calls, newest first</caption><thead><tr>${columns.map((h) => html`<th scope="col" key=${h}>${h}</th>`)}</tr></thead>
      <tbody>${state.rows.map((r, i) => html`<${Call} key=${r.time + (r.call_id ?? i)} of=${r} marked=${Boolean(asked.value) && r.digest === asked.value} first=${r === marked} tool=${tools.value?.find((t) => t.id === r.tool)} />`)}</tbody></table></div>`}
    ${state.busy ? html`<${Busy} what="Searching" />` : !state.error && !state.which && state.rows.length === 0 ? html`<${Empty} title="No matching calls" />` : null}
    ${state.next && html`<button onClick=${() => load(query, state.next)}>Load more</button>`}`;
};

/** A call, which expands to show its arguments. */
const Call = ({ of: r, tool, marked, first }) => {
  const row = useRef(/** @type {any} */ (null));
  useEffect(() => {
    if (first) row.current?.scrollIntoView({ block: 'center' });
  }, [first && asked.value]);
  const [open, setOpen] = useState(false);
  const turn = (e) => !globalThis.getSelection()?.toString() && e.target.closest('button, tr') && setOpen(!open); // a selection of text does not expand the row
  return html`<tr class=${cls('opens', marked && 'marked')} aria-current=${marked ? 'true' : undefined} ref=${row} onClick=${turn}>${[
      html`<button class="link" aria-expanded=${open} title="Show arguments"><time datetime=${r.time} title=${plain(r.time)}>${when(r.time)}</time></button>`,
      html`<code><${Text} of=${r.tool} /></code>`,
      html`<${Text} of=${r.user_id} />`,
      html`${spoken(r.protocol)}`,
      html`${spoken(r.decision)}`,
      html`<span class=${`chip ${r.outcome}`}>${plain(r.outcome)}</span> ${plain(r.code ?? '')}${marked && html` <strong>match</strong>`}`,
      html`${span(r.duration_ms)}`,
    ].map((cell, i) => html`<td key=${i} data-label=${columns[i]}>${cell}</td>`)}</tr>
    ${open && html`<tr class="opened"><td colspan=${columns.length}><${Arguments} of=${r} tool=${tool} /></td></tr>`}`;
};
