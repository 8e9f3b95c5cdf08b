// @ts-check
// MCP servers: the state and the tools of each, and the changes that the operator has to accept.
import { count, html, plain, useEvery, useLoad, useState } from './lib.js';
import { hrefOf, say, windie } from './state.js';
import { countRefused } from './refused.js';
import { Empty, Failure, Fold, Json, Loaded, Sure, Text } from './ui.js';

const every = 3000; // ms between two loads of the list
const states = {
  ready: 'running', known: 'starts with the next call', starting: 'loading its tools', broken: 'unavailable, retrying', disabled: 'disabled in the file', 'sign-in': 'lists its tools when a user connects',
};

export const Servers = () => {
  const loaded = useLoad((signal) => windie.value.operator.mcpServers({ signal }).then(countRefused), [windie.value]);
  useEvery(() => !loaded.error && loaded.again(), every, [windie.value, Boolean(loaded.error)]);
  return html`<${Loaded} of=${loaded} what="Loading the MCP servers">${(all) => (all.length === 0
    ? html`<${Empty} title="No MCP servers"><p>Add them to the file <code>mcp.json</code> in the data folder, then restart the gateway.</p><//>`
    : html`<ul class="cards">${all.map((s) => html`<li key=${s.name}><${Server} of=${s} again=${loaded.again} /></li>`)}</ul>`)}<//>`;
};

const fieldsOf = (schema) => Object.entries(schema?.properties ?? {}).map(([name, s]) => ({ name, text: JSON.stringify(s) }));

/** One of two definitions of a tool, with the fields that differ from the other. */
const Defined = ({ name, of, other, kind }) => {
  if (!of) return html`<p class="faint"><strong>${name}</strong> Not known: an older version of the gateway recorded this change.</p>`;
  const others = new Set(fieldsOf(other?.input).map((f) => `${f.name} ${f.text}`));
  const differs = fieldsOf(of.input).filter((f) => !others.has(`${f.name} ${f.text}`));
  return html`<div class=${kind}><p><strong>${name}</strong> <${Text} of=${of.description} limit=${2000} /></p>
    ${differs.length > 0 && html`<ul>${differs.map((f) => html`<li key=${f.name}>Field <code><${Text} of=${f.name} limit=${200} /></code>: <${Text} of=${f.text} limit=${1000} /></li>`)}</ul>`}
    <${Fold} label="Schemas">${() => html`<${Json} label=${`Schemas ${name.toLowerCase()}`} of=${{ input: of.input, output: of.output }} />`}<//></div>`;
};

/** A server. A change while the question is open asks again: the Yes is to the changes on the page. */
const Server = ({ of, again }) => {
  const [error, setError] = useState(/** @type {any} */ (null));
  const changed = of.tools.filter((t) => t.changed);
  const accept = async () => {
    try {
      const names = await windie.value.operator.acceptMcpServer(of.name, of.changes ?? '');
      say(names.length === 0 ? 'Nothing to accept.' : `Accepted: ${names.map(plain).join(', ')}`);
      setError(null);
      again();
    } catch (e) {
      setError(e);
    }
  };
  return html`<article class="card"><header class="bar"><h2><${Text} of=${of.name} /></h2><span class=${`chip ${of.state}`}>${plain(of.state)}</span><span class="faint">${of.state !== 'disabled' && (of.where === 'http' ? 'remote, ' : 'local program, ')}${states[of.state] ?? ''}</span></header>
    ${of.problem && html`<p class="bad"><${Text} of=${of.problem} limit=${1000} /></p>`}
    ${of.tools.length === 0 ? html`<p class="faint">No tools loaded.</p>` : html`<ul class="rows" aria-label=${`Tools of ${plain(of.name)}`}>${of.tools.map((t) => html`<li key=${t.id} class="bar"><a class="grow" href=${hrefOf('tools', t.id)}><code><${Text} of=${t.id} /></code></a><span class=${`chip ${t.changed ? 'bad' : t.risk}`}>${t.changed ? 'refused: changed' : plain(t.risk)}</span></li>`)}</ul>`}
    ${of.notes.map((n, i) => html`<p class="faint" key=${i}><${Text} of=${n} limit=${1000} /></p>`)}
    ${changed.length > 0 && html`<p>${count(changed.length, 'tool')} changed after you accepted the server. The gateway refuses calls until you accept the changes. Agents do not see a new description before that: it can be an attempt to mislead them.</p>
      ${changed.map((t) => html`<section key=${t.id}><h3><code><${Text} of=${t.id} /></code></h3><${Defined} name="Before" of=${t.was} other=${t.now} kind="gone" /><${Defined} name="Now" of=${t.now} other=${t.was} kind="come" /></section>`)}<div class="actions"><${Sure} key=${of.changes} label="Accept changes" question="Use the changed tools?" onYes=${accept} /></div>`}
    ${error && html`<${Failure} error=${error} />`}</article>`;
};
