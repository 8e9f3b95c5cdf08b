// @ts-check
// Screens: the texts and elements that the gateway finds on an image, and its click points.
import { bytesOf, count, html, percent, plain, signal, useEffect, useLoad, useRef, useState } from './lib.js';
import { go, hrefOf, lastScreen, route, say, windie } from './state.js';
import { Code } from './code.js';
import { partsOf } from './windie.js';
import { Compare } from './compare.js';
import { Ask } from './ask.js';
import { Label } from './label.js';
import { Busy, Empty, Failure, Tabs, Text, useBlob } from './ui.js';
import { hoverLine, Viewer } from './viewer.js';

/** The image of the view: {id, blob, name, width, height}. */
export const screen = signal(/** @type {any} */ (null));
const failed = signal(/** @type {any} */ (null));
const busy = signal(false);

let choice = 0; // the number of the last image that was chosen

/** Shows the image that load returns, unless another image was chosen meanwhile. Returns whether it is shown. @param {() => Promise<any>} load */
async function show(load) {
  const mine = ++choice;
  busy.value = true;
  failed.value = null;
  try {
    const image = await load();
    if (mine !== choice) return false;
    const { id, name, width, height } = image;
    screen.value = image;
    lastScreen.value = { id, name, width, height };
  } catch (error) {
    if (mine === choice) failed.value = error;
  }
  if (mine === choice) busy.value = false;
  return mine === choice && !failed.value;
}

/** Sends an image to the gateway. @param {Blob} blob @param {string} name */
async function send(blob, name) {
  const { width, height } = await createImageBitmap(blob).catch(() => {
    throw Object.assign(new Error('The browser cannot display this image. Use PNG, JPEG, GIF, WebP or BMP.'), { code: 'INVALID_IMAGE' });
  });
  const kept = await windie.value.artifacts.upload(blob, { filename: name });
  return { id: kept.artifact_id, blob, name, width, height };
}

/** Shows the image that load returns in this view. @param {() => Promise<any>} load */
async function take(load) {
  if (await show(load)) go('screens', screen.value.id);
}

/** Shows an image in the storage of the gateway. @param {string} id */
function open(id) {
  if (screen.value?.id === id || busy.value) return;
  show(async () => {
    const blob = await windie.value.blob(id);
    const { width, height } = await createImageBitmap(blob);
    return { id, blob, name: id, width, height };
  });
}

/** Sends the sample to the gateway. */
const sample = async () => send(await (await fetch(new URL('./sample.png', import.meta.url))).blob(), 'sample.png');

/** Shows the sample. */
export const showSample = async () => {
  if (!(await show(sample)) && failed.value) throw failed.value;
};

const pictureOf = (list) => [...(list ?? [])].map((i) => (i.getAsFile ? i.getAsFile() : i)).find((f) => f?.type.startsWith('image/'));

/** Opens an image that was dropped or pasted. */
function useGivenPictures() {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const dragged = (e) => {
      if (![...(e.dataTransfer?.types ?? [])].includes('Files')) return;
      e.preventDefault();
      setOver(e.type === 'dragover');
      const file = e.type === 'drop' && pictureOf(e.dataTransfer.files);
      if (file) take(() => send(file, file.name));
      else if (e.type === 'drop') say('This file is not an image.');
    };
    const pasted = (e) => {
      const file = pictureOf(e.clipboardData?.items);
      if (file) take(() => send(file, file.name || 'pasted.png'));
    };
    const kinds = ['dragover', 'dragleave', 'drop'];
    kinds.forEach((k) => addEventListener(k, dragged));
    addEventListener('paste', pasted);
    return () => {
      kinds.forEach((k) => removeEventListener(k, dragged));
      removeEventListener('paste', pasted);
    };
  }, []);
  return over;
}

export const Screens = () => {
  const over = useGivenPictures();
  const asked = route.value[1];
  useEffect(() => {
    if (asked) open(asked);
  }, [asked, windie.value]);
  return html`<section class="screens" aria-labelledby="screens-title">
    <header class="bar"><h1 id="screens-title">Screens</h1><${Pick} /><${Computers} />
      ${screen.value && html`<span class="faint name"><${Text} of=${screen.value.name} /> · ${screen.value.width} × ${screen.value.height}</span>`}</header>
    ${over && html`<div class="drop" aria-hidden="true">Drop the image</div>`}
    ${failed.value && html`<${Failure} error=${failed.value} again=${asked ? () => open(asked) : undefined} />`}
    ${busy.value && html`<${Busy} what="Loading the image" />`}
    ${screen.value ? html`<${Inspect} key=${screen.value.id} of=${screen.value} />` : !busy.value && html`<${First} />`}
  </section>`;
};

