import type { Transport } from './http.js';
import { Pages } from './pages.js';
import { split } from './perception.js';
import { follow } from './sse.js';
import type { CallOptions, Run, RunEvent, Schemas } from './types.js';

const path = (id: string, below = '') => `/api/runs/${encodeURIComponent(id)}${below}`;

/** Runs, and the workers that carry them out. They need the runsKey of the client. */
export class Runs {
  constructor(private readonly transport: Transport) {}

  /** Asks for a run, once. */
  create(request: Schemas['RunRequest'], call: CallOptions = {}): Promise<Schemas['RunAnswer']> {
    return this.transport.json('POST', '/api/runs/', { ...call, json: request, keyed: true });
  }

  async get(id: string, call: CallOptions = {}): Promise<Run> {
    return (await this.transport.json<Schemas['RunState']>('GET', path(id), call)).run;
  }

  list(options: CallOptions & { workspace_id?: string; agent_id?: string; requested_by?: string; status?: Schemas['RunStatus']; since?: Date; limit?: number; after?: string } = {}): Pages<Run> {
    const [call, query] = split(options);
    return new Pages(async after => {
      const page = await this.transport.json<Schemas['RunList']>('GET', '/api/runs/', { ...call, query: { ...query, after } });
      return { items: page.runs, next: page.next };
    }, options.after);
  }

  /** A page of a run's timeline behind a number. */
  events(id: string, options: CallOptions & { after_seq?: number; limit?: number } = {}): Promise<Schemas['RunEvents']> {
    const [call, query] = split(options);
    return this.transport.json('GET', path(id, '/events'), { ...call, query });
  }

  /** Yields a run's timeline behind a number until the run has ended, through connections that break. */
  follow(id: string, options: CallOptions & { after?: number } = {}): AsyncGenerator<RunEvent> {
    const { after, ...call } = options;
    return follow<RunEvent>({
      transport: this.transport, signal: call.signal, timeout: call.timeout, again: true,
      ...(after !== undefined && { after: String(after) }),
      open: (at, signal) => {
        const headers = { ...call.headers, ...(at !== undefined && { 'last-event-id': at }) };
        return this.transport.request('GET', path(id, '/events/stream'), { ...call, signal, headers, stream: true });
      },
      read: raw => this.transport.parse(raw.data) as RunEvent,
      last: event => event.event_type === 'run-ended',
    });
  }

  control(id: string, request: Schemas['RunControlRequest'], call: CallOptions = {}): Promise<Schemas['RunControlled']> {
    return this.transport.json('POST', path(id, '/control'), { ...call, json: request });
  }

  stopAll(request: Schemas['RunStopAll'] = {}, call: CallOptions = {}): Promise<Schemas['RunsStopped']> {
    return this.transport.json('POST', '/api/runs/stop-all', { ...call, json: request, safe: true });
  }

  /** A file of a run, for its worker. */
  file(id: string, artifactId: string, call: CallOptions = {}): Promise<Response> {
    return this.transport.request('GET', path(id, `/files/${encodeURIComponent(artifactId)}`), { ...call, stream: true });
  }

  async workers(options: CallOptions & { workspace_id?: string } = {}): Promise<Schemas['RunWorker'][]> {
    const [call, query] = split(options);
    return (await this.transport.json<Schemas['RunWorkers']>('GET', '/api/runs/workers', { ...call, query })).workers;
  }

  heartbeat(request: Schemas['RunHeartbeat'], call: CallOptions = {}): Promise<Schemas['RunHeartbeatAnswer']> {
    return this.transport.json('POST', '/api/runs/workers/heartbeat', { ...call, json: request, safe: true });
  }

  dispatched(id: string, request: Schemas['RunDispatch'], call: CallOptions = {}): Promise<Schemas['RunState']> {
    return this.transport.json('POST', path(id, '/worker-dispatched'), { ...call, json: request });
  }

  /** Relays an event of a worker. With its worker_seq it is there once, however often it is sent. */
  relay(id: string, event: Schemas['RunRelay'], call: CallOptions = {}): Promise<Schemas['RunRelayed']> {
    return this.transport.json('POST', path(id, '/events'), { ...call, json: event, safe: event.worker_seq !== undefined });
  }
}
