// @ts-check
// The arguments of a call in the audit log. The log has only their digest: the conversation or the run of the call has the rest. The
// digest of a call outside of both shows whether it matches the arguments that a person enters.
import { count, html, plain, signal, useEffect, useLoad, useRef, useState, when } from './lib.js';
import { clientFor, go, here, localUser, user, windie } from './state.js';
import { digestOf, digests } from './digest.js';
import { Field, pruned } from './form.js';
import { Busy, Failure, Json, Loaded, Text } from './ui.js';

const mostPages = 10; // of the log in a search for a digest
const page = 500; // records per page
const mostPrompts = 20; // pages in a search for a call

/** The digest of the last search: rows of the log that have it are marked. */
export const asked = signal('');

/** The place of a call's arguments: a conversation, a run, or none. @param {any} record */
function placeOf({ session_id: session = '' }) {
  const last = session.split('/').at(-1) ?? '';
  if (last.startsWith('run-run-')) return { kind: 'run', id: last.slice('run-'.length) };
  return session.startsWith('api/') ? { kind: last.startsWith('conv_') ? 'conversation' : 'prompt', id: last } : null;
}

/** The client for the conversations of a user; null if this page may not see them. @param {string} owner */
const clientOf = (owner) => (here.value?.mode === 'local' ? clientFor(owner) : owner === user.value ? windie.value : null);

/** The arguments of a call in a conversation, with the id of the conversation; nothing if the call is missing. @param {any} client @param {string} id @param {string} call @param {AbortSignal} signal */
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

/** The arguments of a call, or a form that compares entered arguments with it. @param {{of: any, tool: any}} of */
export const Arguments = ({ of, tool }) => {
  const place = placeOf(of);
  const client = place && clientOf(of.user_id);
  if (!place || !client) return html`<${Matching} tool=${tool ?? { id: of.tool, input: {} }} of=${of} />`;
  return html`<${Stored} of=${of} place=${place} client=${client} tool=${tool} />`;
};

const Stored = ({ of, place, client, tool }) => {
  const found = useLoad((signal) => (place.kind === 'run' ? inRun(place.id, of.call_id, signal) : place.kind === 'prompt' ? inPrompt(client, place.id, of.call_id, signal) : inConversation(client, place.id, of.call_id, signal)).then((at) => at ?? {}), [of.call_id]);
  const open = () => {
    if (place.kind === 'run') return go('gateway', 'runs', place.id);
    if (here.value?.mode === 'local') localUser.value = of.user_id; // the owner of the conversation
    go('conversations', place.kind, found.value.id);
  };
  const other = html`<${Matching} tool=${tool ?? { id: of.tool, input: {} }} of=${of} />`;
  if (found.error) return html`<p class="faint">Cannot load the ${place.kind} of this call: <${Text} of=${found.error.message} /></p>${other}`;
  return html`<${Loaded} of=${found} what="Loading the arguments">${({ args }) => (args === undefined ? html`<p class="faint">The ${place.kind} no longer contains this call.</p>${other}`
    : html`<h3 class="label">Arguments</h3><${Json} label="Arguments" of=${args} /><div class="actions"><button onClick=${open}>Open ${place.kind}</button></div>`)}<//>`;
};

/** Finds the calls of a tool with these arguments in the log. */
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

/** Asks for arguments, and lists the calls that match them. @param {{tool: any, of?: any}} of */
const Matching = ({ tool, of }) => {
  const [value, setValue] = useState(/** @type {any} */ (undefined));
  if (!digests()) return html`<p class="faint">The log has only a hash of the arguments. To compare arguments with the hash, open the console over HTTPS or on the gateway's machine.</p>`;
  return html`<p>The log has only a hash of the arguments. Enter arguments to find the calls that match exactly.</p>
    <form onSubmit=${(e) => e.preventDefault()} novalidate>
      <${Field} schema=${tool.input ?? {}} root=${tool.input ?? {}} name="arguments" path="body" wrong=${[]} value=${value} onChange=${setValue} />
      <${Callers} tool=${tool.id} value=${value} of=${of} label="Find matching calls" main /></form>`;
};

/** A button that finds the calls of a tool with the arguments of a form. @param {{tool: string, value: any, of?: any, label: string, main?: boolean}} of */
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
    <div aria-live="polite">${state.busy && html`<${Busy} what="Searching the audit log" />`}${state.error && html`<${Failure} error=${state.error} />`}
    ${state.found && html`<${Found} of=${state.found} row=${of} />`}</div>`;
};

const Found = ({ of: { digest, calls, seen }, row }) => {
  const box = useRef(/** @type {any} */ (null));
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [digest]); // the result is below a long form
  return html`<div class="answer good" ref=${box}>
  <h3>${calls.length === 0 ? 'No matching calls' : count(calls.length, 'matching call')}</h3>
  ${calls.length === 0 && html`<p class="faint">Compared ${count(seen, 'call')} of this tool with these arguments. A call matches only if it has the same fields, and every character is equal.</p>`}
  <ul>${calls.slice(0, 100).map((r, i) => html`<li key=${i}><strong><${Text} of=${r.user_id} /></strong>, ${when(r.time)}: ${plain(r.outcome)}</li>`)}</ul>
  ${row && html`<p>The open call, by <${Text} of=${row.user_id} />, ${row.digest === digest ? html`<strong>matches.</strong>` : 'does not match.'}</p>`}</div>`;
};
