// @ts-check
// Runs: what workers carry out on their machines, who may act there, and what happens, live and afterwards.
import { filled, html, plain, useEffect, useEvery, useLoad, useState, when } from './lib.js';
import { go, hrefOf, route, say, windie } from './state.js';
import { Events, Now, resultsOf } from './happened.js';
import { Busy, Empty, Failure, Fold, Loaded, Sure, Tabs, Text } from './ui.js';
import { stepsOfEvents, Watch } from './watch.js';

const every = 3000; // ms between two looks at the list
const pause = 1500; // ms before a broken stream is taken up again
const statuses = ['waiting', 'awaiting_worker', 'queued', 'running', 'paused', 'completed', 'failed', 'stopped'];
const ended = ['completed', 'failed', 'stopped'];
const modes = { agent_only: 'the agent alone', shared_control: 'the agent, and a person too', human_override: 'a person alone: the worker calls no tool' };
const moves = ['worker-heartbeat', 'run-dispatched', 'run-control-applied']; // events of a worker by which a run may be in another state
const by = 'console';

const words = (name) => plain(name ?? '').replaceAll('_', ' ').replaceAll('-', ' ');

export const Runs = () => (route.value[2] ? html`<${Run} key=${route.value[2]} id=${route.value[2]} />` : html`<${List} />`);

const List = () => {
  const [query, setQuery] = useState(/** @type {any} */ ({}));
  const loaded = useLoad(async (signal) => {
    const [page, workers] = await Promise.all([windie.value.runs.list({ ...filled(query), limit: 100, signal }), windie.value.runs.workers({ signal })]);
    return { runs: page.items, next: page.next, workers };
  }, [windie.value, query]);
  useEvery(() => !loaded.error && loaded.again(), every, [windie.value, query, Boolean(loaded.error)]);
  const field = (e, name) => setQuery({ ...query, [name]: e.currentTarget.value });
  return html`<form class="inline filters" onSubmit=${(e) => e.preventDefault()}>
      <label>Workspace<input value=${query.workspace_id ?? ''} onChange=${(e) => field(e, 'workspace_id')} /></label>
      <label>State<select value=${query.status ?? ''} onChange=${(e) => field(e, 'status')}><option value="">any</option>${statuses.map((s) => html`<option key=${s} value=${s}>${words(s)}</option>`)}</select></label></form>
    <${Loaded} of=${loaded} what="Loading the runs">${({ runs, workers, next }) => html`
      ${runs.length === 0 ? html`<${Empty} title=${Object.values(query).some(Boolean) ? 'No runs pass these filters' : 'Nobody has asked for a run'}><p>A run is something that a worker does on its machine, as <code>windie worker</code> is one.</p><//>`
        : html`<ul class="rows" aria-label="Runs">${runs.map((r) => html`<li key=${r.run_id}><a class="row" href=${hrefOf('gateway', 'runs', r.run_id)}><${Text} of=${r.query} limit=${160} cut />
          <span class="faint"><span class=${`chip ${r.status}`}>${words(r.status)}</span> ${r.failed_calls > 0 && html`<span class="chip error">${r.failed_calls === 1 ? '1 call failed' : `${r.failed_calls} calls failed`}</span> `}${r.needs_human && html`<strong class="bad">waits for a person</strong> `}${plain(r.workspace_id)}${r.worker_id && `, at ${plain(r.worker_id)}`}, ${when(r.created_at)}</span></a></li>`)}</ul>`}
      ${next && html`<p class="faint">These are the newest; the filters find others.</p>`}
      ${runs.some((r) => !ended.includes(r.status)) && html`<div class="actions"><${StopAll} workspace=${query.workspace_id} done=${loaded.again} /></div>`}
      <h2>Workers</h2>${workers.length === 0 ? html`<p class="faint">No worker has said anything yet.</p>` : html`<ul class="rows">${workers.map((w) => html`<li key=${w.workspace_id + w.worker_id}><strong><${Text} of=${w.worker_id} /></strong> <span class="faint">of ${plain(w.workspace_id)}, ${words(w.status)}, last heard of ${when(w.last_heartbeat_at)}</span></li>`)}</ul>`}
      <${Fold} label="Ask for a run">${() => html`<${Request} workspace=${query.workspace_id || runs[0]?.workspace_id || workers[0]?.workspace_id || 'default'} agent=${runs[0]?.agent_id ?? 'default'} />`}<//>`}<//>`;
};

