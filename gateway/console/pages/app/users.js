// @ts-check
// Users: what each spends and keeps, their budgets, and their accesses, which the API calls installs, each with its token.
import { bytes, cls, html, plain, useEffect, useLoad, useRef, useState, when } from './lib.js';
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
      say('The user is made. Give it a budget, and make an access: that is what lets somebody in.');
      loaded.again();
      go('gateway', 'users', user_id);
    } catch (e) {
      setError(e);
    }
  };
  return html`<div class=${cls('talks', open && 'open')}><div class="talk-list">
      ${hosted && html`<div class="actions"><button onClick=${make}>Make a user</button></div><p class="help">The gateway gives the user an id at once. A name for people is given to each access of the user.</p>`}
      ${error && html`<${Failure} error=${error} />`}
      <${Lookup} />
      <${Loaded} of=${loaded} what="Loading the users">${({ items: users, next }) => (users.length === 0
        ? html`<${Empty} title=${hosted ? 'There are no users' : 'Nobody spent anything today'}>${!hosted && html`<p>A local gateway knows users by the names in <code>X-User-Id</code>. Those who ask a model, or have a budget of their own, are listed.</p>`}<//>`
        : html`<ul class="rows" aria-label="Users">${users.map((u) => html`<li key=${u.user_id}><a class="row" href=${hrefOf('gateway', 'users', u.user_id)} aria-current=${u.user_id === open ? 'true' : undefined}><${Text} of=${u.user_id} />
          <span class="faint">${u.usage.tokens.used.toLocaleString()} model tokens today${u.usage.money_micros.used > 0 ? `, ${amountOf(u.usage.money_micros.used, u.usage.currency)}` : ''}${u.own_budget ? ', a budget of its own' : ''}${hosted ? `, ${u.installs} access${u.installs === 1 ? '' : 'es'}` : ''}</span></a></li>`)}</ul>
          <p class="faint">Together: ${amountOf(users.reduce((n, u) => n + u.usage.money_micros.used, 0), users[0].usage.currency)} today${next || pages.length > 1 ? ', of those listed here' : ''}.</p>
          <div class="actions">${pages.length > 1 && html`<button class="small" onClick=${() => setPages(pages.slice(0, -1))}>Before</button>`}${next && html`<button class="small" onClick=${() => setPages([...pages, next])}>More</button>`}</div>`)}<//></div>
    <div class="talk">${open ? html`<p><a class="button small back" href=${hrefOf('gateway', 'users')}>All</a></p><${User} key=${open} id=${open} changed=${loaded.again} />` : html`<${Empty} title="Choose a user" />`}</div></div>`;
};

/** Goes to a user by name: long lists have pages. */
const Lookup = () => {
  const [id, setId] = useState('');
  return html`<form class="inline" onSubmit=${(e) => { e.preventDefault(); if (id.trim()) go('gateway', 'users', id.trim()); }}>
    <label class="grow"><span class="sr">A user's id</span><input placeholder="A user's id" maxlength="128" value=${id} onInput=${(e) => setId(e.currentTarget.value)} /></label><button>Open</button></form>`;
};

