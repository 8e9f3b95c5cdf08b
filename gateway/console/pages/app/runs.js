// @ts-check
// Runs: tasks that workers carry out on their machines, with control and events, live and afterwards.
import { count, html, inWords, plain, useEffect, useEvery, useLoad, useState, when } from './lib.js';
import { go, hrefOf, hrefWith, route, say, windie } from './state.js';
import { choiceField, chosenOf, Filters, Nothing, queryOf, rangeField } from './filters.js';
import { Events, Now, resultsOf } from './happened.js';
import { Busy, Failure, Fold, Loaded, Sure, Tabs, Text } from './ui.js';
import { stepsOfEvents, Watch } from './watch.js';

const every = 3000; // ms between two loads of the list
const pause = 1500; // ms before the page reconnects to a stream
const statuses = ['waiting', 'awaiting_worker', 'queued', 'running', 'paused', 'completed', 'failed', 'stopped'];
const fields = [{ name: 'workspace_id', label: 'Workspace' }, choiceField('status', 'Status', statuses, inWords), rangeField('Created')];
const ended = ['completed', 'failed', 'stopped'];
const modes = { agent_only: 'Agent only', shared_control: 'Agent and person', human_override: 'Person only, no tool calls' };
const moves = ['worker-heartbeat', 'run-dispatched', 'run-control-applied']; // events of a worker that can change the status of a run
const by = 'console';

/** The status of a run as a chip: a run whose calls failed looks failed. @param {{of: any, failed: number}} of */
const Status = ({ of, failed }) => (failed > 0 && of.status === 'completed'
  ? html`<span class="chip failed">completed with errors</span>`
  : html`<span class=${`chip ${of.status}`}>${inWords(of.status)}</span>`);

export const Runs = () => (route.value[2] ? html`<${Run} key=${route.value[2]} id=${route.value[2]} />` : html`<${List} />`);

const List = () => {
  const query = chosenOf(fields);
  const asked = JSON.stringify(query);
  const loaded = useLoad(async (signal) => {
    const [page, workers] = await Promise.all([windie.value.runs.list({ ...queryOf(query), limit: 100, signal }), windie.value.runs.workers({ signal })]);
    return { runs: page.items, next: page.next, workers, query };
  }, [windie.value, asked]);
  useEvery(() => !loaded.error && loaded.again(), every, [windie.value, asked, Boolean(loaded.error)]);
  return html`<${Filters} of=${fields} again=${loaded.again} />
    <${Loaded} of=${loaded} what="Loading the runs">${({ runs, workers, next, query: of }) => html`
      ${of.status === 'failed' && html`<p class="help">A run counts as completed if its agent answered, even if calls failed. <a href=${hrefWith({ ...of, status: 'completed' })}>Show completed runs</a></p>`}
      ${runs.length === 0 ? html`<${Nothing} what="runs" of=${of}><p>Start one below, or with <code>POST /vm/runs</code>. A worker carries it out on its machine.</p><//>`
        : html`<ul class="rows" aria-label="Runs">${runs.map((r) => html`<li key=${r.run_id}><a class="row" href=${hrefOf('gateway', 'runs', r.run_id)}><${Text} of=${r.query} limit=${160} cut />
          <span class="faint"><${Status} of=${r} failed=${r.failed_calls} /> ${r.failed_calls > 0 && html`<span class="chip error">${count(r.failed_calls, 'call')} failed</span> `}${r.needs_human && html`<strong class="bad">needs approval</strong> `}${plain(r.workspace_id)}${r.worker_id && ` · worker ${plain(r.worker_id)}`} · ${when(r.created_at)}</span>${r.error && html`<span class="bad"><${Text} of=${r.error} limit=${160} cut /></span>`}</a></li>`)}</ul>`}
      ${next && html`<p class="faint">The list has the newest runs. Use the filters to find older ones.</p>`}
      ${runs.some((r) => !ended.includes(r.status)) && html`<div class="actions"><${StopAll} workspace=${query.workspace_id} done=${loaded.again} /></div>`}
      <h2>Workers</h2>${workers.length === 0 ? html`<p class="faint">No workers connected. Start one with <code>windie worker</code>.</p>` : html`<ul class="rows">${workers.map((w) => html`<li key=${w.workspace_id + w.worker_id}><strong><${Text} of=${w.worker_id} /></strong> <span class="faint">${inWords(w.status)} · workspace ${plain(w.workspace_id)} · last heartbeat ${when(w.last_heartbeat_at)}</span></li>`)}</ul>`}
      <${Fold} label="New run">${() => html`<${Request} workspace=${query.workspace_id || runs[0]?.workspace_id || workers[0]?.workspace_id || 'default'} agent=${runs[0]?.agent_id ?? 'default'} />`}<//>`}<//>`;
};