/** Stops every run that goes on, of a workspace or of all. */
const StopAll = ({ workspace = '', done = () => {} }) => {
  const stop = async () => {
    try {
      const { count } = await windie.value.runs.stopAll({ workspace_id: workspace || undefined, requested_by: by });
      say(count === 1 ? '1 run is stopped.' : `${count} runs are stopped.`);
      done();
    } catch (error) {
      say(error.message);
    }
  };
  return html`<${Sure} label="Stop all runs" question=${workspace ? `Stop all runs of ${plain(workspace)}?` : 'Stop all runs of all workspaces?'} onYes=${stop} />`;
};

const Request = ({ workspace, agent }) => {
  const [of, set] = useState({ workspace_id: workspace, agent_id: agent, query: '', queue: true });
  const [error, setError] = useState(/** @type {any} */ (null));
  const ask = async (e) => {
    e.preventDefault();
    try {
      const { run } = await windie.value.runs.create({ ...of, requested_by: by });
      go('gateway', 'runs', run.run_id);
    } catch (e2) {
      setError(e2);
    }
  };
  return html`<form class="card" onSubmit=${ask}>
    <label>What is to be done<textarea rows="2" required value=${of.query} onInput=${(e) => set({ ...of, query: e.currentTarget.value })}></textarea></label>
    <label>Where: the workspace<input required maxlength="128" value=${of.workspace_id} onInput=${(e) => set({ ...of, workspace_id: e.currentTarget.value })} /></label>
    <label>By whom: the agent<input required maxlength="128" value=${of.agent_id} onInput=${(e) => set({ ...of, agent_id: e.currentTarget.value })} /></label>
    <label class="check"><input type="checkbox" checked=${of.queue} onChange=${() => set({ ...of, queue: !of.queue })} />Wait if another run goes on in that workspace</label>
    ${error && html`<${Failure} error=${error} />`}<button class="primary">Ask for it</button></form>`;
};

/** A run and its events: all of them first, then each as it comes, by the same number. @param {string} id */
function useRun(id) {
  const [state, set] = useState(/** @type {any} */ ({ events: [] }));
  const [tries, again] = useState(0);
  useEffect(() => {
    const left = new AbortController();
    let after = 0;
    let now = /** @type {any} */ (null);
    const learn = async () => {
      now = await windie.peek().runs.get(id, { signal: left.signal });
      set((s) => ({ ...s, run: now }));
    };
    const add = (events) => {
      if (events.length === 0) return;
      after = events.at(-1).seq;
      set((s) => ({ ...s, lost: false, events: [...s.events, ...events] }));
    };
    const all = async () => {
      for (;;) {
        const page = await windie.peek().runs.events(id, { after_seq: after, signal: left.signal });
        add(page.events);
        if (page.events.length === 0) return;
      }
    };
    const follow = async () => {
      await learn();
      await all();
      set((s) => ({ ...s, loaded: true, lost: false }));
      while (!left.signal.aborted && !ended.includes(now.status)) {
        for await (const data of windie.peek().runs.follow(id, { after, signal: left.signal })) {
          add([data]);
          if (!data.source || data.source === 'control-plane' || moves.includes(data.event_type)) await learn();
        }
        await learn();
      }
    };
    const go = async () => {
      try {
        await follow();
      } catch (error) {
        if (left.signal.aborted) return;
        if (error.status) return set((s) => ({ ...s, error }));
        set((s) => ({ ...s, lost: true }));
        await new Promise((done) => setTimeout(done, pause));
        if (!left.signal.aborted) await go();
      }
    };
    set({ events: [] });
    go();
    return () => left.abort();
  }, [id, windie.value, tries]);
  return { ...state, seen: (now) => set((s) => ({ ...s, run: now })), again: () => again((n) => n + 1) };
}