const User = ({ id, changed }) => {
  const loaded = useLoad(() => windie.value.operator.user(id), [id, windie.value]);
  const hosted = here.value?.mode === 'hosted';
  const again = () => { loaded.again(); changed(); };
  return html`<${Loaded} of=${loaded} what="Loading the user">${({ user, installs, kept }) => html`
    <h2><${Text} of=${user.user_id} /></h2>${user.created_at && html`<p class="faint">made ${when(user.created_at)}</p>`}
    <${Spent} of=${user.usage} />
    <${Budget} of=${user} again=${again} />
    <h3>What is kept</h3><div class="wide" tabindex="0" role="region" aria-label="What the user keeps"><table><caption class="sr">What the user keeps, and may keep</caption><thead><tr>${['Kind', 'Pieces', 'At most', 'Size', 'At most'].map((h, i) => html`<th scope="col" key=${i}>${h}</th>`)}</tr></thead>
      <tbody>${kept.map((k) => html`<tr key=${k.kind}><th scope="row">${plain(k.kind)}</th><td>${k.items.toLocaleString()}</td><td>${k.max_items > 0 ? k.max_items.toLocaleString() : 'any number'}</td><td>${k.bytes > 0 && bytes(k.bytes)}</td><td>${k.max_bytes > 0 ? bytes(k.max_bytes) : 'any size'}</td></tr>`)}</tbody></table></div>
    ${(hosted || installs.length > 0) && html`<h3>Who comes in as this user: its accesses</h3>
      ${installs.length === 0 ? html`<p class="faint">There is no access yet, so nobody comes in as this user. Make one for each program or machine that is to.</p>` : html`<ul class="rows" aria-label="Accesses">${installs.map((i) => html`<li key=${i.install_id} class="bar"><span class="grow"><${Text} of=${i.install_id} /><br /><span class="faint">${plain(i.operating_system || 'Without a name')}, made ${when(i.created_at)}, ${i.seen_at ? `seen ${when(i.seen_at)}` : 'never seen'}</span></span>
        ${i.revoked_at ? html`<span class="chip stopped">revoked ${when(i.revoked_at)}</span>` : html`<${Revoke} id=${i.install_id} again=${again} />`}</li>`)}</ul>`}
      ${hosted && html`<${NewToken} id=${user.user_id} again=${again} />`}`}`}<//>`;
};

const Revoke = ({ id, again }) => {
  const revoke = () => windie.value.operator.revokeInstall(id).then(() => { say('The access is let in no more.'); again(); }, (e) => say(e.message));
  return html`<${Sure} label="Revoke" question="Let this access in no more?" onYes=${revoke} />`;
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
  return html`<form class="card" onSubmit=${make}><label>A name for the access: who or what is to come in<input maxlength="64" pattern="[ -~]*" placeholder="as: laptop of Ada; may be empty" value=${system} onInput=${(e) => setSystem(e.currentTarget.value)} /></label>
    ${error && html`<${Failure} error=${error} />`}<button>Make an access</button></form>
    ${made && html`<${Handed} id=${id} token=${made.install_token} />`}`;
};

/** What whoever comes in has to be given. */
const Handed = ({ id, token }) => {
  const box = useRef(/** @type {any} */ (null));
  useEffect(() => box.current?.scrollIntoView({ block: 'center' }), [token]);
  return html`<div role="status" class="card token" ref=${box}><h4>Give this to whoever comes in as <${Text} of=${id} /></h4><p><strong>This secret token is not shown again.</strong> It lets its bearer in, as a password does; the model tokens of the budget are something else.</p>
    <p>The address: <code class="text">${plain(baseURL)}</code></p><p>The secret token: <code class="text secret">${plain(token)}</code></p>
    <div class="actions"><${Copy} text=${`${baseURL}\n${token}`} label="Copy both" /><${Copy} text=${token} label="Copy the token" /></div></div>`;
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
      say('The budget holds from the next request on.');
      again();
    } catch (e) {
      setError(e);
    }
  };
  return html`<form class="card" onSubmit=${(e) => { e.preventDefault(); keep({ tokens: Math.round(Number(tokens)), money_micros: Math.round(Number(money) * 1e6) }); }}>
    <h3>Budget of a day</h3><p class="faint">${of.own_budget ? 'This user has a budget of its own.' : 'The budget in the settings of the gateway holds.'} An empty field is no limit. Models count what they read and write in tokens, of a few letters each.</p>
    <div class="inline"><label>Model tokens<input type="number" min="0" step="1" value=${tokens} onInput=${(e) => setTokens(e.currentTarget.value)} /></label><label>Money${of.usage.currency && ` in ${plain(of.usage.currency)}`}<input type="number" min="0" step="0.000001" value=${money} onInput=${(e) => setMoney(e.currentTarget.value)} /></label></div>
    ${error && html`<${Failure} error=${error} />`}
    <div class="actions"><button>Keep this budget</button>${of.own_budget && html`<button type="button" onClick=${() => keep({ default: true })}>Use the budget of the settings</button>`}</div></form>`;
};
