// @ts-check
// Plugins: what each asks for, what it was granted, and whether it runs.
import { html, plain, useLoad, useState } from './lib.js';
import { say, windie } from './state.js';
import { Empty, Failure, Json, Loaded, Text } from './ui.js';

export const Plugins = () => {
  const loaded = useLoad(() => windie.value.plugins.list(), [windie.value]);
  return html`<${Loaded} of=${loaded} what="Loading the plugins">${(all) => (all.length === 0
    ? html`<${Empty} title="There are no plugins"><p>Put a <code>.wasm</code> or <code>.js</code> file into the folder of plugins, or add one with <code>windie tool</code>.</p><//>`
    : html`<ul class="cards">${all.map((p) => html`<li key=${p.name}><${Plugin} of=${p} again=${loaded.again} /></li>`)}</ul>`)}<//>`;
};

/** What a grant allows, in sentences. @param {any} grant */
export function sentences(grant) {
  const list = (v) => (Array.isArray(v) ? v.map((x) => (typeof x === 'string' ? x : JSON.stringify(x))) : v && typeof v === 'object' ? Object.keys(v) : [String(v)]).join(', ');
  const said = { http: 'It may send requests to', hosts: 'It may send requests to', env: 'It reads the settings', config: 'It has the settings', secrets: 'It may use the secrets', kv: 'It may keep values', fs: 'It may use the folders', files: 'It may use the folders', tools: 'It may call the tools', log: 'It may write to the log', clock: 'It may read the clock', random: 'It may draw random numbers', limits: 'Its limits are' };
  return Object.entries(grant ?? {}).map(([name, value]) => `${said[name] ?? `It has ${name}:`} ${name === 'limits' ? JSON.stringify(value) : list(value)}`);
}

const Plugin = ({ of, again }) => {
  const [error, setError] = useState(/** @type {any} */ (null));
  const [opened, open] = useState(false);
  const turn = async () => {
    try {
      await (of.state === 'disabled' ? windie.value.plugins.enable(of.name) : windie.value.plugins.disable(of.name));
      say(`${plain(of.name)} is ${of.state === 'disabled' ? 'enabled' : 'disabled'}.`);
      again();
    } catch (e) {
      setError(e);
    }
  };
  return html`<article class="card"><header class="bar"><h2><${Text} of=${of.name} /></h2><span class=${`chip ${of.state}`}>${plain(of.state)}</span><span class="faint">${plain(of.file)}</span></header>
    ${of.problem && html`<p class="bad"><${Text} of=${of.problem} /></p>`}
    <p>Tools: ${of.tools.length === 0 ? 'none' : of.tools.map((t) => html`<code key=${t}><${Text} of=${t} /></code> `)}</p>
    ${error && html`<${Failure} error=${error} />`}
    <div class="actions"><button onClick=${turn}>${of.state === 'disabled' ? 'Enable' : 'Disable'}</button><button aria-expanded=${opened} onClick=${() => open(!opened)}>Grant</button></div>
    ${opened && html`<${Grant} of=${of} again=${again} />`}
    ${of.admission && html`<details><summary>What it asks for, and its limits</summary><${Json} label="Admission" of=${of.admission} /></details>`}</article>`;
};

const Grant = ({ of, again }) => {
  const loaded = useLoad(() => windie.value.plugins.getGrant(of.name), [of.name, windie.value]);
  const [text, setText] = useState(/** @type {string | null} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  const save = async (grant) => {
    try {
      await windie.value.plugins.putGrant(of.name, JSON.parse(text ?? JSON.stringify(grant)));
      say('The grant is kept.');
      setText(null);
      loaded.again();
      again();
    } catch (e) {
      setError(e);
    }
  };
  return html`<${Loaded} of=${loaded} what="Loading the grant">${(grant) => html`
    <ul>${sentences(grant).map((s) => html`<li key=${s}><${Text} of=${s} limit=${500} /></li>`)}${sentences(grant).length === 0 && html`<li>It may do nothing but compute.</li>`}</ul>
    <label>The grant<textarea class="mono" rows="8" spellcheck=${false} value=${text ?? JSON.stringify(grant, null, 2)} onInput=${(e) => setText(e.currentTarget.value)}></textarea></label>
    ${error && html`<${Failure} error=${error} />`}
    <button class="primary" disabled=${text === null} onClick=${() => save(grant)}>Keep this grant</button>`}<//>`;
};
