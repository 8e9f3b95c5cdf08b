// @ts-check
// Two screens, and the changes between them.
import { html, percent, useEffect, useRef, useState } from './lib.js';
import { windie } from './state.js';
import { Busy, Failure, Text, useBlob } from './ui.js';
import { Viewer } from './viewer.js';

const boxesOf = (diff) => ({
  before: [...diff.rows.vanished.map((r) => ['gone', r.bbox, r.text]), ...diff.elements.vanished.map((e) => ['gone', e.bbox, e.label || e.role])],
  after: [
    ...diff.regions.map((b) => ['region', b, 'changed']),
    ...diff.moves.map((m) => ['moved', m.bbox, `moved by ${m.by.x}, ${m.by.y}`]),
    ...diff.rows.appeared.map((r) => ['new', r.bbox, r.text]),
    ...diff.elements.appeared.map((e) => ['new', e.bbox, e.label || e.role]),
  ],
});
const marksOf = (boxes) => boxes.map(([layer, box, title], i) => ({ id: `${layer}-${i}`, layer, ...box, title }));

export const Compare = ({ before }) => {
  const input = useRef(/** @type {any} */ (null));
  const [state, set] = useState(/** @type {any} */ ({}));
  const [blink, setBlink] = useState(false);
  const [first, setFirst] = useState(false);
  useEffect(() => {
    if (!blink) return setFirst(false);
    const timer = setInterval(() => setFirst((f) => !f), 800);
    return () => clearInterval(timer);
  }, [blink]);
  const take = async (file) => {
    set({ busy: true });
    try {
      const { width, height } = await createImageBitmap(file);
      const kept = await windie.value.artifacts.upload(file, { filename: file.name });
      set({ after: { id: kept.artifact_id, blob: file, name: file.name, width, height }, diff: await windie.value.stored(before.id).diff(windie.value.stored(kept.artifact_id)) });
    } catch (error) {
      set({ error });
    }
  };
  return html`<div class="compare">
    <p>Compare this screen with a later one.</p>
    <button onClick=${() => input.current.click()}>Open later image</button>
    <input ref=${input} type="file" accept="image/*" class="hidden" tabindex="-1" aria-label="Later image" onChange=${(e) => { const f = e.currentTarget.files[0]; if (f) take(f); e.currentTarget.value = ''; }} />
    <div aria-live="polite">${state.busy && html`<${Busy} what="Comparing" />`}
    ${state.error && html`<${Failure} error=${state.error} />`}
    ${state.diff && html`<${Differences} before=${before} after=${state.after} diff=${state.diff} first=${first} />
      <label class="check"><input type="checkbox" checked=${blink} onChange=${() => setBlink(!blink)} />Alternate images</label>`}</div>
  </div>`;
};

const Differences = ({ before, after, diff, first }) => {
  const urls = [useBlob(before.blob), useBlob(after.blob)];
  const [chosen, choose] = useState('');
  const boxes = boxesOf(diff);
  const [shown, url, marks] = first ? [before, urls[0], marksOf(boxes.before)] : [after, urls[1], marksOf(boxes.after)];
  return html`<h3>${diff.same ? 'No changes' : `${diff.share < 0.005 ? 'Less than 1 %' : percent(diff.share)} of the image differs`}</h3>
    <${Changes} title="Removed" of=${named(diff.rows.vanished, diff.elements.vanished)} />
    <${Changes} title="Added" of=${named(diff.rows.appeared, diff.elements.appeared)} />
    <${Changes} title="Changed" of=${[...diff.rows.changed.map((c) => `${c.before.text} → ${c.after.text}`), ...diff.elements.changed.map((c) => `${roleOf(c.after)} ${c.after.label ?? ''}: ${c.what.join(', ')}`)]} />
    <${Changes} title="Moved" of=${diff.moves.map((m) => `The area at ${m.bbox.x}, ${m.bbox.y} (${m.bbox.width} × ${m.bbox.height} px) moved ${way(m.by)}`)} />
    ${url && html`<${Viewer} url=${url} alt=${first ? 'Before' : 'After'} label=${first ? 'Earlier screen' : 'Later screen'} width=${shown.width} height=${shown.height} marks=${marks} chosen=${chosen} onChoose=${choose} />`}`;
};

const roleOf = (e) => ({ panel: 'area' })[e.role] ?? e.role;

/** Texts, and the elements without one of these texts. */
function named(rows, elements) {
  const texts = new Set(rows.map((r) => r.text));
  return [...texts, ...elements.filter((e) => !texts.has(e.label ?? '')).map((e) => `${roleOf(e)} ${e.label || 'without text'}`)];
}

/** The distance and direction of a move in words. */
const way = ({ x, y }) => [y && `${Math.abs(y)} px ${y < 0 ? 'up' : 'down'}`, x && `${Math.abs(x)} px ${x < 0 ? 'left' : 'right'}`].filter(Boolean).join(' and ');

const few = 6; // changes per type at first, so that all types are in view

const Changes = ({ title, of }) => {
  const [all, setAll] = useState(false);
  return of.length > 0 && html`<h4>${title} (${of.length})</h4><ul class="changes" aria-label=${title}>${of.slice(0, all ? 300 : few).map((t, i) => html`<li key=${i}><${Text} of=${t} limit=${300} /></li>`)}
    ${!all && of.length > few && html`<li><button class="link" onClick=${() => setAll(true)}>Show all ${of.length}</button></li>`}</ul>`;
};
