import { Pages } from './pages.js';
import { split } from './perception.js';
import { follow } from './sse.js';
const path = (id, below = '') => `/api/runs/${encodeURIComponent(id)}${below}`;
export class Runs {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    create(request, call = {}) {
        return this.transport.json('POST', '/api/runs/', { ...call, json: request, keyed: true });
    }
    async get(id, call = {}) {
        return (await this.transport.json('GET', path(id), call)).run;
    }
    list(options = {}) {
        const [call, query] = split(options);
        return new Pages(async (after) => {
            const page = await this.transport.json('GET', '/api/runs/', { ...call, query: { ...query, after } });
            return { items: page.runs, next: page.next };
        }, options.after);
    }
    events(id, options = {}) {
        const [call, query] = split(options);
        return this.transport.json('GET', path(id, '/events'), { ...call, query });
    }
    follow(id, options = {}) {
        const { after, ...call } = options;
        return follow({
            transport: this.transport, signal: call.signal, timeout: call.timeout, again: true,
            ...(after !== undefined && { after: String(after) }),
            open: (at, signal) => {
                const headers = { ...call.headers, ...(at !== undefined && { 'last-event-id': at }) };
                return this.transport.request('GET', path(id, '/events/stream'), { ...call, signal, headers, stream: true });
            },
            read: raw => this.transport.parse(raw.data),
            last: event => event.event_type === 'run-ended',
        });
    }
    control(id, request, call = {}) {
        return this.transport.json('POST', path(id, '/control'), { ...call, json: request });
    }
    stopAll(request = {}, call = {}) {
        return this.transport.json('POST', '/api/runs/stop-all', { ...call, json: request, safe: true });
    }
    file(id, artifactId, call = {}) {
        return this.transport.request('GET', path(id, `/files/${encodeURIComponent(artifactId)}`), { ...call, stream: true });
    }
    async workers(options = {}) {
        const [call, query] = split(options);
        return (await this.transport.json('GET', '/api/runs/workers', { ...call, query })).workers;
    }
    heartbeat(request, call = {}) {
        return this.transport.json('POST', '/api/runs/workers/heartbeat', { ...call, json: request, safe: true });
    }
    dispatched(id, request, call = {}) {
        return this.transport.json('POST', path(id, '/worker-dispatched'), { ...call, json: request });
    }
    relay(id, event, call = {}) {
        return this.transport.json('POST', path(id, '/events'), { ...call, json: event, safe: event.worker_seq !== undefined });
    }
}
