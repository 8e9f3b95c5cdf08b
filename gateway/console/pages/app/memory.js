// @ts-check
// The memory of a user.
import { bytes, cls, count, html, plain, useEffect, useLoad, useRef, useState, when } from './lib.js';
import { hrefOf, route, say, windie } from './state.js';
import { Empty, Failure, Fold, Loaded, Sure, Text } from './ui.js';

const mostPlaces = 5; // links of a call

/** The places of the memory in a call: {path, start, end}. @param {any} input @param {any} output */
export function placesOf(input, output) {
  const named = Array.isArray(output?.results) ? output.results : [output?.path ? output : input];
  const places = named.filter((r) => typeof r?.path === 'string').map((r) => ({ path: r.path, start: Number(r.line_start) || 0, end: Number(r.line_end) || Number(r.line_start) || 0 }));
  return places.filter((p, i) => places.findIndex((q) => q.path === p.path && q.start === p.start) === i).slice(0, mostPlaces);
}

/** Links from a call to its places in the memory. @param {{input: any, output: any}} of */
export const ToMemory = ({ input, output }) => {
  const places = placesOf(input, output);
  if (places.length === 0) return html` <a class="button small" href=${hrefOf('gateway', 'memory')}>Open memory</a>`;
  return places.map((p) => html` <a class="button small" key=${p.path + p.start} href=${hrefOf('gateway', 'memory', p.path, ...(p.start > 0 ? [`${p.start}-${p.end}`] : []))}>Open <${Text} of=${p.path} limit=${200} cut />${p.start > 0 && `, line ${p.start}`}</a>`);
};

/** The place in the address. */
function placeHere() {
  const [, , path = '', lines = ''] = route.value;
  const [, start, end] = /^(\d+)-(\d+)$/.exec(lines) ?? [];
  return { path, start: Number(start) || 0, end: Number(end) || 0 };
}

export const Memory = () => {
  const [query, setQuery] = useState('');
  const [asked, setAsked] = useState('');
  const [{ path: open, start, end }, setPlace] = useState(placeHere);
  const setOpen = (path, from = 0, to = from) => setPlace({ path, start: from, end: to });
  useEffect(() => {
    if (route.value[2]) setPlace(placeHere());
  }, [route.value.slice(2).join('/')]);
  const files = useLoad(() => windie.value.memory.files(), [windie.value]);
  return html`<div class=${cls('split', open && 'open')}><div class="split-list">
    <form class="inline" onSubmit=${(e) => { e.preventDefault(); setAsked(query.trim()); }}><label class="grow"><span class="sr">Search memory</span><input type="search" placeholder="Search memory" value=${query} onInput=${(e) => setQuery(e.currentTarget.value)} /></label><button>Search</button></form>
    ${asked ? html`<${Found} query=${asked} open=${setOpen} />` : html`<${Loaded} of=${files} what="Loading memory">${(all) => (all.length === 0 ? html`<${Empty} title="No memory yet"><p>Add an entry below, or ask an agent to remember something.</p><//>`
      : html`<ul class="rows">${all.map((f) => html`<li key=${f.path}><button class="row" aria-current=${f.path === open} onClick=${() => setOpen(f.path)}><${Text} of=${f.path} /><span class="faint">${bytes(f.size_bytes)}, ${when(f.modified_at)}</span></button></li>`)}</ul>`)}<//>`}
    <${Write} done=${files.again} /></div>
    <div class="split-main">${open && html`<p class="back"><button class="button small" onClick=${() => setOpen('')}>All files</button></p>`}${open ? html`<${File} key=${`${open} ${start}`} path=${open} start=${start} end=${end} changed=${files.again} gone=${() => { setOpen(''); files.again(); }} />` : files.value?.length === 0 ? null : html`<${Empty} title="Select a file" />`}</div></div>`;
};

const Found = ({ query, open }) => {
  const loaded = useLoad(() => windie.value.memory.find(query, { limit: 30 }), [query, windie.value]);
  return html`<${Loaded} of=${loaded} what="Searching">${({ results, fallback }) => html`${fallback && html`<p class="notice">Keyword search only: <${Text} of=${fallback.message} /></p>`}
    ${results.length === 0 ? html`<${Empty} title="No matches" />` : html`<ul class="rows">${results.map((r, i) => html`<li key=${i}><button class="row" onClick=${() => open(r.path, r.line_start, r.line_end)}><${Text} of=${r.excerpt} limit=${400} cut /><span class="faint">${plain(r.path)}, line ${r.line_start}</span></button></li>`)}</ul>`}`}<//>`;
};

/** The text of a file, with the lines of the address marked and in view. */
const Lines = ({ of, start, end }) => {
  const mark = useRef(/** @type {any} */ (null));
  useEffect(() => mark.current?.scrollIntoView({ block: 'center' }), [start]);
  const lines = of.split('\n');
  if (start < 1 || start > lines.length) return html`<${Text} of=${of} />`;
  const part = (from, to) => lines.slice(from, to).join('\n');
  return html`${start > 1 && html`<${Text} of=${`${part(0, start - 1)}\n`} />`}<mark ref=${mark}><${Text} of=${part(start - 1, Math.max(start, end))} /></mark>${end < lines.length && html`<${Text} of=${`\n${part(Math.max(start, end), lines.length)}`} />`}`;
};

