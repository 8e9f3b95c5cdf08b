// @ts-check
// One field: where would you click?
import { html, percent, plain, useState } from './lib.js';
import { windie } from './state.js';
import { theOne } from './windie.js';
import { Busy, Failure, Tabs, Text } from './ui.js';

/** What a candidate says that the others do not. */
const hintOf = (c) => {
  const d = c.distinction;
  if (c.hint) return c.hint;
  if (!d) return '';
  return [d.position, d.left_of && `left of “${d.left_of}”`, d.right_of && `right of “${d.right_of}”`, d.above && `above “${d.above}”`, d.below && `below “${d.below}”`].filter(Boolean).join(', ');
};

export const Evidence = ({ of }) =>
  (of ?? []).length > 0 &&
  html`<table class="evidence"><caption>Evidence for each term</caption><thead><tr><th>Your words</th><th>Fit</th><th>Because of</th></tr></thead><tbody>
    ${of.map((e, i) => html`<tr key=${i} class=${e.met >= 0.5 ? 'met' : 'unmet'}><td><${Text} of=${e.term} /></td><td><meter min="0" max="1" value=${e.met} aria-label=${`fits to ${percent(e.met)}`}></meter> ${percent(e.met)}</td><td>${e.by ? html`<${Text} of=${e.by} />` : html`<span class="faint">nothing</span>`}</td></tr>`)}
  </tbody></table>`;

const titles = { AMBIGUOUS_MATCH: 'Several are meant', TEXT_NOT_FOUND: 'No such text', TARGET_NOT_FOUND: 'Nothing is like that' };

const expected = { AMBIGUOUS_MATCH: 'ambiguous', TEXT_NOT_FOUND: 'missing', TARGET_NOT_FOUND: 'missing' };

/** @param {{screen: any, onPoint: (p: any) => void, onAsked: (q: any) => void, onAnswered: (a: any) => void, start?: string}} of */
export const Ask = ({ screen, onPoint, onAsked, onAnswered, start = 'describe' }) => {
  const [way, setWay] = useState(start);
  const [asked, setAsked] = useState('');
  const [near, setNear] = useState('');
  const [state, set] = useState(/** @type {any} */ ({}));
  const ask = async (text, options = {}) => {
    set({ busy: true });
    onPoint(null);
    const body = way === 'text' ? { ...(near && { near }), ...options } : {};
    onAsked({ way, text, options: body });
    try {
      const on = windie.value.kept(screen.id);
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
    <${Tabs} label="How to say where" of=${[['describe', 'By description'], ['text', 'By text']]} value=${way} onChange=${(w) => { setWay(w); set({}); onPoint(null); }} />
    <form onSubmit=${(e) => { e.preventDefault(); if (asked.trim()) ask(asked); }}>
      <label>${way === 'text' ? 'The text to click' : 'What to click'}
        <input type="search" value=${asked} required placeholder=${way === 'text' ? 'Check out' : 'the blue button below $42.00'} onInput=${(e) => setAsked(e.currentTarget.value)} /></label>
      ${way === 'text' && html`<label>Near another text (optional)<input value=${near} onInput=${(e) => setNear(e.currentTarget.value)} /></label>`}
      <button class="primary">Where would you click?</button>
    </form>
    <div aria-live="polite">
      ${state.busy && html`<${Busy} what="Looking" />`}
      ${state.answer && html`<${Answer} of=${state.answer} />`}
      ${state.error && (titles[state.error.code] ? html`<${Refusal} error=${state.error} onPoint=${onPoint} again=${again} byText=${way === 'text'} />` : html`<${Failure} error=${state.error} />`)}
    </div>
  </div>`;
};

const Answer = ({ of }) => {
  return html`<div class="answer good">
    <h3>Click at ${of.point.x}, ${of.point.y}</h3>
    <p><${Text} of=${of.match.text || of.match.element?.label || of.match.element?.icon || of.match.element?.role || ''} /> <span class="faint">${'sure to '}${percent(of.match.score ?? 1)}${of.provider && (of.provider === 'offline' ? ', found by the gateway itself' : `, found by the model ${plain(of.provider)}`)}</span></p>
    ${of.fallback && html`<p class="notice">The vision model was not used: <${Text} of=${of.fallback.message} /></p>`}
    <${Evidence} of=${of.match.evidence} />
  </div>`;
};

const Refusal = ({ error, onPoint, again, byText }) => {
  const { candidates = [], unmet = [] } = error.details.resolver_payload ?? {};
  const several = error.code === 'AMBIGUOUS_MATCH';
  const told = (c) => byText || hintOf(c); // a vision model says of several not what tells them apart
  return html`<div class="answer refused" role="alert">
    <h3>${titles[error.code]}</h3>
    <p>${several ? `${candidates.length} places fit equally well. ${candidates.some(told) ? 'Choose one: what tells it from the others is added to your words.' : 'Say more of the one that you mean.'}` : html`<${Text} of=${error.message} />`}</p>
    ${unmet.length > 0 && html`<p>Nothing meets: ${unmet.map((u) => html`<span class="chip bad"><${Text} of=${u} /></span> `)}</p>`}
    ${candidates.length > 0 && html`<h4>${several ? 'Which one?' : 'The nearest'}</h4>`}
    <ol class="candidates">${candidates.map((c, i) => html`<li key=${i}>
      <button class="row" onClick=${() => onPoint(c.center)} title="Show it on the screen"><${Text} of=${c.text || c.element?.label || c.element?.icon || c.element?.role || '—'} limit=${200} cut />
        <span class="faint">${percent(c.score ?? 0)} at ${c.center.x}, ${c.center.y}</span></button>
      ${several && told(c) && html`<button class="small" onClick=${() => again(c, i)}>Mean this one${hintOf(c) && html`: <${Text} of=${hintOf(c)} />`}</button>`}
      ${!several && html`<${Evidence} of=${c.evidence} />`}
    </li>`)}</ol>
  </div>`;
};
