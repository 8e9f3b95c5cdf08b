// @ts-check
// Plugins: the requests, the permissions and the state of each.
import { bytes, cls, html, plain, useEffect, useLoad, useRef, useState } from './lib.js';
import { parseExact, textOf } from './exact.js';
import { route, say, windie } from './state.js';
import { Empty, Failure, Json, Loaded, Sure, Text } from './ui.js';

export const Plugins = () => {
  const loaded = useLoad(() => windie.value.plugins.list(), [windie.value]);
  return html`<${Loaded} of=${loaded} what="Loading plugins">${(all) => (all.length === 0
    ? html`<${Empty} title="No plugins yet"><p>Put a <code>.wasm</code> or <code>.js</code> file into the plugins folder, or run <code>windie plugin add</code>.</p><//>`
    : html`<ul class="cards">${all.map((p) => html`<li key=${p.name}><${Plugin} of=${p} again=${loaded.again} /></li>`)}</ul>`)}<//>`;
};

/** A permission in words. Its value is in the form of a grant. @type {Record<string, (v: any) => string>} */
const allows = {
  http: (r) => `send requests to ${r.host}${r.path ?? ''}, to ${(r.methods ?? ['GET', 'HEAD']).some((m) => m !== 'GET' && m !== 'HEAD') ? `read and change (${r.methods.join(', ')})` : 'read'}${(r.schemes ?? []).includes('http') ? ', without encryption too' : ''}${r.private ? ', in private networks too' : ''}${r.secrets?.length > 0 ? `, with the secrets ${r.secrets.map((s) => s.name).join(', ')}` : ''}`,
  fs: (m) => `read${m.write ? ' and write' : ''} the folder ${m.path}`,
  env: (name) => `read the variable ${name}`,
  tools: (name) => `call the tool ${name}`,
  kv: (s) => `store values, at most ${bytes(s.bytes ?? 0)} ${s.shared ? 'for all users together' : 'per user'}`,
};
const spoken = (permission, value) => allows[permission]?.(value) ?? `${permission}: ${JSON.stringify(value)}`;

/** A grant in sentences. @param {any} grant */
export function sentences(grant) {
  const { permissions = {}, ...rest } = grant ?? {};
  const may = Object.entries(permissions).flatMap(([name, v]) => (Array.isArray(v) ? v : [v]).map((one) => (v === false ? `It has no permission ${name}.` : `It can ${spoken(name, one)}.`)));
  return [...may, ...Object.entries(rest).map(([name, v]) => `${name}: ${typeof v === 'string' ? v : JSON.stringify(v)}`)];
}

/** A grant with the missing permissions that the plugin requests. @param {any} grant @param {any[]} denied */
function withWishes(grant, denied) {
  const permissions = { ...grant.permissions };
  for (const { permission, wish } of denied) {
    if (permission === 'kv') permissions.kv = wish;
    else permissions[permission] = [...(permissions[permission] ?? []).filter((one) => !wish.at || one.at !== wish.at), wish];
  }
  return { ...grant, permissions };
}

/** The permissions that a plugin requests and lacks. */
export const Wishes = ({ of, again }) => {
  const [error, setError] = useState(/** @type {any} */ (null));
  const denied = of.admission?.denied ?? [];
  if (denied.length === 0) return null;
  const give = async () => {
    try {
      const grant = await windie.value.plugins.getGrant(of.name);
      await windie.value.plugins.putGrant(of.name, withWishes(grant, denied));
      say('Permissions saved.');
      setError(null);
      again();
    } catch (e) {
      setError(e);
    }
  };
  return html`<div class="notice"><p><strong>Missing permissions.</strong> Without them, some tools of this plugin can fail. The plugin requests permission to:</p>
    <ul>${denied.map((d, i) => html`<li key=${i}><${Text} of=${spoken(d.permission, d.wish)} limit=${500} /></li>`)}</ul>
    <div class="actions"><${Sure} label="Grant permissions" question="Grant these permissions?" danger=${false} onYes=${give} /></div>${error && html`<${Failure} error=${error} />`}</div>`;
};

const Plugin = ({ of, again }) => {
  const [error, setError] = useState(/** @type {any} */ (null));
  const [opened, open] = useState(false);
  const card = useRef(/** @type {any} */ (null));
  const meant = route.value[2] === of.name; // a link led to this one
  useEffect(() => meant && card.current?.scrollIntoView({ block: 'center' }), [meant]);
  const turn = async () => {
    try {
      await (of.state === 'disabled' ? windie.value.plugins.enable(of.name) : windie.value.plugins.disable(of.name));
      setError(null);
      say(`${plain(of.name)} is ${of.state === 'disabled' ? 'enabled' : 'disabled'}.`);
      again();
    } catch (e) {
      setError(e);
    }
  };
  return html`<article class=${cls('card', meant && 'meant')} ref=${card}><header class="bar"><h2><${Text} of=${of.name} /></h2><span class=${`chip ${of.state}`}>${plain(of.state)}</span>${of.admission?.denied?.length > 0 && html`<span class="chip warn">missing permissions</span>`}<span class="faint">${plain(of.file)}</span></header>
    ${of.problem && html`<p class="bad"><${Text} of=${of.problem} /></p>`}
    <p>Tools: ${of.tools.length === 0 ? 'none' : of.tools.map((t) => html`<code key=${t}><${Text} of=${t} /></code> `)}</p>
    <${Wishes} of=${of} again=${again} />
    ${error && html`<${Failure} error=${error} />`}
    <div class="actions"><button onClick=${turn}>${of.state === 'disabled' ? 'Enable' : 'Disable'}</button><button aria-expanded=${opened} onClick=${() => open(!opened)}>Edit permissions</button></div>
    ${opened && html`<${Grant} key=${JSON.stringify(of.admission?.denied)} of=${of} again=${again} />`}
    ${of.admission && html`<details><summary>Requests and limits</summary><${Json} label="Admission" of=${of.admission} /></details>`}</article>`;
};

const Grant = ({ of, again }) => {
  const loaded = useLoad(() => windie.value.plugins.getGrant(of.name), [of.name, windie.value]);
  const [text, setText] = useState(/** @type {string | null} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  const save = async (grant) => {
    try {
      await windie.value.plugins.putGrant(of.name, parseExact(text ?? textOf(grant)));
      say('Permissions saved.');
      setError(null);
      setText(null);
      loaded.again();
      again();
    } catch (e) {
      setError(e);
    }
  };
  return html`<${Loaded} of=${loaded} what="Loading permissions">${(grant) => html`
    <ul>${sentences(grant).map((s) => html`<li key=${s}><${Text} of=${s} limit=${500} /></li>`)}${sentences(grant).length === 0 && html`<li>No permissions: no network, no files.</li>`}</ul>
    <label>Grant (JSON), with <code>permissions</code>, <code>config</code>, <code>limits</code> and <code>risk</code><textarea class="mono" rows="8" spellcheck=${false} value=${text ?? textOf(grant)} onInput=${(e) => setText(e.currentTarget.value)}></textarea></label>
    ${error && html`<${Failure} error=${error} />`}
    <button class="primary" disabled=${text === null} onClick=${() => save(grant)}>Save permissions</button>`}<//>`;
};
