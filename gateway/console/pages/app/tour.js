// @ts-check
// Five steps on the sample screen. Nothing of it is made up: the gateway is asked each time.
import { html, kept, plain, useEffect, useRef, useState } from './lib.js';
import { hrefOf, windie } from './state.js';
import { Busy, Failure, Json, Text, useBlob } from './ui.js';
import { Evidence } from './ask.js';
import { screen, sendSample } from './screens.js';
import { Viewer } from './viewer.js';
import { theOne } from './windie.js';

export const wasShown = () => kept.get('toured', '') === 'yes';

const ambiguous = 'the Add to cart button';
const clear = 'the Add to cart button below $42.00';

const steps = [
  { title: 'A screen', text: 'This is a picture of a shop. The gateway has just been sent it, as a program would send one.', run: async () => {} },
  { title: 'What the gateway reads', text: 'It has read every row of text, with its place. Nothing left your gateway for that.', run: (on) => on.reading(), show: (a) => html`<p><strong>${a.results.length} rows</strong>, such as ${a.results.slice(0, 5).map((r) => html`“<${Text} of=${r.text} />” `)}</p>` },
  { title: 'It does not guess', text: `Asked for “${ambiguous}”, it refuses: several are alike. A program gets this answer too, with the candidates.`, run: (on) => theOne(on.locate(ambiguous)).catch((e) => { if (e.code !== 'AMBIGUOUS_MATCH') throw e; return { refused: e }; }), show: (a) => (a.refused ? html`<p class="bad"><${Text} of=${a.refused.message} /></p>` : html`<p>It found one at ${a.point.x}, ${a.point.y}.</p>`) },
  { title: 'Where it would click', text: `Asked for “${clear}”, it names the one point, and the evidence for each term.`, run: (on) => theOne(on.locate(clear)), show: (a) => html`<p><strong>Click at ${a.point.x}, ${a.point.y}</strong></p><${Evidence} of=${a.match.evidence} />` },
  { title: 'The same as a tool', text: 'Agents ask by tools. This calls the tool ocr.find_text for “Check out”, for real; it stands in the log of calls now.', run: (_, image) => windie.value.tools.call('ocr.find_text', { image, text: 'Check out' }), show: (a) => html`<${Json} label="Result of the tool" of=${a.result} />` },
];

export const Tour = () => {
  const [at, setAt] = useState(0);
  const [last, set] = useState(/** @type {any} */ ({ busy: true, at: 0 }));
  const state = last.at === at ? last : { busy: true }; // the answer of the step before is none of this one
  const head = useRef(/** @type {any} */ (null));
  const of = steps[at];
  const run = async () => {
    set({ busy: true, at });
    try {
      if (screen.peek()?.name !== 'sample.png') await sendSample();
      set({ at, answer: await of.run(windie.value.kept(screen.peek().id), { artifact_id: screen.peek().id }) });
    } catch (error) {
      set({ error, at });
    }
  };
  useEffect(() => {
    run();
    head.current?.focus();
    if (at === steps.length - 1) kept.set('toured', 'yes');
  }, [at]);
  const url = useBlob(screen.value?.blob);
  const match = state.answer?.match;
  const marks = (state.answer?.results ?? state.answer?.result?.matches ?? state.answer?.refused?.details.resolver_payload?.candidates ?? []).map((r, i) => ({ id: `t-${i}`, layer: state.answer.results ? 'text' : state.answer.result ? 'new' : 'gone', ...r.bbox, title: r.text }));
  return html`<section class="tour" aria-labelledby="tour-title"><header class="bar"><h1 id="tour-title">A tour</h1><span class="faint">Step ${at + 1} of ${steps.length}</span></header>
    <div class="inspect"><div class="stage">${url && screen.value && html`<${Viewer} url=${url} alt="A shop with goods and their prices" label="The sample screen" width=${screen.value.width} height=${screen.value.height} marks=${match ? [{ id: 'm', layer: 'new', ...match.bbox, title: plain(match.text) }] : marks} point=${state.answer?.point} chosen="" onChoose=${() => {}} />`}</div>
    <div class="side"><h2 tabindex="-1" ref=${head}>${of.title}</h2><p>${of.text}</p>
      <div aria-live="polite">${state.busy && html`<${Busy} what="Asking the gateway" />`}${state.error && html`<${Failure} error=${state.error} again=${run} />`}${state.answer && of.show?.(state.answer)}</div>
      <div class="actions">${at > 0 && html`<button onClick=${() => setAt(at - 1)}>Back</button>`}
        ${at < steps.length - 1 ? html`<button class="primary" disabled=${state.busy || state.error} onClick=${() => setAt(at + 1)}>Next</button>` : html`<a class="button primary" href=${hrefOf('screens')} onClick=${() => kept.set('toured', 'yes')}>Open a screen of mine</a>`}
        ${at < steps.length - 1 && html`<a class="button" href=${hrefOf('screens')} onClick=${() => kept.set('toured', 'yes')}>Leave the tour</a>`}</div></div></div></section>`;
};
