// @ts-check
// Calls that wait for approval.
import { html, plain, signal, useEvery, useEffect, useState, when } from './lib.js';
import { callAgain, hrefOf, localUser, here, route, say, signedIn, user, waiting, windie } from './state.js';
import { limits, remember, Rules, sentenceOf } from './rules.js';
import { Field, schemaOf } from './form.js';
import { sceneOf } from './scene.js';
import { Answered, keepAnswer, whereOf } from './answered.js';
import { Fields } from './args.js';
import { exactly, parseExact, textOf } from './exact.js';
import { learnNames, nameOf } from './names.js';
import { Busy, Empty, Failure, Picture, Tabs, Text } from './ui.js';

const every = 2000; // ms between two loads
const list = signal(/** @type {any} */ ({}));

/** Loads the pending calls, and announces new ones. Only people who are signed in see them, so nothing is loaded for others. */
export async function refresh() {
  if (!signedIn.peek()) {
    list.value = { error: { code: 'KEY_REQUIRED', message: '' } };
    waiting.value = 0;
    return;
  }
  const asked = windie.peek();
  try {
    const { items: decisions } = await asked.decisions.list({ limit: 100 });
    if (asked !== windie.peek()) return;
    const known = new Set((list.peek().value ?? []).map((d) => d.id));
    const came = list.peek().value && decisions.filter((d) => !known.has(d.id));
    list.value = { value: decisions };
    waiting.value = decisions.length;
    if (!came || came.length > 0) learnNames(decisions.map((d) => d.tool));
    if (came?.length > 0) announce(came);
  } catch (error) {
    const stranger = ['KEY_REQUIRED', 'AUTH_REQUIRED', 'PERMISSION_DENIED'].includes(error.code); // who may not see the old list
    list.value = stranger ? { error } : { ...list.peek(), error };
    waiting.value = 0;
  }
}

function announce(came) {
  if (route.peek()[0] !== 'approvals') say(`${plain(nameOf(came[0].tool))} needs your approval.`); // that view has the list
  if (globalThis.Notification?.permission === 'granted' && document.visibilityState !== 'visible') new Notification('Windie', { body: `${plain(nameOf(came[0].tool))} needs your approval.`, tag: came[0].id });
}

/** Keeps the inbox, and the number beside its name, up to date. */
export const useInbox = () => {
  useEffect(() => {
    if (here.value) refresh();
  }, [here.value, windie.value]);
  useEvery(() => list.peek().error?.code !== 'KEY_REQUIRED' && list.peek().error?.code !== 'AUTH_REQUIRED' && refresh(), every, []);
};

export const Approvals = () => {
  const [state, setState] = useState('pending');
  const { value, error } = list.value;
  return html`<section aria-labelledby="approvals-title">
    <header class="bar"><h1 id="approvals-title">Approvals</h1><${Notify} /></header>
    <${Tabs} label="Which calls" of=${[['pending', 'Pending'], ['any', 'All'], ['rules', 'Rules']]} value=${state} onChange=${setState} />
    ${state === 'any' ? html`<${Past} />` : state === 'rules' ? html`<${Rules} />` : error && !value?.length ? html`<${Failure} error=${error} again=${refresh} />` : html`
      ${error && html`<p class="notice" role="status">This list may be out of date: <${Text} of=${error.message} /></p>`}
      <${Answered} />
      <div aria-live="polite">${value === undefined ? html`<${Busy} what="Loading approvals" />`
        : value.length === 0 ? html`<${Empty} title="No pending approvals"><p>If an agent of ${here.value?.mode === 'local' ? html`the user <code>${plain(localUser.value)}</code>` : 'yours'} makes a call that needs approval, the call appears here.</p><//>`
        : html`<ul class="inbox">${value.map((d) => html`<li key=${d.id} data-id=${d.id}><${Question} of=${d} /></li>`)}</ul>`}</div>`}
  </section>`;
};

