// @ts-check
// Users: spend, storage, budgets and access tokens. The API calls the holder of a token an install.
import { bytes, cls, count, html, plain, useEffect, useLoad, useRef, useState, when } from './lib.js';
import { baseURL, go, here, hrefOf, route, say, windie } from './state.js';
import { Copy, Empty, Failure, Loaded, Sure, Text } from './ui.js';
import { amountOf, Spent } from './people.js';

export const Users = () => {
  const open = route.value[2] ?? '';
  const [pages, setPages] = useState(/** @type {string[]} */ (['']));
  const [error, setError] = useState(/** @type {any} */ (null));
  const loaded = useLoad(() => windie.value.operator.users({ after: pages.at(-1) || undefined }), [windie.value, pages]);
  const hosted = here.value?.mode === 'hosted';
  const make = async () => {
    try {
      const { user_id } = await windie.value.operator.createUser();
      say('User created. Set a budget, then create an access token to sign in with.');
      loaded.again();
      go('gateway', 'users', user_id);
    } catch (e) {
      setError(e);
    }
  };
  return html`<div class=${cls('talks', open && 'open')}><div class="talk-list">
      ${hosted && html`<div class="actions"><button onClick=${make}>Create user</button></div><p class="help">The gateway chooses the user's id. Each access token of the user can have a name.</p>`}
      ${error && html`<${Failure} error=${error} />`}
      <${Lookup} />
      <${Loaded} of=${loaded} what="Loading the users">${({ items: users, next }) => (users.length === 0
        ? html`<${Empty} title=${hosted ? 'No users yet' : 'No spend today'}>${!hosted && html`<p>The list has the users of <code>X-User-Id</code> with model requests today or a budget of their own. Enter an id to open another user.</p>`}<//>`
        : html`<ul class="rows" aria-label="Users">${users.map((u) => html`<li key=${u.user_id}><a class="row" href=${hrefOf('gateway', 'users', u.user_id)} aria-current=${u.user_id === open ? 'true' : undefined}><${Text} of=${u.user_id} />
          <span class="faint">${count(u.usage.tokens.used, 'model token')} today${u.usage.money_micros.used > 0 ? `, ${amountOf(u.usage.money_micros.used, u.usage.currency)}` : ''}${u.own_budget ? ', own budget' : ''}${hosted ? `, ${count(u.installs, 'access token')}` : ''}</span></a></li>`)}</ul>
          <p class="faint">Spend today: ${amountOf(users.reduce((n, u) => n + u.usage.money_micros.used, 0), users[0].usage.currency)}${next || pages.length > 1 ? ' for the users on this page' : ''}.</p>
          <div class="actions">${pages.length > 1 && html`<button class="small" onClick=${() => setPages(pages.slice(0, -1))}>Previous</button>`}${next && html`<button class="small" onClick=${() => setPages([...pages, next])}>Next</button>`}</div>`)}<//></div>
    <div class="talk">${open ? html`<p><a class="button small back" href=${hrefOf('gateway', 'users')}>All users</a></p><${User} key=${open} id=${open} changed=${loaded.again} />` : html`<${Empty} title="Select a user"><p>${hosted ? 'Set a budget, or create and revoke access tokens.' : 'Set a budget.'}</p><//>`}</div></div>`;
};

/** Opens a user by id: long lists have pages. */
const Lookup = () => {
  const [id, setId] = useState('');
  return html`<form class="inline" onSubmit=${(e) => { e.preventDefault(); if (id.trim()) go('gateway', 'users', id.trim()); }}>
    <label class="grow"><span class="sr">User id</span><input placeholder="User id" maxlength="128" value=${id} onInput=${(e) => setId(e.currentTarget.value)} /></label><button>Open</button></form>`;
};

const User = ({ id, changed }) => {
  const loaded = useLoad(() => windie.value.operator.user(id), [id, windie.value]);
  const hosted = here.value?.mode === 'hosted';
  const again = () => { loaded.again(); changed(); };
  return html`<${Loaded} of=${loaded} what="Loading the user">${({ user, installs, kept }) => html`
    <h2><${Text} of=${user.user_id} /></h2>${user.created_at && html`<p class="faint">Created ${when(user.created_at)}</p>`}
    <${Spent} of=${user.usage} />
    <${Budget} of=${user} again=${again} />
    <h3>Storage</h3><div class="wide" tabindex="0" role="region" aria-label="Storage"><table><caption class="sr">Storage of the user, with its limits</caption><thead><tr>${['Type', 'Count', 'Count limit', 'Size', 'Size limit'].map((h, i) => html`<th scope="col" key=${i}>${h}</th>`)}</tr></thead>
      <tbody>${kept.map((k) => html`<tr key=${k.kind}><th scope="row">${plain(k.kind)}</th><td>${k.items.toLocaleString()}</td><td>${k.max_items > 0 ? k.max_items.toLocaleString() : 'unlimited'}</td><td>${k.bytes + k.max_bytes > 0 && bytes(k.bytes)}</td><td>${k.max_bytes > 0 ? bytes(k.max_bytes) : 'unlimited'}</td></tr>`)}</tbody></table></div>
    ${(hosted || installs.length > 0) && html`<h3>Access tokens</h3>
      ${installs.length === 0 ? html`<p class="faint">No access tokens yet. Create one for each program or machine that signs in as this user.</p>` : html`<ul class="rows" aria-label="Access tokens">${installs.map((i) => html`<li key=${i.install_id} class="bar"><span class="grow"><${Text} of=${i.install_id} /><br /><span class="faint">${plain(i.operating_system || 'No name')}, created ${when(i.created_at)}, ${i.seen_at ? `last used ${when(i.seen_at)}` : 'never used'}</span></span>
        ${i.revoked_at ? html`<span class="chip stopped">revoked ${when(i.revoked_at)}</span>` : html`<${Revoke} id=${i.install_id} again=${again} />`}</li>`)}</ul>`}
      ${hosted && html`<${NewToken} id=${user.user_id} again=${again} />`}`}`}<//>`;
};

