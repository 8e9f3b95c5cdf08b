import { APIError, ConnectionError, TimeoutError } from './errors.js';
import { passes, pauseOf, sleep, type Transport } from './http.js';

/** A server-sent event, as it came. */
export interface RawEvent {
  id: string | undefined;
  event: string;
  data: string;
}

/** Milliseconds that a stream may be silent. The gateway sends a sign of life every 15 s. */
const maxSilence = 45_000;
/** How often in a row a stream may break without an event in between. */
const maxBreaks = 10;

/** How many ids are kept to know events by that come again. */
const maxSeen = 1000;

/** Reads server-sent events (HTML standard, section 9.2), however their bytes are cut. alive is called for every piece. */
export async function* readEvents(body: ReadableStream<Uint8Array>, alive: () => void = () => {}): AsyncGenerator<RawEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let event = '';
  let data: string[] = [];
  let id: string | undefined;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      alive();
      text += decoder.decode(value, { stream: !done });
      for (;;) {
        const end = (done ? /\r\n|\n|\r/ : /\r\n|\n|\r(?!$)/).exec(text); // a \r at the end may be half of a \r\n
        if (!end) break;
        const line = text.slice(0, end.index);
        text = text.slice(end.index + end[0].length);
        if (line === '') {
          if (data.length > 0) yield { id, event: event || 'message', data: data.join('\n') };
          event = '';
          data = [];
          continue;
        }
        const colon = line.indexOf(':');
        const field = colon < 0 ? line : line.slice(0, colon);
        const rest = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
        if (field === 'data') data.push(rest);
        else if (field === 'event') event = rest;
        else if (field === 'id') id = rest;
      }
      if (done) return; // what has no empty line behind it is not whole
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

export interface Follow<E> {
  transport: Transport;
  signal?: AbortSignal | undefined;
  timeout?: number | undefined;
  /** Opens the stream behind the event of an id, undefined for the beginning. */
  open(after: string | undefined, signal: AbortSignal): Promise<Response>;
  /** Makes an event of what came; undefined for one to leave out. */
  read(raw: RawEvent): E | undefined;
  /** Whether an event is the last. */
  last(event: E): boolean;
  after?: string | undefined;
  /** Whether the stream can be opened again, where it broke before its first event. */
  again?: boolean;
}

/** Yields the events of a stream until the last, through connections that break. Leaving the loop closes the connection. */
export async function* follow<E>(f: Follow<E>): AsyncGenerator<E> {
  let { after } = f;
  let opened = false; // at least once
  const seen = new Set<string>(); // so that an event that comes twice is heard once
  for (let breaks = 0; ; breaks++) {
    const left = new AbortController();
    const signal = f.signal ? AbortSignal.any([f.signal, left.signal]) : left.signal;
    let silent = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        silent = true;
        left.abort();
      }, f.timeout ?? maxSilence);
    };
    let failure: unknown;
    try {
      alive();
      const response = await f.open(after, signal);
      opened = true;
      if (!response.body) throw new ConnectionError('the answer has no body');
      for await (const raw of readEvents(response.body, alive)) {
        if (raw.id !== undefined) {
          if (seen.has(raw.id)) continue;
          seen.add(raw.id);
          if (seen.size > maxSeen) seen.delete(seen.values().next().value!);
        }
        const event = f.read(raw);
        after = raw.id ?? after;
        breaks = 0;
        if (event === undefined) continue;
        f.signal?.throwIfAborted(); // it may have come before the signal was aborted
        yield event;
        if (f.last(event)) return;
      }
      failure = new ConnectionError('the stream ended early');
    } catch (error) {
      if (f.signal?.aborted) throw f.signal.reason;
      // A gateway that takes no more for now, or is not there behind its proxy, as while it is started anew, is a break.
      if (error instanceof APIError && !(opened && passes(error))) throw error;
      failure = silent ? new TimeoutError('the stream was silent for too long', { cause: error }) : error;
    } finally {
      clearTimeout(timer);
      left.abort();
    }
    if (breaks >= maxBreaks || (after === undefined && !f.again)) throw failure;
    f.transport.log({ event: 'reconnect', attempt: breaks, message: String(failure) });
    await sleep(pauseOf(breaks), f.signal);
  }
}