const Pick = ({ label = 'Open image' }) => {
  const input = useRef(/** @type {any} */ (null));
  return html`<button class="primary" onClick=${() => input.current.click()}>${label}</button>
    <input ref=${input} type="file" accept="image/*" class="hidden" tabindex="-1" aria-label=${label} onChange=${(e) => { const f = e.currentTarget.files[0]; if (f) take(() => send(f, f.name)); e.currentTarget.value = ''; }} />`;
};

/** Whether a tool returns a screenshot, such as that of the MCP server windie mcp --computer. */
const takesScreens = (t) => t.risk !== 'forbidden' && /(?:^|[._-])(?:capture|screenshot)$/i.test(t.id);

/** Captures the screens of computers whose tools the gateway has. */
const Computers = () => {
  const tools = useLoad(async () => (await windie.value.tools.list()).filter(takesScreens), [windie.value]);
  const capture = async (tool) => {
    const image = partsOf(await windie.value.tools.call(tool.id, {})).find((c) => c.type === 'image');
    if (!image) throw Object.assign(new Error(`The tool ${tool.id} returned no image.`), { code: 'INVALID_IMAGE' });
    return send(new Blob([bytesOf(image.data)], { type: image.mimeType }), `${tool.id}.png`);
  };
  return (tools.value ?? []).map((t) => html`<button key=${t.id} disabled=${busy.value} title=${`Calls the tool ${plain(t.id)}`} onClick=${() => take(() => capture(t))}>Capture <${Text} of=${t.origin.owner || t.id} limit=${60} /></button>`);
};

const First = () => html`<${Empty} title="Open a screenshot">
  <p>Drop or paste a screenshot, or open an image file. The gateway finds its text, elements and icons, and the click point for a description.</p>
  <p><button onClick=${() => take(sample)}>Use sample screen</button> <a class="button" href=${hrefOf('tour')}>Take the tour</a></p>
<//>`;

const layers = [['text', 'Text'], ['elements', 'Elements'], ['icons', 'Icons']];

/** All texts and elements as boxes. */
function marksOf(rows, elements) {
  const of = (layer, id, box, title, extra) => ({ id: `${layer}-${id}`, layer, ...box, title, ...extra });
  return [
    ...(rows ?? []).map((r) => of('text', r.id, r.bbox, `“${r.text || 'illegible'}” ${percent(r.confidence)}`, { role: 'text', text: r.text, confidence: r.confidence })),
    ...(elements ?? []).filter((e) => e.role !== 'text').map((e) => of(e.icon ? 'icons' : 'elements', e.id, e.bbox, [e.role, e.label && `“${e.label}”`, e.icon && `icon ${e.icon}`, ...(e.states ?? [])].filter(Boolean).join(' '), { role: e.role, text: e.label || e.icon || '' })),
  ];
}