const Revoke = ({ id, again }) => {
  const revoke = () => windie.value.operator.revokeInstall(id).then(() => { say('Access token revoked.'); again(); }, (e) => say(e.message));
  return html`<${Sure} label="Revoke" question="Revoke this access token permanently?" onYes=${revoke} />`;
};

const NewToken = ({ id, again }) => {
  const [system, setSystem] = useState('');
  const [made, setMade] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  const make = async (e) => {
    e.preventDefault();
    try {
      setMade(await windie.value.operator.createToken(id, system.trim()));
      setError(null);
      again();
    } catch (e2) {
      setError(e2);
    }
  };
  return html`<form class="card" onSubmit=${make}><label>Token name (optional)<input maxlength="64" pattern="[ -~]*" placeholder="For example: Ada's laptop" value=${system} onInput=${(e) => setSystem(e.currentTarget.value)} /></label>
    ${error && html`<${Failure} error=${error} />`}<button>Create access token</button></form>
    ${made && html`<${Handed} id=${id} token=${made.install_token} />`}`;
};

/** A new access token, shown once. */
const Handed = ({ id, token }) => {
  const box = useRef(/** @type {any} */ (null));
  useEffect(() => box.current?.scrollIntoView({ block: 'center' }), [token]);
  return html`<div role="status" class="card token" ref=${box}><h4>New access token for <${Text} of=${id} /></h4><p><strong>Copy it now: it is not shown again.</strong> Anyone with this token can sign in as this user.</p>
    <p>Gateway URL: <code class="text">${plain(baseURL)}</code></p><p>Access token: <code class="text secret">${plain(token)}</code></p>
    <div class="actions"><${Copy} text=${`${baseURL}\n${token}`} label="Copy both" /><${Copy} text=${token} label="Copy token" /></div></div>`;
};

const Budget = ({ of, again }) => {
  const limit = (n, by) => (n > 0 ? String(n / by) : '');
  const [tokens, setTokens] = useState(limit(of.usage.tokens.limit, 1));
  const [money, setMoney] = useState(limit(of.usage.money_micros.limit, 1e6));
  const [error, setError] = useState(/** @type {any} */ (null));
  const keep = async (budget) => {
    try {
      const { usage } = await windie.value.operator.setBudget(of.user_id, budget);
      setTokens(limit(usage.tokens.limit, 1));
      setMoney(limit(usage.money_micros.limit, 1e6));
      setError(null);
      say('Budget saved. It applies from the next model request.');
      again();
    } catch (e) {
      setError(e);
    }
  };
  return html`<form class="card" onSubmit=${(e) => { e.preventDefault(); keep({ tokens: Math.round(Number(tokens)), money_micros: Math.round(Number(money) * 1e6) }); }}>
    <h3>Daily budget</h3><p class="faint">${of.own_budget ? 'This user has its own budget.' : 'The default budget from the settings applies.'} Save sets both limits. Leave a field empty for no limit.</p>
    <div class="inline"><label>Model tokens<input type="number" min="0" step="1" placeholder="no limit" value=${tokens} onInput=${(e) => setTokens(e.currentTarget.value)} /></label><label>Money${of.usage.currency && ` in ${plain(of.usage.currency)}`}<input type="number" min="0" step="0.000001" placeholder="no limit" value=${money} onInput=${(e) => setMoney(e.currentTarget.value)} /></label></div>
    ${error && html`<${Failure} error=${error} />`}
    <div class="actions"><button>Save budget</button>${of.own_budget && html`<button type="button" onClick=${() => keep({ default: true })}>Use default budget</button>`}</div></form>`;
};
