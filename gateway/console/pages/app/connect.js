// @ts-check
// The clients that act for a person: the request of a new one, and those that are connected.
import { html, plain, useEffect, useLoad, useState, when } from './lib.js';
import { filters, hrefOf, keptRequest, operates, say, windie } from './state.js';
import { Empty, Failure, Loaded, SignIn, Sure, Text } from './ui.js';

/** What each scope lets a client do. */
const scopeTexts = {
  screens: ['Read screens', 'Find texts and elements on pictures, and read your artifacts.'],
  tools: ['Use tools', 'Call the other tools that change nothing, such as searches.'],
  risky: ['Use risky tools', 'Call tools that can change something. Calls that need your approval still need it.'],
  computer: ['Use the computer', 'See the screen of the gateway’s machine, and use its mouse and keyboard.'],
};

/** The request of a client, on which the person decides. */
export const Connect = () => {
  const query = String(new URLSearchParams(filters.value));
  const loaded = useLoad(() => (operates() ? Promise.resolve(null) : windie.value.clients.ask(query)), [windie.value, query]);
  useEffect(() => keptRequest.clear(), []);
  return html`<section class="card" aria-labelledby="connect-title"><h1 id="connect-title">Connect a client</h1>
    ${operates() ? html`<${SignIn} />` : html`<${Loaded} of=${loaded} what="Checking the request">${(asked) => html`<${Decision} asked=${asked} query=${query} />`}<//>`}</section>`;
};

const Decision = ({ asked, query }) => {
  const [scopes, setScopes] = useState(/** @type {string[]} */ (asked.scopes));
  const [error, setError] = useState(/** @type {any} */ (null));
  const [sent, setSent] = useState(false);
  const [back, setBack] = useState(''); // where an app's link leads, for browsers that do not follow it by themselves
  const decide = async (allow) => {
    setSent(true);
    try {
      const { location: to } = await windie.value.clients.decide({ query, proof: asked.proof, allow, scopes: allow ? scopes : [] });
      if (asked.redirect_app) setBack(to);
      location.assign(to);
    } catch (e) {
      setError(e);
      setSent(false);
    }
  };
  const change = (scope, on) => setScopes(asked.scopes.filter((s) => (s === scope ? on : scopes.includes(s))));
  return html`<p><strong><${Text} of=${asked.client || 'A client without a name'} limit=${100} /></strong>${asked.client_host ? html` of <strong><${Text} of=${asked.client_host} /></strong>` : ''} wants to use this gateway as <code><${Text} of=${asked.user_id} /></code>.</p>
    ${!asked.client_host && html`<p class="faint">The client chose its name. Nobody has verified it.</p>`}
    <p>${asked.redirect_app ? html`The access goes to the program on your own machine that opens links of <strong><${Text} of=${`${asked.redirect_app}:`} /></strong>, at <code><${Text} of=${asked.redirect_uri} limit=${200} /></code>. Any program there could claim to be this client.` : asked.local ? html`The access goes to a program on your own machine, at <strong><${Text} of=${asked.redirect_host} /></strong>. Any program there could claim to be this client.` : html`The access goes to <strong><${Text} of=${asked.redirect_host} /></strong>.`}</p>
    <fieldset><legend>The client may</legend>${asked.scopes.map((scope) => html`<label key=${scope} class="check"><input type="checkbox" name=${scope} checked=${scopes.includes(scope)} onChange=${(e) => change(scope, e.currentTarget.checked)} /> <span><strong>${scopeTexts[scope]?.[0] ?? plain(scope)}</strong><br /><span class="faint">${scopeTexts[scope]?.[1] ?? ''}</span></span></label>`)}</fieldset>
    <p>Allow this only if you have just started it in this client. You can disconnect the client under <a href=${hrefOf('gateway', 'clients')}>Gateway, Clients</a>.</p>
    ${error && html`<${Failure} error=${error} />`}
    ${back && html`<p role="status">The program gets your answer now. If it does not come to the front, <a href=${back}>open it</a> within a minute.</p>`}
    <div class="actions"><button class="primary" disabled=${sent || scopes.length === 0} onClick=${() => decide(true)}>Allow</button><button disabled=${sent} onClick=${() => decide(false)}>Deny</button></div>`;
};

/** The clients that the person has connected. */
export const Clients = () => {
  const loaded = useLoad(() => windie.value.clients.list(), [windie.value]);
  const end = (c) => windie.value.clients.end(c.id).then(() => { say('Client disconnected.'); loaded.again(); }, (e) => say(e.message));
  if (loaded.error?.code === 'NOT_FOUND') return html`<${Empty} title="No clients by URL"><p>To let clients connect by the URL of this gateway, the operator sets <code>WINDIE_PUBLIC_URL</code> to an HTTPS URL.</p><//>`;
  return html`<${Loaded} of=${loaded} what="Loading the clients">${(all) => (all.length === 0
    ? html`<${Empty} title="No clients connected"><p>Add this gateway to an MCP client by its URL, which ends in <code>/mcp</code>. The client then asks for your consent here.</p><//>`
    : html`<ul class="cards">${all.map((c) => html`<li key=${c.id} class="card"><h2><${Text} of=${c.client || 'A client without a name'} limit=${100} /></h2>
    <p>${c.client_host && html`Of <${Text} of=${c.client_host} />. `}Access went to <${Text} of=${c.redirect_app ? `the program for links of ${c.redirect_app}:` : c.redirect_host} />. It may: ${c.scopes.map((s) => (scopeTexts[s]?.[0] ?? plain(s)).toLowerCase()).join(', ')}.</p>
    <p class="faint">Connected ${when(c.created_at)}. ${c.seen_at ? html`Last request ${when(c.seen_at)}.` : 'Never used.'} Expires ${when(c.expires_at)}.</p>
    <${Sure} label="Disconnect" question="Disconnect this client?" onYes=${() => end(c)} /></li>`)}</ul>`)}<//>`;
};
