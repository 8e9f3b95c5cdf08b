// @ts-check
// MCP servers: how each is, its tools, and what waits for the operator.
import { html, plain, useEvery, useLoad, useState } from './lib.js';
import { hrefOf, say, windie } from './state.js';
import { Empty, Failure, Loaded, Sure, Text } from './ui.js';

const every = 3000; // ms between two looks at the list
const states = {
  ready: 'runs', known: 'starts with the next call', starting: 'is being asked for its tools', broken: 'cannot be used, and is tried again by itself', disabled: 'is switched off in the file',
};

export const Servers = () => {
  const loaded = useLoad(() => windie.value.operator.mcpServers(), [windie.value]);
  useEvery(() => !loaded.error && loaded.again(), every, [windie.value, Boolean(loaded.error)]);
  return html`<${Loaded} of=${loaded} what="Loading the MCP servers">${(all) => (all.length === 0
    ? html`<${Empty} title="There are no MCP servers"><p>Write them into the file <code>mcp.json</code> in the data folder, in the form that desktop programs have, and start the gateway again.</p><//>`
    : html`<ul class="cards">${all.map((s) => html`<li key=${s.name}><${Server} of=${s} again=${loaded.again} /></li>`)}</ul>`)}<//>`;
};

const Server = ({ of, again }) => {
  const [error, setError] = useState(/** @type {any} */ (null));
  const changed = of.tools.filter((t) => t.changed);
  const accept = async () => {
    try {
      const names = await windie.value.operator.acceptMcpServer(of.name);
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
    ${changed.length > 0 && html`<p>${changed.length === 1 ? 'One tool is' : `${changed.length} tools are`} not what ${changed.length === 1 ? 'it was' : 'they were'} when first seen. Look at ${changed.length === 1 ? 'its description' : 'their descriptions'} on the server before you accept: nothing new of it is shown to anybody until then.</p><div class="actions"><${Sure} label="Accept the changes" question="Use the tools as they are now?" onYes=${accept} /></div>`}
    ${error && html`<${Failure} error=${error} />`}</article>`;
};
