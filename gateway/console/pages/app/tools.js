// @ts-check
// The tools of the gateway, with forms to call them.
import { bytes, bytesOf, cls, count, headOf, html, plain, signal, span, useEffect, useLoad, useRef, useState, when } from './lib.js';
import { again, here, hrefOf, operates, route, windie } from './state.js';
import { Busy, Empty, Failure, Fold, Json, Loaded, Tabs, Text, useBlob } from './ui.js';
import { Callers } from './calls.js';
import { Field, pruned } from './form.js';
import { digests } from './digest.js';
import { exactOf, parseExact } from './exact.js';
import { modelName } from './names.js';
import { Wishes } from './plugins.js';
import { partsOf } from './windie.js';

const kinds = { builtin: 'built-in', wasm: 'plugin', client: 'client', mcp: 'MCP server' };
const originOf = (t) => [kinds[t.origin.kind] ?? t.origin.kind, t.origin.owner].filter(Boolean).join(' ');
/** Whether a call is one of a tool; models write its name with _. */
const isFor = (call, id) => Boolean(call) && (call.tool === id || call.tool === modelName(id));

const groupOf = (t) => t.tag || t.id.split('.')[0];

export const Tools = () => {
  const loaded = useLoad(() => windie.value.tools.list(), [windie.value]);
  const [filter, setFilter] = useState('');
  const [origin, setOrigin] = useState('');
  const chosen = route.value[1];
  return html`<section class=${cls('split', chosen && 'open')} aria-labelledby="tools-title"><div class="split-list">
    <header class="bar"><h1 id="tools-title">Tools</h1></header>
    <${Loaded} of=${loaded} what="Loading tools">${(all) => {
      const origins = [...new Set(all.map(originOf))];
      const shown = all.filter((t) => (!origin || originOf(t) === origin) && `${t.id} ${t.description}`.toLowerCase().includes(filter.toLowerCase()));
      const groups = Map.groupBy(shown, groupOf);
      return html`<label><span class="sr">Filter tools</span><input type="search" placeholder="Filter" value=${filter} onInput=${(e) => setFilter(e.currentTarget.value)} /></label>
        ${origins.length > 1 && html`<label>Source<select value=${origin} onChange=${(e) => setOrigin(e.currentTarget.value)}><option value="">all</option>${origins.map((o) => html`<option key=${o} value=${o}>${plain(o)}</option>`)}</select></label>`}
        ${shown.length === 0 && html`<${Empty} title=${all.length > 0 ? 'No matching tools' : 'No tools'} />`}
        ${[...groups].map(([group, tools]) => html`<h2 class="group" key=${`g-${group}`}><${Text} of=${group} /></h2><ul class="rows" key=${group}>${tools.map((t) => html`<li key=${t.id}><a class="row" href=${hrefOf('tools', t.id)} aria-current=${t.id === chosen ? 'page' : undefined}>
          <code><${Text} of=${t.id} /></code><span class="faint">${t.risk !== 'safe' && html`<span class=${`chip ${t.risk}`}>${plain(t.risk)}</span> `}${plain(originOf(t))}</span></a></li>`)}</ul>`)}`;
    }}<//></div>
    <div class="split-main">${chosen && html`<p class="back"><a class="button small" href=${hrefOf('tools')}>All tools</a></p>`}${loaded.value && (() => {
      const tool = loaded.value.find((t) => t.id === chosen) ?? loaded.value.find((t) => modelName(t.id) === chosen);
      if (tool) return html`<${Tool} key=${tool.id} of=${tool} />`;
      return html`<${Empty} title=${chosen ? `Tool ${plain(chosen)} not found` : 'Select a tool'}><p>See its arguments and call it.</p><//>`;
    })()}</div>
  </section>`;
};

/** The calls from this page by tool, newest first. */
const made = signal(/** @type {Record<string, any[]>} */ ({}));
const mostMade = 20; // per tool

/** The unsent arguments in the forms of this page, by tool. */
const drafts = new Map();

const Tool = ({ of }) => {
  const before = isFor(again.peek(), of.id) ? again.peek().args : undefined;
  const [value, setValue] = useState(/** @type {any} */ (before ?? drafts.get(of.id)));
  useEffect(() => void drafts.set(of.id, value), [value]);
  const [way, setWay] = useState('form');
  const [text, setText] = useState('{}');
  const [state, set] = useState(/** @type {any} */ ({}));
  const turn = (to) => {
    if (to === 'json') setText(JSON.stringify(pruned(value) ?? {}, null, 2));
    else {
      try {
        setValue(parseExact(text));
      } catch {
        // invalid JSON stays in its tab
      }
    }
    setWay(to);
  };
  const call = async (e) => {
    e.preventDefault();
    set({ busy: true });
    const began = performance.now();
    try {
      let args = pruned(value) ?? {};
      if (way === 'json') {
        try {
          args = parseExact(text);
        } catch (error) {
          throw Object.assign(new Error(`The arguments are invalid JSON: ${error.message}`), { code: 'INVALID_JSON' });
        }
      }
      const done = { args, at: new Date().toISOString() };
      const answer = await windie.value.tools.call(of.id, args).catch((error) => {
        note({ ...done, error, took: performance.now() - began });
        throw error;
      });
      const took = performance.now() - began;
      note({ ...done, answer, took });
      set({ answer, took });
    } catch (error) {
      set({ error, took: performance.now() - began });
    }
  };
  const note = (call) => (made.value = { ...made.value, [of.id]: [call, ...(made.value[of.id] ?? [])].slice(0, mostMade) });
  const refill = (args) => {
    setValue(args);
    setText(JSON.stringify(args, null, 2));
    set({});
    setForm((n) => n + 1);
  };
  const [form, setForm] = useState(0); // a new form for other arguments: fields keep their input
  useEffect(() => {
    if (isFor(again.value, of.id)) {
      refill(again.value.args);
      again.value = null;
    }
  }, [again.value]);
  const forbidden = of.risk === 'forbidden';
  return html`<header class="bar"><h2><code><${Text} of=${of.id} /></code></h2><span class=${`chip ${of.risk}`}>${plain(of.risk)}</span><span class="faint">${plain(originOf(of))}</span></header>
    <p><${Text} of=${of.description} limit=${1200} /></p>
    ${of.risk === 'risky' && html`<p class="notice">This tool can change data. A call from this page counts as approved.</p>`}
    <${Tabs} label="Arguments as" of=${[['form', 'Form'], ['json', 'JSON'], ['schema', 'Schema']]} value=${way} onChange=${turn} />
    ${way === 'schema' ? html`<h3>Input</h3><${Json} label="Input schema" of=${of.input} />${of.output && html`<h3>Output</h3><${Json} label="Output schema" of=${of.output} />`}`
      : html`<form onSubmit=${call} novalidate>
        ${way === 'form' ? html`<${Field} key=${form} schema=${of.input} root=${of.input} name="arguments" path="body" wrong=${state.error?.details?.fields} value=${value} onChange=${setValue} />`
          : html`<label>Arguments<textarea class="mono" rows="10" spellcheck=${false} value=${text} onInput=${(e) => setText(e.currentTarget.value)}></textarea></label>`}
        <button class="primary" disabled=${state.busy || forbidden}>${forbidden ? 'Forbidden' : 'Call tool'}</button></form>`}
    ${way === 'form' && digests() && (here.value?.mode === 'local' || operates()) && html`<${Callers} tool=${of.id} value=${value} label="Find matching calls" />`}
    <div aria-live="polite">${state.busy && html`<${Busy} what="Calling the tool" />`}
      ${state.error && html`<${Failure} error=${state.error} />${of.origin.kind === 'wasm' && html`<${Lacks} plugin=${of.origin.owner} granted=${() => set({ granted: true })} />`}`}
      ${state.granted && html`<p class="notice" role="status">Permissions granted. Call the tool again.</p>`}
      ${state.answer && html`<${Result} of=${state.answer} took=${state.took} tool=${of.id} />`}</div>
    <${Earlier} of=${made.value[of.id] ?? []} refill=${refill} />`;
};

/** The missing permissions of a failed tool's plugin, a possible cause; for people who may grant them. */
const Lacks = ({ plugin, granted }) => {
  const loaded = useLoad(async () => (await windie.value.plugins.list()).find((p) => p.name === plugin), [plugin, windie.value]);
  const box = useRef(/** @type {any} */ (null));
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [loaded.value]);
  if (!loaded.value?.admission?.denied?.length) return null;
  return html`<div ref=${box}><${Wishes} of=${loaded.value} again=${granted} /><p><a href=${hrefOf('gateway', 'plugins', plugin)}>Open plugin ${plain(plugin)}</a></p></div>`;
};

const Earlier = ({ of, refill }) => of.length > 0 && html`<h3>Recent calls</h3><ul class="rows">${of.map((c) => html`<li key=${c.at}><details><summary><span class=${`chip ${c.error ? 'error' : 'success'}`}>${plain(c.error?.code ?? 'success')}</span> <span class="faint">${when(c.at)}, ${span(c.took)}</span> <code><${Text} of=${headOf(JSON.stringify(c.args), 80)} /></code></summary>
  <h4>Arguments</h4><${Json} label="Arguments" of=${c.args} /><h4>Result</h4><${Json} label="Result" of=${c.error?.message ?? exactOf(c.answer, 'result') ?? c.answer.result} />
  <button class="small" onClick=${() => refill(c.args)} title="Fills the form, without calling the tool">Reuse arguments</button></details></li>`)}</ul>`;

const Result = ({ of, took, tool }) => {
  const box = useRef(/** @type {any} */ (null));
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [of]); // the result is below a long form
  return html`<div class="answer good" ref=${box}><h3>Result</h3>
  <p>Round trip: <strong>${span(took)}</strong></p>
  ${partsOf(of).map((c, i) => (c.type === 'text' ? html`<p class="words" key=${i}><${Text} of=${c.text} /></p>` : c.type === 'image' ? html`<${Shown} key=${i} of=${c} />` : html`<${Json} key=${i} of=${c.json} />`))}
  ${(of.content || !partsOf(of).length) && html`<${Json} label="Result" of=${exactOf(of, 'result') ?? of.result} />`}<${Audited} tool=${tool} callId=${of.callId} />
  ${of.usage && html`<${Fold} label="Resource usage">${() => html`<p class="faint">${span(of.usage.wall_ms)} in the plugin, ${bytes(of.usage.peak_memory_bytes)} of memory, ${count(of.usage.fuel, 'unit')} of fuel (instructions), ${count(of.usage.host_calls, 'host call')}.</p>`}<//>`}</div>`;
};

/** An image in a result. Only types that cannot contain code are shown. */
const Shown = ({ of }) => {
  const safe = /^image\/(png|jpeg|gif|webp|bmp)$/.test(of.mimeType);
  const [blob] = useState(() => safe && new Blob([bytesOf(of.data)], { type: of.mimeType }));
  const url = useBlob(blob || undefined);
  return safe ? url && html`<div class="picture"><img src=${url} alt="Image from the tool" /></div>` : html`<p class="faint">The console does not show images of type ${plain(of.mimeType)}.</p>`;
};

/** The call's line in the audit log, for people who may read it. */
const Audited = ({ tool, callId }) => {
  const [line, setLine] = useState(/** @type {any} */ (null));
  useEffect(() => {
    const look = () => windie.value.audit.list({ tool, limit: 20 }).then((page) => setLine(page.items.find((r) => r.call_id === callId) ?? null), () => {});
    const timer = setTimeout(look, 700); // the log is written after the call
    return () => clearTimeout(timer);
  }, [callId]);
  return line && html`<p class="audit faint">Audit log: ${when(line.time)}, user ${plain(line.user_id)}, <strong>${plain(line.outcome)}</strong>, ${span(line.duration_ms)} on the gateway</p>`;
};
