// @ts-check
// What all views share: the gateway, who is here, where the page is, and what is said to the person.
import { computed, effect, kept, signal } from './lib.js';
import { exactly } from './exact.js';
import { Windie } from './windie.js';

/** Where the gateway is: the page is at its path, then /console/. */
export const baseURL = location.origin + location.pathname.replace(/\/console\/?$/, '');

/** What /console/visit says; null before the first answer. */
export const here = signal(/** @type {any} */ (null));
export const localUser = signal(kept.get('user', 'local'));
export const connected = signal(true);

/** On whose behalf the page asks. */
export const user = computed(() => (here.value?.mode === 'hosted' ? (here.value.visit?.user_id ?? '') : localUser.value));
/** A client that asks on behalf of a user. @param {string} userId */
export const clientFor = (userId) => new Windie({ baseURL, userId, onAnswer: (status) => (connected.value = status !== 0) });
export const windie = computed(() => clientFor(user.value));

/** Whether this is an operator of a hosted gateway, whose token is for the gateway alone. */
export const operates = () => Boolean(here.value?.mode === 'hosted' && here.value.visit && !here.value.visit.user_id);

export const signedIn = computed(() => Boolean(here.value?.visit));

/** Learns who is here. */
export async function look() {
  here.value = await windie.peek().visits.here();
}

/** Comes in by a link's code or a token. @param {{code?: string, token?: string}} entry */
export async function enter(entry) {
  here.value = await windie.peek().visits.enter(entry);
  turnedAway.value = '';
}

/** Why the OpenID provider's page led back without a sign-in; empty if it did not. */
export const turnedAway = signal('');
const reasons = {
  AUTH_REQUIRED: 'The sign-in did not succeed: it took longer than ten minutes, began in another browser, or the provider refused. Try again.',
  PERMISSION_DENIED: 'You are signed in at the provider, but this gateway is not set up to let you in. Ask whoever runs it.',
  FEATURE_UNAVAILABLE: 'The provider does not answer. Try again in a while.',
};

/** Takes what the address says of a sign-in: a link's code, or why the provider's page led back. It returns the code. */
export function takeSignIn() {
  const [, name, value] = /^#(code|refused)=([\w-]+)$/.exec(location.hash) ?? [];
  if (!name) return '';
  history.replaceState(null, '', location.pathname); // a code in the history would be seen by others
  if (name === 'code') return value;
  turnedAway.value = reasons[value] ?? 'The sign-in failed. Whoever runs the gateway finds the cause in its log.';
  say(turnedAway.value);
  return '';
}

/** Signs this browser out. */
export async function leave() {
  await windie.peek().visits.leave();
  await look();
}

/** The path below #/, in parts. */
export const route = signal(/** @type {string[]} */ ([]));
const readRoute = () => (route.value = location.hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decode));
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

/** What is said at the bottom of the page for a while, and read out. */
export const said = signal('');
let quiet = 0;
/** @param {string} text */
export function say(text) {
  said.value = text;
  clearTimeout(quiet);
  quiet = setTimeout(() => (said.value = ''), 6000);
}

export const theme = signal(kept.get('theme', 'auto'));
effect(() => {
  document.documentElement.dataset.theme = theme.value;
  kept.set('theme', theme.value);
});
effect(() => kept.set('user', localUser.value));

/** How many calls wait for a yes or no; the title says so too. */
export const waiting = signal(0);
effect(() => (document.title = waiting.value > 0 ? `(${waiting.value}) Windie` : 'Windie'));

/** The screen that was looked at last, for tools and prompts: {id, name, width, height}. */
export const lastScreen = signal(/** @type {any} */ (null));

/** A call that is to be made again: {tool, args}. The form of the tool takes it. */
export const again = signal(/** @type {any} */ (null));

/** Goes to a tool's form with the arguments of a call that was made. @param {string} tool @param {any} args */
export function callAgain(tool, args) {
  again.value = { tool, args: exactly(args) };
  go('tools', tool);
}

/** Reads the address, and comes in by the code that it may have. */
export async function begin() {
  const code = takeSignIn();
  readRoute();
  try {
    if (code) await enter({ code });
    else await look();
  } catch (error) {
    say(error.message);
    await look().catch(() => {});
  }
}
