import { APIError, ConnectionError, TimeoutError, errorFrom } from './errors.js';
const defaultURL = 'http://127.0.0.1:8765';
export const defaultTimeout = 60_000;
const minPause = 100;
const maxPause = 5_000;
const maxWait = 30_000;
export function env(name) {
    try {
        return typeof process === 'object' ? process.env?.[name] || undefined : undefined;
    }
    catch {
        return undefined;
    }
}
export function builtin(id) {
    return typeof process === 'object' ? process.getBuiltinModule?.(id) : undefined;
}
export class Transport {
    baseURL;
    options;
    constructor(options = {}) {
        this.options = { ...options, token: options.token ?? env('WINDIE_TOKEN') };
        this.baseURL = (options.baseURL ?? env('WINDIE_URL') ?? defaultURL).replace(/\/+$/, '');
        if (!/^https?:\/\/[^/]/.test(this.baseURL)) {
            throw new TypeError(`windie: ${JSON.stringify(this.baseURL)} is not the URL of a gateway, as ${defaultURL}`);
        }
    }
    log(entry) {
        this.options.logger?.(entry);
    }
    headers() {
        const { token, userId, approvalKey, runsKey, headers } = this.options;
        return {
            ...(token && { authorization: `Bearer ${token}` }),
            ...(userId && { 'x-user-id': userId }),
            ...(approvalKey && { 'x-windie-key': approvalKey }),
            ...(runsKey && { 'x-windie-runs-key': runsKey }),
            ...headers,
        };
    }
    url(path, query = {}) {
        const asked = new URLSearchParams();
        for (const [name, value] of Object.entries(query)) {
            if (value !== undefined && value !== null)
                asked.append(name, value instanceof Date ? value.toISOString() : String(value));
        }
        return this.baseURL + path + (asked.size > 0 ? `?${asked}` : '');
    }
    async json(method, path, call = {}) {
        const response = await this.request(method, path, call);
        return (response.status === 204 ? undefined : this.parse(await response.text()));
    }
    parse(text) {
        return (this.options.parse ?? JSON.parse)(text);
    }
    async request(method, path, call = {}) {
        const headers = new Headers({ ...this.headers(), ...call.headers });
        let { body } = call;
        if (call.json !== undefined) {
            body = JSON.stringify(call.json);
            headers.set('content-type', 'application/json');
        }
        const key = call.idempotencyKey ?? (call.keyed ? newId() : undefined);
        if (key && method === 'POST')
            headers.set('idempotency-key', key);
        const retries = call.maxRetries ?? this.options.maxRetries ?? 2;
        let lost = false;
        for (let attempt = 0;; attempt++) {
            call.signal?.throwIfAborted();
            const harmless = (call.safe ?? method !== 'POST') || headers.has('idempotency-key');
            const began = Date.now();
            this.log({ event: 'request', method, path, attempt });
            let failure;
            let wait;
            try {
                const response = await this.once(method, this.url(path, call.query), headers, body, call);
                const requestId = response.headers.get('x-request-id') ?? undefined;
                this.log({ event: 'response', method, path, attempt, status: response.status, requestId, took: Date.now() - began });
                if (response.ok)
                    return response;
                if (lost && response.status === 404 && method === 'DELETE' && !path.endsWith('/keep'))
                    return Response.json({ deleted: true, removed: 0 });
                lost ||= response.status === 502 || response.status === 504;
                const error = await errorFrom(response);
                if (!call.idempotencyKey && headers.has('idempotency-key') && error.code === 'FEATURE_UNAVAILABLE' && mentionsKey(error)) {
                    headers.delete('idempotency-key');
                    continue;
                }
                failure = error;
                wait = waitFor(error, response, attempt);
            }
            catch (error) {
                if (call.signal?.aborted)
                    throw call.signal.reason;
                failure = error;
                lost = true;
                wait = pauseOf(attempt);
            }
            if (!harmless || attempt >= retries || wait === undefined) {
                this.log({ event: 'error', method, path, attempt, message: String(failure) });
                throw failure;
            }
            this.log({ event: 'retry', method, path, attempt, message: String(failure) });
            await sleep(wait, call.signal);
        }
    }
    async once(method, url, headers, body, call) {
        const limit = call.stream ? defaultTimeout : (call.timeout ?? this.options.timeout ?? defaultTimeout);
        const late = new AbortController();
        const timer = setTimeout(() => late.abort(), limit);
        const signal = call.signal ? AbortSignal.any([call.signal, late.signal]) : late.signal;
        try {
            const send = this.options.fetch ?? globalThis.fetch;
            const response = await send(url, { method, headers, signal, ...(body !== undefined && { body }) });
            if (call.stream)
                return response;
            const whole = response.status === 204 || response.status === 304 || method === 'HEAD' ? null : await response.arrayBuffer();
            const kept = new Response(whole, { status: response.status, headers: response.headers });
            return kept;
        }
        catch (error) {
            if (call.signal?.aborted)
                throw call.signal.reason;
            if (late.signal.aborted)
                throw new TimeoutError(`${method} ${url} took longer than ${limit} ms`, { cause: error });
            throw new ConnectionError(`${method} ${url}: the gateway cannot be reached, or the connection broke`, { cause: error });
        }
        finally {
            clearTimeout(timer);
        }
    }
}
export const passes = ({ status, code }) => [429, 502, 503, 504].includes(status) && !['OCR_UNAVAILABLE', 'BUDGET_EXCEEDED', 'RUNS_UNAVAILABLE'].includes(code);
function waitFor(error, response, attempt) {
    if (response.status !== 408 && error.code !== 'IDEMPOTENCY_KEY_IN_USE' && !passes(error))
        return undefined;
    const after = Number(response.headers.get('retry-after') ?? Number.NaN) * 1000;
    if (Number.isNaN(after))
        return pauseOf(attempt);
    return after > maxWait ? undefined : after + Math.random() * minPause;
}
const mentionsKey = (error) => /idempotency-key/i.test(error.message);
export function pauseOf(attempt) {
    return Math.min(maxPause, minPause * 2 ** attempt) * (0.5 + Math.random() / 2);
}
export function sleep(ms, signal) {
    return new Promise((resolve, reject) => {
        if (signal?.aborted)
            return reject(signal.reason);
        const aborted = () => {
            clearTimeout(timer);
            reject(signal?.reason);
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener('abort', aborted);
            resolve();
        }, ms);
        signal?.addEventListener('abort', aborted, { once: true });
    });
}
export async function unlessAborted(value, signal) {
    if (!signal)
        return value;
    signal.throwIfAborted();
    const ended = Promise.withResolvers();
    const aborted = () => ended.reject(signal.reason);
    signal.addEventListener('abort', aborted, { once: true });
    try {
        return await Promise.race([value, ended.promise]);
    }
    finally {
        signal.removeEventListener('abort', aborted);
    }
}
export function newId() {
    if (globalThis.crypto.randomUUID)
        return globalThis.crypto.randomUUID();
    const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    return [...bytes].map((b, i) => ([4, 6, 8, 10].includes(i) ? '-' : '') + b.toString(16).padStart(2, '0')).join('');
}
