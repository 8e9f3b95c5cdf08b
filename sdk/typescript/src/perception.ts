import { APIError, AmbiguousMatchError, NoMatchError } from './errors.js';
import { builtin, defaultTimeout, unlessAborted, type Call, type Transport } from './http.js';
import type { Artifact, CallOptions, Overlay, Point, Row, Schemas, Target } from './types.js';

/** A picture of a screen: the path of a file (in Node, Bun and Deno), its bytes, or what holds them. */
export type ScreenSource = string | URL | Blob | ArrayBuffer | ArrayBufferView | ReadableStream<Uint8Array>;

type Without<T, K extends string> = Omit<T, K>;
export type FindOptions = CallOptions & Without<Schemas['OCRTextRequest'], 'image' | 'text'>;
export type LocateOptions = CallOptions & Without<Schemas['VisionLocateRequest'], 'image' | 'description'>;

/** What a text or a description means on a screen. found is the one place, and who found it; otherwise there is a choice, or nothing. */
export type Resolution<T extends Row = Row> =
  | { status: 'found'; point: Point; match: T; provider?: string | undefined; fallback?: Schemas['Fallback'] | undefined }
  | { status: 'ambiguous'; candidates: Target[]; message: string; error: AmbiguousMatchError }
  | { status: 'missing'; nearest: Target[]; message: string; error: NoMatchError };

/** Reads what a picture's source holds. */
export async function blobOf(source: ScreenSource): Promise<Blob> {
  if (source instanceof Blob) return source;
  if (source instanceof ReadableStream) return new Response(source).blob();
  if (typeof source === 'string' || source instanceof URL) {
    if (String(source).startsWith('data:')) return (await fetch(String(source))).blob();
    const files = builtin<{ readFile(path: string | URL): Promise<Uint8Array<ArrayBuffer>> }>('node:fs/promises');
    if (!files) throw new TypeError('windie: there are no files here; give the bytes of the picture, or a Blob');
    return new Blob([await files.readFile(source)]);
  }
  if (ArrayBuffer.isView(source)) return new Blob([source as ArrayBufferView<ArrayBuffer>]);
  return new Blob([source]);
}

/**
 * Stores a file. A key would keep an upload whose answer is lost from being stored twice, and costs the gateway as much as the
 * upload itself: a screen does without, as a second copy of it does no harm.
 */
export async function upload(transport: Transport, source: ScreenSource, options: CallOptions & { filename?: string } = {}, keyed = false): Promise<Artifact> {
  const form = new FormData();
  form.append('file', await blobOf(source), options.filename ?? 'file');
  return transport.json('POST', '/api/artifacts/', { ...options, body: form, keyed, safe: !keyed });
}

const callKeys = new Set(['signal', 'timeout', 'maxRetries', 'headers', 'idempotencyKey']);

/** Takes what is for the call out of options; the rest is for the gateway. */
export function split<T extends CallOptions>(options: T): [Call, Record<string, unknown>] {
  const call: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) (callKeys.has(name) ? call : rest)[name] = value;
  }
  return [call as Call, rest];
}

/** A screen that can be asked about. Its picture is uploaded once, when the first question is asked. */
export class Screen {
  private stored: Promise<string> | undefined;
  private readonly source: ScreenSource | undefined;

  constructor(
    private readonly transport: Transport,
    of: ScreenSource | { artifactId: string },
  ) {
    if (typeof of === 'object' && 'artifactId' in of) this.stored = Promise.resolve(of.artifactId);
    else this.source = of;
  }

  /** The id of the picture's artifact, which is uploaded for it. */
  artifactId(options: CallOptions = {}): Promise<string> {
    this.stored ??= this.upload(options);
    return unlessAborted(this.stored, options.signal);
  }

  /** Uploads the picture for all who wait for it: one that gives up, or is in a hurry, ends it for nobody else. */
  private upload({ timeout, ...options }: CallOptions): Promise<string> {
    const call = { ...options, idempotencyKey: undefined, signal: undefined, ...(timeout !== undefined && { timeout: Math.max(timeout, defaultTimeout) }) };
    const stored = upload(this.transport, this.source!, call).then(a => a.artifact_id);
    stored.catch(() => (this.stored = undefined)); // the next question tries again
    return stored;
  }

  private async ask<T>(path: string, options: CallOptions, more: object = {}, keyed = false): Promise<T> {
    const [call, body] = split(options);
    const send = async () => {
      const image = { artifact_id: await this.artifactId(call) };
      return this.transport.json<T>('POST', `/api/sdk/${path}`, { ...call, json: { image, ...body, ...more }, safe: !keyed, keyed });
    };
    try {
      return await send();
    } catch (error) {
      const reusable = this.source !== undefined && !(this.source instanceof ReadableStream);
      if (!(error instanceof APIError) || error.code !== 'ARTIFACT_NOT_FOUND' || !reusable) throw error;
      this.stored = undefined; // it has expired, or was deleted
      return send();
    }
  }

  /** All rows of text, in reading order. */
  async read(options: CallOptions & Without<Schemas['OCRRunRequest'], 'image'> = {}): Promise<Row[]> {
    return (await this.reading(options)).results;
  }

