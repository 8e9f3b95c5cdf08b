import { newId } from './http.js';
import { Pages } from './pages.js';
import { split } from './perception.js';
import { follow } from './sse.js';
export class General {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    openSession(options = {}) {
        const [call, json] = split(options);
        return this.transport.json('POST', '/v1/sessions', { ...call, json, keyed: true });
    }
    sessions(options = {}) {
        const [call, query] = split(options);
        return new Pages(async (after) => {
            const page = await this.transport.json('GET', '/v1/sessions', { ...call, query: { ...query, after } });
            return { items: page.sessions, next: page.next };
        }, options.after);
    }
    deleteSession(id, call = {}) {
        return this.transport.json('DELETE', `/v1/sessions/${encodeURIComponent(id)}`, call);
    }
    chat(session, message, options = {}) {
        const json = { general_session_id: session, message: messageOf(message), stream: true };
        return follow({
            transport: this.transport, signal: options.signal, timeout: options.timeout, again: true,
            open: (after, signal) => after === undefined
                ? this.transport.request('POST', '/v1/chat', { ...options, json, signal, stream: true, safe: true })
                : this.from(session, after, { ...options, idempotencyKey: undefined, signal }),
            read: raw => eventOf(this.transport, raw),
            last: e => e.event === 'assistant.final' || e.event === 'error',
        });
    }
    async say(session, message, call = {}) {
        return this.transport.json('POST', '/v1/chat', { timeout: 600_000, ...call, json: { general_session_id: session, message: messageOf(message), stream: false }, safe: true });
    }
    stream(session, options = {}) {
        const { after, ...call } = options;
        return follow({
            transport: this.transport, signal: call.signal, timeout: call.timeout, after, again: true,
            open: (at, signal) => this.from(session, at, { ...call, signal }), read: raw => eventOf(this.transport, raw), last: () => false,
        });
    }
    from(session, after, call) {
        const headers = { ...call.headers, ...(after !== undefined && { 'last-event-id': after }) };
        return this.transport.request('GET', '/v1/stream', { ...call, headers, query: { general_session_id: session }, stream: true });
    }
    toolResult(session, result, call = {}) {
        return this.transport.json('POST', '/v1/tools/result', { ...call, json: { general_session_id: session, tool_result: result }, safe: true });
    }
    cancel(session, call = {}) {
        return this.transport.json('POST', '/v1/cancel', { ...call, json: { general_session_id: session }, safe: true });
    }
}
const messageOf = (message) => {
    const said = typeof message === 'string' ? { parts: [{ type: 'text', text: message }] } : message;
    return { ...said, id: said.id ?? newId() };
};
function eventOf(transport, raw) {
    return { event: raw.event, data: transport.parse(raw.data), ...(raw.id !== undefined && { id: raw.id }) };
}
export class Memory {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    write(content, options = {}) {
        const [call, body] = split(options);
        return this.transport.json('POST', '/v1/memory/write', { ...call, json: { target: 'daily', content, ...body }, keyed: true });
    }
    async search(q, options = {}) {
        return (await this.find(q, options)).results;
    }
    find(q, options = {}) {
        const [call, query] = split(options);
        return this.transport.json('GET', '/v1/memory/search', { ...call, query: { q, ...query } });
    }
    get(path, options = {}) {
        const [call, query] = split(options);
        return this.transport.json('GET', '/v1/memory/get', { ...call, query: { path, ...query } });
    }
    async files(call = {}) {
        return (await this.transport.json('GET', '/v1/memory/files', call)).files;
    }
    edit(path, was, text, options = {}) {
        const [call, body] = split(options);
        return this.transport.json('PUT', '/v1/memory/files', { ...call, json: { path, was, text, ...body }, safe: false });
    }
    async history(path, options = {}) {
        const [call, query] = split(options);
        return (await this.transport.json('GET', '/v1/memory/history', { ...call, query: { path, ...query } })).changes;
    }
    deleteFile(path, call = {}) {
        return this.transport.json('DELETE', '/v1/memory/files', { ...call, query: { path } });
    }
    deleteAll(call = {}) {
        return this.transport.json('DELETE', '/v1/memory', call);
    }
}
