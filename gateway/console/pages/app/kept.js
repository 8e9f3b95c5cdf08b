// @ts-check
// What the gateway keeps, for how long, and removing what is old.
import { bytes, html, plain, useLoad, useState, when } from './lib.js';
import { say, windie } from './state.js';
import { Failure, Loaded, Sure } from './ui.js';

const day = 24; // hours
/** @param {number} seconds */
function age(seconds) {
  const [unit, n] = seconds % 86_400 === 0 ? ['day', seconds / 86_400] : seconds % 3600 === 0 ? ['hour', seconds / 3600] : ['minute', Math.round(seconds / 60)];
  return `${n} ${unit}${n === 1 ? '' : 's'}`;
}

export const Kept = () => {
  const loaded = useLoad(() => windie.value.operator.kept(), [windie.value]);
  return html`<${Loaded} of=${loaded} what="Counting what is kept">${(kinds) => html`
    <div class="wide" tabindex="0" role="region" aria-label="What is kept"><table class="kept"><caption class="sr">What the gateway keeps</caption><thead><tr>${['Kind', 'Pieces', 'Size', 'The oldest', 'Removed after', 'Removed since the start'].map((h) => html`<th scope="col" key=${h}>${h}</th>`)}</tr></thead>
      <tbody>${kinds.map((k) => html`<tr key=${k.kind}><th scope="row">${plain(k.kind)}</th><td>${k.measured ? k.items.toLocaleString() : html`<span class="faint">not counted</span>`}</td><td>${k.measured && bytes(k.bytes)}</td><td>${when(k.oldest_at)}</td>
        <td>${k.ttl_seconds > 0 ? age(k.ttl_seconds) : html`<span class="faint">${k.prunable ? 'never by itself' : 'with its user'}</span>`}</td><td>${(k.aged + k.erased).toLocaleString()}</td></tr>`)}</tbody></table></div>
    <${Prune} kinds=${kinds.filter((k) => k.prunable)} done=${loaded.again} />
    <p class="faint">Ages are counted from when a thing was last used. The settings <code>retention.*</code>, <code>artifact_ttl</code> and <code>audit_ttl</code> say what goes by itself. All of a user is removed by <code>windie user delete</code>.</p>`}<//>`;
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
      say(`${counts[kind].toLocaleString()} ${plain(kind)} are removed.`);
      done();
    } catch (e) {
      setFound(null);
      setError(e);
    }
  };
  const change = (set) => (e) => { set(e.currentTarget.value); setFound(null); };
  return html`<form class="card prune" onSubmit=${(e) => { e.preventDefault(); ask(true); }}><h2>Remove what is old</h2>
    <div class="inline"><label>Kind<select value=${kind} onChange=${change(setKind)}>${kinds.map((k) => html`<option key=${k.kind} value=${k.kind}>${plain(k.kind)}</option>`)}</select></label>
      <label>Not used for, in days<input type="number" min="0.05" step="any" required value=${days} onInput=${change(setDays)} /></label><button>Count first</button></div>
    ${error && html`<${Failure} error=${error} />`}
    ${found && html`<div role="status" class="actions"><span>${found.n === 0 ? `No ${plain(found.kind)} are that old.` : `${found.n.toLocaleString()} ${plain(found.kind)} were not used for ${plain(found.days)} days.`}</span>
      ${found.n > 0 && html`<${Sure} label="Remove them" question="Remove them for good?" onYes=${() => ask(false)} />`}</div>`}</form>`;
};
