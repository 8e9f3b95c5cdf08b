// @ts-check
// Watch: what an agent did on a screen, step by step. Each step has the screen that it acted on, with the click or the keys
// drawn on it, the model's words before it, and the call with its result.
import { between, cls, headOf, html, plain, span, unfenced, useEffect, useRef, useState, when } from './lib.js';
import { nameOf } from './names.js';
import { scenesOf } from './scene.js';
import { exactOf } from './exact.js';
import { windie } from './state.js';
import { Cross, Json, Picture, Text, useBlob } from './ui.js';

const playPause = 1500; // ms for which playing shows a step

/**
 * A step: a call, and the screen that it acted on.
 * @typedef {{key: string, name: string, input: any, output: any, failed: boolean, running: boolean, start?: string, end?: string, said: string, screen?: {id: string, point?: {x: number, y: number}}, after?: string}} Step
 */

/**
 * Adds to each call the screen that it acted on: the one that it names, or the last one before it.
 * @param {{key: string, name: string, input: any, output: any, failed: boolean, running: boolean, start?: string, end?: string, said: string, picture?: string}[]} calls
 * @returns {Step[]}
 */
export function stepsOn(calls) {
  let last = '';
  return calls.map((call) => {
    const { before, after } = scenesOf(call.input, call.output);
    const point = before?.point ?? pointIn(call.input);
    const id = before?.id ?? last;
    const next = call.picture ?? after?.id;
    last = next ?? id;
    return { ...call, screen: id || next ? { id: id || next || '', point } : undefined, after: next };
  });
}

/** The point of arguments that name no screen. @param {any} input */
const pointIn = (input) => [input?.point, input?.target, input].find((p) => Number.isFinite(p?.x) && Number.isFinite(p?.y));

/** The text that a call types, or the keys that it presses; empty for other calls. @param {any} input */
export function keysIn(input) {
  const text = input?.text ?? input?.keys ?? input?.key;
  return Array.isArray(text) ? text.join('+') : typeof text === 'string' ? text : '';
}

/** The steps of turns. @param {any[]} turns */
export function stepsOfTurns(turns) {
  const calls = [];
  for (const turn of turns) {
    let said = '';
    for (const [i, s] of turn.steps.entries()) {
      if (s.type === 'text') said = unfenced(s.content);
      if (s.type !== 'tool') continue;
      calls.push({ key: `${turn.key}-${i}`, name: s.function, input: s.input, output: s.result?.output, failed: s.result?.type === 'error', running: !s.result, start: s.start, end: s.end, said });
      said = '';
    }
  }
  return stepsOn(calls);
}

/** The steps of a run's events, the oldest first. @param {any[]} events */
export function stepsOfEvents(events) {
  const calls = [];
  let said = '';
  for (const e of events) {
    const of = e.payload?.payload ?? e.payload ?? {};
    if (e.event_type === 'assistant-message-full') said = unfenced(of.content ?? '').trim();
    if (e.event_type === 'tool-call' && !of.answered) {
      calls.push({ key: String(e.seq), name: nameOf(of.tool_name ?? of.toolName ?? ''), input: of.parameters, output: undefined, failed: false, running: true, start: e.timestamp, said });
      said = '';
    }
    if (e.event_type === 'tool-output') {
      const call = calls.find((c) => c.running && c.name === nameOf(of.tool_name ?? of.toolName ?? '')) ?? calls.find((c) => c.running);
      if (call) Object.assign(call, { output: of.output ?? of.error, picture: of.screenshot_ref, failed: of.success === false, running: false, end: e.timestamp });
    }
  }
  return stepsOn(calls);
}

/** A step's screen, small; it is loaded when it comes into view, each picture once. @param {{of: Step, pictures: Map<string, Promise<Blob>>}} of */
const Small = ({ of, pictures }) => {
  const box = useRef(/** @type {any} */ (null));
  const [blob, setBlob] = useState(/** @type {Blob | undefined} */ (undefined));
  const [size, setSize] = useState(/** @type {any} */ (null));
  const id = of.screen?.id;
  useEffect(() => {
    if (!id) return;
    const seen = new IntersectionObserver((all) => {
      if (!all.some((one) => one.isIntersecting)) return;
      seen.disconnect();
      if (!pictures.has(id)) pictures.set(id, windie.peek().blob(id));
      pictures.get(id)?.then(setBlob, () => pictures.delete(id)); // a click on the step says why it fails
    });
    seen.observe(box.current);
    return () => seen.disconnect();
  }, [id]);
  const url = useBlob(blob);
  return html`<span class="small-screen picture" ref=${box}>${url && html`<img src=${url} alt="" onLoad=${(e) => setSize([e.currentTarget.naturalWidth, e.currentTarget.naturalHeight])} />`}
    ${of.screen?.point && size && html`<svg viewBox=${`0 0 ${size[0]} ${size[1]}`} aria-hidden="true"><${Cross} point=${of.screen.point} size=${size[0] / 16} /></svg>`}</span>`;
};

