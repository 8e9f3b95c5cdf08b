// @ts-check
// The state of all views: the gateway, the visit, the route and the message to the person.
import { computed, effect, filled, signal, stored } from './lib.js';
import { exactly } from './exact.js';
import { Windie } from './windie.js';

/** The gateway's URL: that of the page without /console/. */
export const baseURL = location.origin + location.pathname.replace(/\/console\/?$/, '');

/** The response of /console/visit; null before the first. */
export const here = signal(/** @type {any} */ (null));
export const localUser = signal(stored.get('user', 'local'));
export const connected = signal(true);

/** The user whom the page acts for. */
export const user = computed(() => (here.value?.mode === 'hosted' ? (here.value.visit?.user_id ?? '') : localUser.value));
/** A client that acts for a user. @param {string} userId */
export const clientFor = (userId) => new Windie({ baseURL, userId, onAnswer: (status) => (connected.value = status !== 0) });
export const windie = computed(() => clientFor(user.value));

/** Whether the person is the operator of a hosted gateway, whose token gives no access to users' data. */
export const operates = () => Boolean(here.value?.mode === 'hosted' && here.value.visit && !here.value.visit.user_id);

export const signedIn = computed(() => Boolean(here.value?.visit));

/** Loads the visit. */
export async function look() {
  arrive(await windie.peek().visits.here());
}

/** Signs in by a link's code or a token. @param {{code?: string, token?: string}} entry */
export async function enter(entry) {
  arrive(await windie.peek().visits.enter(entry));
  turnedAway.value = '';
}

/** The account that was last signed in on this page; empty before. */
let account = '';

/** Takes a visit. For another account than before, it loads the page anew before a view can show what was the other's. @param {any} visiting */
function arrive(visiting) {
  const { visit } = visiting;
  const now = visit ? `${visit.kind} ${visit.user_id ?? ''}` : account;
  if (account && account !== now) return startAgain();
  account = now;
  here.value = visiting;
}

/** Loads the page anew, so that nothing of one account is shown to the next. On a hosted gateway it also leaves the views of the account's data. */
export function startAgain() {
  if (here.peek()?.mode === 'hosted' && route.peek()[0] !== 'gateway') history.replaceState(null, '', location.pathname);
  location.reload();
}

/** The reason of a failed sign-in by the OpenID provider; empty if there is none. */
export const turnedAway = signal('');
const reasons = {
  AUTH_REQUIRED: 'Sign-in failed. It took longer than 10 minutes, it started in another browser, or the provider refused it. Try again.',
  PERMISSION_DENIED: 'Your account at the provider has no access to this gateway. Ask the operator for access.',
  FEATURE_UNAVAILABLE: 'The provider does not respond. Try again later.',
};

/** Takes a sign-in from the address: the code of a link, which it returns, or the reason of a failure at the provider. */
export function takeSignIn() {
  const [, name, value] = /^#(code|refused)=([\w-]+)$/.exec(location.hash) ?? [];
  if (!name) return '';
  history.replaceState(null, '', location.pathname); // others could read a code in the history
  if (name === 'code') return value;
  turnedAway.value = reasons[value] ?? 'Sign-in failed. The cause is in the log of the gateway.';
  say(turnedAway.value);
  return '';
}

/** Signs this browser out. */
export async function leave() {
  await windie.peek().visits.leave();
  startAgain();
}

/** The path below #/, in parts. */
export const route = signal(/** @type {string[]} */ ([]));
/** The filters of the view, behind the path: #/gateway/audit?tool=memory.search. */
export const filters = signal(/** @type {Record<string, string>} */ ({}));
function readRoute() {
  const [, path, query] = /** @type {RegExpExecArray} */ (/^#?\/?([^?]*)\??(.*)$/s.exec(location.hash));
  route.value = path.split('/').filter(Boolean).map(decode);
  filters.value = Object.fromEntries(new URLSearchParams(query));
}
const decode = (part) => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};
addEventListener('hashchange', readRoute);

/** @param {...string} parts */
export const hrefOf = (...parts) => `#/${parts.map(encodeURIComponent).join('/')}`;
/** @param {...string} parts */
export const go = (...parts) => (location.hash = hrefOf(...parts));
/** The address of a view with filters; an empty filter is left out. @param {Record<string, string>} fields @param {string[]} [parts] of the path, default: this view */
export function hrefWith(fields, parts = route.value) {
  const query = String(new URLSearchParams(filled(fields)));
  return hrefOf(...parts) + (query && `?${query}`);
}
/** Filters this view, as an entry of the browser's history. @param {Record<string, string>} fields */
export function filter(fields) {
  location.hash = hrefWith(fields);
  readRoute(); // before hashchange, which comes later
}

/** The message at the bottom of the page, which screen readers read out. */
export const said = signal('');
let quiet = 0;
/** @param {string} text */
export function say(text) {
  said.value = text;
  clearTimeout(quiet);
  quiet = setTimeout(() => (said.value = ''), 6000);
}

export const theme = signal(stored.get('theme', 'auto'));
effect(() => {
  document.documentElement.dataset.theme = theme.value;
  stored.set('theme', theme.value);
});
effect(() => stored.set('user', localUser.value));

/** The number of calls that wait for approval, which the title shows too. */
export const waiting = signal(0);
effect(() => (document.title = waiting.value > 0 ? `(${waiting.value}) Windie` : 'Windie'));

/** The last screen, for tools and prompts: {id, name, width, height}. */
export const lastScreen = signal(/** @type {any} */ (null));

/** A call for the form of its tool: {tool, args}. */
export const again = signal(/** @type {any} */ (null));

/** Opens a tool's form with the arguments of an earlier call. @param {string} tool @param {any} args */
export function callAgain(tool, args) {
  again.value = { tool, args: exactly(args) };
  go('tools', tool);
}

/** The request of a client, kept in this tab while the person signs in at the provider. */
export const keptRequest = {
  start: '#/connect?',
  /** Keeps the request in the address, or returns to the one that was kept. */
  take() {
    try {
      if (location.hash.startsWith(this.start)) sessionStorage.setItem('connect', location.hash);
      else if (['', '#/', '#'].includes(location.hash)) history.replaceState(null, '', location.pathname + (sessionStorage.getItem('connect') ?? ''));
    } catch {
      // without storage the person starts again in the client
    }
  },
  clear() {
    try {
      sessionStorage.removeItem('connect');
    } catch {
      // likewise
    }
  },
};

/** Reads the address, and signs in by its code if it has one. */
export async function begin() {
  const code = takeSignIn();
  keptRequest.take();
  readRoute();
  try {
    if (code) await enter({ code });
    else await look();
  } catch (error) {
    say(error.message);
    await look().catch(() => {});
  }
}
