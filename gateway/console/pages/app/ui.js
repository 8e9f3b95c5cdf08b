// @ts-check
// The components of all views.
import { cls, copy, headOf, html, plain, useEffect, useLoad, useRef, useState } from './lib.js';
import { textOf } from './exact.js';
import { enter, filters, here, hrefWith, operates, say, signedIn, turnedAway, windie } from './state.js';

/** Untrusted text, shown and never interpreted. With cut it has no button, for use inside links and buttons. */
export const Text = ({ of, limit = 20_000, cut = false }) => {
  const text = plain(of);
  const [all, setAll] = useState(false);
  if (cut && text.length > limit) return html`<bdi class="text">${headOf(text, limit)}…</bdi>`;
  if (text.length <= limit || all) return html`<bdi class="text">${text}</bdi>`;
  return html`<bdi class="text">${headOf(text, limit)}</bdi> <button type="button" class="link" onClick=${() => setAll(true)}>Show all ${text.length.toLocaleString()} characters</button>`;
};

export const Busy = ({ what = 'Loading' }) => {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 4000);
    return () => clearTimeout(timer);
  }, []);
  return html`<p class="busy" role="status"><span class="spin" aria-hidden="true"></span>${what}…${slow && ' This is taking longer than usual.'}</p>`;
};

export const Empty = ({ title, children }) => html`<div class="empty"><h3>${title}</h3>${children}</div>`;

/** The code of a failure: that of the gateway, or one for the connection. */
const codeOf = (error) => error.code ?? { ConnectionError: 'CONNECTION', TimeoutError: 'TIMEOUT' }[error.name] ?? error.name;

/** The most frequent codes in words. */
const headlines = {
  VALIDATION_ERROR: 'Invalid input.', TOOL_ERROR: 'The tool failed.', TOOL_FORBIDDEN: 'This tool is forbidden.', CONNECTION: 'The gateway does not respond.',
  TIMEOUT: 'The request timed out.', PERMISSION_DENIED: 'Permission denied.', INVALID_JSON: 'Invalid JSON.', MEMORY_CHANGED: 'The file has changed.', INVALID_IMAGE: 'Invalid image.',
  QUOTA_EXCEEDED: 'Storage limit reached.', BUDGET_EXCEEDED: 'Daily budget exceeded.',
};

/** Shows a failure, with what to do about it. */
export const Failure = ({ error, again }) => {
  if (['KEY_REQUIRED', 'AUTH_REQUIRED', 'OPERATOR_ONLY'].includes(error.code)) return html`<${SignIn} error=${error} done=${again} />`;
  return html`<div class="failure" role="alert">
    <p><strong>${headlines[codeOf(error)] ?? 'Request failed.'}</strong> <${Text} of=${error.message} /> <span class="faint">${plain(codeOf(error))}</span></p>
    ${(error.details?.fields ?? []).map((f) => html`<p class="field-error"><code>${plain(f.path)}</code> <${Text} of=${f.message} /></p>`)}
    ${error.requestId && html`<p class="faint">Request ${plain(error.requestId)}</p>`}
    ${again && html`<button type="button" onClick=${again}>Retry</button>`}
  </div>`;
};

