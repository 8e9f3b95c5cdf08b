// @ts-check
// A screen with its correct texts and elements, in the format of `windie eval`.
import { html, plain, useState } from './lib.js';
import { say } from './state.js';
import { fileName, save, tar } from './archive.js';
import { Empty, Failure, Text } from './ui.js';

/** The tags of `windie eval` for elements, by our roles. */
const tags = { button: 'button', 'icon button': 'button', link: 'a', 'menu item': 'button', tab: 'button', field: 'input', 'search box': 'input', 'text area': 'textarea', dropdown: 'select', checkbox: 'input', radio: 'input', toggle: 'input', slider: 'input' };

const corners = (b) => ({ x: b.x, y: b.y, w: b.width, h: b.height });
const list = (b) => [b.x, b.y, b.width, b.height];

/**
 * The words of a corrected row: in their places if their number is unchanged, else spread over the row's box by
 * their length.
 */
export function wordsOf(row, text) {
  const words = text.split(/\s+/).filter(Boolean);
  if (words.length === row.words?.length) return words.map((w, i) => ({ text: w, ...corners(row.words[i].bbox) }));
  const letter = row.bbox.width / Math.max(1, words.join(' ').length);
  let x = row.bbox.x;
  return words.map((w) => {
    const word = { text: w, x: Math.round(x), y: row.bbox.y, w: Math.round(w.length * letter), h: row.bbox.height };
    x += (w.length + 1) * letter;
    return word;
  });
}

/** The content of a screen's file. @param {any} of @param {any[]} rows @param {any[]} elements @param {Map<string, string>} texts @param {Set<string>} none */
export function truthOf(of, rows, elements, texts, none) {
  const textOf = (r) => texts.get(r.id) ?? r.text;
  return {
    width: of.width, height: of.height, dpr: 1,
    words: rows.flatMap((r) => wordsOf(r, textOf(r))),
    ignore: rows.filter((r) => textOf(r).trim() === '').map((r) => list(r.bbox)), // an illegible text does not count
    els: elements.filter((e) => e.role in tags && !none.has(e.id)).map((e) => ({ tag: tags[e.role], type: { checkbox: 'checkbox', radio: 'radio', slider: 'range' }[e.role] ?? '', role: '', text: e.label ?? '', cls: '', ...corners(e.bbox) })),
  };
}

/** A question in the format of questions.json. */
const lineOf = (name, q) => ({
  screen: name, kind: q.way === 'text' ? 'resolve' : 'locate', [q.way === 'text' ? 'text' : 'description']: q.text, expect: q.expect,
  ...(q.expect === 'found' && { box: list(q.box) }), ...(q.expect === 'ambiguous' && q.way !== 'text' && { boxes: q.boxes.map(list) }),
});

const asPNG = async (blob) => {
  if (blob.type === 'image/png') return blob;
  const map = await createImageBitmap(blob);
  const canvas = new OffscreenCanvas(map.width, map.height);
  canvas.getContext('2d')?.drawImage(map, 0, 0);
  return canvas.convertToBlob({ type: 'image/png' });
};

const bytesOf = async (blob) => new Uint8Array(await blob.arrayBuffer());
const jsonOf = (value) => new TextEncoder().encode(`${JSON.stringify(value, null, 1)}\n`);
const meanings = { found: '1 match', ambiguous: 'several matches', missing: 'no match' };

export const Label = ({ screen, rows, elements, questions, choose }) => {
  const [name, setName] = useState(fileName(screen.name, 'screen'));
  const [texts, setTexts] = useState(() => new Map());
  const [none, setNone] = useState(() => new Set());
  const [left, setLeft] = useState(() => new Set());
  const [error, setError] = useState(/** @type {any} */ (null));
  if (!rows) return html`<${Empty} title="Wait until the screen is read" />`;
  const acted = elements.filter((e) => e.role in tags);
  const toggled = (set, id) => (set.has(id) ? new Set([...set].filter((i) => i !== id)) : new Set([...set, id]));
  const keep = async (e) => {
    e.preventDefault();
    try {
      const file = (end, content) => ({ name: `${name}/${end}`, content });
      const lines = questions.filter((_, i) => !left.has(i)).map((q) => lineOf(name, q));
      save(tar([file(`${name}.png`, await bytesOf(await asPNG(screen.blob))), file(`${name}.json`, jsonOf(truthOf(screen, rows, elements, texts, none))), file('questions.json', jsonOf(lines))]), `${name}.tar`);
      say(`Saved. Unpack ${name}.tar, then run: windie eval ${name}`);
      setError(null);
    } catch (e2) {
      setError(e2);
    }
  };
  return html`<form class="label" onSubmit=${keep}>
    <p>A test case for <code>windie eval</code>: the screen with its correct texts and elements. Correct the wrong texts, and clear the illegible ones.</p>
    <label>Name<input required pattern="[a-z0-9][a-z0-9\\-]*" maxlength="40" value=${name} onInput=${(e) => setName(e.currentTarget.value)} /></label>
    <h3>Searches (${questions.length})</h3>
    ${questions.length === 0 ? html`<p class="faint">Your searches under Find appear here, with their results as the correct answers.</p>`
      : html`<ul class="rows">${questions.map((q, i) => html`<li key=${i}><label class="check"><input type="checkbox" checked=${!left.has(i)} onChange=${() => setLeft(toggled(left, i))} /><span>“<${Text} of=${q.text} limit=${200} />”: ${meanings[q.expect]}</span></label></li>`)}</ul>`}
    <h3>Texts (${rows.length})</h3>
    <ul class="truth">${rows.map((r, i) => html`<li key=${r.id}><input aria-label=${`Text ${i + 1}`} value=${texts.get(r.id) ?? r.text} onFocus=${() => choose(`text-${r.id}`)} onInput=${(e) => setTexts(new Map(texts).set(r.id, e.currentTarget.value))} /></li>`)}</ul>
    <h3>Elements (${acted.length})</h3>
    <ul class="truth">${acted.map((e) => html`<li key=${e.id}><label class="check"><input type="checkbox" checked=${!none.has(e.id)} onFocus=${() => choose(`${e.icon ? 'icons' : 'elements'}-${e.id}`)} onChange=${() => setNone(toggled(none, e.id))} /><span>${plain(e.role)} <${Text} of=${e.label || e.icon || ''} limit=${200} /></span></label></li>`)}</ul>
    ${error && html`<${Failure} error=${error} />`}
    <button class="primary">Save test case</button>
  </form>`;
};
