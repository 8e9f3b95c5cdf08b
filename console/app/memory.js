// @ts-check
// What agents remember of a user.
import { bytes, html, plain, useLoad, useState, when } from './lib.js';
import { say, windie } from './state.js';
import { Empty, Failure, Fold, Loaded, Sure, Text } from './ui.js';

export const Memory = () => {
  const [query, setQuery] = useState('');
  const [asked, setAsked] = useState('');
  const [open, setOpen] = useState('');
  const files = useLoad(() => windie.value.memory.files(), [windie.value]);
  return html`<div class="split"><div class="split-list">
    <form class="inline" onSubmit=${(e) => { e.preventDefault(); setAsked(query.trim()); }}><label class="grow"><span class="sr">Search the memory</span><input type="search" placeholder="Search the memory" value=${query} onInput=${(e) => setQuery(e.currentTarget.value)} /></label><button>Search</button></form>
    ${asked ? html`<${Found} query=${asked} open=${setOpen} />` : html`<${Loaded} of=${files} what="Loading the memory">${(all) => (all.length === 0 ? html`<${Empty} title="Nothing is remembered yet" />`
      : html`<ul class="rows">${all.map((f) => html`<li key=${f.path}><button class="row" aria-current=${f.path === open} onClick=${() => setOpen(f.path)}><${Text} of=${f.path} /><span class="faint">${bytes(f.size_bytes)}, ${when(f.modified_at)}</span></button></li>`)}</ul>`)}<//>`}
    <${Write} done=${files.again} /></div>
    <div class="split-main">${open ? html`<${File} key=${open} path=${open} changed=${files.again} gone=${() => { setOpen(''); files.again(); }} />` : files.value?.length === 0 ? null : html`<${Empty} title="Open a file to read it" />`}</div></div>`;
};

const Found = ({ query, open }) => {
  const loaded = useLoad(() => windie.value.memory.find(query, { limit: 30 }), [query, windie.value]);
  return html`<${Loaded} of=${loaded} what="Searching">${({ results, fallback }) => html`${fallback && html`<p class="notice">By words alone: <${Text} of=${fallback.message} /></p>`}
    ${results.length === 0 ? html`<${Empty} title="Nothing was found" />` : html`<ul class="rows">${results.map((r, i) => html`<li key=${i}><button class="row" onClick=${() => open(r.path)}><${Text} of=${r.excerpt} limit=${400} cut /><span class="faint">${plain(r.path)}, line ${r.line_start}</span></button></li>`)}</ul>`}`}<//>`;
};

const File = ({ path, changed, gone }) => {
  const loaded = useLoad(() => windie.value.memory.get(path), [path, windie.value]);
  const [text, setText] = useState(/** @type {string | null} */ (null)); // as it is edited
  const [error, setError] = useState(/** @type {any} */ (null));
  const remove = () => windie.value.memory.deleteFile(path).then(() => { say('The file is deleted.'); gone(); }, (e) => say(e.message));
  const keep = async (was) => {
    try {
      const { warning } = await windie.value.memory.edit(path, was, text ?? '');
      say(warning ? plain(warning) : 'The file is changed.');
      setText(null);
      setError(null);
      loaded.again();
      changed();
    } catch (e) {
      setError(e);
    }
  };
  return html`<${Loaded} of=${loaded} what="Reading">${(f) => html`<header class="bar"><h2><${Text} of=${f.path} /></h2>
      ${text === null && !f.truncated && html`<button class="small" onClick=${() => setText(f.text)}>Edit</button>`}${text === null && html`<${Sure} label="Delete" question="Delete this file for good, with what it said before?" onYes=${remove} />`}</header>
    ${text === null ? html`<pre class="words" tabindex="0" aria-label=${`Lines of ${plain(path)}`}><${Text} of=${f.text} /></pre>`
      : html`<label>Lines of the file<textarea class="mono" rows=${Math.min(30, text.split('\n').length + 2)} value=${text} onInput=${(e) => setText(e.currentTarget.value)}></textarea></label>
        ${error && html`<${Failure} error=${error} again=${error.code === 'MEMORY_CHANGED' ? () => { setText(null); setError(null); loaded.again(); } : undefined} />`}
        <div class="actions"><button class="primary" disabled=${text === f.text} onClick=${() => keep(f.text)}>Keep the change</button><button onClick=${() => { setText(null); setError(null); }}>Back</button></div>`}
    ${text === null && html`<${History} key=${f.text} of=${f} again=${loaded.again} />`}
    ${f.truncated && html`<p class="faint">The file has ${f.lines} lines; these are the first. It is too long to be edited here: edit it in the memory folder on the gateway's machine.</p>`}`}<//>`;
};

/** What the file said before it was changed. What agents add stands in the file itself, below headings with its time. */
const History = ({ of: f, again }) => html`<${Fold} class="history" label="What it said before">${() => html`<${Past} path=${f.path} again=${again} />`}<//>`;

const Past = ({ path, again }) => {
  const loaded = useLoad(() => windie.value.memory.history(path), [path, windie.value]);
  const [error, setError] = useState(/** @type {any} */ (null));
  const back = async (c) => {
    try {
      await windie.value.memory.edit(path, c.text, c.was, { line_start: c.line_start });
      say('The file says again what it said before.');
      again();
    } catch (e) {
      setError(e);
    }
  };
  return html`<${Loaded} of=${loaded} what="Loading what it said before">${(changes) => (changes.length === 0
    ? html`<p class="faint">Nobody has changed this file here. What was added since stands in it, with its time and where it comes from.</p>`
    : html`${error && html`<${Failure} error=${error} />`}${error?.code === 'MEMORY_CHANGED' && html`<p class="notice">The file has been changed at this place since. Take the later changes back first, or edit the file.</p>`}
      <ol class="rows changes">${changes.map((c) => html`<li key=${c.changed_at}><p class="faint">${when(c.changed_at)}, ${c.by === 'console' ? 'by a person at the console' : 'by a client'}</p>
      <${Difference} of=${c} /><${Sure} label="Put back what it said" question="Undo this change?" danger=${false} onYes=${() => back(c)} /></li>`)}</ol>`)}<//>`;
};

/** The lines that a change took away and put there, without those at both ends that stayed. */
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
  const row = (name, text, kind) => html`<div class=${kind}><strong>${name}</strong> <pre class="words" tabindex="0" aria-label=${name}>${text ? html`<${Text} of=${text} limit=${4000} />` : '(nothing)'}</pre></div>`;
  return html`${row('Before', gone, 'gone')}${row('Since then', come, 'come')}`;
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
      say('It is remembered.');
      done();
    } catch (e2) {
      setError(e2);
    }
  };
  return html`<form class="card" onSubmit=${write}><label>Remember something<textarea rows="2" required value=${text} onInput=${(e) => setText(e.currentTarget.value)}></textarea></label>
    <label>As<select value=${kind} onChange=${(e) => setKind(e.currentTarget.value)}><option value="long_term">what stays true</option><option value="daily">what happened today</option></select></label>
    ${error && html`<${Failure} error=${error} />`}<button>Remember</button></form>`;
};