/** The form that signs a person in, the same in each view. */
export const SignIn = ({ error, done }) => {
  const [token, setToken] = useState('');
  const [failed, setFailed] = useState(/** @type {any} */ (null));
  const hosted = here.value?.mode === 'hosted';
  const submit = async (e) => {
    e.preventDefault();
    try {
      const link = /#code=([\w-]+)/.exec(token)?.[1];
      await enter(link ? { code: link } : { token: token.trim() });
      setToken('');
      setFailed(null);
      done?.();
    } catch (e2) {
      setFailed(e2);
    }
  };
  return html`<form class="card signin" onSubmit=${submit}>
    <h3>${signedIn.value ? 'Sign in with another account' : 'Sign in to continue'}</h3>
    ${signedIn.value && operates() && html`<p>You are signed in as the operator. Screens, tools and conversations belong to users: sign in with the access token of a user.</p>`}
    ${error && error.code !== 'KEY_REQUIRED' && html`<p><${Text} of=${error.message} /></p>`}
    ${turnedAway.value && html`<p class="bad">${turnedAway.value}</p>`}
    ${here.value?.openid && html`<p><a class="button primary" href=${`openid?to=${encodeURIComponent(hrefWith(filters.value).slice('#/'.length))}`}>Sign in with ${plain(here.value.openid)}</a></p>`}
    ${hosted
      ? html`<p>Paste your access token, or the operator token (<code>WINDIE_OPERATOR_TOKEN</code>).</p>`
      : html`<p>Run <code>windie console</code> on the gateway's machine. Open the link that it prints, or paste it here. The operator token (<code>WINDIE_OPERATOR_TOKEN</code>) works too.</p>`}
    <label>${hosted ? 'Token' : 'Link or token'}<input type="password" autocomplete="current-password" required value=${token} onInput=${(e) => setToken(e.currentTarget.value)} /></label>
    ${failed && html`<p class="bad" role="alert"><${Text} of=${failed.message} /></p>`}
    <button class="primary">Sign in</button>
  </form>`;
};

/** Shows the state of a load: busy, failed, or its value. */
export const Loaded = ({ of, what, children }) => {
  if (of.error) return html`<${Failure} error=${of.error} again=${of.again} />`;
  if (of.value === undefined) return html`<${Busy} what=${what} />`;
  return children(of.value);
};

/** JSON for people; a long text is cut, with a button for all of it. */
export const Json = ({ of, label = 'JSON' }) => {
  const text = typeof of === 'string' ? of : textOf(of);
  return html`<div class="json"><pre tabindex="0" aria-label=${label}><${Text} of=${text} limit=${8000} /></pre><${Copy} text=${text} /></div>`;
};

export const Copy = ({ text, label = 'Copy' }) => html`<button type="button" class="small" onClick=${async () => say((await copy(text)) ? 'Copied.' : 'The browser does not allow this page to copy. Select the text and copy it yourself.')}>${label}</button>`;

/** A list of choices of which one is selected. */
export const Tabs = ({ label, of, value, onChange }) => {
  const list = useRef(/** @type {any} */ (null));
  useEffect(() => {
    const show = () => { // the selected tab can be beyond the edge of a phone
      const [box, tab] = [list.current, list.current?.querySelector('[aria-selected="true"]')];
      if (tab) box.scrollLeft = tab.offsetLeft - box.offsetLeft - (box.clientWidth - tab.offsetWidth) / 2;
    };
    show();
    addEventListener('resize', show);
    return () => removeEventListener('resize', show);
  }, [value]);
  const key = (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    const names = of.map(([id]) => id);
    onChange(names[(names.indexOf(value) + step + names.length) % names.length]);
    e.currentTarget.querySelector('[aria-selected="true"]')?.focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${label} ref=${list} onKeyDown=${key}>
    ${of.map(([id, name]) => html`<button key=${id} role="tab" aria-selected=${id === value} tabindex=${id === value ? 0 : -1} onClick=${() => onChange(id)}>${name}</button>`)}
  </div>`;
};

/** The image of an artifact, fetched with the page's own headers; mark is a point on it. */
export const Picture = ({ id, alt, mark }) => {
  const loaded = useLoad((signal) => windie.value.blob(id, signal), [id, windie.value]);
  const [size, setSize] = useState(/** @type {any} */ (null));
  const url = useBlob(loaded.value);
  if (loaded.error) return html`<p class="faint">Cannot load the image ${plain(id)}: <${Text} of=${loaded.error.message} /></p>`;
  if (!url) return html`<${Busy} what="Loading the image" />`;
  return html`<div class="picture">
    <img src=${url} alt=${alt} onLoad=${(e) => setSize([e.currentTarget.naturalWidth, e.currentTarget.naturalHeight])} />
    ${mark && size && html`<svg viewBox=${`0 0 ${size[0]} ${size[1]}`} aria-hidden="true"><${Cross} point=${mark} size=${size[0] / 40} /></svg>`}
  </div>`;
};

export const Cross = ({ point, size = 14 }) => html`<g class="cross">
  <circle cx=${point.x} cy=${point.y} r=${size} /><path d=${`M${point.x - size * 1.6} ${point.y}h${size * 3.2}M${point.x} ${point.y - size * 1.6}v${size * 3.2}`} />
</g>`;

/** The URL of a blob, as long as the part is shown. @param {Blob | undefined} blob */
export function useBlob(blob) {
  const [url, setUrl] = useState('');
  useEffect(() => {
    if (!blob) return setUrl('');
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}

/** Details that render when they open. @param {{label: any, children: () => any, class?: string}} of */
export const Fold = ({ label, children, class: name }) => {
  const [open, setOpen] = useState(false);
  return html`<details class=${name} onToggle=${(e) => setOpen(e.currentTarget.open)}><summary>${label}</summary>${open && children()}</details>`;
};

/** Asks before something that cannot be undone. */
export const Sure = ({ label, question, onYes, danger = true }) => {
  const [asked, setAsked] = useState(false);
  const yes = useRef(/** @type {any} */ (null));
  useEffect(() => asked && yes.current?.focus(), [asked]);
  if (!asked) return html`<button type="button" class=${cls('small', danger && 'danger')} onClick=${() => setAsked(true)}>${label}</button>`;
  return html`<span class="sure" role="group" aria-label=${question}>${question}
    <button type="button" ref=${yes} class="small danger" onClick=${() => { setAsked(false); onYes(); }}>Yes</button>
    <button type="button" class="small" onClick=${() => setAsked(false)}>No</button></span>`;
};
