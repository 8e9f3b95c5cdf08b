// @ts-check
// The spend of users, and the browsers that are signed in.
import { count, html, plain, useLoad, when } from './lib.js';
import { here, hrefOf, operates, say, startAgain, windie } from './state.js';
import { Empty, Loaded, Sure, Text } from './ui.js';

/** Today's spend of all users, for operators. Alone, it is the whole view. */
const Everybody = ({ alone = false }) => {
  const loaded = useLoad(async () => {
    const all = [];
    let after;
    for (let i = 0; i < mostPages && (i === 0 || after); i++) {
      const page = await windie.value.operator.users({ after });
      all.push(...page.items);
      after = page.next;
    }
    return { users: all.filter((u) => u.usage.requests > 0).sort((a, b) => b.usage.money_micros.used - a.usage.money_micros.used), more: Boolean(after) };
  }, [windie.value]);
  const { users, more } = loaded.value ?? { users: [], more: false };
  if (users.length === 0 && !alone) return null; // a user sees only the own usage
  if (users.length === 0) return html`<${Loaded} of=${loaded} what="Loading the usage">${() => html`<${Empty} title="No spend today"><a class="button" href=${hrefOf('gateway', 'users')}>Open users</a><//>`}<//>`;
  const { currency } = users[0].usage;
  const total = (of) => users.reduce((n, u) => n + of(u.usage), 0);
  return html`<h2>All users today: ${amountOf(total((u) => u.money_micros.used), currency)}</h2>
    <div class="wide" tabindex="0" role="region" aria-label="All users"><table><caption class="sr">Today's spend by user, highest first</caption><thead><tr>${['User', 'Money', 'Tokens', 'Requests'].map((h) => html`<th scope="col" key=${h}>${h}</th>`)}</tr></thead>
      <tbody>${users.slice(0, mostRows).map((u) => html`<tr key=${u.user_id}><th scope="row"><a href=${hrefOf('gateway', 'users', u.user_id)}><${Text} of=${u.user_id} limit=${200} cut /></a></th><td>${amountOf(u.usage.money_micros.used, currency)}</td><td>${u.usage.tokens.used.toLocaleString()}</td><td>${u.usage.requests.toLocaleString()}</td></tr>`)}
        <tr><th scope="row">Total</th><td>${amountOf(total((u) => u.money_micros.used), currency)}</td><td>${total((u) => u.tokens.used).toLocaleString()}</td><td>${total((u) => u.requests).toLocaleString()}</td></tr></tbody></table></div>
    <p class="help">Open a user to set a daily budget.</p>
    ${(more || users.length > mostRows) && html`<p class="faint">More users are under Users.</p>`}`;
};
const mostPages = 10; // of users to load
const mostRows = 500; // users in the table; the total has all

export const Usage = () => (operates() ? html`<${Everybody} alone />` : html`<${Own} />`);

/** Today's spend of the user, and for the operator of a local gateway that of all users. */
const Own = () => {
  const loaded = useLoad(() => windie.value.usage(), [windie.value]);
  return html`<${Loaded} of=${loaded} what="Loading the usage">${(u) => html`<${Everybody} /><h2>User <${Text} of=${u.user_id} />, ${plain(u.day)}</h2><${Spent} of=${u} />
    ${here.value?.mode === 'local' && html`<p><a href=${hrefOf('gateway', 'users', u.user_id)}>Set a budget</a></p>`}`}<//>`;
};

/** An amount of money for people, in the currency of the prices if the gateway has one. @param {number} micros @param {string} [currency] */
export const amountOf = (micros, currency) => (micros / 1e6).toLocaleString(undefined, currency ? { style: 'currency', currency, minimumFractionDigits: 2, maximumFractionDigits: 4 } : { minimumFractionDigits: 2, maximumFractionDigits: 4 });

/** Today's spend of a user. */
export const Spent = ({ of: u }) => {
  const row = (name, of, unit) => html`<tr><th scope="row">${name}</th><td>${unit(of.used)}</td><td>${unit(of.reserved)}</td><td>${of.limit > 0 ? unit(of.limit) : 'unlimited'}</td><td>${of.limit > 0 && html`<meter min="0" max=${of.limit} value=${of.used + of.reserved} aria-label=${`${name}: share of the budget`}></meter>`}</td></tr>`;
  return html`<p>${count(u.requests, 'model request')}: ${count(u.input_tokens, 'input token')}, ${count(u.output_tokens, 'output token')}. The day ends ${when(u.resets_at)}.</p>
    <div class="wide" tabindex="0" role="region" aria-label="Budgets"><table><caption class="sr">Daily budgets</caption><thead><tr><th scope="col">Type</th><th scope="col">Used</th><th scope="col">Reserved</th><th scope="col">Budget</th><th scope="col">Share</th></tr></thead><tbody>
      ${row('Model tokens', u.tokens, (n) => n.toLocaleString())}${row('Money', u.money_micros, (n) => amountOf(n, u.currency))}</tbody></table></div>
    ${u.unpriced_requests > 0 && html`<p class="faint">${count(u.unpriced_requests, 'request')} used a model without a price and ${u.unpriced_requests === 1 ? 'is' : 'are'} not in the money total.</p>`}
    ${!u.currency && html`<p class="faint">The model catalogue has no currency. Set <code>currency</code> there to show it.</p>`}`;
};

/** How a browser signed in, in words. */
const kindOf = (v) => ({ person: 'a sign-in link', operator: 'the operator token', install: 'an access token', 'openid-operator': 'OpenID, as operator', 'openid-user': 'OpenID, as user' })[v.kind] ?? plain(v.kind);

export const Browsers = () => {
  const loaded = useLoad(() => windie.value.visits.list(), [windie.value]);
  const end = (v) => windie.value.visits.end(v.id).then(() => { if (v.here) return startAgain(); say('Browser signed out.'); loaded.again(); }, (e) => say(e.message));
  return html`<${Loaded} of=${loaded} what="Loading the browsers">${(all) => (all.length === 0 ? html`<${Empty} title="No browsers signed in" />` : html`<ul class="cards">${all.map((v) => html`<li key=${v.id} class="card"><h2>${v.here ? 'This browser' : 'Browser'}</h2>
    <p><${Text} of=${v.agent || 'Unknown browser'} limit=${200} /></p><p class="faint">Signed in with ${kindOf(v)}${v.user_id && `, user ${plain(v.user_id)}`}, ${when(v.created_at)}. Last request ${when(v.seen_at)}. Expires ${when(v.expires_at)}.</p>
    <${Sure} label="Sign out" question="Sign this browser out?" onYes=${() => end(v)} /></li>`)}</ul>`)}<//>`;
};
