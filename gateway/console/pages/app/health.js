// @ts-check
// The health checks of the gateway, and its metrics.
import { bytes, html, plain, span, useEvery, useLoad, useState } from './lib.js';
import { hrefOf, signedIn, windie } from './state.js';
import { refused } from './refused.js';
import { Chart } from './chart.js';
import { Busy, Failure, Loaded, Text } from './ui.js';

const every = 5000; // ms between two reads of the metrics
const most = 60; // values in a curve

/** Parses metrics in the text format of Prometheus: name to [labels, value] pairs. @param {string} text */
export function metricsOf(text) {
  const all = new Map();
  for (const line of text.split('\n')) {
    const [, name, labels, value] = /^([a-z_]+)(?:\{(.*)\})? ([\d.eE+-]+|NaN|\+Inf)$/.exec(line) ?? [];
    if (!name) continue;
    if (!all.has(name)) all.set(name, []);
    all.get(name).push([labels ?? '', Number(value)]);
  }
  return all;
}

const sum = (metrics, name, having = '') => (metrics.get(name) ?? []).filter(([labels]) => labels.includes(having)).reduce((n, [, v]) => n + v, 0);

/** @type {[string, (metrics: Map<string, any>) => number, 'rate' | 'now', (n: number) => string][]} */
const tiles = [
  ['Requests per second', (f) => sum(f, 'windie_http_requests_total'), 'rate', (v) => v.toFixed(1)],
  ['Requests in flight', (f) => sum(f, 'windie_http_requests_in_flight'), 'now', String],
  ['Server errors', (f) => sum(f, 'windie_http_requests_total', 'status="5'), 'now', String],
  ['OCR reads', (f) => sum(f, 'windie_ocr_scenes_total'), 'now', String],
  ['Tool calls', (f) => sum(f, 'windie_tool_calls_total'), 'now', String],
  ['Model requests', (f) => sum(f, 'windie_model_requests_total'), 'now', String],
  ['Memory', (f) => sum(f, 'process_resident_memory_bytes'), 'now', bytes],
  ['Open files', (f) => sum(f, 'process_open_fds'), 'now', String],
];

export const Health = () => {
  const health = useLoad(() => windie.value.health(), [windie.value]);
  return html`<${Loaded} of=${health} what="Loading health">${(h) => html`
    <h2>${!h.healthy ? 'Some checks fail' : refused.value > 0 ? 'Some tools are refused' : 'All checks pass'}</h2>
    ${refused.value > 0 && html`<p class="notice">${refused.value === 1 ? '1 tool is' : `${refused.value} tools are`} refused, because an MCP server changed ${refused.value === 1 ? 'its' : 'their'} definition. <a href=${hrefOf('gateway', 'servers')}>Review changes</a></p>`}
    <p class="faint">Version ${plain(h.version)}, uptime ${span(h.uptime_ms)}</p>
    <table><caption class="sr">Health checks</caption><thead><tr><th scope="col">Check</th><th scope="col">Status</th><th scope="col">Details</th></tr></thead><tbody>
      ${h.checks.map((c) => html`<tr key=${c.name}><th scope="row">${plain(c.name)}</th><td><span class=${`chip ${c.ok ? 'success' : 'error'}`}>${c.ok ? 'ok' : 'failing'}</span></td><td><${Text} of=${c.message} /></td></tr>`)}</tbody></table>
    <${Day} /><${Metrics} />`}<//>`;
};

const everyDay = 60_000; // ms between two loads of the history

/** Charts of the last day. */
const Day = () => {
  const history = useLoad((signal) => windie.value.operator.history({ signal }), [windie.value]);
  useEvery(() => !history.error && history.again(), everyDay, [windie.value, Boolean(history.error)]);
  if (!signedIn.value) return null;
  return html`<h2>Last day</h2><${Loaded} of=${history} what="Loading the history">${({ periods }) => {
    const of = (/** @type {(p: any) => number} */ value) => periods.map((p) => ({ at: p.ends_at, value: value(p) }));
    return html`<div class="charts">
      <${Chart} title="Requests" of=${of((p) => p.requests)} show=${(v) => `${v} in 5 min`} />
      <${Chart} title="Errors" of=${of((p) => p.errors)} show=${(v) => `${v} in 5 min`} />
      <${Chart} title="Reading time" of=${of((p) => (p.screens_read > 0 ? (p.read_seconds * 1000) / p.screens_read : 0))} show=${(v) => `${span(v)} per screen`} />
      <${Chart} title="Tool calls" of=${of((p) => p.tool_calls)} show=${(v) => `${v} in 5 min`} />
      <${Chart} title="Model requests" of=${of((p) => p.model_requests)} show=${(v) => `${v} in 5 min`} />
      <${Chart} title="Model cost" of=${of((p) => p.model_cost)} show=${(v) => `${v.toFixed(2)} in 5 min`} /></div>`;
  }}<//>`;
};

const Metrics = () => {
  const [looks, set] = useState(/** @type {{at: number, metrics: Map<string, any>}[]} */ ([]));
  const [error, setError] = useState(/** @type {any} */ (null));
  const look = async () => {
    try {
      const metrics = metricsOf(await windie.value.metrics());
      set((all) => [...all, { at: Date.now(), metrics }].slice(-most));
      setError(null);
    } catch (e) {
      setError(e);
    }
  };
  useEvery(() => !error && look(), every, [windie.value, error]);
  useState(() => void look());
  if (error) return html`<h2>Metrics</h2><${Failure} error=${error} again=${look} />`;
  if (looks.length === 0) return html`<${Busy} what="Loading metrics" />`;
  return html`<h2>Metrics</h2><ul class="tiles">${tiles.map(([name, of, how, show]) => {
    const values = looks.map((l) => of(l.metrics));
    const curve = how === 'now' ? values : values.slice(1).map((v, i) => ((v - values[i]) * 1000) / (looks[i + 1].at - looks[i].at));
    return html`<li key=${name} class="card"><span class="faint">${name}</span><strong>${curve.length > 0 ? show(curve.at(-1)) : '…'}</strong><${Curve} of=${curve} /></li>`;
  })}</ul>`;
};

const Curve = ({ of }) => {
  if (of.length < 2) return null;
  const [low, high] = [Math.min(...of), Math.max(...of)];
  const y = (v) => (high === low ? 15 : 28 - ((v - low) / (high - low)) * 26);
  return html`<svg class="curve" viewBox="0 0 120 30" preserveAspectRatio="none" aria-hidden="true"><polyline points=${of.map((v, i) => `${(i * 120) / (of.length - 1)},${y(v)}`).join(' ')} /></svg>`;
};
