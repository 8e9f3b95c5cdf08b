// @ts-check
// What a user has spent, and the browsers that are let in.
import { html, plain, useLoad, when } from './lib.js';
import { hrefOf, look, say, windie } from './state.js';
import { Empty, Loaded, Sure, Text } from './ui.js';

/** What all users spent today, for those who may see it. */
const Everybody = () => {
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
  if (!loaded.value || loaded.value.users.length === 0) return null; // a user sees what is its own
  const { users, more } = loaded.value;
  const { currency } = users[0].usage;
  const total = (of) => users.reduce((n, u) => n + of(u.usage), 0);
  return html`<h2>All users today: ${amountOf(total((u) => u.money_micros.used), currency)}</h2>
    <div class="wide" tabindex="0" role="region" aria-label="All users"><table><caption class="sr">What each user spent today, the dearest first</caption><thead><tr>${['User', 'Money', 'Tokens', 'Requests'].map((h) => html`<th scope="col" key=${h}>${h}</th>`)}</tr></thead>
      <tbody>${users.slice(0, mostRows).map((u) => html`<tr key=${u.user_id}><th scope="row"><a href=${hrefOf('gateway', 'users', u.user_id)}><${Text} of=${u.user_id} limit=${200} cut /></a></th><td>${amountOf(u.usage.money_micros.used, currency)}</td><td>${u.usage.tokens.used.toLocaleString()}</td><td>${u.usage.requests.toLocaleString()}</td></tr>`)}
        <tr><th scope="row">Together</th><td>${amountOf(total((u) => u.money_micros.used), currency)}</td><td>${total((u) => u.tokens.used).toLocaleString()}</td><td>${total((u) => u.requests).toLocaleString()}</td></tr></tbody></table></div>
    ${(more || users.length > mostRows) && html`<p class="faint">There are more users than are shown here.</p>`}`;
};
const mostPages = 10; // of users that are asked for
const mostRows = 500; // users that are listed; all of them are counted

export const Usage = () => {
  const loaded = useLoad(() => windie.value.usage(), [windie.value]);
  return html`<${Loaded} of=${loaded} what="Loading the usage">${(u) => html`<${Everybody} /><h2>The user <${Text} of=${u.user_id} /> alone, ${plain(u.day)}</h2><${Spent} of=${u} />`}<//>`;
};

/** An amount of money for people, in the currency of the prices where the gateway says it. @param {number} micros @param {string} [currency] */
export const amountOf = (micros, currency) => (micros / 1e6).toLocaleString(undefined, currency ? { style: 'currency', currency, minimumFractionDigits: 2, maximumFractionDigits: 4 } : { minimumFractionDigits: 2, maximumFractionDigits: 4 });

/** What a user spent today. */
export const Spent = ({ of: u }) => {
  const row = (name, of, unit) => html`<tr><th scope="row">${name}</th><td>${unit(of.used)}</td><td>${unit(of.reserved)}</td><td>${of.limit > 0 ? unit(of.limit) : 'no limit'}</td><td>${of.limit > 0 && html`<meter min="0" max=${of.limit} value=${of.used + of.reserved} aria-label=${`${name} of the budget`}></meter>`}</td></tr>`;
  return html`<p>${u.requests.toLocaleString()} requests to models, ${u.input_tokens.toLocaleString()} tokens sent and ${u.output_tokens.toLocaleString()} received. The day ends ${when(u.resets_at)}.</p>
    <div class="wide" tabindex="0" role="region" aria-label="Budgets"><table><caption class="sr">Budgets of the day</caption><thead><tr><th scope="col">What</th><th scope="col">Used</th><th scope="col">Reserved</th><th scope="col">Budget</th><th scope="col">Share</th></tr></thead><tbody>
      ${row('Tokens', u.tokens, (n) => n.toLocaleString())}${row('Money', u.money_micros, (n) => amountOf(n, u.currency))}</tbody></table></div>
    ${u.unpriced_requests > 0 && html`<p class="faint">${u.unpriced_requests.toLocaleString()} of the requests went to models without a price, and count no money.</p>`}
    ${!u.currency && html`<p class="faint">Money is in the currency of the prices in the catalogue of models, which does not say which: set <code>currency</code> there.</p>`}`;
};

/** By what a browser is let in, in words. */
const kindOf = (v) => ({ 'openid-operator': 'operator, by the OpenID provider', 'openid-user': 'user, by the OpenID provider' })[v.kind] ?? plain(v.kind);

export const Browsers = () => {
  const loaded = useLoad(() => windie.value.visits.list(), [windie.value]);
  const end = (v) => windie.value.visits.end(v.id).then(() => { say('That browser is signed out.'); if (v.here) look(); loaded.again(); }, (e) => say(e.message));
  return html`<${Loaded} of=${loaded} what="Loading the browsers">${(all) => (all.length === 0 ? html`<${Empty} title="Nobody is signed in" />` : html`<ul class="cards">${all.map((v) => html`<li key=${v.id} class="card"><h2>${v.here ? 'This browser' : kindOf(v)}</h2>
    <p><${Text} of=${v.agent || 'It says no name'} limit=${200} /></p><p class="faint">as ${kindOf(v)}${v.user_id && ` ${plain(v.user_id)}`}, since ${when(v.created_at)}, seen ${when(v.seen_at)}, until ${when(v.expires_at)} at most</p>
    <${Sure} label="Sign out" question="Sign this browser out?" onYes=${() => end(v)} /></li>`)}</ul>`)}<//>`;
};
