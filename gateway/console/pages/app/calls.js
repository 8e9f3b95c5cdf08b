// @ts-check
// What a call of the log was made with. The log has only a digest of it: the conversation or the run that made the call has the rest, and
// of a call that belongs to none, a digest says whether it is the one that somebody looks for.
import { html, plain, signal, useEffect, useLoad, useRef, useState, when } from './lib.js';
import { clientFor, go, here, localUser, user, windie } from './state.js';
import { digestOf, digests } from './digest.js';
import { Field, pruned } from './form.js';
import { Busy, Failure, Json, Loaded, Text } from './ui.js';

const mostPages = 10; // of the log that are looked through for a digest
const page = 500; // records of each
const mostPrompts = 20; // pages of a conversation that are looked through for a call

/** The digest that was asked about last: rows of the log that have it are marked. */
export const asked = signal('');

/** Where the arguments of a call stand: in a conversation, in a run, or nowhere. @param {any} record */
function placeOf({ session_id: session = '' }) {
  const last = session.split('/').at(-1) ?? '';
  if (last.startsWith('run-run-')) return { kind: 'run', id: last.slice('run-'.length) };
  return session.startsWith('api/') ? { kind: last.startsWith('conv_') ? 'conversation' : 'prompt', id: last } : null;
}

/** The client for the conversations of a user, if they may be seen from here. @param {string} owner */
const clientOf = (owner) => (here.value?.mode === 'local' ? clientFor(owner) : owner === user.value ? windie.value : null);

/** What a call of a conversation was made with, and whose it is; nothing if it is not there. @param {any} client @param {string} id @param {string} call @param {AbortSignal} signal */
async function inConversation(client, id, call, signal) {
  let cursor;
  for (let i = 0; i < mostPrompts; i++) {
    const got = await client.conversations.get(id, { cursor, signal });
    const step = got.prompts.flatMap((p) => p.output ?? []).find((s) => s.type === 'tool' && s.id === call);
    if (step) return { args: step.input ?? {}, id };
    cursor = got.nextCursor;
    if (!cursor) return undefined;
  }
}

/** The last part of a session's id begins the id of its prompt. @param {any} client @param {string} session @param {string} call @param {AbortSignal} signal */
async function inPrompt(client, session, call, signal) {
  let after;
  for (let i = 0; i < mostPrompts; i++) {
    const { items, next } = await client.prompts.list({ limit: 100, after, signal });
    const prompt = items.find((p) => p.id.startsWith(`${session}.`));
    if (prompt) return { args: (await client.prompts.get(prompt.id, { signal })).output?.find((s) => s.type === 'tool' && s.id === call)?.input, id: prompt.id };
    after = next;
    if (!after) return undefined;
  }
}

async function inRun(id, call, signal) {
  for (let after = 0; ; ) {
    const { events } = await windie.peek().runs.events(id, { after_seq: after, signal });
    const found = events.find((e) => e.event_type === 'tool-call' && e.payload?.payload?.metadata?.tool_call_id === call);
    if (found) return { args: found.payload.payload.parameters ?? {}, id };
    if (events.length === 0) return undefined;
    after = events.at(-1).seq;
  }
}

/** What a call was made with: from where it stands, or by asking about it. @param {{of: any, tool: any}} of */
export const MadeWith = ({ of, tool }) => {
  const place = placeOf(of);
  const client = place && clientOf(of.user_id);
  if (!place || !client) return html`<${WhoCalled} tool=${tool ?? { id: of.tool, input: {} }} of=${of} />`;
  return html`<${Told} of=${of} place=${place} client=${client} tool=${tool} />`;
};