const Inspect = ({ of }) => {
  const url = useBlob(of.blob);
  const seen = useLoad(async (stop) => {
    const shown = windie.value.stored(of.id);
    const [read, elements] = await Promise.all([shown.reading({ signal: stop }), shown.elements({ max_results: mostElements, signal: stop })]);
    return { elements, rows: read.results, marks: marksOf(read.results, elements), unreadable: read.unreadable ?? [] };
  }, [of.id, windie.value]);
  const [shown, setShown] = useState(['text', 'elements', 'icons']);
  const [hidden, setHidden] = useState(false);
  const [filter, setFilter] = useState('');
  const [chosen, setChosen] = useState('');
  const [point, setPoint] = useState(/** @type {any} */ (null));
  const [side, setSide] = useState('ask');
  const [line, setLine] = useState(hoverLine(undefined, 0, 0));
  const [question, setQuestion] = useState(/** @type {any} */ (null));
  const [answered, setAnswered] = useState(/** @type {any[]} */ ([]));
  const onAnswered = (a) => {
    if (Object.keys(a.options).length === 0) setAnswered((all) => [...all.filter((b) => b.way !== a.way || b.text !== a.text), a]); // a test case has no options
  };
  useEffect(() => {
    const key = (e) => {
      if (e.key === 'h' && !e.ctrlKey && !e.metaKey && !/^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) setHidden((h) => !h);
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  }, []);
  const marks = useMarks(seen.value?.marks, shown, filter, hidden);
  const choose = (id) => {
    setPoint(null);
    setChosen(id);
  };
  const sides = [['ask', 'Find'], ['list', `List${seen.value ? ` (${marks.length})` : ''}`], ['compare', 'Compare'], ['code', 'Code'], ['label', 'Test case']];
  return html`<div class="inspect">
    <div class="stage">
      ${seen.error && html`<${Failure} error=${seen.error} again=${seen.again} />`}
      <div class="layers" role="group" aria-label="Layers">
        ${layers.map(([id, name]) => html`<label class=${`chip ${id}`} key=${id}><input type="checkbox" checked=${shown.includes(id)} onChange=${() => setShown(shown.includes(id) ? shown.filter((s) => s !== id) : [...shown, id])} />${name}</label>`)}
        <label class="chip"><input type="checkbox" checked=${hidden} onChange=${() => setHidden(!hidden)} />Hide all <kbd>h</kbd></label>
        <label class="grow"><span class="sr">Filter boxes</span><input type="search" placeholder="Filter boxes" value=${filter} onInput=${(e) => setFilter(e.currentTarget.value)} /></label>
      </div>
      ${url && html`<${Viewer} url=${url} alt="Screen; the list has its texts and elements" label="Screen" width=${of.width} height=${of.height} marks=${marks} point=${point} chosen=${chosen}
        onChoose=${(id) => { choose(id); setSide((s) => (s === 'ask' || s === 'code' || s === 'label' ? s : 'list')); }} onHover=${(m, x, y) => setLine(hoverLine(m, x, y))} />`}
      <p class="hover" aria-hidden="true">${chosen && !line.includes('·') ? hoverLine(marks.find((m) => m.id === chosen), 0, 0) : line}</p>
      ${seen.loading && !seen.value && html`<${Busy} what="Reading the screen" />`}
      ${seen.value?.unreadable.map((u) => html`<p class="notice">${count(u.rows, 'row')} cannot be read: ${plain(u.advice)}</p>`)}
    </div>
    <div class="side">
      <${Tabs} label="Screen tools" of=${sides} value=${side} onChange=${setSide} />
      ${side === 'ask' && html`<${Ask} screen=${of} onPoint=${(p) => { setChosen(''); setPoint(p); }} onAsked=${setQuestion} onAnswered=${onAnswered} />`}
      ${side === 'list' && html`<${List} marks=${marks} chosen=${chosen} choose=${choose} loading=${seen.loading} />`}
      ${side === 'compare' && html`<${Compare} before=${of} />`}
      ${side === 'label' && html`<${Label} screen=${of} rows=${seen.value?.rows} elements=${seen.value?.elements ?? []} questions=${answered} choose=${choose} />`}
      ${side === 'code' && html`<${Code} question=${question} screen=${of} />`}
    </div>
  </div>`;
};

/** The boxes on the page, the same list as long as nothing changes. */
function useMarks(marks, shown, filter, hidden) {
  const before = useRef(/** @type {any} */ (null));
  const key = [marks, shown, filter, hidden];
  if (!before.current || key.some((k, i) => k !== before.current.key[i])) {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    const made = hidden ? [] : (marks ?? []).filter((m) => shown.includes(m.layer) && words.every((w) => m.title.toLowerCase().includes(w)));
    before.current = { key, made };
  }
  return before.current.made;
}

const mostElements = 2000; // to load
const most = 400; // entries of the list at first

const List = ({ marks, chosen, choose, loading }) => {
  const box = useRef(/** @type {any} */ (null));
  const [all, setAll] = useState(false);
  useEffect(() => {
    const [entry, side] = [box.current?.querySelector('[aria-current="true"]'), box.current?.closest('.side')];
    if (!entry || side.scrollHeight <= side.clientHeight) return; // the page itself does not scroll
    const [at, within] = [entry.getBoundingClientRect(), side.getBoundingClientRect()];
    if (at.top < within.top || at.bottom > within.bottom) side.scrollTop += at.top - within.top - within.height / 2;
  }, [chosen]);
  if (loading && marks.length === 0) return html`<${Busy} what="Reading the screen" />`;
  if (marks.length === 0) return html`<${Empty} title="Nothing to list"><p>Show a layer, or clear the filter.</p><//>`;
  return html`<ul class="found" ref=${box} aria-label="Texts and elements">
    ${(all ? marks : marks.slice(0, most)).map((m) => html`<li key=${m.id}><button class=${`row ${m.layer}`} aria-current=${m.id === chosen} onClick=${() => choose(m.id)}>
      <span class="role">${plain(m.role)}</span><${Text} of=${m.text || '—'} limit=${300} />${m.confidence !== undefined && html`<span class="faint">${percent(m.confidence)}</span>`}</button></li>`)}
    ${!all && marks.length > most && html`<li><button class="link" onClick=${() => setAll(true)}>Show all ${marks.length}</button></li>`}
  </ul>`;
};
