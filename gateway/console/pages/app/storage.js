// @ts-check
// The storage of the gateway: size and retention by type, and deletion of old data.
import { bytes, count, html, plain, useLoad, useState, when } from './lib.js';
import { hrefOf, say, windie } from './state.js';
import { Failure, Loaded, Sure, Text } from './ui.js';

const day = 24; // hours
/** @param {number} seconds */
function age(seconds) {
  const [unit, n] = seconds % 86_400 === 0 ? ['day', seconds / 86_400] : seconds % 3600 === 0 ? ['hour', seconds / 3600] : ['minute', Math.round(seconds / 60)];
  return count(n, unit);
}

const columns = ['Type', 'Count', 'Size', 'Oldest', 'Retention', 'Deleted since start'];

/** A number of things of a type, whose name is a plural. @param {number} n @param {string} kind */
const counted = (n, kind) => count(n, plain(kind).replace(/s$/, ''), plain(kind));

export const Storage = () => {
  const loaded = useLoad(async () => (await windie.value.operator.kept()).sort((a, b) => b.bytes - a.bytes), [windie.value]);
  return html`<${Loaded} of=${loaded} what="Measuring storage">${(kinds) => html`
    <div class="wide" tabindex="0" role="region" aria-label="Storage"><table class="as-cards storage"><caption class="sr">Storage by type, largest first</caption><thead><tr>${columns.map((h) => html`<th scope="col" key=${h}>${h}</th>`)}</tr></thead>
      <tbody>${kinds.map((k) => html`<tr key=${k.kind}><th scope="row">${plain(k.kind)}</th>${[
          k.measured ? k.items.toLocaleString() : html`<span class="faint">not counted</span>`,
          k.measured && bytes(k.bytes),
          when(k.oldest_at),
          k.ttl_seconds > 0 ? age(k.ttl_seconds) : html`<span class="faint">${k.prunable ? 'forever' : 'until the user is deleted'}</span>`,
          (k.aged + k.erased).toLocaleString(),
        ].map((cell, i) => html`<td key=${i} data-label=${columns[i + 1]}>${cell}</td>`)}</tr>`)}</tbody></table></div>
    <${Largest} kinds=${kinds} />
    <${Prune} kinds=${kinds.filter((k) => k.prunable)} done=${loaded.again} />
    <p class="faint">The retention period starts when an item is stored or last used. Set it with <code>retention.*</code>, <code>artifact_ttl</code> and <code>audit_ttl</code>. To delete all data of a user, run <code>windie user delete</code>.</p>`}<//>`;
};

/** The users with the most data. */
const Largest = ({ kinds }) => {
  const all = kinds.flatMap((k) => (k.largest ?? []).map((u) => ({ ...u, kind: k.kind }))).sort((a, b) => b.bytes - a.bytes);
  if (all.length === 0) return null;
  return html`<h2>Users by storage</h2><div class="wide" tabindex="0" role="region" aria-label="Users by storage"><table class="as-cards"><caption class="sr">Users with the most data, largest first</caption><thead><tr>${['User', 'Type', 'Count', 'Size'].map((h) => html`<th scope="col" key=${h}>${h}</th>`)}</tr></thead>
    <tbody>${all.map((u) => html`<tr key=${u.kind + u.user_id}><th scope="row"><a href=${hrefOf('gateway', 'users', u.user_id)}><${Text} of=${u.user_id} /></a></th>${[plain(u.kind), u.items.toLocaleString(), bytes(u.bytes)].map((cell, i) => html`<td key=${i} data-label=${['Type', 'Count', 'Size'][i]}>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
};

const Prune = ({ kinds, done }) => {
  const [kind, setKind] = useState(kinds[0]?.kind ?? '');
  const [days, setDays] = useState('90');
  const [found, setFound] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  if (kinds.length === 0) return null;
  const ask = async (dry) => {
    try {
      const { kinds: counts } = await windie.value.operator.prune({ older_than_hours: { [kind]: Math.round(Number(days) * day) }, dry_run: dry });
      setError(null);
      setFound(dry ? { n: counts[kind], kind, days } : null);
      if (dry) return;
      say(`${counted(counts[kind], kind)} deleted.`);
      done();
    } catch (e) {
      setFound(null);
      setError(e);
    }
  };
  const change = (set) => (e) => { set(e.currentTarget.value); setFound(null); };
  return html`<form class="card prune" onSubmit=${(e) => { e.preventDefault(); ask(true); }}><h2>Delete old data</h2>
    <div class="inline"><label>Type<select value=${kind} onChange=${change(setKind)}>${kinds.map((k) => html`<option key=${k.kind} value=${k.kind}>${plain(k.kind)}</option>`)}</select></label>
      <label>Older than (days)<input type="number" min="0.05" step="any" required value=${days} onInput=${change(setDays)} /></label><button>Preview</button></div>
    ${error && html`<${Failure} error=${error} />`}
    ${found && html`<div role="status" class="actions"><span>${found.n === 0 ? `No ${plain(found.kind)} older than ${plain(found.days)} days.` : `${counted(found.n, found.kind)} older than ${plain(found.days)} days.`}</span>
      ${found.n > 0 && html`<${Sure} label="Delete" question="Delete permanently?" onYes=${() => ask(false)} />`}</div>`}</form>`;
};
