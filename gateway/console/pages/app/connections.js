// @ts-check
// The person's connections to the MCP servers of others.
import { html, plain, useEffect, useLoad, useState, when } from './lib.js';
import { filters, hrefOf, operates, say, windie } from './state.js';
import { Empty, Failure, Loaded, SignIn, Sure, Text } from './ui.js';

const states = { connected: 'connected', refused: 'sign in again', none: 'not connected' };

/** The servers that people sign in to, with the person's connections. */
export const Connections = () => {
  const loaded = useLoad(() => windie.value.connections.list(), [windie.value]);
  if (loaded.error?.code === 'NOT_FOUND') return html`<${Empty} title="No connections"><p>This gateway has no users who could sign in to MCP servers.</p><//>`;
  return html`<${Loaded} of=${loaded} what="Loading the connections">${(all) => (all.length === 0
    ? html`<${Empty} title="No servers to connect"><p>When the file <code>mcp.json</code> has an MCP server that wants each user to sign in, connect to it here.</p><//>`
    : html`<ul class="cards">${all.map((c) => html`<li key=${c.server}><${Connection} of=${c} again=${loaded.again} /></li>`)}</ul>`)}<//>`;
};

const Connection = ({ of, again }) => {
  const [error, setError] = useState(/** @type {any} */ (null));
  const [sent, setSent] = useState(false);
  const begin = async () => {
    setSent(true);
    try {
      const { location: to } = await windie.value.connections.begin(of.server);
      location.assign(to);
    } catch (e) {
      setError(e);
      setSent(false);
    }
  };
  const end = () => windie.value.connections.end(of.server).then(() => { say('Disconnected.'); again(); }, setError);
  return html`<article class="card"><header class="bar"><h2><${Text} of=${of.server} /></h2><span class=${`chip ${of.state === 'refused' ? 'bad' : ''}`}>${states[of.state] ?? plain(of.state)}</span></header>
    <p>At <strong><${Text} of=${of.host} /></strong>.${of.issuer && html` You signed in at <strong><${Text} of=${of.issuer} /></strong>.`}${of.scopes.length > 0 && html` Scopes: <${Text} of=${of.scopes.join(', ')} limit=${500} />.`}</p>
    ${of.created_at && html`<p class="faint">Connected ${when(of.created_at)}. Your agents use this server as you. Models never see the access token.</p>`}
    ${error && html`<${Failure} error=${error} />`}
    <div class="actions">${of.state !== 'connected' && html`<button class="primary" disabled=${sent} onClick=${begin}>Connect</button>`}${of.state !== 'none' && html`<${Sure} label="Disconnect" question="Disconnect from this server?" onYes=${end} />`}</div></article>`;
};

/** The end of a sign-in: the issuer sent the browser back. */
export const Connected = () => {
  const [query] = useState(() => String(new URLSearchParams(filters.value)));
  useEffect(() => history.replaceState(null, '', `${location.pathname}#/connected`), []); // a code does not stay in the address
  const loaded = useLoad(() => (operates() ? Promise.resolve(null) : windie.value.connections.finish(query)), [windie.value, query]);
  return html`<section class="card" aria-labelledby="connected-title"><h1 id="connected-title">Connect to a server</h1>
    ${operates() ? html`<${SignIn} />` : html`<${Loaded} of=${loaded} what="Signing in">${(done) => html`<p>Connected to <strong><${Text} of=${done?.server} /></strong>. Return to your client, and repeat the call.</p>`}<//>`}
    <p><a href=${hrefOf('gateway', 'connections')}>Gateway, Connections</a></p></section>`;
};
