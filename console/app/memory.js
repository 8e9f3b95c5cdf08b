// @ts-check
// What agents remember of a user.
import { bytes, html, plain, useLoad, useState, when } from './lib.js';
import { say, windie } from './state.js';
import { Empty, Failure, Loaded, Sure, Text } from './ui.js';

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
    <div class="split-main">${open ? html`<${File} key=${open} path=${open} gone=${() => { setOpen(''); files.again(); }} />` : html`<${Empty} title="Open a file to read it" />`}</div></div>`;
};

const Found = ({ query, open }) => {
  const loaded = useLoad(() => windie.value.memory.search(query), [query, windie.value]);
  return html`<${Loaded} of=${loaded} what="Searching">${({ results, fallback }) => html`${fallback && html`<p class="notice">By words alone: <${Text} of=${fallback.message} /></p>`}
    ${results.length === 0 ? html`<${Empty} title="Nothing was found" />` : html`<ul class="rows">${results.map((r, i) => html`<li key=${i}><button class="row" onClick=${() => open(r.path)}><${Text} of=${r.excerpt} limit=${400} cut /><span class="faint">${plain(r.path)}, line ${r.line_start}</span></button></li>`)}</ul>`}`}<//>`;
};

const File = ({ path, gone }) => {
  const loaded = useLoad(() => windie.value.memory.read(path), [path, windie.value]);
  const [text, setText] = useState(/** @type {string | null} */ (null)); // as it is edited
  const [error, setError] = useState(/** @type {any} */ (null));
  const remove = () => windie.value.memory.delete(path).then(() => { say('The file is deleted.'); gone(); }, (e) => say(e.message));
  const keep = async (was) => {
    try {
      const { warning } = await windie.value.memory.edit(path, was, text ?? '');
      say(warning ? plain(warning) : 'The file is changed.');
      setText(null);
      setError(null);
      loaded.again();
    } catch (e) {
      setError(e);
    }
  };
  return html`<${Loaded} of=${loaded} what="Reading">${(f) => html`<header class="bar"><h2><${Text} of=${f.path} /></h2>
      ${text === null && !f.truncated && html`<button class="small" onClick=${() => setText(f.text)}>Edit</button>`}<${Sure} label="Delete" question="Delete this file for good?" onYes=${remove} /></header>
    ${text === null ? html`<pre class="words" tabindex="0" aria-label=${`Lines of ${plain(path)}`}><${Text} of=${f.text} /></pre>`
      : html`<label>Lines of the file<textarea class="mono" rows=${Math.min(30, text.split('\n').length + 2)} value=${text} onInput=${(e) => setText(e.currentTarget.value)}></textarea></label>
        ${error && html`<${Failure} error=${error} again=${error.code === 'MEMORY_CHANGED' ? () => { setText(null); setError(null); loaded.again(); } : undefined} />`}
        <div class="actions"><button class="primary" disabled=${text === f.text} onClick=${() => keep(f.text)}>Keep the change</button><button onClick=${() => { setText(null); setError(null); }}>Back</button></div>`}
    ${f.truncated && html`<p class="faint">The file has ${f.lines} lines; these are the first. It is too long to be edited here: edit it in the memory folder on the gateway's machine.</p>`}`}<//>`;
};

const Write = ({ done }) => {
  const [text, setText] = useState('');
  const [kind, setKind] = useState('long_term');
  const [error, setError] = useState(/** @type {any} */ (null));
  const write = async (e) => {
    e.preventDefault();
    try {
      await windie.value.memory.write(text, kind);
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
