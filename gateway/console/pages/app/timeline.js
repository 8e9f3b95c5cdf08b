// @ts-check
// The steps of turns, one below the other.
import { between, cls, count, html, inWords, percent, plain, unfenced, useState, when } from './lib.js';
import { callAgain, hrefOf } from './state.js';
import { ToMemory } from './memory.js';
import { Fields } from './args.js';
import { exactOf } from './exact.js';
import { nameOf } from './names.js';
import { scenesOf } from './scene.js';
import { Fold, Json, Picture, Text } from './ui.js';

const most = 300; // steps on the page; a button adds earlier ones

/** Whether a value contains a text. */
const holds = (value, text) => (exactOf(value) ?? JSON.stringify(value ?? '')).toLowerCase().includes(text);

export const Timeline = ({ turns, search, earlier }) => {
  const [shown, setShown] = useState(most);
  const text = search.trim().toLowerCase();
  const all = turns.flatMap((t) => stepsOf(t)).filter((s) => !text || holds(s.of, text));
  const hidden = Math.max(0, all.length - shown);
  return html`${(hidden > 0 || earlier) && html`<p><button onClick=${() => (hidden > 0 ? setShown(shown + most) : earlier())}>${hidden > 0 ? `Show ${Math.min(hidden, most)} earlier steps of ${hidden}` : 'Load earlier prompts'}</button></p>`}
    ${text && html`<p class="faint" role="status">${count(all.length, 'step')} with “${plain(search)}”</p>`}
    <ol class="timeline" aria-label="Timeline">${all.slice(hidden).map((s) => html`<li key=${s.key} class=${cls('step', s.kind)}><${parts[s.kind]} of=${s.of} turn=${s.turn} /></li>`)}</ol>`;
};

/** The steps of a turn with their kinds. */
function stepsOf(turn) {
  const of = (kind, key, value) => ({ kind, key: `${turn.key}-${key}`, of: value, turn });
  return [
    of('said', 'said', turn.input),
    ...turn.steps.map((s, i) => of(s.type, i, s)),
    ...turn.notes.map((n, i) => of('note', `note-${i}`, n)),
    ...(turn.piece ? [of('piece', 'piece', turn.piece)] : []),
    ...turn.approvals.map((a) => of('approval', `approval-${a.toolCallId}`, a)),
    ...(turn.error ? [of('failure', 'failure', turn.error)] : []),
    of('end', 'end', turn.status),
  ];
}

/** A call with its arguments, its result, and the screens before and after. */
const Called = ({ of }) => {
  const { before, after } = scenesOf(of.input, of.result?.output);
  const evidence = of.result?.output?.evidence ?? of.result?.output?.match?.evidence;
  return html`${Array.isArray(evidence) && evidence.length > 0 && html`<h4>Evidence</h4><ul>${evidence.map((e) => html`<li key=${e.term}><${Text} of=${e.term ?? ''} limit=${300} />: ${percent(Number(e.met) || 0)} match${e.by && html`, by <${Text} of=${e.by} limit=${300} />`}</li>`)}</ul>`}
    ${(before || after) && html`<div class="scenes">${before && html`<figure><${Picture} id=${before.id} alt="Screen before the call" mark=${before.point} /><figcaption>Before${before.point && `, click point ${before.point.x}, ${before.point.y}`}</figcaption></figure>`}
      ${after && html`<figure><${Picture} id=${after.id} alt="Screen after the call" /><figcaption>After</figcaption></figure>`}</div>`}
    <h4>Arguments</h4><${Json} label="Arguments" of=${of.input ?? {}} /><h4>Result</h4><${Json} label="Result" of=${of.result?.error ?? exactOf(of.result, 'output') ?? of.result?.output ?? null} />
    <button class="small" onClick=${() => callAgain(of.function, of.input ?? {})} title="Opens the tool's form with these arguments, without calling the tool">Open in Tools</button>${of.function.startsWith('memory') && html`<${ToMemory} input=${of.input} output=${of.result?.output} />`}`;
};

const parts = {
  said: ({ of, turn }) => html`<p class="who">You${turn.startedAt && html` <time class="faint" datetime=${turn.startedAt}>${when(turn.startedAt)}</time>`}</p><p class="words"><${Text} of=${of} /></p>
    ${turn.images.map((i) => i.artifact_id && html`<${Picture} key=${i.artifact_id} id=${i.artifact_id} alt="Attached image" />`)}`,
  text: ({ of }) => html`<p class="who">Agent ${of.cut && html`<span class="chip">cut off</span>`}</p><p class="words"><${Text} of=${unfenced(of.content)} /></p>`,
  piece: ({ of }) => html`<p class="who">Agent</p><p class="words writing"><${Text} of=${unfenced(of)} /></p>`,
  file: ({ of }) => html`<p class="who">File</p><${Picture} id=${of.id} alt=${`The file ${plain(of.id)}`} />`,
  note: ({ of }) => html`<p class="notice"><${Text} of=${of} /></p>`,
  failure: ({ of }) => html`<p class="bad" role="alert"><strong>${of.reason ? inWords(of.reason) : plain(of.code ?? 'Failed')}</strong> <${Text} of=${of.message} /></p>`,
  tool: ({ of }) => html`<${Fold} class="call" label=${html`<code><${Text} of=${of.function} /></code> <span class=${`chip ${of.result?.type}`}>${plain(of.result?.type ?? 'running')}</span> <span class="faint">${between(of.start, of.end)}</span>`}>${() => html`<${Called} of=${of} />`}<//>`,
  approval: ({ of }) => html`<div class="card question"><p><strong>Waiting for approval:</strong> <code><${Text} of=${nameOf(of.toolName)} /></code></p><p><${Text} of=${of.reason} /></p><${Fields} of=${of.input} />
    <p><a class="button primary" href=${hrefOf('approvals')}>Open approvals</a></p></div>`,
  end: ({ of, turn }) => html`<p class="faint" aria-live=${of === 'running' ? 'off' : 'polite'}>${inWords(of)}${turn.endedAt && `, ${between(turn.startedAt, turn.endedAt)}`}${turn.usage && `, ${count(turn.usage.totalTokens, 'token')}`}</p>`,
};
