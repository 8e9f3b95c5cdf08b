import { ConnectionError, WindieError } from './errors.js';
import { builtin, newId, pauseOf, sleep } from './http.js';
/** How often in a row connecting is tried again. */
const maxAttempts = 5;
/** The close code of a token that was revoked: connecting again is refused. */
const revoked = 4401;
/** A handshake that is not as it should be. */
const refused = 1008;
/** Milliseconds that a handshake may take. */
const handshakeTime = 10_000;
const makeSocket = (url, headers) => {
    const hasHeaders = builtin('node:fs') !== undefined;
    return hasHeaders ? new WebSocket(url, { headers }) : new WebSocket(url);
};
/** A socket at /ws that comes back by itself. Each message is heard once. */
export class Socket {
    transport;
    handshake;
    on;
    ws;
    ready = false;
    closed = false;
    outbox = [];
    heard = new Map();
    made;
    constructor(transport, handshake, on, make) {
        this.transport = transport;
        this.handshake = handshake;
        this.on = on;
        this.made = make ?? makeSocket;
    }
    /** Connects. It returns what the gateway says of the tools that the handshake brings. */
    async open() {
        const url = this.transport.baseURL.replace(/^http/, 'ws') + '/ws';
        const { authorization, ...rest } = this.transport.headers();
        const ws = this.made(url, { ...(authorization && { authorization }), ...rest });
        const check = newId();
        let manifest;
        await new Promise((resolve, reject) => {
            const timer = setTimeout(() => {
                reject(new ConnectionError(`${url}: no answer to the handshake within ${handshakeTime} ms`));
                ws.close();
            }, handshakeTime);
            ws.onopen = () => {
                ws.send(JSON.stringify(this.handshake));
                ws.send(JSON.stringify({ id: check, type: 'load-settings', payload: {} })); // its answer says that the handshake is taken
            };
            ws.onmessage = ({ data }) => {
                const message = JSON.parse(String(data));
                if (message.type === 'client-tool-manifest')
                    manifest = message.payload;
                if (message.in_reply_to === check) {
                    clearTimeout(timer);
                    resolve();
                }
                if (this.ready || message.in_reply_to !== check)
                    this.hear(message);
            };
            ws.onerror = () => { }; // a close follows
            ws.onclose = event => {
                clearTimeout(timer);
                const error = new ConnectionError(`${url}: the socket is closed (${event.code}) ${event.reason}`.trim());
                reject(event.code === refused || event.code === revoked ? new WindieError(error.message) : error);
                if (this.ws === ws)
                    this.lost(error, event.code);
            };
        });
        this.ws = ws;
        this.ready = true;
        return manifest;
    }
    /** Sends a message, now or on the next connection, and returns its id. */
    send(type, payload, id = newId()) {
        const text = JSON.stringify({ id, type, payload });
        if (this.ready && this.ws?.readyState === 1)
            this.ws.send(text);
        else if (this.closed)
            throw new ConnectionError('the session is closed');
        else
            this.outbox.push(text);
        return id;
    }
    hear(message) {
        const { conversation_ref: ref, seq } = message;
        if (ref !== undefined && seq !== undefined) {
            const h = this.heard.get(ref) ?? { before: 0, seq: 0, count: 0, skip: 0 };
            this.heard.set(ref, h);
            if (seq < h.seq)
                return;
            if (seq === h.seq && h.skip > 0) {
                h.skip--; // it came before the connection broke
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
                this.ws?.send(JSON.stringify({ id: newId(), payload: {}, ...message }));
            for (const text of this.outbox.splice(0))
                this.ws?.send(text);
            return;
        }
        if (this.closed)
            return;
        this.closed = true;
        this.on.end(error);
    }
    /** The message that asks for what happened in a conversation since the connection broke; undefined if nothing was heard of it. */
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
    /** Breaks the connection, as a network does; for tests. */
    drop() {
        this.ws?.close();
    }
}
