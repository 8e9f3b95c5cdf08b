// @ts-check
// MCP servers: how each is, its tools, and what waits for the operator.
import { html, plain, useEvery, useLoad, useState } from './lib.js';
import { hrefOf, say, windie } from './state.js';
import { countRefused } from './refused.js';
import { Empty, Failure, Fold, Json, Loaded, Sure, Text } from './ui.js';

const every = 3000; // ms between two looks at the list
const states = {
  ready: 'runs', known: 'starts with the next call', starting: 'is being asked for its tools', broken: 'cannot be used, and is tried again by itself', disabled: 'is switched off in the file',
};

export const Servers = () => {
  const loaded = useLoad((signal) => windie.value.operator.mcpServers({ signal }).then(countRefused), [windie.value]);
  useEvery(() => !loaded.error && loaded.again(), every, [windie.value, Boolean(loaded.error)]);
  return html`<${Loaded} of=${loaded} what="Loading the MCP servers">${(all) => (all.length === 0
    ? html`<${Empty} title="There are no MCP servers"><p>Write them into the file <code>mcp.json</code> in the data folder, in the form that desktop programs have, and start the gateway again.</p><//>`
    : html`<ul class="cards">${all.map((s) => html`<li key=${s.name}><${Server} of=${s} again=${loaded.again} /></li>`)}</ul>`)}<//>`;
};

const fieldsOf = (schema) => Object.entries(schema?.properties ?? {}).map(([name, s]) => ({ name, text: JSON.stringify(s) }));

/** What a tool said of itself, with the fields that the other of both does not have so. */
const Defined = ({ name, of, other, kind }) => {
  if (!of) return html`<p class="faint"><strong>${name}</strong> It is not known what it was: it changed before an update of the gateway.</p>`;
  const others = new Set(fieldsOf(other?.input).map((f) => `${f.name} ${f.text}`));
  const differs = fieldsOf(of.input).filter((f) => !others.has(`${f.name} ${f.text}`));
  return html`<div class=${kind}><p><strong>${name}</strong> <${Text} of=${of.description} limit=${2000} /></p>
    ${differs.length > 0 && html`<ul>${differs.map((f) => html`<li key=${f.name}>the field <code><${Text} of=${f.name} limit=${200} /></code>: <${Text} of=${f.text} limit=${1000} /></li>`)}</ul>`}
    <${Fold} label="Schemas">${() => html`<${Json} label=${`Schemas ${name.toLowerCase()}`} of=${{ input: of.input, output: of.output }} />`}<//></div>`;
};

/** A server. What changes while one is asked is asked about anew: the Yes is to what was seen. */
const Server = ({ of, again }) => {
  const [error, setError] = useState(/** @type {any} */ (null));
  const changed = of.tools.filter((t) => t.changed);
  const accept = async () => {
    try {
      const names = await windie.value.operator.acceptMcpServer(of.name, of.changes ?? '');
      say(names.length === 0 ? 'Nothing had changed.' : `Accepted: ${names.map(plain).join(', ')}`);
      setError(null);
      again();
    } catch (e) {
      setError(e);
    }
  };
  return html`<article class="card"><header class="bar"><h2><${Text} of=${of.name} /></h2><span class=${`chip ${of.state}`}>${plain(of.state)}</span><span class="faint">${of.state !== 'disabled' && (of.where === 'http' ? 'at a URL, ' : 'a program of this machine, ')}${states[of.state] ?? ''}</span></header>
    ${of.problem && html`<p class="bad"><${Text} of=${of.problem} limit=${1000} /></p>`}
    ${of.tools.length === 0 ? html`<p class="faint">None of its tools is known.</p>` : html`<ul class="rows" aria-label=${`Tools of ${plain(of.name)}`}>${of.tools.map((t) => html`<li key=${t.id} class="bar"><a class="grow" href=${hrefOf('tools', t.id)}><code><${Text} of=${t.id} /></code></a><span class=${`chip ${t.changed ? 'bad' : t.risk}`}>${t.changed ? 'changed: refused' : plain(t.risk)}</span></li>`)}</ul>`}
    ${of.notes.map((n, i) => html`<p class="faint" key=${i}><${Text} of=${n} limit=${1000} /></p>`)}
    ${changed.length > 0 && html`<p>${changed.length === 1 ? 'One tool is' : `${changed.length} tools are`} not what ${changed.length === 1 ? 'it was' : 'they were'} when you took ${changed.length === 1 ? 'it' : 'them'} in, and cannot be called. No agent is shown the new words before you accept them: they may be meant to mislead one.</p>
      ${changed.map((t) => html`<section key=${t.id}><h3><code><${Text} of=${t.id} /></code></h3><${Defined} name="Before" of=${t.was} other=${t.now} kind="gone" /><${Defined} name="Now" of=${t.now} other=${t.was} kind="come" /></section>`)}<div class="actions"><${Sure} key=${of.changes} label="Accept the changes" question="Use the tools as they are now?" onYes=${accept} /></div>`}
    ${error && html`<${Failure} error=${error} />`}</article>`;
};