const Notify = () => {
  const [state, setState] = useState(globalThis.Notification?.permission);
  if (state !== 'default') return state === 'granted' && html`<span class="faint">Notifications on</span>`;
  return html`<button class="small" onClick=${async () => setState(await Notification.requestPermission())}>Enable notifications</button>`;
};

const Question = ({ of }) => {
  const [mode, setMode] = useState('');
  const [text, setText] = useState(textOf(of.arguments));
  const [fields, setFields] = useState(() => exactly(of.arguments));
  const [way, setWay] = useState(of.arguments && !Array.isArray(of.arguments) && Object.keys(of.arguments).length > 0 ? 'form' : 'json');
  const turn = (next) => {
    try {
      if (next === 'form') setFields(parseExact(text));
      else setText(JSON.stringify(fields, null, 2));
      setWay(next);
      setError(null);
    } catch (e) {
      setError(noJSON(e));
    }
  };
  const [reason, setReason] = useState('');
  const [rules, setRules] = useState(false); // save the decision as a rule
  const [error, setError] = useState(/** @type {any} */ (null));
  const [busy, setBusy] = useState(false);
  const scene = sceneOf(of.arguments);
  const canEdit = of.via === 'prompt' && of.prompt_id && of.tool_call_id;
  const answer = async (work, done) => {
    setBusy(true);
    setError(null);
    try {
      keepAnswer(of, await work(), done);
      say(`${plain(nameOf(of.tool))} ${done}`);
      await refresh();
    } catch (e) {
      setError(e);
    }
    setBusy(false);
  };
  const verdict = mode === 'deny' ? 'deny' : 'allow';
  const rule = { tool: of.tool, verdict };
  const allow = () => answer(async () => {
    if (rules) await remember(rule);
    if (mode !== 'edit') return windie.value.decisions.approve(of.id).then(() => of.arguments);
    let input = fields;
    try {
      if (way === 'json') input = parseExact(text);
    } catch (e) {
      throw noJSON(e);
    }
    await windie.value.prompts.approve(of.prompt_id, of.tool_call_id, { input });
    return input;
  }, `approved${mode === 'edit' ? ' with edits' : rules ? '' : ' once'}.${rules ? ' Rule saved.' : ''}`);
  const deny = () => answer(async () => {
    if (rules) await remember(rule);
    await windie.value.decisions.reject(of.id, { reason: reason || undefined });
  }, rules ? 'denied. Rule saved.' : 'denied.');
  return html`<article class="card question">
    <h2><code><${Text} of=${nameOf(of.tool)} /></code></h2>
    <p>Reason: <${Text} of=${of.why} /></p>
    <p class="faint">Requested ${when(of.created_at)} ${of.via === 'prompt' ? 'in a conversation' : `through ${plain(of.via ?? 'the gateway')}`}, user ${plain(user.value || 'you')}. Denied automatically <${Left} until=${of.expires_at} />.</p>
    ${scene.id && html`<${Picture} id=${scene.id} alt="Screen of the call" mark=${scene.point} />`}
    ${mode === 'edit' ? html`<${Tabs} label="Edit mode" of=${[['form', 'Fields'], ['json', 'JSON']]} value=${way} onChange=${turn} />` : null}
    ${mode === 'edit' && way === 'form' ? html`<${Field} schema=${schemaOf(exactly(of.arguments))} root=${{}} name="arguments" path="body" wrong=${[]} value=${fields} onChange=${setFields} />` : mode === 'edit' ? html`<label>Arguments<textarea class="mono" rows=${Math.min(16, text.split('\n').length + 1)} spellcheck=${false} value=${text} onInput=${(e) => setText(e.currentTarget.value)}></textarea></label>`
      : html`<h3 class="label">Arguments</h3><${Fields} of=${of.arguments} />`}
    ${mode === 'deny' && html`<label>Reason, for the agent (optional)<input value=${reason} maxlength="2000" onInput=${(e) => setReason(e.currentTarget.value)} /></label>`}
    <label class="check"><input type="checkbox" checked=${rules} onChange=${() => setRules(!rules)} />Save as a rule</label>
    ${rules && html`<p class="notice">${mode === '' ? html`If you approve: <strong><${Text} of=${sentenceOf(rule)} /></strong> If you deny: <strong><${Text} of=${sentenceOf({ tool: of.tool, verdict: 'deny' })} /></strong>` : html`<strong><${Text} of=${sentenceOf(rule)} /></strong>`} ${verdict === 'allow' && limits}</p>`}
    ${error && html`<${Failure} error=${error} />`}
    <div class="actions">
      ${mode === 'deny' ? html`<button class="danger" disabled=${busy} onClick=${deny}>${rules ? 'Always deny' : 'Deny call'}</button>`
        : html`<button class="primary" disabled=${busy} onClick=${allow}>${mode === 'edit' ? 'Approve with edits' : rules ? 'Always approve' : 'Approve once'}</button>
          ${canEdit && mode !== 'edit' && html`<button disabled=${busy} onClick=${() => setMode('edit')}>Edit arguments</button>`}
          ${mode !== 'edit' && html`<button disabled=${busy} onClick=${() => setMode('deny')}>Deny</button>`}`}
      ${mode && html`<button disabled=${busy} onClick=${() => setMode('')}>Cancel</button>`}
    </div>
  </article>`;
};

