import { APIError, ConnectionError, TimeoutError, errorFrom } from './errors.js';
import type { CallOptions } from './types.js';

/** What is told to a logger, or to hooks. Secrets are never among it. */
export interface LogEntry {
  event: 'request' | 'response' | 'retry' | 'error' | 'reconnect' | 'warning';
  method?: string;
  path?: string;
  status?: number;
  requestId?: string | undefined;
  attempt?: number;
  /** Milliseconds. */
  took?: number;
  message?: string;
}

/** How a client reaches its gateway. */
export interface ClientOptions {
  /** The gateway; by default WINDIE_URL of the environment, or else http://127.0.0.1:8765. */
  baseURL?: string | undefined;
  /** The token of an install, which a hosted gateway asks for; by default WINDIE_TOKEN of the environment. */
  token?: string | undefined;
  /** On whose behalf requests are made. */
  userId?: string | undefined;
  /** The key in the file approval.key of a local gateway's data folder, for what only people may see and decide. */
  approvalKey?: string | undefined;
  /** The key of runs. */
  runsKey?: string | undefined;
  /** Milliseconds that a call may take; default 60 s. */
  timeout?: number | undefined;
  /** How often a call is tried again where that does no harm; default 2. */
  maxRetries?: number | undefined;
  /** Sends requests; default: the platform's. */
  fetch?: typeof globalThis.fetch | undefined;
  headers?: Record<string, string> | undefined;
  /** Reads the JSON of answers and events; default: JSON.parse, which rounds numbers beyond 2^53. */
  parse?: ((text: string) => unknown) | undefined;
  /** Gets an entry for each request, answer, retry and reconnect. */
  logger?: ((entry: LogEntry) => void) | undefined;
}

export interface Call extends CallOptions {
  query?: object | undefined;
  json?: unknown;
  body?: BodyInit | undefined;
  /** Doing it twice does no harm. By default that is so of all methods but POST. */
  safe?: boolean;
  /** The gateway takes an Idempotency-Key for it. */
  keyed?: boolean;
  /** The answer is a stream: the time limit is for its beginning. */
  stream?: boolean;
}

const defaultURL = 'http://127.0.0.1:8765';
/** Milliseconds that a call may take where nobody says otherwise. */
export const defaultTimeout = 60_000;
const minPause = 100;
const maxPause = 5_000;
/** Who is told to come back later than this hears so, instead of waiting, in milliseconds. */
const maxWait = 30_000;

declare const process: { env?: Record<string, string | undefined>; getBuiltinModule?: (id: string) => unknown } | undefined;

/** A variable of the environment, where there is one. */
export function env(name: string): string | undefined {
  try {
    return typeof process === 'object' ? process.env?.[name] || undefined : undefined;
  } catch {
    return undefined; // Deno without permission
  }
}

/** A module of Node, undefined elsewhere. */
export function builtin<T>(id: string): T | undefined {
  return typeof process === 'object' ? (process.getBuiltinModule?.(id) as T | undefined) : undefined;
}

/** Sends requests to one gateway. */
export class Transport {
  readonly baseURL: string;
  readonly options: ClientOptions;

  constructor(options: ClientOptions = {}) {
    this.options = { ...options, token: options.token ?? env('WINDIE_TOKEN') };
    this.baseURL = (options.baseURL ?? env('WINDIE_URL') ?? defaultURL).replace(/\/+$/, '');
    if (!/^https?:\/\/[^/]/.test(this.baseURL)) {
      throw new TypeError(`windie: ${JSON.stringify(this.baseURL)} is not the URL of a gateway, as ${defaultURL}`);
    }
  }

  log(entry: LogEntry): void {
    this.options.logger?.(entry);
  }

  /** Headers that all requests have. */
  headers(): Record<string, string> {
    const { token, userId, approvalKey, runsKey, headers } = this.options;
    return {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(userId && { 'x-user-id': userId }),
      ...(approvalKey && { 'x-windie-key': approvalKey }),
      ...(runsKey && { 'x-windie-runs-key': runsKey }),
      ...headers,
    };
  }

