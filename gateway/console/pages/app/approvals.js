// @ts-check
// Calls that wait for a person's yes or no.
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

const every = 2000; // ms between two looks
const list = signal(/** @type {any} */ ({}));

/** Looks what waits, and says so when something came. Nobody who is not signed in is shown it, so it is not asked for then. */
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
    const stranger = ['KEY_REQUIRED', 'AUTH_REQUIRED', 'PERMISSION_DENIED'].includes(error.code); // who sees nothing of what was there
    list.value = stranger ? { error } : { ...list.peek(), error };
    waiting.value = 0;
  }
}

function announce(came) {
  if (route.peek()[0] !== 'approvals') say(`${plain(nameOf(came[0].tool))} waits for your yes or no.`); // there the list says so
  if (globalThis.Notification?.permission === 'granted' && document.visibilityState !== 'visible') new Notification('Windie asks', { body: `${plain(nameOf(came[0].tool))} waits for your yes or no.`, tag: came[0].id });
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
    <${Tabs} label="Which calls" of=${[['pending', 'Waiting'], ['any', 'All'], ['rules', 'Rules']]} value=${state} onChange=${setState} />
    ${state === 'any' ? html`<${Past} />` : state === 'rules' ? html`<${Rules} />` : error && !value?.length ? html`<${Failure} error=${error} again=${refresh} />` : html`
      ${error && html`<p class="notice" role="status">This list may be old: <${Text} of=${error.message} /></p>`}
      <${Answered} />
      <div aria-live="polite">${value === undefined ? html`<${Busy} what="Looking for calls that wait" />`
        : value.length === 0 ? html`<${Empty} title="Nothing waits for you"><p>When an agent of ${here.value?.mode === 'local' ? html`the user <code>${plain(localUser.value)}</code>` : 'yours'} wants to make a call that the rules ask about, it comes up here by itself.</p><//>`
        : html`<ul class="inbox">${value.map((d) => html`<li key=${d.id} data-id=${d.id}><${Question} of=${d} /></li>`)}</ul>`}</div>`}
  </section>`;
};

const Notify = () => {
  const [state, setState] = useState(globalThis.Notification?.permission);
  if (state !== 'default') return state === 'granted' && html`<span class="faint">Notifications are on</span>`;
  return html`<button class="small" onClick=${async () => setState(await Notification.requestPermission())}>Notify me</button>`;
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
  const [rules, setRules] = useState(false); // the answer is to be remembered
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
  }, rules ? 'is allowed, and the rule is kept.' : 'is allowed, once.');
  const deny = () => answer(async () => {
    if (rules) await remember(rule);
    await windie.value.decisions.reject(of.id, { reason: reason || undefined });
  }, rules ? 'is denied, and the rule is kept.' : 'is denied.');
  return html`<article class="card question">
    <h2><code><${Text} of=${nameOf(of.tool)} /></code></h2>
    <p>Why you are asked: <${Text} of=${of.why} /></p>
    <p class="faint">Asked ${when(of.created_at)} ${of.via === 'prompt' ? 'in a conversation' : `by ${plain(of.via ?? 'the gateway')}`} of the user ${plain(user.value || 'you')}. If nobody answers, it is denied <${Left} until=${of.expires_at} />.</p>
    ${scene.id && html`<${Picture} id=${scene.id} alt="The screen that the call is about" mark=${scene.point} />`}
    ${mode === 'edit' ? html`<${Tabs} label="How to edit the arguments" of=${[['form', 'Fields'], ['json', 'JSON']]} value=${way} onChange=${turn} />` : null}
    ${mode === 'edit' && way === 'form' ? html`<${Field} schema=${schemaOf(exactly(of.arguments))} root=${{}} name="arguments" path="body" wrong=${[]} value=${fields} onChange=${setFields} />` : mode === 'edit' ? html`<label>Arguments, as the call is to be made<textarea class="mono" rows=${Math.min(16, text.split('\n').length + 1)} spellcheck=${false} value=${text} onInput=${(e) => setText(e.currentTarget.value)}></textarea></label>`
      : html`<h3 class="label">The call, exactly as it would be made</h3><${Fields} of=${of.arguments} />`}
    ${mode === 'deny' && html`<label>Why not, for the agent (optional)<input value=${reason} maxlength="2000" onInput=${(e) => setReason(e.currentTarget.value)} /></label>`}
    <label class="check"><input type="checkbox" checked=${rules} onChange=${() => setRules(!rules)} />Remember my answer as a rule</label>
    ${rules && html`<p class="notice">${mode === '' ? html`If you allow: <strong><${Text} of=${sentenceOf(rule)} /></strong> If you deny: <strong><${Text} of=${sentenceOf({ tool: of.tool, verdict: 'deny' })} /></strong>` : html`<strong><${Text} of=${sentenceOf(rule)} /></strong>`} ${verdict === 'allow' && limits}</p>`}
    ${error && html`<${Failure} error=${error} />`}
    <div class="actions">
      ${mode === 'deny' ? html`<button class="danger" disabled=${busy} onClick=${deny}>${rules ? 'Deny, always' : 'Deny the call'}</button>`
        : html`<button class="primary" disabled=${busy} onClick=${allow}>${mode === 'edit' ? 'Allow with these arguments' : rules ? 'Allow, always' : 'Allow once'}</button>
          ${canEdit && mode !== 'edit' && html`<button disabled=${busy} onClick=${() => setMode('edit')}>Edit the arguments</button>`}
          ${mode !== 'edit' && html`<button disabled=${busy} onClick=${() => setMode('deny')}>Deny</button>`}`}
      ${mode && html`<button disabled=${busy} onClick=${() => setMode('')}>Back</button>`}
    </div>
  </article>`;
};

const noJSON = (e) => Object.assign(new Error(`The arguments are no JSON: ${e.message}`), { code: 'NO_JSON' });

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
  if (state.rows.length === 0) return html`<${Empty} title="Nobody was asked yet" />`;
  return html`<ul class="rows">${state.rows.map((d) => html`<li key=${d.id}><details><summary><code><${Text} of=${nameOf(d.tool)} /></code> <span class=${`chip ${d.state}`}>${plain(d.state)}</span> <span class="faint">${when(d.created_at)}</span></summary>
    <p><${Text} of=${d.why} /></p>${d.reason && html`<p>Reason: <${Text} of=${d.reason} /></p>`}${d.allowed_arguments ? html`<h3 class="label">Allowed with these arguments instead</h3><${Fields} label="Allowed arguments" of=${d.allowed_arguments} /><h3 class="label">It was asked with these</h3>` : null}<${Fields} of=${d.arguments} />
    <div class="actions">${d.prompt_id && html`<a class="button small" href=${hrefOf('conversations', ...whereOf(d.prompt_id))}>What came of it</a>`}<button class="small" onClick=${() => callAgain(d.tool, d.allowed_arguments ?? d.arguments)}>To the tool's form</button></div></details></li>`)}</ul>
    ${state.next && html`<button onClick=${() => more(state.next)}>More</button>`}`;
};