const noJSON = (e) => Object.assign(new Error(`The arguments are invalid JSON: ${e.message}`), { code: 'INVALID_JSON' });

const Left = ({ until }) => {
  const [, tick] = useState(0);
  useEvery(() => tick((n) => n + 1), 15_000, []);
  const ms = Date.parse(until) - Date.now();
  return html`<time datetime=${until}>${ms <= 0 ? 'now' : ms < 90_000 ? 'within a minute' : ms < 5_400_000 ? `in ${Math.round(ms / 60_000)} min` : `in ${Math.round(ms / 3_600_000)} h`}</time>`;
};

const Past = () => {
  const [state, set] = useState(/** @type {any} */ ({ rows: [] }));
  const more = async (after) => {
    try {
      const page = await windie.value.decisions.list({ state: 'any', limit: 50, after });
      set((s) => ({ rows: after ? [...s.rows, ...page.items] : page.items, next: page.next, done: true }));
    } catch (error) {
      set((s) => ({ ...s, error }));
    }
  };
  useEffect(() => void more(), [windie.value]);
  if (state.error) return html`<${Failure} error=${state.error} again=${() => { set({ rows: [] }); more(); }} />`;
  if (!state.done) return html`<${Busy} />`;
  if (state.rows.length === 0) return html`<${Empty} title="No approvals yet" />`;
  return html`<ul class="rows">${state.rows.map((d) => html`<li key=${d.id}><details><summary><code><${Text} of=${nameOf(d.tool)} /></code> <span class=${`chip ${d.state}`}>${plain(d.state)}</span> <span class="faint">${when(d.created_at)}</span></summary>
    <p><${Text} of=${d.why} /></p>${d.reason && html`<p>Reason: <${Text} of=${d.reason} /></p>`}${d.allowed_arguments ? html`<h3 class="label">Approved with edited arguments</h3><${Fields} label="Edited arguments" of=${d.allowed_arguments} /><h3 class="label">Requested arguments</h3>` : null}<${Fields} of=${d.arguments} />
    <div class="actions">${d.prompt_id && html`<a class="button small" href=${hrefOf('conversations', ...whereOf(d.prompt_id))}>Open ${whereOf(d.prompt_id)[0]}</a>`}<button class="small" onClick=${() => callAgain(d.tool, d.allowed_arguments ?? d.arguments)}>Open in Tools</button></div></details></li>`)}</ul>
    ${state.next && html`<button onClick=${() => more(state.next)}>Load more</button>`}`;
};