/** Stops all open runs, of one workspace or of all. */
const StopAll = ({ workspace = '', done = () => {} }) => {
  const stop = async () => {
    try {
      const { count: stopped } = await windie.value.runs.stopAll({ workspace_id: workspace || undefined, requested_by: by });
      say(`${count(stopped, 'run')} stopped.`);
      done();
    } catch (error) {
      say(error.message);
    }
  };
  return html`<${Sure} label="Stop all runs" question=${workspace ? `Stop all runs in ${plain(workspace)}?` : 'Stop all runs in all workspaces?'} onYes=${stop} />`;
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
    <label>Task<textarea rows="2" required value=${of.query} onInput=${(e) => set({ ...of, query: e.currentTarget.value })}></textarea></label>
    <label>Workspace<input required maxlength="128" value=${of.workspace_id} onInput=${(e) => set({ ...of, workspace_id: e.currentTarget.value })} /></label>
    <label>Agent<input required maxlength="128" value=${of.agent_id} onInput=${(e) => set({ ...of, agent_id: e.currentTarget.value })} /></label>
    <label class="check"><input type="checkbox" checked=${of.queue} onChange=${() => set({ ...of, queue: !of.queue })} />Queue if the workspace is busy</label>
    ${error && html`<${Failure} error=${error} />`}<button class="primary">Start run</button></form>`;
};

/** A run and its events: all of them first, then each new one, by the same sequence. @param {string} id */
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
  return html`<header class="bar"><a class="button small" href=${hrefOf('gateway', 'runs')}>All runs</a>${of.run && html`<${Status} of=${of.run} failed=${results.failed} />${results.failed > 0 && html` <span class="chip error">${results.failed} of ${count(results.ended, 'call')} failed</span>`}${of.run.needs_human && html`<a href=${hrefOf('approvals')}>Open approvals</a>`}`}
      <label class="grow"><span class="sr">Search this run</span><input type="search" placeholder="Search this run" value=${search} onInput=${(e) => setSearch(e.currentTarget.value)} /></label></header>
    ${of.error && html`<${Failure} error=${of.error} again=${of.again} />`}
    ${of.lost && html`<p class="notice" role="status">Connection lost. Reconnecting…</p>`}
    ${!of.run && !of.error && html`<${Busy} what="Loading the run" />`}
    ${of.run && html`<h2><${Text} of=${of.run.query} limit=${2000} /></h2>
      <p class="faint">Workspace ${plain(of.run.workspace_id)} · agent ${plain(of.run.agent_id)}${of.run.requested_by && ` · requested by ${plain(of.run.requested_by)}`}${of.run.worker_id && ` · worker ${plain(of.run.worker_id)}`}${of.run.attempt > 1 && ` · attempt ${of.run.attempt}`} · created ${when(of.run.created_at)}</p>
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
      <${Sure} label="Stop" question="Stop this run?" onYes=${() => act('stop')} /><${StopAll} /></div>
    <label>Control mode<select value=${of.control_mode} onChange=${(e) => act('set-control-mode', { control_mode: e.currentTarget.value })}>${Object.entries(modes).map(([id, name]) => html`<option key=${id} value=${id}>${name}</option>`)}</select></label>
    <p class="help">Takes effect at the worker's next heartbeat.</p>${error && html`<${Failure} error=${error} />`}</div>`;
};