const File = ({ path, start, end, changed, gone }) => {
  const loaded = useLoad(() => windie.value.memory.get(path), [path, windie.value]);
  const [text, setText] = useState(/** @type {string | null} */ (null)); // while it is edited
  const [error, setError] = useState(/** @type {any} */ (null));
  const remove = () => windie.value.memory.deleteFile(path).then(() => { say('File deleted.'); gone(); }, (e) => say(e.message));
  const keep = async (was) => {
    try {
      const { warning } = await windie.value.memory.edit(path, was, text ?? '');
      say(warning ? plain(warning) : 'File saved.');
      setText(null);
      setError(null);
      loaded.again();
      changed();
    } catch (e) {
      setError(e);
    }
  };
  return html`<${Loaded} of=${loaded} what="Reading">${(f) => html`<header class="bar"><h2><${Text} of=${f.path} /></h2>
      ${text === null && !f.truncated && html`<button class="small" onClick=${() => setText(f.text)}>Edit</button>`}${text === null && html`<${Sure} label="Delete" question="Delete this file and its history permanently?" onYes=${remove} />`}</header>
    ${text === null ? html`<pre class="words" tabindex="0" aria-label=${`Lines of ${plain(path)}`}><${Lines} of=${f.text} start=${start} end=${end} /></pre>${start > f.text.split('\n').length && html`<p class="notice">The page does not show line ${start}.</p>`}`
      : html`<label>Content<textarea class="mono" rows=${Math.min(30, text.split('\n').length + 2)} value=${text} onInput=${(e) => setText(e.currentTarget.value)}></textarea></label>
        ${error && html`<${Failure} error=${error} again=${error.code === 'MEMORY_CHANGED' ? () => { setText(null); setError(null); loaded.again(); } : undefined} />`}
        <div class="actions"><button class="primary" disabled=${text === f.text} onClick=${() => keep(f.text)}>Save</button><button onClick=${() => { setText(null); setError(null); }}>Cancel</button></div>`}
    ${text === null && html`<${History} key=${f.text} of=${f} again=${loaded.again} />`}
    ${f.truncated && html`<p class="faint">The page shows the start of the file, which has ${count(f.lines, 'line')}. To edit it, open it in the memory folder on the gateway's machine.</p>`}`}<//>`;
};

/** The earlier versions of the file. Additions of agents are in the file itself, under headings with their time. */
const History = ({ of: f, again }) => html`<${Fold} class="history" label="History">${() => html`<${Past} path=${f.path} again=${again} />`}<//>`;

const Past = ({ path, again }) => {
  const loaded = useLoad(() => windie.value.memory.history(path), [path, windie.value]);
  const [error, setError] = useState(/** @type {any} */ (null));
  const back = async (c) => {
    try {
      await windie.value.memory.edit(path, c.text, c.was, { line_start: c.line_start });
      say('Change undone.');
      again();
    } catch (e) {
      setError(e);
    }
  };
  return html`<${Loaded} of=${loaded} what="Loading the history">${(changes) => (changes.length === 0
    ? html`<p class="faint">No edits yet. The file has the time and source of each addition.</p>`
    : html`${error && html`<${Failure} error=${error} />`}${error?.code === 'MEMORY_CHANGED' && html`<p class="notice">A later change affects these lines. Undo the later changes first, or edit the file.</p>`}
      <ol class="rows changes">${changes.map((c) => html`<li key=${c.changed_at}><p class="faint">${when(c.changed_at)}, ${c.by === 'console' ? 'in the console' : 'by a client'}</p>
      <${Difference} of=${c} /><${Sure} label="Undo" question="Undo this change?" danger=${false} onYes=${() => back(c)} /></li>`)}</ol>`)}<//>`;
};

/** The lines that a change removed and added, without the equal lines at both ends. */
function linesOf({ was, text }) {
  const [before, after] = [was.split('\n'), text.split('\n')];
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start++;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { gone: before.slice(start, before.length - end).join('\n'), come: after.slice(start, after.length - end).join('\n') };
}

const Difference = ({ of }) => {
  const { gone, come } = linesOf(of);
  const row = (name, text, kind) => html`<div class=${kind}><strong>${name}</strong> <pre class="words" tabindex="0" aria-label=${name}>${text ? html`<${Text} of=${text} limit=${4000} />` : '(empty)'}</pre></div>`;
  return html`${row('Before', gone, 'gone')}${row('After', come, 'come')}`;
};

const Write = ({ done }) => {
  const [text, setText] = useState('');
  const [kind, setKind] = useState('long_term');
  const [error, setError] = useState(/** @type {any} */ (null));
  const write = async (e) => {
    e.preventDefault();
    try {
      await windie.value.memory.write(text, { target: kind });
      setText('');
      setError(null);
      say('Entry saved.');
      done();
    } catch (e2) {
      setError(e2);
    }
  };
  return html`<form class="card" onSubmit=${write}><label>New entry<textarea rows="2" required value=${text} onInput=${(e) => setText(e.currentTarget.value)}></textarea></label>
    <label>Type<select value=${kind} onChange=${(e) => setKind(e.currentTarget.value)}><option value="long_term">Long-term</option><option value="daily">Daily note</option></select></label>
    ${error && html`<${Failure} error=${error} />`}<button>Save entry</button></form>`;
};