/** @param {{steps: Step[]}} of */
export const Watch = ({ steps }) => {
  const [at, setAt] = useState(-1); // -1: the newest, also as more come
  const [plays, setPlays] = useState(false);
  const root = useRef(/** @type {any} */ (null));
  const strip = useRef(/** @type {any} */ (null));
  const pictures = useRef(new Map());
  useEffect(() => root.current.scrollIntoView({ block: 'start' }), []);
  const now = at < 0 ? steps.length - 1 : Math.min(at, steps.length - 1);
  const show = (n) => setAt(n >= steps.length - 1 ? -1 : Math.max(0, n));
  useEffect(() => {
    if (!plays) return;
    const next = setTimeout(() => (now < steps.length - 1 ? show(now + 1) : setPlays(false)), playPause);
    return () => clearTimeout(next);
  }, [plays, now, steps.length]);
  useEffect(() => {
    const [box, one] = [strip.current, strip.current?.children[now]];
    if (one) box.scrollLeft = one.offsetLeft - box.offsetLeft - (box.clientWidth - one.offsetWidth) / 2;
  }, [now]);
  const key = (e) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (!by) return;
    e.preventDefault();
    setPlays(false);
    show(now + by);
  };
  const step = steps[now];
  const longest = Math.max(1, ...steps.map(msOf));
  return html`<div class="watch" ref=${root} role="group" aria-label="Screens of this agent" onKeyDown=${key}>
    <div class="bar"><button class="small" disabled=${now === 0} onClick=${() => show(now - 1)}>Back</button>
      <button class="small primary" onClick=${() => { if (!plays && now === steps.length - 1) setAt(0); setPlays(!plays); }}>${plays ? 'Pause' : 'Play'}</button>
      <button class="small" disabled=${now === steps.length - 1} onClick=${() => show(now + 1)}>Next</button>
      <span class="faint" role="status">Step ${now + 1} of ${steps.length}${at < 0 && step.running ? ', live' : ''}</span></div>
    <ol class="strip" ref=${strip} aria-label="Steps">${steps.map((s, i) => html`<li key=${s.key}><button aria-current=${i === now ? 'step' : undefined} class=${cls(s.failed && 'bad')} title=${plain(s.name)} onClick=${() => { setPlays(false); show(i); }}>
      <${Small} of=${s} pictures=${pictures.current} /><span class="name"><${Text} of=${headOf(s.name, 40)} /></span><span class="length" style=${`width: ${Math.max(2, (100 * msOf(s)) / longest)}%`}></span><span class="faint">${s.running ? 'running' : s.end ? span(msOf(s)) : ''}</span></button></li>`)}</ol>
    <div class="step-at"><figure>${step.screen ? html`<${Picture} key=${step.screen.id} id=${step.screen.id} alt="The screen at this step" mark=${step.screen.point} />` : html`<p class="faint">No screen yet.</p>`}
        <figcaption>${step.screen?.point && `Point ${Math.round(step.screen.point.x)}, ${Math.round(step.screen.point.y)}. `}${keysIn(step.input) && html`Keys: <kbd><${Text} of=${headOf(keysIn(step.input), 200)} /></kbd>`}</figcaption></figure>
      <div class="card">${step.said && html`<p class="words"><${Text} of=${step.said} limit=${2000} /></p>`}
        <h3><code><${Text} of=${step.name} /></code> ${step.failed && html`<span class="chip error">failed</span>`}</h3>
        <p class="faint">${when(step.start)}${step.end && `, ${between(step.start, step.end)}`}</p>
        <h4>Arguments</h4><${Json} label="Arguments" of=${step.input ?? {}} />
        <h4>Result</h4>${step.running ? html`<p class="faint">Running…</p>` : html`<${Json} label="Result" of=${exactOf(step, 'output') ?? step.output ?? null} />`}</div></div>
  </div>`;
};

/** @param {Step} step */
const msOf = (step) => (step.start && step.end ? Math.max(0, Date.parse(step.end) - Date.parse(step.start)) : 0);
