// @ts-check
// Five steps on the sample screen. Each step asks the gateway.
import { count, html, plain, stored, useEffect, useRef, useState } from './lib.js';
import { hrefOf, windie } from './state.js';
import { Busy, Failure, Json, Text, useBlob } from './ui.js';
import { Evidence } from './ask.js';
import { screen, showSample } from './screens.js';
import { Viewer } from './viewer.js';
import { theOne } from './windie.js';

export const wasShown = () => stored.get('toured', '') === 'yes';

const ambiguous = 'the Add to cart button';
const clear = 'the Add to cart button below $42.00';

const steps = [
  { title: 'Upload a screen', text: 'This is a screenshot of a shop. The console has sent it to the gateway, as a program would.', run: async () => {} },
  { title: 'Read its text', text: 'The gateway finds each row of text and its position. The image stays on your gateway.', run: (on) => on.reading(), show: (a) => html`<p><strong>${count(a.results.length, 'row')}</strong>, such as ${a.results.slice(0, 5).map((r) => html`“<${Text} of=${r.text} />” `)}</p>` },
  { title: 'Ambiguous description', text: `Several elements match “${ambiguous}”. The gateway does not guess: it returns an error with the candidates.`, run: (on) => theOne(on.locate(ambiguous)).catch((e) => { if (e.code !== 'AMBIGUOUS_MATCH') throw e; return { refused: e }; }), show: (a) => (a.refused ? html`<p class="bad"><${Text} of=${a.refused.message} /></p>` : html`<p>1 match at ${a.point.x}, ${a.point.y}.</p>`) },
  { title: 'Clear description', text: `Only one element matches “${clear}”. The gateway returns its click point, with the evidence for each term.`, run: (on) => theOne(on.locate(clear)), show: (a) => html`<p><strong>Click at ${a.point.x}, ${a.point.y}</strong></p><${Evidence} of=${a.match.evidence} />` },
  { title: 'Call a tool', text: 'For agents, the same functions are tools. This step has called the tool ocr.find_text for “Check out”. The call is in the audit log.', run: (_, image) => windie.value.tools.call('ocr.find_text', { image, text: 'Check out' }), show: (a) => html`<${Json} label="Tool result" of=${a.result} />` },
];

export const Tour = () => {
  const [at, setAt] = useState(0);
  const [last, set] = useState(/** @type {any} */ ({ busy: true, at: 0 }));
  const state = last.at === at ? last : { busy: true }; // not the answer of another step
  const head = useRef(/** @type {any} */ (null));
  const of = steps[at];
  const run = async () => {
    set({ busy: true, at });
    try {
      if (screen.peek()?.name !== 'sample.png') await showSample();
      set({ at, answer: await of.run(windie.value.stored(screen.peek().id), { artifact_id: screen.peek().id }) });
    } catch (error) {
      set({ error, at });
    }
  };
  useEffect(() => {
    run();
    head.current?.focus();
    if (at === steps.length - 1) stored.set('toured', 'yes');
  }, [at]);
  const url = useBlob(screen.value?.blob);
  const match = state.answer?.match;
  const marks = (state.answer?.results ?? state.answer?.result?.matches ?? state.answer?.refused?.details.resolver_payload?.candidates ?? []).map((r, i) => ({ id: `t-${i}`, layer: state.answer.results ? 'text' : state.answer.result ? 'new' : 'gone', ...r.bbox, title: r.text }));
  return html`<section class="tour" aria-labelledby="tour-title"><header class="bar"><h1 id="tour-title">Tour</h1><span class="faint">Step ${at + 1} of ${steps.length}</span></header>
    <div class="inspect"><div class="stage">${url && screen.value && html`<${Viewer} url=${url} alt="A shop with products and prices" label="The sample screen" width=${screen.value.width} height=${screen.value.height} marks=${match ? [{ id: 'm', layer: 'new', ...match.bbox, title: plain(match.text) }] : marks} point=${state.answer?.point} chosen="" onChoose=${() => {}} />`}</div>
    <div class="side"><h2 tabindex="-1" ref=${head}>${of.title}</h2><p>${of.text}</p>
      <div aria-live="polite">${state.busy && html`<${Busy} what="Loading" />`}${state.error && html`<${Failure} error=${state.error} again=${run} />`}${state.answer && of.show?.(state.answer)}</div>
      <div class="actions">${at > 0 && html`<button onClick=${() => setAt(at - 1)}>Back</button>`}
        ${at < steps.length - 1 ? html`<button class="primary" disabled=${state.busy || state.error} onClick=${() => setAt(at + 1)}>Next</button>` : html`<a class="button primary" href=${hrefOf('screens')} onClick=${() => stored.set('toured', 'yes')}>Open my screens</a>`}
        ${at < steps.length - 1 && html`<a class="button" href=${hrefOf('screens')} onClick=${() => stored.set('toured', 'yes')}>Skip tour</a>`}</div></div></div></section>`;
};