const Run = ({ id }) => {
  const of = useRun(id);
  const results = resultsOf(of.events);
  const [search, setSearch] = useState('');
  const [view, setView] = useState('timeline');
  const steps = stepsOfEvents(of.events);
  const watched = steps.some((s) => s.screen);
  return html`<header class="bar"><a class="button small" href=${hrefOf('gateway', 'runs')}>All runs</a>${of.run && html`<span class=${`chip ${of.run.status}`}>${words(of.run.status)}</span>${results.failed > 0 && html` <span class="chip error">${results.failed} of ${results.ended} ${results.ended === 1 ? 'call' : 'calls'} failed</span>`}${of.run.needs_human && html`<a href=${hrefOf('approvals')}>It waits for a person</a>`}`}
      <label class="grow"><span class="sr">Search this run</span><input type="search" placeholder="Search this run" value=${search} onInput=${(e) => setSearch(e.currentTarget.value)} /></label></header>
    ${of.error && html`<${Failure} error=${of.error} again=${of.again} />`}
    ${of.lost && html`<p class="notice" role="status">The connection broke; trying again…</p>`}
    ${!of.run && !of.error && html`<${Busy} what="Loading the run" />`}
    ${of.run && html`<h2><${Text} of=${of.run.query} limit=${2000} /></h2>
      <p class="faint">${plain(of.run.workspace_id)}, carried out by the agent ${plain(of.run.agent_id)}${of.run.requested_by && `, asked for by ${plain(of.run.requested_by)}`}${of.run.worker_id && `, at the worker ${plain(of.run.worker_id)}`}${of.run.attempt > 1 && `, which is the ${of.run.attempt}. to have it`}, since ${when(of.run.created_at)}</p>
      ${of.run.error && html`<p class="bad"><${Text} of=${of.run.error} /></p>`}
      ${!ended.includes(of.run.status) && of.events.length > 0 && html`<${Now} of=${of.events} />`}
      ${!ended.includes(of.run.status) && html`<${Control} of=${of.run} seen=${of.seen} />`}
      ${watched && html`<${Tabs} label="View" of=${[['timeline', 'Timeline'], ['watch', 'Watch']]} value=${view} onChange=${setView} />`}
      ${watched && view === 'watch' ? html`<${Watch} steps=${steps} />` : html`<${Events} of=${of.events} search=${search} loaded=${of.loaded} />`}`}`;
};

const Control = ({ of, seen }) => {
  const [error, setError] = useState(/** @type {any} */ (null));
  const act = async (action, more = {}) => {
    try {
      seen((await windie.value.runs.control(of.run_id, { action, requested_by: by, ...more })).run);
      setError(null);
    } catch (e) {
      setError(e);
    }
  };
  return html`<div class="card"><div class="actions">
      ${of.status === 'paused' ? html`<button class="primary" onClick=${() => act('resume')}>Resume</button>` : html`<button onClick=${() => act('pause')}>Pause</button>`}
      <${Sure} label="Stop" question="Stop this run for good?" onYes=${() => act('stop')} /><${StopAll} /></div>
    <label>Who may act on the machine<select value=${of.control_mode} onChange=${(e) => act('set-control-mode', { control_mode: e.currentTarget.value })}>${Object.entries(modes).map(([id, name]) => html`<option key=${id} value=${id}>${name}</option>`)}</select></label>
    <p class="help">The worker hears it with its next sign of life.</p>${error && html`<${Failure} error=${error} />`}</div>`;
};
