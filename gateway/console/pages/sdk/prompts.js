import { APIError, errorOf } from './errors.js';
import { newId, unlessAborted } from './http.js';
import { Pages } from './pages.js';
import { split } from './perception.js';
import { follow } from './sse.js';
const path = (id, below = '') => `/api/prompts/${encodeURIComponent(id)}${below}`;
function eventOf(transport, raw) {
    return { event: raw.event, data: transport.parse(raw.data), ...(raw.id !== undefined && { id: raw.id }) };
}
export class PromptStream {
    prompts;
    events;
    onApproval;
    signal;
    promptId;
    constructor(prompts, events, onApproval, signal) {
        this.prompts = prompts;
        this.events = events;
        this.onApproval = onApproval;
        this.signal = signal;
    }
    async *[Symbol.asyncIterator]() {
        for await (const event of this.events) {
            if (event.event === 'prompt.created')
                this.promptId = event.data.promptId;
            if (event.event === 'prompt.approval' && event.data.answered)
                continue;
            if (event.event === 'prompt.approval' && this.onApproval)
                await this.answer(event.data, await unlessAborted(this.onApproval(event.data), this.signal));
            yield event;
        }
    }
    async answer(approval, answer) {
        const { approved, input, reason } = typeof answer === 'boolean' ? { approved: answer } : answer;
        const done = approved ? this.prompts.approve(approval.promptId, approval.toolCallId, { input }) : this.prompts.reject(approval.promptId, approval.toolCallId, { reason });
        await done.catch((error) => {
            if (!(error instanceof APIError) || !['DECISION_CONFLICT', 'DECISION_EXPIRED'].includes(error.code))
                throw error;
        });
    }
    async final() {
        const outputs = [];
        for await (const event of this) {
            if (event.event === 'prompt.output')
                outputs.push(event.data);
            if (event.event === 'prompt.completed') {
                const text = outputs.flatMap(o => (o.type === 'text' && o.content ? [o.content] : [])).join('\n');
                return { promptId: event.data.promptId, text, outputs, usage: event.data.usage };
            }
            if (event.event === 'error')
                throw promptError(event.data);
        }
        throw errorOf({ status: 0, code: 'INTERNAL', message: 'the stream ended before the prompt did' });
    }
    async cancel() {
        if (this.promptId !== undefined)
            await this.prompts.cancel(this.promptId);
    }
}
function promptError(data) {
    return errorOf({ status: 0, code: data.code ?? (data.reason ?? 'failed').toUpperCase(), message: data.message, details: data.resets_at ? { resets_at: data.resets_at } : {} });
}
export class Prompts {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    start(input, options = {}) {
        const { onApproval, ...rest } = options;
        const [call, body] = split(rest);
        const key = call.idempotencyKey ?? newId();
        let id;
        const deltas = rest.deltas ? { deltas: true } : {};
        const events = follow({
            transport: this.transport, signal: call.signal, timeout: call.timeout, again: true,
            open: (after, signal) => id === undefined
                ? this.transport.request('POST', '/api/prompt', { ...call, idempotencyKey: key, json: { input, ...body }, signal, stream: true })
                : this.from(id, after, { ...call, idempotencyKey: undefined, signal }, deltas),
            read: raw => {
                const event = eventOf(this.transport, raw);
                if (event.event === 'prompt.created')
                    id = event.data.promptId;
                return event;
            },
            last: isLast,
        });
        return new PromptStream(this, events, onApproval, call.signal);
    }
    events(id, options = {}) {
        const { after, deltas, onApproval, ...call } = options;
        const events = follow({
            transport: this.transport, signal: call.signal, timeout: call.timeout, after, again: true,
            open: (at, signal) => this.from(id, at, { ...call, signal }, deltas ? { deltas } : {}),
            read: raw => eventOf(this.transport, raw), last: isLast,
        });
        const stream = new PromptStream(this, events, onApproval, call.signal);
        stream.promptId = id;
        return stream;
    }
    from(id, after, call, query) {
        const headers = { ...call.headers, ...(after !== undefined && { 'last-event-id': after }) };
        return this.transport.request('GET', path(id, '/events'), { ...call, headers, query, stream: true });
    }
    get(id, call = {}) {
        return this.transport.json('GET', path(id), call);
    }
    list(options = {}) {
        const [call, query] = split(options);
        return new Pages(async (after) => {
            const page = await this.transport.json('GET', '/api/prompts', { ...call, query: { ...query, after } });
            return { items: page.prompts, next: page.next };
        }, options.after);
    }
    delete(id, call = {}) {
        return this.transport.json('DELETE', path(id), call);
    }
    approve(id, toolCallId, options = {}) {
        const [call, body] = split(options);
        return this.transport.json('POST', path(id, '/approve'), { ...call, json: { toolCallId, ...body }, safe: true });
    }
    reject(id, toolCallId, options = {}) {
        const [call, body] = split(options);
        return this.transport.json('POST', path(id, '/reject'), { ...call, json: { toolCallId, ...body }, safe: true });
    }
    async cancel(id, call = {}) {
        await this.transport.request('POST', path(id, '/cancel'), { ...call, safe: true });
    }
}
const isLast = (event) => event.event === 'prompt.completed' || event.event === 'error';
