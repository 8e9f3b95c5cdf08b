import { Pages } from './pages.js';
import { split } from './perception.js';
import { follow } from './sse.js';
export class ToolHosts {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    open(call = {}) {
        return this.transport.json('POST', '/api/agent/sessions', { ...call, keyed: true });
    }
    sessions(options = {}) {
        const [call, query] = split(options);
        return new Pages(async (after) => {
            const page = await this.transport.json('GET', '/api/agent/sessions', { ...call, query: { ...query, after } });
            return { items: page.sessions, next: page.next };
        });
    }
    session(id, call = {}) {
        return this.transport.json('GET', pathOf(id), call);
    }
    deleteSession(id, call = {}) {
        return this.transport.json('DELETE', pathOf(id), call);
    }
    send(id, message, call = {}) {
        const safe = message.type !== 'user.message' || message.messageId !== undefined;
        return this.transport.json('POST', `${pathOf(id)}/messages`, { ...call, json: message, safe });
    }
    stream(id, options = {}) {
        const { after, clientId, accept, watch, ...call } = options;
        return follow({
            transport: this.transport, signal: call.signal, timeout: call.timeout, after, again: true,
            open: (at, signal) => {
                const headers = { ...call.headers, ...(at !== undefined && { 'last-event-id': at }) };
                return this.transport.request('GET', `${pathOf(id)}/stream`, { ...call, headers, signal, query: { clientId, watch, accept: accept?.join(',') }, stream: true });
            },
            read: raw => this.transport.parse(raw.data),
            last: () => false,
        });
    }
}
const pathOf = (id) => `/api/agent/sessions/${encodeURIComponent(id)}`;
