// @ts-check
// The log of calls.
import { cls, filled, html, plain, span, useEffect, useLoad, useRef, useState, when } from './lib.js';
import { windie } from './state.js';
import { MadeWith, asked } from './calls.js';
import { Busy, Empty, Failure, Text } from './ui.js';

const choices = { protocol: ['http', 'ws', 'prompt', 'mcp', 'general', 'openai', 'host'], outcome: ['done', 'failed', 'refused', 'denied', 'canceled', 'unknown'] };

const columns = ['When', 'Tool', 'For whom', 'Came by', 'Who let it', 'Outcome', 'Took'];

/** What the words of the log mean, for people. */
const said = {
  http: 'HTTP', ws: 'a connected program', prompt: 'a prompt', mcp: 'MCP', general: 'the general API', openai: 'the OpenAI API',
  none: 'nobody was asked', allowed: 'a rule allows it', forbidden: 'a rule forbids it', approved: 'a person said yes', edited: 'a person changed it', denied: 'a person said no', expired: 'nobody answered',
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
    return () => (asked.value = ''); // marks end with the view
  }, [windie.value]);
  const marked = asked.value && state.rows.find((r) => r.digest === asked.value);
  const choose = (tool) => {
    setQuery({ ...query, tool });
    load({ ...query, tool });
  };
  const field = (name, label) => html`<label>${label}${choices[name]
    ? html`<select value=${query[name] ?? ''} onChange=${(e) => setQuery({ ...query, [name]: e.currentTarget.value })}><option value="">any</option>${choices[name].map((c) => html`<option key=${c} value=${c}>${name === 'protocol' ? spoken(c) : c}</option>`)}</select>`
    : html`<input list=${name === 'tool' ? 'audit-tools' : undefined} value=${query[name] ?? ''} onInput=${(e) => setQuery({ ...query, [name]: e.currentTarget.value })} />`}</label>`;
  return html`<form class="inline filters" onSubmit=${(e) => { e.preventDefault(); load(query); }}>${field('user', 'User')}${field('tool', 'Tool')}${field('protocol', 'Came by')}${field('outcome', 'Outcome')}<button>Search</button></form>
    <datalist id="audit-tools">${(tools.value ?? []).map((t) => html`<option key=${t.id} value=${t.id}></option>`)}</datalist>
    <p>A call of a conversation or a run opens to show what it was made with. Of any other the log keeps a fingerprint: it opens to ask whether the call was about what you look for, as a file.</p>
    ${state.error && html`<${Failure} error=${state.error} again=${() => load(query)} />`}
    ${state.which && html`<p role="status">Several tools are called so: ${state.which.slice(0, 20).map((id) => html`<button type="button" class="small" key=${id} onClick=${() => choose(id)}>${plain(id)}</button> `)}</p>`}
    ${state.rows.length > 0 && html`<div class="wide" tabindex="0" role="region" aria-label="Calls"><table class="as-cards"><caption class="sr">Calls of tools, the newest first</caption><thead><tr>${columns.map((h) => html`<th scope="col" key=${h}>${h}</th>`)}</tr></thead>
      <tbody>${state.rows.map((r, i) => html`<${Call} key=${r.time + (r.call_id ?? i)} of=${r} marked=${Boolean(asked.value) && r.digest === asked.value} first=${r === marked} tool=${tools.value?.find((t) => t.id === r.tool)} />`)}</tbody></table></div>`}
    ${state.busy ? html`<${Busy} what="Looking" />` : !state.error && !state.which && state.rows.length === 0 ? html`<${Empty} title="No calls pass these filters" />` : null}
    ${state.next && html`<button onClick=${() => load(query, state.next)}>More</button>`}`;
};

/** A call, which opens to show what it was made with. */
const Call = ({ of: r, tool, marked, first }) => {
  const row = useRef(/** @type {any} */ (null));
  useEffect(() => {
    if (first) row.current?.scrollIntoView({ block: 'center' });
  }, [first && asked.value]);
  const [open, setOpen] = useState(false);
  const turn = (e) => !globalThis.getSelection()?.toString() && e.target.closest('button, tr') && setOpen(!open); // who selects text opens nothing
  return html`<tr class=${cls('opens', marked && 'marked')} aria-current=${marked ? 'true' : undefined} ref=${row} onClick=${turn}>${[
      html`<button class="link" aria-expanded=${open} title="What it was made with"><time datetime=${r.time} title=${plain(r.time)}>${when(r.time)}</time></button>`,
      html`<code><${Text} of=${r.tool} /></code>`,
      html`<${Text} of=${r.user_id} />`,
      html`${spoken(r.protocol)}`,
      html`${spoken(r.decision)}`,
      html`<span class=${`chip ${r.outcome}`}>${plain(r.outcome)}</span> ${plain(r.code ?? '')}${marked && html` <strong>made with this</strong>`}`,
      html`${span(r.duration_ms)}`,
    ].map((cell, i) => html`<td key=${i} data-label=${columns[i]}>${cell}</td>`)}</tr>
    ${open && html`<tr class="opened"><td colspan=${columns.length}><${MadeWith} of=${r} tool=${tool} /></td></tr>`}`;
};
