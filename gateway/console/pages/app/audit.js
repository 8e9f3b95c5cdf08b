// @ts-check
// The audit log.
import { cls, html, plain, span, useEffect, useLoad, useRef, useState, when } from './lib.js';
import { hrefOf, hrefWith, windie } from './state.js';
import { Arguments, asked } from './calls.js';
import { choiceField, chosenOf, Filters, Nothing, queryOf, rangeField } from './filters.js';
import { Busy, Failure, Text } from './ui.js';

const protocols = ['http', 'ws', 'prompt', 'mcp', 'general', 'openai', 'host'];
const outcomes = ['done', 'failed', 'refused', 'denied', 'canceled', 'unknown'];

const columns = ['Time', 'Tool', 'User', 'Source', 'Approved by', 'Outcome', 'Duration'];

/** The sources and decisions of the audit log in words. */
const said = {
  http: 'HTTP', ws: 'WebSocket', prompt: 'prompt', mcp: 'MCP', general: 'general API', openai: 'OpenAI API', host: 'tool host',
  none: 'nobody', allowed: 'rule', forbidden: 'denied by rule', approved: 'person', edited: 'person, with edits', denied: 'denied by person', expired: 'expired',
};
const spoken = (word) => said[word] ?? plain(word ?? '');

export const Audit = () => {
  const tools = useLoad(() => windie.value.tools.list(), [windie.value]);
  const ids = (tools.value ?? []).map((t) => t.id);
  const fields = [{ name: 'user', label: 'User' }, { name: 'tool', label: 'Tool', list: ids }, choiceField('protocol', 'Source', protocols, spoken), choiceField('outcome', 'Outcome', outcomes, plain), rangeField('Time range')];
  const query = chosenOf(fields);
  const key = JSON.stringify(query);
  const waits = Boolean(query.tool && tools.loading); // the tool can be a part of a name
  const [more, setMore] = useState(/** @type {any} */ ({}));
  const loaded = useLoad(async (signal) => {
    if (waits) return undefined;
    const named = ids.filter((id) => query.tool && id.includes(query.tool));
    if (named.length > 1 && !named.includes(query.tool)) return { rows: [], which: named, query };
    const sent = named.includes(query.tool) ? query : { ...query, tool: named[0] ?? query.tool };
    const page = await windie.value.audit.list({ ...queryOf(sent), limit: 100, signal });
    return { rows: page.items, next: page.next, query, sent };
  }, [windie.value, key, waits]);
  const first = loaded.value;
  const later = more.of === first ? more : {}; // the pages behind the first
  const last = later.page ?? first;
  const rows = [...(first?.rows ?? []), ...(later.rows ?? [])];
  const loadMore = async () => {
    setMore({ ...later, of: first, busy: true, error: null });
    try {
      const page = await windie.value.audit.list({ ...queryOf(first.sent), limit: 100, after: last.next });
      setMore({ of: first, page, rows: [...(later.rows ?? []), ...page.items] });
    } catch (error) {
      setMore({ ...later, of: first, error });
    }
  };
  useEffect(() => () => (asked.value = ''), [windie.value]); // the marks are for this view
  const marked = asked.value && rows.find((r) => r.digest === asked.value);
  const error = loaded.error ?? later.error;
  return html`<${Filters} of=${fields} again=${loaded.again} />
    <p class="help">Expand a call to see its arguments. For calls outside conversations and runs, the log has only a hash of the arguments. To find such calls, enter their arguments.</p>
    ${error && html`<${Failure} error=${error} again=${loaded.error ? loaded.again : loadMore} />`}
    ${first?.which && html`<p role="status">Several tools match: ${first.which.slice(0, 20).map((id) => html`<a class="button small" key=${id} href=${hrefWith({ ...query, tool: id })}>${plain(id)}</a> `)}</p>`}
    ${rows.length > 0 && html`<div class="wide" tabindex="0" role="region" aria-label="Calls"><table class="as-cards"><caption class="sr">Tool calls, newest first</caption><thead><tr>${columns.map((h) => html`<th scope="col" key=${h}>${h}</th>`)}</tr></thead>
      <tbody>${rows.map((r, i) => html`<${Call} key=${r.time + (r.call_id ?? i)} of=${r} marked=${Boolean(asked.value) && r.digest === asked.value} first=${r === marked} tool=${tools.value?.find((t) => t.id === r.tool)} />`)}</tbody></table></div>`}
    ${loaded.loading || waits || later.busy ? html`<${Busy} what="Searching" />` : first && !first.which && rows.length === 0 && html`<${Nothing} what="calls" of=${first.query}><p>Tool calls appear here when they end. <a href=${hrefOf('tools')}>Call a tool</a></p><//>`}
    ${last?.next && html`<button onClick=${loadMore} disabled=${later.busy}>Load more</button>`}`;
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