  /** All of the answer to read: the rows, and what of them is in a script that the reader does not have. */
  reading(options: CallOptions & Without<Schemas['OCRRunRequest'], 'image'> = {}): Promise<Schemas['OCRRunResult']> {
    return this.ask('ocr/run', options);
  }

  /** The rows that match a text, best first. */
  async find(text: string, options: FindOptions = {}): Promise<Row[]> {
    return (await this.ask<Schemas['OCRMatchesResult']>('ocr/find-text', options, { text })).matches;
  }

  /** The rows that a text may mean, best first, also those below the threshold. */
  async candidates(text: string, options: FindOptions = {}): Promise<Row[]> {
    return (await this.ask<Schemas['OCRMatchesResult']>('ocr/find-text-candidates', options, { text })).matches;
  }

  /** The one place where a text stands, or what there is to choose from. */
  resolve(text: string, options: FindOptions = {}): Promise<Resolution> {
    return resolution(this.ask<Schemas['OCRResolveTextResult']>('ocr/resolve-text', options, { text }));
  }

  /** The row of a candidate_id. */
  async candidate(id: string, options: CallOptions & Without<Schemas['OCRResolveCandidateRequest'], 'image' | 'candidate_id'> = {}): Promise<Row> {
    return (await this.ask<Schemas['OCRResolveCandidateResult']>('ocr/resolve-candidate', options, { candidate_id: id })).match;
  }

  /** The one thing that a description means, as "orange search button", or what there is to choose from. */
  locate(description: string, options: LocateOptions = {}): Promise<Resolution<Target>> {
    return resolution(this.ask<Schemas['VisionLocateResult']>('vision/locate', options, { description }));
  }

  /** What a description may mean, best first. */
  async locateAll(description: string, options: CallOptions & Without<Schemas['VisionLocateAllRequest'], 'image' | 'description'> = {}): Promise<Target[]> {
    return (await this.ask<Schemas['VisionLocateAllResult']>('vision/locate-all', options, { description })).matches;
  }

  /** The element with an id, for example of a candidate. */
  async element(id: string, options: CallOptions & Without<Schemas['VisionResolveCandidateRequest'], 'image' | 'id'> = {}): Promise<Target> {
    return (await this.ask<Schemas['VisionResolveCandidateResult']>('vision/resolve-candidate', options, { id })).match;
  }

  /** What is on the screen, in words and lists. */
  describe(options: CallOptions & Without<Schemas['VisionDescribeRequest'], 'image'> = {}): Promise<Schemas['VisionDescribeResult']> {
    return this.ask('vision/describe', options);
  }

  /** Buttons, fields, icons and whatever else a person can act on. */
  async elements(options: CallOptions & Without<Schemas['ScreenElementsRequest'], 'image'> = {}): Promise<Schemas['Element'][]> {
    return (await this.ask<Schemas['ScreenElementsResult']>('screen/elements', options)).elements;
  }

  /** What is at a point. */
  at(x: number, y: number, options: CallOptions & Without<Schemas['ScreenAtRequest'], 'image' | 'x' | 'y'> = {}): Promise<Schemas['ScreenAtResult']> {
    return this.ask('screen/at', options, { x, y });
  }

  /** Everything that the questions about text answer, at once. */
  inspect(options: CallOptions & Without<Schemas['OCRInspectRequest'], 'image'> = {}): Promise<Schemas['OCRInspectResult']> {
    return this.ask('ocr/inspect', options);
  }

  /** Draws the rows of text, those that match text, or points and regions, onto the screen. */
  overlay(options: CallOptions & (Without<Schemas['OCROverlayRequest'], 'image'> | Without<Schemas['VisionOverlayRequest'], 'image'>) = {}): Promise<Overlay> {
    return this.ask('points' in options || 'regions' in options ? 'vision/overlay' : 'ocr/overlay', options, {}, true);
  }

  /** What changed from this screen to another of the same size. */
  async diff(after: Screen, options: CallOptions & Without<Schemas['ScreenDiffRequest'], 'before' | 'after'> = {}): Promise<Schemas['ScreenDiffResult']> {
    const [call, body] = split(options);
    const [one, other] = await Promise.all([this.artifactId(call), after.artifactId(call)]);
    return this.transport.json('POST', '/api/sdk/screen/diff', { ...call, json: { before: { artifact_id: one }, after: { artifact_id: other }, ...body }, safe: true });
  }
}

async function resolution<T extends Row>(answer: Promise<{ match: T; provider?: string; fallback?: Schemas['Fallback'] }>): Promise<Resolution<T>> {
  try {
    const { match, provider, fallback } = await answer;
    return { status: 'found', point: match.center, match, ...(provider !== undefined && { provider }), ...(fallback && { fallback }) };
  } catch (error) {
    if (error instanceof AmbiguousMatchError) return { status: 'ambiguous', candidates: error.candidates, message: error.message, error };
    if (error instanceof NoMatchError) return { status: 'missing', nearest: error.nearest, message: error.message, error };
    throw error;
  }
}

/** Returns the place that was found, and throws what was found wrong otherwise. */
export function found<T extends Row>(of: Resolution<T>): T {
  if (of.status === 'found') return of.match;
  throw of.error;
}