const Told = ({ of, place, client, tool }) => {
  const found = useLoad((signal) => (place.kind === 'run' ? inRun(place.id, of.call_id, signal) : place.kind === 'prompt' ? inPrompt(client, place.id, of.call_id, signal) : inConversation(client, place.id, of.call_id, signal)).then((at) => at ?? {}), [of.call_id]);
  const open = () => {
    if (place.kind === 'run') return go('gateway', 'runs', place.id);
    if (here.value?.mode === 'local') localUser.value = of.user_id; // whose conversation it is
    go('conversations', place.kind, found.value.id);
  };
  const other = html`<${WhoCalled} tool=${tool ?? { id: of.tool, input: {} }} of=${of} />`;
  if (found.error) return html`<p class="faint">The ${place.kind} that made this call cannot be read: <${Text} of=${found.error.message} /></p>${other}`;
  return html`<${Loaded} of=${found} what="Looking where it was called">${({ args }) => (args === undefined ? html`<p class="faint">The ${place.kind} that made this call does not have it any more.</p>${other}`
    : html`<h3 class="label">Called with</h3><${Json} label="Called with" of=${args} /><div class="actions"><button onClick=${open}>Open the ${place.kind}</button></div>`)}<//>`;
};

/** Looks in the log for the calls of a tool with these arguments. */
async function callersOf(tool, args) {
  const digest = await digestOf(tool, args);
  const calls = [];
  let seen = 0;
  for (let i = 0, after; i < mostPages && (i === 0 || after); i++) {
    const got = await windie.peek().audit.list({ tool, limit: page, after });
    seen += got.items.length;
    calls.push(...got.items.filter((r) => r.digest === digest));
    after = got.next;
  }
  return { digest, calls, seen };
}

/** Asks what a call was made with, and says who made one with that. @param {{tool: any, of?: any}} of */
const WhoCalled = ({ tool, of }) => {
  const [value, setValue] = useState(/** @type {any} */ (undefined));
  if (!digests()) return html`<p class="faint">What it was called with is not kept. On https, and on the gateway's own machine, this page can say whether it was what you think.</p>`;
  return html`<p>What it was called with is not kept; a fingerprint of it is. Write what you look for, and you see which calls were made with exactly that.</p>
    <form onSubmit=${(e) => e.preventDefault()} novalidate>
      <${Field} schema=${tool.input ?? {}} root=${tool.input ?? {}} name="arguments" path="body" wrong=${[]} value=${value} onChange=${setValue} />
      <${Callers} tool=${tool.id} value=${value} of=${of} label="Who called it with this?" main /></form>`;
};

/** A button that finds who called a tool with the arguments of a form. @param {{tool: string, value: any, of?: any, label: string, main?: boolean}} of */
export const Callers = ({ tool, value, of, label, main = false }) => {
  const [state, set] = useState(/** @type {any} */ ({}));
  const ask = async () => {
    set({ busy: true });
    try {
      const found = await callersOf(tool, pruned(value) ?? {});
      set({ found });
      asked.value = found.digest;
    } catch (error) {
      set({ error });
    }
  };
  return html`<div class="actions"><button type=${main ? 'submit' : 'button'} class=${main ? 'primary' : 'small'} onClick=${ask} disabled=${state.busy}>${label}</button></div>
    <div aria-live="polite">${state.busy && html`<${Busy} what="Comparing with the log" />`}${state.error && html`<${Failure} error=${state.error} />`}
    ${state.found && html`<${Found} of=${state.found} row=${of} />`}</div>`;
};

const Found = ({ of: { digest, calls, seen }, row }) => {
  const box = useRef(/** @type {any} */ (null));
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [digest]); // a long form hides what comes below it
  return html`<div class="answer good" ref=${box}>
  <h3>${calls.length === 0 ? 'Nobody called it with exactly this' : `${calls.length === 1 ? 'One call was' : `${calls.length} calls were`} made with exactly this`}</h3>
  ${calls.length === 0 && html`<p class="faint">${seen.toLocaleString()} calls of this tool were compared. Each letter counts, and so does a field that was left out or filled.</p>`}
  <ul>${calls.slice(0, 100).map((r, i) => html`<li key=${i}><strong><${Text} of=${r.user_id} /></strong>, ${when(r.time)}: ${plain(r.outcome)}</li>`)}</ul>
  ${row && html`<p>The call that you opened, of <${Text} of=${row.user_id} />, ${row.digest === digest ? html`<strong>was made with this.</strong>` : 'was made with something else.'}</p>`}</div>`;
};
