import { APIError, ConnectionError, WindieError } from './errors.js';
import { builtin, newId, pauseOf, sleep } from './http.js';
const maxAttempts = 5;
const revoked = 4401;
const refused = 1008;
const answered = ['load-settings', 'update-settings', 'list-models', 'wakeword-detected'];
const handshakeTime = 10_000;
const sendsHeaders = () => builtin('node:fs') !== undefined;
const makeSocket = (url, headers) => {
    return sendsHeaders() ? new WebSocket(url, { headers }) : new WebSocket(url);
};
export function socketTicket(t, path, call = {}) {
    return t.json('POST', '/api/socket-tickets', { ...call, json: { path }, safe: true });
}
export class Socket {
    transport;
    handshake;
    on;
    ws;
    ready = false;
    closed = false;
    outbox = new Map();
    asked = new Map();
    heard = new Map();
    made;
    constructor(transport, handshake, on, make) {
        this.transport = transport;
        this.handshake = handshake;
        this.on = on;
        this.made = make ?? makeSocket;
    }
    async open() {
        const url = this.transport.baseURL.replace(/^http/, 'ws') + '/ws';
        const ws = this.made(url + (await this.ticket()), this.transport.headers());
        const check = newId();
        let manifest;
        let opened = false;
        await new Promise((resolve, reject) => {
            const timer = setTimeout(() => {
                reject(new ConnectionError(`${url}: no answer to the handshake within ${handshakeTime} ms`));
                ws.close();
            }, handshakeTime);
            ws.onopen = () => {
                opened = true;
                ws.send(JSON.stringify(this.handshake));
                ws.send(JSON.stringify({ id: check, type: 'load-settings', payload: {} }));
            };
            ws.onmessage = ({ data }) => {
                const message = this.transport.parse(String(data));
                if (message.type === 'client-tool-manifest')
                    manifest = message.payload;
                if (message.in_reply_to === check) {
                    clearTimeout(timer);
                    resolve();
                }
                if (this.ready || message.in_reply_to !== check)
                    this.hear(message);
            };
            const gone = (code, reason, refusal) => {
                clearTimeout(timer);
                ws.onerror = ws.onclose = null;
                const error = new ConnectionError(`${url}: the socket is closed (${code}) ${reason}`.trim());
                reject(refusal ?? (code === refused || code === revoked ? new WindieError(error.message) : error));
                if (this.ws === ws)
                    this.lost(error, code);
            };
            ws.onerror = event => {
                ws.onclose = null;
                const reason = event.message ?? 'it cannot be opened; a hosted gateway asks for a token';
                if (opened)
                    gone(1006, reason);
                else
                    void this.refusal().then(refusal => gone(1006, reason, refusal));
            };
            ws.onclose = event => gone(event.code, event.reason);
        });
        if (this.closed) {
            ws.close(1000);
            throw new ConnectionError('the session is closed');
        }
        this.ws = ws;
        this.ready = true;
        return manifest;
    }
    async ticket() {
        if (this.made !== makeSocket || sendsHeaders() || !new Headers(this.transport.headers()).has('authorization'))
            return '';
        try {
            return `?ticket=${(await socketTicket(this.transport, '/ws')).ticket}`;
        }
        catch (error) {
            if (!(error instanceof APIError))
                throw error;
            if (error.status === 404)
                return '';
            throw error.status >= 500 || error.status === 429 ? new ConnectionError(error.message, { cause: error }) : error;
        }
    }
    async refusal() {
        try {
            await this.transport.json('GET', '/ws');
        }
        catch (error) {
            if (error instanceof APIError && (error.status === 401 || error.status === 403))
                return error;
        }
        return undefined;
    }
    get isOpen() {
        return this.ready && this.ws?.readyState === 1;
    }
    send(type, payload, id = newId()) {
        const text = JSON.stringify({ id, type, payload });
        if (!this.closed && answered.includes(type))
            this.asked.set(id, text);
        if (this.isOpen)
            this.ws.send(text);
        else if (this.closed)
            throw new ConnectionError('the session is closed');
        else
            this.outbox.set(id, text);
        return id;
    }
    unsay(id) {
        return this.outbox.delete(id);
    }
    hear(message) {
        const { conversation_ref: ref, seq } = message;
        this.asked.delete(message.in_reply_to ?? '');
        if (ref !== undefined && seq !== undefined) {
            const h = this.heard.get(ref) ?? { before: 0, seq: 0, count: 0, skip: 0 };
            this.heard.set(ref, h);
            if (seq < h.seq)
                return;
            if (seq === h.seq && h.skip > 0) {
                h.skip--;
                return;
            }
            if (seq > h.seq)
                Object.assign(h, { before: h.seq, seq, count: 0, skip: 0 });
            h.count++;
        }
        this.on.message(message);
    }
    lost(error, code) {
        this.ready = false;
        this.ws = undefined;
        if (this.closed)
            return;
        if (code === revoked || code === refused) {
            this.closed = true;
            this.on.end(error);
            return;
        }
        this.transport.log({ event: 'reconnect', message: error.message });
        void this.comeBack(error);
    }
    async comeBack(error) {
        for (let attempt = 0; attempt < maxAttempts && !this.closed; attempt++) {
            await sleep(pauseOf(attempt));
            try {
                await this.open();
            }
            catch (failure) {
                error = failure;
                if (!(failure instanceof ConnectionError))
                    break;
                continue;
            }
            for (const message of this.on.back())
                if (!this.outbox.has(message.id ?? ''))
                    this.ws?.send(JSON.stringify({ id: newId(), ...message }));
            for (const text of new Map([...this.asked, ...this.outbox]).values())
                this.ws?.send(text);
            this.outbox.clear();
            return;
        }
        if (this.closed)
            return;
        this.closed = true;
        this.on.end(error);
    }
    resume(ref) {
        const h = this.heard.get(ref);
        if (!h)
            return undefined;
        h.skip = h.count;
        return { type: 'resume', payload: { conversation_ref: ref, seq: h.before } };
    }
    close() {
        this.closed = true;
        this.ready = false;
        this.ws?.close(1000);
    }
    drop() {
        this.ws?.close();
    }
}
