// @ts-check
// One field that finds the click point of a text or a description.
import { count, html, percent, plain, useEffect, useRef, useState } from './lib.js';
import { windie } from './state.js';
import { theOne } from './windie.js';
import { Busy, Failure, Tabs, Text } from './ui.js';

/** The distinction of a candidate in words. */
const hintOf = (c) => {
  const d = c.distinction;
  if (c.hint) return c.hint;
  if (!d) return '';
  return [d.position, d.left_of && `left of “${d.left_of}”`, d.right_of && `right of “${d.right_of}”`, d.above && `above “${d.above}”`, d.below && `below “${d.below}”`].filter(Boolean).join(', ');
};

export const Evidence = ({ of }) =>
  (of ?? []).length > 0 &&
  html`<table class="evidence"><caption>Evidence for each term</caption><thead><tr><th>Term</th><th>Match</th><th>Evidence</th></tr></thead><tbody>
    ${of.map((e, i) => html`<tr key=${i} class=${e.met >= 0.5 ? 'met' : 'unmet'}><td><${Text} of=${e.term} /></td><td><meter min="0" max="1" value=${e.met} aria-label=${`${percent(e.met)} match`}></meter> ${percent(e.met)}</td><td>${e.by ? html`<${Text} of=${e.by} />` : html`<span class="faint">none</span>`}</td></tr>`)}
  </tbody></table>`;

const titles = { AMBIGUOUS_MATCH: 'Several matches', TEXT_NOT_FOUND: 'Text not found', TARGET_NOT_FOUND: 'No match' };

const expected = { AMBIGUOUS_MATCH: 'ambiguous', TEXT_NOT_FOUND: 'missing', TARGET_NOT_FOUND: 'missing' };

/** @param {{screen: any, onPoint: (p: any) => void, onAsked: (q: any) => void, onAnswered: (a: any) => void, start?: string}} of */
export const Ask = ({ screen, onPoint, onAsked, onAnswered, start = 'describe' }) => {
  const [way, setWay] = useState(start);
  const [asked, setAsked] = useState('');
  const [near, setNear] = useState('');
  const [state, set] = useState(/** @type {any} */ ({}));
  const result = useRef(/** @type {any} */ (null));
  useEffect(() => {
    if (state.answer || state.error) result.current.scrollIntoView({ block: 'nearest' });
  }, [state]);
  const ask = async (text, options = {}) => {
    set({ busy: true });
    onPoint(null);
    const body = way === 'text' ? { ...(near && { near }), ...options } : {};
    onAsked({ way, text, options: body });
    try {
      const on = windie.value.stored(screen.id);
      const answer = await theOne(way === 'text' ? on.resolve(text, body) : on.locate(text, body));
      set({ answer });
      onPoint(answer.point);
      onAnswered({ way, text, options: body, expect: 'found', box: answer.match.bbox });
    } catch (error) {
      set({ error });
      if (error.code in expected) onAnswered({ way, text, options: body, expect: expected[error.code], boxes: (error.details.resolver_payload?.candidates ?? []).map((c) => c.bbox) });
    }
  };
  const again = (c, i) => {
    if (way === 'text') return ask(asked, { occurrence: c.distinction?.occurrence ?? i + 1 });
    const more = `${asked}, ${hintOf(c)}`;
    setAsked(more);
    ask(more);
  };
  return html`<div class="ask">
    <${Tabs} label="Search by" of=${[['describe', 'Description'], ['text', 'Text']]} value=${way} onChange=${(w) => { setWay(w); set({}); onPoint(null); }} />
    <form onSubmit=${(e) => { e.preventDefault(); if (asked.trim()) ask(asked); }}>
      <label>${way === 'text' ? 'Text to click' : 'Element to click'}
        <input type="search" value=${asked} required placeholder=${way === 'text' ? 'Check out' : 'the blue button below $42.00'} onInput=${(e) => setAsked(e.currentTarget.value)} /></label>
      ${way === 'text' && html`<label>Near text (optional)<input value=${near} onInput=${(e) => setNear(e.currentTarget.value)} /></label>`}
      <button class="primary">Find click point</button>
    </form>
    <div ref=${result} aria-live="polite">
      ${state.busy && html`<${Busy} what="Searching" />`}
      ${state.answer && html`<${Answer} of=${state.answer} />`}
      ${state.error && (titles[state.error.code] ? html`<${Refusal} error=${state.error} onPoint=${onPoint} again=${again} byText=${way === 'text'} />` : html`<${Failure} error=${state.error} />`)}
    </div>
  </div>`;
};

const Answer = ({ of }) => {
  return html`<div class="answer good">
    <h3>Click at ${of.point.x}, ${of.point.y}</h3>
    <p><${Text} of=${of.match.text || of.match.element?.label || of.match.element?.icon || of.match.element?.role || ''} /> <span class="faint">score ${percent(of.match.score ?? 1)}${of.provider && `, found by ${of.provider === 'offline' ? 'the gateway' : `the model ${plain(of.provider)}`}`}</span></p>
    ${of.fallback && html`<p class="notice">The vision model failed: <${Text} of=${of.fallback.message} /></p>`}
    <${Evidence} of=${of.match.evidence} />
  </div>`;
};

const Refusal = ({ error, onPoint, again, byText }) => {
  const { candidates = [], unmet = [] } = error.details.resolver_payload ?? {};
  const several = error.code === 'AMBIGUOUS_MATCH';
  const distinct = (c) => byText || hintOf(c); // the candidates of a vision model have no distinction
  return html`<div class="answer refused" role="alert">
    <h3>${titles[error.code]}</h3>
    <p>${several ? `${count(candidates.length, 'element')} match equally well. ${candidates.some(distinct) ? 'Choose one. The console then makes your description unique.' : 'Add detail to the description.'}` : html`<${Text} of=${error.message} />`}</p>
    ${unmet.length > 0 && html`<p>No match for: ${unmet.map((u) => html`<span class="chip bad"><${Text} of=${u} /></span> `)}</p>`}
    ${candidates.length > 0 && html`<h4>${several ? 'Candidates' : 'Nearest candidates'}</h4>`}
    <ol class="candidates">${candidates.map((c, i) => html`<li key=${i}>
      <button class="row" onClick=${() => onPoint(c.center)} title="Show on the screen"><${Text} of=${c.line || c.text || '—'} limit=${200} cut />
        <span class="faint">${percent(c.score ?? 0)} at ${c.center.x}, ${c.center.y}</span></button>
      ${several && distinct(c) && html`<button class="small" onClick=${() => again(c, i)}>Use this one${hintOf(c) && html`: <${Text} of=${hintOf(c)} />`}</button>`}
      ${!several && html`<${Evidence} of=${c.evidence} />`}
    </li>`)}</ol>
  </div>`;
};
