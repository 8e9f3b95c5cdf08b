// @ts-check
// What happened in a run, the newest first, and what its agent is doing now.
import { headOf, html, plain, unfenced, useState, when } from './lib.js';
import { scenesOf } from './scene.js';
import { nameOf } from './names.js';
import { exactOf } from './exact.js';
import { Busy, Fold, Json, Picture, Text } from './ui.js';

const most = 300; // events that are drawn at once; earlier ones are asked for
const longest = 300; // characters of what the agent said last
const machines = ['token-count', 'tool-schemas']; // kinds that say nothing to people

/** The events of a timeline in words: those of the gateway, and the messages that a worker relays. */
const told = {
  'run-created': 'Asked for', 'run-admitted': 'There is room now', 'run-worker-assigned': 'Given to a worker', 'worker-heartbeat': 'The worker says', 'run-worker-lost': 'The worker is lost', 'run-dispatched': 'The worker began',
  'run-control': 'A person asked for', 'run-control-applied': 'The worker did', 'run-ended': 'Ended', 'tool-call': 'Call', 'tool-bundle': 'Calls', 'tool-output': 'Result', 'tool-progress': 'Progress', 'streaming-response': 'Agent',
  'assistant-message-full': 'Agent', 'llm-thought': 'Thought', 'streaming-complete': 'The agent is done', 'system-prompt': 'Told to the model', 'user-message-full': 'Asked of the agent', 'approval-request': 'Waits for approval', warning: 'Warning', error: 'Error',
};

const inner = ({ payload }) => payload?.payload ?? payload ?? {};
const text = (value) => (typeof value === 'string' ? value : '');
const speaks = (e) => e.event_type === 'streaming-response' || e.event_type === 'assistant-message-full'; // the agent does
/** Whether an event is the result of a call that failed. */
const isFailure = (e) => e.event_type === 'tool-output' && inner(e).success === false;
const isPiece = (e) => e.event_type === 'streaming-response' && !inner(e).notice;

/** What an event says in a line. */
export function lineOf(event) {
  const of = inner(event);
  const said = [nameOf(of.toolName ?? of.tool_name ?? of.name), of.metadata?.original_query ?? of.text ?? of.content ?? of.message ?? of.error ?? of.output, of.action, of.control_mode, of.status, of.worker_id && `at ${of.worker_id}`];
  const line = said.filter((s) => typeof s === 'string' && s).join(' ');
  return headOf((speaks(event) ? unfenced(line) : line).replace(/\s+/g, ' ').trim(), 160);
}

/** The events that say something to people: each sentence of the agent once, which comes in pieces and then whole. @param {any[]} events */
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

/** How many calls ended, and how many of them failed: a run is completed where its agent answered, whatever came of the calls. @param {any[]} events */
export const resultsOf = (events) => ({ ended: events.filter((e) => e.event_type === 'tool-output').length, failed: events.filter(isFailure).length });

/** What the agent is doing: its last words, with their time, and the call that is under way. @param {any[]} events */
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

/** What a run's agent is doing, in its own words. @param {{of: any[]}} of */
export const Now = ({ of }) => {
  const { said, since, call } = nowOf(of);
  const newest = of.findLast(lineOf) ?? of.at(-1);
  if (!said && !call) return html`<p role="status"><strong>Now:</strong> <${Text} of=${lineOf(newest) || plain(newest.event_type)} /> <span class="faint">${when(newest.timestamp)}</span></p>`;
  return html`<div role="status">${said && html`<p><strong>Now:</strong> <${Text} of=${said.length > longest ? `…${said.slice(-longest)}` : said} /> <span class="faint">since ${when(since)}</span></p>`}
    ${call && html`<p>${said ? 'It calls' : html`<strong>Now:</strong> it calls`} <code><${Text} of=${lineOf(call)} /></code> <span class="faint">since ${when(call.timestamp)}</span></p>`}</div>`;
};

export const Events = ({ of, search, loaded }) => {
  const [shown, setShown] = useState(most);
  const [every, setEvery] = useState(false);
  const sought = search.trim().toLowerCase();
  const people = forPeople(of);
  const all = (sought ? of.filter((e) => (exactOf(e) ?? JSON.stringify(e)).toLowerCase().includes(sought)) : every ? of : people).toReversed();
  const hidden = Math.max(0, all.length - shown);
  return html`<header class="bar"><h3>What happened, the newest first</h3>${people.length < of.length && html`<label class="check"><input type="checkbox" checked=${every} onChange=${() => setEvery(!every)} />Also what only programs need (${of.length - people.length})</label>`}</header>
    ${sought && html`<p class="faint" role="status">${all.length} events have “${plain(search)}”</p>`}
    ${!loaded && html`<${Busy} what="Loading what happened" />`}
    <ol class="timeline" reversed aria-label="What happened, the newest first">${all.slice(0, shown).map((e) => html`<li key=${e.seq} class="step tool" data-kind=${e.event_type}><${Fold} class="call" label=${html`${told[e.event_type] ? html`<strong>${told[e.event_type]}</strong>` : html`<code>${plain(e.event_type)}</code>`} ${isFailure(e) && html`<span class="chip error">failed</span> `}<${Text} of=${lineOf(e)} /> <span class="faint">${when(e.timestamp)}</span>`}>${() => html`<${Told} of=${e} />`}<//></li>`)}</ol>
    ${hidden > 0 && html`<p><button onClick=${() => setShown(shown + most)}>Show ${Math.min(hidden, most)} earlier events of ${hidden}</button></p>`}`;
};

const Told = ({ of }) => {
  const { before, after } = scenesOf(of.payload?.payload?.parameters ?? of.payload?.payload?.arguments, of.payload);
  return html`<p class="faint">Event ${of.seq}, <code>${plain(of.event_type)}</code>, by ${plain(of.source)}</p><${Json} label="Event" of=${of.payload} />
    ${(before || after) && html`<div class="scenes">${[before, after].map((s) => s && html`<${Picture} key=${s.id} id=${s.id} alt="A screen of this event" mark=${s.point} />`)}</div>`}`;
};
