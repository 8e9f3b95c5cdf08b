import { APIError, AmbiguousMatchError, NoMatchError } from './errors.js';
import { builtin } from './http.js';
/** Reads what a picture's source holds. */
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
/** Stores a file. */
export async function upload(transport, source, options = {}) {
    const form = new FormData();
    form.append('file', await blobOf(source), options.filename ?? 'file');
    return transport.json('POST', '/api/artifacts/', { ...options, body: form, keyed: true });
}
const callKeys = new Set(['signal', 'timeout', 'maxRetries', 'headers', 'idempotencyKey']);
/** Takes what is for the call out of options; the rest is for the gateway. */
export function split(options) {
    const call = {};
    const rest = {};
    for (const [name, value] of Object.entries(options)) {
        if (value !== undefined)
            (callKeys.has(name) ? call : rest)[name] = value;
    }
    return [call, rest];
}
/** A screen that can be asked about. Its picture is uploaded once, when the first question is asked. */
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
    /** The id of the picture's artifact, which is uploaded for it. */
    artifactId(options = {}) {
        this.stored ??= this.upload(options);
        return this.stored;
    }
    upload(options) {
        const stored = upload(this.transport, this.source, { ...options, idempotencyKey: undefined }).then(a => a.artifact_id);
        stored.catch(() => (this.stored = undefined)); // the next question tries again
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
            this.stored = undefined; // it has expired, or was deleted
            return send();
        }
    }
    /** All rows of text, in reading order. */
    async read(options = {}) {
        return (await this.ask('ocr/run', options)).results;
    }
    /** The rows that match a text, best first. */
    async find(text, options = {}) {
        return (await this.ask('ocr/find-text', options, { text })).matches;
    }
    /** The rows that a text may mean, best first, also those below the threshold. */
    async candidates(text, options = {}) {
        return (await this.ask('ocr/find-text-candidates', options, { text })).matches;
    }
    /** The one place where a text stands, or what there is to choose from. */
    resolve(text, options = {}) {
        return resolution(this.ask('ocr/resolve-text', options, { text }));
    }
    /** The row of a candidate_id. */
    async candidate(id, options = {}) {
        return (await this.ask('ocr/resolve-candidate', options, { candidate_id: id })).match;
    }
    /** The one thing that a description means, as "orange search button", or what there is to choose from. */
    locate(description, options = {}) {
        return resolution(this.ask('vision/locate', options, { description }));
    }
    /** What a description may mean, best first. */
    async locateAll(description, options = {}) {
        return (await this.ask('vision/locate-all', options, { description })).matches;
    }
    /** What is on the screen, in words and lists. */
    describe(options = {}) {
        return this.ask('vision/describe', options);
    }
    /** Buttons, fields, icons and whatever else a person can act on. */
    async elements(options = {}) {
        return (await this.ask('screen/elements', options)).elements;
    }
    /** What is at a point. */
    at(x, y, options = {}) {
        return this.ask('screen/at', options, { x, y });
    }
    /** Everything that the questions about text answer, at once. */
    inspect(options = {}) {
        return this.ask('ocr/inspect', options);
    }
    /** Draws the rows of text, those that match text, or points and regions, onto the screen. */
    overlay(options = {}) {
        return this.ask('points' in options || 'regions' in options ? 'vision/overlay' : 'ocr/overlay', options, {}, true);
    }
    /** What changed from this screen to another of the same size. */
    async diff(after, options = {}) {
        const [call, body] = split(options);
        const [one, other] = await Promise.all([this.artifactId(call), after.artifactId(call)]);
        return this.transport.json('POST', '/api/sdk/screen/diff', { ...call, json: { before: { artifact_id: one }, after: { artifact_id: other }, ...body }, safe: true });
    }
}
async function resolution(answer) {
    try {
        const { match } = await answer;
        return { status: 'found', point: match.center, match };
    }
    catch (error) {
        if (error instanceof AmbiguousMatchError)
            return { status: 'ambiguous', candidates: error.candidates, message: error.message, error };
        if (error instanceof NoMatchError)
            return { status: 'missing', nearest: error.nearest, message: error.message, error };
        throw error;
    }
}
/** Returns the place that was found, and throws what was found wrong otherwise. */
export function found(of) {
    if (of.status === 'found')
        return of.match;
    throw of.error;
}
