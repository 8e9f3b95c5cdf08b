// @ts-check
// The events of a run, newest first, and the current activity of its agent.
import { count, headOf, html, inWords, plain, unfenced, useState, when } from './lib.js';
import { scenesOf } from './scene.js';
import { nameOf } from './names.js';
import { exactOf } from './exact.js';
import { Busy, Fold, Json, Picture, Text } from './ui.js';

const most = 300; // events on the page; a button adds earlier ones
const longest = 300; // characters of the agent's last text
const machines = ['token-count', 'tool-schemas']; // types for programs only

/** The events of a timeline in words: those of the gateway, and the messages that a worker relays. */
const told = {
  'run-created': 'Created', 'run-admitted': 'Admitted', 'run-worker-assigned': 'Assigned', 'worker-heartbeat': 'Worker status', 'run-worker-lost': 'Worker lost', 'run-dispatched': 'Started',
  'run-control': 'Control requested', 'run-control-applied': 'Control applied', 'run-ended': 'Ended', 'tool-call': 'Call', 'tool-bundle': 'Calls', 'tool-output': 'Result', 'tool-progress': 'Progress', 'streaming-response': 'Agent',
  'assistant-message-full': 'Agent', 'llm-thought': 'Thought', 'streaming-complete': 'Turn ended', 'system-prompt': 'System prompt', 'user-message-full': 'User message', 'approval-request': 'Approval requested', 'token-count': 'Token count', 'tool-schemas': 'Tool schemas', warning: 'Warning', error: 'Error',
};

/** The title of an event. @param {any} event */
const titleOf = ({ event_type: type }) => told[type] ?? inWords(type).replace(/^./, (c) => c.toUpperCase());

const inner = ({ payload }) => payload?.payload ?? payload ?? {};
const text = (value) => (typeof value === 'string' ? value : '');
const speaks = (e) => e.event_type === 'streaming-response' || e.event_type === 'assistant-message-full'; // text of the agent
/** Whether an event is the result of a call that failed. */
const isFailure = (e) => e.event_type === 'tool-output' && inner(e).success === false;
const isPiece = (e) => e.event_type === 'streaming-response' && !inner(e).notice;

/** An event in one line. */
export function lineOf(event) {
  const of = inner(event);
  const words = of.metadata?.original_query ?? of.text ?? of.content ?? of.message ?? of.error ?? of.output;
  const status = inWords(text(of.status));
  const said = [nameOf(of.toolName ?? of.tool_name ?? of.name), status && text(words) ? `${status}: ${words}` : words ?? status, inWords(text(of.action)), inWords(text(of.control_mode)), of.worker_id && `· ${of.worker_id}`];
  const line = said.filter((s) => typeof s === 'string' && s).join(' ');
  return headOf((speaks(event) ? unfenced(line) : line).replace(/\s+/g, ' ').trim(), 160);
}

/** The events for people. The text of the agent comes in pieces and then whole; the list has it once. @param {any[]} events */
export function forPeople(events) {
  const doubled = new Set();
  let pieces = [];
  for (const e of events) {
    if (isPiece(e)) pieces.push(e);
    else if (e.event_type === 'llm-thought' && inner(e).restart) pieces = [];
    else if (e.event_type === 'assistant-message-full') {
      const whole = text(inner(e).content).trim();
      if (pieces.map((p) => text(inner(p).text)).join('').trim() === whole) for (const p of pieces) doubled.add(p);
      pieces = [];
    }
  }
  return events.filter((e) => !doubled.has(e) && !machines.includes(e.event_type));
}

/** The number of calls that ended, and of those that failed: a run can complete although its calls failed. @param {any[]} events */
export const resultsOf = (events) => ({ ended: events.filter((e) => e.event_type === 'tool-output').length, failed: events.filter(isFailure).length });

/** The current activity of the agent: its last text, with the time, and its open call. @param {any[]} events */
export function nowOf(events) {
  const at = events.findLastIndex((e) => isPiece(e) || (e.event_type === 'assistant-message-full' && text(inner(e).content).trim()));
  const last = events[at];
  let said = last?.event_type === 'assistant-message-full' ? inner(last).content : '';
  for (let i = at; said === '' || isPiece(events[i] ?? {}); i--) {
    if (!events[i] || events[i].event_type === 'assistant-message-full') break;
    if (isPiece(events[i])) said = text(inner(events[i]).text) + said;
  }
  const call = events.findLast((e) => e.event_type === 'tool-call' || e.event_type === 'tool-output');
  return { said: unfenced(said).trim(), since: last?.timestamp, call: call?.event_type === 'tool-call' ? call : undefined };
}

/** The current activity of a run's agent. @param {{of: any[]}} of */
export const Now = ({ of }) => {
  const { said, since, call } = nowOf(of);
  const newest = of.findLast(lineOf) ?? of.at(-1);
  if (!said && !call) return html`<p role="status"><strong>Now:</strong> <${Text} of=${lineOf(newest) || titleOf(newest)} /> <span class="faint">${when(newest.timestamp)}</span></p>`;
  return html`<div role="status">${said && html`<p><strong>Now:</strong> <${Text} of=${said.length > longest ? `…${said.slice(-longest)}` : said} /> <span class="faint">since ${when(since)}</span></p>`}
    ${call && html`<p>${said ? 'Calling' : html`<strong>Now:</strong> calling`} <code><${Text} of=${lineOf(call)} /></code> <span class="faint">since ${when(call.timestamp)}</span></p>`}</div>`;
};

export const Events = ({ of, search, loaded }) => {
  const [shown, setShown] = useState(most);
  const [every, setEvery] = useState(false);
  const sought = search.trim().toLowerCase();
  const people = forPeople(of);
  const all = (sought ? of.filter((e) => (exactOf(e) ?? JSON.stringify(e)).toLowerCase().includes(sought)) : every ? of : people).toReversed();
  const hidden = Math.max(0, all.length - shown);
  return html`<header class="bar"><h3>Events, newest first</h3>${people.length < of.length && html`<label class="check"><input type="checkbox" checked=${every} onChange=${() => setEvery(!every)} />Show all events (${of.length - people.length} hidden)</label>`}</header>
    ${sought && html`<p class="faint" role="status">${count(all.length, 'event')} with “${plain(search)}”</p>`}
    ${!loaded && html`<${Busy} what="Loading events" />`}
    <ol class="timeline" reversed aria-label="Events, newest first">${all.slice(0, shown).map((e) => html`<li key=${e.seq} class="step tool" data-kind=${e.event_type}><${Fold} class="call" label=${html`<strong>${titleOf(e)}</strong> ${isFailure(e) && html`<span class="chip error">failed</span> `}<${Text} of=${lineOf(e)} /> <span class="faint">${when(e.timestamp)}</span>`}>${() => html`<${Told} of=${e} />`}<//></li>`)}</ol>
    ${hidden > 0 && html`<p><button onClick=${() => setShown(shown + most)}>Show ${Math.min(hidden, most)} earlier events of ${hidden}</button></p>`}`;
};

const Told = ({ of }) => {
  const { before, after } = scenesOf(of.payload?.payload?.parameters ?? of.payload?.payload?.arguments, of.payload);
  return html`<p class="faint">Event ${of.seq}, type <code>${plain(of.event_type)}</code>, from ${of.source === 'control-plane' ? 'the gateway' : plain(of.source)}</p><${Json} label="Event" of=${of.payload} />
    ${(before || after) && html`<div class="scenes">${[before, after].map((s) => s && html`<${Picture} key=${s.id} id=${s.id} alt="Screen of the event" mark=${s.point} />`)}</div>`}`;
};
