import { APIError, AmbiguousMatchError, NoMatchError } from './errors.js';
import { builtin, defaultTimeout, unlessAborted } from './http.js';
export async function blobOf(source) {
    if (source instanceof Blob)
        return source;
    if (source instanceof ReadableStream)
        return new Response(source).blob();
    if (typeof source === 'string' || source instanceof URL) {
        if (String(source).startsWith('data:'))
            return (await fetch(String(source))).blob();
        const files = builtin('node:fs/promises');
        if (!files)
            throw new TypeError('windie: there are no files here; give the bytes of the picture, or a Blob');
        return new Blob([await files.readFile(source)]);
    }
    if (ArrayBuffer.isView(source))
        return new Blob([source]);
    return new Blob([source]);
}
export async function upload(transport, source, options = {}, keyed = false) {
    const form = new FormData();
    form.append('file', await blobOf(source), options.filename ?? 'file');
    return transport.json('POST', '/api/artifacts/', { ...options, body: form, keyed, safe: !keyed });
}
const callKeys = new Set(['signal', 'timeout', 'maxRetries', 'headers', 'idempotencyKey']);
export function split(options) {
    const call = {};
    const rest = {};
    for (const [name, value] of Object.entries(options)) {
        if (value !== undefined)
            (callKeys.has(name) ? call : rest)[name] = value;
    }
    return [call, rest];
}
export class Screen {
    transport;
    stored;
    source;
    constructor(transport, of) {
        this.transport = transport;
        if (typeof of === 'object' && 'artifactId' in of)
            this.stored = Promise.resolve(of.artifactId);
        else
            this.source = of;
    }
    artifactId(options = {}) {
        this.stored ??= this.upload(options);
        return unlessAborted(this.stored, options.signal);
    }
    upload({ timeout, ...options }) {
        const call = { ...options, idempotencyKey: undefined, signal: undefined, ...(timeout !== undefined && { timeout: Math.max(timeout, defaultTimeout) }) };
        const stored = upload(this.transport, this.source, call).then(a => a.artifact_id);
        stored.catch(() => (this.stored = undefined));
        return stored;
    }
    async ask(path, options, more = {}, keyed = false) {
        const [call, body] = split(options);
        const send = async () => {
            const image = { artifact_id: await this.artifactId(call) };
            return this.transport.json('POST', `/api/sdk/${path}`, { ...call, json: { image, ...body, ...more }, safe: !keyed, keyed });
        };
        try {
            return await send();
        }
        catch (error) {
            const reusable = this.source !== undefined && !(this.source instanceof ReadableStream);
            if (!(error instanceof APIError) || error.code !== 'ARTIFACT_NOT_FOUND' || !reusable)
                throw error;
            this.stored = undefined;
            return send();
        }
    }
    async read(options = {}) {
        return (await this.reading(options)).results;
    }
    reading(options = {}) {
        return this.ask('ocr/run', options);
    }
    async find(text, options = {}) {
        return (await this.ask('ocr/find-text', options, { text })).matches;
    }
    async candidates(text, options = {}) {
        return (await this.ask('ocr/find-text-candidates', options, { text })).matches;
    }
    resolve(text, options = {}) {
        return resolution(this.ask('ocr/resolve-text', options, { text }));
    }
    async candidate(id, options = {}) {
        return (await this.ask('ocr/resolve-candidate', options, { candidate_id: id })).match;
    }
    locate(description, options = {}) {
        return resolution(this.ask('vision/locate', options, { description }));
    }
    async locateAll(description, options = {}) {
        return (await this.ask('vision/locate-all', options, { description })).matches;
    }
    async element(id, options = {}) {
        return (await this.ask('vision/resolve-candidate', options, { id })).match;
    }
    describe(options = {}) {
        return this.ask('vision/describe', options);
    }
    async elements(options = {}) {
        return (await this.ask('screen/elements', options)).elements;
    }
    at(x, y, options = {}) {
        return this.ask('screen/at', options, { x, y });
    }
    inspect(options = {}) {
        return this.ask('ocr/inspect', options);
    }
    overlay(options = {}) {
        return this.ask('points' in options || 'regions' in options ? 'vision/overlay' : 'ocr/overlay', options, {}, true);
    }
    async diff(after, options = {}) {
        const [call, body] = split(options);
        const [one, other] = await Promise.all([this.artifactId(call), after.artifactId(call)]);
        return this.transport.json('POST', '/api/sdk/screen/diff', { ...call, json: { before: { artifact_id: one }, after: { artifact_id: other }, ...body }, safe: true });
    }
}
async function resolution(answer) {
    try {
        const { match, provider, fallback } = await answer;
        return { status: 'found', point: match.center, match, ...(provider !== undefined && { provider }), ...(fallback && { fallback }) };
    }
    catch (error) {
        if (error instanceof AmbiguousMatchError)
            return { status: 'ambiguous', candidates: error.candidates, message: error.message, error };
        if (error instanceof NoMatchError)
            return { status: 'missing', nearest: error.nearest, message: error.message, error };
        throw error;
    }
}
export function found(of) {
    if (of.status === 'found')
        return of.match;
    throw of.error;
}