  url(path: string, query: object = {}): string {
    const asked = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) asked.append(name, value instanceof Date ? value.toISOString() : String(value));
    }
    return this.baseURL + path + (asked.size > 0 ? `?${asked}` : '');
  }

  /** Sends a request and reads its answer as JSON. */
  async json<T>(method: string, path: string, call: Call = {}): Promise<T> {
    const response = await this.request(method, path, call);
    return (response.status === 204 ? undefined : this.parse(await response.text())) as T;
  }

  /** Reads the JSON of an answer or an event. */
  parse(text: string): unknown {
    return (this.options.parse ?? JSON.parse)(text);
  }

  /** Sends a request, again where that does no harm, and returns its answer, which is a success. */
  async request(method: string, path: string, call: Call = {}): Promise<Response> {
    const headers = new Headers({ ...this.headers(), ...call.headers });
    let { body } = call;
    if (call.json !== undefined) {
      body = JSON.stringify(call.json);
      headers.set('content-type', 'application/json');
    }
    const key = call.idempotencyKey ?? (call.keyed ? newId() : undefined);
    if (key && method === 'POST') headers.set('idempotency-key', key);
    const retries = call.maxRetries ?? this.options.maxRetries ?? 2;
    let lost = false; // the answer to a try may be, so that a deletion finds nothing more
    for (let attempt = 0; ; attempt++) {
      call.signal?.throwIfAborted();
      const harmless = (call.safe ?? method !== 'POST') || headers.has('idempotency-key');
      const began = Date.now();
      this.log({ event: 'request', method, path, attempt });
      let failure: unknown;
      let wait: number | undefined;
      try {
        const response = await this.once(method, this.url(path, call.query), headers, body, call);
        const requestId = response.headers.get('x-request-id') ?? undefined;
        this.log({ event: 'response', method, path, attempt, status: response.status, requestId, took: Date.now() - began });
        if (response.ok) return response;
        if (lost && response.status === 404 && method === 'DELETE' && !path.endsWith('/keep')) return Response.json({ deleted: true, removed: 0 });
        lost ||= response.status === 502 || response.status === 504;
        const error = await errorFrom(response);
        if (!call.idempotencyKey && headers.has('idempotency-key') && error.code === 'FEATURE_UNAVAILABLE' && mentionsKey(error)) {
          headers.delete('idempotency-key'); // this gateway keeps none
          continue;
        }
        failure = error;
        wait = waitFor(error, response, attempt);
      } catch (error) {
        if (call.signal?.aborted) throw call.signal.reason;
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

  private async once(method: string, url: string, headers: Headers, body: BodyInit | undefined, call: Call): Promise<Response> {
    const limit = call.stream ? defaultTimeout : (call.timeout ?? this.options.timeout ?? defaultTimeout);
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), limit);
    const signal = call.signal ? AbortSignal.any([call.signal, late.signal]) : late.signal;
    try {
      const send = this.options.fetch ?? globalThis.fetch;
      const response = await send(url, { method, headers, signal, ...(body !== undefined && { body }) });
      if (call.stream) return response;
      // The body comes within the limit too, and is whole before anybody reads it.
      const whole = response.status === 204 || response.status === 304 || method === 'HEAD' ? null : await response.arrayBuffer();
      const kept = new Response(whole, { status: response.status, headers: response.headers });
      return kept;
    } catch (error) {
      if (call.signal?.aborted) throw call.signal.reason;
      if (late.signal.aborted) throw new TimeoutError(`${method} ${url} took longer than ${limit} ms`, { cause: error });
      throw new ConnectionError(`${method} ${url}: the gateway cannot be reached, or the connection broke`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Whether an error may pass while somebody waits. */
export const passes = ({ status, code }: APIError) =>
  [429, 502, 503, 504].includes(status) && !['OCR_UNAVAILABLE', 'BUDGET_EXCEEDED', 'RUNS_UNAVAILABLE'].includes(code);

/** How long to wait before an error's request is sent again, undefined if that would not help. */
function waitFor(error: APIError, response: Response, attempt: number): number | undefined {
  if (response.status !== 408 && error.code !== 'IDEMPOTENCY_KEY_IN_USE' && !passes(error)) return undefined;
  const after = Number(response.headers.get('retry-after') ?? Number.NaN) * 1000;
  if (Number.isNaN(after)) return pauseOf(attempt);
  return after > maxWait ? undefined : after + Math.random() * minPause;
}

const mentionsKey = (error: APIError) => /idempotency-key/i.test(error.message);

/** The pause before another try, in milliseconds: it grows, and differs from client to client. */
export function pauseOf(attempt: number): number {
  return Math.min(maxPause, minPause * 2 ** attempt) * (0.5 + Math.random() / 2);
}

/** Waits, and rejects with the signal's reason if that ends the wait. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
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

/** Waits for a value, and rejects with the signal's reason if that ends the wait. */
export async function unlessAborted<T>(value: T | Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return value;
  signal.throwIfAborted();
  const ended = Promise.withResolvers<never>();
  const aborted = () => ended.reject(signal.reason);
  signal.addEventListener('abort', aborted, { once: true });
  try {
    return await Promise.race([value, ended.promise]);
  } finally {
    signal.removeEventListener('abort', aborted);
  }
}

/** A new UUID. */
export function newId(): string {
  if (globalThis.crypto.randomUUID) return globalThis.crypto.randomUUID();
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16)); // a page without https has no randomUUID
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return [...bytes].map((b, i) => ([4, 6, 8, 10].includes(i) ? '-' : '') + b.toString(16).padStart(2, '0')).join('');
}
