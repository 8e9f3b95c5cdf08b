// @ts-check
// The console: its frame and its views.
import { cls, html, plain, render, useEffect, useRef, useState } from './lib.js';
import { begin, connected, enter, here, hrefOf, leave, localUser, look, operates, route, said, say, signedIn, takeSignIn, theme, waiting } from './state.js';
import { Approvals, useInbox } from './approvals.js';
import { Connect } from './connect.js';
import { Connected } from './connections.js';
import { Conversations } from './conversations.js';
import { Operators } from './operators.js';
import { refused, useRefused } from './refused.js';
import { useNames } from './names.js';
import { Screens } from './screens.js';
import { Tools } from './tools.js';
import { Tour, wasShown } from './tour.js';
import { Busy, SignIn, Text } from './ui.js';

const views = { screens: Screens, approvals: Approvals, conversations: Conversations, tools: Tools, gateway: Operators, tour: Tour, connect: Connect, connected: Connected };
const nav = [['screens', 'Screens'], ['approvals', 'Approvals'], ['conversations', 'Conversations'], ['tools', 'Tools'], ['gateway', 'Gateway']];

const App = () => {
  useInbox();
  useRefused();
  useNames();
  const main = useRef(/** @type {any} */ (null));
  const first = operates() ? 'gateway' : wasShown() || waiting.value > 0 || !here.value ? 'screens' : 'tour';
  const at = route.value[0] in views && !(operates() && !['gateway', 'connect', 'connected'].includes(route.value[0])) ? route.value[0] : first;
  const moved = useRef('');
  useEffect(() => scrollTo(0, 0), [at, at === 'gateway' && route.value.slice(1, 3).join('/')]); // a view begins at its top
  useEffect(() => {
    if (moved.current && moved.current !== at) main.current?.focus({ preventScroll: true }); // a screen reader announces the new view
    moved.current = at;
  }, [at]);
  useEffect(() => {
    const key = (e) => {
      if (!e.altKey || e.ctrlKey || e.metaKey || !/^[1-5]$/.test(e.key)) return;
      e.preventDefault();
      location.hash = hrefOf(nav[Number(e.key) - 1][0]);
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  }, []);
  return html`<a class="skip" href="#main" onClick=${(e) => { e.preventDefault(); main.current.focus(); }}>Skip to content</a>
    <header class="top"><a class="brand" href=${hrefOf(operates() ? 'gateway' : 'screens')}>Windie</a>
      <nav aria-label="Views">${nav.map(([id, name], i) => (!operates() || id === 'gateway') && html`<a key=${id} href=${hrefOf(id)} aria-current=${id === at ? 'page' : undefined} title=${`Alt+${i + 1}`}>${name}${id === 'approvals' && waiting.value > 0 && html` <span class="badge">${waiting.value}<span class="sr"> pending</span></span>`}${id === 'gateway' && refused.value > 0 && html` <span class="badge" title="Refused tools">${refused.value}<span class="sr"> refused</span></span>`}</a>`)}</nav>
      <${Who} /></header>
    ${!connected.value && html`<p class="lost" role="alert">The gateway does not respond. This page may be out of date. <button class="small" onClick=${() => look().catch((e) => say(e.message))}>Retry</button></p>`}
    <main id="main" ref=${main} tabindex="-1">${!here.value ? html`<${Busy} what="Connecting" />` : here.value.mode === 'hosted' && !signedIn.value ? html`<h1 class="sr">Sign in</h1><${SignIn} />` : html`<${views[at]} key=${at} />`}</main>
    <div class=${cls('toast', said.value && 'on')} role="status">${said.value && html`<${Text} of=${said.value} />`}</div>`;
};

const Who = () => {
  const [open, setOpen] = useState(false);
  const box = useRef(/** @type {any} */ (null));
  useEffect(() => {
    if (!open) return;
    const away = (e) => (e.type === 'keydown' ? e.key === 'Escape' : !box.current.contains(e.target)) && setOpen(false);
    addEventListener('pointerdown', away);
    addEventListener('keydown', away);
    return () => {
      removeEventListener('pointerdown', away);
      removeEventListener('keydown', away);
    };
  }, [open]);
  const visit = here.value?.visit;
  const name = visit ? visit.user_id || (visit.kind === 'person' ? 'Signed in' : 'Operator') : 'Not signed in';
  return html`<div class="who" ref=${box}><button aria-expanded=${open} onClick=${() => setOpen(!open)}>${plain(name ?? '')}</button>
    ${open && html`<div class="menu card">
      ${visit?.user_id && html`<p>Signed in as <code><${Text} of=${visit.user_id} /></code></p>`}
      ${here.value?.mode === 'local' && html`<label>User<input value=${localUser.value} maxlength="128" pattern="[ -~]+" onChange=${(e) => (localUser.value = e.currentTarget.value.trim() || 'local')} /></label><p class="help">Conversations, memory and approvals belong to this user. Agents name the user in the header <code>X-User-Id</code>.</p>`}
      <label>Theme<select value=${theme.value} onChange=${(e) => (theme.value = e.currentTarget.value)}><option value="auto">System</option><option value="light">Light</option><option value="dark">Dark</option></select></label>
      <p>${!operates() && html`<a href=${hrefOf('tour')} onClick=${() => setOpen(false)}>Tour</a> · `}<a href="../docs" target="_blank" rel="noreferrer">API</a> · <span class="faint">${plain(here.value?.version ?? '')}</span></p>
      ${visit ? html`<button onClick=${() => leave().then(() => setOpen(false), (e) => say(e.message))}>Sign out</button>` : html`<${SignIn} done=${() => setOpen(false)} />`}</div>`}</div>`;
};

const codeCame = () => {
  const code = takeSignIn();
  if (code) enter({ code }).catch((e) => say(e.message));
};
addEventListener('hashchange', codeCame);

const root = /** @type {HTMLElement} */ (document.getElementById('app'));
root.replaceChildren();
render(html`<${App} />`, root);
await begin();
